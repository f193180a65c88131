//! Validation of a store's bytes.
//!
//! The checksum shows whether the bytes are the ones that were written. Because anybody can compute it, the structure is
//! validated as well: after that, programs are safe to walk, and sites, versions and bodies can be read without further
//! checks.
//!
//! The checksum is computed in pieces: the XXH3-64 of the XXH3-64 of each piece. Threads share all work.

use std::ops::Range;

use robomata_automaton::Validator;
use robomata_permissions::{StatementProgramRef, UsageQuery, is_statement_program};
use robomata_protocol::{Crawler, Dialect, Usage};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::Audience;
use super::build::{History, StoreKind};
use super::damage::{CorruptBundleError, ensure};
use super::image::{
    ABSENT, CHECKSUM, FIRST_PROGRAM, HEADER, HEADER_SUM_AT, INDEX_ENTRY, Image, LABEL, Layout, PADDING,
    SECTIONS, SECTIONS_AT, SHARD_VERSION, SLOT, SiteId, SiteName, VERSION, hash_of, home_of, index_of,
    number_at,
};
use super::run::Digest;
use super::threads;
use super::versions::Versions;
use crate::group_table::{self, is_group_table};

/// The size of a piece in bytes.
pub(super) const PIECE: usize = 1 << 18;

fn u32_at(bytes: &[u8], at: usize) -> usize {
    number_at(bytes, at, 4).map_or(0, index_of)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    number_at(bytes, at, 8).unwrap_or(0)
}

pub(super) const EXPECTED_LABEL: &str = "the label 'robomata' at the start";

/// Validates the label and the version.
pub(super) fn label(bytes: &[u8]) -> Result<(), CorruptBundleError> {
    ensure(bytes.starts_with(LABEL), EXPECTED_LABEL)?;
    let is_known = [VERSION, SHARD_VERSION].contains(&version(bytes));
    ensure(is_known, "a bundle that this version of robomata has compiled")
}

fn version(bytes: &[u8]) -> u32 {
    u32::try_from(u32_at(bytes, 8)).unwrap_or(0)
}

/// Locates the sections by a valid header.
pub(super) fn header(bytes: &[u8]) -> Result<(Layout, StoreKind), CorruptBundleError> {
    ensure(bytes.len() >= HEADER, EXPECTED_LABEL)?;
    label(bytes)?;
    let [meta, slots, sites, index, programs, scheduled, schedules, tdmreps, mining, bodies] =
        find_sections(bytes)?;
    let meta = &bytes[meta];
    ensure(
        header_sum(bytes, meta) == u64_at(bytes, HEADER_SUM_AT),
        "a header that agrees with its checksum",
    )?;
    let meta =
        std::str::from_utf8(meta).map_err(|_| CorruptBundleError::expected("a description in UTF-8"))?;
    let (shard, meta) = match version(bytes) {
        SHARD_VERSION => {
            let (shard, meta) = meta.split_once('\n').unwrap_or_default();
            (Some(shard.parse()?), meta)
        }
        _ => (None, meta),
    };
    let kind = read_meta(meta, u32_at(bytes, 12))?;

    let reach = u32_at(bytes, 20);
    let slot_count = slots.len().saturating_sub(PADDING) / SLOT;
    let layout = Layout {
        shard,
        sites_len: u32_at(bytes, 16),
        reach,
        seed: u64_at(bytes, 24),
        compiled_policy_width: index_of(u64_at(bytes, 32)),
        columns: kind.audience.columns(),
        // A look-up from the last home also finds all its slots.
        homes: slot_count.saturating_sub(reach),
        slots,
        sites,
        index,
        programs,
        scheduled,
        schedules,
        tdmreps,
        mining,
        bodies,
    };
    ensure(slot_count > reach, "more slots than a look-up visits")?;
    ensure((1..=4).contains(&layout.compiled_policy_width), "compiled policies of 1 to 4 bytes")?;
    ensure(layout.sites.len() >= PADDING, "sites, and padding after them")?;
    let entries = layout.index.len().checked_sub(PADDING);
    let is_whole = entries.is_some_and(|bytes| bytes > 0 && bytes.is_multiple_of(INDEX_ENTRY));
    ensure(is_whole, "a complete index of programs")?;
    ensure(layout.scheduled.len() >= PADDING, "programs with schedules, and padding after them")?;
    ensure(layout.tdmreps.len() >= PADDING, "sites with a tdmrep.json, and padding after them")?;
    ensure(layout.mining.len() >= PADDING, "the policies of each tdmrep.json, and padding after them")?;
    ensure(layout.bodies.len() >= PADDING, "bodies, and padding after them")?;
    Ok((layout, kind))
}

/// The checksum that a header should have; it includes the section `meta`.
pub(super) fn header_sum(bytes: &[u8], meta: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&bytes[..HEADER_SUM_AT]);
    hasher.update(meta);
    hasher.digest()
}

fn find_sections(bytes: &[u8]) -> Result<[Range<usize>; SECTIONS], CorruptBundleError> {
    let mut sections: [Range<usize>; SECTIONS] = Default::default();
    let mut at = HEADER;
    for (number, section) in sections.iter_mut().enumerate() {
        let field = SECTIONS_AT + number * 16;
        let (offset, length) = (u64_at(bytes, field), u64_at(bytes, field + 8));
        let end = offset.checked_add(length).filter(|&end| end <= bytes.len() as u64);
        ensure(offset == at as u64, "consecutive sections")?;
        let end =
            index_of(end.ok_or_else(|| CorruptBundleError::expected("a file as long as its sections"))?);
        *section = at..end;
        at = end;
    }
    ensure(at + CHECKSUM == bytes.len(), "a file as long as its sections and a checksum")?;
    Ok(sections)
}

fn read_meta(meta: &str, crawlers: usize) -> Result<StoreKind, CorruptBundleError> {
    let mut lines = meta.lines();
    let dialect: Option<Dialect> = lines.next().and_then(|name| name.parse().ok());
    let dialect = dialect
        .ok_or_else(|| CorruptBundleError::expected("the name of a dialect that this version knows"))?;
    let usage: Option<Usage> = lines.next().and_then(|name| name.parse().ok());
    let usage =
        usage.ok_or_else(|| CorruptBundleError::expected("the name of a usage that this version knows"))?;
    let purpose = lines.next().filter(|purpose| !purpose.is_empty()).map(str::to_owned);
    let history = match lines.next() {
        Some("newest") => History::Newest,
        Some("all") => History::All,
        _ => return Err(CorruptBundleError::expected("the newest or all captures")),
    };
    let named: Vec<Crawler> = lines.map(Crawler::new).collect();
    ensure(named.len() == crawlers, "as many crawlers as the header says")?;
    let audience = if named.is_empty() { Audience::Everyone } else { Audience::Crawlers(named) };
    Ok(StoreKind { dialect, audience, usage_query: UsageQuery { usage, purpose }, history })
}

/// Computes the checksum of bytes, piece by piece.
#[derive(Default)]
pub(super) struct Sum {
    piece: Xxh3,
    bytes: usize,
    pieces: Vec<u64>,
}

impl Sum {
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - self.bytes));
            self.piece.update(now);
            self.bytes += now.len();
            if self.bytes == PIECE {
                self.end_piece();
            }
            bytes = later;
        }
    }

    fn end_piece(&mut self) {
        self.pieces.push(self.piece.digest());
        self.piece.reset();
        self.bytes = 0;
    }

    pub(super) fn finish(mut self) -> u64 {
        if self.bytes > 0 {
            self.end_piece();
        }
        sum_of(self.pieces)
    }
}

fn sum_of(pieces: Vec<u64>) -> u64 {
    let bytes: Vec<u8> = pieces.into_iter().flat_map(u64::to_le_bytes).collect();
    xxh3_64(&bytes)
}

/// Validates the checksum and the structure of everything after a valid header, on all cores.
pub(super) fn whole(image: &Image) -> Result<(), CorruptBundleError> {
    let bytes = image.bytes();
    let sections = &bytes[HEADER..bytes.len() - CHECKSUM];
    let mut sums = vec![0; sections.len().div_ceil(PIECE)];
    threads::for_each(sections.chunks(PIECE).zip(&mut sums), bytes.len(), || {
        |(piece, sum): (&[u8], &mut u64)| {
            *sum = xxh3_64(piece);
            Ok::<(), CorruptBundleError>(())
        }
    })?;
    checksum(image, sums)?;
    structure(image)
}

/// Compares the checksum of all pieces with the one at the end.
pub(super) fn checksum(image: &Image, pieces: Vec<u64>) -> Result<(), CorruptBundleError> {
    let bytes = image.bytes();
    let stated = u64_at(bytes, bytes.len() - CHECKSUM);
    ensure(sum_of(pieces) == stated, "bytes that agree with their checksum")
}

/// Validates the structure of everything after a valid header, on all cores. A forged bundle also has forged
/// checksums, so nothing that is read later relies on them.
pub(super) fn structure(image: &Image) -> Result<(), CorruptBundleError> {
    programs(image)?;
    sites(image)?;
    schedules(image)?;
    tdmreps(image)?;
    bodies(image)
}

/// Programs are consecutive, fill their section, and are safe to walk.
fn programs(image: &Image) -> Result<(), CorruptBundleError> {
    const AT_ONCE: usize = 1 << 10;
    let count = image.program_count();
    ensure(image.program_start(0) == Some(0), "programs from the start of their section")?;
    let end = image.layout().programs.len();
    ensure(image.program_start(count) == Some(end), "programs up to the end of their section")?;
    threads::for_each((0..count).step_by(AT_ONCE), end, || {
        let mut validator = Validator::new();
        move |first: usize| {
            for number in first..count.min(first + AT_ONCE) {
                let bytes = u32::try_from(number).ok().and_then(|number| image.program(number));
                let bytes = bytes.ok_or_else(|| CorruptBundleError::expected("consecutive programs"))?;
                program_bytes(bytes, &mut validator)?;
            }
            Ok(())
        }
    })
}

/// The sites are consecutive and fill their section. Slots are in the order of the hashes, and their sites in the same
/// order. Policies and versions are those that a writer could have written, with programs that exist.
fn sites(image: &Image) -> Result<(), CorruptBundleError> {
    const AT_ONCE: usize = 1 << 12;
    let layout = image.layout();
    let end = layout.sites.len() - PADDING;
    ensure(image.slots().count() == layout.sites_len, "as many sites as the header says")?;
    // Each run of slots ends with the first slot of the next run: neighbours are compared.
    let mut slots = image.slots().peekable();
    let runs = std::iter::from_fn(|| {
        let mut run: Vec<(usize, u64)> = slots.by_ref().take(AT_ONCE).collect();
        run.extend(slots.peek());
        (!run.is_empty()).then_some(run)
    });
    let first = image.slots().next().map_or(0, |(_, slot)| (slot >> 8) - 1);
    ensure(image.slots().next().is_some() || end == 0, "sites up to the end of their section")?;
    ensure(first == 0, "sites from the start of their section")?;
    threads::for_each(runs, layout.sites.len(), || {
        let mut reader = SiteReader::new(image);
        move |run: Vec<(usize, u64)>| {
            let is_last = run.len() <= AT_ONCE;
            let mut last: Option<(u64, SiteName<'_>, usize)> = None;
            for (at, &slot) in run.iter().enumerate() {
                let site = reader.read(slot)?;
                if let Some((hash, name, end)) = last {
                    let is_next = u64::try_from(end).is_ok_and(|end| end == (slot.1 >> 8) - 1);
                    ensure(is_next, "consecutive sites")?;
                    ensure((hash, name) < (site.0, site.1), "sites in the order of their hashes")?;
                }
                if is_last && at + 1 == run.len() {
                    ensure(site.2 == end, "sites up to the end of their section")?;
                }
                last = Some(site);
            }
            Ok(())
        }
    })
}

/// Reads and validates sites.
struct SiteReader<'i> {
    image: &'i Image,
    text: Vec<u8>,
    versions: Versions,
}

impl<'i> SiteReader<'i> {
    fn new(image: &'i Image) -> Self {
        SiteReader { image, text: Vec::new(), versions: Versions::new(image.layout().columns) }
    }

    /// The hash, the name and the end of the site in a slot.
    fn read(&mut self, (at, slot): (usize, u64)) -> Result<(u64, SiteName<'i>, usize), CorruptBundleError> {
        let (image, layout) = (self.image, self.image.layout());
        let site = image.site_at((slot >> 8) - 1);
        let (name, id) = site.ok_or_else(|| CorruptBundleError::expected("slots with sites"))?;
        self.text.clear();
        name.push_text(&mut self.text);
        let hash = hash_of(&self.text, layout.seed);
        let home = home_of(hash, layout.homes);
        let is_found = slot & 0xFF == hash & 0xFF && (home..home + layout.reach).contains(&at);
        ensure(is_found && SiteName::new(&self.text) == name, "sites in the slots of their hashes")?;
        self.versions.clear();
        let end = image.read_versions(id, &mut self.versions);
        let end = end.ok_or_else(|| CorruptBundleError::expected("sites with versions"))?;
        compiled_policies(image, self.versions.all_compiled_policies())?;
        let is_captured = self.versions.len() > 0 || image.newest_tdmrep(id).is_some();
        ensure(is_captured, "sites with a robots.txt or a tdmrep.json")?;
        Ok((hash, name, end))
    }
}

/// Schedules are complete and consecutive. Programs that exist have them, in the order of their numbers.
fn schedules(image: &Image) -> Result<(), CorruptBundleError> {
    let expected = || CorruptBundleError::expected("complete schedules");
    let mut positions = Vec::new();
    let (mut at, end) = (0, image.layout().schedules.len());
    while at < end {
        let (schedule, next) = image.schedule_at(at).ok_or_else(expected)?;
        crate::schedules::validate(schedule)?;
        positions.push(at);
        at = next;
    }
    ensure(image.scheduled_are_whole(), "complete numbers of programs with schedules")?;
    let mut last = FIRST_PROGRAM - 1;
    for entry in 0..image.scheduled_count() {
        let (number, position) = image.scheduled(entry).ok_or_else(expected)?;
        ensure(number > last, "schedules in the order of their programs")?;
        compiled_policies(image, &[number])?;
        ensure(positions.binary_search(&position).is_ok(), "programs whose schedules exist")?;
        last = number;
    }
    Ok(())
}

/// Each tdmrep.json has versions, which are consecutive and fill their section, in the order of the sites. Its programs
/// are statement programs. A site that does not exist is never looked up.
fn tdmreps(image: &Image) -> Result<(), CorruptBundleError> {
    let expected = || CorruptBundleError::expected("complete versions of each tdmrep.json");
    ensure(image.tdmreps_are_whole(), "complete positions of sites with a tdmrep.json")?;
    let (mut next, mut versions) = (0, Versions::new(1));
    let mut last: Option<usize> = None;
    for entry in 0..image.tdmrep_count() {
        let (SiteId(site), position) = image.tdmrep(entry).ok_or_else(expected)?;
        ensure(last.is_none_or(|last| last < site), "each tdmrep.json in the order of the sites")?;
        ensure(position == next, "consecutive versions of each tdmrep.json")?;
        versions.clear();
        next = image.read_tdmreps_at(position, &mut versions).ok_or_else(expected)?;
        let policies = versions.all_compiled_policies();
        compiled_policies(image, policies)?;
        let programs = policies.iter().map(|&number| image.stored_policy(number).program());
        let is_statements = |program: &[u8]| program.is_empty() || is_statement_program(program);
        ensure(
            versions.len() > 0 && programs.into_iter().all(is_statements),
            "statements in each tdmrep.json",
        )?;
        last = Some(site);
    }
    ensure(next + PADDING == image.layout().mining.len(), "versions up to the end of their section")
}

/// Bodies are in the order of their digests, with policies that exist.
fn bodies(image: &Image) -> Result<(), CorruptBundleError> {
    const AT_ONCE: usize = 1 << 12;
    let count = image.body_count();
    ensure(image.bodies_are_whole(), "complete bodies")?;
    let expected = || CorruptBundleError::expected("complete bodies");
    threads::for_each((0..count).step_by(AT_ONCE), image.layout().bodies.len(), || {
        move |first: usize| {
            let mut last: Option<Digest> = None;
            // One more than its own: neighbours are compared.
            for number in first..count.min(first + AT_ONCE + 1) {
                let (digest, policies) = image.body(number).ok_or_else(expected)?;
                ensure(last.is_none_or(|last| last < digest), "bodies in the order of their digests")?;
                compiled_policies(image, &policies)?;
                last = Some(digest);
            }
            Ok(())
        }
    })
}

/// Compiled policies are outcomes, or programs that exist.
fn compiled_policies(image: &Image, numbers: &[u32]) -> Result<(), CorruptBundleError> {
    let is_known = |&number: &u32| match number.checked_sub(FIRST_PROGRAM) {
        Some(program) => (program as usize) < image.program_count(),
        None => number <= ABSENT,
    };
    ensure(numbers.iter().all(is_known), "sites whose programs exist")
}

/// Validates the bytes of one program, of rules or of usages.
pub(super) fn program_bytes(bytes: &[u8], validator: &mut Validator) -> Result<(), CorruptBundleError> {
    if is_statement_program(bytes) {
        return Ok(StatementProgramRef::validate(bytes, validator)?);
    }
    if is_group_table(bytes) {
        return group_table::validate(bytes, validator);
    }
    Ok(validator.validate(bytes)?)
}
