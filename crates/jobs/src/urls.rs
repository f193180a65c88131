//! A few URLs, given directly or on the lines of a file.

use std::path::PathBuf;

use robomata_engine::protocol::Semantics;
use robomata_engine::protocol::semantics::Normalization;
use robomata_engine::{Dialect, Site, requestable};
use robomata_formats::{FileName, Frontier, FrontierBlock, FrontierFormat, lines};

use crate::error::JobError;

/// The most bytes of a site: 255 for its host (RFC 1035, section 2.3.4), and some for its scheme and port.
const LONGEST_SITE: usize = 280;

/// The site of `url`, for jobs that keep the sites of logs and lists. A site that is too long cannot exist, and many of
/// them would fill the memory.
pub(crate) fn site_of(url: &[u8]) -> Option<Site<'_>> {
    Site::of_url(url).ok().filter(can_exist)
}

/// Is `site` short enough for a host name?
pub(crate) fn can_exist(site: &Site<'_>) -> bool {
    site.as_bytes().len() <= LONGEST_SITE
}

/// Can %XX for a byte of a URL change its answer?
pub(crate) fn compares_bytes(semantics: &Semantics) -> bool {
    semantics.normalization == Normalization::EscapedPatterns
}

/// Can a text stand for `url`, whose bytes become %XX there if they are not UTF-8?
pub(crate) fn is_text_enough(url: &[u8], dialect: Dialect) -> bool {
    std::str::from_utf8(url).is_ok() || !compares_bytes(dialect.semantics())
}

/// Checks that a text can stand for `url`, which was judged.
///
/// # Errors
/// When the answer about the text might be another.
pub(crate) fn require_text(url: &[u8], dialect: Dialect) -> Result<(), JobError> {
    match is_text_enough(url, dialect) {
        true => Ok(()),
        false => Err(JobError::UnwritableUrl(format!("\"{}\"", url.escape_ascii()))),
    }
}

/// Has each of the first URLs of `block` a blank within it?
fn have_blanks(block: &FrontierBlock) -> bool {
    /// The number of URLs that are looked at.
    const MOST: usize = 1000;
    let mut urls =
        block.urls().filter_map(|line| line.url).filter(|url| !url.is_empty()).take(MOST).peekable();
    urls.peek().is_some() && urls.all(|url| url.contains(&b' '))
}

/// URLs to judge by one robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Urls {
    /// The given URLs.
    Given(Vec<Vec<u8>>),
    /// The lines of a file; `-` is standard input.
    Lines(PathBuf),
}

impl Urls {
    /// Passes every URL to `each`, without blanks around it, in order, until `each` fails. A file without a line is an error:
    /// it would be as good as one whose URLs are all allowed. So is one with more than URLs on its first lines, because what
    /// follows a blank changes which rules match.
    pub(crate) fn for_each(
        self,
        mut each: impl FnMut(&[u8]) -> Result<(), JobError>,
    ) -> Result<(), JobError> {
        match self {
            Urls::Given(urls) => urls.iter().try_for_each(|url| each(requestable(url).unwrap_or(url))),
            Urls::Lines(path) => {
                let mut is_empty = true;
                for block in Frontier::new([&path]).with_format(FrontierFormat::Text).blocks() {
                    let block = block?;
                    if is_empty && have_blanks(&block) {
                        return Err(JobError::MoreThanUrls(FileName::new(&path)));
                    }
                    is_empty &= block.is_empty();
                    // A line with control characters has no URL, and is invalid.
                    block.urls().try_for_each(|line| {
                        each(line.url.as_deref().unwrap_or_else(|| lines::trim_line_end(line.line)))
                    })?;
                }
                if is_empty { Err(JobError::NoUrls(FileName::new(&path))) } else { Ok(()) }
            }
        }
    }
}
