//! Puts a store together.

use hashbrown::hash_table::{Entry, HashTable};
use robomata_protocol::{Crawler, Dialect};

use super::PolicyStore;
use super::image::{
    CHECKSUM_AT, FIRST_PROGRAM, HEADER, LABEL, SECTIONS, UNAVAILABLE, UNKNOWN, UNREACHABLE, VERSION,
    first_slot, hash_of, slot_of,
};
use super::validate::checksum;
use crate::site::Site;
use crate::site_policy::{CompiledPolicies, OwnedDecider};

/// When a robots.txt was fetched, as far as it matters to which of two wins: seconds and nanoseconds since 1970.
/// A known time is later than an unknown one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recency(pub Option<(i64, u32)>);

/// Collects sites and their compiled policies.
#[derive(Debug)]
pub struct StoreBuilder {
    dialect: Dialect,
    crawlers: Vec<Crawler>,
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
            crawlers,
            sites: HashTable::new(),
            names: Vec::new(),
            entries: Vec::new(),
            deciders: Vec::new(),
            programs: HashTable::new(),
            program_octets: Vec::new(),
            program_ends: Vec::new(),
        }
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
        let StoreBuilder { sites, names, entries, deciders, crawlers, .. } = self;
        let name_of = |number: u32| {
            let (start, length) = entries[number as usize].name;
            &names[start..start + length as usize]
        };
        let hash = hash_of(name);
        match sites.entry(hash, |&number| name_of(number) == name, |&number| hash_of(name_of(number))) {
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
            OwnedDecider::Rules(program) => FIRST_PROGRAM + self.program(program.as_ref().octets()),
        }
    }

    /// The number of the program with these octets; equal programs are stored once.
    fn program(&mut self, octets: &[u8]) -> u32 {
        let StoreBuilder { programs, program_octets, program_ends, .. } = self;
        let octets_of = |number: u32| {
            let start = number.checked_sub(1).map_or(0, |before| program_ends[before as usize]);
            &program_octets[start..program_ends[number as usize]]
        };
        let hash = hash_of(octets);
        match programs.entry(
            hash,
            |&number| octets_of(number) == octets,
            |&number| hash_of(octets_of(number)),
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
        match PolicyStore::from_octets(self.image()) {
            Ok(store) => store,
            Err(error) => unreachable!("a store that was just built is valid: {error}"),
        }
    }

    fn image(self) -> Vec<u8> {
        let mut meta = format!("{}\n", self.dialect);
        for crawler in &self.crawlers {
            meta.push_str(&format!("{crawler}\n"));
        }
        let slots = self.slots();
        let crawlers = self.crawlers.len();
        let lengths = [
            meta.len(),
            slots.len() * 8,
            self.entries.len() * (super::image::SITE_FIXED + 4 * crawlers),
            self.names.len(),
            (self.program_ends.len() + 1) * 8,
            self.program_octets.len(),
        ];

        let mut out = Vec::with_capacity(HEADER + lengths.iter().sum::<usize>());
        out.extend_from_slice(LABEL);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&u32_of(crawlers).to_le_bytes());
        let mut offset = HEADER;
        for length in lengths {
            out.extend_from_slice(&(offset as u64).to_le_bytes());
            out.extend_from_slice(&(length as u64).to_le_bytes());
            offset += length;
        }
        debug_assert_eq!(out.len(), 16 + SECTIONS * 16);
        out.extend_from_slice(&[0; 8]);

        out.extend_from_slice(meta.as_bytes());
        out.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
        for (number, SiteEntry { name: (start, length), .. }) in self.entries.iter().enumerate() {
            out.extend_from_slice(&(*start as u64).to_le_bytes());
            out.extend_from_slice(&length.to_le_bytes());
            for decider in &self.deciders[number * crawlers..(number + 1) * crawlers] {
                out.extend_from_slice(&decider.to_le_bytes());
            }
        }
        out.extend_from_slice(&self.names);
        out.extend_from_slice(&0u64.to_le_bytes());
        out.extend(self.program_ends.iter().flat_map(|&end| (end as u64).to_le_bytes()));
        out.extend_from_slice(&self.program_octets);

        let checksum = checksum(&out);
        out[CHECKSUM_AT..HEADER].copy_from_slice(&checksum.to_le_bytes());
        out
    }

    /// The slots of the sites' look-up, at most three quarters of them taken.
    fn slots(&self) -> Vec<u64> {
        let mut slots = vec![0; (self.entries.len() * 4 / 3 + 1).next_power_of_two()];
        for (number, entry) in self.entries.iter().enumerate() {
            let (start, length) = entry.name;
            let hash = hash_of(&self.names[start..start + length as usize]);
            let mut at = first_slot(hash, slots.len());
            while slots[at] != 0 {
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = slot_of(hash, u32_of(number));
        }
        slots
    }
}

/// Sites, programs and names are counted in 32 bits.
fn u32_of(n: usize) -> u32 {
    match u32::try_from(n) {
        Ok(n) => n,
        Err(_) => panic!("a store holds at most 4,294,967,295 sites, programs and octets of one name"),
    }
}
