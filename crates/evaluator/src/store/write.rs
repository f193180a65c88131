//! Writes a store: the bytes that `image` describes, from its runs.
//!
//! The writer makes several passes over the sites, each in the order of their hashes: to count and place them, to
//! number the programs in use, to write the slots and to write the sites. It therefore keeps only a few bytes in memory
//! for each program, and nothing for a site. Programs are numbered in the order in which those passes first meet them.
//! The bytes depend only on the sites' policies, not on the order of the captures or the number of runs.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufWriter, Write};

use hashbrown::hash_table::{Entry, HashTable};

use super::fingerprint::Fingerprint;
use super::image::{
    FIRST_PROGRAM, HEADER, HEADER_SUM_AT, INDEX_ENTRY, LABEL, PADDING, SECTIONS, SHARD_VERSION, SLOT, TDMREP,
    hash_of, home_of, number_at, slot_of,
};
use super::run::{Digest, InOrder, Run, RunSite, for_each_site};
use super::shard_files::ShardNumber;
use super::validate::{Sum, header_sum};
use super::versions::{Settling, Versions, write_varint};

/// The header of a store.
pub(super) struct StoreHeader {
    /// The section meta.
    pub(super) meta: String,
    /// The number of crawlers; 0 for every crawler.
    pub(super) crawlers: u32,
    /// Compiled policies per site.
    pub(super) columns: usize,
    pub(super) settling: Settling,
    /// Whether all bodies are kept, with programs of their own; otherwise those whose programs a site needs.
    pub(super) is_part: bool,
    /// The version of the format.
    pub(super) version: u32,
}

impl StoreHeader {
    /// The header of one shard of such a store. It has a version of its own, so that readers that know no shards refuse
    /// it, and do not take it for a whole bundle.
    pub(super) fn of_shard(mut self, shard: ShardNumber) -> Self {
        self.version = SHARD_VERSION;
        self.meta.insert_str(0, &format!("{shard}\n"));
        self
    }
}

/// The size and the identity of a written bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleSummary {
    /// The number of sites.
    pub sites: u64,
    /// The number of different programs.
    pub programs: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// Identity of the contents.
    pub fingerprint: Fingerprint,
    /// Captures between the first and the last one of a merged version, with other content. Other captures of that
    /// version may lie between, but they are no longer known.
    pub within_versions: u64,
}

/// Writes the store of the contents of `runs` to `out`.
///
/// # Errors
/// Errors of `out`, and more sites or programs than a store can hold.
pub(super) fn write(
    header: &StoreHeader,
    runs: &[&dyn Run],
    out: &mut dyn Write,
) -> io::Result<BundleSummary> {
    let placing = Placing::of(runs)?;
    let mut writer = Writer {
        header,
        runs,
        placing,
        numbering: Numbering::new(runs),
        versions: [Versions::new(header.columns), Versions::new(1)],
        tdmreps: TdmReps::default(),
        within_versions: 0,
        scratch: Vec::new(),
    };
    writer.write(out)
}

/// The placement of sites in slots.
#[derive(Clone, Copy)]
struct Placing {
    seed: u64,
    sites: usize,
    homes: usize,
    reach: usize,
}

impl Placing {
    /// Places the sites with the first seed under which no look-up is long. Sites choose their names, but they cannot
    /// make them collide under several seeds.
    fn of(runs: &[&dyn Run]) -> io::Result<Self> {
        const SEEDS: u64 = 16;
        const LONGEST: usize = 128;
        let mut sites = 0_usize;
        for_each_site(runs, 0, |_| {
            sites += 1;
            io::Result::Ok(())
        })?;
        u32_of(sites)?;
        let mut placing = Placing { seed: 0, sites, homes: sites + sites / 5 + 1, reach: 1 };
        for seed in 0..SEEDS {
            placing.seed = seed;
            placing.reach = placing.farthest(runs)? + 1;
            if placing.reach <= LONGEST {
                break;
            }
        }
        Ok(placing)
    }

    /// Each site takes the first free slot from its home on. Sites are placed in the order of their hashes, so that no
    /// site is much farther from its home than the others.
    fn farthest(&self, runs: &[&dyn Run]) -> io::Result<usize> {
        let (mut next, mut farthest) = (0, 0);
        for_each_site(runs, self.seed, |same| {
            let home = home_of(same[0].1.hash, self.homes);
            let at = next.max(home);
            farthest = farthest.max(at - home);
            next = at + 1;
            io::Result::Ok(())
        })?;
        Ok(farthest)
    }

    /// A look-up ends after the farthest site.
    fn slots(&self) -> usize {
        self.homes + self.reach
    }
}

/// The numbers of programs in the store, which stores equal programs once.
struct Numbering<'r> {
    runs: &'r [&'r dyn Run],
    /// For each run, by local number: the store's number plus one; 0 for unused programs.
    numbers: Vec<Vec<u32>>,
    /// By number: a run, and the local number.
    programs: Vec<(u32, u32)>,
    by_content: HashTable<u32>,
    /// The seed of the hash table here. Sites cannot know it, so they cannot choose rules that make it slow.
    seed: u64,
}

impl<'r> Numbering<'r> {
    fn new(runs: &'r [&'r dyn Run]) -> Self {
        Numbering {
            runs,
            numbers: runs.iter().map(|run| vec![0; run.program_count()]).collect(),
            programs: Vec::new(),
            by_content: HashTable::new(),
            seed: RandomState::new().hash_one(0),
        }
    }

    /// The store's number for a compiled policy of a run.
    fn compiled_policy(&mut self, run: usize, compiled_policy: u32) -> io::Result<u32> {
        let Some(local) = compiled_policy.checked_sub(FIRST_PROGRAM) else { return Ok(compiled_policy) };
        let known = self.numbers[run].get(local as usize).copied().ok_or_else(damaged)?;
        if known > 0 {
            return Ok(known - 1 + FIRST_PROGRAM);
        }
        let number = self.number_of_content(run, local)?;
        self.numbers[run][local as usize] = number + 1;
        Ok(number + FIRST_PROGRAM)
    }

    fn number_of_content(&mut self, run: usize, local: u32) -> io::Result<u32> {
        let Numbering { runs, programs, by_content, seed, .. } = self;
        let content_of = |number: u32| {
            let (run, local) = programs[number as usize];
            Content::of(runs[run as usize], local)
        };
        let content = Content::of(runs[run], local);
        let is_equal = |&number: &u32| content_of(number) == content;
        match by_content.entry(content.hash(*seed), is_equal, |&number| content_of(number).hash(*seed)) {
            Entry::Occupied(entry) => Ok(*entry.get()),
            Entry::Vacant(entry) => {
                let number = u32_of(programs.len()).and_then(|number| match number {
                    number if number < u32::MAX - FIRST_PROGRAM => Ok(number),
                    _ => Err(too_many()),
                })?;
                entry.insert(number);
                programs.push((u32_of(run)?, local));
                Ok(number)
            }
        }
    }

    /// The store's number for a compiled policy of a run, if the store has it, perhaps from another run.
    fn known(&self, run: usize, compiled_policy: u32) -> Option<u32> {
        let Some(local) = compiled_policy.checked_sub(FIRST_PROGRAM) else { return Some(compiled_policy) };
        let number = match self.numbers[run].get(local as usize)? {
            0 => {
                let content = Content::of(self.runs[run], local);
                *self
                    .by_content
                    .find(content.hash(self.seed), |&number| self.content_of(number) == content)?
            }
            number => number - 1,
        };
        Some(number + FIRST_PROGRAM)
    }

    fn content_of(&self, number: u32) -> Content<'r> {
        let (run, local) = self.programs[number as usize];
        Content::of(self.runs[run as usize], local)
    }

    fn programs(&self) -> impl Iterator<Item = &'r [u8]> {
        let runs = self.runs;
        self.programs.iter().map(move |&(run, local)| runs[run as usize].program(local))
    }

    /// The sections `scheduled` and `schedules`, without padding.
    fn schedules(&self, width: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut scheduled, mut schedules) = (Vec::new(), Vec::new());
        let mut positions: HashMap<&[u8], u64> = HashMap::new();
        for (number, &(run, local)) in (FIRST_PROGRAM..).zip(&self.programs) {
            let schedule = self.runs[run as usize].schedule(local);
            if schedule.is_empty() {
                continue;
            }
            let position = *positions.entry(schedule).or_insert_with(|| {
                let position = schedules.len() as u64;
                write_varint(schedule.len() as u64, &mut schedules);
                schedules.extend_from_slice(schedule);
                position
            });
            scheduled.extend_from_slice(&number.to_le_bytes()[..width]);
            scheduled.extend_from_slice(&position.to_le_bytes()[..INDEX_ENTRY]);
        }
        (scheduled, schedules)
    }
}

/// What tells programs apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Content<'r> {
    program: &'r [u8],
    schedule: &'r [u8],
}

impl<'r> Content<'r> {
    /// The content of a compiled policy of a run, or its number if it has no program.
    pub(super) fn of_policy(run: &'r dyn Run, policy: u32) -> Result<Self, u32> {
        policy.checked_sub(FIRST_PROGRAM).map(|local| Content::of(run, local)).ok_or(policy)
    }

    fn of(run: &'r dyn Run, local: u32) -> Self {
        Content { program: run.program(local), schedule: run.schedule(local) }
    }

    fn hash(&self, seed: u64) -> u64 {
        // Nearly all programs have no schedule.
        let seed = if self.schedule.is_empty() { seed } else { hash_of(self.schedule, seed) };
        hash_of(self.program, seed)
    }
}

struct Writer<'w, 'r> {
    header: &'w StoreHeader,
    runs: &'r [&'r dyn Run],
    placing: Placing,
    numbering: Numbering<'r>,
    /// Those of the site's robots.txt and of its tdmrep.json.
    versions: [Versions; 2],
    tdmreps: TdmReps,
    /// Of the last walk over the sites; see [`BundleSummary`].
    within_versions: u64,
    scratch: Vec<u8>,
}

/// The sections `tdmreps` and `mining`, without padding.
#[derive(Default)]
struct TdmReps {
    sites: Vec<u8>,
    mining: Vec<u8>,
}

/// The sizes of sections, before the size of a compiled policy's number is known.
#[derive(Default)]
struct Sizes {
    /// The compiled policies in the section, and its other bytes.
    sites: (usize, usize),
    mining: (usize, usize),
    /// The sites with a tdmrep.json.
    tdmreps: usize,
}

impl<'r> Writer<'_, 'r> {
    fn write(&mut self, out: &mut dyn Write) -> io::Result<BundleSummary> {
        let sizes = self.number_programs()?;
        let width = compiled_policy_width(self.numbering.programs.len());
        let bodies = self.count_bodies();
        let (scheduled, schedules) = self.numbering.schedules(width);
        let program_bytes: usize = self.numbering.programs().map(<[u8]>::len).sum();
        let lengths = [
            self.header.meta.len(),
            self.placing.slots() * SLOT + PADDING,
            sizes.sites.0 * width + sizes.sites.1 + PADDING,
            (self.numbering.programs.len() + 1) * INDEX_ENTRY + PADDING,
            program_bytes,
            scheduled.len() + PADDING,
            schedules.len(),
            sizes.tdmreps * TDMREP + PADDING,
            sizes.mining.0 * width + sizes.mining.1 + PADDING,
            bodies * (size_of::<Digest>() + self.header.columns * width) + PADDING,
        ];
        let header = self.header(width, lengths)?;
        out.write_all(&header)?;
        // Sites and slots are a few bytes each.
        let mut out = BufWriter::with_capacity(1 << 20, Summing { out, sum: Sum::default() });
        out.write_all(self.header.meta.as_bytes())?;
        self.write_slots(width, &mut out)?;
        self.write_sites(width, &mut out)?;
        self.write_programs(&mut out)?;
        out.write_all(&scheduled)?;
        out.write_all(&[0; PADDING])?;
        out.write_all(&schedules)?;
        for section in [&self.tdmreps.sites, &self.tdmreps.mining] {
            out.write_all(section)?;
            out.write_all(&[0; PADDING])?;
        }
        self.write_bodies(width, &mut out)?;
        let Summing { out, sum } = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let checksum = sum.finish();
        out.write_all(&checksum.to_le_bytes())?;
        let bytes = HEADER + lengths.iter().sum::<usize>() + size_of::<u64>();
        Ok(BundleSummary {
            sites: self.placing.sites as u64,
            programs: self.numbering.programs.len() as u64,
            bytes: bytes as u64,
            fingerprint: Fingerprint::new(number_at(&header, HEADER_SUM_AT, 8).unwrap_or(0), checksum),
            within_versions: self.within_versions,
        })
    }

    /// Numbers the programs of all versions that are kept, and in a part those of all bodies.
    fn number_programs(&mut self) -> io::Result<Sizes> {
        let mut sizes = Sizes::default();
        let add = |versions: &Versions, (compiled_policies, others): &mut (usize, usize)| {
            *compiled_policies += versions.written_bytes(1) - versions.written_bytes(0);
            *others += versions.written_bytes(0);
        };
        self.for_each_site(|site, [robots, tdmrep], _| {
            add(robots, &mut sizes.sites);
            sizes.sites.1 += site.name.written_bytes();
            if tdmrep.len() > 0 {
                add(tdmrep, &mut sizes.mining);
                sizes.tdmreps += 1;
            }
            Ok(())
        })?;
        if self.header.is_part {
            for (number, run) in self.runs.iter().enumerate() {
                for compiled_policy in run.bodies().flat_map(|(_, compiled_policies)| compiled_policies) {
                    self.numbering.compiled_policy(number, compiled_policy)?;
                }
            }
        }
        Ok(sizes)
    }

    fn header(&self, width: usize, lengths: [usize; SECTIONS]) -> io::Result<Vec<u8>> {
        let Placing { seed, sites, reach, .. } = self.placing;
        let mut header = Vec::with_capacity(HEADER);
        header.extend_from_slice(LABEL);
        for number in [self.header.version, self.header.crawlers, u32_of(sites)?, u32_of(reach)?] {
            header.extend_from_slice(&number.to_le_bytes());
        }
        for number in [seed, width as u64] {
            header.extend_from_slice(&number.to_le_bytes());
        }
        let mut offset = HEADER;
        for length in lengths {
            header.extend_from_slice(&(offset as u64).to_le_bytes());
            header.extend_from_slice(&(length as u64).to_le_bytes());
            offset += length;
        }
        let sum = header_sum(&header, self.header.meta.as_bytes());
        header.extend_from_slice(&sum.to_le_bytes());
        debug_assert_eq!(header.len(), HEADER);
        Ok(header)
    }

    fn write_slots(&mut self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        const FREE: [u8; SLOT] = [0; SLOT];
        let placing = self.placing;
        let (mut next, mut place) = (0, 0_u64);
        self.for_each_site(|site, [robots, _], _| {
            let at = next.max(home_of(site.hash, placing.homes));
            for _ in next..at {
                out.write_all(&FREE)?;
            }
            out.write_all(&slot_of(site.hash, place).to_le_bytes()[..SLOT])?;
            next = at + 1;
            place += (site.name.written_bytes() + robots.written_bytes(width)) as u64;
            Ok(())
        })?;
        for _ in next..placing.slots() {
            out.write_all(&FREE)?;
        }
        out.write_all(&[0; PADDING])
    }

    fn write_sites(&mut self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut tdmreps = TdmReps::default();
        let mut place = 0;
        self.for_each_site(|site, [robots, tdmrep], scratch| {
            scratch.clear();
            site.name.write(scratch);
            if tdmrep.len() > 0 {
                for number in [place + scratch.len(), tdmreps.mining.len()] {
                    tdmreps.sites.extend_from_slice(&(number as u64).to_le_bytes()[..INDEX_ENTRY]);
                }
                tdmrep.write(width, &mut tdmreps.mining);
            }
            robots.write(width, scratch);
            place += scratch.len();
            out.write_all(scratch)
        })?;
        self.tdmreps = tdmreps;
        out.write_all(&[0; PADDING])
    }

    fn write_programs(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut end = 0_u64;
        out.write_all(&end.to_le_bytes()[..INDEX_ENTRY])?;
        for program in self.numbering.programs() {
            end += program.len() as u64;
            out.write_all(&end.to_le_bytes()[..INDEX_ENTRY])?;
        }
        out.write_all(&[0; PADDING])?;
        self.numbering.programs().try_for_each(|program| out.write_all(program))
    }

    fn count_bodies(&self) -> usize {
        let mut count = 0;
        self.for_each_body(|_, _| {
            count += 1;
            Ok(())
        })
        .map_or(0, |()| count)
    }

    fn write_bodies(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        self.for_each_body(|digest, compiled_policies| {
            out.write_all(digest)?;
            compiled_policies
                .iter()
                .try_for_each(|compiled_policy| out.write_all(&compiled_policy.to_le_bytes()[..width]))
        })?;
        out.write_all(&[0; PADDING])
    }

    /// Calls `each` for every body whose programs are in the store, with its compiled policies.
    fn for_each_body(&self, mut each: impl FnMut(&Digest, &[u32]) -> io::Result<()>) -> io::Result<()> {
        let bodies = self.runs.iter().map(|run| run.bodies()).collect();
        let mut last: Option<Digest> = None;
        for (run, (digest, compiled_policies)) in InOrder::new(bodies, |a, b| a.0.cmp(&b.0)) {
            if last == Some(digest) {
                continue;
            }
            let known: Option<Vec<u32>> = compiled_policies
                .iter()
                .map(|&compiled_policy| self.numbering.known(run, compiled_policy))
                .collect();
            if let Some(known) = known {
                each(&digest, &known)?;
                last = Some(digest);
            }
        }
        Ok(())
    }

    /// Calls `each` for every site, with the versions that are kept and the writer's scratch memory.
    fn for_each_site(
        &mut self,
        mut each: impl FnMut(&RunSite<'r>, &[Versions; 2], &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Writer { header, runs, placing, numbering, versions, within_versions, scratch, .. } = self;
        *within_versions = 0;
        for_each_site(runs, placing.seed, |same| {
            versions.iter_mut().for_each(Versions::clear);
            let mut runs_of = [Vec::new(), Vec::new()];
            for (run, site) in same {
                let [robots, tdmrep] = &mut *versions;
                runs[*run].versions(site, robots);
                runs[*run].tdmreps(site, tdmrep);
                for (runs, versions) in runs_of.iter_mut().zip(&*versions) {
                    runs.resize(versions.len(), *run);
                }
            }
            if versions.iter().all(|versions| versions.len() == 0) {
                return Err(damaged());
            }
            for (versions, runs) in versions.iter_mut().zip(runs_of) {
                *within_versions += settle(header.settling, versions, runs, numbering)?;
            }
            each(&same[0].1, versions, scratch)
        })
    }
}

/// Reduces `versions` to those that are kept, with the store's compiled policies. `runs` holds the run of each version.
/// Returns how many captures lie within a version with other content.
fn settle(
    settling: Settling,
    versions: &mut Versions,
    mut runs: Vec<usize>,
    numbering: &mut Numbering<'_>,
) -> io::Result<u64> {
    let spans = versions.spans();
    // Versions that are not kept get no numbers: their programs are left out.
    versions.keep(settling, &mut runs);
    for (compiled_policies, &run) in versions.each_mut().zip(&runs) {
        for compiled_policy in compiled_policies {
            *compiled_policy = numbering.compiled_policy(run, *compiled_policy)?;
        }
    }
    if settling != Settling::Changes {
        return Ok(0);
    }
    let within = spans.into_iter().map(|span| versions.count_within(span)).sum();
    versions.join_equal();
    Ok(within)
}

/// Computes the checksum of everything written through it.
struct Summing<'o> {
    out: &'o mut dyn Write,
    sum: Sum,
}

impl Write for Summing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.sum.add(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The number of bytes that can hold every compiled policy's number.
fn compiled_policy_width(programs: usize) -> usize {
    match programs + FIRST_PROGRAM as usize {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x100_0000 => 3,
        _ => 4,
    }
}

fn u32_of(number: usize) -> io::Result<u32> {
    u32::try_from(number).map_err(|_| too_many())
}

fn too_many() -> io::Error {
    io::Error::other("expected at most 4,294,967,295 sites and programs in a store")
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "expected sites with versions and programs in the runs")
}
