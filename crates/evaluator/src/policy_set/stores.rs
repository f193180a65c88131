//! The open stores of a bundle.

use std::convert::Infallible;

#[cfg(feature = "parallel")]
use rayon::prelude::*;
use robomata_protocol::{Answer, Crawler, UrlRef, requestable};

use super::{PolicySet, PolicySetError};
use crate::check::{BLOCK, Checker, Crawlers, FindStore};
use crate::history::{AtVersion, HistoryChecker};
use crate::site::Site;
use crate::store::{Fingerprint, PolicyStore, SiteEntry, SitePlace, UnsupportedQueryError};

/// Open stores: a single one, or all shards of a bundle. All have the same dialect, crawlers and usage. A check never
/// fails, because nothing is left to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Stores<'s> {
    first: &'s PolicyStore,
    /// `None` for a single store that is no shard. All stores of the set are open.
    set: Option<&'s PolicySet>,
}

impl<'s> From<&'s PolicyStore> for Stores<'s> {
    fn from(store: &'s PolicyStore) -> Self {
        Stores { first: store, set: None }
    }
}

impl<'s> Stores<'s> {
    pub(super) fn of_set(set: &'s PolicySet) -> Result<Self, PolicySetError> {
        set.stores().try_for_each(|store| store.map(drop))?;
        Ok(Stores { first: set.store(0)?, set: Some(set).filter(|set| set.shards.is_some()) })
    }

    /// Any of the stores. It shows which queries all of them support.
    pub fn any(self) -> &'s PolicyStore {
        self.first
    }

    /// The stores, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = &'s PolicyStore> {
        let opened = |set: &'s PolicySet| (0..set.store_count()).map(move |number| set.opened(number));
        let single = self.set.is_none().then_some(self.first);
        single.into_iter().chain(self.set.into_iter().flat_map(opened))
    }

    /// A checker for several crawlers; see [`PolicyStore::checker_for`].
    ///
    /// # Errors
    /// When the stores have no programs for one of them.
    pub fn checker_for(
        self,
        crawlers: &[Crawler],
    ) -> Result<Checker<'s, Crawlers<'s>, Self>, UnsupportedQueryError> {
        Checker::new(self, self.first, crawlers)
    }

    /// A checker for `crawler` that uses earlier versions of the sites' policies.
    ///
    /// # Errors
    /// When the stores have no programs for it.
    pub fn history_checker(
        self,
        crawler: &Crawler,
    ) -> Result<HistoryChecker<'s, Self>, UnsupportedQueryError> {
        Ok(Checker::with(self, self.first.dialect(), AtVersion::new(self.first.slot_of(crawler)?)))
    }

    /// The answers for `urls`, in input order, computed in blocks ([`Checker::check_block`]), with the feature
    /// `parallel` on all cores of rayon's current pool. Blanks around a URL do not count, and one with control characters
    /// is invalid ([`requestable`]).
    ///
    /// # Errors
    /// When the stores have no programs for `crawler`.
    pub fn check_batch<U: AsRef<[u8]> + Sync>(
        self,
        crawler: &Crawler,
        urls: &[U],
    ) -> Result<Vec<Answer>, UnsupportedQueryError> {
        /// The number of URLs that a thread takes at a time.
        #[cfg(feature = "parallel")]
        const SHARE: usize = 1024;
        let slot = self.first.slot_of(crawler)?;
        let checker = || Checker::with(self, self.first.dialect(), Crawlers::new(vec![slot.clone()]));
        let mut answers = vec![Answer::Unknown; urls.len()];
        let check = |checker: &mut Checker<'s, _, Self>, (answers, urls): (&mut [Answer], &[U])| {
            for (answers, urls) in answers.chunks_mut(BLOCK).zip(urls.chunks(BLOCK)) {
                let mut block = [UrlRef::Text(b""); BLOCK];
                for (place, url) in block.iter_mut().zip(urls) {
                    // An empty text is invalid.
                    *place = UrlRef::Text(requestable(url.as_ref()).unwrap_or_default());
                }
                checker.check_block(&block[..urls.len()], answers);
            }
        };
        #[cfg(feature = "parallel")]
        answers.par_chunks_mut(SHARE).zip(urls.par_chunks(SHARE)).for_each_init(checker, check);
        #[cfg(not(feature = "parallel"))]
        check(&mut checker(), (&mut answers, urls));
        Ok(answers)
    }

    /// The number of sites in all stores.
    pub fn site_count(self) -> usize {
        self.iter().map(PolicyStore::site_count).sum()
    }

    /// The identity of the contents of all stores together.
    pub fn fingerprint(self) -> Fingerprint {
        self.set.map_or_else(|| self.first.fingerprint(), PolicySet::fingerprint)
    }

    /// Where `site` is in the stores; `None` when none of them has it.
    pub fn place_of(self, site: &Site<'_>) -> Option<SitePlace> {
        let number = self.set.map_or(0, |set| set.number_of(site.as_bytes()));
        let store = self.set.map_or(self.first, |set| set.opened(number));
        store.place_of(site).map(|place| place.in_store(number))
    }

    /// The site at `place`, which came from these stores.
    pub fn site_at(self, place: SitePlace) -> Option<SiteEntry<'s>> {
        self.set.map_or(self.first, |set| set.opened(place.store())).site_at(place)
    }

    /// All sites with their places, store by store. The order within a store has no meaning for users.
    pub fn sites(self) -> impl Iterator<Item = (SitePlace, SiteEntry<'s>)> {
        let entries = |(number, store): (usize, &'s PolicyStore)| {
            store.sites().map(move |entry| (entry.place().in_store(number), entry))
        };
        self.iter().enumerate().flat_map(entries)
    }

    /// Whether a store has an entry for `site`.
    pub fn holds(self, site: &Site<'_>) -> bool {
        self.find(site.as_bytes()).holds(site)
    }

    /// The store that has the policy of a site, if any store has it.
    #[inline]
    fn find(self, site: &[u8]) -> &'s PolicyStore {
        match self.set {
            None => self.first,
            Some(set) => set.opened(set.number_of(site)),
        }
    }
}

impl<'s> FindStore<'s> for Stores<'s> {
    type Error = Infallible;

    #[inline]
    fn store_of(self, site: &[u8]) -> Result<&'s PolicyStore, Infallible> {
        Ok(self.find(site))
    }
}
