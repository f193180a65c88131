//! Follows redirects of robots.txt fetches among the captures of one source (RFC 9309, section 2.3.1.2).
//!
//! A capture with a redirect waits for its target. It takes the next capture of the target in the source, or else the
//! last one before it. More than five redirects in a row, or a loop, become [`FetchStatus::TooManyRedirects`]. Without
//! a capture of the target, it stays a redirect. The result applies to the site requested first, even if the redirects
//! lead to other authorities.
//!
//! Stores compare times in seconds, and of the captures of a site in one second, or without a time, the last one in the
//! input counts. So a capture that waits is left out for each site that has a later capture of the same second.
//!
//! Memory holds the waiting redirects ([`Limits::waiting`]). Beyond that, the oldest ones stay redirects, and their
//! targets are remembered: if one of them is in the source, the source counts as incomplete. Memory also holds a few bytes
//! for each of the first URLs ([`Limits::seen`]), to find earlier targets in a second reading. Bodies are never stored.

mod evicted;
mod followed;
mod precedence;
mod waiting;

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use robomata_protocol::FetchStatus;

use self::evicted::Evicted;
pub(crate) use self::followed::Followed;
use self::precedence::Precedence;
use self::waiting::Waiting;
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::time::Timestamp;

/// Maximum length of a chain of redirects (RFC 9309, section 2.3.1.2: "at least five").
const MAX_HOPS: usize = 5;

/// How much a source may make its reader remember.
pub(crate) struct Limits {
    /// Maximum number of redirects that wait for their target. Beyond that, the oldest stay redirects.
    waiting: usize,
    /// Maximum number of bytes of the URLs of redirects that wait.
    bytes: usize,
    /// Maximum number of URLs whose last capture is remembered.
    seen: usize,
    /// Maximum number of targets that are remembered for redirects that no longer wait.
    evicted: usize,
}

impl Default for Limits {
    /// Limits of about 50 MB for the URLs, which fill a table of 2^20 slots, and of 40 MB for the targets, which fill one
    /// of 2^22 slots.
    fn default() -> Self {
        Limits { waiting: MAX_WAITING, bytes: 64 << 20, seen: 7 << 17, evicted: 7 << 19 }
    }
}

/// The default of [`Limits::waiting`].
pub(crate) const MAX_WAITING: usize = 1 << 18;

/// The redirects of one source.
pub(crate) struct Chains<T> {
    hasher: RandomState,
    waiting: Waiting<Chain<T>>,
    seen: HashMap<u64, Seen>,
    max_seen: usize,
    precedence: Precedence,
    evicted: Evicted,
}

/// A redirected capture and its redirects so far.
pub(crate) struct Chain<T> {
    value: T,
    number: u64,
    time: Option<Timestamp>,
    /// How the first fetch ended.
    status: FetchStatus,
    /// The URLs visited; the last one is the target to wait for.
    visited: Vec<u64>,
    /// A second URL to which the result applies, as to the first one visited.
    other: Option<u64>,
}

/// The value of a chain.
pub(crate) trait HasUrl {
    /// The length of its URL, which it keeps while it waits.
    fn url_length(&self) -> usize;
}

/// The last capture of a URL.
struct Seen {
    number: u64,
    end: End,
}

/// The result of fetching a URL.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// A redirect, and its target if known.
    Redirect(Option<u64>),
    /// Any other result.
    Status(FetchStatus),
}

/// A capture whose chain has ended.
pub(crate) struct Ended<T> {
    pub(crate) value: T,
    pub(crate) status: FetchStatus,
    /// Whether the result applies to the URL requested first, and to the second URL of the same capture.
    pub(crate) applies: [bool; 2],
}

/// The redirects that were still waiting at the end of a source.
pub(crate) struct LeftOver<T> {
    /// Captures that end with this status, without a body.
    pub(crate) ended: Vec<Ended<T>>,
    /// Redirects that take the body of an earlier capture, by the number of that capture.
    pub(crate) earlier: BTreeMap<u64, Vec<Chain<T>>>,
}

impl<T: HasUrl> Default for Chains<T> {
    fn default() -> Self {
        Chains::new(&Limits::default())
    }
}

impl<T: HasUrl> Chains<T> {
    fn new(limits: &Limits) -> Self {
        Chains {
            hasher: RandomState::new(),
            waiting: Waiting::new(limits.waiting, limits.bytes),
            seen: HashMap::new(),
            max_seen: limits.seen,
            precedence: Precedence::default(),
            evicted: Evicted::new(limits.evicted),
        }
    }

    /// Returns whether no URL matters as the target of a redirect.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.evicted.is_empty()
    }

    /// The error about the targets in the source `name` that redirects lost because too many waited, once.
    pub(crate) fn lost_targets(&mut self, name: &FileName) -> Option<InputError> {
        let lost = self.evicted.take_lost();
        (lost > 0).then(|| InputError::new(name.clone(), None, Kind::LostTargets(lost)))
    }

    /// An identifier of the URL with this key ([`crate::uri::key`]).
    pub(crate) fn url(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// Starts a chain for the capture `number` of these URLs, which is a redirect: the one requested, and another one to
    /// which the result applies.
    pub(crate) fn begin(
        &mut self,
        [url, other]: [Option<u64>; 2],
        number: u64,
        time: Option<Timestamp>,
        status: FetchStatus,
        value: T,
    ) -> Chain<T> {
        for url in [url, other].into_iter().flatten() {
            self.precedence.wait(url, number, time);
        }
        Chain { value, number, time, status, visited: Vec::from_iter(url), other }
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

    /// Removes and returns the chains that wait for `url`, which is captured.
    pub(crate) fn take(&mut self, url: u64) -> Vec<Chain<T>> {
        self.evicted.found(url);
        self.waiting.take(url)
    }

    /// Lets `chain` wait for the same target again. Returns captures that can no longer wait.
    pub(crate) fn wait(&mut self, chain: Chain<T>) -> Vec<Ended<T>> {
        let target_of = |chain: &Chain<T>| chain.visited.last().copied().unwrap_or_default();
        let bytes = chain.value.url_length();
        let oldest = self.waiting.push(target_of(&chain), chain, bytes);
        let stay = |chain| {
            let target = target_of(&chain);
            let ended = self.stay(chain)?;
            self.evicted.add(target, self.seen.contains_key(&target));
            Some(ended)
        };
        oldest.into_iter().filter_map(stay).collect()
    }

    /// Follows `chain` to `target`. Returns captures whose chains end here.
    pub(crate) fn follow(&mut self, mut chain: Chain<T>, target: Option<u64>) -> Vec<Ended<T>> {
        match chain.step(target) {
            Ok(()) => self.wait(chain),
            Err(status) => Vec::from_iter(self.end(chain, status)),
        }
    }

    /// Ends `chain`. Returns none if later captures take precedence for all of its URLs.
    pub(crate) fn end(&mut self, chain: Chain<T>, status: FetchStatus) -> Option<Ended<T>> {
        let Chain { value, number, time, .. } = chain;
        let applies = [chain.visited.first().copied(), chain.other]
            .map(|url| url.is_some_and(|url| self.precedence.release(url, number, time)));
        applies.contains(&true).then_some(Ended { value, status, applies })
    }

    /// Ends `chain` with its original redirect.
    pub(crate) fn stay(&mut self, chain: Chain<T>) -> Option<Ended<T>> {
        let status = chain.status;
        self.end(chain, status)
    }

    /// Records that the capture `number` of `url` had the result `end`, if there is room.
    pub(crate) fn saw(&mut self, url: u64, number: u64, end: End) {
        if self.seen.len() < self.max_seen || self.seen.contains_key(&url) {
            self.seen.insert(url, Seen { number, end });
        }
    }

    /// Ends the source: resolves waiting redirects with earlier captures.
    pub(crate) fn finish(&mut self) -> LeftOver<T> {
        let mut left = LeftOver { ended: Vec::new(), earlier: BTreeMap::new() };
        for mut chain in self.waiting.drain() {
            match self.earlier(&mut chain) {
                Ok(number) => left.earlier.entry(number).or_insert_with(Vec::new).push(chain),
                Err(status) => left.ended.extend(self.end(chain, status)),
            }
        }
        left
    }

    /// Follows `chain` through earlier captures to one with a body, or returns how it ends.
    fn earlier(&self, chain: &mut Chain<T>) -> Result<u64, FetchStatus> {
        loop {
            let last = chain.visited.last().and_then(|url| self.seen.get(url)).ok_or(chain.status)?;
            match last.end {
                End::Status(FetchStatus::Success | FetchStatus::Code(200..=299)) => return Ok(last.number),
                End::Status(status) => return Err(status),
                End::Redirect(target) => chain.step(target)?,
            }
        }
    }
}

impl<T> Chain<T> {
    /// Follows a redirect to `target`, or returns how the chain ends.
    fn step(&mut self, target: Option<u64>) -> Result<(), FetchStatus> {
        let Some(target) = target else { return Err(self.status) };
        if self.visited.contains(&target) || self.visited.len() > MAX_HOPS {
            return Err(FetchStatus::TooManyRedirects);
        }
        self.visited.push(target);
        Ok(())
    }
}

/// Returns whether this is the status of a redirect with a target.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}
