//! Reads a page and the headers of its response from files.

use std::io::Read;
use std::path::Path;

use robomata_engine::PageFacts;
use robomata_formats::{FileName, Meter, input};
use robomata_pages::{NotPageError, PageReader, require_page};

use crate::error::JobError;
use crate::header_file::HeaderFile;
use crate::problem::quoted;
use crate::robots_file::read_error;

/// The number of bytes of a page that are read at once.
const CHUNK: usize = 64 * 1024;

/// Reads a page and the headers of its response, if given. Each file may be plain or compressed; `-` is standard input.
///
/// # Errors
/// When a prohibition might be missing: a file cannot be read completely, a line of `headers` is no header, or their status is
/// not that of a page. Also when the page has no bytes, and no status line, or `headers` has neither a status line nor a
/// header.
pub fn read_page(html: Option<&Path>, headers: Option<&Path>) -> Result<PageFacts, JobError> {
    let headers = headers.map(HeaderFile::read).transpose()?;
    headers.as_ref().map_or(Ok(()), HeaderFile::require_page)?;
    let fields: Vec<(&str, &str)> = headers.iter().flat_map(HeaderFile::fields).collect();
    let mut reader = PageReader::new(&fields);
    if let Some(path) = html {
        let bytes = read_into(&mut reader, path, &fields)?;
        let name = FileName::new(path);
        if bytes == 0 && headers.as_ref().is_none_or(|headers| headers.head.status.is_none()) {
            let (what, advice) = ("page", "if it is empty, add --headers with its status line and headers");
            return Err(JobError::EmptyFile { file: name, what, advice });
        }
        headers.as_ref().map_or(Ok(()), |headers| headers.require_whole(&name, bytes))?;
    }
    Ok(reader.finish())
}

/// Reads a page into `reader`, and returns the number of its bytes, compressed or not, whichever is larger. A page may be
/// long, so the reader keeps only its statements.
fn read_into(reader: &mut PageReader, path: &Path, headers: &[(&str, &str)]) -> Result<u64, JobError> {
    let (name, meter) = (FileName::new(path), Meter::default());
    let mut input = input::open_metered(path, &meter)?;
    let (mut chunk, mut bytes) = (Vec::with_capacity(CHUNK), 0);
    loop {
        chunk.clear();
        match input.by_ref().take(CHUNK as u64).read_to_end(&mut chunk) {
            Ok(0) if bytes == 0 => return Ok(0),
            Ok(0) => return Ok(bytes.max(meter.read())),
            Ok(_) if bytes == 0 => require_html(&chunk, &name, headers)?,
            Ok(_) => {}
            Err(error) => return Err(read_error(name, error)),
        }
        reader.write(&chunk);
        bytes += chunk.len() as u64;
    }
}

/// Checks that a page with this `start` has no head of a response before it, and that its content coding was undone.
fn require_html(start: &[u8], name: &FileName, headers: &[(&str, &str)]) -> Result<(), JobError> {
    match require_page(start, headers) {
        Err(NotPageError::Head) => Err(JobError::PageWithHead(name.clone())),
        Err(NotPageError::Coded(coding)) => {
            Err(JobError::CodedPage { file: name.clone(), coding: quoted(&coding) })
        }
        _ => Ok(()),
    }
}
