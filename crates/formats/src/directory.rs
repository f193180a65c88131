//! Directories of robots.txt files that are named by their hosts, or mirrors with one directory for each host, which may
//! also contain its tdmrep.json.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::iter;
use std::path::{Path, PathBuf};

use robomata_evaluator::CompressedFormat;
use robomata_protocol::has_status_line;

use crate::body_kind::BodyKind;
use crate::capture::{Capture, CaptureSite, Origin, Resource};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::{self, Compression};
use crate::lines::{MAX_LINE, first_lines};
use crate::meter::Meter;
use crate::other_input::are_csv_captures;
use crate::sniff::{Format, first_line};

/// The captures of a directory, in the order of their names.
pub(crate) struct Directory {
    path: PathBuf,
    meter: Meter,
    /// Errors for entries that cannot be listed. They come first.
    unlisted: std::vec::IntoIter<InputError>,
    names: std::vec::IntoIter<OsString>,
    /// The captures of the last name.
    ready: std::vec::IntoIter<Result<Capture, InputError>>,
    kind: DirectoryKind,
}

/// What the files of a directory show about it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectoryKind {
    /// No file could be read yet.
    Unknown,
    /// No file looks like a robots.txt.
    Doubtful,
    /// There is a robots.txt, or the end was reached.
    Robots,
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
        Ok(Directory {
            path,
            meter,
            unlisted: unlisted.into_iter(),
            names: names.into_iter(),
            ready: Vec::new().into_iter(),
            kind: DirectoryKind::Unknown,
        })
    }
}

impl Iterator for Directory {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.unlisted.next() {
            return Some(Err(error));
        }
        loop {
            if let Some(ready) = self.ready.next() {
                return Some(ready);
            }
            let Some(name) = self.names.next() else {
                let is_doubtful = self.kind == DirectoryKind::Doubtful;
                self.kind = DirectoryKind::Robots;
                return is_doubtful.then(|| Err(self.without_robots()));
            };
            self.ready = self.captures(&self.path.join(name)).into_iter();
        }
    }
}

impl Directory {
    /// Reads the capture in the file `path`, or those in the directory `path`. There is at least one, or an error.
    fn captures(&mut self, path: &Path) -> Vec<Result<Capture, InputError>> {
        let file = FileName::new(path);
        let capture = match fs::metadata(path) {
            Err(error) => Err(InputError::from_io(&file, error)),
            Ok(metadata) if metadata.is_dir() => {
                let captures = mirrored(path, &self.meter);
                if captures.iter().any(Result::is_ok) {
                    self.kind = DirectoryKind::Robots;
                }
                return captures;
            }
            Ok(metadata) => self.capture(path, file.clone(), &metadata),
        };
        or_lost(capture, host_of(path).map(host_with_port), Resource::RobotsTxt, file)
    }

    /// Reads the capture in the file `path`, and notes what it shows. It is an error if its name is that of a file of
    /// captures, or is not that of a host: then the directory is something else, and all sites would be unknown.
    fn capture(
        &mut self,
        path: &Path,
        file: FileName,
        metadata: &fs::Metadata,
    ) -> Result<Capture, InputError> {
        let host = host_of(path);
        let unusable = if !metadata.is_file() {
            Some("something other than a regular file")
        } else if host.is_none() {
            Some("a name that is not UTF-8")
        } else {
            None
        };
        if let Some(found) = unusable {
            return Err(InputError::new(file, None, Kind::NotACapture(found)));
        }
        let host = host.unwrap_or_default();
        let instead = |found: &str| {
            let files = FileName::new(path.with_file_name("*"));
            let message = format!(
                "expected the robots.txt of a host, as in all files of a directory, found {found} (if these are files of \
                 captures, name the files: {files}; otherwise remove this one)"
            );
            Err(InputError::new(file.clone(), None, Kind::NotCaptures(message)))
        };
        if Format::of_name(path).is_some() {
            return instead("the name of a file of captures");
        }
        let capture = one_of_many(host_with_port(host), Resource::RobotsTxt, path, &self.meter)?;
        let has_captures = are_captures(&capture);
        let is_robots = || capture.unreadable.is_none() && looks_like_robots(&capture.body);
        if !host.contains('.') {
            if has_captures {
                return instead("captures");
            }
            if !is_robots() {
                return instead("no dot in its name and no record such as User-agent");
            }
            self.kind = DirectoryKind::Robots;
        } else if capture.unreadable.is_none() && self.kind != DirectoryKind::Robots {
            self.kind = if is_robots() { DirectoryKind::Robots } else { DirectoryKind::Doubtful };
        }
        Ok(if has_captures { without_captures(capture) } else { capture })
    }

    /// The error for a directory whose files are something else.
    fn without_robots(&self) -> InputError {
        let files = FileName::new(self.path.join("*"));
        let message = format!(
            "no captures found; no file of the directory has a record such as User-agent (expected files named by \
             host, or HOST/robots.txt; if these are files of captures, name the files: {files})"
        );
        InputError::new(FileName::new(&self.path), None, Kind::NotCaptures(message))
    }
}

/// The host in the name of the file `path`; none if it is not UTF-8.
fn host_of(path: &Path) -> Option<&str> {
    let host = if Compression::of_name(path).is_some() { path.file_stem() } else { path.file_name() };
    host.and_then(|host| host.to_str())
}

/// Returns whether a file named by a host may be its robots.txt: it has a record or is empty.
fn looks_like_robots(body: &[u8]) -> bool {
    BodyKind::has_record(body) || BodyKind::of(body) == BodyKind::Empty
}

/// Returns whether a file with this name is skipped.
pub(crate) fn is_hidden(name: &OsString) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// A body that is a file of captures is no robots.txt, so the capture is a fetch that failed. It is no error, because a
/// site may send such a body, and must not end the job of all others.
fn without_captures(capture: Capture) -> Capture {
    let Capture { site, resource, origin, .. } = capture;
    let message =
        "expected a robots.txt, found captures (if this is not a file of the site, name it as a source)";
    let error = InputError::new(origin.file.clone(), None, Kind::NotCaptures(message.to_owned()));
    Capture::failed(site, resource, origin, &error)
}

/// Returns whether the body of `capture` is a file of captures. Some servers send a JSON object instead of a robots.txt,
/// so one has to be a capture with its site.
fn are_captures(capture: &Capture) -> bool {
    match Format::of_bytes(&capture.body) {
        Some(Format::JsonLines) => {
            matches!(Capture::from_json_line(first_line(&capture.body), &capture.origin), Ok(Some(_)))
        }
        format => format.is_some() || are_csv_captures(&capture.body),
    }
}

/// The host in the name of a file or directory: `example.com`, or with a port `example.com:8080` or `example.com+8080`
/// (for file systems without colons).
fn host_with_port(name: &str) -> String {
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.rsplit_once('+') {
        Some((host, port)) if is_port(port) => format!("{host}:{port}"),
        _ => name.to_owned(),
    }
}

/// The files of a mirror that are captures.
const MIRRORED: [(&str, Resource); 2] =
    [("robots.txt", Resource::RobotsTxt), (".well-known/tdmrep.json", Resource::TdmRepJson)];

/// The directories that have `file` among their captures if they are read as sources.
pub fn directories_with(file: &Path) -> impl Iterator<Item = &Path> {
    let mirrored = MIRRORED.into_iter().filter(|(name, _)| file.ends_with(name));
    let depths = mirrored.map(|(name, _)| Path::new(name).iter().count() + 1);
    iter::once(1).chain(depths).filter_map(|depth| file.ancestors().nth(depth))
}

/// Reads the captures of the host after which the directory `path` is named.
fn mirrored(path: &Path, meter: &Meter) -> Vec<Result<Capture, InputError>> {
    let host = path.file_name().and_then(|name| name.to_str()).map(host_with_port);
    let captures: Vec<_> = host.map_or_else(Vec::new, |host| {
        let of = |(name, resource)| mirrored_file(&host, path, name, resource, meter);
        MIRRORED.into_iter().flat_map(of).collect()
    });
    if captures.is_empty() {
        return vec![Err(InputError::new(
            FileName::new(path),
            None,
            Kind::NotACapture("a directory without one"),
        ))];
    }
    captures
}

/// Reads the capture of `host` in the file `name` of the directory `folder`; nothing if there is no such file. What exists
/// but cannot be read is not absent. It is a failed fetch if wget or curl kept the file and wrote later ones next to it. It is
/// no error, because a site may have a page of that name, and must not end the job of all others.
fn mirrored_file(
    host: &str,
    folder: &Path,
    name: &str,
    resource: Resource,
    meter: &Meter,
) -> Vec<Result<Capture, InputError>> {
    let path = folder.join(name);
    let later = folder.join(format!("{name}.1"));
    if later.symlink_metadata().is_ok() {
        let message = format!(
            "expected one capture, found another version of {name} (keep the newest alone, as {name})"
        );
        let file = FileName::new(&later);
        let error = InputError::new(file.clone(), None, Kind::NotCaptures(message));
        return vec![Ok(failed(host.to_owned(), resource, file, &error))];
    }
    let file = FileName::new(&path);
    let capture = match metadata_within(folder, name) {
        Ok(None) => return Vec::new(),
        Ok(Some(metadata)) if metadata.is_file() => one_of_many(host.to_owned(), resource, &path, meter),
        Ok(Some(_)) => {
            let error = InputError::new(file.clone(), None, Kind::NotAFile);
            Ok(failed(host.to_owned(), resource, file.clone(), &error))
        }
        Err(error) => Err(InputError::from_io(&file, error)),
    };
    or_lost(capture, Some(host.to_owned()), resource, file)
}

/// The metadata of the file `name` below `folder`; none if there is no such file. A link that leads nowhere is an error.
fn metadata_within(folder: &Path, name: &str) -> io::Result<Option<fs::Metadata>> {
    let mut path = folder.to_owned();
    let mut found = None;
    for part in Path::new(name) {
        path.push(part);
        match fs::metadata(&path) {
            Ok(metadata) => found = Some(metadata),
            // Its folder is a file.
            Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// What is known of the file: its `capture`, or if it cannot be read to its end, the error, and that the fetch from `host`
/// failed.
fn or_lost(
    capture: Result<Capture, InputError>,
    host: Option<String>,
    resource: Resource,
    file: FileName,
) -> Vec<Result<Capture, InputError>> {
    let error = capture.as_ref().err().filter(|error| error.is_incomplete());
    let failed = error.zip(host).map(|(error, host)| failed(host, resource, file, error));
    iter::once(capture).chain(failed.map(Ok)).collect()
}

fn failed(host: String, resource: Resource, file: FileName, error: &InputError) -> Capture {
    Capture::failed(CaptureSite::Host(host), resource, Origin { file, line: None }, error)
}

/// Reads all of `reader` as the body of a capture. If the end cannot be reached, it is an error, because rules might be
/// missing; so is a body that is still compressed. Of more than [`MAX_LINE`] bytes, `part` takes what counts, if anything
/// does.
pub(crate) fn whole_file(
    site: CaptureSite,
    resource: Resource,
    reader: input::Input,
    file: FileName,
    part: fn(Vec<u8>) -> Option<Vec<u8>>,
) -> Result<Capture, InputError> {
    let mut body = Vec::new();
    let read = reader.take(MAX_LINE as u64 + 1).read_to_end(&mut body);
    read.map_err(|error| InputError::from_io(&file, error))?;
    if let Some(found) = CompressedFormat::of(&body) {
        return Err(InputError::new(file, None, Kind::CompressedBody(found)));
    }
    if has_status_line(&body) {
        return Err(InputError::new(file, None, Kind::BodyWithHead));
    }
    if body.len() > MAX_LINE {
        body = part(body).ok_or_else(|| InputError::new(file.clone(), None, Kind::BodyTooLong))?;
    }
    let origin = Origin { file, line: None };
    let (body, unreadable, other_host) = (body.into(), None, None);
    Ok(Capture {
        site,
        resource,
        body,
        status: None,
        location: None,
        redirects: 0,
        time: None,
        origin,
        unreadable,
        other_host,
    })
}

/// The same for one of many files, which may be a stranger's: of a longer robots.txt, the first lines count, as in an
/// archive. A file that is complete, but not what its name promises or too long, is a fetch that failed. So is one whose
/// name promises no compression, if its bytes do and cannot be decompressed: a server may have sent them so.
fn one_of_many(host: String, resource: Resource, path: &Path, meter: &Meter) -> Result<Capture, InputError> {
    let part = if resource == Resource::RobotsTxt { first_lines } else { |_| None };
    let (site, file) = (CaptureSite::Host(host), FileName::new(path));
    let is_as_sent = Compression::of_name(path).is_none();
    let read = input::open_metered(path, meter)
        .and_then(|reader| whole_file(site.clone(), resource, reader, file.clone(), part));
    match read {
        Err(error) if !error.is_incomplete() || (is_as_sent && error.is_undecodable()) => {
            Ok(Capture::failed(site, resource, Origin { file, line: None }, &error))
        }
        read => read,
    }
}
