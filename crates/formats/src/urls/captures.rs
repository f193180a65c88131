//! Recognizes captures of robots.txt files that were given as files of URLs.

use std::path::{Path, PathBuf};

use robomata_evaluator::SiteResource;

use super::first::LINES;
use super::{Frontier, FrontierFormat};
use crate::body_kind::BodyKind;
use crate::capture::{self, Capture, CaptureSite};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;

/// Number of rows that are examined.
const ROWS: usize = 100;

/// Checks that the file of URLs `path` does not hold captures of robots.txt files, as `sources` do. With a `format`, a WARC is
/// accepted.
///
/// Most rows of captures have a body, and the URL of a `/robots.txt`; or no URL or that of a site, and the body is a robots.txt.
/// Most rows of a list of pages with their bodies do not. A WARC is one of captures if all its first URLs are those of a
/// `/robots.txt`, or some of them and a source is a WARC: a pattern such as `*/*.warc` may stand for both.
///
/// # Errors
/// Fails if the file looks like captures. A file that cannot be read is accepted here.
pub fn require_no_captures(
    path: &Path,
    format: Option<FrontierFormat>,
    sources: &[PathBuf],
) -> Result<(), InputError> {
    let (has_captures, advice) = match format {
        None if FrontierFormat::of_name(path) == FrontierFormat::Warc => {
            let mut are_robots = are_robots_in_archive(path);
            let is_archive = |source: &PathBuf| FrontierFormat::of_name(source) == FrontierFormat::Warc;
            let has_captures = match sources.iter().any(is_archive) {
                true => are_robots.any(|is_robots| is_robots),
                false => are_robots.next() == Some(true) && are_robots.all(|is_robots| is_robots),
            };
            (has_captures, ", or check its URLs with --format warc")
        }
        _ => (has_capture_rows(path), ""),
    };
    match has_captures {
        true => Err(InputError::new(FileName::new(path), None, Kind::Captures(advice))),
        false => Ok(()),
    }
}

/// For each of the first URLs of an archive, whether it is that of a `/robots.txt`.
fn are_robots_in_archive(path: &Path) -> impl Iterator<Item = bool> + use<> {
    // One URL for each block, to read no more than needed.
    let blocks = Frontier::new([path]).with_format(FrontierFormat::Warc).with_block_size(1).blocks();
    blocks.take(LINES).flatten().flat_map(|block| {
        let urls = block.urls().filter_map(|line| line.url);
        urls.map(|url| SiteResource::of_url(&url) == Some(SiteResource::Robots)).collect::<Vec<_>>()
    })
}

fn has_capture_rows(path: &Path) -> bool {
    let Some(rows) = capture::rows(path) else { return false };
    let (mut captures, mut others) = (0, 0);
    for row in rows.take(ROWS) {
        match row.map(|capture| is_robots(&capture)) {
            Ok(Some(true)) => captures += 1,
            Ok(None) => {}
            Ok(Some(false)) | Err(_) => others += 1,
        }
    }
    captures > others
}

/// Returns whether this is the capture of a robots.txt or tdmrep.json, not of a page; none if it may be either.
fn is_robots(capture: &Capture) -> Option<bool> {
    let resource = match &capture.site {
        CaptureSite::Host(_) => Some(SiteResource::Root),
        CaptureSite::Url(url) => SiteResource::of_url(url.as_bytes()),
    };
    match resource {
        None => Some(false),
        Some(_) if capture.body.is_empty() => None,
        Some(SiteResource::Root) => Some(BodyKind::has_record(&capture.body)),
        Some(SiteResource::Robots | SiteResource::TdmRep) => Some(true),
    }
}
