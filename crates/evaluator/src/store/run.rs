//! Sites in the order of their hashes: the input for writing a store.
//!
//! A *run* is a builder's contents in memory, or a store that was written before. Several runs are merged while they
//! are written. A bundle can therefore be larger than the memory, and yesterday's bundle can absorb today's captures.

use std::cmp::Ordering;

use super::image::SiteName;
use super::versions::Versions;

/// The size of a digest that identifies a body: the first bytes of its BLAKE3. The bodies come from untrusted sites,
/// and two bodies that collide would let one site change the policy of another. A collision takes 2^80 attempts.
pub const DIGEST: usize = 20;

/// Identity of a body.
pub type Digest = [u8; DIGEST];

/// Sites, programs and bodies. Their numbers are local to this run.
pub(super) trait Run {
    /// Sites in the order of their hashes under `seed`, then of their names; each once.
    fn sites(&self, seed: u64) -> Box<dyn Iterator<Item = RunSite<'_>> + '_>;

    /// Adds the versions of a site, in the order in which they were collected.
    fn versions(&self, site: &RunSite<'_>, out: &mut Versions);

    /// Adds the versions of a site's tdmrep.json, in the order in which they were collected.
    fn tdmreps(&self, site: &RunSite<'_>, out: &mut Versions);

    /// The bytes of a program.
    fn program(&self, number: u32) -> &[u8];

    /// The schedule of a program in bytes (`schedules`); empty if it has none.
    fn schedule(&self, number: u32) -> &[u8];

    fn program_count(&self) -> usize;

    /// Known bodies in the order of their digests, with the policies compiled from each.
    fn bodies(&self) -> Box<dyn Iterator<Item = (Digest, Vec<u32>)> + '_>;
}

/// A site of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunSite<'r> {
    pub(super) hash: u64,
    pub(super) name: SiteName<'r>,
    /// The position of the site in the run.
    pub(super) place: u64,
}

impl RunSite<'_> {
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.hash.cmp(&other.hash).then_with(|| self.name.cmp(&other.name))
    }
}

/// Merges several ascending iterators in order; of equal items, those of the first iterator come first.
pub(super) struct InOrder<I: Iterator, C> {
    heads: Vec<Option<I::Item>>,
    rest: Vec<I>,
    compare: C,
}

impl<I: Iterator, C: Fn(&I::Item, &I::Item) -> Ordering> InOrder<I, C> {
    pub(super) fn new(mut iterators: Vec<I>, compare: C) -> Self {
        let heads = iterators.iter_mut().map(Iterator::next).collect();
        InOrder { heads, rest: iterators, compare }
    }

    /// The index of the iterator with the least item, and the item.
    fn least(&self) -> Option<(usize, &I::Item)> {
        let heads = self.heads.iter().enumerate();
        heads.filter_map(|(run, head)| Some((run, head.as_ref()?))).reduce(|least, next| {
            if (self.compare)(next.1, least.1) == Ordering::Less { next } else { least }
        })
    }
}

impl<I: Iterator, C: Fn(&I::Item, &I::Item) -> Ordering> Iterator for InOrder<I, C> {
    type Item = (usize, I::Item);

    fn next(&mut self) -> Option<Self::Item> {
        let (run, _) = self.least()?;
        let next = self.rest[run].next();
        let item = std::mem::replace(&mut self.heads[run], next)?;
        Some((run, item))
    }
}

/// Calls `each` once for every site of `runs`, with its versions of all runs.
pub(super) fn for_each_site<'r, E>(
    runs: &[&'r dyn Run],
    seed: u64,
    mut each: impl FnMut(&[(usize, RunSite<'r>)]) -> Result<(), E>,
) -> Result<(), E> {
    let sites = runs.iter().map(|run| run.sites(seed)).collect();
    let mut same: Vec<(usize, RunSite<'r>)> = Vec::new();
    for (run, site) in InOrder::new(sites, RunSite::compare) {
        if let Some((_, first)) = same.first()
            && first.compare(&site) != Ordering::Equal
        {
            each(&same)?;
            same.clear();
        }
        same.push((run, site));
    }
    if same.is_empty() { Ok(()) } else { each(&same) }
}
