//! Builds stores from stores: merges several into one, splits one into several, and reuses what a store has already
//! compiled.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use robomata_automaton::ProgramRef;
use robomata_permissions::{StatementProgram, is_statement_program};
use robomata_protocol::lifecycle::Moment;
use xxhash_rust::xxh3::xxh3_64;

use super::build::{History, StoreKind};
use super::image::{FIRST_PROGRAM, Image, SiteId, SiteName, hash_of};
use super::run::{Digest, Run, RunSite};
use super::shard_files::ShardNumber;
use super::versions::Versions;
use super::write::{BundleSummary, write};
use super::{Audience, PolicyStore, image, outcome_of};
use crate::group_table::is_group_table;
use crate::history::Version;
use crate::site::Site;
use crate::site_policy::{CompiledPolicies, OwnedCompiledPolicy};

/// An error in merging stores.
#[derive(Debug)]
#[non_exhaustive]
pub enum MergeError {
    /// The output could not be written.
    Io(io::Error),
    /// The stores differ in dialect, audience or usage.
    Differ {
        /// The kind of the first store.
        first: Box<StoreKind>,
        /// The kind of another store.
        other: Box<StoreKind>,
    },
}

impl From<io::Error> for MergeError {
    fn from(error: io::Error) -> Self {
        MergeError::Io(error)
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, other) = match self {
            MergeError::Io(error) => return error.fmt(f),
            MergeError::Differ { first, other } => (first, other),
        };
        f.write_str("the policies cannot be merged: ")?;
        write!(f, "{} for {} about {}", first.dialect, first.audience, first.usage_query)?;
        write!(f, ", and {} for {} about {}", other.dialect, other.audience, other.usage_query)?;
        match (&first.audience, &other.audience) {
            (Audience::Crawlers(some), Audience::Crawlers(others))
                if some.len() == others.len() && some.iter().all(|crawler| others.contains(crawler)) =>
            {
                f.write_str(" (compile one of them again with the crawlers in the order of the other)")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for MergeError {}

/// Merges `stores` into one store and writes it to `out`, with the newest or all captures of each site. Of captures at
/// the same instant, those of the later store count. The bytes are the same as if everything had been compiled at once,
/// except for histories that overlap (of captures with the same policies, only the first and the last time are still
/// known), and for known bodies: a store forgets those whose programs none of its sites needs.
///
/// Needs a few bytes of memory for each program, and none for sites.
///
/// # Errors
/// When the stores differ in dialect, audience or usage query, and errors of `out`.
///
/// # Panics
/// When `stores` is empty.
pub fn merge(
    stores: &[&PolicyStore],
    history: History,
    out: &mut dyn Write,
) -> Result<BundleSummary, MergeError> {
    let first = stores.first().expect("at least one store").kind();
    for store in stores {
        first.require_mergeable(store.kind())?;
    }
    let kind = StoreKind { history, ..first.clone() };
    let runs: Vec<StoreRun<'_>> = stores.iter().map(|store| StoreRun::whole(store)).collect();
    let runs: Vec<&dyn Run> = runs.iter().map(|run| run as &dyn Run).collect();
    Ok(write(&kind.header(kind.settling()), &runs, out)?)
}

impl StoreKind {
    /// Checks that a store of the kind `other` can be merged with one of this kind. The kinds may differ in which
    /// captures they hold.
    ///
    /// # Errors
    /// When they differ in dialect, audience or usage query.
    pub fn require_mergeable(&self, other: &StoreKind) -> Result<(), MergeError> {
        if (other.dialect, &other.audience, &other.usage_query)
            == (self.dialect, &self.audience, &self.usage_query)
        {
            return Ok(());
        }
        Err(MergeError::Differ { first: Box::new(self.clone()), other: Box::new(other.clone()) })
    }
}

/// The shard of a host's sites among `shards`: the XXH3-64 (seed 0) of the host name, scaled to the number of shards.
/// The name is in normal form (lower case, punycode), without scheme and port, so that all sites of a host are in one
/// shard. Every version of this library gives the same shard.
pub fn shard_of(host: &[u8], shards: u32) -> u32 {
    let share = (u128::from(xxh3_64(host)) * u128::from(shards)) >> 64;
    u32::try_from(share).unwrap_or(0)
}

/// The sites of a store by shard.
pub struct Shards<'s> {
    store: &'s PolicyStore,
    /// For each shard, the positions of its sites, in the order of their slots.
    places: Vec<Vec<u64>>,
}

impl Shards<'_> {
    /// Writes the store of one shard, which says in its bytes that it is this shard.
    ///
    /// # Errors
    /// Errors of `out`.
    ///
    /// # Panics
    /// When there is no such shard.
    pub fn write(&self, shard: usize, out: &mut dyn Write) -> io::Result<BundleSummary> {
        let run = StoreRun { store: self.store, places: Some(&self.places[shard]) };
        let kind = self.store.kind();
        let number = u32::try_from(shard).unwrap_or(u32::MAX);
        let count = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        let header = kind.header(kind.settling());
        write(&header.of_shard(ShardNumber { number, count }), &[&run], out)
    }
}

/// The bodies that a store has already compiled.
#[derive(Clone, Copy, Debug)]
pub struct KnownBodies<'s> {
    store: &'s PolicyStore,
}

impl KnownBodies<'_> {
    /// The policies compiled from the body with this digest; `None` when it is not known.
    pub fn policies(&self, digest: &Digest) -> Option<CompiledPolicies> {
        let image = self.store.image();
        let (mut low, mut high) = (0, image.body_count());
        while low < high {
            let middle = low.midpoint(high);
            let (found, numbers) = image.body(middle)?;
            match found.cmp(digest) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let mut compiled_policies: Vec<Arc<OwnedCompiledPolicy>> =
                        Vec::with_capacity(numbers.len());
                    for (index, &number) in numbers.iter().enumerate() {
                        let known = numbers[..index].iter().position(|&known| known == number);
                        compiled_policies.push(match known {
                            Some(known) => Arc::clone(&compiled_policies[known]),
                            None => Arc::new(self.store.owned_compiled_policy(number)?),
                        });
                    }
                    let schedules = numbers.iter().map(|&number| image.schedule_of(number).into()).collect();
                    return Some(CompiledPolicies { compiled_policies, schedules, digest: Some(*digest) });
                }
            }
        }
        None
    }
}

/// A site of a store, for iteration over all of them.
pub struct SiteEntry<'s> {
    name: SiteName<'s>,
    place: u64,
    versions: Versions,
}

/// Where a site is in its store or, of several, in its stores ([`Stores`](crate::Stores)). Takes little memory, unlike
/// the site's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SitePlace(u64);

impl SitePlace {
    /// The bits of a position in a store: those of a slot.
    const BITS: u32 = 40;

    /// The place of the site at this position of the store with this number.
    fn new(store: usize, place: u64) -> Self {
        SitePlace((store as u64) << SitePlace::BITS | place)
    }

    /// The number of the store.
    pub(crate) fn store(self) -> usize {
        image::index_of(self.0 >> SitePlace::BITS)
    }

    /// The same place in the store with this number.
    pub(crate) fn in_store(self, store: usize) -> Self {
        SitePlace::new(store, self.position())
    }

    fn position(self) -> u64 {
        self.0 & ((1 << SitePlace::BITS) - 1)
    }
}

impl SiteEntry<'_> {
    /// The site in normal form, `https://example.com`.
    pub fn site(&self) -> String {
        self.name.text()
    }

    /// Appends the site's bytes in normal form.
    pub fn push_site(&self, out: &mut Vec<u8>) {
        self.name.push_text(out);
    }

    /// Where the site is in the store.
    pub fn place(&self) -> SitePlace {
        SitePlace::new(0, self.place)
    }

    /// Whether two versions say the same to the crawlers of the store. Numbers are those of
    /// [`SiteEntry::versions`].
    pub fn says_same(&self, one: usize, other: usize) -> bool {
        self.versions.compiled_policies(one) == self.versions.compiled_policies(other)
    }

    /// The versions of its robots.txt, the oldest first; none if only its tdmrep.json was captured.
    pub fn versions(&self) -> Vec<Version> {
        versions_of(&self.versions)
    }

    /// The programs of its newest version, one for each crawler whose rules decide, as their numbers in the store.
    pub fn programs(&self) -> impl Iterator<Item = u32> {
        let newest = self.versions.len().checked_sub(1);
        let newest = newest.map_or(&[][..], |newest| self.versions.compiled_policies(newest));
        newest.iter().filter_map(|compiled_policy| compiled_policy.checked_sub(FIRST_PROGRAM))
    }
}

impl PolicyStore {
    /// The bodies that the store has already compiled.
    pub fn known_bodies(&self) -> KnownBodies<'_> {
        KnownBodies { store: self }
    }

    /// The number of bodies in the store.
    pub fn body_count(&self) -> usize {
        self.image.body_count()
    }

    /// All sites, in the order of the store, which has no meaning for users.
    pub fn sites(&self) -> impl Iterator<Item = SiteEntry<'_>> {
        self.image.places().filter_map(|place| self.entry(place))
    }

    /// Where `site` is in the store; `None` when the store does not have it.
    pub fn place_of(&self, site: &Site<'_>) -> Option<SitePlace> {
        let SiteId(end) = self.find(site.as_bytes())?;
        Some(SitePlace::new(0, (end - SiteName::new(site.as_bytes()).written_bytes()) as u64))
    }

    /// The versions of the tdmrep.json of a site, the oldest first.
    pub fn tdmrep_versions(&self, site: &Site<'_>) -> Vec<Version> {
        let mut versions = Versions::new(1);
        // Nearly all sites have none.
        let _ = self.find(site.as_bytes()).and_then(|site| self.image.read_tdmreps(site, &mut versions));
        versions_of(&versions)
    }

    /// The site at `place`, which came from this store.
    pub fn site_at(&self, place: SitePlace) -> Option<SiteEntry<'_>> {
        self.entry(place.position())
    }

    /// The number of sites with a capture of the robots.txt, or of the tdmrep.json, that is later than `time`.
    pub fn sites_later_than(&self, time: Moment) -> u64 {
        let mut all = [Versions::new(self.kind().audience.columns()), Versions::new(1)];
        let later = self.image.places().filter(|&place| {
            all.iter_mut().for_each(Versions::clear);
            let [robots, tdmreps] = &mut all;
            if let Some((_, site)) = self.image.site_at(place) {
                // Nearly all sites have no tdmrep.json.
                let _ = (self.image.read_versions(site, robots), self.image.read_tdmreps(site, tdmreps));
            }
            all.iter().any(|versions| versions.latest().is_some_and(|latest| latest > time.seconds()))
        });
        later.count() as u64
    }

    fn entry(&self, place: u64) -> Option<SiteEntry<'_>> {
        let (name, _) = self.image.site_at(place)?;
        let mut versions = Versions::new(self.kind().audience.columns());
        read_versions(&self.image, place, &mut versions)?;
        Some(SiteEntry { name, place, versions })
    }

    /// The bytes of the program with this number, if there is one.
    pub fn program_bytes_of(&self, number: u32) -> Option<&[u8]> {
        self.image.program(number)
    }

    /// An owned copy of the compiled policy with this number; `None` when there is none.
    pub(super) fn owned_compiled_policy(&self, number: u32) -> Option<OwnedCompiledPolicy> {
        Some(match number.checked_sub(FIRST_PROGRAM) {
            Some(program) => {
                let bytes = self.image.program(program)?;
                if is_statement_program(bytes) {
                    OwnedCompiledPolicy::Usages(StatementProgram::from_raw(bytes))
                } else if is_group_table(bytes) {
                    OwnedCompiledPolicy::GroupTable(bytes.into())
                } else {
                    OwnedCompiledPolicy::Rules(ProgramRef::from_raw(bytes).to_owned())
                }
            }
            None => OwnedCompiledPolicy::WithoutRules(outcome_of(number)),
        })
    }

    /// Its sites by shard; see [`shard_of`].
    pub fn shards(&self, shards: u32) -> Shards<'_> {
        let mut places = vec![Vec::new(); shards as usize];
        let mut text = Vec::new();
        for place in self.image.places() {
            let Some((name, _)) = self.image.site_at(place) else { continue };
            text.clear();
            name.push_text(&mut text);
            places[shard_of(Site::host_of(&text), shards) as usize].push(place);
        }
        Shards { store: self, places }
    }
}

/// Versions with the outcomes of the first column.
fn versions_of(versions: &Versions) -> Vec<Version> {
    let column = |version| versions.compiled_policies(version).first().copied().unwrap_or(image::UNKNOWN);
    (0..versions.len()).map(|version| Version::new(versions.times(version), column(version))).collect()
}

fn read_versions(image: &Image, place: u64, out: &mut Versions) -> Option<()> {
    let (_, compiled_policies) = image.site_at(place)?;
    image.read_versions(compiled_policies, out).map(|_| ())
}

/// A store, or some of its sites, as a run.
pub(super) struct StoreRun<'s> {
    store: &'s PolicyStore,
    /// In the order of the slots; `None` for all sites.
    places: Option<&'s [u64]>,
}

impl<'s> StoreRun<'s> {
    pub(super) fn whole(store: &'s PolicyStore) -> Self {
        StoreRun { store, places: None }
    }

    fn places(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match self.places {
            Some(places) => Box::new(places.iter().copied()),
            None => Box::new(self.store.image().places()),
        }
    }

    fn site(&self, place: u64, seed: u64, text: &mut Vec<u8>) -> Option<RunSite<'_>> {
        let (name, _) = self.store.image().site_at(place)?;
        text.clear();
        name.push_text(text);
        Some(RunSite { hash: hash_of(text, seed), name, place })
    }
}

impl Run for StoreRun<'_> {
    fn sites(&self, seed: u64) -> Box<dyn Iterator<Item = RunSite<'_>> + '_> {
        let mut text = Vec::new();
        let places = self.places();
        let sites = places.filter_map(move |place| self.site(place, seed, &mut text));
        if seed == self.store.image().layout().seed {
            return Box::new(sites);
        }
        let mut sites: Vec<RunSite<'_>> = sites.collect();
        sites.sort_unstable_by(RunSite::compare);
        Box::new(sites.into_iter())
    }

    fn versions(&self, site: &RunSite<'_>, out: &mut Versions) {
        // A validated store has them.
        let _ = read_versions(self.store.image(), site.place, out);
    }

    fn tdmreps(&self, site: &RunSite<'_>, out: &mut Versions) {
        let image = self.store.image();
        // Nearly all sites have none.
        let _ = image.site_at(site.place).and_then(|(_, site)| image.read_tdmreps(site, out));
    }

    fn program(&self, number: u32) -> &[u8] {
        self.store.image().program(number).unwrap_or_default()
    }

    fn schedule(&self, number: u32) -> &[u8] {
        self.store.image().schedule_of(FIRST_PROGRAM + number)
    }

    fn program_count(&self) -> usize {
        self.store.image().program_count()
    }

    fn bodies(&self) -> Box<dyn Iterator<Item = (Digest, Vec<u32>)> + '_> {
        let image = self.store.image();
        Box::new((0..image.body_count()).filter_map(|number| image.body(number)))
    }
}
