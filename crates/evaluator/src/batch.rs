//! Checks many URLs at once and overlaps their look-ups.
//!
//! When sites come in random order, a check mostly waits for memory: for the slot, the site, the index and the program.
//! The checker therefore takes URLs in groups and runs each stage for the whole group before the next stage. The loads
//! of one stage are independent, so a processor has a dozen of them in flight without any prefetch instruction. The
//! waits of a group overlap.

use std::hint::black_box;

use rayon::prelude::*;
use robomata_automaton::begins_with;
use robomata_protocol::{Answer, Moment};

use crate::check::Checker;
use crate::site::before_path;
use crate::store::{CrawlerSlot, PolicyStore, SiteId, SiteKey};

/// The number of URLs whose look-ups overlap. It is large enough to hide the waits, and small enough that what was
/// fetched first is still in the L1 cache when it is used.
const GROUP: usize = 16;

/// The answers for `urls`, in input order, computed on all cores of rayon's current pool.
pub(crate) fn check_all<U: AsRef<[u8]> + Sync>(
    store: &PolicyStore,
    slot_of_crawler: &CrawlerSlot,
    urls: &[U],
) -> Vec<Answer> {
    const URLS_AT_A_TIME: usize = 64 * GROUP;
    let mut answers = vec![Answer::Unknown; urls.len()];
    answers.par_chunks_mut(URLS_AT_A_TIME).zip(urls.par_chunks(URLS_AT_A_TIME)).for_each_init(
        || GroupChecker::new(store, slot_of_crawler.clone()),
        |checker, (answers, urls)| {
            for (answers, urls) in answers.chunks_mut(GROUP).zip(urls.chunks(GROUP)) {
                checker.check(urls, answers);
            }
        },
    );
    answers
}

/// Checks URLs against a store for one of its crawlers, a group at a time. Its answers are those of a
/// [`Checker`](crate::Checker). Each thread has its own. It is much faster when sites come in random order, because the
/// look-ups of a group overlap.
pub struct GroupChecker<'s> {
    store: &'s PolicyStore,
    column: usize,
    checker: Checker<'s>,
}

/// A URL whose check is in progress.
#[derive(Clone, Copy)]
struct Lookup<'u> {
    site: &'u [u8],
    /// Path, query and fragment, including the leading slash.
    path: &'u [u8],
    state: LookupState,
}

#[derive(Clone, Copy)]
enum LookupState {
    /// No look-up: the URL has the same site as the previous one, a site that is not in the store, or an unusual
    /// spelling.
    None,
    Key(SiteKey),
    Found(SiteId),
}

impl<'s> GroupChecker<'s> {
    /// The number of URLs in a group.
    pub const GROUP: usize = GROUP;

    pub(crate) fn new(store: &'s PolicyStore, slot_of_crawler: CrawlerSlot) -> Self {
        GroupChecker { store, column: slot_of_crawler.column, checker: Checker::new(store, slot_of_crawler) }
    }

    /// The checker for queries at time `now`; see [`Checker::at`].
    #[must_use]
    pub fn at(self, now: Moment) -> Self {
        GroupChecker { checker: self.checker.at(now), ..self }
    }

    /// Writes the answers for at most [`GroupChecker::GROUP`] of `urls` to `answers`, which has room for them.
    pub fn check<U: AsRef<[u8]>>(&mut self, urls: &[U], answers: &mut [Answer]) {
        let mut group = [Lookup { site: b"", path: b"", state: LookupState::None }; GROUP];
        let group = &mut group[..urls.len().min(GROUP)];
        self.divide(urls, group);
        self.find(group);
        self.fetch_programs(group);
        for ((lookup, url), answer) in group.iter().zip(urls).zip(answers) {
            let url = url.as_ref();
            *answer = match lookup.state {
                LookupState::Found(site) => self.checker.check_found(url, (lookup.site, lookup.path), site),
                _ => self.checker.check(url),
            };
        }
    }

    /// Finds the site of each URL and its slot in the store.
    fn divide<'u, U: AsRef<[u8]>>(&self, urls: &'u [U], group: &mut [Lookup<'u>]) {
        let mut last: &[u8] = b"";
        for (lookup, url) in group.iter_mut().zip(urls) {
            let url = url.as_ref();
            let is_same = begins_with(url, last) && url.get(last.len()) == Some(&b'/');
            if let Some((site, path)) = before_path(url).filter(|_| !is_same) {
                *lookup = Lookup { site, path, state: LookupState::Key(self.store.image().key(site)) };
                last = site;
            }
        }
    }

    /// Finds the sites in the store.
    fn find(&self, group: &mut [Lookup<'_>]) {
        let image = self.store.image();
        let mut touched = 0;
        for lookup in group.iter() {
            if let LookupState::Key(key) = lookup.state {
                touched ^= image.touch_site(key);
            }
        }
        black_box(touched);
        for lookup in group.iter_mut() {
            if let LookupState::Key(key) = lookup.state {
                lookup.state = image.find(lookup.site, key).map_or(LookupState::None, LookupState::Found);
            }
        }
    }

    /// Loads the beginnings of the programs into the cache.
    fn fetch_programs(&self, group: &[Lookup<'_>]) {
        let mut touched = 0;
        for lookup in group {
            if let LookupState::Found(site) = lookup.state {
                touched ^= self.store.image().touch_program(site, self.column);
            }
        }
        black_box(touched);
    }
}
