//! Findings about the file as a whole, and about fields other than rules.

use std::collections::BTreeSet;

use robomata_policy::{Policy, Rule, Value};
use robomata_protocol::limits::MIN_PARSING_LIMIT;
use robomata_protocol::{Access, Dialect, Span};
use robomata_syntax::Key;

use crate::{Findings, LintOptions};

/// Adds the findings about the file and its fields.
pub(crate) fn find(file: &[u8], options: &LintOptions, findings: &mut Findings<'_>) {
    kind_of_file(findings);
    length(file, findings);
    noindex(findings);
    labels(findings);
    disagreements(file, options, findings);
}

/// Checks that the file is a text with records.
fn kind_of_file(findings: &mut Findings<'_>) {
    const BEGINNING: usize = 1024;
    let policy = findings.policy;
    let text = policy.text();
    let beginning = &text[..text.len().min(BEGINNING)];
    if let Some(at) = beginning.iter().position(|&byte| byte == 0) {
        let at = u32::try_from(at).unwrap_or(0);
        findings.add("binary", 1, Span::new(at, at + 1), "a NUL byte: this is not a text file");
    }
    let has_html = policy.diagnostics().iter().any(|diagnostic| diagnostic.kind.code() == "html");
    if policy.is_not_robots() && !has_html {
        let first = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let first = u32::try_from(first).unwrap_or(0);
        let message = "no line of the file is a group or a known field: the file allows everything";
        findings.add("not-robots", 1, Span::new(first, first + 1), message);
    }
}

fn length(file: &[u8], findings: &mut Findings<'_>) {
    if file.len() <= MIN_PARSING_LIMIT {
        return;
    }
    let policy = findings.policy;
    let limit = u32::try_from(MIN_PARSING_LIMIT).unwrap_or(u32::MAX);
    let all = policy.groups().iter().flat_map(|group| policy.rules_of(group));
    let behind: Vec<&Rule> = all.filter(|rule| rule.pattern.end > limit).collect();
    let Some(first) = behind.first() else { return };
    let message =
        format!("{} after the first 500 KiB, and not every crawler reads that far", rules(behind.len()));
    findings.add("over-500-kib", first.line, first.pattern, message).help("shorten the file");
}

fn rules(count: usize) -> String {
    if count == 1 { "1 rule is".to_owned() } else { format!("{count} rules are") }
}

fn noindex(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    for field in policy.extensions().iter().filter(|field| field.key == Key::Noindex) {
        let message = "Noindex in robots.txt: large crawlers ignore it";
        findings
            .add("noindex-unsupported", field.line, field.written_key, message)
            .help("use <meta name=\"robots\" content=\"noindex\"> or X-Robots-Tag");
    }
}

/// Finds labels that resemble one of their field.
fn labels(findings: &mut Findings<'_>) {
    const SIGNALS: [&str; 3] = ["search", "ai-input", "ai-train"];
    const USAGES: [&str; 3] = ["search", "ai-use", "train-ai"];
    let policy = findings.policy;
    for field in policy.extensions() {
        let (written, known): (Vec<String>, _) = match field.read(policy.text()) {
            Value::ContentSignal(signal) => {
                (signal.iter().map(|item| item.name.to_ascii_lowercase()).collect(), SIGNALS)
            }
            Value::ContentUsage(usage) => {
                (usage.items.iter().map(|item| item.label.to_string()).collect(), USAGES)
            }
            _ => continue,
        };
        // The parser reports a label of the other field.
        let is_unknown = |label: &&String| !SIGNALS.iter().chain(&USAGES).any(|known| known == label);
        for label in written.iter().filter(is_unknown) {
            let Some(near) = known.into_iter().find(|known| resembles(label, known)) else { continue };
            let key = findings.quoted(field.written_key);
            let message = format!(
                "{key} has no label {}: nothing is said about '{near}'",
                crate::quoted(label.as_bytes())
            );
            findings
                .add("unknown-label", field.line, field.value, message)
                .help(format!("if it is meant, write '{near}'"));
        }
    }
}

/// Whether a label differs from a known one by its separator, one typing error, more letters, or a missing `ai-`.
fn resembles(label: &str, known: &str) -> bool {
    let folded = label.replace('_', "-");
    // Longer labels are not compared, because no known one is longer.
    folded.len() < 24
        && (folded.starts_with(known)
            || known.strip_prefix("ai-") == Some(&folded)
            || known.strip_suffix("-ai") == Some(&folded)
            || strsim::osa_distance(&folded, known) == 1)
}

/// Finds lines that RFC 9309 and Google read differently: as a rule in only one of them, or as different rules.
fn disagreements(file: &[u8], options: &LintOptions, findings: &mut Findings<'_>) {
    let other = match findings.policy.dialect() {
        Dialect::Rfc9309 => Dialect::Google,
        Dialect::Google => Dialect::Rfc9309,
        _ => return,
    };
    // Spans are comparable only if both dialects read the same bytes.
    let policy = Policy::new(file, &options.config(other));
    if policy.text() != findings.policy.text() {
        return;
    }
    let own = rules_by_line(findings.policy);
    let others = rules_by_line(&policy);
    let dialect = findings.policy.dialect();
    let lines = |rules: &BTreeSet<RuleOnLine>| rules.iter().map(|rule| rule.0).collect();
    let [own_lines, other_lines]: [BTreeSet<u32>; 2] = [lines(&own), lines(&others)];
    for &(line, access, span) in own.symmetric_difference(&others) {
        let is_own = own.contains(&(line, access, span));
        let (reader, missing) = if is_own { (dialect, other) } else { (other, dialect) };
        let span = Span::new(span.0, span.1);
        let message = match own_lines.contains(&line) && other_lines.contains(&line) {
            true if !is_own => continue,
            true => format!("{dialect} and {other} read different rules here"),
            false => format!(
                "{reader} reads {} {access} rule here, {missing} does not",
                if access == Access::Allow { "an" } else { "a" }
            ),
        };
        findings.add("dialects-disagree", line, span, message).help("write the line in the form of RFC 9309");
    }
}

/// The line of a rule, its access, and the start and end of its pattern.
type RuleOnLine = (u32, Access, (u32, u32));

fn rules_by_line(policy: &Policy<'_>) -> BTreeSet<RuleOnLine> {
    let all = policy.groups().iter().flat_map(|group| policy.rules_of(group));
    // Every dialect agrees that an empty rule disallows nothing.
    let all = all.filter(|rule| !rule.pattern.is_empty());
    all.map(|rule| (rule.line, rule.access, (rule.pattern.start, rule.pattern.end))).collect()
}
