//! What logs come to, for people and programs.

use robomata::Dialect;
use serde::Serialize;

use super::top::TopList;

use crate::error::JobError;
use crate::problem::ErrorCounts;

/// What logs come to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ScoreReport {
    /// Lines read; rows of Parquet, and of web archives the requests that records tell of.
    pub lines: u64,
    /// Requests among them.
    pub requests: u64,
    /// Lines that are well-formed and no HTTP request.
    pub asides: u64,
    /// Requests by who made them.
    pub visitors: Visitors,
    /// The time of the first and of the last request, RFC 3339.
    pub span: Option<(String, String)>,
    /// How every robots.txt was read.
    #[serde(serialize_with = "name_of")]
    pub dialect: Dialect,
    /// Days for which a copy of a robots.txt may be used: what was allowed so long before is excused.
    pub excused_days: i64,
    /// Every crawler, that with most violations first, then by requests and name.
    pub crawlers: Vec<CrawlerScore>,
    /// What a crawler refused by itself beside what the policies say; none where no log tells of refusals.
    pub refusals: Option<Refusals>,
    /// The paths that crawlers requested most often, queries left out.
    pub paths: TopList<PathScore>,
    /// Other programs by name.
    pub programs: TopList<ProgramScore>,
    /// What decided about the requests to the sites with most of them, one for each version of their robots.txt.
    pub robots_txt: Vec<RobotsTxtScore>,
    /// Versions that are not listed.
    pub more_robots_txt: u64,
    /// Counts by crawler, site, day and rule; when there were too many, those of further ones are under `(others)`.
    #[serde(skip)]
    pub cells: Vec<Cell>,
    /// The formats of the logs, in their order, and how many of the lines that were tried they read.
    pub formats: Vec<LogFile>,
    /// What could not be used.
    pub errors: ErrorCounts,
}

/// The format of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogFile {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// Lines that were read in it of those that were tried; none when the format was given, and of Parquet and WARC.
    pub detected: Option<(usize, usize)>,
}

fn name_of<S: serde::Serializer>(dialect: &Dialect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(dialect.as_str())
}

/// A path that was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathScore {
    /// Its site; empty where nothing says which.
    pub site: String,
    /// The path without its query; cut when it is very long.
    pub path: String,
    /// Requests of crawlers.
    pub requests: u64,
    /// Violations among them.
    pub disallowed: u64,
    /// Those that were answered with a status of 400 to 599.
    pub errors: u64,
}

/// A program that does not say that it is a crawler.
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
    /// When it was first captured, RFC 3339; none when the capture does not say.
    pub captured: Option<String>,
    /// Requests that were judged by it.
    pub requests: u64,
    /// Requests that no rule matches.
    pub no_rule: u64,
    /// Are the rules that never decided known, too? Not of a bundle, which holds no texts.
    pub is_whole: bool,
    /// The rules, most often used first, then by line.
    pub rules: Vec<RuleScore>,
    /// Rules that are not listed; none of them decided.
    pub more_rules: u64,
}

/// A rule, and how often it decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleScore {
    /// The 1-based line.
    pub line: u32,
    /// The names of its group; none of a bundle.
    pub agents: Vec<String>,
    /// The rule as written; of a bundle its pattern is in normal form.
    pub rule: String,
    /// Requests that it decided.
    pub requests: u64,
}

/// Requests that were answered with one status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StatusCount {
    /// The HTTP status, or a crawler's own code; none where the log does not say.
    pub status: Option<i32>,
    /// How many.
    pub requests: u64,
}

/// Requests by who made them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Visitors {
    /// Crawlers.
    pub crawlers: u64,
    /// Browsers, as far as they say.
    pub browsers: u64,
    /// Other programs that do not say that they are crawlers.
    pub programs: u64,
    /// Requests without a User-Agent.
    pub nobody: u64,
}

/// What one crawler did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CrawlerScore {
    /// Its product token and those it falls back to.
    pub crawler: String,
    /// What its requests were.
    #[serde(flatten)]
    pub counts: Counts,
    /// How well it is known that what was broken was in force.
    pub evidence: EvidenceCounts,
    /// The first violation, RFC 3339.
    pub first_violation: Option<String>,
    /// The last violation.
    pub last_violation: Option<String>,
    /// Whether it kept the delay that sites ask for.
    pub delay: DelayScore,
    /// Its requests by the status of the answer.
    pub statuses: Vec<StatusCount>,
    /// The sites, those with most violations first; further ones are counted alone.
    pub sites: Vec<SiteScore>,
    /// Sites that are not listed.
    pub more_sites: u64,
    /// Requests and violations by day.
    pub days: Vec<DayScore>,
}

/// What requests were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All requests whose method counts: GET, HEAD and POST.
    pub requests: u64,
    /// Requests for the robots.txt itself: never a violation.
    pub robots_txt: u64,
    /// Allowed ones.
    pub allowed: u64,
    /// Violations: disallowed, also by everything in force in the days before for which a copy may be used.
    pub disallowed: u64,
    /// Disallowed, but allowed in the days before for which a copy may be used ([`ScoreReport::excused_days`]).
    pub excused: u64,
    /// Requests while visits were to be put off.
    pub deferred: u64,
    /// Requests of which nobody says which host was asked.
    pub no_host: u64,
    /// Requests to sites of which no capture is known.
    pub site_unknown: u64,
    /// Requests before the first capture of their site.
    pub before_first_capture: u64,
    /// Requests of which it cannot be told what was in force.
    pub no_policy: u64,
    /// Requests for what is no absolute URL.
    pub invalid: u64,
    /// Requests that the crawler refused by itself: none was made.
    pub refused: u64,
    /// Requests by other methods, which are not judged.
    pub other_methods: u64,
}

impl Counts {
    /// Requests of which it cannot be said whether they were allowed.
    pub fn unknown(&self) -> u64 {
        self.no_host + self.site_unknown + self.before_first_capture + self.no_policy + self.invalid
    }

    /// These and `other` together.
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

    /// Refuses a report that says nothing: crawlers made requests, and none of them could be judged.
    ///
    /// # Errors
    /// [`JobError::NothingJudged`], with the causes.
    pub fn require_judged(&self) -> Result<(), JobError> {
        let counts = self.counts();
        let judged = counts.allowed + counts.disallowed + counts.excused + counts.deferred;
        if judged == 0 && counts.unknown() > 0 {
            return Err(JobError::NothingJudged { requests: counts.unknown(), causes: self.causes() });
        }
        Ok(())
    }

    /// Why requests could not be judged, most frequent first, and what to do about it; empty when all could.
    pub fn causes(&self) -> String {
        let counts = self.counts();
        let site =
            self.cells.iter().filter(|cell| cell.verdict == "site-unknown").max_by_key(|cell| cell.requests);
        let site = site.map_or(String::new(), |cell| format!(", such as {}", cell.site));
        let mut causes = [
            (counts.no_host, "without a host (no host in this log: --host)".to_owned()),
            (
                counts.before_first_capture,
                "before the first capture (--latest judges by the newest capture)".to_owned(),
            ),
            (counts.site_unknown, format!("to sites without a capture{site} (--robots adds captures)")),
            (counts.no_policy, "of which the policies do not say what was in force".to_owned()),
            (counts.invalid, "for no http or https URL".to_owned()),
        ];
        causes.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let causes =
            causes.iter().filter(|(count, _)| *count > 0).map(|(count, cause)| format!("{count} {cause}"));
        causes.collect::<Vec<_>>().join(", ")
    }
}

/// How well it is known that what was broken was in force: violations by what is known of the captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceCounts {
    /// A capture before and one after say the same.
    pub bracketed: u64,
    /// The last capture that says so is less than a day old.
    pub within_a_day: u64,
    /// Less than a week.
    pub within_a_week: u64,
    /// Less than a month (30 days).
    pub within_a_month: u64,
    /// Less than a year.
    pub within_a_year: u64,
    /// Older.
    pub older: u64,
    /// The captures have no time.
    pub undated: u64,
}

impl EvidenceCounts {
    /// These and `other` together.
    #[must_use]
    pub fn plus(self, other: &EvidenceCounts) -> Self {
        EvidenceCounts {
            bracketed: self.bracketed + other.bracketed,
            within_a_day: self.within_a_day + other.within_a_day,
            within_a_week: self.within_a_week + other.within_a_week,
            within_a_month: self.within_a_month + other.within_a_month,
            within_a_year: self.within_a_year + other.within_a_year,
            older: self.older + other.older,
            undated: self.undated + other.undated,
        }
    }
}

/// Whether a crawler kept the delay that sites ask for (Crawl-delay), by the times between its requests to a site, from
/// whatever address.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DelayScore {
    /// Pairs of requests for which a delay was asked.
    pub asked: u64,
    /// Pairs that are surely closer than that: logs in seconds leave one second open.
    pub broken: u64,
    /// Pairs for which no delay was asked, as far as is known.
    pub not_asked: u64,
    /// Pairs on sites whose text is not known: a bundle holds no delays.
    pub not_known: u64,
    /// Seconds between requests to a site that a tenth, a half and nine tenths of all pairs stay below, within 9 %.
    pub quantiles: Option<[f64; 3]>,
    /// Pairs by seconds between: each less than this, and not less than the one before.
    pub histogram: Vec<(f64, u64)>,
}

/// What a crawler did on one site.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SiteScore {
    /// The site.
    pub site: String,
    /// What its requests were.
    #[serde(flatten)]
    pub counts: Counts,
    /// The rules that it broke, most often broken first.
    pub broken: Vec<BrokenRule>,
}

/// A rule that was broken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BrokenRule {
    /// The 1-based line; 0 when the whole site was closed.
    pub line: u32,
    /// The rule, its pattern in normal form; none where more than rules decided, or the site was closed.
    pub rule: Option<String>,
    /// How often.
    pub requests: u64,
    /// The first time, RFC 3339.
    pub first: String,
    /// The last time.
    pub last: String,
    /// The first URLs.
    pub examples: Vec<String>,
}

/// One day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DayScore {
    /// `2024-05-31`, in UTC.
    pub day: String,
    /// Days since 1970-01-01.
    #[serde(skip)]
    pub number: i32,
    /// Requests.
    pub requests: u64,
    /// Violations among them.
    pub disallowed: u64,
}

/// What crawlers refused by themselves, beside what the policies say: agreement where a policy of that time is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Refusals {
    /// Refused, and disallowed (or excused).
    pub refused_disallowed: u64,
    /// Refused, but allowed.
    pub refused_allowed: u64,
    /// Refused, and nothing is known.
    pub refused_unknown: u64,
    /// Fetched, but disallowed (or excused).
    pub fetched_disallowed: u64,
    /// Fetched, and allowed.
    pub fetched_allowed: u64,
    /// Fetched, and nothing is known.
    pub fetched_unknown: u64,
}

/// Requests of one crawler to one site on one day that came to the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The crawler.
    pub crawler: String,
    /// The site.
    pub site: String,
    /// Days since 1970-01-01.
    pub day: i32,
    /// `allowed`, `disallowed`, …
    pub verdict: &'static str,
    /// The line that was broken; 0 where none was.
    pub line: u32,
    /// The rule that was broken.
    pub rule: Option<String>,
    /// How many.
    pub requests: u64,
}
