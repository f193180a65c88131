//! Reads a page and the headers of its response from files.

use std::io::{ErrorKind, Read};
use std::path::Path;

use robomata_engine::PageFacts;
use robomata_formats::{FileName, input};
use robomata_pages::PageReader;

use crate::error::JobError;
use crate::header_file::HeaderFile;
use crate::robots_file::read_error;

/// The number of bytes of a page that are read at once.
const CHUNK: usize = 64 * 1024;

/// Reads a page and the headers of its response, if given. Each file may be plain or compressed; `-` is standard input.
///
/// # Errors
/// When a file cannot be read completely, and when a line of `headers` is no header: a prohibition might be missing.
pub fn read_page(html: Option<&Path>, headers: Option<&Path>) -> Result<PageFacts, JobError> {
    let headers = headers.map(HeaderFile::read).transpose()?;
    let fields: Vec<(&str, &str)> = headers.iter().flat_map(HeaderFile::fields).collect();
    let mut reader = PageReader::new(&fields);
    if let Some(path) = html {
        read_into(&mut reader, path)?;
    }
    Ok(reader.finish())
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
