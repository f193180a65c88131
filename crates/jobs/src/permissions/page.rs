//! Reads a page and the headers of its response from files.

use std::io::{ErrorKind, Read};
use std::path::Path;

use robomata_engine::policy::ResponseHead;
use robomata_engine::{FetchStatus, PageFacts};
use robomata_formats::{FileName, input};
use robomata_pages::PageReader;

use super::headers::read_headers;
use crate::error::JobError;
use crate::events::Events;
use crate::problem::{ErrorCounts, InputProblem, ProblemKind, ProblemLog, Strictness};
use crate::robots_file::{RobotsFile, read_error};

/// The number of bytes of a page that are read at once.
const CHUNK: usize = 64 * 1024;

/// Reads a page and the headers of its response, if given. Each file may be plain or compressed; `-` is standard input.
/// Lines of `headers` that are not headers are bad input.
///
/// # Errors
/// When a file cannot be read completely: a prohibition might be missing.
pub fn read_page(
    html: Option<&Path>,
    headers: Option<&Path>,
    events: &mut dyn Events,
) -> Result<(PageFacts, ErrorCounts), JobError> {
    let mut log = ProblemLog::new(events, Strictness::Lenient);
    let headers = match headers {
        Some(path) => {
            let file = RobotsFile::read(path)?;
            read_headers(&file, ResponseHead::read(file.bytes()), &mut log)?
        }
        None => Vec::new(),
    };
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut reader = PageReader::new(&headers);
    if let Some(path) = html {
        read_into(&mut reader, path)?;
    }
    Ok((reader.finish(), log.close()))
}

/// The header fields of a response, each a name and a value.
pub type HeaderFields = Vec<(String, String)>;

/// Reads the headers of one response, and the status if there is a status line.
///
/// # Errors
/// When the file cannot be read completely, and when its status line has no code.
pub fn read_header_file(
    path: &Path,
    events: &mut dyn Events,
) -> Result<(Option<FetchStatus>, HeaderFields), JobError> {
    let mut log = ProblemLog::new(events, Strictness::Lenient);
    let file = RobotsFile::read(path)?;
    let mut head = ResponseHead::read(file.bytes());
    let status = std::mem::replace(&mut head.status, Ok(None)).map_err(|bad| {
        let expected = format!("expected a status line, such as 'HTTP/1.1 200 OK', found {:?}", bad.text);
        let line = Some(bad.line.into());
        JobError::Strict(InputProblem::at_line(ProblemKind::HeaderLine, file.name(), line, &expected))
    })?;
    let headers = read_headers(&file, head, &mut log)?;
    log.close();
    Ok((status, headers))
}

/// Reads a page into `reader`. A page may be long, so the reader keeps only its statements.
fn read_into(reader: &mut PageReader, path: &Path) -> Result<(), JobError> {
    let mut input = input::open(path)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => reader.write(&chunk[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(read_error(FileName::new(path), error)),
        }
    }
}
