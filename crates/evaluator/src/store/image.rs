//! The octets of a store, in memory and in a bundle file.
//!
//! ```text
//! label       8 octets  "robomata"
//! version     u32       VERSION
//! crawlers    u32       how many
//! sections    6 times   offset u64, length u64; offsets from the label on, each section behind the one before
//! checksum    u64       XXH3-64 of everything before and after this field
//! meta        text      dialect, newline, then each crawler and a newline
//! slots       u64 each  a power of two of them: upper half of the site's hash, then 1-based site number; 0 is free.
//!                       A site is looked for from the slot of its hash's lower bits on, to the first free one
//! sites       by number, each: text offset u64, text length u32, a decider u32 for each crawler
//! names       the sites' texts, one behind the other
//! index       u64 each  where programs begin in the next section, and where the last one ends
//! programs    one behind the other (see the crate robomata-automaton)
//! ```
//!
//! All numbers are little-endian and unaligned. A decider is UNKNOWN, UNAVAILABLE, UNREACHABLE or a program's number.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use robomata_automaton::LoadError;
use robomata_protocol::{Crawler, Dialect};
use xxhash_rust::xxh3::xxh3_64;

use super::{SiteId, validate};

pub(super) const LABEL: &[u8; 8] = b"robomata";
pub(super) const VERSION: u32 = 1;
pub(super) const SECTIONS: usize = 6;
pub(super) const CHECKSUM_AT: usize = 8 + 4 + 4 + SECTIONS * 16;
pub(super) const HEADER: usize = CHECKSUM_AT + 8;
pub(super) const SITE_FIXED: usize = 8 + 4;

pub(super) const UNKNOWN: u32 = 0;
pub(super) const UNAVAILABLE: u32 = 1;
pub(super) const UNREACHABLE: u32 = 2;
/// A decider from here on is a program's number plus this.
pub(super) const FIRST_PROGRAM: u32 = 3;

/// A bundle could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The octets are no bundle of this version, or a damaged one.
    #[error("not a valid policy bundle: expected {0}")]
    Invalid(&'static str),
    /// A program in the bundle is damaged.
    #[error("not a valid policy bundle: {0}")]
    Program(#[from] LoadError),
}

/// Octets that lie in memory or in a mapped file.
enum Octets {
    Owned(Vec<u8>),
    Mapped(memmap2::Mmap),
}

impl Octets {
    #[inline]
    fn as_slice(&self) -> &[u8] {
        match self {
            Octets::Owned(octets) => octets,
            Octets::Mapped(octets) => octets,
        }
    }
}

/// The octets of a store with its sections found.
pub(super) struct Image {
    octets: Octets,
    sections: Sections,
}

/// Where the sections lie, and what a bundle says of itself.
#[derive(Clone, Debug)]
pub(super) struct Sections {
    pub(super) crawlers: usize,
    pub(super) slots: Range<usize>,
    pub(super) sites: Range<usize>,
    pub(super) names: Range<usize>,
    pub(super) index: Range<usize>,
    pub(super) programs: Range<usize>,
}

/// What a bundle says of itself.
pub(super) struct Meta {
    pub(super) dialect: Dialect,
    pub(super) crawlers: Vec<Crawler>,
}

impl Image {
    /// The image in `octets`, validated whole.
    pub(super) fn owned(octets: Vec<u8>) -> Result<(Self, Meta), OpenError> {
        Image::new(Octets::Owned(octets))
    }

    /// The image in the file at `path`, mapped and validated whole.
    #[expect(
        unsafe_code,
        reason = "mapping a file is unsafe by nature, and bundles are too large to be read"
    )]
    pub(super) fn map(path: &Path) -> Result<(Self, Meta), OpenError> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Err(OpenError::Invalid("a file that is not empty"));
        }
        // SAFETY: the mapping is private to this value and only read. That nobody changes or truncates the file
        // meanwhile is the documented duty of whoever calls `PolicyStore::open`; bundles are replaced by renaming, which
        // leaves a mapped file as it was.
        let mapped = unsafe { memmap2::Mmap::map(&file)? };
        Image::new(Octets::Mapped(mapped))
    }

    fn new(octets: Octets) -> Result<(Self, Meta), OpenError> {
        let (sections, meta) = validate::validate(octets.as_slice())?;
        Ok((Image { octets, sections }, meta))
    }

    #[inline]
    pub(super) fn octets(&self) -> &[u8] {
        self.octets.as_slice()
    }

    #[inline]
    fn section(&self, range: &Range<usize>) -> &[u8] {
        &self.octets()[range.clone()]
    }

    pub(super) fn site_count(&self) -> usize {
        self.sections.sites.len() / self.site_size()
    }

    pub(super) fn program_count(&self) -> usize {
        self.sections.index.len() / 8 - 1
    }

    pub(super) fn program_octets(&self) -> usize {
        self.sections.programs.len()
    }

    fn site_size(&self) -> usize {
        SITE_FIXED + 4 * self.sections.crawlers
    }

    /// The number of the site with this text.
    #[inline]
    pub(super) fn find(&self, site: &[u8]) -> Option<SiteId> {
        let slots = self.section(&self.sections.slots);
        let hash = hash_of(site);
        let mut at = first_slot(hash, slots.len() / 8);
        loop {
            let slot = u64_at(slots, at);
            if slot == 0 {
                return None;
            }
            let (tag, number) = divide(slot);
            if tag == tag_of(hash) && self.site_text(number - 1) == site {
                return Some(SiteId(number - 1));
            }
            at = (at + 1) & (slots.len() / 8 - 1);
        }
    }

    #[inline]
    fn site(&self, number: u32) -> &[u8] {
        let size = self.site_size();
        &self.section(&self.sections.sites)[number as usize * size..(number as usize + 1) * size]
    }

    #[inline]
    fn site_text(&self, number: u32) -> &[u8] {
        let site = self.site(number);
        let start = index_of(u64_at(site, 0));
        let length = u32_at(&site[8..], 0) as usize;
        &self.section(&self.sections.names)[start..start + length]
    }

    #[inline]
    pub(super) fn decider(&self, site: SiteId, crawler: usize) -> u32 {
        u32_at(&self.site(site.0)[SITE_FIXED..], crawler)
    }

    #[inline]
    pub(super) fn program(&self, number: u32) -> &[u8] {
        let index = self.section(&self.sections.index);
        let bounds = index_of(u64_at(index, number as usize))..index_of(u64_at(index, number as usize + 1));
        &self.section(&self.sections.programs)[bounds]
    }
}

#[inline]
pub(super) fn hash_of(site: &[u8]) -> u64 {
    xxh3_64(site)
}

#[inline]
fn tag_of(hash: u64) -> u32 {
    divide(hash).0
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the two halves of a slot are what is asked for")]
fn divide(slot: u64) -> (u32, u32) {
    ((slot >> 32) as u32, slot as u32)
}

pub(super) fn slot_of(hash: u64, site_number: u32) -> u64 {
    u64::from(tag_of(hash)) << 32 | u64::from(site_number + 1)
}

#[inline]
pub(super) fn first_slot(hash: u64, slots: usize) -> usize {
    index_of(hash & 0xFFFF_FFFF) & (slots - 1)
}

#[inline]
pub(super) fn u64_at(items: &[u8], index: usize) -> u64 {
    let mut item = [0; 8];
    item.copy_from_slice(&items[index * 8..index * 8 + 8]);
    u64::from_le_bytes(item)
}

#[inline]
pub(super) fn u32_at(items: &[u8], index: usize) -> u32 {
    let mut item = [0; 4];
    item.copy_from_slice(&items[index * 4..index * 4 + 4]);
    u32::from_le_bytes(item)
}

/// An offset as an index. Offsets are validated against the octets' length, so they fit.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "checked against the length of octets in memory")]
pub(super) const fn index_of(offset: u64) -> usize {
    offset as usize
}
