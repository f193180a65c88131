//! Validation of a store's bytes.
//!
//! The header is validated when a bundle is mapped: after that, every look-up terminates and reads only the bundle's
//! bytes. A program is safe to walk after its validation. The checksum shows whether the bytes are the ones that were
//! written.
//!
//! The checksum is computed in pieces: the XXH3-64 of the XXH3-64 of each piece. Threads share the work, and the
//! programs of a piece are validated while its bytes are in the cache.

use std::ops::Range;

use robomata_automaton::Validator;
use robomata_protocol::{Crawler, Dialect, Usage};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::Audience;
use super::build::{History, StoreKind};
use super::damage::{CorruptBundleError, ensure};
use super::image::{
    CHECKSUM, HEADER, HEADER_SUM_AT, INDEX_ENTRY, Image, LABEL, Layout, PADDING, SECTIONS, SECTIONS_AT, SLOT,
    VERSION, index_of, number_at,
};
use super::threads;
use crate::group_table::{self, is_group_table};
use crate::usage::{UsageProgramRef, UsageQuery, is_usage_program};

/// The size of a piece in bytes.
const PIECE: usize = 1 << 18;

fn u32_at(bytes: &[u8], at: usize) -> usize {
    number_at(bytes, at, 4).map_or(0, index_of)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    number_at(bytes, at, 8).unwrap_or(0)
}

/// Locates the sections by a valid header.
pub(super) fn header(bytes: &[u8]) -> Result<(Layout, StoreKind), CorruptBundleError> {
    ensure(bytes.len() >= HEADER && bytes.starts_with(LABEL), "the label 'robomata' at the start")?;
    ensure(u32_at(bytes, 8) == VERSION as usize, "a bundle of version 5")?;
    let [meta, slots, sites, index, programs, bodies] = find_sections(bytes)?;
    let meta = &bytes[meta];
    ensure(
        header_sum(bytes, meta) == u64_at(bytes, HEADER_SUM_AT),
        "a header that agrees with its checksum",
    )?;
    let kind = read_meta(meta, u32_at(bytes, 12))?;

    let reach = u32_at(bytes, 20);
    let slot_count = slots.len().saturating_sub(PADDING) / SLOT;
    let layout = Layout {
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
        bodies,
    };
    ensure(slot_count > reach, "more slots than a look-up visits")?;
    ensure((1..=4).contains(&layout.compiled_policy_width), "compiled policies of 1 to 4 bytes")?;
    ensure(layout.sites.len() >= PADDING, "sites, and padding after them")?;
    let entries = layout.index.len().checked_sub(PADDING);
    let is_whole = entries.is_some_and(|bytes| bytes > 0 && bytes.is_multiple_of(INDEX_ENTRY));
    ensure(is_whole, "a complete index of programs")?;
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

fn read_meta(meta: &[u8], crawlers: usize) -> Result<StoreKind, CorruptBundleError> {
    let text =
        std::str::from_utf8(meta).map_err(|_| CorruptBundleError::expected("a description in UTF-8"))?;
    let mut lines = text.lines();
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

/// Validates everything after a valid header, on all cores.
pub(super) fn whole(image: &Image) -> Result<(), CorruptBundleError> {
    let (bytes, sum) = image.bytes().split_at(image.bytes().len() - CHECKSUM);
    let programs = image.layout().programs.clone();
    let in_order = (0..image.program_count())
        .all(|number| image.program_start(number) <= image.program_start(number + 1));
    ensure(in_order, "consecutive programs")?;
    let mut sums = vec![0; bytes[HEADER..].len().div_ceil(PIECE)];
    let pieces = bytes[HEADER..].chunks(PIECE).zip(&mut sums).enumerate();
    threads::for_each(pieces, bytes.len(), || {
        let mut validator = Validator::new();
        let programs = programs.clone();
        move |(number, (piece, sum)): (usize, (&[u8], &mut u64))| {
            let start = HEADER + number * PIECE;
            let within = |at: usize| at.saturating_sub(programs.start);
            *sum = xxh3_64(piece);
            validate_programs(image, within(start)..within(start + piece.len()), &mut validator)
        }
    })?;
    ensure(image.program_start(0) == Some(0), "programs from the start of their section")?;
    ensure(sum_of(sums) == u64_at(sum, 0), "bytes that agree with their checksum")
}

/// Validates the programs that begin in this part of their section, and checks that each ends where the next one
/// begins.
fn validate_programs(
    image: &Image,
    part: Range<usize>,
    validator: &mut Validator,
) -> Result<(), CorruptBundleError> {
    let bytes = image.section(&image.layout().programs);
    let count = image.program_count();
    let start_of = |number| image.program_start(number).unwrap_or(usize::MAX);
    let mut number = first_from(count, |number| start_of(number) >= part.start);
    while number < count && start_of(number) < part.end {
        let program = bytes.get(start_of(number)..start_of(number + 1));
        program_bytes(
            program.ok_or_else(|| CorruptBundleError::expected("consecutive programs"))?,
            validator,
        )?;
        number += 1;
    }
    ensure(start_of(count) == bytes.len(), "programs up to the end of their section")
}

/// Validates the bytes of one program, of rules or of usages.
pub(super) fn program_bytes(bytes: &[u8], validator: &mut Validator) -> Result<(), CorruptBundleError> {
    if is_usage_program(bytes) {
        return UsageProgramRef::validate(bytes, validator);
    }
    if is_group_table(bytes) {
        return group_table::validate(bytes, validator);
    }
    Ok(validator.validate(bytes)?)
}

/// The first number below `count` from which `holds` is true; `count` when there is none.
fn first_from(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
