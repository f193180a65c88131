//! The report in Markdown.

use std::fmt::{self, Write};

use crate::corpus::{Agent, Corpus, Form};
use crate::engines::{BASELINE, Row, Steps};
use crate::sizes::Sizes;
use crate::timing::{AT_MOST, Measure, Timed, Times};
use crate::verify::{Differences, Failures, forbidden};

/// What was measured with, and by what.
pub(crate) fn head(corpus: &Corpus, agent: Agent, machine: &str) -> String {
    format!(
        "# robomata and its peers\n\n{machine}\n\ncorpus: {} distinct bodies ({} octets), {} URLs of {} sites, crawler {}\n",
        corpus.bodies.len(),
        corpus.body_octets(),
        corpus.google.len(),
        corpus.groups.len(),
        agent.as_str(),
    )
}

/// How the verdicts differ from those of Google's parser.
pub(crate) fn verdicts(corpus: &Corpus, rows: &[(Row, Differences)], failures: &Failures) -> String {
    let mut out = format!(
        "## Verdicts beside Google's parser's\n\nIt forbids {} of {} URLs.\n\n",
        forbidden(corpus),
        corpus.google.len()
    );
    out.push_str("| engine | URLs judged otherwise | forbidden, let through | allowed, shut out | no answer | bodies not read |\n");
    out.push_str("|---|--:|--:|--:|--:|--:|\n");
    for (row, found) in rows {
        let Differences { let_through, shut_out, unanswered, unread } = found;
        let sum = found.sum();
        let name = row.name;
        line(
            &mut out,
            format_args!("| {name} | {sum} | {let_through} | {shut_out} | {unanswered} | {unread} |"),
        );
    }
    let lines = failures.google_line.map_or("not recorded".to_owned(), |count| count.to_string());
    line(&mut out, format_args!("\nMust be 0, and what was found:\n"));
    line(
        &mut out,
        format_args!(
            "- `google` against Google's parser: verdicts {}, deciding lines {lines}",
            failures.google
        ),
    );
    line(
        &mut out,
        format_args!(
            "- `rfc9309` against the reference, verdict and line and reason: {}",
            failures.reference
        ),
    );
    line(
        &mut out,
        format_args!("- robomata's rows under `rfc9309` against the reference's row: {}", failures.rows),
    );
    out
}

/// The times, one table a measure.
pub(crate) fn times(corpus: &Corpus, timed: &Timed, times: &Times, rows: &[Row], rounds: usize) -> String {
    let all = times.plain.and(&times.starred);
    let mut out = format!(
        "## Times\n\nRounds: {rounds}. Left out for everybody, because one engine or another has no answer: bodies {}, URLs {}.\n\
         The ratio is to \"{BASELINE}\", the median of the rounds' ratios; under 1 is faster.\n",
        corpus.bodies.len() - timed.bodies.len(),
        corpus.google.len() - all.items,
    );
    let files = timed.bodies.len();
    let title = format!("Parse: octets to what can be asked for any crawler, µs a file over {files} files");
    measure(&mut out, &title, &times.parse, 1e6, rows);
    let title =
        format!("Compile: octets to ready for one crawler, parsing included, µs a file over {files} files");
    measure(&mut out, &title, &times.compile, 1e6, rows);
    let checks = [
        (&all, "all".to_owned()),
        (&times.plain, "of sites whose rules for the crawler have no `*`".to_owned()),
        (&times.starred, "of sites whose rules have one".to_owned()),
        (&times.evened, format!("at most {AT_MOST} a file, so that no site outweighs the others")),
    ];
    for (check, which) in checks {
        let title = format!("Check, site after site, ns a check over {} URLs: {which}", check.items);
        measure(&mut out, &title, check, 1e9, rows);
    }
    out
}

/// One table. An engine without such a step is left out when another of its rows has the step, else it says why.
fn measure(out: &mut String, title: &str, measure: &Measure, unit: f64, rows: &[Row]) {
    line(
        out,
        format_args!("\n### {title}\n\n| engine | asked for | min | median | ratio |\n|---|---|--:|--:|--:|"),
    );
    for row in rows {
        let (name, form) = (row.name, form(row.form));
        if let Some(series) = measure.series.iter().find(|series| series.name == name) {
            let (least, median) = measure.an_item(series);
            let ratio = measure.ratio(series).map_or(String::new(), |ratio| format!("{ratio:.2}"));
            let (least, median) = (least * unit, median * unit);
            line(out, format_args!("| {name} | {form} | {least:.2} | {median:.2} | {ratio} |"));
        } else if let Some(why) = why_not(row.steps) {
            line(out, format_args!("| {name} | {form} | {why} | | |"));
        }
    }
}

fn why_not(steps: Steps) -> Option<&'static str> {
    match steps {
        Steps::OneStep => Some("one step with compiling"),
        Steps::ParseAtCheck => Some("keeps nothing: each check parses"),
        Steps::ParseAndCompile | Steps::ElsewhereTimed => None,
    }
}

fn form(form: Form) -> &'static str {
    match form {
        Form::Url => "URL",
        Form::Path => "path and query",
        Form::Target => "path and query in normal form",
    }
}

/// How large robomata's programs are.
pub(crate) fn sizes(sizes: &Sizes) -> String {
    let Sizes { bodies, rules, programs, median, p99, max, distinct } = sizes;
    let mut out = "## Sizes: robomata's programs under `rfc9309`, one a distinct body\n\n| what | octets |\n|---|--:|\n".to_owned();
    line(&mut out, format_args!("| bodies | {bodies} |"));
    line(&mut out, format_args!("| normal forms of the crawler's rules | {rules} |"));
    line(&mut out, format_args!("| programs | {programs} |"));
    line(&mut out, format_args!("| {} distinct programs | {} |", distinct.0, distinct.1));
    line(&mut out, format_args!("| a program: median, p99, max | {median}, {p99}, {max} |"));
    out
}

fn line(out: &mut String, text: fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a String takes all text");
}
