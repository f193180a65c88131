//! Collects sites and their compiled policies in memory.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write};
use std::rc::Rc;

use hashbrown::hash_table::{Entry, HashTable};
#[cfg(feature = "parallel")]
use rayon::prelude::*;
use robomata_permissions::UsageQuery;
use robomata_protocol::lifecycle::Moment;
use robomata_protocol::{Dialect, Usage};

use super::image::{FIRST_PROGRAM, SiteName, StoredPolicy, VERSION, hash_of};
use super::run::{Digest, Run, RunSite};
use super::versions::{Settling, Versions};
use super::write::{BundleSummary, StoreHeader, write};
use super::{Audience, PolicyStore};
use crate::site::Site;
use crate::site_policy::{CompiledPolicies, CompiledTdmRep, OwnedCompiledPolicy};

/// The dialect, audience, usage and history of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreKind {
    /// The dialect of its policies.
    pub dialect: Dialect,
    /// The crawlers it answers for.
    pub audience: Audience,
    /// The usage and purpose it answers about.
    pub usage_query: UsageQuery,
    /// Which captures of a site it holds.
    pub history: History,
}

/// Which captures of a site a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum History {
    /// The newest one.
    #[default]
    Newest,
    /// All of them. Of consecutive captures with the same policies, the store keeps the first and the last time.
    All,
}

impl StoreKind {
    /// A store of the newest captures that answers about crawl.
    pub fn new(dialect: Dialect, audience: impl Into<Audience>) -> Self {
        StoreKind {
            dialect,
            audience: audience.into(),
            usage_query: UsageQuery::default(),
            history: History::default(),
        }
    }

    pub(super) fn header(&self, settling: Settling) -> StoreHeader {
        let StoreKind { dialect, audience, usage_query: UsageQuery { usage, purpose }, history } = self;
        let purpose = purpose.as_deref().unwrap_or_default().replace('\n', " ");
        let history = match history {
            History::Newest => "newest",
            History::All => "all",
        };
        let mut meta = format!("{dialect}\n{usage}\n{purpose}\n{history}\n");
        let crawlers = match audience {
            Audience::Crawlers(crawlers) => crawlers.as_slice(),
            Audience::Everyone => &[],
        };
        crawlers.iter().for_each(|crawler| meta.push_str(&format!("{crawler}\n")));
        StoreHeader {
            meta,
            crawlers: u32::try_from(crawlers.len()).unwrap_or(u32::MAX),
            columns: audience.columns(),
            settling,
            is_part: false,
            version: VERSION,
        }
    }

    pub(super) fn settling(&self) -> Settling {
        match self.history {
            History::Newest => Settling::Newest,
            History::All => Settling::Changes,
        }
    }

    /// Whether such a store holds the tdmrep.json of each site: it answers about text and data mining.
    pub fn holds_tdmreps(&self) -> bool {
        self.usage_query.usage == Usage::Tdm
    }

    /// Whether such a store is possible. Usages and ACAP can only be compiled for crawlers that are known in advance.
    pub fn is_possible(&self) -> bool {
        let is_plain = self.usage_query.usage == Usage::Crawl && !self.dialect.semantics().reads_acap;
        self.audience != Audience::Everyone || is_plain
    }
}

/// Collects sites and their compiled policies.
#[derive(Debug)]
pub struct StoreBuilder {
    kind: StoreKind,
    columns: usize,
    /// The seed of the hash tables here. Sites cannot know it, so they cannot choose names or rules that make the
    /// tables slow.
    seed: u64,
    sites: HashTable<u32>,
    names: Vec<u8>,
    /// The end of each site's name.
    name_ends: Vec<usize>,
    captures: Vec<CaptureEntry>,
    /// For each capture, a compiled policy for every column.
    compiled_policies: Vec<u32>,
    programs: HashTable<u32>,
    program_bytes: Vec<u8>,
    program_ends: Vec<usize>,
    /// For each program, its schedule's number plus one; 0 for none.
    program_schedules: Vec<u32>,
    /// Schedules in bytes (`schedules`), by their numbers.
    schedules: Vec<Box<[u8]>>,
    schedule_numbers: HashMap<Box<[u8]>, u32>,
    /// The approximate memory of the schedules.
    schedule_bytes: usize,
    bodies: HashMap<Digest, Vec<u32>>,
    /// By site: the times of the captures of its tdmrep.json, and the compiled policies, in insertion order.
    tdmreps: HashMap<u32, Vec<(Option<i64>, u32)>>,
    /// The number of captures of a tdmrep.json.
    tdmrep_captures: usize,
}

#[derive(Clone, Copy, Debug)]
struct CaptureEntry {
    site: u32,
    time: Option<i64>,
}

impl StoreBuilder {
    /// An empty builder of a store of this kind.
    pub fn new(kind: StoreKind) -> Self {
        StoreBuilder {
            columns: kind.audience.columns(),
            kind,
            seed: RandomState::new().hash_one(0),
            sites: HashTable::new(),
            names: Vec::new(),
            name_ends: Vec::new(),
            captures: Vec::new(),
            compiled_policies: Vec::new(),
            programs: HashTable::new(),
            program_bytes: Vec::new(),
            program_ends: Vec::new(),
            program_schedules: Vec::new(),
            schedules: Vec::new(),
            schedule_numbers: HashMap::new(),
            schedule_bytes: 0,
            bodies: HashMap::new(),
            tdmreps: HashMap::new(),
            tdmrep_captures: 0,
        }
    }

    /// Adds the policies that `site` had at `time`. In a store of the newest captures, a known time is newer than an
    /// unknown one, and among equally new captures the last one added wins. A redirect that was not followed, or a 304,
    /// counts only if the site has no other capture or, in a store of all captures, none at or before that time.
    ///
    /// # Panics
    /// When `policies` were compiled for another audience.
    pub fn insert(&mut self, site: &Site<'_>, policies: &CompiledPolicies, time: Option<Moment>) {
        assert_eq!(
            policies.compiled_policies.len(),
            self.columns,
            "policies compiled for this builder's audience"
        );
        let site = self.number_of(site.as_bytes());
        let _ = u32_of(self.captures.len());
        self.captures.push(CaptureEntry { site, time: time.map(Moment::seconds) });
        let start = self.compiled_policies.len();
        for (compiled_policy, schedule) in policies.compiled_policies.iter().zip(&policies.schedules) {
            let schedule = self.schedule(schedule);
            let compiled_policy = self.compiled_policy(compiled_policy, schedule);
            self.compiled_policies.push(compiled_policy);
        }
        if let Some(digest) = policies.digest {
            let compiled_policies = &self.compiled_policies[start..];
            self.bodies.entry(digest).or_insert_with(|| compiled_policies.to_vec());
        }
    }

    /// Adds the tdmrep.json that `site` had at `time`. Of several captures, those that count are chosen as for the
    /// robots.txt, but independently of it.
    pub fn insert_tdmrep(&mut self, site: &Site<'_>, tdmrep: &CompiledTdmRep, time: Option<Moment>) {
        let site = self.number_of(site.as_bytes());
        let compiled_policy = self.compiled_policy(&tdmrep.0, 0);
        self.tdmreps.entry(site).or_default().push((time.map(Moment::seconds), compiled_policy));
        self.tdmrep_captures += 1;
    }

    /// The number of a site that has a capture: sites are numbered from 0, in the order of their first captures.
    pub fn number(&self, site: &Site<'_>) -> Option<usize> {
        let name = site.as_bytes();
        let number = self.sites.find(hash_of(name, self.seed), |&number| self.site_name(number) == name);
        number.map(|&number| number as usize)
    }

    /// The number of sites so far.
    pub fn site_count(&self) -> usize {
        self.name_ends.len()
    }

    /// The name of the site with this number.
    pub(super) fn site_name(&self, number: u32) -> &[u8] {
        piece(&self.names, &self.name_ends, number)
    }

    /// The captures of robots.txt files, in insertion order: site, time, and compiled policies.
    pub(super) fn captures(&self) -> impl Iterator<Item = (u32, Option<i64>, &[u32])> {
        let policies = self.compiled_policies.chunks_exact(self.columns);
        self.captures.iter().zip(policies).map(|(capture, policies)| (capture.site, capture.time, policies))
    }

    /// The captures of each site's tdmrep.json, in insertion order: time and compiled policy.
    pub(super) fn tdmrep_captures(&self) -> impl Iterator<Item = (u32, &[(Option<i64>, u32)])> {
        self.tdmreps.iter().map(|(site, captures)| (*site, &captures[..]))
    }

    /// The approximate memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        // An entry of a hash table, including the space that tables leave free.
        const ENTRY: usize = 10;
        let body = size_of::<Digest>() + size_of::<Vec<u32>>() + self.columns * 4 + 2 * ENTRY;
        self.names.len()
            + self.name_ends.len() * (size_of::<usize>() + ENTRY)
            + self.captures.len() * size_of::<CaptureEntry>()
            + self.compiled_policies.len() * size_of::<u32>()
            + self.program_bytes.len()
            + self.program_ends.len() * (size_of::<usize>() + size_of::<u32>() + ENTRY)
            + self.schedule_bytes
            + self.bodies.len() * body
            + self.tdmreps.len() * (size_of::<(u32, Vec<()>)>() + ENTRY)
            + self.tdmrep_captures * 2 * size_of::<(Option<i64>, u32)>()
    }

    fn number_of(&mut self, name: &[u8]) -> u32 {
        let StoreBuilder { sites, names, name_ends, seed, .. } = self;
        let name_of = |number: u32| piece(names, name_ends, number);
        let hash = |name| hash_of(name, *seed);
        match sites.entry(hash(name), |&number| name_of(number) == name, |&number| hash(name_of(number))) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = u32_of(name_ends.len());
                entry.insert(number);
                names.extend_from_slice(name);
                name_ends.push(names.len());
                number
            }
        }
    }

    /// The number of the schedule with these bytes plus one; 0 if there are none.
    fn schedule(&mut self, bytes: &[u8]) -> u32 {
        if bytes.is_empty() {
            return 0;
        }
        if let Some(&known) = self.schedule_numbers.get(bytes) {
            return known;
        }
        // Two copies, each with its pointers, and a number.
        self.schedule_bytes += 2 * (bytes.len() + 3 * size_of::<usize>());
        self.schedules.push(bytes.into());
        let number = u32_of(self.schedules.len());
        self.schedule_numbers.insert(bytes.into(), number);
        number
    }

    fn compiled_policy(&mut self, compiled_policy: &OwnedCompiledPolicy, schedule: u32) -> u32 {
        match compiled_policy {
            OwnedCompiledPolicy::WithoutRules(outcome) => StoredPolicy::of_outcome(*outcome).number,
            OwnedCompiledPolicy::Rules(program) => {
                FIRST_PROGRAM + self.program(program.as_ref().bytes(), schedule)
            }
            OwnedCompiledPolicy::Usages(program) => FIRST_PROGRAM + self.program(program.bytes(), schedule),
            OwnedCompiledPolicy::GroupTable(bytes) => FIRST_PROGRAM + self.program(bytes, schedule),
            OwnedCompiledPolicy::WithTdmRep(both) => self.compiled_policy(&both[0], schedule),
        }
    }

    /// The number of the program with these bytes and this schedule; equal ones are stored once.
    fn program(&mut self, bytes: &[u8], schedule: u32) -> u32 {
        let StoreBuilder { programs, program_bytes, program_ends, program_schedules, seed, .. } = self;
        let content_of =
            |number: u32| (piece(program_bytes, program_ends, number), program_schedules[number as usize]);
        let hash = |(bytes, schedule): (&[u8], u32)| hash_of(bytes, *seed ^ u64::from(schedule));
        match programs.entry(
            hash((bytes, schedule)),
            |&number| content_of(number) == (bytes, schedule),
            |&number| hash(content_of(number)),
        ) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = u32_of(program_ends.len());
                entry.insert(number);
                program_bytes.extend_from_slice(bytes);
                program_ends.push(program_bytes.len());
                program_schedules.push(schedule);
                number
            }
        }
    }

    /// The store of everything inserted. Its bytes depend on nothing else.
    pub fn build(self) -> PolicyStore {
        let mut bytes = Vec::new();
        if let Err(error) = self.write(&mut bytes) {
            panic!("a store in memory cannot be written: {error}");
        }
        match PolicyStore::from_trusted(bytes) {
            Ok(store) => store,
            Err(error) => unreachable!("a store that was just built has a header: {error}"),
        }
    }

    /// Writes the store of everything inserted.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(self, out: &mut dyn Write) -> io::Result<BundleSummary> {
        let header = self.kind.header(self.kind.settling());
        write(&header, &[&Gathered::new(self)], out)
    }

    /// Writes a store that will be merged with others. It holds each capture separately, because captures of other
    /// stores may lie between them, and all bodies, because other stores may need their programs.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_part(self, out: &mut dyn Write) -> io::Result<BundleSummary> {
        let settling = match self.kind.history {
            History::Newest => Settling::Newest,
            History::All => Settling::All,
        };
        let header = StoreHeader { is_part: true, ..self.kind.header(settling) };
        write(&header, &[&Gathered::new(self)], out)
    }
}

/// The contents of a builder, with the captures grouped by site.
struct Gathered {
    builder: StoreBuilder,
    /// Captures by site, in insertion order.
    captures: Vec<u32>,
    /// By site: the end of its captures.
    capture_ends: Vec<usize>,
    /// The last seed in use, with the sites' hashes and numbers in order.
    sorted: RefCell<Option<(u64, Sorted)>>,
}

/// Hashes of sites and their numbers, in order.
type Sorted = Rc<[(u64, u32)]>;

impl Gathered {
    fn new(builder: StoreBuilder) -> Self {
        let mut capture_ends = vec![0; builder.site_count()];
        builder.captures.iter().for_each(|capture| capture_ends[capture.site as usize] += 1);
        let mut end = 0;
        for count in &mut capture_ends {
            end += std::mem::replace(count, end);
        }
        let mut captures = vec![0; builder.captures.len()];
        for (number, capture) in (0..).zip(&builder.captures) {
            let next = &mut capture_ends[capture.site as usize];
            captures[*next] = number;
            *next += 1;
        }
        Gathered { builder, captures, capture_ends, sorted: RefCell::default() }
    }

    fn name(&self, site: u32) -> &[u8] {
        piece(&self.builder.names, &self.builder.name_ends, site)
    }

    fn sorted(&self, seed: u64) -> Sorted {
        if let Some((known, sorted)) = &*self.sorted.borrow()
            && *known == seed
        {
            return Rc::clone(sorted);
        }
        let StoreBuilder { names, name_ends, .. } = &self.builder;
        let name = |number| piece(names, name_ends, number);
        let numbers = 0..u32_of(name_ends.len());
        let mut sites: Vec<(u64, u32)> =
            numbers.map(|number| (hash_of(name(number), seed), number)).collect();
        let order = |a: &(u64, u32), b: &(u64, u32)| {
            a.0.cmp(&b.0).then_with(|| SiteName::new(name(a.1)).cmp(&SiteName::new(name(b.1))))
        };
        #[cfg(feature = "parallel")]
        sites.par_sort_unstable_by(order);
        #[cfg(not(feature = "parallel"))]
        sites.sort_unstable_by(order);
        let sorted: Sorted = sites.into();
        *self.sorted.borrow_mut() = Some((seed, Rc::clone(&sorted)));
        sorted
    }
}

impl Run for Gathered {
    fn sites(&self, seed: u64) -> Box<dyn Iterator<Item = RunSite<'_>> + '_> {
        let sorted = self.sorted(seed);
        Box::new((0..sorted.len()).map(move |at| {
            let (hash, number) = sorted[at];
            RunSite { hash, name: SiteName::new(self.name(number)), place: u64::from(number) }
        }))
    }

    fn versions(&self, site: &RunSite<'_>, out: &mut Versions) {
        let builder = &self.builder;
        let number = super::image::index_of(site.place);
        let start = number.checked_sub(1).map_or(0, |before| self.capture_ends[before]);
        for &capture in &self.captures[start..self.capture_ends[number]] {
            let start = capture as usize * builder.columns;
            let compiled_policies = &builder.compiled_policies[start..start + builder.columns];
            out.push(builder.captures[capture as usize].time, compiled_policies.iter().copied());
        }
    }

    fn tdmreps(&self, site: &RunSite<'_>, out: &mut Versions) {
        let number = u32::try_from(site.place).ok();
        for &(time, compiled_policy) in
            number.and_then(|number| self.builder.tdmreps.get(&number)).into_iter().flatten()
        {
            out.push(time, std::iter::once(compiled_policy));
        }
    }

    fn program(&self, number: u32) -> &[u8] {
        piece(&self.builder.program_bytes, &self.builder.program_ends, number)
    }

    fn schedule(&self, number: u32) -> &[u8] {
        match self.builder.program_schedules[number as usize].checked_sub(1) {
            Some(schedule) => &self.builder.schedules[schedule as usize],
            None => &[],
        }
    }

    fn program_count(&self) -> usize {
        self.builder.program_ends.len()
    }

    fn bodies(&self) -> Box<dyn Iterator<Item = (Digest, Vec<u32>)> + '_> {
        let mut bodies: Vec<(&Digest, &Vec<u32>)> = self.builder.bodies.iter().collect();
        #[cfg(feature = "parallel")]
        bodies.par_sort_unstable();
        #[cfg(not(feature = "parallel"))]
        bodies.sort_unstable();
        Box::new(bodies.into_iter().map(|(digest, compiled_policies)| (*digest, compiled_policies.clone())))
    }
}

/// The piece with this number; the pieces are consecutive.
fn piece<'o>(bytes: &'o [u8], ends: &[usize], number: u32) -> &'o [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start..ends[number]]
}

/// Sites, programs and captures are counted in 32 bits.
fn u32_of(n: usize) -> u32 {
    match u32::try_from(n) {
        Ok(n) => n,
        Err(_) => panic!("a store in memory holds at most 4,294,967,295 sites, programs and captures"),
    }
}
