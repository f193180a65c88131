//! A few URLs, given directly or on the lines of a file.

use std::path::PathBuf;

use robomata_formats::{Frontier, FrontierFormat};

use crate::error::JobError;

/// URLs to judge by one robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Urls {
    /// The given URLs.
    Given(Vec<Vec<u8>>),
    /// The lines of a file; `-` is standard input.
    Lines(PathBuf),
}

impl Urls {
    /// Passes every URL to `each`, in order, until `each` fails.
    pub(crate) fn for_each(
        self,
        mut each: impl FnMut(&[u8]) -> Result<(), JobError>,
    ) -> Result<(), JobError> {
        match self {
            Urls::Given(urls) => urls.iter().try_for_each(|url| each(url)),
            Urls::Lines(path) => {
                for block in Frontier::new([path]).with_format(FrontierFormat::Text).blocks() {
                    // Without columns every line has a URL.
                    block?.urls().filter_map(|line| line.url).try_for_each(|url| each(&url))?;
                }
                Ok(())
            }
        }
    }
}
