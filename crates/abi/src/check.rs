//! Verdicts on URLs.

use robomata::{Access, Reason, Verdict};

use crate::error::{Failure, guarded};
use crate::memory_of_caller::{bytes, items, place, shared};
use crate::parse::RobomataRules;

/// The text is not a URL.
pub const ROBOMATA_INVALID: u8 = 0;
/// The crawler may fetch the URL.
pub const ROBOMATA_ALLOW: u8 = 1;
/// The crawler must not fetch the URL.
pub const ROBOMATA_DISALLOW: u8 = 2;
/// Visits wait until the robots.txt can be fetched.
pub const ROBOMATA_DEFER: u8 = 3;
/// There is no policy for the site of the URL.
pub const ROBOMATA_UNKNOWN: u8 = 4;

/// The text is not a URL that a robots.txt can cover.
pub const ROBOMATA_REASON_INVALID_URL: u8 = 0;
/// A rule of the robots.txt, on the line given.
pub const ROBOMATA_REASON_RULE: u8 = 1;
/// No rule for the crawler matches the URL.
pub const ROBOMATA_REASON_NO_RULE: u8 = 2;
/// The URL is `/robots.txt` itself.
pub const ROBOMATA_REASON_ROBOTS_TXT: u8 = 3;
/// The robots.txt is unavailable, such as with status 404.
pub const ROBOMATA_REASON_UNAVAILABLE: u8 = 4;
/// The robots.txt is unreachable, such as with status 503.
pub const ROBOMATA_REASON_UNREACHABLE: u8 = 5;
/// Access to the robots.txt is restricted, with status 401 or 403.
pub const ROBOMATA_REASON_RESTRICTED: u8 = 6;
/// Fields of ACAP contradict each other.
pub const ROBOMATA_REASON_UNDETERMINABLE: u8 = 7;
/// Visits wait until the robots.txt can be fetched.
pub const ROBOMATA_REASON_DEFERRED: u8 = 8;
/// There is no policy for the site, or its robots.txt redirects to an unknown file.
pub const ROBOMATA_REASON_UNKNOWN_SITE: u8 = 9;
/// A reason that this version of the interface has no number for.
pub const ROBOMATA_REASON_OTHER: u8 = 255;

/// Whether a crawler may fetch a URL, and why. Only `ROBOMATA_ALLOW` allows it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobomataVerdict {
    /// One of `ROBOMATA_INVALID`, `ROBOMATA_ALLOW`, `ROBOMATA_DISALLOW`, `ROBOMATA_DEFER` and `ROBOMATA_UNKNOWN`.
    pub verdict: u8,
    /// One of the numbers that begin with `ROBOMATA_REASON_`.
    pub reason: u8,
    /// Zero.
    pub reserved: u16,
    /// The 1-based line of the rule that decided; 0 if no line did.
    pub line: u32,
}

impl RobomataVerdict {
    pub(crate) fn new(verdict: Verdict) -> Self {
        let word = match (verdict.access(), verdict.reason()) {
            (Some(Access::Allow), _) => ROBOMATA_ALLOW,
            (Some(Access::Disallow), _) => ROBOMATA_DISALLOW,
            (None, Reason::InvalidUrl | Reason::InvalidAgent) => ROBOMATA_INVALID,
            (None, Reason::Deferred) => ROBOMATA_DEFER,
            (None, _) => ROBOMATA_UNKNOWN,
        };
        let reason = match verdict.reason() {
            Reason::InvalidUrl => ROBOMATA_REASON_INVALID_URL,
            Reason::Rule => ROBOMATA_REASON_RULE,
            Reason::NoRule => ROBOMATA_REASON_NO_RULE,
            Reason::RobotsTxt => ROBOMATA_REASON_ROBOTS_TXT,
            Reason::Unavailable => ROBOMATA_REASON_UNAVAILABLE,
            Reason::Unreachable => ROBOMATA_REASON_UNREACHABLE,
            Reason::Restricted => ROBOMATA_REASON_RESTRICTED,
            Reason::Undeterminable => ROBOMATA_REASON_UNDETERMINABLE,
            Reason::Deferred => ROBOMATA_REASON_DEFERRED,
            Reason::UnknownSite => ROBOMATA_REASON_UNKNOWN_SITE,
            _ => ROBOMATA_REASON_OTHER,
        };
        RobomataVerdict { verdict: word, reason, reserved: 0, line: verdict.line().unwrap_or(0) }
    }
}

/// Checks one URL: an absolute URL, or a path with a query. The host is not compared with anything. Pass each URL as the HTTP
/// client requests it: dot segments and backslashes are not resolved, so `/a/../private` is not below `/private`.
///
/// # Safety
/// `rules` was returned by `robomata_rules_new`, `url` has `length` readable bytes, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_check(
    rules: *const RobomataRules,
    url: *const u8,
    length: usize,
    out: *mut RobomataVerdict,
) -> i32 {
    // SAFETY: the caller promises it.
    unsafe { check_one(rules, url, length, out, |rules, url| rules.0.check(url)) }
}

/// Checks any text as google/robotstxt does, if the rules are of the dialect `google`: it finds a path in any text, and the
/// path `/` in a text without one. In other dialects, this is `robomata_check`.
///
/// # Safety
/// As for `robomata_check`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_check_any_text(
    rules: *const RobomataRules,
    text: *const u8,
    length: usize,
    out: *mut RobomataVerdict,
) -> i32 {
    // SAFETY: the caller promises it.
    unsafe { check_one(rules, text, length, out, |rules, text| rules.0.check_any_text(text)) }
}

unsafe fn check_one(
    rules: *const RobomataRules,
    url: *const u8,
    length: usize,
    out: *mut RobomataVerdict,
    check: impl FnOnce(&RobomataRules, &[u8]) -> Verdict,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (rules, url, out) =
            unsafe { (shared(rules, "rules")?, bytes(url, length, "url")?, place(out, 1, "out")?) };
        let verdict = RobomataVerdict::new(check(rules, url));
        out.iter_mut().for_each(|out| {
            out.write(verdict);
        });
        Ok(())
    })
}

/// Checks many URLs. `urls` contains their texts, one after the other. `offsets` has `count + 1` numbers: URL i is
/// `urls[offsets[i] .. offsets[i + 1]]`, as in a string column of Arrow. `out` has place for `count` verdicts.
///
/// # Safety
/// `rules` was returned by `robomata_rules_new`, `urls` has `length` readable bytes, `offsets` has `count + 1` readable
/// numbers, and `out` has place for `count` verdicts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_check_batch(
    rules: *const RobomataRules,
    urls: *const u8,
    length: usize,
    offsets: *const u32,
    count: usize,
    out: *mut RobomataVerdict,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (rules, urls, out) = unsafe {
            (shared(rules, "rules")?, Batch::new(urls, length, offsets, count)?, place(out, count, "out")?)
        };
        let mut out = out.iter_mut();
        rules.0.check_batch_with(urls.iter(), |verdict| {
            if let Some(out) = out.next() {
                out.write(RobomataVerdict::new(verdict));
            }
        });
        Ok(())
    })
}

/// URLs in one buffer, with valid offsets.
pub(crate) struct Batch<'c> {
    urls: &'c [u8],
    offsets: &'c [u32],
}

impl<'c> Batch<'c> {
    /// # Safety
    /// If the pointers are not null, they have `length` readable bytes and `count + 1` readable numbers.
    pub(crate) unsafe fn new(
        urls: *const u8,
        length: usize,
        offsets: *const u32,
        count: usize,
    ) -> Result<Self, Failure> {
        if count == 0 {
            return Ok(Batch { urls: &[], offsets: &[] });
        }
        let ends = count.checked_add(1).ok_or_else(|| Failure::argument("count: too large".to_owned()))?;
        // SAFETY: the caller promises it.
        let (urls, offsets) = unsafe { (bytes(urls, length, "urls")?, items(offsets, ends, "offsets")?) };
        let ascend = offsets.is_sorted();
        let fit = offsets.last().is_none_or(|&end| end as usize <= urls.len());
        if !ascend || !fit {
            let expected = format!("offsets: expected ascending numbers of at most {length}");
            return Err(Failure::argument(expected));
        }
        Ok(Batch { urls, offsets })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &'c [u8]> {
        let urls = self.urls;
        self.offsets.windows(2).map(move |ends| &urls[ends[0] as usize..ends[1] as usize])
    }
}

/// Writes verdicts to their places.
#[cfg(feature = "bundles")]
pub(crate) fn write_all(out: &mut [std::mem::MaybeUninit<RobomataVerdict>], verdicts: Vec<Verdict>) {
    for (out, verdict) in out.iter_mut().zip(verdicts) {
        out.write(RobomataVerdict::new(verdict));
    }
}
