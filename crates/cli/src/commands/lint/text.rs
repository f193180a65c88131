//! Findings as text, each with a quotation of its lines.

use std::fmt;
use std::fmt::Write as _;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    Severity as Level, SourceCode, SourceSpan, SpanContents,
};
use robomata_engine::protocol::Span;
use robomata_engine::syntax::Lines;
use robomata_lint::{Code, Finding, LintReport, Severity};

use crate::style::{Styles, visible};

/// The findings that are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Every one.
    All,
    /// One note of each code, and the first [`MOST_ALIKE`] errors or warnings of each code.
    Folded,
}

/// The number of errors and warnings with the same code that are quoted; the others are only counted.
const MOST_ALIKE: usize = 5;

/// Formats the findings in the file `name` that are at least as severe as `at_least`, each with a quotation: errors first,
/// then warnings, then notes.
pub(super) fn report(
    name: &str,
    report: &LintReport,
    (at_least, shown): (Severity, Shown),
    styles: &Styles,
) -> String {
    let mut text = String::new();
    let coloured = styles.heading != Styles::plain().heading;
    let theme = if coloured { GraphicalTheme::unicode() } else { plain() };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    let quotation = Quotation::new(&report.text);
    for severity in Severity::ALL.into_iter().rev().filter(|&severity| severity >= at_least) {
        for (code, findings) in by_code(report, severity) {
            let quoted = match (shown, severity) {
                (Shown::All, _) => findings.len(),
                (Shown::Folded, Severity::Note) => 1,
                (Shown::Folded, _) => MOST_ALIKE,
            };
            for finding in findings.iter().take(quoted) {
                // A handler that writes into a String does not fail.
                let _ = handler.render_report(&mut text, &quotation.quoted(name, finding));
                text.push('\n');
            }
            if let Some(more @ 1..) = findings.len().checked_sub(quoted) {
                let _ = writeln!(text, "{more} more of {severity} {} (--all shows each)\n", code.name);
            }
        }
    }
    text
}

/// Groups the findings of one severity by code, in the order of the first finding of each code.
fn by_code(report: &LintReport, severity: Severity) -> Vec<(&'static Code, Vec<&Finding>)> {
    let mut codes: Vec<(&'static Code, Vec<&Finding>)> = Vec::new();
    for finding in report.findings.iter().filter(|finding| finding.code.severity == severity) {
        match codes.iter_mut().find(|(code, _)| code.name == finding.code.name) {
            Some((_, findings)) => findings.push(finding),
            None => codes.push((finding.code, vec![finding])),
        }
    }
    codes
}

/// ASCII without colours, for files and pipes.
fn plain() -> GraphicalTheme {
    GraphicalTheme { styles: miette::ThemeStyles::none(), ..GraphicalTheme::none() }
}

/// The last line of a run. It counts all findings, and says how many of them are milder than `at_least` and not shown.
/// Of `held.1` expectations, `held.0` hold.
pub(super) fn summary(
    counts: [usize; 3],
    at_least: Severity,
    files: usize,
    held: Option<(usize, usize)>,
    unreadable: usize,
) -> String {
    let of =
        |count: usize, what: &str| if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    let held = held.map_or_else(String::new, |(held, all)| {
        format!("; {held} of {} {}", of(all, "expectation"), if held == 1 { "holds" } else { "hold" })
    });
    let [notes, warnings, errors] = counts;
    let left_out = match counts[..at_least as usize].iter().sum() {
        0 => String::new(),
        milder => format!("; {} left out (--at-least {at_least})", of(milder, "finding")),
    };
    let skipped = if unreadable == 0 { String::new() } else { format!("; {unreadable} could not be read") };
    format!(
        "{}, {}, {} in {}{left_out}{held}{skipped}\n",
        of(errors, "error"),
        of(warnings, "warning"),
        of(notes, "note"),
        of(files, "file")
    )
}

/// Formats the output of `--explain`.
pub(super) fn explained(code: &Code) -> String {
    let mut text = format!("{} ({}): {}\n\n", code.name, code.severity, code.summary());
    let mut column = 0;
    for word in code.text().split(' ') {
        if column + word.chars().count() > 100 {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        let _ = write!(text, "{word}");
        column += word.chars().count();
    }
    text.push('\n');
    text
}

/// A finding as a miette diagnostic.
struct Quoted<'f> {
    finding: &'f Finding,
    source: Source,
    labels: Vec<LabeledSpan>,
}

/// The bytes of a file and its lines. Only the lines of a finding are escaped and passed to miette, so the cost of a
/// finding does not depend on the size of the file.
struct Quotation<'t> {
    text: &'t [u8],
    lines: Lines<'t>,
}

/// Characters of a line that are quoted.
const QUOTED: usize = 160;

impl<'t> Quotation<'t> {
    fn new(text: &'t [u8]) -> Self {
        Quotation { text, lines: Lines::new(text) }
    }

    fn quoted<'f>(&self, name: &str, finding: &'f Finding) -> Quoted<'f> {
        let mut source = Source { name: visible(name), lines: vec![] };
        let mut labels = vec![self.label(finding.span, "here", &mut source)];
        for other in &finding.related {
            labels.push(self.label(other.span, &other.message, &mut source));
        }
        Quoted { finding, source, labels }
    }

    /// Quotes the line of a span, and returns a label for the span in the quotation.
    fn label(&self, span: Span, message: &str, source: &mut Source) -> LabeledSpan {
        let at = span.range().start.min(self.text.len());
        let (number, column) = self.lines.position(at);
        let range = self.lines.range(number).unwrap_or_default();
        let (line_start, line) = (range.start, self.text[range].trim_ascii_end());
        let text = String::from_utf8_lossy(line);
        let cut: String = text.chars().take(QUOTED).collect();
        let mut quoted = visible(&cut);
        let quoted_end = quoted.len();
        if cut.len() < text.len() {
            quoted.push('…');
        }

        let length_of = |bytes: &[u8]| visible(&String::from_utf8_lossy(bytes)).len();
        let start = (at - line_start).min(line.len());
        let end = span.range().end.saturating_sub(line_start).clamp(start, line.len());
        // The ellipsis stands for everything after the cut.
        let from = length_of(&line[..start]).min(quoted_end);
        let to = Some(length_of(&line[..end])).filter(|&to| to <= quoted_end).unwrap_or(quoted.len());
        let offset = source.push(number as usize - 1, column as usize - 1, quoted);
        LabeledSpan::new(Some(message.to_owned()), offset + from, to - from)
    }
}

/// The lines that are quoted for one finding. They need not be adjacent, so each is shown with its own number.
struct Source {
    name: String,
    lines: Vec<QuotedLine>,
}

struct QuotedLine {
    /// The start of the line in the text of all quoted lines.
    offset: usize,
    /// The 0-based number of the line in the file.
    number: usize,
    /// The 0-based column at which the finding begins in the file, in characters.
    column: usize,
    text: String,
}

impl Source {
    /// Adds a line unless it is already present, and returns its start.
    fn push(&mut self, number: usize, column: usize, text: String) -> usize {
        if let Some(known) = self.lines.iter().find(|line| line.number == number) {
            return known.offset;
        }
        let offset = self.lines.last().map_or(0, |last| last.offset + last.text.len() + 1);
        self.lines.push(QuotedLine { offset, number, column, text });
        offset
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let end = span.offset() + span.len();
        let holds = |line: &&QuotedLine| line.offset <= span.offset() && end <= line.offset + line.text.len();
        // Lines are never shown together.
        let line = self.lines.iter().find(holds).ok_or(MietteError::OutOfBounds)?;
        let whole = SourceSpan::from((line.offset, line.text.len()));
        // Without context, miette requests the position of the finding.
        let column = if lines_before == 0 { line.column } else { 0 };
        let bytes = line.text.as_bytes();
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), bytes, whole, line.number, column, 1)))
    }
}

impl fmt::Debug for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.finding.fmt(f)
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.finding.message))
    }
}

impl std::error::Error for Quoted<'_> {}

impl Diagnostic for Quoted<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(format!("{} {}", self.finding.code.severity, self.finding.code.name)))
    }

    fn severity(&self) -> Option<Level> {
        Some(match self.finding.code.severity {
            Severity::Note => Level::Advice,
            Severity::Warning => Level::Warning,
            Severity::Error => Level::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.finding.help.as_ref()?;
        Some(Box::new(visible(help)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
