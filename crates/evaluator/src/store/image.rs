//! The bytes of a store, in memory and in a bundle file.
//!
//! ```text
//! label       8 bytes   "robomata"
//! version     u32       VERSION, or SHARD_VERSION of a shard
//! crawlers    u32       the number of crawlers; 0: every crawler
//! sites       u32       the number of sites
//! reach       u32       the largest number of slots that a look-up visits
//! seed        u64       the seed of the sites' hashes
//! width       u64       the size of a compiled policy's number in bytes
//! sections    10 times  offset u64, length u64; offsets are from the label on, and the sections are consecutive
//! header sum  u64       XXH3-64 of everything before it and of the section meta
//! meta        text      of a shard `shard 3 of 16`, then dialect, usage, purpose (can be empty), `newest` or `all`
//!                       captures, then each crawler, each with a newline after it
//! slots       6 bytes each: 1 of the site's hash, then 5 of its position in the next section, plus 1; 0 is free.
//!                       Slots are in the order of the hashes; a look-up begins at the slot proportional to the hash
//!                       and ends at the first free slot
//! sites       in the order of their hashes, each: bytes of its name * 4 + prefix (a varint), the name after the
//!                       prefix, a compiled policy for each column, then its versions (see `versions`)
//! index       5 bytes each: where programs begin in the next section, and where the last one ends
//! programs    consecutive, in the order in which the sites first use them: programs (see the crate
//!                       robomata-automaton), statement programs (see robomata-permissions) and group tables (`group_table`)
//! scheduled   for each program with a schedule, in the order of their numbers: its compiled policy's number, then 5
//!                       bytes of the schedule's position in the next section
//! schedules   consecutive, each: a length (a varint), then what sites say about how often and when to visit
//!                       (`schedules`). Programs share equal ones
//! tdmreps     for each site with a tdmrep.json, in the order of the sites: 5 bytes of the position of its compiled
//!                       policies, then 5 bytes of a position in the next section
//! mining      consecutive, each: the compiled policy of the newest tdmrep.json, then its versions (see `versions`).
//!                       Its programs are statement programs
//! bodies      by digest: 20 bytes of the BLAKE3 of a compiled body, and its compiled policy for each column
//! checksum    u64       of all sections (see `validate`)
//! ```
//!
//! All numbers are little-endian and unaligned. There is a column for each crawler, or one for every crawler. The
//! number of a compiled policy is UNKNOWN, UNAVAILABLE, UNREACHABLE, RESTRICTED, DEFERRED, ABSENT (of a site whose
//! tdmrep.json alone was captured), or FIRST_PROGRAM plus a program's number. Two programs are equal only if their
//! schedules differ. Sections of numbers end in PADDING, so that each number can be read as eight bytes.
//!
//! A look-up is safe on any bytes: it reads nothing outside them and visits at most `reach` slots. A
//! site's text and its compiled policies are adjacent: a look-up touches one slot, one site, and then the index.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use robomata_automaton::{begins_with, prefetch};
use robomata_protocol::FetchOutcome;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::build::StoreKind;
use super::damage::{CorruptBundleError, OpenError};
use super::fingerprint::Fingerprint;
use super::read;
use super::run::{DIGEST, Digest};
use super::shard_files::ShardNumber;
use super::validate;
use super::versions::{Versions, read_varint, varint_bytes, write_varint};

pub(crate) const LABEL: &[u8; 8] = b"robomata";
pub(super) const VERSION: u32 = 15;
/// The version of one shard of a bundle, whose meta begins with its number.
pub(super) const SHARD_VERSION: u32 = 16;
/// meta, slots, sites, index, programs, scheduled, schedules, tdmreps, mining, bodies.
pub(super) const SECTIONS: usize = 10;
pub(super) const SECTIONS_AT: usize = 40;
pub(super) const HEADER_SUM_AT: usize = SECTIONS_AT + SECTIONS * 16;
pub(super) const HEADER: usize = HEADER_SUM_AT + 8;
/// The size of the checksum at the end, in bytes.
pub(super) const CHECKSUM: usize = 8;
pub(super) const PADDING: usize = 8;

/// The sizes of a slot, of a position in a slot and of an entry of the index, in bytes.
pub(super) const SLOT: usize = 6;
const SLOT_MASK: u64 = u64::MAX >> (64 - 8 * SLOT);
pub(super) const INDEX_ENTRY: usize = 5;
/// The size of an entry of the section `tdmreps`.
pub(super) const TDMREP: usize = 2 * INDEX_ENTRY;

const CACHE_LINE: usize = 64;
/// The number of bytes of a program that are prefetched before the walk: most programs are not longer.
const FETCHED: usize = 4 * CACHE_LINE;

pub(super) const UNKNOWN: u32 = 0;
pub(super) const UNAVAILABLE: u32 = 1;
pub(super) const UNREACHABLE: u32 = 2;
pub(super) const RESTRICTED: u32 = 3;
pub(super) const DEFERRED: u32 = 4;
/// There is no robots.txt among the captures of the site.
pub(super) const ABSENT: u32 = 5;
/// A compiled policy with this number or a larger one is a program's number plus this. The unused numbers below it are
/// reserved for outcomes without rules.
pub(super) const FIRST_PROGRAM: u32 = 8;

/// Bytes in memory, or in a mapped file.
enum Bytes {
    Owned(Vec<u8>),
    #[cfg(feature = "mmap")]
    Mapped(memmap2::Mmap),
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::Owned(bytes)
    }
}

#[cfg(feature = "mmap")]
impl From<memmap2::Mmap> for Bytes {
    fn from(bytes: memmap2::Mmap) -> Self {
        Bytes::Mapped(bytes)
    }
}

impl Bytes {
    #[inline]
    fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Owned(bytes) => bytes,
            #[cfg(feature = "mmap")]
            Bytes::Mapped(bytes) => bytes,
        }
    }
}

/// The bytes of a store with its sections located.
pub(crate) struct Image {
    bytes: Bytes,
    layout: Layout,
}

/// The positions of the sections, and the numbers of the header.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// `None` of an undivided store.
    pub(super) shard: Option<ShardNumber>,
    pub(super) sites_len: usize,
    pub(super) reach: usize,
    pub(super) seed: u64,
    pub(super) compiled_policy_width: usize,
    /// Compiled policies per site.
    pub(super) columns: usize,
    /// The number of slots in which a look-up can begin.
    pub(super) homes: usize,
    pub(super) slots: Range<usize>,
    pub(super) sites: Range<usize>,
    pub(super) index: Range<usize>,
    pub(super) programs: Range<usize>,
    pub(super) scheduled: Range<usize>,
    pub(super) schedules: Range<usize>,
    pub(super) tdmreps: Range<usize>,
    pub(super) mining: Range<usize>,
    pub(super) bodies: Range<usize>,
}

/// The offset of a site's compiled policies in the section of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SiteId(pub(super) usize);

/// A site's slots and their expected contents, computed before they are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SiteKey {
    hash: u64,
    /// The first slot that the site can have.
    first: usize,
    /// One past the last one.
    end: usize,
}

/// A compiled policy in a store.
#[derive(Clone, Copy, Debug)]
pub struct StoredPolicy<'s> {
    pub(crate) number: u32,
    /// The program. Empty if the outcome of the fetch decides.
    pub(super) program: &'s [u8],
}

impl<'s> StoredPolicy<'s> {
    pub(crate) const UNKNOWN: Self = StoredPolicy { number: UNKNOWN, program: &[] };

    /// A policy outside a store that has this program.
    pub(crate) const fn of_program(program: &'s [u8]) -> Self {
        StoredPolicy { number: FIRST_PROGRAM, program }
    }

    /// A policy outside a store that follows from an outcome without rules.
    pub(crate) const fn of_outcome(outcome: FetchOutcome) -> Self {
        let number = match outcome {
            FetchOutcome::Redirected | FetchOutcome::Success => UNKNOWN,
            FetchOutcome::Unavailable => UNAVAILABLE,
            FetchOutcome::Unreachable => UNREACHABLE,
            FetchOutcome::Restricted => RESTRICTED,
            FetchOutcome::Deferred => DEFERRED,
        };
        StoredPolicy { number, program: &[] }
    }

    /// The program; empty if there is none.
    pub(crate) fn program(&self) -> &'s [u8] {
        self.program
    }

    /// Starts to load the beginning of the program into the cache.
    #[inline]
    pub(crate) fn prefetch(&self) {
        for at in (0..self.program.len().min(FETCHED)).step_by(CACHE_LINE) {
            prefetch(self.program, at);
        }
        prefetch(self.program, self.program.len().saturating_sub(1));
    }
}

impl Image {
    /// The image in `bytes`. Only the header has been validated.
    pub(super) fn owned(bytes: Vec<u8>) -> Result<(Self, StoreKind), CorruptBundleError> {
        Image::new(bytes.into())
    }

    /// The image in the file at `path`, in memory of its own. Its checksums are right, but its structure has not been
    /// validated.
    pub(super) fn read(path: &Path) -> Result<(Self, StoreKind), OpenError> {
        let (bytes, sums) = read::file(path)?;
        let (image, kind) = Image::new(bytes.into())?;
        validate::checksum(&image, sums)?;
        Ok((image, kind))
    }

    fn new(bytes: Bytes) -> Result<(Self, StoreKind), CorruptBundleError> {
        let (layout, kind) = validate::header(bytes.as_slice())?;
        Ok((Image { bytes, layout }, kind))
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        let bytes = self.bytes();
        let sum_at = |at: usize| number_at(bytes, at, 8).unwrap_or(0);
        Fingerprint::new(sum_at(HEADER_SUM_AT), sum_at(bytes.len() - CHECKSUM))
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    #[inline]
    pub(super) fn section(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes()[range.clone()]
    }

    pub(super) fn site_count(&self) -> usize {
        self.layout.sites_len
    }

    pub(super) fn program_count(&self) -> usize {
        (self.layout.index.len() - PADDING) / INDEX_ENTRY - 1
    }

    pub(super) fn program_bytes(&self) -> usize {
        self.layout.programs.len()
    }

    /// The position of the site with this text in the hash table.
    #[inline]
    pub(crate) fn key(&self, site: &[u8]) -> SiteKey {
        let hash = hash_of(site, self.layout.seed);
        let first = home_of(hash, self.layout.homes);
        SiteKey { hash, first, end: first + self.layout.reach }
    }

    /// The site with this text, whose key is `key`.
    #[inline]
    pub(crate) fn find(&self, site: &[u8], mut key: SiteKey) -> Option<SiteId> {
        let name = SiteName::new(site);
        loop {
            let place = self.next_candidate(&mut key)?;
            if let Some(end) = name.stands_at(self.bytes(), self.layout.sites.start + place) {
                return Some(SiteId(end - self.layout.sites.start));
            }
            key.first += 1;
        }
    }

    /// Starts to load the first slot of `key` into the cache.
    #[inline]
    pub(crate) fn prefetch_slot(&self, key: SiteKey) {
        prefetch(self.bytes(), self.layout.slots.start + key.first * SLOT);
    }

    /// Moves `key` to its first slot that can be the site's, and starts to load the site into the cache.
    #[inline]
    pub(crate) fn prefetch_site(&self, key: &mut SiteKey) {
        if let Some(place) = self.next_candidate(key) {
            prefetch(self.bytes(), self.layout.sites.start + place);
        }
    }

    /// Starts to load the index of the program of a compiled policy into the cache.
    #[inline]
    pub(crate) fn prefetch_index(&self, compiled_policy: u32) {
        let number = compiled_policy.saturating_sub(FIRST_PROGRAM) as usize;
        prefetch(self.bytes(), self.layout.index.start + number * INDEX_ENTRY);
    }

    /// Moves `key` to its first slot that can be the site's. Returns the position of the site in that slot.
    #[inline]
    fn next_candidate(&self, key: &mut SiteKey) -> Option<usize> {
        // The section is padded: the last slot is followed by more bytes, too.
        let slots = self.layout.slots.start;
        let mut run = self.bytes().get(slots + key.first * SLOT..slots + key.end * SLOT + PADDING - SLOT)?;
        while let Some(slot) = run.first_chunk() {
            let slot = u64::from_le_bytes(*slot) & SLOT_MASK;
            if slot <= 0xFF {
                return None;
            }
            if (slot ^ key.hash) & 0xFF == 0 {
                return Some(index_of((slot >> 8) - 1));
            }
            run = &run[SLOT..];
            key.first += 1;
        }
        None
    }

    /// The compiled policy of a site for a crawler; `None` when the bytes are damaged.
    #[inline]
    pub(crate) fn compiled_policy(&self, site: SiteId, crawler: usize) -> Option<u32> {
        let width = self.layout.compiled_policy_width;
        let number = number_at(self.bytes(), self.layout.sites.start + site.0 + crawler * width, width)?;
        u32::try_from(number).ok()
    }

    /// The policy with this number, as it is stored.
    #[inline]
    pub(crate) fn stored_policy(&self, number: u32) -> StoredPolicy<'_> {
        let program = number.checked_sub(FIRST_PROGRAM).and_then(|program| self.program(program));
        StoredPolicy { number, program: program.unwrap_or_default() }
    }

    /// The bytes of a program; `None` when the bytes are damaged.
    #[inline]
    pub(super) fn program(&self, number: u32) -> Option<&[u8]> {
        let (index, programs) = (self.layout.index.start, self.layout.programs.start);
        let entries: &[u8; INDEX_ENTRY + PADDING] =
            self.bytes().get(index + number as usize * INDEX_ENTRY..)?.first_chunk()?;
        let offset = |at| number_at(entries, at, INDEX_ENTRY).map(|offset| programs + index_of(offset));
        self.bytes().get(offset(0)?..offset(INDEX_ENTRY)?)
    }

    /// The offset at which a program begins and the previous one ends.
    #[inline]
    pub(super) fn program_start(&self, number: usize) -> Option<usize> {
        number_at(self.bytes(), self.layout.index.start + number * INDEX_ENTRY, INDEX_ENTRY).map(index_of)
    }
}

impl Image {
    /// The slots in use with their numbers.
    pub(super) fn slots(&self) -> impl Iterator<Item = (usize, u64)> {
        let slots = self.section(&self.layout.slots);
        let count = slots.len().saturating_sub(PADDING) / SLOT;
        (0..count)
            .filter_map(move |at| number_at(slots, at * SLOT, SLOT).map(|slot| (at, slot)))
            .filter(|&(_, slot)| slot > 0xFF)
    }

    /// The positions of all sites, in the order of their slots, which is that of their hashes.
    pub(super) fn places(&self) -> impl Iterator<Item = u64> {
        self.slots().map(|(_, slot)| (slot >> 8) - 1)
    }

    /// The name of the site at this position, and the offset of its compiled policies; `None` when the bytes are
    /// damaged.
    pub(super) fn site_at(&self, place: u64) -> Option<(SiteName<'_>, SiteId)> {
        let (name, end) = SiteName::read(self.section(&self.layout.sites), index_of(place))?;
        Some((name, SiteId(end)))
    }

    /// Adds the versions of a site, the oldest first, and returns where they end; `None` when the bytes are damaged.
    pub(super) fn read_versions(&self, site: SiteId, out: &mut Versions) -> Option<usize> {
        out.read(self.section(&self.layout.sites), site.0, self.layout.compiled_policy_width)
    }

    fn scheduled_bytes(&self) -> usize {
        self.layout.compiled_policy_width + INDEX_ENTRY
    }

    pub(super) fn scheduled_are_whole(&self) -> bool {
        (self.layout.scheduled.len() - PADDING).is_multiple_of(self.scheduled_bytes())
    }

    pub(super) fn scheduled_count(&self) -> usize {
        (self.layout.scheduled.len() - PADDING) / self.scheduled_bytes()
    }

    /// A compiled policy with a schedule, and the schedule's position; `None` when the bytes are damaged.
    pub(super) fn scheduled(&self, at: usize) -> Option<(u32, usize)> {
        let (section, width) = (self.section(&self.layout.scheduled), self.layout.compiled_policy_width);
        let at = at.checked_mul(self.scheduled_bytes())?;
        let number = u32::try_from(number_at(section, at, width)?).ok()?;
        Some((number, index_of(number_at(section, at + width, INDEX_ENTRY)?)))
    }

    /// The schedule at this position, and where the next one begins; `None` when the bytes are damaged.
    pub(super) fn schedule_at(&self, position: usize) -> Option<(&[u8], usize)> {
        let (section, mut at) = (self.section(&self.layout.schedules), position);
        let length = index_of(read_varint(section, &mut at)?);
        let end = at.checked_add(length)?;
        Some((section.get(at..end)?, end))
    }

    /// The schedule of a compiled policy; empty if it has none.
    pub(super) fn schedule_of(&self, compiled_policy: u32) -> &[u8] {
        let (mut low, mut high) = (0, self.scheduled_count());
        while low < high {
            let middle = low.midpoint(high);
            match self.scheduled(middle) {
                Some((number, position)) if number == compiled_policy => {
                    return self.schedule_at(position).map_or(&[], |(schedule, _)| schedule);
                }
                Some((number, _)) if number < compiled_policy => low = middle + 1,
                _ => high = middle,
            }
        }
        &[]
    }

    pub(super) fn tdmreps_are_whole(&self) -> bool {
        (self.layout.tdmreps.len() - PADDING).is_multiple_of(TDMREP)
    }

    /// Whether a site has a tdmrep.json.
    #[inline]
    pub(crate) fn has_tdmreps(&self) -> bool {
        self.layout.tdmreps.len() > PADDING
    }

    /// The number of sites with a tdmrep.json.
    pub(super) fn tdmrep_count(&self) -> usize {
        (self.layout.tdmreps.len() - PADDING) / TDMREP
    }

    /// A site with a tdmrep.json, and the position of its versions; `None` when the bytes are damaged.
    pub(super) fn tdmrep(&self, at: usize) -> Option<(SiteId, usize)> {
        let (section, at) = (self.section(&self.layout.tdmreps), at.checked_mul(TDMREP)?);
        let site = index_of(number_at(section, at, INDEX_ENTRY)?);
        Some((SiteId(site), index_of(number_at(section, at + INDEX_ENTRY, INDEX_ENTRY)?)))
    }

    /// The position of the versions of a site's tdmrep.json, if it has one.
    fn find_tdmrep(&self, site: SiteId) -> Option<usize> {
        let (mut low, mut high) = (0, self.tdmrep_count());
        while low < high {
            let middle = low.midpoint(high);
            let (found, position) = self.tdmrep(middle)?;
            match found.0.cmp(&site.0) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(position),
            }
        }
        None
    }

    /// The compiled policy of the newest tdmrep.json of a site, if it has one.
    pub(crate) fn newest_tdmrep(&self, site: SiteId) -> Option<u32> {
        let (position, width) = (self.find_tdmrep(site)?, self.layout.compiled_policy_width);
        u32::try_from(number_at(self.bytes(), self.layout.mining.start + position, width)?).ok()
    }

    /// Adds the versions of a site's tdmrep.json, the oldest first; `None` when it has none.
    pub(super) fn read_tdmreps(&self, site: SiteId, out: &mut Versions) -> Option<()> {
        self.read_tdmreps_at(self.find_tdmrep(site)?, out).map(|_| ())
    }

    /// Adds the versions at this position of the section `mining`, and returns where they end; `None` when the bytes
    /// are damaged.
    pub(super) fn read_tdmreps_at(&self, position: usize, out: &mut Versions) -> Option<usize> {
        out.read(self.section(&self.layout.mining), position, self.layout.compiled_policy_width)
    }

    fn body_bytes(&self) -> usize {
        DIGEST + self.layout.columns * self.layout.compiled_policy_width
    }

    pub(super) fn bodies_are_whole(&self) -> bool {
        (self.layout.bodies.len() - PADDING).is_multiple_of(self.body_bytes())
    }

    pub(super) fn body_count(&self) -> usize {
        (self.layout.bodies.len() - PADDING) / self.body_bytes()
    }

    /// The digest of a body, and the policies compiled from it; `None` when the bytes are damaged.
    pub(super) fn body(&self, number: usize) -> Option<(Digest, Vec<u32>)> {
        let (bodies, width) = (self.section(&self.layout.bodies), self.layout.compiled_policy_width);
        let at = number.checked_mul(self.body_bytes())?;
        let digest = *bodies.get(at..)?.first_chunk()?;
        let column = |column| u32::try_from(number_at(bodies, at + DIGEST + column * width, width)?).ok();
        Some((digest, (0..self.layout.columns).map(column).collect::<Option<_>>()?))
    }
}

#[cfg(feature = "mmap")]
impl super::PolicyStore {
    /// Maps the bundle at `path` into memory and verifies all of it, like [`PolicyStore::open_as`](Self::open_as) without
    /// the copy. This is for bundles that are larger than the memory, and for files that only this process knows.
    ///
    /// # Errors
    /// Those of [`PolicyStore::open_as`](Self::open_as).
    ///
    /// # Safety
    /// The file must not be changed or truncated while the store exists, by this process or any other. To replace it by
    /// renaming another file is safe. A store trusts the bytes that it has verified: after a change, checks may give
    /// wrong answers, panic or not end. After a truncation, the operating system ends the process (SIGBUS).
    #[expect(unsafe_code, reason = "a mapped file can change")]
    pub unsafe fn map(path: &Path, shard: Option<ShardNumber>) -> Result<Self, OpenError> {
        let file = std::fs::File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory).into());
        }
        if metadata.len() == 0 {
            return Err(CorruptBundleError::expected(validate::EXPECTED_LABEL).into());
        }
        // SAFETY: the caller promises that the file does not change.
        let mapped = unsafe { memmap2::Mmap::map(&file)? };
        let (image, kind) = Image::new(mapped.into())?;
        validate::whole(&image)?;
        super::PolicyStore { image, kind }.require_shard(shard)
    }
}

/// A site's text in the form of the store: two bits encode the prefix of nearly all sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SiteName<'s> {
    prefix: u32,
    rest: &'s [u8],
}

impl<'s> SiteName<'s> {
    #[inline]
    pub(super) fn new(site: &'s [u8]) -> Self {
        let (secure, rest) = match site.strip_prefix(b"https://") {
            Some(rest) => (2, rest),
            // A site without an explicit scheme in the rest is http if it is not https.
            None => (0, site.strip_prefix(b"http://").unwrap_or(site)),
        };
        match rest.strip_prefix(b"www.") {
            Some(rest) => SiteName { prefix: secure | 1, rest },
            None => SiteName { prefix: secure, rest },
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        write_varint(self.head(), out);
        out.extend_from_slice(self.rest);
    }

    pub(super) fn written_bytes(&self) -> usize {
        varint_bytes(self.head()) + self.rest.len()
    }

    /// The name at `place` in `sites`, and its end; `None` when the bytes are damaged.
    fn read(sites: &'s [u8], place: usize) -> Option<(Self, usize)> {
        let mut at = place;
        let head = read_varint(sites, &mut at)?;
        let end = at.checked_add(index_of(head >> 2))?;
        let prefix = u32::try_from(head & 3).ok()?;
        Some((SiteName { prefix, rest: sites.get(at..end)? }, end))
    }

    /// Appends the text of the site.
    pub(super) fn push_text(&self, out: &mut Vec<u8>) {
        // A search for one byte takes less time, and finds nothing in nearly all names.
        let has_scheme = self.rest.contains(&b'/') && memchr::memmem::find(self.rest, b"://").is_some();
        if !has_scheme {
            out.extend_from_slice(if self.prefix & 2 > 0 { b"https://" } else { b"http://" });
        }
        if self.prefix & 1 > 0 {
            out.extend_from_slice(b"www.");
        }
        out.extend_from_slice(self.rest);
    }

    /// The text of the site, `https://example.com`.
    pub(super) fn text(&self) -> String {
        let mut text = Vec::new();
        self.push_text(&mut text);
        String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// The end of this name, if it is at `place` in `sites`.
    #[inline]
    fn stands_at(&self, sites: &[u8], place: usize) -> Option<usize> {
        let mut at = place;
        let mut number = self.head();
        while number >= 0x80 {
            if *sites.get(at)? != number.to_le_bytes()[0] | 0x80 {
                return None;
            }
            at += 1;
            number >>= 7;
        }
        let (head, name) = sites.get(at..)?.split_first()?;
        let is_here = u64::from(*head) == number && begins_with(name, self.rest);
        is_here.then(|| at + 1 + self.rest.len())
    }

    #[inline]
    fn head(&self) -> u64 {
        (self.rest.len() as u64) << 2 | u64::from(self.prefix)
    }
}

#[inline]
pub(super) fn hash_of(site: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(site, seed)
}

/// The first slot for a hash: proportional to the hash, so that slots can be filled in the order of the hashes.
#[inline]
pub(super) fn home_of(hash: u64, homes: usize) -> usize {
    index_of(((u128::from(hash) * homes as u128) >> 64) as u64)
}

/// The slot of a site whose text is at `place`.
pub(super) fn slot_of(hash: u64, place: u64) -> u64 {
    (place + 1) << 8 | hash & 0xFF
}

/// The number of `width` bytes (at most eight) at offset `at` of a padded section.
#[inline]
pub(super) fn number_at(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let item = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*item) & u64::MAX >> (64 - 8 * width))
}

/// An offset as an index. Offsets outside the bytes are rejected where they are used.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "slices reject indices outside them")]
pub(super) const fn index_of(offset: u64) -> usize {
    offset as usize
}
