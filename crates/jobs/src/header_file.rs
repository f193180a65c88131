//! The headers of a response, from a file.

use std::path::Path;

use robomata_engine::policy::ResponseHead;
use robomata_formats::FileName;

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

    /// Checks that these can be the headers of a page.
    pub(crate) fn require_page(&self) -> Result<(), JobError> {
        self.head.require_page().map_err(|line| JobError::OtherResponse { file: self.name.clone(), line })
    }

    /// Checks that `body` with `bytes` bytes is not shorter than Content-Length says: then the transfer broke off, and rules or
    /// prohibitions are missing. The file may have been compressed or decompressed since, so `bytes` is the larger length.
    /// With a coding, the lengths differ.
    pub(crate) fn require_whole(&self, body: &FileName, bytes: u64) -> Result<(), JobError> {
        let is_coded = ["content-encoding", "transfer-encoding"]
            .iter()
            .flat_map(|name| self.list(name))
            .any(|coding| !coding.eq_ignore_ascii_case("identity"));
        let length = self.list("content-length").filter_map(|length| length.parse().ok()).max();
        match length {
            Some(expected) if bytes < expected && !is_coded => Err(JobError::CutBody {
                file: body.clone(),
                headers: self.name.clone(),
                expected,
                found: bytes,
            }),
            _ => Ok(()),
        }
    }

    /// The members of all fields with this name.
    pub(crate) fn list<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        let values = self.fields().filter(move |(field, _)| field.eq_ignore_ascii_case(name));
        let members = values.flat_map(|(_, value)| value.split(',')).map(str::trim);
        members.filter(|member| !member.is_empty())
    }

    /// The header fields, each a name and a value.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head.headers.iter().map(|header| (header.name.as_str(), header.value.as_str()))
    }
}
