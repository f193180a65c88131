//! Scores as one self-contained HTML page: no fonts, no images, no requests to other hosts. Its content security policy
//! allows only its own script, which sorts tables. Control characters in texts from logs and sites are escaped.

mod chart;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use indicatif::HumanCount;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use robomata_jobs::score::report::{Counts, CrawlerScore, ScoreReport, Visitors};

use crate::style::visible;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// The content security policy: only the one script, by its hash (`openssl dgst -sha256 -binary page.js | base64`).
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-vzPgzVydVR0lFhI6XaJbvMKBA/bX713WcFF3uwvAai0='";

/// The number of names that are listed where there may be thousands.
const NAMES: usize = 5;

/// Formats the report as a page. `robots` names the sources of the robots.txt files.
pub(super) fn page(report: &ScoreReport, robots: &[String]) -> String {
    let sites = sites(report);
    let title = format!("Crawlers on {}", hosts(&sites));
    let sections = sections(report, &sites);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(concat!("robomata ", env!("CARGO_PKG_VERSION")));
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.kind { "Crawlers and robots.txt" }
                    h1 { (title) }
                    (inputs(report, robots))
                }
                nav aria-label="Sections" {
                    ul { @for (id, title, _) in &sections { li { a href={ "#" (id) } { (title) } } } }
                }
                main {
                    @for (id, title, content) in &sections {
                        section id=(id) aria-labelledby={ (id) "-title" } {
                            h2 id={ (id) "-title" } { (title) }
                            (content)
                        }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

type Section = (&'static str, &'static str, Markup);

fn sections(report: &ScoreReport, sites: &[SiteTotal<'_>]) -> Vec<Section> {
    let mut sections = vec![
        ("summary", "Summary", summary(report)),
        ("crawlers", "Crawlers", tables::crawlers(report)),
        ("days", "Requests by crawler and day", chart::requests(report)),
        ("status", "Status codes by crawler", tables::statuses(report)),
        ("violations", "Violations", violations(report, sites.len() > 1)),
    ];
    if sites.len() > 1 {
        sections.push(("sites", "Sites", tables::sites(sites)));
    }
    sections.extend([
        ("rules", "Rules of robots.txt", tables::robots_txt(report)),
        ("paths", "Most requested paths", tables::paths(report, sites.len() > 1)),
        ("gaps", "Time between requests", chart::gaps(report)),
    ]);
    if let Some(refusals) = &report.refusals {
        sections.push(("refused", "Requests that crawlers refused", tables::refusals(refusals)));
    }
    sections.push(("programs", "Other programs", tables::programs(report)));
    sections.push(("notes", "How to read this report", notes(report)));
    sections
}

/// The requests of crawlers to one site.
struct SiteTotal<'r> {
    site: &'r str,
    requests: u64,
    disallowed: u64,
}

/// Lists the sites, those with the most requests first.
fn sites(report: &ScoreReport) -> Vec<SiteTotal<'_>> {
    // The lists of sites of each crawler are truncated, so they are not used.
    let mut sites: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for cell in &report.cells {
        if !cell.site.is_empty() && !matches!(cell.verdict, "refused" | "other-method") {
            let (requests, disallowed) = sites.entry(&cell.site).or_default();
            *requests += cell.requests;
            *disallowed += if cell.verdict == "disallowed" { cell.requests } else { 0 };
        }
    }
    let total = |(site, (requests, disallowed))| SiteTotal { site, requests, disallowed };
    let mut sites: Vec<SiteTotal<'_>> = sites.into_iter().map(total).collect();
    sites.sort_by_key(|total| (std::cmp::Reverse(total.requests), total.site));
    sites
}

/// Lists the hosts for the title, those with the most requests first.
fn hosts(sites: &[SiteTotal<'_>]) -> String {
    /// The number of hosts that a title names.
    const NAMED: usize = 3;
    let mut known = BTreeSet::new();
    // Sites that are counted together have no host.
    let host = |total: &SiteTotal<'_>| Some(total.site.split_once("://")?.1.to_owned());
    let hosts: Vec<String> =
        sites.iter().filter_map(host).filter(|host| known.insert(host.clone())).collect();
    let named: Vec<String> = hosts.iter().take(NAMED).map(|host| shortened(host, 60)).collect();
    match hosts.len() {
        0 => "no site".to_owned(),
        count if count > NAMED => format!("{} and {}", named.join(", "), plural(count - NAMED, "more site")),
        _ => listed(&named),
    }
}

/// The logs, the robots.txt files and their formats.
fn inputs(report: &ScoreReport, robots: &[String]) -> Markup {
    let logs: Vec<String> =
        report.formats.iter().map(|log| format!("{} ({})", log.file, log.format)).collect();
    let names = |names: &[String]| {
        let more = names.len().saturating_sub(NAMES);
        let named: Vec<String> = names.iter().take(NAMES).map(|name| shortened(name, 80)).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        named.join(", ") + &more
    };
    html! {
        dl.inputs {
            @if let Some((first, last)) = &report.span {
                div { dt { "Period" } dd { (period(first, last)) } }
            }
            div { dt { "Logs" } dd { (names(&logs)) "; " (plural_of(report.lines, "line")) } }
            div { dt { "robots.txt" } dd { (names(robots)) ", read as " (report.dialect.as_str()) } }
        }
    }
}

fn summary(report: &ScoreReport) -> Markup {
    let counts = report.counts();
    let answered = |range: std::ops::Range<i32>| -> u64 {
        let statuses = report.crawlers.iter().flat_map(|crawler| &crawler.statuses);
        statuses
            .filter(|count| count.status.is_some_and(|status| range.contains(&status)))
            .map(|count| count.requests)
            .sum()
    };
    let errors = answered(400..600);
    let fetched = report.crawlers.iter().filter(|crawler| crawler.counts.robots_txt > 0).count();
    let crawlers = report.crawlers.len();
    let tile = |value: String, name: &str, note: String, class: &str| {
        html! { div.tile.(class) { dt { (name) } dd { (value) } dd.note { (note) } } }
    };
    let of_requests = |count: u64| format!("{} of requests", percent(count, counts.requests));
    let (verdict, class) = verdict(report, &counts);
    html! {
        p.verdict.(class) { (verdict) }
        dl.tiles {
            (tile(number(counts.requests), "Requests by crawlers", format!("{} of all requests", percent(report.visitors.crawlers, report.requests)), ""))
            (tile(crawlers.to_string(), "Crawlers", format!("{fetched} fetched robots.txt"), ""))
            (tile(number(counts.disallowed), "Disallowed", of_requests(counts.disallowed), if counts.disallowed > 0 { "bad" } else { "good" }))
            (tile(number(counts.excused), "Excused", format!("allowed {} before", days(report.excused_days)), ""))
            (tile(number(errors), "Errors (4xx, 5xx)", of_requests(errors), ""))
            (tile(number(counts.unknown()), "Not judged", of_requests(counts.unknown()), if counts.unknown() > 0 { "warn" } else { "" }))
        }
        (visitors(report.visitors, report.requests))
        (findings(report, &counts))
    }
}

/// Summarizes the result in one sentence.
fn verdict(report: &ScoreReport, counts: &Counts) -> (String, &'static str) {
    let violators: Vec<String> =
        report.crawlers.iter().filter(|crawler| crawler.counts.disallowed > 0).map(name).collect();
    let judged = counts.requests - counts.robots_txt - counts.unknown();
    if counts.requests == 0 {
        return ("No crawler made a request in these logs.".to_owned(), "");
    }
    if violators.is_empty() {
        let share = format!("of the {} that could be judged", plural_of(judged, "request"));
        return (format!("No crawler violated robots.txt: none {share} was disallowed."), "good");
    }
    let named = match violators.len() {
        1..=3 => listed(&violators),
        count => format!("{} and {} more", violators[..2].join(", "), count - 2),
    };
    let text = format!(
        "{} of {} violated robots.txt with {}, {} of all requests by crawlers: {named}.",
        number(violators.len() as u64),
        plural(report.crawlers.len(), "crawler"),
        plural_of(counts.disallowed, "disallowed request"),
        percent(counts.disallowed, counts.requests),
    );
    (text, "bad")
}

/// The visitors that made the requests.
fn visitors(visitors: Visitors, requests: u64) -> Markup {
    let parts = [
        ("crawlers", visitors.crawlers, "c1"),
        ("browsers", visitors.browsers, "c3"),
        ("other programs", visitors.programs, "c2"),
        ("without a User-Agent", visitors.without_user_agent, "c0"),
    ];
    html! {
        figure {
            (bar(&parts))
            ul.legend {
                @for (name, count, class) in parts {
                    li { span.swatch.(class) {} (name) " " b { (number(count)) } " (" (percent(count, requests)) ")" }
                }
            }
            figcaption { "All " (number(requests)) " requests by kind of visitor, according to their User-Agents." }
        }
    }
}

/// The most notable results, in words.
fn findings(report: &ScoreReport, counts: &Counts) -> Markup {
    let most = report.crawlers.iter().max_by_key(|crawler| crawler.counts.requests);
    let (asked, early) = report
        .crawlers
        .iter()
        .fold((0, 0), |(asked, early), crawler| (asked + crawler.delay.asked, early + crawler.delay.broken));
    let whole = report.robots_txt.iter().filter(|version| version.is_whole);
    let (rules, never) = whole.fold((0, 0), |(rules, never), version| {
        let unused = version.rules.iter().filter(|rule| rule.requests == 0).count() as u64;
        (rules + version.rules.len() as u64 + version.more_rules, never + unused + version.more_rules)
    });
    let path = report.paths.listed.first();
    html! {
        ul.findings {
            @if let Some(most) = most {
                li { "Most active: " b { (name(most)) } " with " (plural_of(most.counts.requests, "request"))
                    ", " (percent(most.counts.requests, counts.requests)) " of all by crawlers." }
            }
            @if let Some(path) = path {
                li { "Most requested path: " code { (shortened(&path.path, 80)) } ", " (plural_of(path.requests, "request")) "." }
            }
            @if asked > 0 {
                li { "Crawl-delay: " (number(early)) " of " (plural_of(asked, "request")) " came too soon." }
            }
            @if rules > 0 {
                li { (number(never)) " of " (plural_of(rules, "rule")) " in robots.txt never decided a request." }
            }
            @if counts.unknown() > 0 {
                li { "Not judged: " (report.causes()) "." }
            }
            @if report.errors.total() > 0 {
                li { (plural_of(report.errors.total(), "line")) " of the input could not be read." }
            }
        }
    }
}

fn violations(report: &ScoreReport, has_sites: bool) -> Markup {
    html! {
        @if report.counts().disallowed == 0 {
            p { "There were none." }
        } @else {
            (chart::violations(report))
            (tables::violations(report, has_sites))
        }
    }
}

fn notes(report: &ScoreReport) -> Markup {
    let source = match report.dialect.as_str() {
        "koster1996" => "Koster’s draft of 1996, section 3.4",
        _ => "RFC 9309, section 2.4",
    };
    let terms = [
        ("Crawler", "Recognized by its User-Agent, which any client can send. To verify it, use the client addresses that --requests writes.".to_owned()),
        ("Judged", "By the robots.txt in force at the time of the request: the newest earlier capture. GET, HEAD and POST requests count.".to_owned()),
        ("Disallowed", "A violation: a rule in force disallows the request. A request for robots.txt itself is never one.".to_owned()),
        ("Excused", format!("Disallowed, but allowed up to {} before. A crawler may use its copy of robots.txt for that long ({source}). Or allowed to a crawler whose own attempt failed, between two captured failures.", days(report.excused_days))),
        ("Not judged", "No capture of robots.txt is known for that site and time, or for the copy that a crawler may use then; or the log does not name the host.".to_owned()),
        ("Too soon", "The time since the previous request, from any address, is shorter than the site’s Crawl-delay. Some servers log the end of a response, so a slow one can look like a short pause.".to_owned()),
        ("Times", "In UTC.".to_owned()),
    ];
    html! {
        dl.terms { @for (term, text) in terms { div { dt { (term) } dd { (text) } } } }
        p.note { "Made by robomata " (env!("CARGO_PKG_VERSION")) ". Exact figures for programs: robomata score --json." }
    }
}

/// Draws a horizontal bar whose parts are labelled by name.
fn bar(parts: &[(&str, u64, &str)]) -> Markup {
    let whole: u64 = parts.iter().map(|(_, count, _)| count).sum();
    let shown = || parts.iter().filter(|(_, count, _)| *count > 0);
    let label: Vec<String> =
        shown().map(|(name, count, _)| format!("{name} {}", percent(*count, whole))).collect();
    html! {
        div.bar role="img" aria-label=(label.join(", ")) {
            @for (name, count, class) in shown() {
                span.(class) style={ "width:" (width(*count, whole)) "%" } title={ (name) ": " (number(*count)) } {}
            }
        }
    }
}

/// Draws a table with sortable columns. A head with `true` is for numbers.
fn table(caption: &str, heads: &[(&str, bool)], rows: &Markup) -> Markup {
    html! {
        div.scroll role="region" aria-label=(caption) tabindex="0" {
            table.sort {
                caption { (caption) }
                thead { tr { @for (name, is_number) in heads { th.n[*is_number] scope="col" { (name) } } } }
                tbody { (rows) }
            }
        }
    }
}

fn count(number: u64) -> Markup {
    html! { td.n { (self::number(number)) } }
}

fn share(part: u64, whole: u64) -> Markup {
    html! { td.n data-v=(width(part, whole)) { (percent(part, whole)) } }
}

fn number(number: u64) -> String {
    HumanCount(number).to_string()
}

#[expect(clippy::cast_precision_loss, reason = "shown in a few digits")]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Formats a share as a percentage for style sheets.
fn width(part: u64, whole: u64) -> String {
    format!("{:.3}", ratio(part, whole) * 100.0)
}

fn percent(part: u64, whole: u64) -> String {
    let percent = ratio(part, whole) * 100.0;
    match part {
        0 => "0%".to_owned(),
        _ if percent < 0.1 => "<0.1%".to_owned(),
        _ if part < whole && percent > 99.9 => ">99.9%".to_owned(),
        _ if percent < 10.0 => format!("{}%", (percent * 10.0).round() / 10.0),
        _ => format!("{percent:.0}%"),
    }
}

fn plural(count: usize, what: &str) -> String {
    plural_of(count as u64, what)
}

fn plural_of(count: u64, what: &str) -> String {
    format!("{} {what}{}", number(count), if count == 1 { "" } else { "s" })
}

fn days(count: i64) -> String {
    if count == 1 { "a day".to_owned() } else { format!("{count} days") }
}

/// Joins names: `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [names @ .., last] => format!("{} and {last}", names.join(", ")),
    }
}

/// Returns a crawler's name: its product token, without the tokens it falls back to.
fn name(crawler: &CrawlerScore) -> String {
    shortened(crawler.crawler.split(',').next().unwrap_or_default(), 40)
}

/// Removes the middle of a text that is longer than `most` characters: the ends distinguish it.
fn shortened(text: &str, most: usize) -> String {
    let text = visible(text);
    let length = text.chars().count();
    if length <= most {
        return text;
    }
    let start: String = text.chars().take(most * 2 / 3).collect();
    let end: String = text.chars().skip(length - most / 4).collect();
    format!("{start}…{end}")
}

/// Formats the period between two RFC 3339 times.
fn period(first: &str, last: &str) -> String {
    let (start, end) = (date(first), date(last));
    if start == end {
        let clock = |time: &str| time.get(11..16).unwrap_or_default().to_owned();
        return format!("{start}, {} to {} UTC", clock(first), clock(last));
    }
    format!("{start} to {end}")
}

/// Formats `2024-05-31…` as `31 May 2024`.
fn date(time: &str) -> String {
    let day = time.split('T').next().unwrap_or_default();
    match day.split('-').collect::<Vec<_>>()[..] {
        [year, month, day] => {
            format!("{} {} {year}", day.trim_start_matches('0'), chart::month(month).unwrap_or(month))
        }
        _ => day.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_none_or_all() {
        let percents = [(0, 10), (1, 10_000), (1, 300), (1, 3), (9_999, 10_000), (3, 3), (0, 0)];
        let shown = percents.map(|(part, whole)| percent(part, whole));
        assert_eq!(shown, ["0%", "<0.1%", "0.3%", "33%", ">99.9%", "100%", "0%"]);
    }

    #[test]
    fn titles_name_few_hosts() {
        let total = |site| SiteTotal { site, requests: 1, disallowed: 0 };
        let title = |sites: &[&'static str]| hosts(&sites.iter().copied().map(total).collect::<Vec<_>>());
        assert_eq!(title(&["https://a.example", "http://a.example"]), "a.example");
        assert_eq!(title(&["https://a", "https://b"]), "a and b");
        assert_eq!(title(&["https://a", "https://b", "https://c", "https://d"]), "a, b, c and 1 more site");
    }

    #[test]
    fn long_texts_keep_their_ends() {
        assert_eq!(shortened("short", 12), "short");
        assert_eq!(shortened("abcdefghijklmnopqrstuvwxyz", 12), "abcdefgh…xyz");
        assert_eq!(shortened("a\u{202e}b", 12), "a\\u{202e}b");
    }

    #[test]
    fn periods_are_words() {
        assert_eq!(period("2026-01-04T00:00:00Z", "2026-03-10T00:00:00Z"), "4 Jan 2026 to 10 Mar 2026");
        assert_eq!(period("2026-01-04T08:05:00Z", "2026-01-04T09:10:00Z"), "4 Jan 2026, 08:05 to 09:10 UTC");
    }
}
