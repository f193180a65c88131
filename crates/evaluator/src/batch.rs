//! Many URLs at once: their look-ups go side by side.
//!
//! Where sites come in no order, a check waits for memory most of its time: for the slot, then for the site, then for the
//! index, then for the program. So URLs are taken a group at a time, and each stage is done for the whole group before
//! the next one begins. The loads of one stage do not depend on each other, and a processor has a dozen of them in
//! flight, without any instruction to prefetch; the waits of a group become one.

use std::hint::black_box;

use rayon::prelude::*;
use robomata_automaton::begins_with;
use robomata_protocol::{Answer, Moment};

use crate::check::Checker;
use crate::site::before_path;
use crate::store::{CrawlerSlot, PolicyStore, SiteId, SiteKey};

/// URLs whose look-ups go side by side: enough to hide the waits, few enough that what is fetched first is still in the
/// nearest cache when it is used.
const GROUP: usize = 16;

/// The answers for `urls`, in their order, on all cores of rayon's current pool.
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

/// Checks URLs against a store for one of its crawlers, a group at a time. One for each thread, as a
/// [`Checker`](crate::Checker), whose answers it gives. Where sites come in no order it is much faster: the look-ups of a
/// group go side by side.
pub struct GroupChecker<'s> {
    store: &'s PolicyStore,
    column: usize,
    checker: Checker<'s>,
}

/// A URL on its way.
#[derive(Clone, Copy)]
struct Lookup<'u> {
    site: &'u [u8],
    /// Path, query and fragment, from the slash on.
    path: &'u [u8],
    place: Place,
}

#[derive(Clone, Copy)]
enum Place {
    /// Nothing that is looked for: the same site as that of the URL before, a site that the store does not hold, or one
    /// in another spelling.
    None,
    Key(SiteKey),
    Found(SiteId),
}

impl<'s> GroupChecker<'s> {
    /// URLs of a group.
    pub const GROUP: usize = GROUP;

    pub(crate) fn new(store: &'s PolicyStore, slot_of_crawler: CrawlerSlot) -> Self {
        GroupChecker { store, column: slot_of_crawler.column, checker: Checker::new(store, slot_of_crawler) }
    }

    /// The checker for questions asked at `now`; see [`Checker::at`].
    #[must_use]
    pub fn at(self, now: Moment) -> Self {
        GroupChecker { checker: self.checker.at(now), ..self }
    }

    /// Puts the answers for the first [`GroupChecker::GROUP`] of `urls`, at most, into `answers`, which has a place for each
    /// of them.
    pub fn check<U: AsRef<[u8]>>(&mut self, urls: &[U], answers: &mut [Answer]) {
        let mut group = [Lookup { site: b"", path: b"", place: Place::None }; GROUP];
        let group = &mut group[..urls.len().min(GROUP)];
        self.divide(urls, group);
        self.find(group);
        self.fetch_programs(group);
        for ((lookup, url), answer) in group.iter().zip(urls).zip(answers) {
            let url = url.as_ref();
            *answer = match lookup.place {
                Place::Found(site) => self.checker.check_found(url, (lookup.site, lookup.path), site),
                _ => self.checker.check(url),
            };
        }
    }

    /// Finds each site in its URL, and where to look for it.
    fn divide<'u, U: AsRef<[u8]>>(&self, urls: &'u [U], group: &mut [Lookup<'u>]) {
        let mut last: &[u8] = b"";
        for (lookup, url) in group.iter_mut().zip(urls) {
            let url = url.as_ref();
            let is_same = begins_with(url, last) && url.get(last.len()) == Some(&b'/');
            if let Some((site, path)) = before_path(url).filter(|_| !is_same) {
                *lookup = Lookup { site, path, place: Place::Key(self.store.image().key(site)) };
                last = site;
            }
        }
    }

    /// Finds the sites in the store.
    fn find(&self, group: &mut [Lookup<'_>]) {
        let image = self.store.image();
        let mut touched = 0;
        for lookup in group.iter() {
            if let Place::Key(key) = lookup.place {
                touched ^= image.touch_site(key);
            }
        }
        black_box(touched);
        for lookup in group.iter_mut() {
            if let Place::Key(key) = lookup.place {
                lookup.place = image.find(lookup.site, key).map_or(Place::None, Place::Found);
            }
        }
    }

    /// Has the beginnings of the programs fetched.
    fn fetch_programs(&self, group: &[Lookup<'_>]) {
        let mut touched = 0;
        for lookup in group {
            if let Place::Found(site) = lookup.place {
                touched ^= self.store.image().touch_program(site, self.column);
            }
        }
        black_box(touched);
    }
}
