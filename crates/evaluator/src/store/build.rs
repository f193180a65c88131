//! Puts a store together.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::hash_table::{Entry, HashTable};
use rayon::prelude::*;
use robomata_protocol::{Crawler, Dialect};

use super::PolicyStore;
use super::image::{
    CHECKSUM_AT, DEFERRED, FIRST_PROGRAM, HEADER, HEADER_SUM_AT, INDEX_ENTRY, LABEL, PADDING, RESTRICTED,
    SLOT, SiteName, UNAVAILABLE, UNKNOWN, UNREACHABLE, VERSION, hash_of, home_of, slot_of,
};
use super::validate::{checksum, header_sum};
use crate::site::Site;
use crate::site_policy::{CompiledPolicies, OwnedDecider};
use crate::usage::Aim;

/// When a robots.txt was fetched, as far as it matters to which of two wins: seconds and nanoseconds since 1970.
/// A known time is later than an unknown one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recency(pub Option<(i64, u32)>);

/// Collects sites and their compiled policies.
#[derive(Debug)]
pub struct StoreBuilder {
    dialect: Dialect,
    aim: Aim,
    crawlers: Vec<Crawler>,
    /// Of the hash tables here: sites cannot know it, so that their names and rules cannot make the tables slow.
    seed: u64,
    sites: HashTable<u32>,
    names: Vec<u8>,
    entries: Vec<SiteEntry>,
    deciders: Vec<u32>,
    programs: HashTable<u32>,
    program_octets: Vec<u8>,
    program_ends: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct SiteEntry {
    name: (usize, u32),
    recency: Recency,
}

impl StoreBuilder {
    /// An empty builder for policies that were compiled for `crawlers` in `dialect`.
    pub fn new(dialect: Dialect, crawlers: Vec<Crawler>) -> Self {
        StoreBuilder {
            dialect,
            aim: Aim::default(),
            crawlers,
            seed: RandomState::new().hash_one(0),
            sites: HashTable::new(),
            names: Vec::new(),
            entries: Vec::new(),
            deciders: Vec::new(),
            programs: HashTable::new(),
            program_octets: Vec::new(),
            program_ends: Vec::new(),
        }
    }

    /// The builder for policies that were compiled for `aim`.
    #[must_use]
    pub fn with_aim(self, aim: Aim) -> Self {
        StoreBuilder { aim, ..self }
    }

    /// Gives `site` these policies, unless it has newer ones; of equally new ones the last to come wins. Says whether
    /// they were taken.
    ///
    /// # Panics
    /// When `policies` were compiled for another number of crawlers.
    pub fn insert(&mut self, site: &Site<'_>, policies: &CompiledPolicies, recency: Recency) -> bool {
        assert_eq!(
            policies.deciders.len(),
            self.crawlers.len(),
            "policies compiled for this builder's crawlers"
        );
        let number = self.number_of(site.as_octets());
        let entry = &mut self.entries[number];
        if entry.recency > recency {
            return false;
        }
        entry.recency = recency;
        for (crawler, decider) in policies.deciders.iter().enumerate() {
            let decider = self.decider(decider);
            self.deciders[number * self.crawlers.len() + crawler] = decider;
        }
        true
    }

    /// How many sites there are so far.
    pub fn site_count(&self) -> usize {
        self.entries.len()
    }

    fn number_of(&mut self, name: &[u8]) -> usize {
        let StoreBuilder { sites, names, entries, deciders, crawlers, seed, .. } = self;
        let name_of = |number: u32| name_of(names, &entries[number as usize]);
        let hash = |name| hash_of(name, *seed);
        match sites.entry(hash(name), |&number| name_of(number) == name, |&number| hash(name_of(number))) {
            Entry::Occupied(entry) => *entry.get() as usize,
            Entry::Vacant(entry) => {
                let number = entries.len();
                entry.insert(u32_of(number));
                entries.push(SiteEntry { name: (names.len(), u32_of(name.len())), recency: Recency(None) });
                names.extend_from_slice(name);
                deciders.resize(deciders.len() + crawlers.len(), UNKNOWN);
                number
            }
        }
    }

    fn decider(&mut self, decider: &OwnedDecider) -> u32 {
        match decider {
            OwnedDecider::Unknown => UNKNOWN,
            OwnedDecider::Unavailable => UNAVAILABLE,
            OwnedDecider::Unreachable => UNREACHABLE,
            OwnedDecider::Restricted => RESTRICTED,
            OwnedDecider::Deferred => DEFERRED,
            OwnedDecider::Rules(program) => FIRST_PROGRAM + self.program(program.as_ref().octets()),
            OwnedDecider::Usages(program) => FIRST_PROGRAM + self.program(program.octets()),
        }
    }

    /// The number of the program with these octets; equal programs are stored once.
    fn program(&mut self, octets: &[u8]) -> u32 {
        let StoreBuilder { programs, program_octets, program_ends, seed, .. } = self;
        let octets_of = |number: u32| {
            let start = number.checked_sub(1).map_or(0, |before| program_ends[before as usize]);
            &program_octets[start..program_ends[number as usize]]
        };
        let hash = |octets| hash_of(octets, *seed);
        match programs.entry(
            hash(octets),
            |&number| octets_of(number) == octets,
            |&number| hash(octets_of(number)),
        ) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = u32_of(program_ends.len());
                entry.insert(number);
                program_octets.extend_from_slice(octets);
                program_ends.push(program_octets.len());
                number
            }
        }
    }

    /// The store of what was inserted. Its octets depend on nothing but that.
    pub fn build(self) -> PolicyStore {
        match PolicyStore::from_trusted(self.image()) {
            Ok(store) => store,
            Err(error) => unreachable!("a store that was just built has a header: {error}"),
        }
    }

    fn image(self) -> Vec<u8> {
        let purpose = self.aim.purpose.as_deref().unwrap_or_default();
        let mut meta = format!("{}\n{}\n{}\n", self.dialect, self.aim.usage, purpose.replace('\n', " "));
        for crawler in &self.crawlers {
            meta.push_str(&format!("{crawler}\n"));
        }
        let width = decider_width(self.program_ends.len());
        let (sites, places) = self.write_sites(width);
        let slots = self.place(&places);
        let lengths = [
            meta.len(),
            slots.len * SLOT + PADDING,
            sites.len() + PADDING,
            (self.program_ends.len() + 1) * INDEX_ENTRY + PADDING,
            self.program_octets.len(),
        ];

        let mut out = Vec::with_capacity(HEADER + lengths.iter().sum::<usize>());
        out.extend_from_slice(LABEL);
        for number in [VERSION, u32_of(self.crawlers.len()), u32_of(self.entries.len()), u32_of(slots.reach)]
        {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for number in [slots.seed, width as u64] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let mut offset = HEADER;
        for length in lengths {
            out.extend_from_slice(&(offset as u64).to_le_bytes());
            out.extend_from_slice(&(length as u64).to_le_bytes());
            offset += length;
        }
        debug_assert_eq!(out.len(), CHECKSUM_AT);
        out.resize(HEADER, 0);

        out.extend_from_slice(meta.as_bytes());
        slots.write(&mut out);
        out.extend_from_slice(&sites);
        out.extend_from_slice(&[0; PADDING]);
        for end in std::iter::once(0).chain(self.program_ends.iter().copied()) {
            out.extend_from_slice(&(end as u64).to_le_bytes()[..INDEX_ENTRY]);
        }
        out.extend_from_slice(&[0; PADDING]);
        out.extend_from_slice(&self.program_octets);

        let sum = checksum(&out);
        out[CHECKSUM_AT..HEADER_SUM_AT].copy_from_slice(&sum.to_le_bytes());
        let sum = header_sum(&out, meta.as_bytes());
        out[HEADER_SUM_AT..HEADER].copy_from_slice(&sum.to_le_bytes());
        out
    }

    /// The section of sites, and the place of each in it.
    fn write_sites(&self, width: usize) -> (Vec<u8>, Vec<u64>) {
        let mut out = Vec::with_capacity(self.names.len() + self.deciders.len() * width);
        let mut places = Vec::with_capacity(self.entries.len());
        let crawlers = self.crawlers.len();
        for (number, entry) in self.entries.iter().enumerate() {
            places.push(out.len() as u64);
            SiteName::new(name_of(&self.names, entry)).write(&mut out);
            for decider in &self.deciders[number * crawlers..(number + 1) * crawlers] {
                out.extend_from_slice(&decider.to_le_bytes()[..width]);
            }
        }
        (out, places)
    }

    /// Places the sites by the first seed under which no look-up is long: sites choose their names, but not so that
    /// they stand in each other's way under several seeds.
    fn place(&self, places: &[u64]) -> Slots {
        const SEEDS: u64 = 16;
        const LONGEST: usize = 128;
        let by_seed = |seed| {
            let names = self.entries.iter().map(|entry| name_of(&self.names, entry));
            Slots::place(seed, names.zip(places.iter().copied()))
        };
        let mut slots = by_seed(0);
        for seed in 1..SEEDS {
            if slots.reach <= LONGEST {
                break;
            }
            slots = by_seed(seed);
        }
        slots
    }
}

/// The slots of the sites' look-up, five sixths of them taken.
struct Slots {
    seed: u64,
    /// The taken ones, ascending, with what they hold.
    taken: Vec<(usize, u64)>,
    len: usize,
    reach: usize,
}

impl Slots {
    /// Each site stands in the first free slot from its home on. They are placed in the order of their hashes, so that
    /// none stands much farther from its home than the others.
    fn place<'n>(seed: u64, sites: impl ExactSizeIterator<Item = (&'n [u8], u64)>) -> Self {
        let homes = sites.len() + sites.len() / 5 + 1;
        let mut sites: Vec<(u64, u64)> = sites.map(|(name, place)| (hash_of(name, seed), place)).collect();
        sites.par_sort_unstable();
        let (mut next, mut farthest) = (0, 0);
        let taken = sites.into_iter().map(|(hash, place)| {
            let home = home_of(hash, homes);
            let at = next.max(home);
            farthest = farthest.max(at - home);
            next = at + 1;
            (at, slot_of(hash, place))
        });
        let taken = taken.collect();
        // A look-up ends behind the farthest site.
        let reach = farthest + 1;
        Slots { seed, taken, len: homes + reach, reach }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + self.len * SLOT + PADDING, 0);
        for (at, slot) in &self.taken {
            let at = start + at * SLOT;
            out[at..at + SLOT].copy_from_slice(&slot.to_le_bytes()[..SLOT]);
        }
    }
}

fn name_of<'n>(names: &'n [u8], entry: &SiteEntry) -> &'n [u8] {
    let (start, length) = entry.name;
    &names[start..start + length as usize]
}

/// Octets that every decider fits in.
fn decider_width(programs: usize) -> usize {
    match programs + FIRST_PROGRAM as usize {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x100_0000 => 3,
        _ => 4,
    }
}

/// Sites, programs and names are counted in 32 bits.
fn u32_of(n: usize) -> u32 {
    match u32::try_from(n) {
        Ok(n) => n,
        Err(_) => panic!("a store holds at most 4,294,967,295 sites, programs and octets of one name"),
    }
}
