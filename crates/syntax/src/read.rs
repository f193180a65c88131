//! Lines into records: the one pass over a file.

use memchr::memchr;
use robomata_protocol::Span;

use crate::agent::{AgentName, agent_name};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::key::{self, Key};
use crate::line::{Line, behind_line_end, line_end};
use crate::plain::{ALLOW, DISALLOW, Opening, PlainLine, USER_AGENT, head};
use crate::reading::{AcapLines, Config, MissingColon, Nul, Reading, WhiteSpace};
use crate::text::{Encoding, Text};

/// One line that says something: a key and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The 1-based number of its line.
    pub line: u32,
    /// What it is about.
    pub key: Key,
    /// The key as written.
    pub written_key: Span,
    /// The value: what follows the colon, without the comment and the white space around it.
    pub value: Span,
}

/// Who receives what [`read`] finds, in the order of the file.
pub trait Sink {
    /// Are diagnostics wanted? When not, the work for them is left out.
    const DIAGNOSTICS: bool;

    /// The next record.
    fn record(&mut self, record: Record);

    /// Something odd. Only called when [`Sink::DIAGNOSTICS`] is true.
    fn diagnostic(&mut self, diagnostic: Diagnostic);
}

/// Reads the records of `text` into `sink`. Linear in the text's octets; never fails.
pub fn read<S: Sink>(text: &Text<'_>, config: &Config, sink: &mut S) {
    if S::DIAGNOSTICS {
        report_file(text, sink);
    }
    let reader = Reader { text: &text.octets, reading: config.reading(), config };
    let (mut start, mut number) = (text.start, 0);
    while start < reader.text.len() {
        number += 1;
        start = match reader.bare_line(start, number, sink) {
            Some(next) => next,
            None => reader.line(start, number, sink),
        };
    }
}

struct Reader<'t> {
    text: &'t [u8],
    reading: &'static Reading,
    config: &'t Config,
}

/// A line divided at its separator.
struct Divided {
    key: Key,
    written_key: Span,
    value: Span,
    colon: Colon,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colon {
    Present,
    Missing,
}

impl Reader<'_> {
    /// Reads the line that begins at `start` if it is like most lines with a record; gives where the next one begins.
    ///
    /// With diagnostics no line is taken for plain: what is odd is found by reading step by step.
    #[inline(always)]
    fn bare_line<S: Sink>(&self, start: usize, number: u32, sink: &mut S) -> Option<usize> {
        if S::DIAGNOSTICS {
            return None;
        }
        let head = head(&self.text[start..]);
        // Branches, not a table: they are foretold, and reading goes on before the key has been compared.
        if DISALLOW.begins(head) {
            self.bare_record(&DISALLOW, start, number, sink)
        } else if ALLOW.begins(head) {
            self.bare_record(&ALLOW, start, number, sink)
        } else if USER_AGENT.begins(head) {
            self.bare_record(&USER_AGENT, start, number, sink)
        } else {
            None
        }
    }

    #[inline(always)]
    fn bare_record<S: Sink>(
        &self,
        opening: &Opening,
        start: usize,
        number: u32,
        sink: &mut S,
    ) -> Option<usize> {
        let line = PlainLine::bare(self.text, start, opening)?;
        if line.next - start > self.reading.line_limit {
            return None;
        }
        sink.record(record_of(&line, start, number));
        Some(line.next)
    }

    /// Reads the line that begins at `start`; gives where the next one begins.
    #[inline(never)]
    fn line<S: Sink>(&self, start: usize, number: u32, sink: &mut S) -> usize {
        if !S::DIAGNOSTICS
            && let Some(line) = PlainLine::read(self.text, start)
            && line.next - start <= self.reading.line_limit
        {
            sink.record(record_of(&line, start, number));
            return line.next;
        }
        let end = line_end(self.text, start);
        let record = match self.text[start] {
            b'\n' | b'\r' => None,
            b'#' if !S::DIAGNOSTICS => None,
            _ => self.any_line(Line { number, start, end }, sink),
        };
        if let Some(record) = record {
            sink.record(record);
        }
        behind_line_end(self.text, end)
    }

    /// Reads a line step by step.
    fn any_line<S: Sink>(&self, line: Line, sink: &mut S) -> Option<Record> {
        let end = self.effective_end(line, sink);
        let content = self.trimmed(line.start, end);
        if content.is_empty() {
            return None;
        }
        let divided = self.divide(content);
        if S::DIAGNOSTICS {
            match &divided {
                Some(divided) => self.report_record(line.number, divided, sink),
                None => sink.diagnostic(Diagnostic {
                    line: line.number,
                    span: content,
                    kind: match key::is_acap_ignore(content.of(self.text)) {
                        true => DiagnosticKind::AcapIgnored,
                        false => DiagnosticKind::NoRecord,
                    },
                }),
            }
        }
        let Divided { key, written_key, value, .. } = divided?;
        Some(Record { line: line.number, key, written_key, value })
    }

    /// Where the line's content ends: at the line limit, a NUL or a comment, whichever the dialect knows (L2, L5, L6).
    fn effective_end<S: Sink>(&self, line: Line, sink: &mut S) -> usize {
        let mut end = line.end;
        if end - line.start > self.reading.line_limit {
            end = line.start + self.reading.line_limit;
            if S::DIAGNOSTICS {
                let span = span(end, line.end);
                sink.diagnostic(Diagnostic { line: line.number, span, kind: DiagnosticKind::LineCut });
            }
        }
        if self.reading.nul == Nul::EndsLine
            && let Some(at) = memchr(0, &self.text[line.start..end])
        {
            end = line.start + at;
            if S::DIAGNOSTICS {
                let span = span(end, line.end);
                sink.diagnostic(Diagnostic { line: line.number, span, kind: DiagnosticKind::NulEndsLine });
            }
        }
        memchr(b'#', &self.text[line.start..end]).map_or(end, |at| line.start + at)
    }

    fn divide(&self, content: Span) -> Option<Divided> {
        let colon = memchr(b':', content.of(self.text)).map(|at| content.start as usize + at);
        match self.reading.missing_colon {
            MissingColon::TwoWords => match colon {
                Some(at) => self.divide_at(content, at),
                None => self.divide_two_words(content),
            },
            MissingColon::KnownKey => {
                let divided = colon.and_then(|at| self.divide_at(content, at));
                match divided {
                    Some(Divided { key: Key::Unknown, .. }) | None => self
                        .divide_known_key(content)
                        .or(divided)
                        .or_else(|| self.divide_acap_ignore(content)),
                    found => found,
                }
            }
        }
    }

    fn divide_at(&self, content: Span, colon: usize) -> Option<Divided> {
        let written_key = self.trimmed(content.start as usize, colon);
        if written_key.is_empty() {
            return None;
        }
        let key = self.key(written_key);
        let value = self.trimmed(colon + 1, content.end as usize);
        Some(Divided { key, written_key, value, colon: Colon::Present })
    }

    /// Two runs of octets with white space between them, on a line without a colon.
    fn divide_two_words(&self, content: Span) -> Option<Divided> {
        let is_gap = |octet: u8| WhiteSpace::SpaceAndTab.holds(octet);
        let octets = content.of(self.text);
        let gap = octets.iter().position(|&octet| is_gap(octet))?;
        let rest = gap + octets[gap..].iter().position(|&octet| !is_gap(octet))?;
        if octets[rest..].iter().any(|&octet| is_gap(octet)) {
            return None;
        }
        let start = content.start as usize;
        let written_key = self.trimmed(start, start + gap);
        let value = self.trimmed(start + rest, content.end as usize);
        Some(Divided { key: self.key(written_key), written_key, value, colon: Colon::Missing })
    }

    /// A known key, white space and one run of octets.
    fn divide_known_key(&self, content: Span) -> Option<Divided> {
        let is_white = |octet: u8| self.reading.white_space.holds(octet);
        let (key, length) = key::leading_key(content.of(self.text), is_white)?;
        let start = content.start as usize;
        let value = self.trimmed(start + length, content.end as usize);
        if value.of(self.text).iter().any(|&octet| is_white(octet)) {
            return None;
        }
        Some(Divided { key, written_key: span(start, start + length), value, colon: Colon::Missing })
    }

    /// The one line of ACAP that has no colon (ACAP 1.0 part 1, 2.9.1), where ACAP is read.
    fn divide_acap_ignore(&self, content: Span) -> Option<Divided> {
        let is_read = self.reading.acap == AcapLines::Read && key::is_acap_ignore(content.of(self.text));
        let value = Span::new(content.end, content.end);
        is_read.then_some(Divided { key: Key::Acap, written_key: content, value, colon: Colon::Present })
    }

    fn key(&self, written: Span) -> Key {
        let octets = written.of(self.text);
        key::known_key(octets, self.reading.spelling).unwrap_or_else(|| {
            if self.reading.acap == AcapLines::Read && key::is_acap(octets) {
                Key::Acap
            } else {
                Key::Unknown
            }
        })
    }

    fn trimmed(&self, mut start: usize, mut end: usize) -> Span {
        let is_white = |octet: u8| self.reading.white_space.holds(octet);
        while start < end && is_white(self.text[start]) {
            start += 1;
        }
        while start < end && is_white(self.text[end - 1]) {
            end -= 1;
        }
        span(start, end)
    }

    /// What is odd about a record.
    fn report_record<S: Sink>(&self, line: u32, divided: &Divided, sink: &mut S) {
        let Divided { key, written_key, value, colon } = *divided;
        let mut report = |span, kind| sink.diagnostic(Diagnostic { line, span, kind });
        let written = written_key.of(self.text);
        if colon == Colon::Missing {
            report(Span::new(written_key.end, value.start), DiagnosticKind::MissingColon);
        }
        match key {
            Key::Unknown if key::is_acap(written) => report(written_key, DiagnosticKind::AcapIgnored),
            Key::Acap => {}
            Key::Unknown => match key::near_miss(written) {
                Some(meant) => report(written_key, DiagnosticKind::NearMiss(meant)),
                None => report(written_key, DiagnosticKind::UnknownKey),
            },
            key if key::is_misspelt(written, key) => report(written_key, DiagnosticKind::MisspeltKey(key)),
            _ => {}
        }
        let octets = value.of(self.text);
        if let Some(at) = excluded_octet(octets) {
            let at = value.start as usize + at;
            report(span(at, at + 1), DiagnosticKind::ExcludedOctet(self.text[at]));
        }
        match key {
            Key::UserAgent => self.report_agent(value, &mut report),
            Key::Allow | Key::Disallow => report_pattern(octets, value, &mut report),
            _ => {}
        }
    }

    fn report_agent(&self, value: Span, report: &mut impl FnMut(Span, DiagnosticKind)) {
        let octets = value.of(self.text);
        match agent_name(octets, self.config.dialect()) {
            AgentName::Any if octets.len() > 1 => {
                report(Span::new(value.start + 1, value.end), DiagnosticKind::TextAfterStar);
            }
            AgentName::Any => {}
            AgentName::Named(b"") => report(value, DiagnosticKind::NoName),
            AgentName::Named(name) if name.len() < octets.len() => {
                let rest = span(value.start as usize + name.len(), value.end as usize);
                let kind = match memchr::memchr2(b',', b';', rest.of(self.text)) {
                    Some(_) => DiagnosticKind::SeveralNames,
                    None => DiagnosticKind::NameCut,
                };
                report(rest, kind);
            }
            AgentName::Named(_) => {}
        }
    }
}

fn report_pattern(octets: &[u8], value: Span, report: &mut impl FnMut(Span, DiagnosticKind)) {
    match octets.first() {
        None | Some(b'/' | b'*') => {}
        Some(_) if octets.windows(3).any(|window| window == b"://") => {
            report(value, DiagnosticKind::AbsoluteUrlPattern);
        }
        Some(_) => report(value, DiagnosticKind::PatternWithoutSlash),
    }
}

fn report_file<S: Sink>(text: &Text<'_>, sink: &mut S) {
    let mut report = |span, kind| sink.diagnostic(Diagnostic { line: 1, span, kind });
    match (text.encoding, text.start) {
        (Encoding::Utf16, _) => report(span(0, 0), DiagnosticKind::Utf16),
        (Encoding::Octets, 0) => {}
        (Encoding::Octets, 3) => report(span(0, 3), DiagnosticKind::ByteOrderMark),
        (Encoding::Octets, length) => report(span(0, length), DiagnosticKind::PartialByteOrderMark),
    }
    if let Some(at) = html_mark(&text.octets[text.start..]) {
        report(span(text.start + at, text.start + at + 1), DiagnosticKind::Html);
    }
    if text.cut > 0 {
        let end = text.octets.len();
        report(span(end, end), DiagnosticKind::FileCut { octets: text.cut as u64 });
    }
}

/// Where a text that is a web page shows it: at a `<` that is its first octet but white space and begins a tag that
/// whole pages begin with.
fn html_mark(text: &[u8]) -> Option<usize> {
    const OPENINGS: [&[u8]; 6] = [b"<!doctype", b"<html", b"<head", b"<body", b"<?xml", b"<!--"];
    let at = text.iter().position(|octet| !octet.is_ascii_whitespace())?;
    let begins =
        |opening: &&[u8]| text[at..].get(..opening.len()).is_some_and(|t| t.eq_ignore_ascii_case(opening));
    OPENINGS.iter().any(begins).then_some(at)
}

/// The first octet that RFC 9309's grammar excludes from values: a control character or no UTF-8 (2.2, 2.3).
fn excluded_octet(value: &[u8]) -> Option<usize> {
    let control = value.iter().position(|octet| octet.is_ascii_control() && *octet != b'\t');
    let broken = std::str::from_utf8(value).err().map(|error| error.valid_up_to());
    match (control, broken) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Positions are 32-bit because [`Text`] is never longer than the parsing limit allows.
#[expect(clippy::cast_possible_truncation, reason = "texts are cut at limits::MAX_PARSING_LIMIT")]
fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

#[inline]
fn record_of(line: &PlainLine, start: usize, number: u32) -> Record {
    Record {
        line: number,
        key: line.key,
        written_key: span(start, line.key_end),
        value: span(line.value_start, line.value_end),
    }
}
