//! Directories of robots.txt files that are named by their hosts, or mirrors with one directory for each host.

use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::capture::{Capture, CaptureSite, Origin};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::{self, Compression};
use crate::lines::MAX_LINE;
use crate::meter::Meter;

/// The captures of a directory, in the order of their names.
pub(crate) struct Directory {
    path: PathBuf,
    meter: Meter,
    /// Errors for entries that cannot be listed. They come first.
    unlisted: std::vec::IntoIter<InputError>,
    names: std::vec::IntoIter<OsString>,
}

impl Directory {
    /// Lists the directory `path`; `meter` counts its files.
    pub(crate) fn read(path: &Path, meter: &Meter) -> Result<Self, InputError> {
        let directory = FileName::new(path);
        let entries = fs::read_dir(path).map_err(|error| InputError::from_io(&directory, error))?;
        let (mut names, mut unlisted) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry {
                Ok(entry) if is_hidden(&entry.file_name()) => {}
                Ok(entry) => names.push(entry.file_name()),
                Err(error) => unlisted.push(InputError::from_io(&directory, error)),
            }
        }
        names.sort_unstable();
        let (path, meter) = (path.to_owned(), meter.clone());
        Ok(Directory { path, meter, unlisted: unlisted.into_iter(), names: names.into_iter() })
    }
}

impl Iterator for Directory {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.unlisted.next() {
            return Some(Err(error));
        }
        Some(capture(&self.path.join(self.names.next()?), &self.meter))
    }
}

/// Returns whether a file with this name is skipped.
pub(crate) fn is_hidden(name: &OsString) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Reads the capture in the file `path`, or in the file `robots.txt` of the directory `path`.
fn capture(path: &Path, meter: &Meter) -> Result<Capture, InputError> {
    let file = FileName::new(path);
    let metadata = fs::metadata(path).map_err(|error| InputError::from_io(&file, error))?;
    if metadata.is_dir() {
        return mirrored(path, meter);
    }
    let compression = Compression::of_name(path);
    let host = if compression.is_some() { path.file_stem() } else { path.file_name() };
    let unusable = if !metadata.is_file() {
        Some("something other than a regular file")
    } else if host.and_then(|host| host.to_str()).is_none() {
        Some("a name that is not UTF-8")
    } else {
        None
    };
    if let Some(found) = unusable {
        return Err(InputError::new(file, None, Kind::NotACapture(found)));
    }
    let host = host.and_then(|host| host.to_str()).unwrap_or_default().to_owned();
    let reader: input::Input = match compression {
        Some(_) => input::open_metered(path, meter)?,
        None => Box::new(meter.open(path).map_err(|error| InputError::from_io(&file, error))?),
    };
    whole_file(CaptureSite::Host(host), reader, file)
}

/// Reads the capture of the host after which the directory `path` is named: `example.com`, or with a port
/// `example.com:8080` or `example.com+8080` (for file systems without colons).
fn mirrored(path: &Path, meter: &Meter) -> Result<Capture, InputError> {
    let robots = path.join("robots.txt");
    let host = path.file_name().and_then(|name| name.to_str());
    let (Some(host), true) = (host, robots.is_file()) else {
        return Err(InputError::new(FileName::new(path), None, Kind::NotACapture("a directory without one")));
    };
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let host = match host.rsplit_once('+') {
        Some((name, port)) if is_port(port) => format!("{name}:{port}"),
        _ => host.to_owned(),
    };
    let file = FileName::new(&robots);
    let reader = meter.open(&robots).map_err(|error| InputError::from_io(&file, error))?;
    whole_file(CaptureSite::Host(host), Box::new(reader), file)
}

/// Reads all of `reader` as the body of a capture. If the end cannot be reached, it is an error, because rules might be
/// missing.
pub(crate) fn whole_file(
    site: CaptureSite,
    reader: input::Input,
    file: FileName,
) -> Result<Capture, InputError> {
    let mut body = Vec::new();
    let read = reader.take(MAX_LINE as u64 + 1).read_to_end(&mut body);
    read.map_err(|error| InputError::from_io(&file, error))?;
    if body.len() > MAX_LINE {
        return Err(InputError::new(file, None, Kind::BodyTooLong));
    }
    Ok(Capture { site, body, status: None, location: None, time: None, origin: Origin { file, line: None } })
}
