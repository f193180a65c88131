//! The report about logs, for people and programs.

use std::sync::Arc;

use robomata_engine::Dialect;
use robomata_engine::protocol::semantics::SeveralNames;
use serde::{Serialize, Serializer};

use super::account::OTHERS;
use super::top::TopList;

use crate::error::JobError;
use crate::problem::ErrorCounts;

/// The result of scoring logs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ScoreReport {
    /// Lines read. For Parquet the rows, and for web archives the requests in records.
    pub lines: u64,
    /// Requests among these lines.
    pub requests: u64,
    /// Well-formed lines that are not HTTP requests.
    pub asides: u64,
    /// Blank lines, comments and headers of indexes and tables.
    pub blanks: u64,
    /// Requests by the kind of client.
    pub visitors: Visitors,
    /// The time of the first and of the last request, RFC 3339.
    pub span: Option<(String, String)>,
    /// The dialect of every robots.txt.
    pub dialect: Dialect,
    /// Days for which a copy of a robots.txt may be used. A request that was allowed at some time in these days is excused.
    pub excused_days: i64,
    /// All crawlers, those with most violations first, then by requests and name.
    pub crawlers: Vec<CrawlerScore>,
    /// The crawlers whose requests are those of the crawler `(others)`; none if every crawler is counted separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined: Option<JoinedCrawlers>,
    /// Requests that crawlers refused by themselves, compared with the policies; none if no log records refusals.
    pub refusals: Option<Refusals>,
    /// The paths that crawlers requested most often, without queries.
    pub paths: TopList<PathScore>,
    /// Other programs by name.
    pub programs: TopList<ProgramScore>,
    /// The rules that decided about requests to the sites with most of them, for each version of their robots.txt.
    pub robots_txt: Vec<RobotsTxtScore>,
    /// Versions that are not listed.
    pub more_robots_txt: u64,
    /// Requests of the job's crawler, which logs without User-Agents do not name.
    #[serde(skip)]
    pub of_given_crawler: u64,
    /// Counts by crawler, site, day and rule. If there were too many, further ones are counted under `(others)`.
    #[serde(skip)]
    pub cells: Vec<Cell>,
    /// The formats of the logs, in order, and how many of the tested lines match each format.
    pub formats: Vec<LogFile>,
    /// Counts of unusable input.
    pub errors: ErrorCounts,
}

/// Rare crawlers that are counted together as `(others)`, because there were too many to count each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JoinedCrawlers {
    /// The number of these crawlers. One that returned and was rare again counts again.
    pub crawlers: u64,
    /// None of them had more requests than this when it was joined. A crawler that is listed may lack as many, which are
    /// among those of `(others)`. The sums over all crawlers are exact.
    pub requests: u64,
}

/// The format of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogFile {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// The number of lines in this format, and of lines that were tested. None if the format was given, and for Parquet
    /// and WARC.
    pub detected: Option<(usize, usize)>,
}

/// A path that was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathScore {
    /// Its site; empty if unknown.
    pub site: String,
    /// The path without its query; very long paths are cut.
    pub path: String,
    /// Requests of crawlers.
    pub requests: u64,
    /// Violations among these requests.
    pub disallowed: u64,
    /// Requests with a response status of 400 to 599.
    pub errors: u64,
}

/// A program that does not declare itself a crawler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramScore {
    /// Its name, without a version.
    pub name: String,
    /// Its requests.
    pub requests: u64,
    /// The first of its User-Agents.
    pub agent: String,
}

/// One version of a site's robots.txt, and how often each of its rules decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RobotsTxtScore {
    /// The site.
    pub site: String,
    /// The time of its first capture, RFC 3339; none if unknown.
    pub captured: Option<String>,
    /// Requests that were judged by it.
    pub requests: u64,
    /// Requests that no rule matches.
    pub no_rule: u64,
    /// Those of the requests that were not counted by rule, because there were too many rules.
    pub not_counted: u64,
    /// Are the rules that never decided included? Not for a bundle, which holds no texts, and not if some requests were
    /// not counted by rule.
    pub is_whole: bool,
    /// The rules, most often used first, then by line.
    pub rules: Vec<RuleScore>,
    /// Rules that are not listed; none of them has more requests than those that are, as far as they were counted.
    pub more_rules: u64,
}

/// A rule, and how often it decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleScore {
    /// The 1-based line.
    pub line: u32,
    /// The first names of its group, each cut to 60 bytes; empty for a bundle. The rules of a group share them.
    #[serde(serialize_with = "serialize_shared")]
    pub agents: Arc<[String]>,
    /// The rule as written; for a bundle its pattern is in normal form.
    pub rule: String,
    /// Requests that it decided.
    pub requests: u64,
}

fn serialize_shared<S: Serializer>(texts: &Arc<[String]>, serializer: S) -> Result<S::Ok, S::Error> {
    texts.as_ref().serialize(serializer)
}

/// The number of requests with one response status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StatusCount {
    /// The HTTP status, or a crawler's own code; none if the log does not have it.
    pub status: Option<i32>,
    /// The number of requests.
    pub requests: u64,
}

/// Requests by the kind of client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Visitors {
    /// Crawlers.
    pub crawlers: u64,
    /// Clients that claim to be browsers.
    pub browsers: u64,
    /// Other programs that do not declare themselves crawlers.
    pub programs: u64,
    /// Requests without a User-Agent.
    pub without_user_agent: u64,
}

/// The score of one crawler.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CrawlerScore {
    /// Its product token and the tokens that it falls back to.
    pub crawler: String,
    /// Counts of its requests by verdict.
    #[serde(flatten)]
    pub counts: Counts,
    /// The evidence that the violated rules were in force.
    pub evidence: EvidenceCounts,
    /// The first violation, RFC 3339.
    pub first_violation: Option<String>,
    /// The last violation.
    pub last_violation: Option<String>,
    /// Whether it respected the delays that sites request.
    pub delay: DelayScore,
    /// Its requests by response status.
    pub statuses: Vec<StatusCount>,
    /// The sites, those with most violations first. Further ones are only counted.
    pub sites: Vec<SiteScore>,
    /// Sites that are not listed.
    pub more_sites: u64,
    /// Requests and violations by day.
    pub days: Vec<DayScore>,
}

/// Counts of requests by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All requests whose method counts: GET, HEAD and POST.
    pub requests: u64,
    /// Requests for the robots.txt itself: never a violation.
    pub robots_txt: u64,
    /// Allowed requests.
    pub allowed: u64,
    /// Violations: disallowed, also by every policy in force during the preceding days for which a copy may be used.
    pub disallowed: u64,
    /// Disallowed, but allowed during the preceding days for which a copy may be used ([`ScoreReport::excused_days`]), or,
    /// between two captured failures, allowed to a crawler whose own attempt failed.
    pub excused: u64,
    /// Requests while crawlers had to postpone visits.
    pub deferred: u64,
    /// Requests with an unknown host.
    pub no_host: u64,
    /// Requests to sites without a capture.
    pub site_unknown: u64,
    /// Requests before the first capture of their site.
    pub before_first_capture: u64,
    /// Requests for which the policy in force is unknown.
    pub no_policy: u64,
    /// Requests of crawlers that the policies were not compiled for.
    pub no_crawler: u64,
    /// Requests whose URL is not absolute.
    pub invalid: u64,
    /// Requests that the crawler refused by itself and did not make.
    pub refused: u64,
    /// Requests by other methods, which are not judged.
    pub other_methods: u64,
}

impl Counts {
    /// Requests for which it is unknown whether they were allowed.
    pub fn unknown(&self) -> u64 {
        let Counts { no_host, site_unknown, before_first_capture, no_policy, no_crawler, invalid, .. } = self;
        no_host + site_unknown + before_first_capture + no_policy + no_crawler + invalid
    }

    /// The sum of these counts and `other`.
    #[must_use]
    pub fn plus(self, other: &Counts) -> Self {
        Counts {
            requests: self.requests + other.requests,
            robots_txt: self.robots_txt + other.robots_txt,
            allowed: self.allowed + other.allowed,
            disallowed: self.disallowed + other.disallowed,
            excused: self.excused + other.excused,
            deferred: self.deferred + other.deferred,
            no_host: self.no_host + other.no_host,
            site_unknown: self.site_unknown + other.site_unknown,
            before_first_capture: self.before_first_capture + other.before_first_capture,
            no_policy: self.no_policy + other.no_policy,
            no_crawler: self.no_crawler + other.no_crawler,
            invalid: self.invalid + other.invalid,
            refused: self.refused + other.refused,
            other_methods: self.other_methods + other.other_methods,
        }
    }
}

impl ScoreReport {
    /// The counts of all crawlers together.
    pub fn counts(&self) -> Counts {
        self.crawlers.iter().fold(Counts::default(), |sum, crawler| sum.plus(&crawler.counts))
    }

    /// Fails for a report without any verdict: crawlers made requests, but none of them could be judged, or no line is a
    /// request with a User-Agent, although there are some that might have been one. Browsers alone need no verdict.
    ///
    /// # Errors
    /// [`JobError::NothingJudged`] and [`JobError::NoVisitor`], with the causes.
    pub fn require_judged(&self) -> Result<(), JobError> {
        let counts = self.counts();
        let judged = counts.allowed + counts.disallowed + counts.excused + counts.deferred;
        // A crawler may be one that obeys.
        let exempt = if counts.unknown() == 0 { counts.robots_txt + counts.refused } else { 0 };
        let requests = counts.unknown() + counts.other_methods;
        if judged + exempt == 0 && requests > 0 {
            return Err(JobError::NothingJudged { requests, causes: self.causes_with(counts.other_methods) });
        }
        let Visitors { crawlers, browsers, programs, without_user_agent } = self.visitors;
        let lines = without_user_agent + self.asides + self.errors.malformed_log_lines;
        if crawlers + browsers + programs == 0 && lines > 0 {
            let causes = [
                (
                    without_user_agent,
                    "without a User-Agent (no User-Agents in this log: --agent, or another --format)",
                ),
                (self.asides, "without an HTTP request"),
                (self.errors.malformed_log_lines, "malformed"),
            ];
            return Err(JobError::NoVisitor { lines, causes: listed(&causes) });
        }
        Ok(())
    }

    /// The reasons why requests could not be judged, most frequent first, with remedies; empty if all could be judged.
    pub fn causes(&self) -> String {
        self.causes_with(0)
    }

    /// The causes, with so many requests whose method does not count.
    fn causes_with(&self, other_methods: u64) -> String {
        let counts = self.counts();
        let unknown =
            self.cells.iter().filter(|cell| cell.verdict == "site-unknown" && *cell.site != *OTHERS);
        let site = unknown.max_by_key(|cell| cell.requests);
        let site = site.map_or(String::new(), |cell| format!(", such as {}", cell.site));
        let no_crawler = match self.dialect.semantics().several_names {
            SeveralNames::Merged => {
                "of crawlers that the policies do not have (compile a bundle with --agent and all names of each)"
            }
            SeveralNames::FirstWithGroup => {
                "of crawlers that the bundle does not have (compile it with --all-agents)"
            }
        };
        let mut causes = [
            (counts.no_host, "without a host (no host in this log: --host)".to_owned()),
            (
                counts.before_first_capture,
                "before the first capture (--latest judges by the newest capture)".to_owned(),
            ),
            (counts.site_unknown, format!("to sites without a capture{site} (--robots adds captures)")),
            (counts.no_policy, "at a time for which the policy is unknown".to_owned()),
            (counts.no_crawler, no_crawler.to_owned()),
            (
                counts.invalid,
                "with an invalid URL (neither a path nor http or https, or its host is invalid or too long)"
                    .to_owned(),
            ),
            (other_methods, "with a method other than GET, HEAD and POST".to_owned()),
        ];
        causes.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        listed(&causes)
    }
}

/// The counts that are not 0, each with what it counts.
pub fn listed(counts: &[(u64, impl std::fmt::Display)]) -> String {
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Violations by the evidence that the violated rule was in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceCounts {
    /// Captures before and after have the same rule.
    pub bracketed: u64,
    /// The last capture with the rule is less than a day old.
    pub within_a_day: u64,
    /// It is less than a week old.
    pub within_a_week: u64,
    /// It is less than a month (30 days) old.
    pub within_a_month: u64,
    /// It is less than a year old.
    pub within_a_year: u64,
    /// It is older.
    pub older: u64,
    /// The first capture with the rule is later than the request.
    pub before: u64,
    /// The captures have no time.
    pub undated: u64,
}

impl EvidenceCounts {
    /// The sum of these counts and `other`.
    #[must_use]
    pub fn plus(self, other: &EvidenceCounts) -> Self {
        EvidenceCounts {
            bracketed: self.bracketed + other.bracketed,
            within_a_day: self.within_a_day + other.within_a_day,
            within_a_week: self.within_a_week + other.within_a_week,
            within_a_month: self.within_a_month + other.within_a_month,
            within_a_year: self.within_a_year + other.within_a_year,
            older: self.older + other.older,
            before: self.before + other.before,
            undated: self.undated + other.undated,
        }
    }
}

/// Whether a crawler respected the delays that sites request (Crawl-delay), by the times between its requests to a
/// site, from any address.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DelayScore {
    /// Pairs of requests for which the site requested a delay.
    pub asked: u64,
    /// Pairs that are certainly closer than the delay. Logs with times in seconds leave one second of uncertainty.
    pub broken: u64,
    /// Pairs for which no delay is known to be requested.
    pub not_asked: u64,
    /// Pairs for which the policy in force is not known.
    pub not_known: u64,
    /// Requests that are older than the one before, so that the time between is not known.
    pub out_of_order: u64,
    /// The 10 %, 50 % and 90 % quantiles of the seconds between requests to a site, accurate to 9 %.
    pub quantiles: Option<[f64; 3]>,
    /// Pairs by the seconds between them. Each bucket has its upper bound; its lower bound is that of the previous
    /// bucket.
    pub histogram: Vec<(f64, u64)>,
}

/// The score of a crawler on one site.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SiteScore {
    /// The site.
    pub site: String,
    /// Counts of its requests by verdict.
    #[serde(flatten)]
    pub counts: Counts,
    /// The rules that it violated, most frequent first.
    pub broken: Vec<BrokenRule>,
}

/// A rule that was violated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BrokenRule {
    /// The 1-based line; 0 if the whole site was disallowed.
    pub line: u32,
    /// The rule, with its pattern in normal form; none if more than rules decided, or if the whole site was disallowed.
    pub rule: Option<String>,
    /// The number of violations.
    pub requests: u64,
    /// The time of the first violation, RFC 3339.
    pub first: String,
    /// The time of the last violation.
    pub last: String,
    /// The first URLs, as examples.
    pub examples: Vec<String>,
}

/// The counts of one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DayScore {
    /// `2024-05-31`, in UTC.
    pub day: String,
    /// Days since 1970-01-01.
    #[serde(skip)]
    pub number: i32,
    /// Requests.
    pub requests: u64,
    /// Violations among these requests.
    pub disallowed: u64,
}

/// Agreement between crawlers' own refusals and the policies, if a policy of that time is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Refusals {
    /// Refused, and disallowed (or excused).
    pub refused_disallowed: u64,
    /// Refused, but allowed.
    pub refused_allowed: u64,
    /// Refused, and the policy is unknown.
    pub refused_unknown: u64,
    /// Fetched, but disallowed (or excused).
    pub fetched_disallowed: u64,
    /// Fetched, and allowed.
    pub fetched_allowed: u64,
    /// Fetched, and the policy is unknown.
    pub fetched_unknown: u64,
}

/// Requests of one crawler to one site on one day with the same verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The crawler.
    pub crawler: Arc<str>,
    /// The site.
    pub site: Arc<str>,
    /// Days since 1970-01-01; none if there were too many counts, and those of further days are one.
    pub day: Option<i32>,
    /// `allowed`, `disallowed`, …
    pub verdict: &'static str,
    /// The line that was violated; 0 if none was.
    pub line: u32,
    /// The rule that was violated.
    pub rule: Option<Arc<str>>,
    /// The number of requests.
    pub requests: u64,
}
