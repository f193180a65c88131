//! The headers of a response, from a file.

use std::path::Path;

use robomata_engine::policy::ResponseHead;
use robomata_formats::FileName;
use robomata_pages::NotPageError;

use crate::error::JobError;
use crate::robots_file::RobotsFile;

/// The head of a response, read completely.
#[derive(Clone, Debug)]
pub struct HeaderFile {
    name: FileName,
    /// The head.
    pub head: ResponseHead,
}

impl HeaderFile {
    /// Reads the head of the last response in a file, plain or compressed; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read completely, and when a line is no header: what it says would be missing.
    pub fn read(path: &Path) -> Result<Self, JobError> {
        let file = RobotsFile::read(path)?;
        match ResponseHead::read(file.bytes()) {
            Ok(head) => Ok(HeaderFile { name: file.name().clone(), head }),
            Err(line) => Err(JobError::HeaderLine { file: file.name().clone(), line }),
        }
    }

    /// Checks that these can be the headers of a page, and that there are any: a fetch that failed leaves none.
    pub(crate) fn require_page(&self) -> Result<(), JobError> {
        if self.head.status.is_none() && self.head.headers.is_empty() {
            let (what, advice) = ("head of a response", "if it has no headers, add its status line");
            return Err(JobError::EmptyFile { file: self.name.clone(), what, advice });
        }
        self.head.require_page().map_err(|line| JobError::OtherResponse { file: self.name.clone(), line })
    }

    /// Checks that `body` with `bytes` bytes is not shorter than Content-Length says: then the transfer broke off, and rules or
    /// prohibitions are missing. The file may have been compressed or decompressed since, so `bytes` is the larger length.
    pub(crate) fn require_whole(&self, body: &FileName, bytes: u64) -> Result<(), JobError> {
        let fields: Vec<(&str, &str)> = self.fields().collect();
        match robomata_pages::require_whole(bytes, &fields) {
            Err(NotPageError::Cut { expected, found }) => {
                Err(JobError::CutBody { file: body.clone(), headers: self.name.clone(), expected, found })
            }
            _ => Ok(()),
        }
    }

    /// The header fields, each a name and a value.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head.headers.iter().map(|header| (header.name.as_str(), header.value.as_str()))
    }
}
