//! What a robots.txt should say otherwise: findings for its author, each with a code, a place and, where it can, a fix.
//!
//! What the parser noticed becomes a finding (`parser`); then groups and the names that they are for, rules against each
//! other (proved on the compiled programs), fields, and vocabularies against each other (`conflicts`) are looked at. Every
//! code is documented in [`CODES`].
//!
//! Linear in the file, but for what is compared by crawler: rules are compiled once for each different set of groups that
//! crawlers obey, at most [`MOST_SETS`] of them and at most [`MOST_RULES`] rules together; of the others nothing is said. So
//! it is with vocabularies: groups, lines and URLs that are compared have their limits.

mod characters;
mod closed;
mod codes;
mod conflicts;
mod fields;
mod groups;
mod parser;
mod rules;

use std::collections::HashSet;
use std::fmt;

use robomata::protocol::Span;
use robomata::{Config, Crawler, Dialect, Policy};

pub use self::characters::is_invisible;
pub use self::codes::{CODES, Code};
pub use self::rules::{MOST_RULES, MOST_SETS};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant.
    Warning,
    /// Something that was written has no effect, or another one than it says.
    Error,
}

impl Severity {
    /// All of them, the mildest first.
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

    /// `note`, `warning` or `error`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Something that should be otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub code: &'static Code,
    /// The 1-based line.
    pub line: u32,
    /// The bytes of [`LintReport::text`] in question.
    pub span: Span,
    /// What it is, in one sentence.
    pub message: String,
    /// What could be done, as text.
    pub help: Option<String>,
    /// A replacement that is safe: it changes nothing but what the finding is about.
    pub fix: Option<Fix>,
    /// Other lines that have to do with it.
    pub related: Vec<Related>,
}

/// A replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The bytes that go.
    pub span: Span,
    /// What comes instead.
    pub text: String,
}

/// A line that has to do with a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The 1-based line.
    pub line: u32,
    /// Its bytes in question.
    pub span: Span,
    /// What it has to do with it.
    pub message: String,
}

/// How a file is looked at.
#[derive(Clone, Debug, Default)]
pub struct LintOptions {
    /// How it is read.
    pub dialect: Dialect,
    /// For whom; for every crawler that it names, and the others, when none is given.
    pub crawlers: Vec<Crawler>,
    /// The host that it was fetched from, if that is known: its sitemaps may be on others.
    pub host: Option<String>,
}

/// What was found in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintReport {
    /// The bytes that spans refer to: the file's own, up to the parsing limit, unless it is in UTF-16.
    pub text: Vec<u8>,
    /// By line, then by place and code.
    pub findings: Vec<Finding>,
}

impl LintReport {
    /// How many findings of a severity there are.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.code.severity == severity).count()
    }

    /// The worst severity.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.code.severity).max()
    }
}

/// Looks at a robots.txt. Any bytes are one.
pub fn lint(file: &[u8], options: &LintOptions) -> LintReport {
    let policy = Policy::with_diagnostics(file, &Config::new(options.dialect));
    let mut findings = Findings { policy: &policy, found: Vec::new() };
    parser::find(&mut findings);
    groups::find(&mut findings);
    rules::find(&options.crawlers, &mut findings);
    fields::find(file, &mut findings);
    conflicts::find(file, &options.crawlers, &mut findings);
    closed::find(options, &mut findings);
    characters::find(&mut findings);
    let mut found = findings.found;
    drop_symptoms(&mut found);
    found.sort_by_key(|finding| (finding.line, finding.span.start, finding.code.name));
    LintReport { text: policy.text().to_vec(), findings: found }
}

/// Leaves out what follows from another finding: a line with a cause of its own, and lines of what is a page.
fn drop_symptoms(found: &mut Vec<Finding>) {
    const CAUSES: [&str; 5] =
        ["double-encoded", "invisible-character", "look-alike-character", "markup", "glued-lines"];
    const SYMPTOMS: [&str; 22] = [
        "no-record",
        "missing-colon",
        "unknown-key",
        "near-miss",
        "misspelt-key",
        "no-name",
        "name-cut",
        "name-cut-elsewhere",
        "name-with-version",
        "empty-group",
        "assets-closed",
        "look-alike-name",
        "user-agent-text",
        "several-names",
        "text-after-star",
        "pattern-without-slash",
        "host-pattern",
        "absolute-url-pattern",
        "several-paths",
        "space-in-pattern",
        "unescaped-bytes",
        "sitemap-not-absolute",
    ];
    let is_page = found.iter().any(|finding| finding.code.name == "html");
    let is_cause = |finding: &&Finding| CAUSES.contains(&finding.code.name);
    // What stands in a text that was encoded twice is invisible by chance.
    let twice = |finding: &&Finding| finding.code.name == "double-encoded";
    let twice: HashSet<u32> = found.iter().filter(twice).map(|finding| finding.line).collect();
    found.retain(|finding| finding.code.name != "invisible-character" || !twice.contains(&finding.line));
    let lines: HashSet<u32> = found.iter().filter(is_cause).map(|finding| finding.line).collect();
    found.retain(|finding| {
        let is_symptom = SYMPTOMS.contains(&finding.code.name);
        let is_of_page = is_page && (finding.code.name == "markup" || is_symptom);
        !(is_of_page || is_symptom && lines.contains(&finding.line))
    });
}

/// What has been found so far, and in what.
struct Findings<'p> {
    policy: &'p Policy<'p>,
    found: Vec<Finding>,
}

impl Findings<'_> {
    /// Adds a finding, to be completed.
    fn add(&mut self, code: &str, line: u32, span: Span, message: impl Into<String>) -> &mut Finding {
        let code = codes::code(code);
        let finding =
            Finding { code, line, span, message: message.into(), help: None, fix: None, related: vec![] };
        self.found.push(finding);
        let last = self.found.len() - 1;
        &mut self.found[last]
    }

    fn quoted(&self, span: Span) -> String {
        quoted(span.of(self.policy.text()))
    }
}

impl Finding {
    fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    fn fix(&mut self, span: Span, text: impl Into<String>) -> &mut Self {
        self.fix = Some(Fix { span, text: text.into() });
        self
    }

    fn related(&mut self, line: u32, span: Span, message: impl Into<String>) -> &mut Self {
        self.related.push(Related { line, span, message: message.into() });
        self
    }
}

/// Bytes in a message: quoted, at most 80 of them, every character visible.
fn quoted(bytes: &[u8]) -> String {
    const SHOWN: usize = 80;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    let shown: String = text
        .chars()
        .flat_map(|c| if c.is_control() || is_invisible(c) { c.escape_default().collect() } else { vec![c] })
        .collect();
    format!("'{shown}{}'", if bytes.len() > SHOWN { "…" } else { "" })
}
