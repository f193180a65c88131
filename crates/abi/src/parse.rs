//! A robots.txt, and its rules for one crawler.

use robomata::{Agent, Dialect, FetchStatus, Robots, RobotsBuilder, Rules};

use crate::error::{Failure, guarded};
use crate::memory_of_caller::{bytes, free, give, shared, text};

/// RFC 9309.
pub const ROBOMATA_RFC9309: u32 = 0;
/// Google's open-source parser and matcher, bug for bug.
pub const ROBOMATA_GOOGLE: u32 = 1;
/// Koster's draft of November 1996.
pub const ROBOMATA_KOSTER1996: u32 = 2;
/// RFC 9309 with the fields of ACAP 1.0.
pub const ROBOMATA_ACAP: u32 = 3;
/// Yandex.
pub const ROBOMATA_YANDEX: u32 = 4;

/// Instead of an HTTP status: there was no response, or not all of it, because the connection failed or timed out.
pub const ROBOMATA_NO_RESPONSE: u32 = 0;
/// Instead of an HTTP status: there were more redirects than the dialect follows. No boolean and no small error code of another
/// library has this number, because most dialects allow everything then.
pub const ROBOMATA_TOO_MANY_REDIRECTS: u32 = 1000;

/// A parsed robots.txt.
pub struct RobomataRobots(pub(crate) Robots);

/// The rules of a robots.txt for one crawler, compiled.
pub struct RobomataRules(pub(crate) Rules);

/// The dialect with one of the numbers above.
pub(crate) fn dialect_of(number: u32) -> Result<Dialect, Failure> {
    let name = match number {
        ROBOMATA_RFC9309 => "rfc9309",
        ROBOMATA_GOOGLE => "google",
        ROBOMATA_KOSTER1996 => "koster1996",
        ROBOMATA_ACAP => "acap",
        ROBOMATA_YANDEX => "yandex",
        _ => return Err(Failure::argument(format!("dialect: expected 0 to 4, found {number}"))),
    };
    // A build without permissions has no dialect `acap`.
    name.parse().map_err(|error| Failure::argument(format!("dialect: {error}")))
}

/// The status with this number.
fn status_of(number: u32) -> Result<FetchStatus, Failure> {
    match u16::try_from(number).map(FetchStatus::from) {
        Ok(status @ FetchStatus::Code(_)) => Ok(status),
        _ if number == ROBOMATA_NO_RESPONSE => Ok(FetchStatus::NetworkFailure),
        _ if number == ROBOMATA_TOO_MANY_REDIRECTS => Ok(FetchStatus::TooManyRedirects),
        _ => Err(Failure::argument(format!(
            "status: expected 100 to 999, {ROBOMATA_NO_RESPONSE} for no response or \
             {ROBOMATA_TOO_MANY_REDIRECTS} for too many redirects, found {number}"
        ))),
    }
}

/// Parses a robots.txt. Any text is a robots.txt. A body that begins like compressed data, an archive, a bundle or a
/// WARC, or with the status line of a response, is `ROBOMATA_ERROR_ARGUMENT`: read as a robots.txt, it would allow everything.
///
/// `status` is the HTTP status of its fetch, `ROBOMATA_NO_RESPONSE` or `ROBOMATA_TOO_MANY_REDIRECTS`. The body counts only
/// after a success, such as 200. Every other number is an error.
///
/// # Safety
/// `body` has `length` readable bytes, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_robots_parse(
    body: *const u8,
    length: usize,
    dialect: u32,
    status: u32,
    out: *mut *mut RobomataRobots,
) -> i32 {
    // SAFETY: the caller promises it.
    unsafe { robomata_robots_parse_within(body, length, dialect, status, 0, out) }
}

/// Parses a robots.txt as `robomata_robots_parse` does, but reads at most `max_robots_bytes` of it: 512000 to 4294967294, or 0
/// for the dialect's own limit. Of a longer file, the lines that are complete within them count; `robomata_summary` reports
/// that it was cut. The dialect `google` has no limit of its own, but Google's crawlers read 512000 bytes. That of `yandex`
/// cannot be changed.
///
/// # Safety
/// As for `robomata_robots_parse`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_robots_parse_within(
    body: *const u8,
    length: usize,
    dialect: u32,
    status: u32,
    max_robots_bytes: u32,
    out: *mut *mut RobomataRobots,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let body = unsafe { bytes(body, length, "body") }?;
        let mut builder = Robots::builder().dialect(dialect_of(dialect)?).status(status_of(status)?);
        if let Some(limit) = size_limit(max_robots_bytes)? {
            builder = builder.size_limit(limit);
        }
        // SAFETY: the caller promises it.
        unsafe { give(out, RobomataRobots(builder.try_parse(body)?)) }
    })
}

/// The limit that a caller gives; none for 0.
pub(crate) fn size_limit(bytes: u32) -> Result<Option<usize>, Failure> {
    let limits = RobotsBuilder::SIZE_LIMITS;
    match bytes as usize {
        0 => Ok(None),
        bytes if limits.contains(&bytes) => Ok(Some(bytes)),
        bytes => {
            let (least, most) = limits.into_inner();
            Err(Failure::argument(format!("max_robots_bytes: expected {least} to {most}, found {bytes}")))
        }
    }
}

/// Frees a robots.txt. Its rules remain.
///
/// # Safety
/// `robots` is null, or was returned by `robomata_robots_parse` and is no longer used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_robots_free(robots: *mut RobomataRobots) {
    // SAFETY: the caller promises it.
    unsafe { free(robots) }
}

/// Compiles the rules for a crawler. Its name is a product token (`Googlebot`), several of them separated by commas (of which
/// the first one that the file names counts), a whole User-Agent header, or `*` for a crawler that no group names.
///
/// # Safety
/// `robots` was returned by `robomata_robots_parse`, `agent` has `length` readable bytes, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_rules_new(
    robots: *const RobomataRobots,
    agent: *const u8,
    length: usize,
    out: *mut *mut RobomataRules,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (robots, agent) = unsafe { (shared(robots, "robots")?, text(agent, length, "agent")?) };
        let rules = robots.0.for_agent(Agent::from(agent));
        if let Some(error) = rules.agent_error() {
            return Err(error.into());
        }
        // SAFETY: the caller promises it.
        unsafe { give(out, RobomataRules(rules)) }
    })
}

/// Frees rules.
///
/// # Safety
/// `rules` is null, or was returned by `robomata_rules_new` and is no longer used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_rules_free(rules: *mut RobomataRules) {
    // SAFETY: the caller promises it.
    unsafe { free(rules) }
}
