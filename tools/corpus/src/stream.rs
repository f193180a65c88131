//! Frontiers as streams of URLs.

use rayon::prelude::*;

use crate::popularity::Popularity;
use crate::rng::{Rng, Use};
use crate::spec::{Order, Spec};

/// A frontier as a stream. Only the current URL is in memory.
#[derive(Clone, Debug)]
pub struct UrlStream {
    spec: Spec,
    places: Places,
    url: Vec<u8>,
}

impl UrlStream {
    pub(crate) fn new(spec: Spec, order: Order) -> Self {
        UrlStream { spec, places: Places::new(spec, order), url: Vec::new() }
    }

    /// Returns the next URL and its site.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend what it yields")]
    pub fn next(&mut self) -> Option<(u64, &[u8])> {
        let (site, n) = self.places.next()?;
        self.url.clear();
        self.spec.url(site, n, &mut self.url);
        Some((site, &self.url))
    }
}

/// The URLs of a frontier: numbers of sites and of their URLs, in order. The text of a URL depends only on these
/// numbers, so any thread can produce it.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    spec: Spec,
    popularity: Popularity,
    order: Ordered,
    /// URLs that remain.
    left: u64,
}

#[derive(Clone, Debug)]
enum Ordered {
    Grouped {
        /// The weights of all sites, and of those up to this one.
        total: u64,
        before: u64,
        site: u64,
        /// The next URL of the site, and its number of URLs.
        n: u64,
        count: u64,
    },
    Shuffled {
        drawn: u64,
    },
}

impl Places {
    pub(crate) fn new(spec: Spec, order: Order) -> Self {
        let popularity = spec.popularity();
        let order = match order {
            Order::Shuffled => Ordered::Shuffled { drawn: 0 },
            Order::Grouped => {
                let weight = |site| popularity.weight(site, spec.access(site));
                let total = (0..spec.sites).into_par_iter().map(weight).sum();
                Ordered::Grouped { total, before: 0, site: 0, n: 0, count: 0 }
            }
        };
        Places { spec, popularity, order, left: if spec.sites == 0 { 0 } else { spec.urls } }
    }
}

impl Iterator for Places {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        self.left = self.left.checked_sub(1)?;
        let (spec, popularity) = (self.spec, self.popularity);
        match &mut self.order {
            Ordered::Shuffled { drawn } => {
                let mut rng = Rng::of(spec.seed, Use::Draw, *drawn);
                *drawn += 1;
                Some((popularity.draw(&mut rng, |site| spec.access(site)), *drawn))
            }
            Ordered::Grouped { total, before, site, n, count } => {
                while n == count {
                    *site += u64::from(*before > 0);
                    let after = *before + popularity.weight(*site, spec.access(*site));
                    // Rounds sums, not counts, so the counts add up to the exact number of URLs.
                    let share = |weight: u64| u128::from(weight) * u128::from(spec.urls) / u128::from(*total);
                    *count = u64::try_from(share(after) - share(*before)).expect("no more than all URLs");
                    (*before, *n) = (after, 0);
                }
                *n += 1;
                Some((*site, *n - 1))
            }
        }
    }
}
