//! Hosts of sites, all under reserved names.

use crate::rng::{Rng, Use, push_number};
use crate::words::{LABELS, RESERVED};

/// Appends the host of the site `site`. It contains the site's number and no other digit, so no two hosts are the same.
pub(crate) fn push_host(seed: u64, site: u64, out: &mut Vec<u8>) {
    let mut rng = Rng::of(seed, Use::Host, site);
    let (label, reserved) = (rng.pick(LABELS), rng.pick(RESERVED));
    let form = rng.below(10);
    if form >= 5 {
        out.extend_from_slice(b"www.");
    }
    match form {
        0..=3 => {
            out.push(b'w');
            push_number(site, out);
            out.push(b'.');
            out.extend_from_slice(label.as_bytes());
        }
        4..=7 => {
            out.extend_from_slice(label.as_bytes());
            push_number(site, out);
        }
        _ => {
            out.extend_from_slice(rng.pick(LABELS).as_bytes());
            out.push(b'-');
            push_number(site, out);
            out.push(b'-');
            out.extend_from_slice(label.as_bytes());
        }
    }
    out.push(b'.');
    out.extend_from_slice(reserved.as_bytes());
}
