//! Stores out of stores: several become one, one becomes several, and what one knows is not compiled again.

use std::io::{self, Write};

use robomata_automaton::ProgramRef;
use xxhash_rust::xxh3::xxh3_64;

use super::build::{History, StoreKind};
use super::damage::CorruptBundleError;
use super::image::{FIRST_PROGRAM, Image, SiteName, hash_of};
use super::run::{Digest, Run, RunSite};
use super::versions::Versions;
use super::write::{Written, write};
use super::{PolicyStore, image};
use crate::group_table::is_group_table;
use crate::history::Version;
use crate::site::Site;
use crate::site_policy::{CompiledPolicies, OwnedCompiledPolicy};
use crate::usage::{UsageProgram, is_usage_program};

/// Stores could not be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// What is merged could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// One of the stores is damaged.
    #[error(transparent)]
    Damaged(#[from] CorruptBundleError),
    /// They are not about the same.
    #[error(
        "the policies cannot be merged: {} for {} about {}, and {} for {} about {}",
        .first.dialect, .first.audience, .first.usage_query, .other.dialect, .other.audience, .other.usage_query
    )]
    Differ {
        /// The first one's kind.
        first: Box<StoreKind>,
        /// Another one's.
        other: Box<StoreKind>,
    },
}

/// Writes one store of what `stores` hold to `out`, with the newest or all captures of each site; of captures of the same
/// instant those of the later store count. The bytes are the same as if everything had been compiled at once, but for
/// histories that lie within each other: of captures that say the same only the first and the last are known any more.
///
/// Needs a few bytes of memory for each program, and none for sites.
///
/// # Errors
/// When a store is damaged, when they are not of the same dialect, audience and aim, and those of `out`.
///
/// # Panics
/// When there is no store.
pub fn merge(stores: &[&PolicyStore], history: History, out: &mut dyn Write) -> Result<Written, MergeError> {
    let first = stores.first().expect("at least one store").kind();
    for store in stores {
        first.require_mergeable(store.kind())?;
        store.validate()?;
    }
    let kind = StoreKind { history, ..first.clone() };
    let runs: Vec<StoreRun<'_>> = stores.iter().map(|store| StoreRun::whole(store)).collect();
    let runs: Vec<&dyn Run> = runs.iter().map(|run| run as &dyn Run).collect();
    Ok(write(&kind.header(kind.settling()), &runs, out)?)
}

impl StoreKind {
    /// Can a store of the kind `other` be merged with one of this? How many captures they hold is no matter.
    ///
    /// # Errors
    /// When they are not of the same dialect, audience and aim.
    pub fn require_mergeable(&self, other: &StoreKind) -> Result<(), MergeError> {
        if (other.dialect, &other.audience, &other.usage_query)
            == (self.dialect, &self.audience, &self.usage_query)
        {
            return Ok(());
        }
        Err(MergeError::Differ { first: Box::new(self.clone()), other: Box::new(other.clone()) })
    }
}

/// The shard of a host's sites among `shards`: the share of the XXH3-64 (seed 0) of its name in all hashes. The name is in
/// normal form (lower case, punycode), without scheme and port, so that all sites of a host are in one shard. The same
/// in every version of this library.
pub fn shard_of(host: &[u8], shards: u32) -> u32 {
    let share = (u128::from(xxh3_64(host)) * u128::from(shards)) >> 64;
    u32::try_from(share).unwrap_or(0)
}

/// The sites of a store by shard.
pub struct Shards<'s> {
    store: &'s PolicyStore,
    /// For each shard the places of its sites, in the order of their slots.
    places: Vec<Vec<u64>>,
}

impl Shards<'_> {
    /// Writes the store of one shard.
    ///
    /// # Errors
    /// Those of `out`.
    ///
    /// # Panics
    /// When there are fewer shards.
    pub fn write(&self, shard: usize, out: &mut dyn Write) -> io::Result<Written> {
        let run = StoreRun { store: self.store, places: Some(&self.places[shard]) };
        let kind = self.store.kind();
        write(&kind.header(kind.settling()), &[&run], out)
    }
}

/// What a store knows of bodies that were compiled before.
#[derive(Clone, Copy, Debug)]
pub struct KnownBodies<'s> {
    store: &'s PolicyStore,
}

impl KnownBodies<'_> {
    /// What was compiled from the body with this digest; none where it is not known.
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
                    let owned = |&number| self.store.owned_compiled_policy(number);
                    let compiled_policies = numbers.iter().map(owned).collect::<Option<_>>()?;
                    return Some(CompiledPolicies { compiled_policies, digest: Some(*digest) });
                }
            }
        }
        None
    }
}

/// A site of a store, for who looks at all of them.
pub struct SiteEntry<'s> {
    name: SiteName<'s>,
    versions: Versions,
}

impl SiteEntry<'_> {
    /// The site in normal form, `https://example.com`.
    pub fn site(&self) -> String {
        let mut text = Vec::new();
        self.name.push_text(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Its versions, the oldest first.
    pub fn versions(&self) -> Vec<Version> {
        let column =
            |version| self.versions.compiled_policies(version).first().copied().unwrap_or(image::UNKNOWN);
        (0..self.versions.len())
            .map(|version| Version::new(self.versions.times(version), column(version)))
            .collect()
    }

    /// The programs of its newest version, one for each crawler whose rules decide, by their numbers in the store.
    pub fn programs(&self) -> impl Iterator<Item = u32> {
        let newest = self.versions.compiled_policies(self.versions.len() - 1);
        newest.iter().filter_map(|compiled_policy| compiled_policy.checked_sub(FIRST_PROGRAM))
    }
}

impl PolicyStore {
    /// What it knows of bodies that were compiled before.
    pub fn known_bodies(&self) -> KnownBodies<'_> {
        KnownBodies { store: self }
    }

    /// How many bodies it knows.
    pub fn body_count(&self) -> usize {
        self.image.body_count()
    }

    /// All sites, in the order in which the store has them, which means nothing to people.
    pub fn sites(&self) -> impl Iterator<Item = SiteEntry<'_>> {
        self.image.places().filter_map(|place| {
            let (name, _) = self.image.site_at(place)?;
            let mut versions = Versions::new(self.kind().audience.columns());
            read_versions(&self.image, place, &mut versions)?;
            (versions.len() > 0).then_some(SiteEntry { name, versions })
        })
    }

    /// The bytes of a program, once they are known to be sound.
    pub fn program_bytes_of(&self, number: u32) -> Option<&[u8]> {
        self.sound_program(number)
    }

    /// What the decider with this number is, apart from the store; none when it is damaged.
    pub(super) fn owned_compiled_policy(&self, number: u32) -> Option<OwnedCompiledPolicy> {
        Some(match number.checked_sub(FIRST_PROGRAM) {
            Some(program) => {
                let bytes = self.sound_program(program)?;
                if is_usage_program(bytes) {
                    OwnedCompiledPolicy::Usages(UsageProgram::from_raw(bytes))
                } else if is_group_table(bytes) {
                    OwnedCompiledPolicy::GroupTable(bytes.into())
                } else {
                    OwnedCompiledPolicy::Rules(ProgramRef::from_raw(bytes).to_owned())
                }
            }
            None => match number {
                image::UNAVAILABLE => OwnedCompiledPolicy::Unavailable,
                image::UNREACHABLE => OwnedCompiledPolicy::Unreachable,
                image::RESTRICTED => OwnedCompiledPolicy::Restricted,
                image::DEFERRED => OwnedCompiledPolicy::Deferred,
                _ => OwnedCompiledPolicy::Unknown,
            },
        })
    }

    /// Its sites by shard; see [`shard_of`].
    ///
    /// # Errors
    /// When it is damaged.
    pub fn shards(&self, shards: u32) -> Result<Shards<'_>, CorruptBundleError> {
        self.validate()?;
        let mut places = vec![Vec::new(); shards as usize];
        let mut text = Vec::new();
        for place in self.image.places() {
            let Some((name, _)) = self.image.site_at(place) else { continue };
            text.clear();
            name.push_text(&mut text);
            places[shard_of(Site::host_of(&text), shards) as usize].push(place);
        }
        Ok(Shards { store: self, places })
    }
}

fn read_versions(image: &Image, place: u64, out: &mut Versions) -> Option<()> {
    let (_, compiled_policies) = image.site_at(place)?;
    image.read_versions(compiled_policies, out)
}

/// A store, or some of its sites, as a run.
pub(super) struct StoreRun<'s> {
    store: &'s PolicyStore,
    /// In the order of the slots; none for all sites.
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
        // A store that is validated has them.
        let _ = read_versions(self.store.image(), site.place, out);
    }

    fn program(&self, number: u32) -> &[u8] {
        self.store.image().program(number).unwrap_or_default()
    }

    fn program_count(&self) -> usize {
        self.store.image().program_count()
    }

    fn bodies(&self) -> Box<dyn Iterator<Item = (Digest, Vec<u32>)> + '_> {
        let image = self.store.image();
        Box::new((0..image.body_count()).filter_map(|number| image.body(number)))
    }
}
