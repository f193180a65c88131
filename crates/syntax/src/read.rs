//! Parses lines into records, in one pass over a file.

use memchr::memchr;
use robomata_protocol::semantics::{MissingColon, Nul, WhiteSpace};
use robomata_protocol::{Semantics, Span};

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::key::{self, Key};
use crate::line::{Line, after_line_end, line_end};
use crate::plain::{ALLOW, DISALLOW, Opening, PlainLine, USER_AGENT, head};
use crate::reading::{Config, is_white};
use crate::report::report_file;
use crate::text::Text;

/// A line with a key and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The 1-based number of its line.
    pub line: u32,
    /// The kind of record.
    pub key: Key,
    /// The key as written.
    pub written_key: Span,
    /// The value: the text after the colon, without the comment and the surrounding white space.
    pub value: Span,
}

/// Receives the results of [`read`], in file order.
pub trait Sink {
    /// Whether the sink needs diagnostics. If not, the parser skips the work for them.
    const DIAGNOSTICS: bool;

    /// The next record.
    fn record(&mut self, record: Record);

    /// A line of white space only, without even a comment. It matters to one dialect only.
    #[inline]
    fn blank_line(&mut self) {}

    /// A problem. Only called when [`Sink::DIAGNOSTICS`] is true.
    fn diagnostic(&mut self, diagnostic: Diagnostic);
}

/// Reads the records of `text` into `sink`. Linear in the text's bytes; never fails.
pub fn read<S: Sink>(text: &Text<'_>, config: &Config, sink: &mut S) {
    if S::DIAGNOSTICS {
        report_file(text, sink);
    }
    let reader = Reader { text: &text.bytes, semantics: config.semantics(), config };
    let (mut start, mut number) = (text.start, 0);
    while start < reader.text.len() {
        number += 1;
        start = match reader.bare_line(start, number, sink) {
            Some(next) => next,
            None => reader.line(start, number, sink),
        };
    }
}

pub(crate) struct Reader<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) semantics: &'static Semantics,
    pub(crate) config: &'t Config,
}

/// A line split at its separator.
pub(crate) struct Divided {
    pub(crate) key: Key,
    pub(crate) written_key: Span,
    pub(crate) value: Span,
    pub(crate) colon: Colon,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colon {
    Present,
    Missing,
}

impl Reader<'_> {
    /// Parses the line that begins at `start`, if it has the form of most lines with a record; returns the start of the
    /// next line.
    ///
    /// With diagnostics, no line is treated as plain: only the step-by-step parser finds problems.
    #[inline(always)]
    fn bare_line<S: Sink>(&self, start: usize, number: u32, sink: &mut S) -> Option<usize> {
        if S::DIAGNOSTICS {
            return None;
        }
        let head = head(&self.text[start..]);
        // Branches, not a table: the processor predicts them and continues before the key has been compared.
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
        if line.next - start > self.semantics.line_limit {
            return None;
        }
        sink.record(record_of(&line, start, number));
        Some(line.next)
    }

    /// Parses the line that begins at `start`; returns the start of the next line.
    #[inline(never)]
    fn line<S: Sink>(&self, start: usize, number: u32, sink: &mut S) -> usize {
        if !S::DIAGNOSTICS
            && let Some(line) = PlainLine::read(self.text, start)
            && line.next - start <= self.semantics.line_limit
        {
            sink.record(record_of(&line, start, number));
            return line.next;
        }
        let end = line_end(self.text, start);
        let record = match self.text[start] {
            b'\n' | b'\r' => {
                sink.blank_line();
                None
            }
            b'#' if !S::DIAGNOSTICS => None,
            _ => self.any_line(Line { number, start, end }, sink),
        };
        if let Some(record) = record {
            sink.record(record);
        }
        after_line_end(self.text, end)
    }

    /// Parses a line step by step.
    fn any_line<S: Sink>(&self, line: Line, sink: &mut S) -> Option<Record> {
        let end = self.effective_end(line, sink);
        let content = self.trimmed(line.start, end);
        if content.is_empty() {
            if end == line.end {
                sink.blank_line();
            }
            return None;
        }
        let divided = self.divide(content);
        if S::DIAGNOSTICS {
            match &divided {
                Some(divided) => self.report_record(line, divided, sink),
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

    /// The end of the line's content: the line limit, a NUL or a comment, if the dialect has them (L2, L5, L6).
    fn effective_end<S: Sink>(&self, line: Line, sink: &mut S) -> usize {
        let mut end = line.end;
        if end - line.start > self.semantics.line_limit {
            end = line.start + self.semantics.line_limit;
            if S::DIAGNOSTICS {
                let span = span(end, line.end);
                sink.diagnostic(Diagnostic { line: line.number, span, kind: DiagnosticKind::LineCut });
            }
        }
        if self.semantics.nul == Nul::EndsLine
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
        match self.semantics.missing_colon {
            MissingColon::TwoWords => match colon {
                Some(at) => self.divide_at(content, at),
                None => self.divide_two_words(content),
            },
            MissingColon::NoRecord => colon.and_then(|at| self.divide_at(content, at)),
            MissingColon::KnownKey => {
                let divided = colon.and_then(|at| self.divide_at(content, at));
                match divided {
                    Some(Divided { key, written_key, .. }) if self.is_whole(key, written_key) => divided,
                    _ => self
                        .divide_known_key(content)
                        .or(divided)
                        .or_else(|| self.divide_acap_ignore(content)),
                }
            }
        }
    }

    /// Whether what is before the colon is a known key and nothing else. A field of ACAP without a colon may have one in its
    /// value.
    fn is_whole(&self, key: Key, written_key: Span) -> bool {
        let is_white = |&byte: &u8| is_white(byte, self.semantics.white_space);
        match key {
            Key::Unknown => false,
            Key::Acap => !written_key.of(self.text).iter().any(is_white),
            _ => true,
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

    /// Two runs of bytes with white space between them, on a line without a colon.
    fn divide_two_words(&self, content: Span) -> Option<Divided> {
        let is_gap = |byte: u8| is_white(byte, WhiteSpace::SpaceAndTab);
        let bytes = content.of(self.text);
        let gap = bytes.iter().position(|&byte| is_gap(byte))?;
        let rest = gap + bytes[gap..].iter().position(|&byte| !is_gap(byte))?;
        if bytes[rest..].iter().any(|&byte| is_gap(byte)) {
            return None;
        }
        let start = content.start as usize;
        let written_key = self.trimmed(start, start + gap);
        let value = self.trimmed(start + rest, content.end as usize);
        Some(Divided { key: self.key(written_key), written_key, value, colon: Colon::Missing })
    }

    /// A known key, white space and one run of bytes.
    fn divide_known_key(&self, content: Span) -> Option<Divided> {
        let is_white = |byte: u8| is_white(byte, self.semantics.white_space);
        let bytes = content.of(self.text);
        let (key, length) = key::leading_key(bytes, is_white)
            .or_else(|| key::leading_acap_key(bytes, is_white).filter(|_| self.semantics.reads_acap))?;
        let start = content.start as usize;
        let value = self.trimmed(start + length, content.end as usize);
        if value.of(self.text).iter().any(|&byte| is_white(byte)) {
            return None;
        }
        Some(Divided { key, written_key: span(start, start + length), value, colon: Colon::Missing })
    }

    /// The one line of ACAP without a colon (ACAP 1.0 part 1, 2.9.1), in dialects that read ACAP.
    fn divide_acap_ignore(&self, content: Span) -> Option<Divided> {
        let is_read = self.semantics.reads_acap && key::is_acap_ignore(content.of(self.text));
        let value = Span::new(content.end, content.end);
        is_read.then_some(Divided { key: Key::Acap, written_key: content, value, colon: Colon::Present })
    }

    fn key(&self, written: Span) -> Key {
        let bytes = written.of(self.text);
        key::known_key(bytes, self.semantics.spelling).unwrap_or_else(|| {
            if self.semantics.reads_acap && key::is_acap(bytes) { Key::Acap } else { Key::Unknown }
        })
    }

    fn trimmed(&self, mut start: usize, mut end: usize) -> Span {
        let is_white = |byte: u8| is_white(byte, self.semantics.white_space);
        while start < end && is_white(self.text[start]) {
            start += 1;
        }
        while start < end && is_white(self.text[end - 1]) {
            end -= 1;
        }
        span(start, end)
    }
}

/// Positions are 32-bit because [`Text`] is never longer than the parsing limit allows.
#[expect(clippy::cast_possible_truncation, reason = "texts are cut at limits::MAX_PARSING_LIMIT")]
pub(crate) fn span(start: usize, end: usize) -> Span {
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
