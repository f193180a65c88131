//! Fields into records.

use robomata_protocol::Dialect;
use robomata_syntax::Key;

use super::{Acap, ReferencedFile};
use crate::policy::Policy;

/// See [`Acap::read`].
pub(super) fn read(policy: &Policy<'_>, _referenced: &[ReferencedFile<'_>]) -> Option<Acap> {
    let has_lines = || policy.extensions().iter().any(|extension| extension.key == Key::Acap);
    if policy.dialect() != Dialect::Acap || !has_lines() {
        return None;
    }
    Some(Acap::default())
}
