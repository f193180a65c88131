//! What stands before a record's block (WARC 1.1, section 4).

use memchr::memchr;

use crate::lines::split_line;
use crate::time::Timestamp;

/// The named fields of a record, and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// The lines after the first one, each ended by LF and continued lines joined.
    pub(super) fields: Vec<u8>,
    pub(super) number: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// What a record is (WARC 1.1, section 5.5 and section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordType {
    /// About the records that follow.
    Warcinfo,
    /// What a server answered, with its protocol's head.
    Response,
    /// A resource without a protocol's head.
    Resource,
    /// What was asked.
    Request,
    /// About another record.
    Metadata,
    /// The same content as an earlier record, which it refers to.
    Revisit,
    /// Another record's content in another form.
    Conversion,
    /// A further part of a record that was cut into segments.
    Continuation,
    /// Anything else, and nothing.
    Other,
}

impl RecordHead {
    /// The record's 1-based number in its file.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of the file before the record. In a compressed file those before the gzip member or zstd frame in which
    /// it begins, as indexes count them; such a file that was compressed whole has one offset for all records.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of the record's block, as it says: `Content-Length`.
    pub fn block_length(&self) -> u64 {
        self.length
    }

    /// The value of the first field of that name (in any case), white space around it removed; `None` when there is
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

    /// `WARC-Target-URI`, without the angle brackets that some writers put around it.
    pub fn target_uri(&self) -> Option<&[u8]> {
        self.field(b"WARC-Target-URI").map(bare)
    }

    /// `WARC-Date`; `None` when there is none that can be read.
    pub fn date(&self) -> Option<Timestamp> {
        time(self.field(b"WARC-Date")?)
    }

    /// `WARC-Record-ID`, as written.
    pub fn record_id(&self) -> Option<&[u8]> {
        self.field(b"WARC-Record-ID")
    }

    /// `WARC-Concurrent-To`, the first one: a record that was made in the same event.
    pub fn concurrent_to(&self) -> Option<&[u8]> {
        self.field(b"WARC-Concurrent-To")
    }

    /// `WARC-Payload-Digest`, as written: `sha1:` and base 32 mostly.
    pub fn payload_digest(&self) -> Option<&[u8]> {
        self.field(b"WARC-Payload-Digest")
    }

    /// `WARC-Refers-To-Target-URI`, without angle brackets: of which URI's capture a revisit repeats the content.
    pub fn refers_to_target_uri(&self) -> Option<&[u8]> {
        self.field(b"WARC-Refers-To-Target-URI").map(bare)
    }

    /// `WARC-Refers-To-Date`: which of those captures.
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

/// The value of the first field of that name (in any case) among `lines`, white space around it removed.
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

/// A URI without angle brackets: the grammar of WARC 1.0 has them, its examples do not.
fn bare(uri: &[u8]) -> &[u8] {
    uri.strip_prefix(b"<").and_then(|uri| uri.strip_suffix(b">")).unwrap_or(uri)
}

/// A date as WARC writes it: that of W3C, which may be a year or a month alone (WARC 1.1, section 5.4).
fn time(value: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(value).ok()?;
    match text.len() {
        4 => format!("{text}-01-01").parse().ok(),
        7 => format!("{text}-01").parse().ok(),
        _ => text.parse().ok(),
    }
}

/// Collects a head, line by line.
#[derive(Default)]
pub(super) struct HeadBuilder {
    /// With the first line, which says the version.
    lines: Vec<u8>,
    /// A line that did not come whole yet begins here.
    line: usize,
}

impl HeadBuilder {
    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Takes some bytes of a line, `ended` when those are its last; true when it was the blank line that ends the
    /// head.
    pub(super) fn push(&mut self, bytes: &[u8], ended: bool) -> bool {
        self.lines.extend_from_slice(bytes);
        if !ended {
            return false;
        }
        let line = &self.lines[self.line..];
        let length = line.trim_ascii_end().len();
        if length == 0 {
            self.lines.truncate(self.line);
            return true;
        }
        self.lines.truncate(self.line + length);
        if self.line > 0 && matches!(self.lines[self.line], b' ' | b'\t') {
            // A continued line (section 4: folding): line end and white space stand for one space.
            let blank = self.lines[self.line..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.lines.drain(self.line..self.line + blank);
            self.lines[self.line - 1] = b' ';
        }
        self.lines.push(b'\n');
        self.line = self.lines.len();
        false
    }

    /// The head, and how long its block is; without a number there is no saying where the record ends.
    pub(super) fn finish(self, number: u64, offset: u64) -> Option<RecordHead> {
        let mut head = RecordHead { fields: self.lines, number, offset, length: 0 };
        let length = head.field(b"Content-Length")?;
        if !length.iter().all(u8::is_ascii_digit) {
            return None;
        }
        head.length = std::str::from_utf8(length).ok()?.parse().ok()?;
        Some(head)
    }
}
