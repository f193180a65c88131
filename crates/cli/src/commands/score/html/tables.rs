//! The tables of the page.

use maud::{Markup, html};
use robomata_jobs::score::report::{
    BrokenRule, CrawlerScore, EvidenceCounts, Refusals, RobotsTxtScore, RuleScore, ScoreReport, StatusCount,
};
use robomata_jobs::score::top::TopList;

use super::{SiteTotal, bar, count, date, name, number, plural_of, share, shortened, table};
use crate::commands::score::view;

/// The maximum number of rows of a table; a note below it counts the rest.
const ROWS: usize = 100;
/// The number of paths that are shown, and of robots.txt files that are unfolded.
const PATHS: usize = 40;
const UNFOLDED: usize = 3;
/// The maximum length of a name, and of a path, rule or User-Agent.
const NAME: usize = 60;
const TEXT: usize = 160;

pub(super) fn crawlers(report: &ScoreReport) -> Markup {
    let heads = [
        ("Crawler", false),
        ("Requests", true),
        ("Share", true),
        ("By robots.txt", false),
        ("Disallowed", true),
        ("Share disallowed", true),
        ("Excused", true),
        ("Not judged", true),
        ("robots.txt fetched", true),
        ("Too soon", true),
        ("First seen", false),
        ("Last seen", false),
    ];
    let all = report.counts().requests;
    let rows = html! {
        @for crawler in report.crawlers.iter().take(ROWS) {
            @let counts = crawler.counts;
            @let parts = [
                ("allowed", counts.allowed, "good"),
                ("disallowed", counts.disallowed, "bad"),
                ("excused", counts.excused, "warn"),
                ("deferred", counts.deferred, "warn"),
                ("robots.txt itself", counts.robots_txt, "c1"),
                ("not judged", counts.unknown(), "c0"),
            ];
            tr {
                th scope="row" { (name(crawler)) }
                (count(counts.requests))
                (share(counts.requests, all))
                td { (bar(&parts)) }
                td.n.bad[counts.disallowed > 0] { (number(counts.disallowed)) }
                (share(counts.disallowed, counts.requests))
                (count(counts.excused))
                (count(counts.unknown()))
                (count(counts.robots_txt))
                (too_soon(crawler))
                td.time { (crawler.days.first().map_or("–", |day| day.day.as_str())) }
                td.time { (crawler.days.last().map_or("–", |day| day.day.as_str())) }
            }
        }
    };
    html! {
        @if report.crawlers.is_empty() { p { "No crawler made a request." } }
        @else {
            (table("Crawlers, and how robots.txt applies to their requests", &heads, &rows))
            ul.legend {
                @for (name, class) in [("allowed", "good"), ("disallowed", "bad"), ("excused or deferred", "warn"), ("robots.txt itself", "c1"), ("not judged", "c0")] {
                    li { span.swatch.(class) {} (name) }
                }
            }
            (left_out(report.crawlers.len(), "crawler"))
            @if let Some(joined) = &report.joined { p.note { (view::of_joined(joined)) "." } }
        }
    }
}

fn too_soon(crawler: &CrawlerScore) -> Markup {
    html! {
        @if crawler.delay.asked > 0 {
            td.n data-v=(crawler.delay.broken) { (number(crawler.delay.broken)) " of " (number(crawler.delay.asked)) }
        } @else { td.n data-v="0" { "–" } }
    }
}

pub(super) fn sites(sites: &[SiteTotal<'_>]) -> Markup {
    let heads =
        [("Site", false), ("Requests", true), ("", false), ("Disallowed", true), ("Share disallowed", true)];
    let most = sites.iter().map(|total| total.requests).max().unwrap_or(0);
    let rows = html! {
        @for total in sites.iter().take(ROWS) {
            tr {
                th scope="row" { (shortened(total.site, NAME)) }
                (count(total.requests))
                td { (length(total.requests - total.disallowed, total.disallowed, most)) }
                td.n.bad[total.disallowed > 0] { (number(total.disallowed)) }
                (share(total.disallowed, total.requests))
            }
        }
    };
    html! {
        (table("Requests of crawlers by site", &heads, &rows))
        (left_out(sites.len(), "site"))
    }
}

pub(super) fn statuses(report: &ScoreReport) -> Markup {
    let heads = [
        ("Crawler", false),
        ("Status codes", false),
        ("2xx", true),
        ("3xx", true),
        ("4xx", true),
        ("5xx", true),
        ("Other", true),
        ("Share of errors", true),
        ("Most frequent", false),
    ];
    let mut crawlers: Vec<&CrawlerScore> =
        report.crawlers.iter().filter(|crawler| !crawler.statuses.is_empty()).collect();
    crawlers.sort_by_key(|crawler| std::cmp::Reverse(crawler.counts.requests));
    let rows = html! {
        @for crawler in crawlers.iter().take(ROWS) {
            @let [success, redirect, client, server, other] = classes(&crawler.statuses);
            @let parts = [
                ("2xx", success, "good"), ("3xx", redirect, "c1"), ("4xx", client, "warn"), ("5xx", server, "bad"), ("other", other, "c0"),
            ];
            tr {
                th scope="row" { (name(crawler)) }
                td { (bar(&parts)) }
                @for number in [success, redirect, client, server, other] { (count(number)) }
                (share(client + server, crawler.counts.requests))
                td.time { (frequent(&crawler.statuses)) }
            }
        }
    };
    html! {
        @if crawlers.is_empty() { p { "The logs contain no status codes." } }
        @else {
            (table("Status codes of the responses, by crawler", &heads, &rows))
            ul.legend {
                @for (name, class) in [("2xx success", "good"), ("3xx redirect", "c1"), ("4xx client error", "warn"), ("5xx server error", "bad"), ("other or none", "c0")] {
                    li { span.swatch.(class) {} (name) }
                }
            }
            (left_out(crawlers.len(), "crawler"))
        }
    }
}

/// Counts requests by the first digit of their status, from 2 to 5, and all others.
fn classes(statuses: &[StatusCount]) -> [u64; 5] {
    let mut classes = [0; 5];
    for count in statuses {
        let class = match count.status {
            Some(200..300) => 0,
            Some(300..400) => 1,
            Some(400..500) => 2,
            Some(500..600) => 3,
            _ => 4,
        };
        classes[class] += count.requests;
    }
    classes
}

/// Lists the three most frequent status codes.
fn frequent(statuses: &[StatusCount]) -> String {
    let mut statuses = statuses.to_vec();
    statuses.sort_by_key(|count| (std::cmp::Reverse(count.requests), count.status));
    let name = |status: Option<i32>| status.map_or("none".to_owned(), |status| status.to_string());
    let shown =
        statuses.iter().take(3).map(|count| format!("{} × {}", number(count.requests), name(count.status)));
    shown.collect::<Vec<_>>().join(", ")
}

pub(super) fn violations(report: &ScoreReport, has_sites: bool) -> Markup {
    let mut heads = vec![
        ("Crawler", false),
        ("Site", false),
        ("Line", true),
        ("Rule", false),
        ("Requests", true),
        ("First", false),
        ("Last", false),
        ("For example", false),
    ];
    if !has_sites {
        heads.remove(1);
    }
    let mut broken: Vec<(&CrawlerScore, &str, &BrokenRule)> = Vec::new();
    for crawler in &report.crawlers {
        let rules = crawler.sites.iter().flat_map(|site| site.broken.iter().map(|rule| (&*site.site, rule)));
        broken.extend(rules.map(|(site, rule)| (crawler, site, rule)));
    }
    broken.sort_by_key(|(_, _, rule)| std::cmp::Reverse(rule.requests));
    let rows = html! {
        @for (crawler, site, rule) in broken.iter().take(ROWS) {
            tr {
                th scope="row" { (name(crawler)) }
                @if has_sites { td { (shortened(site, NAME)) } }
                td.n { @if rule.line > 0 { (rule.line) } }
                td.rule { @match &rule.rule {
                    Some(text) => code { (shortened(text, TEXT)) },
                    None if rule.line == 0 => "the site is closed",
                    None => "",
                } }
                (count(rule.requests))
                td.time title=(rule.first) { (day(&rule.first)) }
                td.time title=(rule.last) { (day(&rule.last)) }
                td.long { @for example in rule.examples.iter().take(1) { code { (shortened(example, TEXT)) } } }
            }
        }
    };
    let evidence =
        report.crawlers.iter().fold(EvidenceCounts::default(), |sum, crawler| sum.plus(&crawler.evidence));
    let is_cut = report.crawlers.iter().any(|crawler| crawler.more_sites > 0);
    html! {
        (table("Rules that were violated, by crawler", &heads, &rows))
        (left_out(broken.len(), "rule"))
        @if is_cut { p.note { "For each crawler, the sites with the most violations are listed (--sites lists more)." } }
        p.note { "Evidence that the rules were in force: " (view::evidence(&evidence)) "." }
    }
}

/// Returns the date of an RFC 3339 time.
fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

pub(super) fn robots_txt(report: &ScoreReport) -> Markup {
    html! {
        @if report.robots_txt.is_empty() { p { "No request was judged by a robots.txt." } }
        @for (place, version) in report.robots_txt.iter().enumerate() {
            details open[place < UNFOLDED] {
                summary { h3 { (shortened(&version.site, NAME)) @if let Some(captured) = &version.captured { ", since " (date(captured)) } } }
                (version_of(version))
            }
        }
        @if report.more_robots_txt > 0 {
            p.note { (plural_of(report.more_robots_txt, "more version")) " of robots.txt files with fewer requests omitted." }
        }
    }
}

fn version_of(version: &RobotsTxtScore) -> Markup {
    let used: Vec<&RuleScore> = version.rules.iter().filter(|rule| rule.requests > 0).collect();
    // If requests were not counted, a rule without a count may have decided.
    let is_unused = |rule: &&RuleScore| rule.requests == 0 && version.is_whole;
    let unused: Vec<&RuleScore> = version.rules.iter().filter(is_unused).collect();
    let never = unused.len() as u64 + version.more_rules;
    let heads =
        [("Line", true), ("Group", false), ("Rule", false), ("Requests", true), ("", false), ("Share", true)];
    let most = used.first().map_or(0, |rule| rule.requests);
    let rows = |rules: &[&RuleScore]| {
        html! {
            @for rule in rules.iter().take(ROWS) {
                tr {
                    td.n { (rule.line) }
                    td { (shortened(&rule.agents.join(", "), NAME)) }
                    td.long { code { (shortened(&rule.rule, TEXT)) } }
                    (count(rule.requests))
                    td { (length(rule.requests, 0, most)) }
                    (share(rule.requests, version.requests))
                }
            }
        }
    };
    html! {
        p {
            (plural_of(version.requests, "request")) " judged: " (plural_of(used.len() as u64, "rule")) " decided "
            (number(version.requests - version.no_rule - version.not_counted)) ", and no rule matches " (number(version.no_rule)) "."
            @if version.not_counted > 0 {
                " There are too many rules: " (plural_of(version.not_counted, "request")) " not counted by rule, so the rules of these are missing."
            } @else if version.is_whole { " " (plural_of(never, "rule")) " never decided." }
            @else { " A bundle does not contain the text of rules, so rules that never decided are not listed." }
        }
        @if !used.is_empty() {
            (table("Rules that decided", &heads, &rows(&used)))
            (left_out(used.len(), "rule"))
        }
        @if !unused.is_empty() {
            (table("Rules that never decided", &heads[..3], &html! {
                @for rule in unused.iter().take(ROWS) {
                    tr {
                        td.n { (rule.line) }
                        td { (shortened(&rule.agents.join(", "), NAME)) }
                        td.long { code { (shortened(&rule.rule, TEXT)) } }
                    }
                }
            }))
            (left_out(usize::try_from(never).unwrap_or(usize::MAX), "rule"))
        }
    }
}

pub(super) fn paths(report: &ScoreReport, has_sites: bool) -> Markup {
    let mut heads = vec![
        ("Path", false),
        ("Site", false),
        ("Requests", true),
        ("", false),
        ("Share", true),
        ("Disallowed", true),
        ("Errors", true),
    ];
    if !has_sites {
        heads.remove(1);
    }
    let all = report.counts().requests;
    let most = report.paths.listed.first().map_or(0, |path| path.requests);
    let rows = html! {
        @for path in report.paths.listed.iter().take(PATHS) {
            tr {
                td.long { code { (shortened(&path.path, TEXT)) } }
                @if has_sites { td { (shortened(&path.site, NAME)) } }
                (count(path.requests))
                td { (length(path.requests - path.disallowed.min(path.requests), path.disallowed, most)) }
                (share(path.requests, all))
                td.n.bad[path.disallowed > 0] { (number(path.disallowed)) }
                (count(path.errors))
            }
        }
    };
    html! {
        @if report.paths.listed.is_empty() { p { "No crawler requested a path." } }
        @else {
            (table("Paths that crawlers requested, without queries", &heads, &rows))
            (others(&report.paths, PATHS, "path"))
        }
    }
}

pub(super) fn programs(report: &ScoreReport) -> Markup {
    let heads =
        [("Program", false), ("Requests", true), ("", false), ("Share", true), ("First User-Agent", false)];
    let most = report.programs.listed.first().map_or(0, |program| program.requests);
    let rows = html! {
        @for program in &report.programs.listed {
            tr {
                th scope="row" { (shortened(&program.name, NAME)) }
                (count(program.requests))
                td { (length(program.requests, 0, most)) }
                (share(program.requests, report.requests))
                td.long { code { (shortened(&program.agent, TEXT)) } }
            }
        }
    };
    html! {
        @if report.programs.listed.is_empty() { p { "There were none: no request came from a program that is neither a crawler nor a browser." } }
        @else {
            p { "They do not identify themselves as crawlers, so they are not judged." }
            (table("Programs that are neither crawlers nor browsers", &heads, &rows))
            (others(&report.programs, ROWS, "program"))
        }
    }
}

pub(super) fn refusals(refusals: &Refusals) -> Markup {
    let heads = [("", false), ("Disallowed", true), ("Allowed", true), ("Unknown", true)];
    let rows = [
        ("Refused", refusals.refused_disallowed, refusals.refused_allowed, refusals.refused_unknown),
        ("Fetched", refusals.fetched_disallowed, refusals.fetched_allowed, refusals.fetched_unknown),
    ];
    let rows = html! {
        @for (name, disallowed, allowed, unknown) in rows {
            tr { th scope="row" { (name) } (count(disallowed)) (count(allowed)) (count(unknown)) }
        }
    };
    table("Requests that crawlers refused or made, and how robots.txt applies to them", &heads, &rows)
}

/// Draws a bar, scaled to the longest one: a part in the usual colour, then a highlighted part.
fn length(usual: u64, bad: u64, most: u64) -> Markup {
    html! {
        div.bar.plain aria-hidden="true" {
            @for (count, class) in [(usual, "c1"), (bad, "bad")] {
                @if count > 0 { span.(class) style={ "width:" (super::width(count, most)) "%" } {} }
            }
        }
    }
}

fn left_out(all: usize, what: &str) -> Markup {
    html! { @if all > ROWS { p.note { "The first " (ROWS) " of " (plural_of(all as u64, what)) "." } } }
}

fn others<T>(list: &TopList<T>, shown: usize, what: &str) -> Markup {
    let all = list.listed.len() as u64 + list.others;
    html! {
        @if all > shown as u64 {
            p.note {
                "The first " (shown) " of "
                @if list.forgotten > 0 { "more than " }
                (plural_of(all, what)) "."
                @if list.forgotten > 0 {
                    " There were too many to count each: a count may be up to " (number(list.forgotten)) " too low."
                }
            }
        }
    }
}
