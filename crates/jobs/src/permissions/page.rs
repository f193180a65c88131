//! Reads a page and the headers of its response from files.

use std::io::{ErrorKind, Read};
use std::path::Path;

use robomata_engine::PageFacts;
use robomata_formats::{FileName, Meter, input};
use robomata_pages::PageReader;

use crate::error::JobError;
use crate::header_file::HeaderFile;
use crate::robots_file::read_error;

/// The number of bytes of a page that are read at once.
const CHUNK: usize = 64 * 1024;

/// Reads a page and the headers of its response, if given. Each file may be plain or compressed; `-` is standard input.
///
/// # Errors
/// When a prohibition might be missing: a file cannot be read completely, a line of `headers` is no header, or their status is
/// not that of a page. Also when the page has no bytes, and no status line.
pub fn read_page(html: Option<&Path>, headers: Option<&Path>) -> Result<PageFacts, JobError> {
    let headers = headers.map(HeaderFile::read).transpose()?;
    headers.as_ref().map_or(Ok(()), HeaderFile::require_page)?;
    let fields: Vec<(&str, &str)> = headers.iter().flat_map(HeaderFile::fields).collect();
    let mut reader = PageReader::new(&fields);
    if let Some(path) = html {
        let bytes = read_into(&mut reader, path)?;
        let name = FileName::new(path);
        if bytes == 0 && headers.as_ref().is_none_or(|headers| headers.head.status.is_none()) {
            return Err(JobError::EmptyPage(name));
        }
        headers.as_ref().map_or(Ok(()), |headers| headers.require_whole(&name, bytes))?;
    }
    Ok(reader.finish())
}

/// Reads a page into `reader`, and returns the number of its bytes, compressed or not, whichever is larger. A page may be long, so the reader keeps only its
/// statements.
fn read_into(reader: &mut PageReader, path: &Path) -> Result<u64, JobError> {
    let meter = Meter::default();
    let mut input = input::open_metered(path, &meter)?;
    let (mut chunk, mut bytes) = (vec![0; CHUNK], 0);
    loop {
        match input.read(&mut chunk) {
            Ok(0) if bytes == 0 => return Ok(0),
            Ok(0) => return Ok(bytes.max(meter.read())),
            Ok(length) => {
                reader.write(&chunk[..length]);
                bytes += length as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(read_error(FileName::new(path), error)),
        }
    }
}
