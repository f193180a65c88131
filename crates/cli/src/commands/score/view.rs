//! Scores as text: a table, then the violations.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use robomata_jobs::score::report::{
    Counts, CrawlerScore, EvidenceCounts, JoinedCrawlers, Refusals, ScoreReport, listed,
};

use crate::style::{Styles, paint, visible};

/// The report as text.
pub(super) fn text(report: &ScoreReport, styles: Styles) -> String {
    let mut out = String::new();
    push_head(report, &mut out);
    if !report.crawlers.is_empty() {
        let _ = writeln!(out, "\n{}", table(report));
    }
    if let Some(joined) = &report.joined {
        let _ = writeln!(out, "\n{}", of_joined(joined));
    }
    for crawler in &report.crawlers {
        push_crawler(crawler, styles, &mut out);
    }
    if let Some(refusals) = &report.refusals {
        push_refusals(refusals, &mut out);
    }
    out
}

/// Describes the crawlers that are counted together.
pub(super) fn of_joined(joined: &JoinedCrawlers) -> String {
    format!(
        "(others) are {} with at most {} each; another crawler may lack as many",
        plural(joined.crawlers, "rare crawler"),
        plural(joined.requests, "request")
    )
}

fn push_head(report: &ScoreReport, out: &mut String) {
    let visitors = report.visitors;
    let _ = writeln!(
        out,
        "{}, {}: crawlers {}, browsers {}, other programs {}, without a User-Agent {}",
        plural(report.lines, "line"),
        plural(report.requests, "request"),
        visitors.crawlers,
        visitors.browsers,
        visitors.programs,
        visitors.without_user_agent
    );
    let others = [
        (report.asides, "without an HTTP request"),
        (report.errors.malformed_log_lines, "malformed"),
        (report.blanks, "blank, comments or headers"),
    ];
    let others = listed(&others);
    if !others.is_empty() {
        let _ = writeln!(out, "other lines: {others}");
    }
    if let Some((first, last)) = &report.span {
        let _ = writeln!(out, "from {first} to {last}");
    }
    for log in &report.formats {
        let detected = log
            .detected
            .map(|(read, tried)| format!(" ({read} of the first {})", plural(tried as u64, "line")));
        let _ = writeln!(out, "{}: {}{}", log.file, log.format, detected.unwrap_or_default());
    }
}

type CountOf = fn(&Counts) -> u64;

/// Columns that are empty in most reports. Requests that were refused, or have another method, are not among `requests`.
const RARE: [(&str, CountOf); 3] = [
    ("deferred", |counts| counts.deferred),
    ("refused", |counts| counts.refused),
    ("other methods", |counts| counts.other_methods),
];

fn table(report: &ScoreReport) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    let counts = report.counts();
    let rare: Vec<&(&str, CountOf)> = RARE.iter().filter(|(_, of)| of(&counts) > 0).collect();
    let names = ["crawler", "requests", "allowed", "disallowed", "excused", "unknown", "robots.txt"];
    table.set_header(names.into_iter().chain(rare.iter().map(|(name, _)| *name)).chain(["delay"]));
    for crawler in &report.crawlers {
        let counts = &crawler.counts;
        let delay = match crawler.delay.asked {
            0 => "-".to_owned(),
            asked => format!("{} of {asked} broken", crawler.delay.broken),
        };
        let numbers = [
            counts.requests,
            counts.allowed,
            counts.disallowed,
            counts.excused,
            counts.unknown(),
            counts.robots_txt,
        ];
        let numbers = numbers.into_iter().chain(rare.iter().map(|(_, of)| of(counts)));
        let row = std::iter::once(visible(&crawler.crawler));
        table.add_row(row.chain(numbers.map(|number| number.to_string())).chain([delay]));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn push_crawler(crawler: &CrawlerScore, styles: Styles, out: &mut String) {
    if crawler.counts.disallowed == 0 {
        return;
    }
    let name = paint(styles.heading, visible(&crawler.crawler));
    let between = crawler.first_violation.as_deref().zip(crawler.last_violation.as_deref());
    let between = between.map(|(first, last)| format!(", from {first} to {last}")).unwrap_or_default();
    let _ = writeln!(out, "\n{name}: {}{between}", plural(crawler.counts.disallowed, "violation"));
    let _ = writeln!(out, "  evidence: {}", evidence(&crawler.evidence));
    for site in crawler.sites.iter().filter(|site| site.counts.disallowed > 0) {
        let _ = writeln!(
            out,
            "  {}: {} of {}",
            visible(&site.site),
            site.counts.disallowed,
            plural(site.counts.requests, "request")
        );
        for broken in &site.broken {
            let rule = match (broken.line, broken.rule.as_deref().map(visible)) {
                (0, _) => "the site is closed".to_owned(),
                (line, Some(rule)) => format!("line {line}: {rule}"),
                (line, None) => format!("line {line}"),
            };
            let _ = writeln!(out, "    {:>7}  {rule}", broken.requests);
            for example in &broken.examples {
                let _ = writeln!(out, "             {}", paint(styles.faint, visible(example)));
            }
        }
    }
    if crawler.more_sites > 0 {
        let _ = writeln!(out, "  {} (--sites shows more)", plural(crawler.more_sites, "more site"));
    }
}

/// Describes the evidence for violations.
pub(super) fn evidence(evidence: &EvidenceCounts) -> String {
    let counts = [
        (evidence.bracketed, "between two captures that say so"),
        (evidence.within_a_day, "less than a day after one"),
        (evidence.within_a_week, "less than a week after one"),
        (evidence.within_a_month, "less than a month after one"),
        (evidence.within_a_year, "less than a year after one"),
        (evidence.older, "more than a year after one"),
        (evidence.before, "before the first one"),
        (evidence.undated, "at no known time"),
    ];
    listed(&counts)
}

fn push_refusals(refusals: &Refusals, out: &mut String) {
    let Refusals {
        refused_disallowed,
        refused_allowed,
        refused_unknown,
        fetched_disallowed,
        fetched_allowed,
        fetched_unknown,
    } = refusals;
    let _ = writeln!(out, "\nrequests that crawlers refused       disallowed  allowed  unknown");
    let _ = writeln!(out, "  refused  {refused_disallowed:>36}  {refused_allowed:>7}  {refused_unknown:>7}");
    let _ = writeln!(out, "  fetched  {fetched_disallowed:>36}  {fetched_allowed:>7}  {fetched_unknown:>7}");
}

fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
