//! The samples of the project: a handful of sites, for a run without other data.

use std::path::Path;

use anyhow::Result;
use robomata_engine::{FetchStatus, Site};
use robomata_formats::capture::{CaptureSite, captures};
use robomata_formats::lines::{LineBlocks, trim_line_end};

use super::{Frontier, Line};

/// The captures that returned a file, and the URLs of their sites.
pub(super) fn read(directory: &Path) -> Result<Frontier> {
    let mut frontier = Frontier::default();
    for source in [directory.join("robots.jsonl"), directory.join("sites")] {
        for capture in captures(&source) {
            let capture = capture?;
            if !matches!(capture.status, None | Some(FetchStatus::Success | FetchStatus::Code(200..=299))) {
                continue;
            }
            let body = u32::try_from(frontier.bodies.len())?;
            for site in sites(&capture.site) {
                frontier.sites.push((site.as_bytes().to_vec(), body));
            }
            frontier.bodies.push(capture.body.to_vec());
        }
    }
    for block in LineBlocks::open(&directory.join("urls.txt"))? {
        for line in block?.lines() {
            push_url(trim_line_end(line), &mut frontier)?;
        }
    }
    Ok(frontier)
}

fn sites(site: &CaptureSite) -> Vec<Site<'static>> {
    match site {
        CaptureSite::Host(host) => Site::both_of_host(host).map_or(Vec::new(), Into::into),
        CaptureSite::Url(url) => Site::of_url(url.as_bytes()).map(Site::into_owned).into_iter().collect(),
    }
}

/// Adds a URL if its site is known.
fn push_url(line: &[u8], frontier: &mut Frontier) -> Result<()> {
    let Ok(site) = Site::of_url(line) else { return Ok(()) };
    let known = frontier.sites.iter().find(|(name, _)| name == site.as_bytes());
    if let Some(&(_, body)) = known {
        let url = str::from_utf8(line)?.to_owned();
        frontier.lines.push(Line { body, url, recorded: None });
    }
    Ok(())
}
