//! Many URLs at once: their look-ups go side by side.
//!
//! Where sites come in no order, a check waits for memory most of its time: for the slot, then for the site, then for the
//! index, then for the program. So URLs are taken a group at a time, and each stage is done for the whole group before
//! the next one begins. The loads of one stage do not depend on each other, and a processor has a dozen of them in
//! flight, without any instruction to prefetch; the waits of a group become one.

use std::hint::black_box;

use rayon::prelude::*;
use robomata_automaton::{NormalForm, Scratch};
use robomata_protocol::{Answer, Dialect};

use crate::check::Checker;
use crate::site::leading_site;
use crate::site_policy::Decider;
use crate::store::{PolicyStore, SiteId, SiteKey};
use crate::target::{Target, TargetBuffer};

/// URLs whose look-ups go side by side: enough to hide the waits, few enough that what is fetched first is still in the
/// nearest cache when it is used.
const GROUP: usize = 32;

/// The answers for `urls`, in their order, on all cores of rayon's current pool.
pub(crate) fn check_all<U: AsRef<[u8]> + Sync>(
    store: &PolicyStore,
    crawler: usize,
    urls: &[U],
) -> Vec<Answer> {
    const URLS_AT_A_TIME: usize = 64 * GROUP;
    let mut answers = vec![Answer::Unknown; urls.len()];
    answers.par_chunks_mut(URLS_AT_A_TIME).zip(urls.par_chunks(URLS_AT_A_TIME)).for_each_init(
        || Batch::new(store, crawler),
        |batch, (answers, urls)| {
            for (answers, urls) in answers.chunks_mut(GROUP).zip(urls.chunks(GROUP)) {
                batch.check(urls, answers);
            }
        },
    );
    answers
}

/// Checks groups of URLs; one for each thread.
struct Batch<'s> {
    store: &'s PolicyStore,
    crawler: usize,
    dialect: Dialect,
    scratch: Scratch,
    buffer: TargetBuffer,
    /// For URLs in other spellings, which are few.
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
    /// Of a URL in another spelling.
    Other,
    /// The same as that of the URL before.
    Same,
    Key(SiteKey),
    Found(Option<SiteId>),
}

impl<'s> Batch<'s> {
    fn new(store: &'s PolicyStore, crawler: usize) -> Self {
        Batch {
            store,
            crawler,
            dialect: store.dialect(),
            scratch: Scratch::new(),
            buffer: TargetBuffer::default(),
            checker: Checker::new(store, crawler),
        }
    }

    /// Puts the answers for up to [`GROUP`] URLs into `answers`.
    fn check<U: AsRef<[u8]>>(&mut self, urls: &[U], answers: &mut [Answer]) {
        let mut group = [Lookup { site: b"", path: b"", place: Place::Other }; GROUP];
        let group = &mut group[..urls.len()];
        self.divide(urls, group);
        self.find(group);
        self.fetch_programs(group);
        self.judge(urls, group, answers);
    }

    /// Finds each site in its URL, and where to look for it.
    fn divide<'u, U: AsRef<[u8]>>(&self, urls: &'u [U], group: &mut [Lookup<'u>]) {
        let mut last: &[u8] = b"";
        for (lookup, url) in group.iter_mut().zip(urls) {
            let Some((site, path)) = leading_site(url.as_ref()) else { continue };
            let place = if site == last { Place::Same } else { Place::Key(self.store.image().key(site)) };
            *lookup = Lookup { site, path, place };
            last = site;
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
                lookup.place = Place::Found(image.find(lookup.site, key));
            }
        }
    }

    /// Has the beginnings of the programs fetched.
    fn fetch_programs(&self, group: &[Lookup<'_>]) {
        let mut touched = 0;
        for lookup in group {
            if let Place::Found(Some(site)) = lookup.place {
                touched ^= self.store.image().touch_program(site, self.crawler);
            }
        }
        black_box(touched);
    }

    fn judge<U: AsRef<[u8]>>(&mut self, urls: &[U], group: &[Lookup<'_>], answers: &mut [Answer]) {
        // Not within the next loop: what is prepared begins with several loads again.
        let mut deciders = [Decider::Unknown; GROUP];
        let mut last = Decider::Unknown;
        for (lookup, decider) in group.iter().zip(&mut deciders) {
            if let Place::Found(site) = lookup.place {
                last = site.map_or(Decider::Unknown, |site| self.store.decider(site, self.crawler));
            }
            *decider = last;
        }
        for (((lookup, url), answer), decider) in group.iter().zip(urls).zip(answers).zip(&deciders) {
            *answer = match lookup.place {
                Place::Other => self.checker.check(url.as_ref()),
                _ if NormalForm::is_plain(lookup.path) => {
                    decider.answer(lookup.path, self.dialect, &mut self.scratch)
                }
                _ => {
                    let target = Target::of_path(lookup.path, self.dialect);
                    let target = target.normal(self.dialect, &mut self.buffer);
                    decider.answer(target, self.dialect, &mut self.scratch)
                }
            };
        }
    }
}
