//! What logs come to, for people and programs.

use serde::Serialize;

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
    /// Every crawler, that with most violations first, then by requests and name.
    pub crawlers: Vec<CrawlerScore>,
    /// What a crawler refused by itself beside what the policies say; none where no log tells of refusals.
    pub refusals: Option<Refusals>,
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
    /// Violations: disallowed, and by everything in force within the day before.
    pub disallowed: u64,
    /// Disallowed, but allowed within the day before, for which a copy may be used (RFC 9309, section 2.4).
    pub excused: u64,
    /// Requests while visits were to be put off.
    pub deferred: u64,
    /// Requests to sites of which no capture is known.
    pub site_unknown: u64,
    /// Requests before the first capture of their site.
    pub before_first_capture: u64,
    /// Requests of which it cannot be told what was in force.
    pub no_policy: u64,
    /// Requests for what is no http or https URL.
    pub invalid: u64,
    /// Requests that the crawler refused by itself: none was made.
    pub refused: u64,
    /// Requests by other methods, which are not judged.
    pub other_methods: u64,
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
