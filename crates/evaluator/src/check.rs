//! The hot path: a URL's text to an answer.

use robomata_automaton::Scratch;
use robomata_protocol::{Answer, Dialect};

use crate::site::Site;
use crate::store::{PolicyStore, SiteId};
use crate::target::{Target, TargetBuffer};

/// Checks URLs against a store for one of its crawlers. One for each thread: it holds the walk's memory, and remembers
/// the last site, since URLs mostly come grouped.
#[derive(Debug)]
pub struct Checker<'s> {
    store: &'s PolicyStore,
    crawler: usize,
    dialect: Dialect,
    scratch: Scratch,
    buffer: TargetBuffer,
    last_site: Vec<u8>,
    last_id: Option<SiteId>,
}

impl<'s> Checker<'s> {
    pub(crate) fn new(store: &'s PolicyStore, crawler: usize) -> Self {
        Checker {
            store,
            crawler,
            dialect: store.dialect(),
            scratch: Scratch::new(),
            buffer: TargetBuffer::default(),
            last_site: Vec::new(),
            last_id: None,
        }
    }

    /// The answer for `url`: `invalid` when it is no http or https URL, `unknown` when the store has no policy for its
    /// site. Allocates nothing but for odd spellings of a host.
    #[inline]
    pub fn check(&mut self, url: &[u8]) -> Answer {
        let Some(target) = Target::new(url) else { return Answer::Invalid };
        let Ok(site) = Site::of_target(url, &target) else { return Answer::Invalid };
        let Some(id) = self.find(&site) else { return Answer::Unknown };
        // The dialect may cut paths in another way; the site is everybody's.
        let target = match self.dialect {
            Dialect::Rfc9309 => target,
            Dialect::Google => Target::as_google_cuts(url),
        };
        let normal = target.normal(self.dialect, &mut self.buffer);
        self.store.decider(id, self.crawler).answer(normal, self.dialect, &mut self.scratch)
    }

    #[inline]
    fn find(&mut self, site: &Site<'_>) -> Option<SiteId> {
        if site.as_octets() != self.last_site {
            self.last_id = self.store.find(site);
            self.last_site.clear();
            self.last_site.extend_from_slice(site.as_octets());
        }
        self.last_id
    }
}
