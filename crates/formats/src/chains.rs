//! Follows redirects of robots.txt fetches among the captures of one source (RFC 9309, section 2.3.1.2).
//!
//! A capture with a redirect takes the capture of its target that is nearest in time; of two equally near ones, the
//! later. If it has no time, or no capture of the target has one, it takes the next one in the source, or else the last
//! one before it. Captures from which nothing follows, such as a 304, are passed over: they displace no other capture of
//! their site (F1), and none of a site that redirects to it. A target that is a redirect leads on in the same way.
//!
//! More than twenty redirects in a row become [`FetchStatus::TooManyRedirects`]; a loop is such a row. If two of them that
//! follow each other were captured more than ten minutes apart, no attempt has met both: the first redirect stays one. So
//! does a redirect without a capture of its target. The end of fewer redirects keeps their number, because the dialects
//! follow different numbers of them. The result applies to the site requested first, even if the redirects lead to other
//! authorities.
//!
//! The nearest capture is known only at the end of the source. So redirects wait until then, in any order of the
//! captures.
//!
//! Stores compare times in seconds, and of the captures of a site in one second, or without a time, the last one in the
//! input counts. So a capture that waits is left out for each site that has a later capture of the same second.
//!
//! Memory holds the redirects ([`Limits::waiting`]), and 48 bytes for each of the first captures ([`Limits::captures`]).
//! If there are more, another reading of the source finds those of the targets alone. A redirect beyond a limit stays a
//! redirect, and its target is remembered: if the source has a capture of it, the source counts as incomplete. The same
//! applies if the source cannot be read again and the body of a target is no longer in memory ([`Bodies`]).

mod bodies;
mod evicted;
mod followed;
mod precedence;

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use robomata_protocol::FetchStatus;

pub(crate) use self::bodies::{Bodies, Content};
use self::evicted::Evicted;
pub(crate) use self::followed::{Again, Followed};
use self::precedence::Precedence;
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::time::Timestamp;

/// Maximum length of a chain of redirects that is followed. RFC 9309 wants "at least five" (section 2.3.1.2), and browsers
/// follow twenty.
const MAX_HOPS: u8 = 20;

/// The nanoseconds of a day. A target that was captured further away may have had other rules.
const DISTANT: u128 = 86_400 * 1_000_000_000;

/// The nanoseconds of ten minutes. Captures of one attempt to fetch a robots.txt follow each other within this time.
const ATTEMPT: u128 = 600 * 1_000_000_000;

/// How much a source may make its reader remember.
pub(crate) struct Limits {
    /// Maximum number of redirects that wait for their target. Further ones stay redirects.
    waiting: usize,
    /// Maximum number of bytes of the URLs of redirects that wait.
    bytes: usize,
    /// Maximum number of captures that may be targets.
    captures: usize,
    /// Maximum number of targets that are remembered for redirects that do not wait.
    evicted: usize,
}

impl Default for Limits {
    /// Limits of about 200 MB for the redirects, 100 MB for the captures, and 40 MB for the targets, which fill a table
    /// of 2^22 slots.
    fn default() -> Self {
        Limits { waiting: MAX_WAITING, bytes: 64 << 20, captures: MAX_CAPTURES, evicted: 7 << 19 }
    }
}

/// The default of [`Limits::waiting`].
pub(crate) const MAX_WAITING: usize = 1 << 19;

/// The default of [`Limits::captures`].
pub(crate) const MAX_CAPTURES: usize = 1 << 21;

/// The numbers of redirects that have no result, or one that may be out of date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedirectCounts {
    /// Redirects whose target was not captured in the source, or only with a status from which nothing follows.
    pub without_target: u64,
    /// Redirects in a loop of captures that no single attempt can have met.
    pub apart: u64,
    /// Redirects whose nearest capture of a target is more than a day away.
    pub distant: u64,
    /// Redirects, and captures with the status 304, that have a body but no location. The body does not count: it may be
    /// that of another response, which was fetched after a redirect.
    pub with_body: u64,
}

impl std::ops::AddAssign for RedirectCounts {
    fn add_assign(&mut self, other: Self) {
        self.without_target += other.without_target;
        self.apart += other.apart;
        self.distant += other.distant;
        self.with_body += other.with_body;
    }
}

/// The redirects of one source.
pub(crate) struct Chains<T> {
    hasher: RandomState,
    limits: Limits,
    waiting: Vec<Chain<T>>,
    /// The bytes of the URLs of `waiting`.
    bytes: usize,
    captures: Vec<Seen>,
    /// Whether `captures` is known to lack some.
    is_incomplete: bool,
    /// The URLs to which redirects lead.
    targets: HashSet<u64>,
    /// The number of readings that collected the captures of targets alone.
    readings: usize,
    /// The number of targets before the last of these readings.
    targets_before: usize,
    precedence: Precedence,
    evicted: Evicted,
    /// The redirects that lost their target.
    lost: u64,
    counts: RedirectCounts,
}

/// A redirected capture.
struct Chain<T> {
    value: T,
    number: u64,
    time: Option<Timestamp>,
    /// How the first fetch ended.
    status: FetchStatus,
    /// The URL requested, and a second one to which the result applies.
    urls: [Option<u64>; 2],
    target: u64,
}

/// The value of a chain.
pub(crate) trait HasUrl {
    /// The length of its URL, which it keeps while it waits.
    fn url_length(&self) -> usize;
}

/// A capture of a URL.
struct Seen {
    url: u64,
    time: Option<Timestamp>,
    number: u64,
    end: End,
}

/// The result of fetching a URL.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// A redirect to this target.
    Redirect(u64),
    /// A success, or a result that cannot be read; the [`Content`] is that of the capture.
    Body(FetchStatus),
    /// Any other result.
    Status(FetchStatus),
    /// Not known before another reading.
    Unread,
}

/// How a chain ends.
enum Outcome {
    /// With the content of the capture of this number.
    Body(u64, FetchStatus),
    Status(FetchStatus),
    /// No capture of a target is in the source, or none that has a conclusion.
    WithoutTarget,
    /// More redirects than are followed, and not those of one attempt.
    Apart,
    /// The capture of a target was not read.
    Lost,
}

/// A capture whose chain has ended.
pub(crate) struct Ended<T> {
    pub(crate) value: T,
    pub(crate) status: FetchStatus,
    /// The number of redirects that led to this status.
    pub(crate) redirects: u8,
    /// How the first fetch ended.
    redirect: FetchStatus,
    /// Whether the result applies to the URL requested first, and to the second URL of the same capture.
    pub(crate) applies: [bool; 2],
}

/// The captures whose redirects were followed.
pub(crate) struct Finished<T> {
    /// Captures that end with this status, without a body.
    pub(crate) ended: Vec<Ended<T>>,
    /// Captures that take the content of another one, by the number of that one.
    pub(crate) bodies: BTreeMap<u64, Vec<Ended<T>>>,
}

impl<T: HasUrl> Default for Chains<T> {
    fn default() -> Self {
        Chains::new(Limits::default())
    }
}

impl<T: HasUrl> Chains<T> {
    fn new(limits: Limits) -> Self {
        Chains {
            hasher: RandomState::new(),
            waiting: Vec::new(),
            bytes: 0,
            captures: Vec::new(),
            is_incomplete: false,
            targets: HashSet::new(),
            readings: 0,
            targets_before: 0,
            precedence: Precedence::default(),
            evicted: Evicted::new(limits.evicted),
            lost: 0,
            counts: RedirectCounts::default(),
            limits,
        }
    }

    /// Counts a redirect or a 304 that has a body but no location.
    pub(crate) fn count_with_body(&mut self) {
        self.counts.with_body += 1;
    }

    /// Returns whether a redirect that was read leads to `url`.
    pub(crate) fn is_target(&self, url: u64) -> bool {
        self.targets.contains(&url)
    }

    /// The error about the targets in the source `name` that redirects lost, once.
    pub(crate) fn lost_targets(&mut self, name: &FileName) -> Option<InputError> {
        let lost = std::mem::take(&mut self.lost);
        (lost > 0).then(|| InputError::new(name.clone(), None, Kind::LostTargets(lost)))
    }

    /// The redirects without a result, or with one that may be out of date. Complete at the end of the source.
    pub(crate) fn counts(&self) -> RedirectCounts {
        self.counts
    }

    /// An identifier of the URL with this key ([`crate::uri::key`]).
    pub(crate) fn url(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// Lets the capture `number` wait for its `target`. `urls` are the one requested, and another one to which the result
    /// applies. Returns a capture that cannot wait.
    pub(crate) fn begin(
        &mut self,
        urls: [Option<u64>; 2],
        number: u64,
        time: Option<Timestamp>,
        (status, target): (FetchStatus, u64),
        value: T,
    ) -> Option<Ended<T>> {
        let bytes = self.bytes + value.url_length();
        if self.waiting.len() >= self.limits.waiting || bytes > self.limits.bytes {
            self.evicted.add(target);
            let applies = urls.map(|url| url.is_some());
            return Some(Ended { value, status, redirects: 0, redirect: status, applies });
        }
        self.bytes = bytes;
        self.targets.insert(target);
        for url in urls.into_iter().flatten() {
            self.precedence.wait(url, number, time);
        }
        self.waiting.push(Chain { value, number, time, status, urls, target });
        None
    }

    /// Records that the capture `number` of `urls` takes precedence over earlier ones of the same time that wait.
    pub(crate) fn precede(&mut self, urls: [Option<u64>; 2], number: u64, time: Option<Timestamp>) {
        urls.into_iter().flatten().for_each(|url| self.precedence.precede(url, number, time));
    }

    /// Lets the capture `number` of `url` wait for something other than a redirect. [`Chains::release`] ends it.
    pub(crate) fn hold(&mut self, url: u64, number: u64, time: Option<Timestamp>) {
        self.precedence.wait(url, number, time);
    }

    /// Ends the waiting of the capture `number` of `url`. Returns false if another one takes precedence.
    pub(crate) fn release(&mut self, url: u64, number: u64, time: Option<Timestamp>) -> bool {
        self.precedence.release(url, number, time)
    }

    /// Records that the capture `number` of `url` had the result `end`.
    pub(crate) fn saw(&mut self, url: u64, number: u64, time: Option<Timestamp>, end: End) {
        // Nothing follows from a 3xx without a target.
        let is_passed_over = matches!(end, End::Status(FetchStatus::Code(300..=399)));
        if is_passed_over || (self.readings > 0 && !self.is_target(url)) {
            return;
        }
        if self.captures.len() >= self.limits.captures {
            self.is_incomplete = true;
            return;
        }
        self.captures.push(Seen { url, time, number, end });
        if let End::Redirect(target) = end {
            self.targets.insert(target);
        }
    }

    /// Returns whether the source must be read again, to find the captures of targets ([`Chains::saw`]). Forgets all
    /// captures if so.
    pub(crate) fn read_again(&mut self) -> bool {
        let is_unread = |seen: &Seen| matches!(seen.end, End::Unread) && self.targets.contains(&seen.url);
        let is_needed = match self.readings {
            0 => self.is_incomplete || self.captures.iter().any(is_unread),
            // Each reading may find another redirect of each chain.
            readings if readings <= MAX_HOPS.into() => self.targets.len() > self.targets_before,
            _ => false,
        };
        if self.waiting.is_empty() || !is_needed {
            return false;
        }
        self.readings += 1;
        self.targets_before = self.targets.len();
        self.captures.clear();
        self.is_incomplete = false;
        true
    }

    /// Records that captures may be missing, because a reading found another source than the first one.
    pub(crate) fn misread(&mut self) {
        self.is_incomplete = true;
    }

    /// Ends the source: follows the redirects.
    pub(crate) fn finish(&mut self) -> Finished<T> {
        let waiting = std::mem::take(&mut self.waiting);
        let targets = Targets::new(std::mem::take(&mut self.captures), &waiting);
        let mut finished = Finished { ended: Vec::new(), bodies: BTreeMap::new() };
        for chain in waiting {
            let Way { outcome, redirects, is_distant } = match self.is_incomplete {
                true => Way { outcome: Outcome::Lost, redirects: 0, is_distant: false },
                false => targets.follow(&chain),
            };
            self.counts.distant += u64::from(is_distant);
            let redirect = chain.status;
            match outcome {
                Outcome::Body(number, status) => {
                    if let Some(ended) = self.end(chain, status, redirects) {
                        finished.bodies.entry(number).or_default().push(ended);
                    }
                }
                Outcome::Status(status) => finished.ended.extend(self.end(chain, status, redirects)),
                Outcome::WithoutTarget => {
                    self.counts.without_target += 1;
                    finished.ended.extend(self.end(chain, redirect, 0));
                }
                Outcome::Apart => {
                    self.counts.apart += 1;
                    finished.ended.extend(self.end(chain, redirect, 0));
                }
                Outcome::Lost => {
                    self.lost += 1;
                    finished.ended.extend(self.end(chain, redirect, 0));
                }
            }
        }
        self.lost += self.evicted.lost(|target| self.is_incomplete || !targets.of(target).is_empty());
        finished
    }

    /// Ends a capture that waits for a body that cannot be read, with its redirect.
    pub(crate) fn lose(&mut self, ended: Ended<T>) -> Ended<T> {
        self.lost += 1;
        Ended { status: ended.redirect, redirects: 0, ..ended }
    }

    /// Ends `chain`. Returns none if later captures take precedence for all of its URLs.
    fn end(&mut self, chain: Chain<T>, status: FetchStatus, redirects: u8) -> Option<Ended<T>> {
        let Chain { value, number, time, urls, status: redirect, .. } = chain;
        let applies = urls.map(|url| url.is_some_and(|url| self.precedence.release(url, number, time)));
        applies.contains(&true).then_some(Ended { value, status, redirects, redirect, applies })
    }
}

/// Where the redirects of a chain lead.
struct Way {
    outcome: Outcome,
    /// The number of redirects that were followed.
    redirects: u8,
    /// Whether a target is more than a day away.
    is_distant: bool,
}

/// The captures of a source, to which redirects may lead.
struct Targets {
    /// Sorted by URL, time and number.
    captures: Vec<Seen>,
    /// The places in `captures`, sorted by URL and number. Empty if every capture has a time.
    in_order: Vec<usize>,
}

impl Targets {
    /// Sorts `captures`, to which `chains` may lead.
    fn new<T>(mut captures: Vec<Seen>, chains: &[Chain<T>]) -> Self {
        captures.sort_unstable_by_key(|seen| (seen.url, seen.time, seen.number));
        let is_undated = chains.iter().any(|chain| chain.time.is_none())
            || captures.iter().any(|seen| seen.time.is_none());
        let mut in_order: Vec<usize> = if is_undated { (0..captures.len()).collect() } else { Vec::new() };
        in_order.sort_unstable_by_key(|&place| (captures[place].url, captures[place].number));
        Targets { captures, in_order }
    }

    /// The captures of `url`, sorted by time and number.
    fn of(&self, url: u64) -> &[Seen] {
        let start = self.captures.partition_point(|seen| seen.url < url);
        let length = self.captures[start..].partition_point(|seen| seen.url == url);
        &self.captures[start..start + length]
    }

    /// Follows the redirects of `chain`.
    fn follow<T>(&self, chain: &Chain<T>) -> Way {
        let (mut target, mut time, mut number) = (chain.target, chain.time, chain.number);
        let (mut is_distant, mut is_apart) = (false, false);
        for redirects in 1..=MAX_HOPS {
            let Some(found) = self.nearest(target, time, number) else {
                return Way { outcome: Outcome::WithoutTarget, redirects, is_distant };
            };
            let distance = time.zip(found.time).map(|(time, found)| time.nanoseconds_to(found));
            is_distant |= distance.is_some_and(|distance| distance > DISTANT);
            is_apart |= distance.is_some_and(|distance| distance > ATTEMPT);
            let outcome = match found.end {
                End::Redirect(next) => {
                    (target, time, number) = (next, found.time, found.number);
                    continue;
                }
                End::Body(status) => Outcome::Body(found.number, status),
                End::Status(status) => Outcome::Status(status),
                End::Unread => Outcome::Lost,
            };
            return Way { outcome, redirects, is_distant };
        }
        let outcome = if is_apart { Outcome::Apart } else { Outcome::Status(FetchStatus::TooManyRedirects) };
        Way { outcome, redirects: MAX_HOPS, is_distant: false }
    }

    /// The capture of `url` to which a redirect leads that is the capture `number` at `time`.
    fn nearest(&self, url: u64, time: Option<Timestamp>, number: u64) -> Option<&Seen> {
        let all = self.of(url);
        let dated = &all[all.partition_point(|seen| seen.time.is_none())..];
        let Some(time) = time.filter(|_| !dated.is_empty()) else {
            return self.next(url, number);
        };
        let at = dated.partition_point(|seen| seen.time < Some(time));
        let before = at.checked_sub(1).map(|at| &dated[at]);
        let after = dated.get(at).map(|first| {
            let end = dated.partition_point(|seen| seen.time <= first.time);
            &dated[end - 1]
        });
        let distance = |seen: &&Seen| seen.time.map_or(u128::MAX, |other| time.nanoseconds_to(other));
        // Of equal ones, the first: it is the later one.
        after.into_iter().chain(before).min_by_key(distance)
    }

    /// The first capture of `url` after the capture `number`, or else the last one of all.
    fn next(&self, url: u64, number: u64) -> Option<&Seen> {
        let start = self.in_order.partition_point(|&place| self.captures[place].url < url);
        let of_url = &self.in_order[start..start + self.of(url).len()];
        let after = of_url.partition_point(|&place| self.captures[place].number <= number);
        of_url.get(after).or(of_url.last()).map(|&place| &self.captures[place])
    }
}

/// Returns whether this is the status of a redirect with a target.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Returns whether a fetch with this status has a body that counts.
pub(crate) fn is_success(status: FetchStatus) -> bool {
    matches!(status, FetchStatus::Success | FetchStatus::Code(200..=299))
}
