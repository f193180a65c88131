//! Finds mistakes in a robots.txt. Each finding has a code, a position and, where possible, a fix.
//!
//! ```
//! use robomata_lint::{LintOptions, Severity, lint};
//!
//! let report = lint(b"User-agent: *\nDisalow: /private", &LintOptions::default());
//! let [finding] = &report.findings[..] else { panic!("expected one finding") };
//! assert_eq!((finding.line, finding.column, finding.code.name), (2, 1, "misspelt-key"));
//! assert_eq!((finding.code.severity, &finding.fix.as_ref().unwrap().text[..]), (Severity::Warning, "Disallow"));
//! ```
//!
//! The parser's diagnostics become findings (`parser`). The other modules check groups and their names, rules against
//! each other (proved on the compiled programs), fields, and vocabularies against each other (`conflicts`). [`CODES`]
//! documents every code. [`Expectations`] are what a site owner expects of the rules.
//!
//! The time is linear in the size of the file, except for comparisons that depend on the crawler. Rules are compiled
//! once for each different set of groups that crawlers obey: at most [`MOST_SETS`] sets and at most [`MOST_RULES`]
//! rules in all. Rules of further sets count as rules that decide. Comparisons of vocabularies have similar limits on groups,
//! lines and URLs.

mod characters;
mod closed;
mod codes;
mod conflicts;
mod expectations;
mod fields;
mod groups;
mod look_alikes;
mod parser;
mod rules;

use std::collections::HashSet;
use std::sync::Arc;

use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect, Span, display_as_name, visible};
use robomata_syntax::{Config, Lines};

pub use characters::has_glued_records;
pub use codes::{CODES, Code};
pub use expectations::{CheckedExpectation, Expectation, ExpectationError, Expectations, UNMET};
pub use rules::{MOST_RULES, MOST_SETS};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not intended.
    Warning,
    /// A line has no effect, or a different effect than it seems to have.
    Error,
}

impl Severity {
    /// All severities, mildest first.
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

display_as_name!(Severity);
#[cfg(feature = "serde")]
robomata_protocol::serialize_as_text!(Severity);

/// A finding about a robots.txt. When it is serialized, its line and column stand for its span.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Finding {
    /// The 1-based line. Findings about the whole file are at its first line.
    pub line: u32,
    /// The 1-based column, in characters ([`Lines::position`]).
    pub column: u32,
    /// The kind of finding.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub code: &'static Code,
    /// The bytes of [`LintReport::text`] that the finding is about.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub span: Span,
    /// The problem, in one sentence.
    pub message: String,
    /// A suggestion, as text.
    pub help: Option<String>,
    /// A safe replacement in the bytes of the file: it changes only what the finding is about. `None` in UTF-16, whose bytes
    /// are not those of [`LintReport::text`].
    pub fix: Option<Fix>,
    /// Other lines that are involved.
    pub related: Vec<Related>,
}

/// A replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fix {
    /// The bytes to remove.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub span: Span,
    /// The text to insert instead.
    pub text: String,
}

/// Another line that is involved in a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Related {
    /// The 1-based line.
    pub line: u32,
    /// The bytes of the line that are involved.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub span: Span,
    /// How the line is involved.
    pub message: String,
}

/// Options of [`lint`].
#[derive(Clone, Debug, Default)]
pub struct LintOptions {
    /// The dialect to read the file in.
    pub dialect: Dialect,
    /// The crawlers to check. When empty: every crawler that the file names, and one that it does not name.
    pub crawlers: Vec<Crawler>,
    /// The host of the robots.txt, if known. Its sitemaps may be on other hosts.
    pub host: Option<String>,
    /// The number of bytes of the file that are read, in dialects that leave it open; none for the dialect's default.
    pub parsing_limit: Option<usize>,
}

impl LintOptions {
    /// How the file is read in `dialect`.
    pub(crate) fn config(&self, dialect: Dialect) -> Config {
        Config::new(dialect).with_parsing_limit(self.parsing_limit)
    }
}

/// The findings in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintReport {
    /// The bytes that spans refer to. These are the file's own bytes up to the parsing limit, unless it is in UTF-16.
    pub text: Vec<u8>,
    /// The findings, sorted by line, then by position and code.
    pub findings: Vec<Finding>,
}

impl LintReport {
    /// The number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.code.severity == severity).count()
    }

    /// The report with the findings for which `stays` holds.
    fn with(&self, stays: impl Fn(&Finding) -> bool) -> Self {
        let findings = self.findings.iter().filter(|finding| stays(finding)).cloned().collect();
        LintReport { text: self.text.clone(), findings }
    }

    /// The worst severity.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.code.severity).max()
    }
}

/// Lints a robots.txt. Any bytes are accepted.
pub fn lint(file: &[u8], options: &LintOptions) -> LintReport {
    LintReports::new(file, options).into_report(options)
}

/// Lints a robots.txt, and reports the expectations that do not hold. They must have been read for the same dialect.
pub fn lint_expecting(file: &[u8], options: &LintOptions, expectations: &Expectations) -> LintReport {
    lint_with(file, options, |findings| expectations::find(expectations, findings)).into_report(options)
}

/// The findings in one file, for each host that may serve it. Captures of many hosts can have one body.
#[derive(Clone, Debug)]
pub struct LintReports {
    /// With findings about the sitemaps of all hosts.
    all: Arc<LintReport>,
    /// Without findings about sitemaps, for most hosts.
    without_sitemaps: Option<Arc<LintReport>>,
    /// The host that counts if none is known.
    only_host: Option<String>,
}

impl LintReports {
    /// Lints a robots.txt. The host of `options` is ignored.
    pub fn new(file: &[u8], options: &LintOptions) -> Self {
        lint_with(file, options, |_| {})
    }

    /// The findings for `host`, as [`lint`] reports them.
    pub fn on(&self, host: Option<&str>) -> Arc<LintReport> {
        let host = host.map(closed::host_of).or_else(|| self.only_host.clone());
        let is_on = |finding: &Finding| closed::is_on(host.as_deref(), finding, &self.all.text);
        let of_host = self.all.findings.iter().filter(|finding| is_on(finding)).count();
        if of_host == self.all.findings.len() {
            return Arc::clone(&self.all);
        }
        match &self.without_sitemaps {
            Some(without) if without.findings.len() == of_host => Arc::clone(without),
            _ => Arc::new(self.all.with(is_on)),
        }
    }

    fn into_report(self, options: &LintOptions) -> LintReport {
        let report = self.on(options.host.as_deref());
        drop(self);
        Arc::unwrap_or_clone(report)
    }
}

/// A separate function for `find`: without expectations, a program does not contain their code.
fn lint_with(file: &[u8], options: &LintOptions, find: impl FnOnce(&mut Findings<'_>)) -> LintReports {
    let policy = Policy::with_diagnostics(file, &options.config(options.dialect));
    let lines = Lines::new(policy.text());
    let analysis = rules::Analysis::new(&policy, options);
    let mut findings = Findings { policy: &policy, analysis, found: Vec::new() };
    parser::find(&mut findings);
    groups::find(&mut findings);
    rules::find(&mut findings);
    fields::find(file, options, &mut findings);
    conflicts::find(file, options, &mut findings);
    closed::find(options, &mut findings);
    characters::find(&lines, &mut findings);
    find(&mut findings);
    let mut found = findings.found;
    drop_symptoms(&mut found);
    keep_a_rule_of_each_group(&policy, options, &mut found);
    if !file.starts_with(policy.text()) {
        found.iter_mut().for_each(|finding| finding.fix = None);
    }
    set_lines(&mut found, &lines);
    found.sort_by_key(|finding| (finding.line, finding.span.start, finding.code.name));
    set_columns(&mut found, policy.text(), &lines);
    let all = LintReport { text: policy.text().to_vec(), findings: found };
    let is_without = |finding: &Finding| closed::is_on(None, finding, &all.text);
    let has_sitemaps = !all.findings.iter().all(is_without);
    let without_sitemaps = has_sitemaps.then(|| Arc::new(all.with(is_without)));
    LintReports { all: Arc::new(all), without_sitemaps, only_host: closed::only_host(&policy) }
}

/// A rule also ends the list of names above it (RFC 9309, 2.2.4): without any rule of a group, its crawlers would obey the
/// rules of the next group. So if every rule of a group is to be removed, the last one is to be replaced.
fn keep_a_rule_of_each_group(policy: &Policy<'_>, options: &LintOptions, found: &mut [Finding]) {
    let removed_by = |finding: &Finding| {
        let help = finding.help.as_deref().unwrap_or_default();
        let is_of_one = help == rules::REMOVAL_OF_ONE;
        let line = (is_of_one || help.contains(rules::REMOVAL)).then_some(finding.line);
        let other = finding.related.iter().map(|related| related.line).filter(move |_| is_of_one);
        line.into_iter().chain(other).collect::<Vec<u32>>()
    };
    let removed: HashSet<u32> = found.iter().flat_map(removed_by).collect();
    if removed.is_empty() {
        return;
    }
    let mut last: HashSet<u32> = HashSet::new();
    for dialect in rules::CHECKED.into_iter().chain([policy.dialect()]) {
        let policy = Policy::new(policy.text(), &options.config(dialect));
        let groups = policy.groups().iter().map(|group| policy.rules_of(group));
        let emptied = groups.filter(|rules| rules.iter().all(|rule| removed.contains(&rule.line)));
        last.extend(emptied.filter_map(<[_]>::last).map(|rule| rule.line));
    }
    for finding in found {
        if !removed_by(finding).iter().any(|line| last.contains(line)) {
            continue;
        }
        // In every dialect, an empty Allow has no effect; an empty Disallow may allow everything (P3).
        let replaced = |help: String, subject: &str| {
            let by = format!("replace {subject} by an empty 'Allow:', which ends the list of names");
            help.replacen(&format!("remove {subject}"), &by, 1)
        };
        let help = finding.help.take().unwrap_or_default();
        finding.help = Some(replaced(replaced(help, "the line"), "the one that is not intended"));
    }
}

/// Sets the line of every finding to the line where its span begins. An empty span is about a line or the whole file.
fn set_lines(found: &mut [Finding], lines: &Lines<'_>) {
    for finding in found.iter_mut().filter(|finding| !finding.span.is_empty()) {
        finding.line = lines.number_at(finding.span.range().start);
    }
}

/// Sets the columns of sorted findings. Reads each line at most once.
fn set_columns(found: &mut [Finding], text: &[u8], lines: &Lines<'_>) {
    for findings in found.chunk_by_mut(|one, other| one.line == other.line) {
        let line = lines.range(findings[0].line).unwrap_or_default();
        let mut starts = character_starts(&text[line.clone()]).peekable();
        let mut column = 1;
        for finding in findings {
            let offset = finding.span.range().start.saturating_sub(line.start);
            while starts.next_if(|&start| start < offset).is_some() {
                column += 1;
            }
            finding.column = column;
        }
    }
}

/// Where the characters of a line begin. Bytes that are not UTF-8 count as the characters that replace them.
fn character_starts(line: &[u8]) -> impl Iterator<Item = usize> {
    let mut end = 0;
    line.utf8_chunks().flat_map(move |chunk| {
        let start = end;
        let invalid = start + chunk.valid().len();
        end = invalid + chunk.invalid().len();
        let valid = chunk.valid().char_indices().map(move |(at, _)| start + at);
        valid.chain((!chunk.invalid().is_empty()).then_some(invalid))
    })
}

/// Removes findings that another finding causes: on the same line, or in a file that is a web page.
fn drop_symptoms(found: &mut Vec<Finding>) {
    const CAUSES: [&str; 5] =
        ["double-encoded", "invisible-character", "look-alike-character", "markup", "glued-lines"];
    const SYMPTOMS: [&str; 23] = [
        "no-record",
        "missing-colon",
        "unknown-key",
        "near-miss",
        "misspelt-key",
        "no-name",
        "name-cut",
        "name-cut-elsewhere",
        "odd-name",
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
    // Invisible characters in a text that was encoded twice are a consequence of the encoding.
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

/// The findings so far, and the policy that they are about.
struct Findings<'p> {
    policy: &'p Policy<'p>,
    analysis: rules::Analysis,
    found: Vec<Finding>,
}

impl Findings<'_> {
    /// Adds a finding and returns it, so that the caller can complete it.
    fn add(&mut self, code: &str, line: u32, span: Span, message: impl Into<String>) -> &mut Finding {
        let code = codes::code(code);
        let finding = Finding {
            line,
            column: 0,
            code,
            span,
            message: message.into(),
            help: None,
            fix: None,
            related: vec![],
        };
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

/// Quotes bytes for a message: at most 80 of them, with invisible characters escaped.
fn quoted(bytes: &[u8]) -> String {
    const SHOWN: usize = 80;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    let shown = visible(&text);
    format!("'{shown}{}'", if bytes.len() > SHOWN { "…" } else { "" })
}
