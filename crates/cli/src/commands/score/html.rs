//! Scores as one HTML file that needs nothing else: no script, no font, no picture from elsewhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use robomata_jobs::score::report::{CrawlerScore, Refusals, ScoreReport, SiteScore};

use super::plot;

/// Crawlers whose violations are told in full; the table has all.
const TOLD: usize = 20;

/// What the third drawing shows.
const DELAYS: &str =
    "Share of the pairs of requests of a crawler to a site that are no farther apart than so long.";

/// The report as a page.
pub(super) fn page(report: &ScoreReport) -> String {
    let violators = || report.crawlers.iter().filter(|crawler| crawler.counts.disallowed > 0);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Crawlers and robots.txt" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Crawlers and robots.txt" }
                (head(report))
                h2 { "Crawlers" }
                div.wide { (crawlers(report)) }
                h2 { "Violations over time" }
                (figure(plot::violations(report)))
                h2 { "Violations by site" }
                (figure(plot::sites(report).map(|svg| (svg, "Disallowed requests of all crawlers, by site."))))
                h2 { "Time between requests" }
                (figure(plot::delays(report).map(|svg| (svg, DELAYS))))
                @if let Some(refusals) = &report.refusals {
                    h2 { "What crawlers refused by themselves" }
                    (refused(refusals))
                }
                @if violators().next().is_some() {
                    h2 { "What was broken" }
                    @for crawler in violators().take(TOLD) { (broken(crawler)) }
                }
            }
        }
    };
    page.into_string()
}

fn head(report: &ScoreReport) -> Markup {
    let visitors = report.visitors;
    html! {
        p {
            (report.requests) " requests"
            @if let Some((first, last)) = &report.span { " from " (first) " to " (last) }
            ": crawlers " (visitors.crawlers) ", browsers " (visitors.browsers) ", other programs " (visitors.programs)
            ", without a User-Agent " (visitors.nobody) ". Lines skipped: " (report.errors.total()) "."
        }
        p.note {
            "Every request is judged by the robots.txt that was in force at its time. What was allowed within the day before is "
            "excused (RFC 9309, section 2.4); unknown are requests before the first capture of a site, and to sites without one; "
            "too soon are requests before the delay was over that the site asks for."
        }
    }
}

fn crawlers(report: &ScoreReport) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th { "crawler" }
                    @for name in ["requests", "allowed", "disallowed", "excused", "unknown", "robots.txt", "refused"] {
                        th.number { (name) }
                    }
                    th { "too soon" }
                    th { "violations" }
                }
            }
            tbody {
                @for crawler in &report.crawlers {
                    @let counts = &crawler.counts;
                    @let unknown = counts.site_unknown + counts.before_first_capture + counts.no_policy + counts.invalid;
                    tr {
                        th scope="row" { (crawler.crawler) }
                        @for number in [counts.requests, counts.allowed] { td.number { (number) } }
                        td.number.bad[counts.disallowed > 0] { (counts.disallowed) }
                        @for number in [counts.excused, unknown, counts.robots_txt, counts.refused] {
                            td.number { (number) }
                        }
                        td.time {
                            @if crawler.delay.asked > 0 {
                                (crawler.delay.broken) " of " (crawler.delay.asked)
                            } @else { "–" }
                        }
                        td.time {
                            @if let (Some(first), Some(last)) = (&crawler.first_violation, &crawler.last_violation) {
                                (day(first)) " to " (day(last))
                            } @else { "none" }
                        }
                    }
                }
            }
        }
    }
}

/// The date of a time; the table of what was broken has it whole.
fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

/// A drawing, and what it shows.
fn figure(plot: Option<(String, &str)>) -> Markup {
    html! {
        @match plot {
            Some((svg, caption)) => figure { div.wide { (PreEscaped(svg)) } figcaption { (caption) } },
            None => p.note { "Nothing to show." },
        }
    }
}

fn refused(refusals: &Refusals) -> Markup {
    let rows = [
        ("refused", refusals.refused_disallowed, refusals.refused_allowed, refusals.refused_unknown),
        ("fetched", refusals.fetched_disallowed, refusals.fetched_allowed, refusals.fetched_unknown),
    ];
    html! {
        table {
            thead { tr { th {} th.number { "disallowed" } th.number { "allowed" } th.number { "unknown" } } }
            tbody {
                @for (name, disallowed, allowed, unknown) in rows {
                    tr {
                        th scope="row" { (name) }
                        td.number { (disallowed) } td.number { (allowed) } td.number { (unknown) }
                    }
                }
            }
        }
    }
}

fn broken(crawler: &CrawlerScore) -> Markup {
    html! {
        h3 { (crawler.crawler) ": " (crawler.counts.disallowed) " violations" }
        p.note { "Evidence: " (super::view::evidence(crawler)) "." }
        @for site in crawler.sites.iter().filter(|site| site.counts.disallowed > 0) { (broken_site(site)) }
        @if crawler.more_sites > 0 { p.note { (crawler.more_sites) " more sites." } }
    }
}

fn broken_site(site: &SiteScore) -> Markup {
    html! {
        details open {
            summary { (site.site) ": " (site.counts.disallowed) " of " (site.counts.requests) " requests" }
            div.wide {
                table {
                    thead {
                        tr { th.number { "requests" } th.number { "line" } th { "rule" } th { "from" } th { "to" } th { "for example" } }
                    }
                    tbody {
                        @for broken in &site.broken {
                            tr {
                                td.number { (broken.requests) }
                                td.number { @if broken.line > 0 { (broken.line) } }
                                td { code { (broken.rule.as_deref().unwrap_or("the site is closed")) } }
                                td.time { (broken.first) }
                                td.time { (broken.last) }
                                td { @for example in &broken.examples { code { (example) } br; } }
                            }
                        }
                    }
                }
            }
        }
    }
}

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --soft: #777; --bad: #c0392b; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 78rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; } h3 { font-size: 1.05rem; margin-top: 2rem; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .25rem 1rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; } .bad { color: var(--bad); font-weight: 600; }
.time { white-space: nowrap; } .wide { overflow-x: auto; } .note, figcaption { color: var(--soft); font-size: .9rem; }
figure { margin: 1rem 0; } svg { width: 100%; min-width: 40rem; height: auto; display: block; }
code { overflow-wrap: anywhere; } td:has(code) { min-width: 14rem; }
summary { cursor: pointer; margin: .75rem 0 .25rem; }
@media (prefers-color-scheme: dark) { :root { --soft: #aaa; --bad: #ff7b6b; } }
";
