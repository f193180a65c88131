//! Redirects of robots.txt fetches, followed among the captures of one source (RFC 9309, section 2.3.1.2).
//!
//! A capture that is a redirect waits for its target. It takes the target's capture that comes next after it in the source,
//! or, when none comes, the last one before it. More than five redirects in a row, and a loop, end it as
//! [`FetchStatus::TooManyRedirects`]; without a capture of the target it stays the redirect that it is. What is found
//! speaks for the site that was asked first, whatever authorities the redirects lead across.
//!
//! Memory: redirects that wait ([`MAX_WAITING`], of more the oldest stay redirects) and a few bytes for each of the first
//! [`MAX_SEEN`] URLs, so that what came before a redirect is found in a second reading. Bodies are never kept.

mod followed;
mod waiting;

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use robomata_protocol::FetchStatus;

pub(crate) use self::followed::Followed;
use self::waiting::Waiting;
use crate::time::Timestamp;

/// Redirects that are followed (RFC 9309, section 2.3.1.2: "at least five").
const MAX_HOPS: usize = 5;

/// Redirects that wait for their target at once; of more, the oldest stay redirects.
const MAX_WAITING: usize = 1 << 18;

/// URLs whose last capture is remembered, in about 50 MB: as many as fill a table of 2^20 places.
const MAX_SEEN: usize = 7 << 17;

/// The redirects of one source.
pub(crate) struct Chains<T> {
    hasher: RandomState,
    waiting: Waiting<Chain<T>>,
    seen: HashMap<u64, Seen>,
}

/// A capture that was redirected, and where it has been.
pub(crate) struct Chain<T> {
    value: T,
    number: u64,
    time: Option<Timestamp>,
    /// How the first fetch ended.
    status: FetchStatus,
    /// The URLs that were asked, and at last the one that is waited for.
    asked: Vec<u64>,
}

/// The last capture of a URL.
struct Seen {
    number: u64,
    time: Option<Timestamp>,
    end: End,
}

/// What asking a URL came to.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// A redirect, to this URL where it names one.
    Redirect(Option<u64>),
    /// Anything else.
    Status(FetchStatus),
}

/// What became of the redirects that waited to the end of a source.
pub(crate) struct LeftOver<T> {
    /// Those that ended so, without a body.
    pub(crate) ended: Vec<(T, FetchStatus)>,
    /// Those whose body is that of an earlier capture, by the number of the capture.
    pub(crate) earlier: BTreeMap<u64, Vec<Chain<T>>>,
}

impl<T> Default for Chains<T> {
    fn default() -> Self {
        Chains { hasher: RandomState::new(), waiting: Waiting::new(MAX_WAITING), seen: HashMap::new() }
    }
}

impl<T> Chains<T> {
    /// Does no redirect wait?
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What stands for the URL with this key ([`crate::uri::key`]).
    pub(crate) fn url(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// The capture `number`, which asked `url` and was redirected.
    pub(crate) fn begin(
        &self,
        url: u64,
        number: u64,
        time: Option<Timestamp>,
        status: FetchStatus,
        value: T,
    ) -> Chain<T> {
        Chain { value, number, time, status, asked: vec![url] }
    }

    /// Those that wait for `url`.
    pub(crate) fn take(&mut self, url: u64) -> Vec<Chain<T>> {
        self.waiting.take(url)
    }

    /// Lets `chain` wait again for what it waited for; what no longer can is returned.
    pub(crate) fn wait(&mut self, chain: Chain<T>) -> Option<(T, FetchStatus)> {
        let url = *chain.asked.last()?;
        let oldest = self.waiting.push(url, chain)?;
        self.stay(oldest)
    }

    /// Follows `chain` to `target`; what ends by that is returned.
    pub(crate) fn follow(&mut self, mut chain: Chain<T>, target: Option<u64>) -> Option<(T, FetchStatus)> {
        match chain.step(target) {
            Ok(()) => self.wait(chain),
            Err(status) => self.end(chain, status),
        }
    }

    /// The end of `chain`; none when its site was captured again since, at the same time or both without one, which
    /// counts more than what came before.
    pub(crate) fn end(&self, chain: Chain<T>, status: FetchStatus) -> Option<(T, FetchStatus)> {
        let last = chain.asked.first().and_then(|url| self.seen.get(url));
        let is_replaced = last.is_some_and(|last| last.number > chain.number && last.time == chain.time);
        (!is_replaced).then_some((chain.value, status))
    }

    /// `chain`, as the redirect that it began with.
    pub(crate) fn stay(&self, chain: Chain<T>) -> Option<(T, FetchStatus)> {
        let status = chain.status;
        self.end(chain, status)
    }

    /// Remembers that the capture `number` of `url` came to `end`; false when there is no room.
    pub(crate) fn saw(&mut self, url: u64, number: u64, time: Option<Timestamp>, end: End) -> bool {
        let has_room = self.seen.len() < MAX_SEEN || self.seen.contains_key(&url);
        if has_room {
            self.seen.insert(url, Seen { number, time, end });
        }
        has_room
    }

    /// The end of the source: what still waits is followed to what came before.
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

    /// Follows `chain` over what was seen to a capture with a body, or says how it ends.
    fn earlier(&self, chain: &mut Chain<T>) -> Result<u64, FetchStatus> {
        loop {
            let last = chain.asked.last().and_then(|url| self.seen.get(url)).ok_or(chain.status)?;
            match last.end {
                End::Status(FetchStatus::Success | FetchStatus::Code(200..=299)) => return Ok(last.number),
                End::Status(status) => return Err(status),
                End::Redirect(target) => chain.step(target)?,
            }
        }
    }
}

impl<T> Chain<T> {
    /// Goes on to `target`, or says how the chain ends.
    fn step(&mut self, target: Option<u64>) -> Result<(), FetchStatus> {
        let Some(target) = target else { return Err(self.status) };
        if self.asked.contains(&target) || self.asked.len() > MAX_HOPS {
            return Err(FetchStatus::TooManyRedirects);
        }
        self.asked.push(target);
        Ok(())
    }
}

/// Is it the status of a redirect that names its target?
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}
