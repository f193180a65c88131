//! A robots.txt from a file.

use std::io::{self, Read};
use std::path::Path;

use robomata_engine::syntax::{DiagnosticKind, without_mark};
use robomata_engine::{Config, Policy, ShardManifest, require_text};
use robomata_formats::lines::MAX_LINE;
use robomata_formats::{BodyKind, FileName, InputError, Meter, capture, input, other_input};
use robomata_lint::has_glued_records;

use crate::error::{FoundInstead, JobError};
use crate::events::Events;
use crate::header_file::HeaderFile;
use crate::sources::bundles::is_bundle;

/// A robots.txt, read completely.
#[derive(Clone, Debug)]
pub struct RobotsFile {
    name: FileName,
    bytes: Vec<u8>,
    stored: u64,
}

impl RobotsFile {
    /// What to do about an empty robots.txt where nothing can be said about its fetch ([`RobotsFile::require_bytes`]).
    pub const ADVICE_ON_EMPTY: &str = "if it is empty, add a comment to it, such as # No rules";

    /// Reads the robots.txt at `path`, plain or compressed; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read completely: rules might be missing. Also when it has, decompressed, more than 64 MiB,
    /// which no robots.txt has: then no more than that is read.
    pub fn read(path: &Path) -> Result<Self, JobError> {
        let name = FileName::new(path);
        let (mut bytes, meter) = (Vec::new(), Meter::default());
        match input::open_metered(path, &meter)?.take(MAX_LINE as u64 + 1).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() > MAX_LINE => {
                let message = format!("expected at most {} MiB, decompressed", MAX_LINE >> 20);
                Err(read_error(name, io::Error::new(io::ErrorKind::FileTooLarge, message)))
            }
            Ok(_) => Ok(RobotsFile { name, bytes, stored: meter.read() }),
            Err(error) => Err(read_error(name, error)),
        }
    }

    /// Reads the robots.txt of one site, like [`RobotsFile::read`].
    ///
    /// # Errors
    /// Those of [`RobotsFile::read`]. Also when the file is a bundle or another input, such as captures or a list of URLs: read
    /// as a robots.txt, they have no rules, so everything would be allowed.
    pub fn read_robots(path: &Path) -> Result<Self, JobError> {
        let not_robots = |found| JobError::NotOneRobots { file: FileName::new(path), found };
        if is_bundle(path) {
            return Err(not_robots(FoundInstead::Bundle));
        }
        // A directory cannot be read, which says more.
        if !path.is_dir() && capture::holds_captures(path)? {
            return Err(not_robots(FoundInstead::Captures));
        }
        // The contents of standard input and pipes are known only now.
        let file = RobotsFile::read(path)?;
        require_robots(file.name(), file.bytes())?;
        Ok(file)
    }

    /// Reads `what`, a file with statements of which nothing is known but its bytes, like [`RobotsFile::read`].
    ///
    /// # Errors
    /// Those of [`RobotsFile::read`]. Also when the file is compressed in another way, or has no bytes, as after a fetch that
    /// failed: it would say nothing. `advice` is what to do if it is empty.
    pub fn read_statements(path: &Path, what: &'static str, advice: &'static str) -> Result<Self, JobError> {
        let file = RobotsFile::read(path)?;
        if file.bytes.is_empty() {
            return Err(JobError::EmptyFile { file: file.name, what, advice });
        }
        match require_text(&file.bytes) {
            Ok(()) => Ok(file),
            Err(error) => Err(JobError::Read {
                file: file.name,
                error: io::Error::new(io::ErrorKind::InvalidData, error),
            }),
        }
    }

    /// Checks that the file has bytes: a fetch that failed leaves none, and read as a robots.txt they allow everything.
    /// `advice` says what to do if the robots.txt is empty.
    ///
    /// # Errors
    /// When the file has no bytes.
    pub fn require_bytes(&self, advice: &'static str) -> Result<(), JobError> {
        match self.bytes[..] {
            [] => Err(JobError::EmptyFile { file: self.name.clone(), what: "robots.txt", advice }),
            _ => Ok(()),
        }
    }

    /// Reports to `events` if the file, read with `config`, is something else than a robots.txt, or has rules that count for no
    /// crawler.
    pub fn report_kind(&self, config: &Config, events: &mut dyn Events) {
        report_kind(&self.name, &self.bytes, config, events);
    }

    /// The file's name in messages.
    pub fn name(&self) -> &FileName {
        &self.name
    }

    /// Has the file more bytes than are read with `config`?
    pub fn is_longer_than(&self, config: &Config) -> bool {
        self.bytes.len() > config.parsing_limit()
    }

    /// Checks that no bytes of the file are missing, according to the `headers` with which it came.
    ///
    /// # Errors
    /// When the `Content-Length` in `headers` is more than the bytes of the file, and nothing says that it was coded.
    pub fn require_whole(&self, headers: &HeaderFile) -> Result<(), JobError> {
        headers.require_whole(&self.name, self.stored.max(self.bytes.len() as u64))
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Checks that `body`, which was read from `file` as a robots.txt, is no other input.
pub(crate) fn require_robots(file: &FileName, body: &[u8]) -> Result<(), JobError> {
    let is_manifest =
        || str::from_utf8(body).is_ok_and(|text| !text.is_empty() && text.parse::<ShardManifest>().is_ok());
    let found = if is_manifest() {
        Some(FoundInstead::Bundle)
    } else if capture::are_captures(body) {
        Some(FoundInstead::Captures)
    } else {
        other_input(body).map(FoundInstead::Other)
    };
    found.map_or(Ok(()), |found| Err(JobError::NotOneRobots { file: file.clone(), found }))
}

/// Why a body that was sent as a robots.txt has no rules that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    /// It is something else than a robots.txt.
    Other(BodyKind),
    /// Its records are in a single line.
    OneLine,
    /// It has rules, the first one on this line, but no group.
    NoGroup(u32),
}

impl Defect {
    /// Looks for one in `body`, as it is read with `config`. Of a body that does not look like a robots.txt, a group counts also
    /// after the beginning.
    pub(crate) fn of(body: &[u8], config: &Config) -> Option<Self> {
        let kind = BodyKind::of(body);
        let may_be_text = matches!(kind, BodyKind::Robots | BodyKind::Prose);
        if may_be_text && is_one_line(body) {
            return Some(Defect::OneLine);
        }
        match kind {
            // Nearly every robots.txt: nothing is parsed.
            BodyKind::Robots if BodyKind::names_crawler(body) => return None,
            BodyKind::Robots => {}
            kind if !BodyKind::has_record(body) => return Some(Defect::Other(kind)),
            _ => {}
        }
        let policy = Policy::with_diagnostics(body, config);
        if !policy.groups().is_empty() {
            return None;
        }
        let mut diagnostics = policy.diagnostics().iter();
        if let Some(rule) = diagnostics.find(|diagnostic| diagnostic.kind == DiagnosticKind::RuleBeforeGroup)
        {
            return Some(Defect::NoGroup(rule.line));
        }
        match (body, kind) {
            (_, BodyKind::Robots) if !policy.is_not_robots() => None,
            ([0xff, 0xfe, ..] | [0xfe, 0xff, ..], _) => Some(Defect::Other(BodyKind::Binary)),
            (_, BodyKind::Robots) => Some(Defect::Other(BodyKind::Prose)),
            (_, kind) => Some(Defect::Other(kind)),
        }
    }
}

/// Returns whether `body` is a single line in which a record follows another one: a program replaced its line ends.
fn is_one_line(body: &[u8]) -> bool {
    /// Number of bytes that are examined.
    const SEEN: usize = 4 << 10;
    let text = without_mark(body);
    let line = text.trim_ascii();
    let head = &line[..line.len().min(SEEN)];
    !line.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
        && has_glued_records(&String::from_utf8_lossy(head))
}

/// Reports to `events` if `body`, which was read from `file` with `config`, is something else than a robots.txt, such as white
/// space alone, or has rules that count for no crawler.
pub(crate) fn report_kind(file: &FileName, body: &[u8], config: &Config, events: &mut dyn Events) {
    match Defect::of(body, config) {
        None => {}
        // Where nothing says how the fetch ended, no bytes are an error.
        Some(Defect::Other(BodyKind::Empty)) if body.is_empty() => {}
        Some(Defect::Other(kind)) => events.not_a_robots_file(file, kind),
        Some(Defect::OneLine) => events.records_in_one_line(file),
        Some(Defect::NoGroup(line)) => events.rules_without_a_group(file, line),
    }
}

/// The error for a file that cannot be read completely.
pub(crate) fn read_error(file: FileName, error: io::Error) -> JobError {
    match error.downcast::<InputError>() {
        Ok(error) => JobError::Input(error),
        Err(error) => JobError::Read { file, error },
    }
}
