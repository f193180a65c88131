//! Finds the problems in a file and its records. Only used for diagnostics.

use robomata_protocol::Span;
use robomata_protocol::semantics::Grammar;

use crate::agent::{AgentName, agent_name};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::key::{self, Key};
use crate::line::Line;
use crate::read::{Colon, Divided, Reader, Sink, span};
use crate::reading::is_white;
use crate::text::{Encoding, Text};

impl Reader<'_> {
    /// Reports the problems of a record.
    pub(crate) fn report_record<S: Sink>(&self, line: Line, divided: &Divided, sink: &mut S) {
        let Divided { key, written_key, value, colon } = *divided;
        let mut report = |span, kind| sink.diagnostic(Diagnostic { line: line.number, span, kind });
        if colon == Colon::Missing {
            report(Span::new(written_key.end, value.start), DiagnosticKind::MissingColon);
        }
        match self.semantics.grammar {
            Grammar::Rfc9309 => self.report_rfc9309(key, written_key, value, &mut report),
            Grammar::Koster1996 => self.report_koster1996(line, divided, &mut report),
        }
    }

    /// Reports the problems of a record according to RFC 9309 (2.2).
    fn report_rfc9309(
        &self,
        key: Key,
        written_key: Span,
        value: Span,
        report: &mut impl FnMut(Span, DiagnosticKind),
    ) {
        let written = written_key.of(self.text);
        match key {
            Key::Acap => {}
            Key::Unknown => report(written_key, unknown_key(written)),
            key if key::is_misspelt(written, key) => report(written_key, DiagnosticKind::MisspeltKey(key)),
            _ => {}
        }
        let bytes = value.of(self.text);
        self.report_byte(value, excluded_byte(bytes), report);
        match key {
            Key::UserAgent => self.report_agent(value, report),
            Key::Allow | Key::Disallow => report_pattern(bytes, value, b"/*", report),
            _ => {}
        }
    }

    /// Reports the problems of a record according to the draft's grammar (Koster 1996, 3.3; `crates/DIALECTS.md`, L7,
    /// K2, P2 and P3).
    fn report_koster1996(
        &self,
        line: Line,
        divided: &Divided,
        report: &mut impl FnMut(Span, DiagnosticKind),
    ) {
        let Divided { key, written_key, value, .. } = *divided;
        let is_white =
            |at: usize| self.text.get(at).is_some_and(|&byte| is_white(byte, self.semantics.white_space));
        if is_white(line.start) || is_white(written_key.end as usize) {
            report(written_key, DiagnosticKind::SpaceAroundKey);
        }
        let bytes = value.of(self.text);
        match key {
            Key::UserAgent => self.report_agent(value, report),
            Key::Allow | Key::Disallow if value.is_empty() => report(value, DiagnosticKind::EmptyPath),
            Key::Allow | Key::Disallow => {
                self.report_byte(value, byte_outside_paths(bytes), report);
                report_pattern(bytes, value, b"/", report);
            }
            // The draft does not define this key, even if other specifications do.
            Key::Unknown => report(written_key, unknown_key(written_key.of(self.text))),
            _ => report(written_key, DiagnosticKind::UnknownKey),
        }
    }

    /// Reports a byte of `value` that is not allowed, by its position in it.
    fn report_byte(&self, value: Span, at: Option<usize>, report: &mut impl FnMut(Span, DiagnosticKind)) {
        if let Some(at) = at {
            let at = value.start as usize + at;
            report(span(at, at + 1), DiagnosticKind::ExcludedByte(self.text[at]));
        }
    }

    fn report_agent(&self, value: Span, report: &mut impl FnMut(Span, DiagnosticKind)) {
        let bytes = value.of(self.text);
        match agent_name(bytes, self.config.dialect()) {
            AgentName::Any if bytes.len() > 1 => {
                report(Span::new(value.start + 1, value.end), DiagnosticKind::TextAfterStar);
            }
            AgentName::Any => {}
            AgentName::Named(b"") => report(value, DiagnosticKind::NoName),
            AgentName::Named(name) if name.len() < bytes.len() => {
                let rest = span(value.start as usize + name.len(), value.end as usize);
                let kind =
                    if is_list(bytes) { DiagnosticKind::SeveralNames } else { DiagnosticKind::NameCut };
                report(rest, kind);
            }
            AgentName::Named(_) => {}
        }
    }
}

/// Whether these are several names separated by commas or semicolons, rather than the text of a User-Agent header.
fn is_list(value: &[u8]) -> bool {
    let mut names = value
        .split(|byte| matches!(byte, b',' | b';'))
        .map(<[u8]>::trim_ascii)
        .filter(|name| !name.is_empty());
    let is_name = |name: &[u8]| {
        (name == b"*" || name[0].is_ascii_alphanumeric())
            && !name.iter().any(|byte| b"()[]/:@\"".contains(byte))
    };
    names.clone().count() > 1 && names.all(is_name)
}

/// Reports the problems of a pattern that must begin with one of `firsts`.
fn report_pattern(bytes: &[u8], value: Span, firsts: &[u8], report: &mut impl FnMut(Span, DiagnosticKind)) {
    match bytes.first() {
        None => {}
        Some(first) if firsts.contains(first) => {}
        Some(_) if bytes.windows(3).any(|window| window == b"://") => {
            report(value, DiagnosticKind::AbsoluteUrlPattern);
        }
        Some(_) => report(value, DiagnosticKind::PatternWithoutSlash),
    }
}

fn unknown_key(written: &[u8]) -> DiagnosticKind {
    if key::is_acap(written) {
        return DiagnosticKind::AcapIgnored;
    }
    key::near_miss(written).map_or(DiagnosticKind::UnknownKey, DiagnosticKind::NearMiss)
}

/// Reports the problems of the file as a whole.
pub(crate) fn report_file<S: Sink>(text: &Text<'_>, sink: &mut S) {
    let mut report = |span, kind| sink.diagnostic(Diagnostic { line: 1, span, kind });
    match (text.encoding, text.start) {
        (Encoding::Utf16, _) => report(span(0, 0), DiagnosticKind::Utf16),
        (Encoding::Bytes, 0) => {}
        (Encoding::Bytes, 3) => report(span(0, 3), DiagnosticKind::ByteOrderMark),
        (Encoding::Bytes, length) => report(span(0, length), DiagnosticKind::PartialByteOrderMark),
    }
    if let Some(at) = html_mark(&text.bytes[text.start..]) {
        report(span(text.start + at, text.start + at + 1), DiagnosticKind::Html);
    }
    if text.cut > 0 {
        let end = text.bytes.len();
        report(span(end, end), DiagnosticKind::FileCut { bytes: text.cut as u64 });
    }
}

/// The position that shows that a text is a web page: a `<` that is the first byte other than white space and begins a
/// tag that starts whole pages.
fn html_mark(text: &[u8]) -> Option<usize> {
    const OPENINGS: [&[u8]; 6] = [b"<!doctype", b"<html", b"<head", b"<body", b"<?xml", b"<!--"];
    let at = text.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let begins =
        |opening: &&[u8]| text[at..].get(..opening.len()).is_some_and(|t| t.eq_ignore_ascii_case(opening));
    OPENINGS.iter().any(begins).then_some(at)
}

/// The first byte that RFC 9309's grammar excludes from values: a control character or invalid UTF-8 (2.2, 2.3).
fn excluded_byte(value: &[u8]) -> Option<usize> {
    let control = value.iter().position(|byte| byte.is_ascii_control() && *byte != b'\t');
    let broken = std::str::from_utf8(value).err().map(|error| error.valid_up_to());
    match (control, broken) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The first byte that the draft's grammar does not allow in paths: neither `/` nor `pchar` (Koster 1996, 3.3).
fn byte_outside_paths(path: &[u8]) -> Option<usize> {
    let is_escape =
        |at: usize| path.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    path.iter().enumerate().position(|(at, &byte)| match byte {
        b'%' => !is_escape(at),
        b'/' | b':' | b'@' | b'&' | b'=' => false,
        b'$' | b'-' | b'_' | b'.' | b'+' | b'!' | b'*' | b'\'' | b'(' | b')' | b',' => false,
        _ => !byte.is_ascii_alphanumeric(),
    })
}
