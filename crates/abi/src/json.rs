//! Reports, as JSON.

#[cfg(feature = "permissions")]
use robomata::Moment;
use robomata::changes::{Changes, ChangesError};
#[cfg(feature = "permissions")]
use robomata::permissions::{PermissionAnswer, Permissions, PermissionsBuilder};
use robomata::{Agent, Diagnostic, Dialect, RequestRate, Robots, VisitTime};
use serde::Serialize;

use crate::error::{Failure, guarded};
use crate::memory_of_caller::{bytes, free, give, shared, text};
use crate::parse::{RobomataRobots, RobomataRules};

/// A text in UTF-8 that the library returned.
pub struct RobomataText(Box<str>);

/// The address of a text; null for null.
///
/// # Safety
/// `text` is null, or was returned by the library and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_text_data(text: *const RobomataText) -> *const u8 {
    // SAFETY: the caller promises it.
    unsafe { text.as_ref() }.map_or(std::ptr::null(), |text| text.0.as_ptr())
}

/// The length of a text in bytes; 0 for null.
///
/// # Safety
/// `text` is null, or was returned by the library and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_text_length(text: *const RobomataText) -> usize {
    // SAFETY: the caller promises it.
    unsafe { text.as_ref() }.map_or(0, |text| text.0.len())
}

/// Frees a text.
///
/// # Safety
/// `text` is null, or was returned by the library and is no longer used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_text_free(text: *mut RobomataText) {
    // SAFETY: the caller promises it.
    unsafe { free(text) }
}

fn json(value: &impl Serialize) -> Result<RobomataText, Failure> {
    let text = serde_json::to_string(value);
    Ok(RobomataText(text.map_err(|error| Failure::internal(error.to_string()))?.into()))
}

/// Explains the verdict on a URL: the group, the rules that match, and the one that decides.
///
/// # Safety
/// `rules` was returned by `robomata_rules_new`, `url` has `length` readable bytes, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_explain(
    rules: *const RobomataRules,
    url: *const u8,
    length: usize,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (rules, url) = unsafe { (shared(rules, "rules")?, bytes(url, length, "url")?) };
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&rules.0.explain(url))?) }
    })
}

/// What a robots.txt says besides its rules.
#[derive(Serialize)]
struct Summary<'r> {
    dialect: Dialect,
    /// In seconds.
    crawl_delay: Option<f64>,
    request_rate: Option<Rate>,
    visit_time: Option<VisitTime>,
    sitemaps: Vec<&'r str>,
    preferred_host: Option<&'r str>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Rate {
    requests: u32,
    seconds: u64,
    window: Option<VisitTime>,
}

impl Rate {
    fn new(rate: RequestRate) -> Self {
        Rate { requests: rate.requests, seconds: rate.per.as_secs(), window: rate.window }
    }
}

impl<'r> Summary<'r> {
    fn new(robots: &'r Robots, agent: &Agent) -> Self {
        Summary {
            dialect: robots.dialect(),
            crawl_delay: robots.crawl_delay(agent).map(|delay| delay.as_secs_f64()),
            request_rate: robots.request_rate(agent).map(Rate::new),
            visit_time: robots.visit_time(agent),
            sitemaps: robots.sitemaps().collect(),
            preferred_host: robots.preferred_host(),
            diagnostics: robots.diagnostics(),
        }
    }
}

/// What the robots.txt says besides its rules: `crawl_delay` in seconds, `request_rate`, `visit_time`, `sitemaps`,
/// `preferred_host`, and `diagnostics`, the problems in its lines.
///
/// # Safety
/// `robots` was returned by `robomata_robots_parse`, `agent` has `length` readable bytes, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_summary(
    robots: *const RobomataRobots,
    agent: *const u8,
    length: usize,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (robots, agent) = unsafe { (shared(robots, "robots")?, text(agent, length, "agent")?) };
        let agent = Agent::from(agent);
        agent.validate(robots.0.dialect()).map_err(|error| Failure::from(&error))?;
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&Summary::new(&robots.0, &agent))?) }
    })
}

/// Compares two versions of a robots.txt for one crawler: a path for each pair of rules that decide differently
/// (`examples`), and whether it is proved that there are no others (`is_complete`).
///
/// # Safety
/// `old` and `new_robots` were returned by `robomata_robots_parse`, `agent` has `length` readable bytes, and `out` can be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_changes(
    old: *const RobomataRobots,
    new_robots: *const RobomataRobots,
    agent: *const u8,
    length: usize,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (old, new) = unsafe { (shared(old, "old")?, shared(new_robots, "new_robots")?) };
        // SAFETY: the caller promises it.
        let agent = unsafe { text(agent, length, "agent") }?;
        let changes = Changes::between(&old.0, &new.0, agent).map_err(|error| match error {
            ChangesError::Agent(error) => Failure::from(&error),
            error => Failure::argument(error.to_string()),
        })?;
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&changes)?) }
    })
}

/// Finds mistakes in a robots.txt: lines that parsers ignore or misread, rules that never decide, and more. Each finding has
/// a `code`, a `severity`, a position, and a `fix` where one is safe.
///
/// # Safety
/// `body` has `length` readable bytes, and `out` can be written.
#[cfg(feature = "lint")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_lint(
    body: *const u8,
    length: usize,
    dialect: u32,
    out: *mut *mut RobomataText,
) -> i32 {
    // SAFETY: the caller promises it.
    unsafe { robomata_lint_within(body, length, dialect, 0, out) }
}

/// Finds mistakes as `robomata_lint` does, in at most `max_robots_bytes` of the file: see `robomata_robots_parse_within`.
///
/// # Safety
/// As for `robomata_lint`.
#[cfg(feature = "lint")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_lint_within(
    body: *const u8,
    length: usize,
    dialect: u32,
    max_robots_bytes: u32,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let body = unsafe { bytes(body, length, "body") }?;
        let mut linter = robomata::lint::Linter::new().dialect(crate::parse::dialect_of(dialect)?);
        if let Some(limit) = crate::parse::size_limit(max_robots_bytes)? {
            linter = linter.size_limit(limit);
        }
        let report = linter.lint(body).map_err(|error| Failure::from(&error))?;
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&report)?) }
    })
}

/// Compares a robots.txt with what its owner expects of it: lines such as `GPTBot may not fetch /private/*`. Each result has
/// the expectation (`line`, `text`, `agent`, `pattern`, `expected`), whether it `holds`, whether that `is_proved`, a `witness`
/// if not, the line that decides (`decided_by`), and a `message`. A line that cannot be read is an error.
///
/// # Safety
/// `robots` was returned by `robomata_robots_parse`, `expectations` has `length` readable bytes, and `out` can be written.
#[cfg(feature = "expectations")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_expectations(
    robots: *const RobomataRobots,
    expectations: *const u8,
    length: usize,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let robots = unsafe { shared(robots, "robots") }?;
        // SAFETY: the caller promises it.
        let expectations = unsafe { bytes(expectations, length, "expectations") }?;
        let checked = robomata::expectations::check(&robots.0, expectations);
        let checked = checked.map_err(|error| Failure::argument(format!("expectations: {error}")))?;
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&checked)?) }
    })
}

/// Instead of a time: that of the clock. WebAssembly has none.
#[cfg(feature = "permissions")]
pub const ROBOMATA_CLOCK: i64 = 0;

/// What the robots.txt states to a crawler about each usage of a URL: crawling, indexing, snippets, training, and others.
/// Permissions can end on a date, so the answers are those of the time `now`: in seconds since 1970, or `ROBOMATA_CLOCK` for the
/// current time. Times before 1994 are an error.
///
/// # Safety
/// `robots` was returned by `robomata_robots_parse`, `agent` and `url` have as many readable bytes as their lengths say, and
/// `out` can be written.
#[cfg(feature = "permissions")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_permissions(
    robots: *const RobomataRobots,
    agent: *const u8,
    agent_length: usize,
    url: *const u8,
    url_length: usize,
    now: i64,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (robots, agent) = unsafe { (shared(robots, "robots")?, text(agent, agent_length, "agent")?) };
        // SAFETY: the caller promises it.
        let url = unsafe { bytes(url, url_length, "url") }?;
        let answers = answers(Permissions::builder(&robots.0, agent), now, url)?;
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&answers)?) }
    })
}

/// Like `robomata_permissions`, together with what a page states, and the headers of its response. `headers` are the lines as
/// they were sent, and may be empty. `page` is HTML in UTF-8, or null. A status line in `headers` must be that of a whole page: 200
/// to 299, but not 206. What is not the whole page is an error, because a prohibition might be missing: the head of the response is
/// before it, it is still compressed as its headers say, or it is not null, has no bytes, and the headers have no status line.
///
/// # Safety
/// `robots` was returned by `robomata_robots_parse`, all texts have as many readable bytes as their lengths say, and `out` can
/// be written.
#[cfg(feature = "pages")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_page_permissions(
    robots: *const RobomataRobots,
    agent: *const u8,
    agent_length: usize,
    url: *const u8,
    url_length: usize,
    headers: *const u8,
    headers_length: usize,
    page: *const u8,
    page_length: usize,
    now: i64,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (robots, agent) = unsafe { (shared(robots, "robots")?, text(agent, agent_length, "agent")?) };
        // SAFETY: the caller promises it.
        let (url, headers) =
            unsafe { (bytes(url, url_length, "url")?, bytes(headers, headers_length, "headers")?) };
        let is_given = !page.is_null() || page_length > 0;
        // SAFETY: the caller promises it.
        let page = unsafe { text(page, page_length, "page") }?;
        let builder = Permissions::builder(&robots.0, agent).headers(headers);
        let builder = builder.map_err(|error| Failure::argument(format!("headers: {error}")))?;
        let answers = answers(if is_given { builder.page(page) } else { builder }, now, url)?;
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&answers)?) }
    })
}

/// The answers about every usage of `url` at the time with the number `now`.
#[cfg(feature = "permissions")]
fn answers(
    mut builder: PermissionsBuilder<'_>,
    now: i64,
    url: &[u8],
) -> Result<Vec<PermissionAnswer>, Failure> {
    let has_clock = Moment::now().is_some();
    if now != ROBOMATA_CLOCK || !has_clock {
        builder = builder.now(Moment::from_seconds(now).of_fetch().map_err(|_| {
            let expected = "expected seconds since 1970, of a time since 1994";
            let clock = if has_clock { ", or ROBOMATA_CLOCK" } else { "" };
            Failure::argument(format!("now: {expected}{clock}, found {now}"))
        })?);
    }
    let permissions = builder.build()?;
    permissions.check_all(url).ok_or_else(|| Failure::argument("url: expected a URL or a path".to_owned()))
}

/// Draws the automaton of rules: `nodes`, `edges`, and the `walk` of a URL, the nodes that it visits. `url` may be null: then
/// there is no walk. A drawing with very many nodes is cut (`is_complete`).
///
/// # Safety
/// `rules` was returned by `robomata_rules_new`, `url` is null or has `length` readable bytes, and `out` can be written.
#[cfg(feature = "drawing")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_drawing(
    rules: *const RobomataRules,
    url: *const u8,
    length: usize,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let rules = unsafe { shared(rules, "rules") }?;
        let is_given = !url.is_null() || length > 0;
        // SAFETY: the caller promises it.
        let url = unsafe { bytes(url, length, "url") }?;
        let drawing = rules.0.drawing(is_given.then_some(url));
        let drawing = drawing.ok_or_else(|| Failure::argument("url: expected a URL or a path".to_owned()))?;
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&drawing)?) }
    })
}

/// What applies to a site after an attempt to fetch its robots.txt: `applies`, `until`, `refetch`, and a `text` with the reason.
/// Times are in seconds since 1970, below 10^11; fractions are cut. A time before 1994, when there was no robots.txt, is an error: leave
/// out what is not known.
///
/// `situation` is a JSON object: `url`, `status`, `at` and `now`, and if known `failing_since`, `good_copy_at`, `headers` (lines
/// such as `Retry-After: 60`), `dialect`, and `unreachable`: `last-good-copy` or `disallow`. `status` is an HTTP status,
/// `no-response` or `too-many-redirects`. If `headers` have a status line, it must have the same status.
///
/// # Safety
/// `situation` has `length` readable bytes, and `out` can be written.
#[cfg(feature = "standing")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_standing(
    situation: *const u8,
    length: usize,
    out: *mut *mut RobomataText,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let situation = unsafe { bytes(situation, length, "situation") }?;
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&crate::standing::standing(situation)?)?) }
    })
}

/// Describes a bundle: `fingerprint`, `dialect`, the number of `sites`, and the `agents` that it was compiled for (null: every
/// crawler).
///
/// # Safety
/// `bundle` was returned by `robomata_bundle_open`, and `out` can be written.
#[cfg(feature = "bundles")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_bundle_summary(
    bundle: *const crate::bundle::RobomataBundle,
    out: *mut *mut RobomataText,
) -> i32 {
    #[derive(Serialize)]
    struct BundleSummary {
        fingerprint: robomata::Fingerprint,
        dialect: Dialect,
        sites: usize,
        agents: Option<Vec<Agent>>,
    }
    guarded(|| {
        // SAFETY: the caller promises it.
        let set = &unsafe { shared(bundle, "bundle") }?.0;
        let summary = BundleSummary {
            fingerprint: set.fingerprint(),
            dialect: set.dialect(),
            sites: set.len(),
            agents: set.agents(),
        };
        // SAFETY: the caller promises it.
        unsafe { give(out, json(&summary)?) }
    })
}
