//! Mistakes in a robots.txt: lines that parsers ignore or misread, rules that never decide, crawlers and pages that are
//! closed by accident.
//!
//! [`Robots::diagnostics`](crate::Robots::diagnostics) reports what the parser sees in single lines. [`lint()`] reports that
//! and more: it compares rules with each other on their compiled automata, and groups, fields and vocabularies with each
//! other. Each [`Finding`] has a [`Code`] with a severity and an explanation, a position and, where a mistake can be
//! corrected safely, a [`Fix`].
//!
//! ```
//! use robomata::lint::{Severity, lint};
//!
//! let report = lint("User-agent: *\nDisallow: /a\nAllow: /*\n");
//! let finding = &report.findings()[0];
//! assert_eq!((finding.line(), finding.column(), finding.code().name()), (2, 11, "never-decides"));
//! assert_eq!(finding.to_string(), "2:11: warning: never decides: line 3 (allow '/*') always wins over it [never-decides]");
//! assert_eq!(report.worst(), Some(Severity::Warning));
//! ```
//!
//! The time is linear in the size of the file, except for comparisons that depend on the crawler, which have limits: of a
//! file with very many groups or rules, not all are compared.

use std::fmt;
use std::ops::Range;

use robomata_evaluator::Site;
use robomata_lint as inner;

use crate::{Agent, AgentError, Dialect};

/// Lints a robots.txt in the dialect of RFC 9309, for every crawler. Any bytes are accepted. For options, see [`Linter`].
pub fn lint(body: impl AsRef<[u8]>) -> Report {
    Report::new(body.as_ref(), inner::lint(body.as_ref(), &inner::LintOptions::default()))
}

/// Options for linting.
///
/// ```
/// use robomata::Dialect;
/// use robomata::lint::Linter;
///
/// let body = "User-agent: *\nDisallow: /sitemaps/\nSitemap: https://example.com/sitemaps/1.xml";
/// let linter = Linter::new().dialect(Dialect::Google).agent("Googlebot").host("example.com");
/// let report = linter.lint(body)?;
/// assert_eq!(report.findings()[0].code().name(), "sitemap-closed");
/// # Ok::<(), robomata::AgentError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Linter {
    dialect: Dialect,
    agents: Vec<Agent>,
    host: Option<String>,
    size_limit: Option<usize>,
}

impl Linter {
    /// The default options: RFC 9309, every crawler, an unknown host.
    pub fn new() -> Self {
        Linter::default()
    }

    /// Sets the dialect in which the file is read.
    pub fn dialect(self, dialect: Dialect) -> Self {
        Linter { dialect, ..self }
    }

    /// Reports findings for this crawler; may be called several times. Without it, every crawler that the file names is
    /// checked, and one that it does not name.
    pub fn agent(mut self, agent: impl Into<Agent>) -> Self {
        self.agents.push(agent.into());
        self
    }

    /// Sets the host of the robots.txt, or the URL of its site. The sitemaps of the file may be on other hosts, to which its
    /// rules do not apply. A text that names no site is ignored.
    pub fn host(self, host: impl Into<String>) -> Self {
        Linter { host: Some(host.into()), ..self }
    }

    /// Sets the number of bytes of the file that are read: see [`RobotsBuilder::size_limit`](crate::RobotsBuilder::size_limit).
    pub fn size_limit(self, bytes: usize) -> Self {
        Linter { size_limit: Some(bytes), ..self }
    }

    /// Lints a robots.txt. Any bytes are accepted.
    ///
    /// # Errors
    /// When an agent names no crawler.
    pub fn lint(&self, body: impl AsRef<[u8]>) -> Result<Report, AgentError> {
        let crawlers = self.agents.iter().map(|agent| agent.crawler(self.dialect));
        let options = inner::LintOptions {
            dialect: self.dialect.inner(),
            crawlers: crawlers.collect::<Result<_, _>>()?,
            host: self.host.clone().filter(|host| Site::named(host).is_ok()),
            parsing_limit: self.size_limit,
        };
        Ok(Report::new(body.as_ref(), inner::lint(body.as_ref(), &options)))
    }
}

/// The findings in one robots.txt. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Report {
    findings: Vec<Finding>,
    #[cfg_attr(feature = "serde", serde(skip))]
    file: Vec<u8>,
    #[cfg_attr(feature = "serde", serde(skip))]
    text: Vec<u8>,
}

impl Report {
    fn new(file: &[u8], report: inner::LintReport) -> Self {
        let findings = report.findings.into_iter().map(Finding::new).collect();
        Report { findings, file: file.to_vec(), text: report.text }
    }

    /// The findings, sorted by line and column.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The bytes that spans refer to. They are those of the file, up to the limit of parsing. A file in UTF-16 is decoded.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The severity of the worst finding; `None` without findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(Finding::severity).max()
    }

    /// The file with all fixes applied. What comes after the limit of parsing is unchanged, and a file in UTF-16 is as given.
    ///
    /// ```
    /// let report = robomata::lint::lint("User-agent: *\nDisalow: /private");
    /// assert_eq!(report.fixed(), b"User-agent: *\nDisallow: /private");
    /// ```
    pub fn fixed(&self) -> Vec<u8> {
        let mut fixes: Vec<&Fix> = self.findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
        fixes.sort_by_key(|fix| (fix.span().start, fix.span().end));
        // A text with fixes is the beginning of the file.
        let (mut fixed, mut done) = (Vec::with_capacity(self.file.len()), 0);
        for fix in fixes {
            // Of two fixes of the same bytes, the first one is applied. A second run reports what is left.
            let Some(unchanged) = self.file.get(done..fix.span().start) else { continue };
            fixed.extend_from_slice(unchanged);
            fixed.extend_from_slice(fix.text.as_bytes());
            done = fix.span().end;
        }
        fixed.extend_from_slice(&self.file[done..]);
        fixed
    }
}

/// A finding about a robots.txt. See the [module](self).
///
/// Its `Display` is one line: the position, the severity, the message and the code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Finding {
    line: u32,
    column: u32,
    #[cfg_attr(feature = "serde", serde(flatten))]
    span: Span,
    code: Code,
    severity: Severity,
    message: String,
    help: Option<String>,
    fix: Option<Fix>,
    related: Vec<Related>,
}

impl Finding {
    fn new(finding: inner::Finding) -> Self {
        let inner::Finding { line, column, code, span, message, help, fix, related } = finding;
        Finding {
            line,
            column,
            span: Span::new(span.range()),
            code: Code(code),
            severity: Severity::of(code.severity),
            message,
            help,
            fix: fix.map(|fix| Fix { span: Span::new(fix.span.range()), text: fix.text }),
            related: related
                .into_iter()
                .map(|other| Related { line: other.line, span: other.span.range(), message: other.message })
                .collect(),
        }
    }

    /// The 1-based line. Findings about the whole file are at its first line.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The 1-based column, in characters.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// The bytes of [`Report::text`] that the finding is about. An empty span is a position.
    pub fn span(&self) -> Range<usize> {
        self.span.range()
    }

    /// The kind of finding.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The severity of the code.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The problem, in one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// A replacement that changes only what the finding is about.
    pub fn fix(&self) -> Option<&Fix> {
        self.fix.as_ref()
    }

    /// Other lines that are involved.
    pub fn related(&self) -> &[Related] {
        &self.related
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { line, column, severity, message, code, .. } = self;
        write!(f, "{line}:{column}: {severity}: {message} [{code}]")
    }
}

/// Bytes of a file, serialized like those of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
struct Span {
    offset: usize,
    length: usize,
}

impl Span {
    fn new(range: Range<usize>) -> Self {
        Span { offset: range.start, length: range.len() }
    }

    fn range(self) -> Range<usize> {
        self.offset..self.offset + self.length
    }
}

/// A replacement of some bytes: see [`Finding::fix`] and [`Report::fixed`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fix {
    #[cfg_attr(feature = "serde", serde(flatten))]
    span: Span,
    text: String,
}

impl Fix {
    /// The bytes of [`Report::text`] to remove. If there are none, the text is inserted there.
    pub fn span(&self) -> Range<usize> {
        self.span.range()
    }

    /// The text to insert instead.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Another line that is involved in a finding: see [`Finding::related`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Related {
    /// The 1-based line.
    pub line: u32,
    /// The bytes of the line that are involved.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub span: Range<usize>,
    /// How the line is involved.
    pub message: String,
}

/// A kind of finding.
///
/// ```
/// use robomata::lint::{Code, Severity};
///
/// let code: Code = "never-decides".parse()?;
/// assert_eq!((code.severity(), code.summary()), (Severity::Warning, "a rule that never decides"));
/// assert!(Code::all().any(|other| other == code));
/// # Ok::<(), robomata::lint::ParseCodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(into = "&'static str"))]
pub struct Code(&'static inner::Code);

impl Code {
    /// Every code: first those about the file, then those about lines, groups, rules and fields.
    pub fn all() -> impl ExactSizeIterator<Item = Code> {
        inner::CODES.iter().map(Code)
    }

    /// The stable name, such as `never-decides`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The severity of all findings of this kind.
    pub fn severity(self) -> Severity {
        Severity::of(self.0.severity)
    }

    /// A summary in a few words.
    pub fn summary(self) -> &'static str {
        self.0.summary()
    }

    /// Why it matters and what to do, in a few sentences.
    pub fn explanation(self) -> &'static str {
        self.0.text()
    }
}

impl From<Code> for &'static str {
    fn from(code: Code) -> Self {
        code.name()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Code").field(&self.name()).finish()
    }
}

impl std::str::FromStr for Code {
    type Err = ParseCodeError;

    /// The code with this name.
    fn from_str(name: &str) -> Result<Self, ParseCodeError> {
        inner::Code::find(name).map(Code).ok_or_else(|| ParseCodeError { name: name.to_owned() })
    }
}

/// No code has this name.
///
/// ```
/// let error = "nonsense".parse::<robomata::lint::Code>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown code 'nonsense'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseCodeError {
    name: String,
}

impl ParseCodeError {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for ParseCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown code '{}'", self.name)
    }
}

impl std::error::Error for ParseCodeError {}

/// How bad a mistake is. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(into = "&'static str"))]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not intended.
    Warning,
    /// A line has no effect, or another effect than it seems to have.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    fn of(severity: inner::Severity) -> Self {
        match severity {
            inner::Severity::Note => Severity::Note,
            inner::Severity::Warning => Severity::Warning,
            inner::Severity::Error => Severity::Error,
        }
    }
}

impl From<Severity> for &'static str {
    fn from(severity: Severity) -> Self {
        severity.as_str()
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
