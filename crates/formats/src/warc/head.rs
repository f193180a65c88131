//! The heads of records (WARC 1.1, section 4).

use memchr::memchr;

use super::MAGIC;
use super::pairs::Half;
use super::problem::Problem;
use crate::lines::split_line;
use crate::time::Timestamp;

/// The named fields of a record and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// The lines after the first one, each ended by LF. Continued lines are joined.
    pub(super) fields: Vec<u8>,
    pub(super) number: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// The type of a record (WARC 1.1, section 5.5 and section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordType {
    /// Information about the records that follow.
    Warcinfo,
    /// The response of a server, with the head of its protocol.
    Response,
    /// A resource without the head of a protocol.
    Resource,
    /// A request.
    Request,
    /// Information about another record.
    Metadata,
    /// The same content as an earlier record, with a reference to it.
    Revisit,
    /// Another record's content in another form.
    Conversion,
    /// A further part of a segmented record.
    Continuation,
    /// Any other type, or none.
    Other,
}

impl RecordHead {
    /// The record's 1-based number in its file.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The offset of the record in the file. In a compressed file this is the offset of the gzip member or zstd frame
    /// that contains the record's beginning, as in indexes. A file compressed as a whole has the same offset for all
    /// records.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The length of the record's block: its `Content-Length`.
    pub fn block_length(&self) -> u64 {
        self.length
    }

    /// The value of the first field with this name, ignoring case, without surrounding white space; `None` if there is
    /// no such field.
    pub fn field(&self, name: &[u8]) -> Option<&[u8]> {
        field_of(&self.fields, name)
    }

    /// `WARC-Type`.
    pub fn record_type(&self) -> RecordType {
        let value = self.field(b"WARC-Type").unwrap_or_default();
        RecordType::NAMES
            .iter()
            .find(|(name, _)| value.eq_ignore_ascii_case(name.as_bytes()))
            .map_or(RecordType::Other, |&(_, of_name)| of_name)
    }

    /// `WARC-Target-URI`, without the angle brackets that some writers add.
    pub fn target_uri(&self) -> Option<&[u8]> {
        self.field(b"WARC-Target-URI").map(bare)
    }

    /// The field without which nothing is known of the record, if it is missing. Other mandatory fields may be missing, as in
    /// the files of some writers.
    pub(super) fn missing_field(&self) -> Option<&'static str> {
        if self.field(b"WARC-Type").is_none_or(<[u8]>::is_empty) {
            return Some("WARC-Type");
        }
        let has_target = Half::of(self.record_type()) == Some(Half::Answer);
        (has_target && self.target_uri().is_none_or(<[u8]>::is_empty)).then_some("WARC-Target-URI")
    }

    /// `WARC-Date`; `None` if it is missing or invalid.
    pub fn date(&self) -> Option<Timestamp> {
        time(self.field(b"WARC-Date")?)
    }

    /// `WARC-Record-ID`, as written.
    pub fn record_id(&self) -> Option<&[u8]> {
        self.field(b"WARC-Record-ID")
    }

    /// `WARC-Refers-To`, without angle brackets: the identifier of the record whose content a revisit repeats.
    pub fn refers_to(&self) -> Option<&[u8]> {
        self.field(b"WARC-Refers-To").map(bare)
    }

    /// The first `WARC-Concurrent-To`: a record from the same event.
    pub fn concurrent_to(&self) -> Option<&[u8]> {
        self.field(b"WARC-Concurrent-To")
    }

    /// `WARC-Payload-Digest`, as written; usually `sha1:` and base 32. `None` if it is missing, or if it is a placeholder that
    /// other records may have, too.
    pub fn payload_digest(&self) -> Option<&[u8]> {
        /// Every digest that identifies a content has more characters.
        const MIN: usize = 16;
        self.field(b"WARC-Payload-Digest").filter(|digest| {
            let colon = memchr(b':', digest).filter(|colon| *colon > 0);
            colon.is_some_and(|colon| digest[colon + 1..].trim_ascii_start().len() >= MIN)
        })
    }

    /// `WARC-Refers-To-Target-URI`, without angle brackets: the URI of the capture whose content a revisit repeats.
    pub fn refers_to_target_uri(&self) -> Option<&[u8]> {
        self.field(b"WARC-Refers-To-Target-URI").map(bare)
    }

    /// `WARC-Refers-To-Date`: the date of that capture.
    pub fn refers_to_date(&self) -> Option<Timestamp> {
        time(self.field(b"WARC-Refers-To-Date")?)
    }
}

impl RecordType {
    const NAMES: [(&str, RecordType); 8] = [
        ("response", RecordType::Response),
        ("request", RecordType::Request),
        ("metadata", RecordType::Metadata),
        ("revisit", RecordType::Revisit),
        ("warcinfo", RecordType::Warcinfo),
        ("resource", RecordType::Resource),
        ("conversion", RecordType::Conversion),
        ("continuation", RecordType::Continuation),
    ];
}

/// The value of the first field with this name among `lines`, ignoring case, without surrounding white space.
pub(super) fn field_of<'l>(lines: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let mut rest = lines;
    while let Some((line, after)) = split_line(rest) {
        rest = after;
        if let Some(colon) = memchr(b':', line)
            && line[..colon].trim_ascii_end().eq_ignore_ascii_case(name)
        {
            return Some(line[colon + 1..].trim_ascii());
        }
    }
    None
}

/// Removes the angle brackets of a URI: the grammar of WARC 1.0 has them, its examples do not.
pub(super) fn bare(uri: &[u8]) -> &[u8] {
    uri.strip_prefix(b"<").and_then(|uri| uri.strip_suffix(b">")).unwrap_or(uri)
}

/// Parses a date in WARC's format, the W3C profile. It may be a year or a month alone (WARC 1.1, section 5.4).
fn time(value: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(value).ok()?;
    match text.len() {
        4 => format!("{text}-01-01").parse().ok(),
        7 => format!("{text}-01").parse().ok(),
        _ => text.parse().ok(),
    }
}

/// The fields that decide what a record is. None of them may be repeated (WARC 1.1, section 4): in the head of a record
/// that was cut off, with another record after it, each of them is that of one record or the other.
const UNIQUE: [&str; 5] = ["WARC-Type", "WARC-Target-URI", "WARC-Date", "WARC-Record-ID", "Content-Length"];

/// Collects a head line by line.
#[derive(Default)]
pub(super) struct HeadBuilder {
    /// Includes the first line with the version.
    lines: Vec<u8>,
    /// The start of an incomplete line.
    line: usize,
    /// Which fields of [`UNIQUE`] were found.
    found: [bool; UNIQUE.len()],
    /// The first problem.
    problem: Option<Problem>,
}

impl HeadBuilder {
    /// The number of bytes so far.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether a line after the first one begins.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.line > 0 && self.line == self.lines.len()
    }

    /// Adds bytes of a line; `ended` marks the last bytes of the line. Returns true for the empty line at the end of the
    /// head. A line of blanks continues the line before it, like any other line that begins with one.
    pub(super) fn push(&mut self, bytes: &[u8], ended: bool) -> bool {
        self.lines.extend_from_slice(bytes);
        if !ended {
            return false;
        }
        let line = &self.lines[self.line..];
        if line.iter().all(|byte| matches!(byte, b'\r' | b'\n')) {
            self.lines.truncate(self.line);
            return true;
        }
        let is_folded = self.line > 0 && matches!(line[0], b' ' | b'\t');
        let length = line.trim_ascii_end().len();
        self.lines.truncate(self.line + length);
        if is_folded {
            // A folded line (section 4): the line end and the white space stand for one space.
            let blank = self.lines[self.line..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.lines.drain(self.line..self.line + blank);
            self.lines[self.line - 1] = b' ';
        } else if self.problem.is_none() {
            self.problem = self.check().err();
        }
        self.lines.push(b'\n');
        self.line = self.lines.len();
        false
    }

    /// Checks the last line, which continues no other one.
    fn check(&mut self) -> Result<(), Problem> {
        let line = &self.lines[self.line..];
        if let (0, Some(version)) = (self.line, line.strip_prefix(MAGIC)) {
            let is_version = version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
            return is_version.then_some(()).ok_or(Problem::HeadLine);
        }
        let name = line[..memchr(b':', line).ok_or(Problem::HeadLine)?].trim_ascii_end();
        let place = UNIQUE.iter().position(|unique| name.eq_ignore_ascii_case(unique.as_bytes()));
        match place {
            Some(place) if self.found[place] => Err(Problem::RepeatedField(UNIQUE[place])),
            Some(place) => {
                self.found[place] = true;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The head and the length of its block. Without a valid length, the end of the record is unknown.
    pub(super) fn finish(self, number: u64, offset: u64) -> Result<RecordHead, Problem> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let mut head = RecordHead { fields: self.lines, number, offset, length: 0 };
        let length = head.field(b"Content-Length").filter(|length| length.iter().all(u8::is_ascii_digit));
        let length = length.and_then(|length| std::str::from_utf8(length).ok()?.parse().ok());
        head.length = length.ok_or(Problem::NoLength)?;
        Ok(head)
    }
}
