//! Sites in the order of their hashes: what stores are written from.
//!
//! A *run* is what was gathered in memory, or a store that was written before. Several runs are merged as they are
//! written, so that a bundle may be larger than the memory, and yesterday's bundle takes up what came today.

use std::cmp::Ordering;

use super::image::SiteName;
use super::versions::Versions;

/// Bytes of a digest that tells bodies from each other: the first of BLAKE3. The bodies come from strangers, and who
/// could make two of them collide could put words into another site's mouth: that takes 2^80 attempts.
pub const DIGEST: usize = 20;

/// What a body is known by.
pub type Digest = [u8; DIGEST];

/// Sites, programs and bodies; their numbers are of this run alone.
pub(super) trait Run {
    /// Sites in the order of their hashes under `seed`, then of their names; each once.
    fn sites(&self, seed: u64) -> Box<dyn Iterator<Item = RunSite<'_>> + '_>;

    /// Adds the versions of a site, in the order in which they were gathered.
    fn versions(&self, site: &RunSite<'_>, out: &mut Versions);

    /// The bytes of a program.
    fn program(&self, number: u32) -> &[u8];

    fn program_count(&self) -> usize;

    /// Known bodies in the order of their digests, with what was compiled from each.
    fn bodies(&self) -> Box<dyn Iterator<Item = (Digest, Vec<u32>)> + '_>;
}

/// A site of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunSite<'r> {
    pub(super) hash: u64,
    pub(super) name: SiteName<'r>,
    /// Where the run finds it again.
    pub(super) place: u64,
}

impl RunSite<'_> {
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.hash.cmp(&other.hash).then_with(|| self.name.cmp(&other.name))
    }
}

/// Takes the items of several ascending iterators in order; of equal ones, those of the first iterator come first.
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

    /// The number of the iterator with the least item, and the item.
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

/// Hands every site of `runs` to `each`, once, with its versions of all runs.
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
