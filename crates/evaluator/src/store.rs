//! The store of many sites' policies: one immutable sequence of bytes.

mod build;
mod contests;
mod damage;
mod fingerprint;
mod image;
mod merge;
mod pairs;
mod read;
mod run;
mod shard_files;
mod threads;
mod validate;
mod versions;
mod write;

use std::fmt;
use std::path::Path;

use robomata_automaton::{PreparedProgram, ProgramRef, ProgramRule};
use robomata_permissions::{UsageQuery, is_statement_program};
use robomata_policy::Schedule;
use robomata_protocol::semantics::SeveralNames;
use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome};

use crate::check::Checker;
use crate::group_table::{self, GroupProgram, Names, is_group_table};
use crate::history::{AtVersion, HistoryChecker};
use crate::policy_set::Stores;
use crate::schedules;
use crate::site::Site;
use crate::site_policy::{CompiledPolicy, WithTdmRep};

pub use build::{History, StoreBuilder, StoreKind};
pub use contests::Contests;
pub use damage::{CorruptBundleError, OpenError};
pub use fingerprint::{Fingerprint, ParseFingerprintError};
use image::Image;
pub(crate) use image::{LABEL, SiteId, SiteKey, StoredPolicy};
pub use merge::{KnownBodies, MergeError, Shards, SiteEntry, SitePlace, merge, shard_of};
pub use pairs::{CompiledPolicyId, SitePair, StoreView, ViewedSite};
pub use run::{DIGEST, Digest};
pub use shard_files::{ManifestError, ShardFiles, ShardManifest, ShardNumber};
use versions::Versions;
pub use versions::retain_conclusions;
pub(crate) use versions::{read_varint, write_varint};
pub use write::BundleSummary;

/// Policies of many sites for some crawlers in one dialect. It is immutable, and threads can share it.
pub struct PolicyStore {
    image: Image,
    kind: StoreKind,
}

/// The crawlers that a store answers for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// These crawlers; at least one.
    Crawlers(Vec<Crawler>),
    /// Every crawler: all groups of all files are compiled.
    Everyone,
}

impl From<Vec<Crawler>> for Audience {
    fn from(crawlers: Vec<Crawler>) -> Self {
        Audience::Crawlers(crawlers)
    }
}

impl Audience {
    /// The number of compiled policies per site.
    pub(crate) fn columns(&self) -> usize {
        match self {
            Audience::Crawlers(crawlers) => crawlers.len(),
            Audience::Everyone => 1,
        }
    }
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Audience::Everyone => f.write_str("every crawler"),
            Audience::Crawlers(crawlers) => {
                for (index, crawler) in crawlers.iter().enumerate() {
                    write!(f, "{}'{crawler}'", if index > 0 { ", " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

/// A crawler's slot in a store.
#[derive(Clone, Debug)]
pub(crate) struct CrawlerSlot {
    /// The index of the site's compiled policy for this crawler.
    pub(crate) column: usize,
    /// The crawler's names, for a store for every crawler.
    names: Names,
}

/// The size of a store by section, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct StoreParts {
    /// The hash table of sites.
    pub slots: usize,
    /// The sites' names and compiled policies.
    pub sites: usize,
    /// The offsets of the programs.
    pub index: usize,
    /// The programs.
    pub programs: usize,
    /// What sites say about how often and when to visit.
    pub schedules: usize,
    /// What the tdmrep.json of each site says.
    pub tdmreps: usize,
    /// The digests of bodies, and the policies compiled from them.
    pub bodies: usize,
}

/// The store cannot answer this query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsupportedQueryError {
    /// The store has no programs for this crawler.
    Crawler {
        /// The requested crawler.
        asked: Crawler,
        /// The crawlers in the store.
        held: Vec<Crawler>,
    },
    /// The store is for every crawler, but its dialect allows only crawlers with one name: Google's library merges the
    /// groups of all names.
    SeveralNames {
        /// The requested crawler.
        asked: Crawler,
        /// The dialect.
        dialect: Dialect,
    },
    /// The store was compiled for another usage or purpose.
    UsageQuery {
        /// The requested usage and purpose.
        asked: UsageQuery,
        /// The usage and purpose of the store.
        held: UsageQuery,
    },
    /// The store was compiled in another dialect.
    Dialect {
        /// The requested dialect.
        asked: Dialect,
        /// The dialect of the store.
        held: Dialect,
    },
}

impl fmt::Display for UnsupportedQueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnsupportedQueryError::Crawler { asked, held } => {
                write!(f, "the policies hold no crawler '{asked}': they were compiled for")?;
                for (index, crawler) in held.iter().enumerate() {
                    write!(f, "{} '{crawler}'", if index > 0 { "," } else { "" })?;
                }
                Ok(())
            }
            UnsupportedQueryError::SeveralNames { asked, dialect } => write!(
                f,
                "'{asked}' has several names: expected one, because the policies are for every crawler and dialect \
                 '{dialect}' merges the groups of all names"
            ),
            UnsupportedQueryError::UsageQuery { asked, held } => {
                write!(f, "the policies do not answer about {asked}: they were compiled for {held}")
            }
            UnsupportedQueryError::Dialect { asked, held } => {
                write!(f, "the policies are not of dialect '{asked}': they were compiled in '{held}'")
            }
        }
    }
}

impl std::error::Error for UnsupportedQueryError {}

impl PolicyStore {
    /// Reads the bundle at `path` into memory and verifies all of it, on all cores: its checksums, and that every
    /// program, site, version and body can be used safely. Later changes of the file have no effect on the store.
    ///
    /// # Errors
    /// When the file cannot be read, when there is not enough memory for it, or when it is not a valid bundle; the error
    /// then names what was expected. Also when it is one shard of a bundle.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        PolicyStore::open_as(path, None)
    }

    /// Like [`PolicyStore::open`], but opens this shard of a bundle, if one is given.
    ///
    /// # Errors
    /// Those of [`PolicyStore::open`], and when the file is another shard, or an undivided bundle.
    pub fn open_as(path: &Path, shard: Option<ShardNumber>) -> Result<Self, OpenError> {
        PolicyStore::open_unless_known(path, shard, |_| false)
    }

    /// Like [`PolicyStore::open_as`], but the structure is not validated if `is_known` says of the fingerprint that it
    /// was before.
    pub(crate) fn open_unless_known(
        path: &Path,
        shard: Option<ShardNumber>,
        is_known: impl FnOnce(Fingerprint) -> bool,
    ) -> Result<Self, OpenError> {
        let (image, kind) = Image::read(path)?;
        if !is_known(image.fingerprint()) {
            validate::structure(&image)?;
        }
        PolicyStore { image, kind }.require_shard(shard)
    }

    /// Checks that the store is this shard, or else undivided. An undivided store is the only shard of one.
    fn require_shard(self, expected: Option<ShardNumber>) -> Result<Self, OpenError> {
        match (self.shard(), expected) {
            (found, expected) if found == expected => Ok(self),
            (None, Some(ShardNumber { count: 1, .. })) => Ok(self),
            (Some(found), None) => Err(OpenError::Shard(found)),
            _ => Err(CorruptBundleError::expected("the shard that its name says").into()),
        }
    }

    /// The store in `bytes`, after complete verification.
    ///
    /// # Errors
    /// When the bytes are not a valid bundle, or one shard of a bundle.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, CorruptBundleError> {
        let (image, kind) = Image::owned(bytes)?;
        damage::ensure(image.layout().shard.is_none(), "all sites of a bundle, not one of its shards")?;
        validate::whole(&image)?;
        Ok(PolicyStore { image, kind })
    }

    /// The store in bytes that were just written.
    fn from_trusted(bytes: Vec<u8>) -> Result<Self, CorruptBundleError> {
        let (image, kind) = Image::owned(bytes)?;
        debug_assert_eq!(validate::whole(&image), Ok(()));
        Ok(PolicyStore { image, kind })
    }

    /// The store's bytes with an invalid program, and right checksums.
    #[cfg(test)]
    pub(crate) fn with_forged_program(&self) -> Vec<u8> {
        let mut bytes = self.bytes().to_vec();
        bytes[self.image.layout().programs.start] ^= 0xFF;
        let end = bytes.len() - image::CHECKSUM;
        let mut sum = validate::Sum::default();
        sum.add(&bytes[image::HEADER..end]);
        bytes[end..].copy_from_slice(&sum.finish().to_le_bytes());
        bytes
    }

    /// The store's bytes: the contents of a bundle file.
    pub fn bytes(&self) -> &[u8] {
        self.image.bytes()
    }

    /// Identity of the store's contents, read in constant time.
    pub fn fingerprint(&self) -> Fingerprint {
        self.image.fingerprint()
    }

    /// Which shard of a bundle it is; `None` if it is undivided.
    pub fn shard(&self) -> Option<ShardNumber> {
        self.image.layout().shard
    }

    /// The dialect, audience and usage of the store.
    pub fn kind(&self) -> &StoreKind {
        &self.kind
    }

    /// The dialect of its policies.
    pub fn dialect(&self) -> Dialect {
        self.kind.dialect
    }

    /// The usages it answers about: crawl, or crawl together with another usage.
    pub fn usage_query(&self) -> &UsageQuery {
        &self.kind.usage_query
    }

    /// The crawlers it answers for.
    pub fn audience(&self) -> &Audience {
        &self.kind.audience
    }

    /// Whether the store has an entry for `site`.
    pub fn holds(&self, site: &Site<'_>) -> bool {
        self.find(site.as_bytes()).is_some()
    }

    /// The number of sites.
    pub fn site_count(&self) -> usize {
        self.image.site_count()
    }

    /// The number of different programs.
    pub fn program_count(&self) -> usize {
        self.image.program_count()
    }

    /// The size of all programs in bytes.
    pub fn program_bytes(&self) -> usize {
        self.image.program_bytes()
    }

    /// The size of the sections in bytes.
    pub fn parts(&self) -> StoreParts {
        let layout = self.image.layout();
        StoreParts {
            slots: layout.slots.len(),
            sites: layout.sites.len(),
            index: layout.index.len(),
            programs: layout.programs.len(),
            schedules: layout.scheduled.len() + layout.schedules.len(),
            tdmreps: layout.tdmreps.len() + layout.mining.len(),
            bodies: layout.bodies.len(),
        }
    }

    /// A checker for `crawler`.
    ///
    /// # Errors
    /// When the store has no programs for it.
    pub fn checker(&self, crawler: &Crawler) -> Result<Checker<'_>, UnsupportedQueryError> {
        self.checker_for(std::slice::from_ref(crawler))
    }

    /// A checker for several crawlers at once; its answers are in the order of `crawlers`. Each URL is split and
    /// normalized once, its site is looked up once, and crawlers with the same rules share a walk.
    ///
    /// # Errors
    /// When the store has no programs for one of them.
    pub fn checker_for(&self, crawlers: &[Crawler]) -> Result<Checker<'_>, UnsupportedQueryError> {
        Checker::new(self, self, crawlers)
    }

    /// A checker for `crawler` that uses earlier versions of the sites' policies.
    ///
    /// # Errors
    /// When the store has no programs for it.
    pub fn history_checker(&self, crawler: &Crawler) -> Result<HistoryChecker<'_>, UnsupportedQueryError> {
        Ok(Checker::with(self, self.dialect(), AtVersion::new(self.slot_of(crawler)?)))
    }

    /// The answers for `urls`: see [`Stores::check_batch`].
    ///
    /// # Errors
    /// When the store has no programs for `crawler`.
    pub fn check_batch<U: AsRef<[u8]> + Sync>(
        &self,
        crawler: &Crawler,
        urls: &[U],
    ) -> Result<Vec<Answer>, UnsupportedQueryError> {
        Stores::from(self).check_batch(crawler, urls)
    }

    /// Checks that the store has this dialect.
    ///
    /// # Errors
    /// When it was compiled in another dialect.
    pub fn require_dialect(&self, asked: Dialect) -> Result<(), UnsupportedQueryError> {
        let held = self.dialect();
        if asked == held { Ok(()) } else { Err(UnsupportedQueryError::Dialect { asked, held }) }
    }

    /// Checks that the store answers about this usage and purpose.
    ///
    /// # Errors
    /// When it was compiled for another usage or purpose.
    pub fn require_usage_query(&self, asked: &UsageQuery) -> Result<(), UnsupportedQueryError> {
        if asked == self.usage_query() {
            return Ok(());
        }
        Err(UnsupportedQueryError::UsageQuery { asked: asked.clone(), held: self.usage_query().clone() })
    }

    pub(crate) fn slots_of(&self, crawlers: &[Crawler]) -> Result<Vec<CrawlerSlot>, UnsupportedQueryError> {
        crawlers.iter().map(|crawler| self.slot_of(crawler)).collect()
    }

    pub(crate) fn slot_of(&self, crawler: &Crawler) -> Result<CrawlerSlot, UnsupportedQueryError> {
        self.find_slot(crawler).ok_or_else(|| match self.audience() {
            Audience::Crawlers(held) => {
                UnsupportedQueryError::Crawler { asked: crawler.clone(), held: held.clone() }
            }
            Audience::Everyone => {
                UnsupportedQueryError::SeveralNames { asked: crawler.clone(), dialect: self.dialect() }
            }
        })
    }

    /// Like [`PolicyStore::slot_of`], without the error, which copies all crawlers.
    pub(crate) fn find_slot(&self, crawler: &Crawler) -> Option<CrawlerSlot> {
        let merges_names = self.dialect().semantics().several_names == SeveralNames::Merged;
        let (column, names) = match self.audience() {
            Audience::Crawlers(held) => {
                (held.iter().position(|held| held.is_called(crawler))?, Names::default())
            }
            Audience::Everyone if merges_names && crawler.tokens().len() > 1 => return None,
            Audience::Everyone => (0, Names::of(crawler, self.dialect())),
        };
        Some(CrawlerSlot { column, names })
    }

    #[inline]
    pub(crate) fn find(&self, site: &[u8]) -> Option<SiteId> {
        self.image.find(site, self.image.key(site))
    }

    /// The image, for callers that run the stages of several look-ups together.
    #[inline]
    pub(crate) fn image(&self) -> &Image {
        &self.image
    }

    #[inline]
    pub(crate) fn compiled_policy(&self, site: SiteId, slot: &CrawlerSlot) -> CompiledPolicy<'_> {
        let mut policy = CompiledPolicy::UNKNOWN;
        self.prepare_site(site, self.image.stored_policy(self.policy_number(site, slot)), slot, &mut policy);
        policy
    }

    /// Replaces `policy` by that of a site, whose robots.txt has the policy `stored`.
    #[inline]
    pub(crate) fn prepare_site<'s>(
        &'s self,
        site: SiteId,
        stored: StoredPolicy<'s>,
        slot: &CrawlerSlot,
        policy: &mut CompiledPolicy<'s>,
    ) {
        self.prepare(stored, slot, policy);
        // Nearly all stores have none.
        if self.image.has_tdmreps()
            && let Some(tdmrep) = self.image.newest_tdmrep(site)
            && let Some(both) = WithTdmRep::new(stored, self.image.stored_policy(tdmrep))
        {
            *policy = CompiledPolicy::WithTdmRep(both);
        }
    }

    /// The compiled policy with this number in the store.
    #[inline]
    pub(crate) fn numbered_compiled_policy(&self, number: u32, slot: &CrawlerSlot) -> CompiledPolicy<'_> {
        let mut policy = CompiledPolicy::UNKNOWN;
        self.prepare(self.image.stored_policy(number), slot, &mut policy);
        policy
    }

    /// The number of a site's policy for a crawler.
    #[inline]
    pub(crate) fn policy_number(&self, site: SiteId, slot: &CrawlerSlot) -> u32 {
        // Verified stores have all policies.
        self.image.compiled_policy(site, slot.column).unwrap_or(image::UNKNOWN)
    }

    /// Replaces `policy` by a stored policy, ready for walks. A policy is large: it is made in its place, not moved
    /// there.
    #[inline]
    pub(crate) fn prepare<'s>(
        &'s self,
        stored: StoredPolicy<'s>,
        slot: &CrawlerSlot,
        policy: &mut CompiledPolicy<'s>,
    ) {
        match PreparedProgram::find(stored.program) {
            Some(program) => *policy = CompiledPolicy::Rules(program),
            None => *policy = self.without_rules(stored, slot),
        }
    }

    /// A stored policy that is not a program of rules.
    fn without_rules<'s>(&'s self, stored: StoredPolicy<'s>, slot: &CrawlerSlot) -> CompiledPolicy<'s> {
        match is_group_table(stored.program()) {
            true => self.choose(stored.program(), slot).unwrap_or(CompiledPolicy::UNKNOWN),
            false => CompiledPolicy::of_stored(stored),
        }
    }

    /// The policy with this number, together with the tdmrep.json with the number `tdmrep`.
    pub(crate) fn with_tdmrep(&self, number: u32, tdmrep: u32, slot: &CrawlerSlot) -> CompiledPolicy<'_> {
        let [robots, tdmrep] = [number, tdmrep].map(|number| self.image.stored_policy(number));
        WithTdmRep::new(robots, tdmrep)
            .map_or_else(|| self.numbered_compiled_policy(number, slot), CompiledPolicy::WithTdmRep)
    }

    fn choose<'s>(&'s self, group_table: &'s [u8], slot: &CrawlerSlot) -> Option<CompiledPolicy<'s>> {
        Some(match group_table::choose(group_table, &slot.names)? {
            GroupProgram::Program(program) => CompiledPolicy::Rules(program.prepare()),
            GroupProgram::Selected(rules) => CompiledPolicy::Selected(rules),
        })
    }

    /// What a compiled policy says to a crawler about how often and when to visit.
    pub(crate) fn schedule(&self, compiled_policy: u32, slot: &CrawlerSlot) -> Schedule {
        // Verified stores have complete schedules.
        schedules::choose(self.image.schedule_of(compiled_policy), &slot.names).unwrap_or_default()
    }

    /// Whether crawlers with the same compiled policy can get different answers.
    pub(crate) fn distinguishes_crawlers(&self) -> bool {
        *self.audience() == Audience::Everyone
    }

    /// The versions of a site for one column, the oldest first: the times of the first and last capture, and the
    /// compiled policy.
    pub(crate) fn versions_of(&self, site: SiteId, column: usize) -> SiteVersions {
        let mut versions = Versions::new(self.audience().columns());
        if self.image.read_versions(site, &mut versions).is_none() {
            return SiteVersions::default();
        }
        versions.of_column(column)
    }

    /// The number of sites with a tdmrep.json.
    pub fn tdmrep_count(&self) -> usize {
        self.image.tdmrep_count()
    }

    /// The versions of a site's tdmrep.json, the oldest first, as in [`PolicyStore::versions_of`].
    pub(crate) fn tdmreps_of(&self, site: SiteId) -> SiteVersions {
        let mut versions = Versions::new(1);
        if self.image.has_tdmreps() {
            let _ = self.image.read_tdmreps(site, &mut versions);
        }
        versions.of_column(0)
    }

    /// The address of the program of a compiled policy for a crawler. Crawlers with the same address have the same
    /// rules. `None` if it has no program.
    pub(crate) fn program_address(&self, compiled_policy: u32, slot: &CrawlerSlot) -> Option<ProgramAddress> {
        let bytes = self.image.program(compiled_policy.checked_sub(image::FIRST_PROGRAM)?)?;
        let item = match is_group_table(bytes) {
            true => group_table::choose_item(bytes, &slot.names)?,
            false => bytes,
        };
        Some([bytes.as_ptr().addr(), item.as_ptr().addr(), item.len()])
    }

    /// The rules of the program of a compiled policy. `None` if it has no program, or if its program contains more
    /// than rules.
    pub(crate) fn rules(&self, compiled_policy: u32, slot: &CrawlerSlot) -> Option<Vec<ProgramRule>> {
        let bytes = self.image.program(compiled_policy.checked_sub(image::FIRST_PROGRAM)?)?;
        let rules = |program: ProgramRef<'_>| program.rules(self.dialect()).ok();
        if is_statement_program(bytes) {
            return None;
        }
        if !is_group_table(bytes) {
            return rules(ProgramRef::from_raw(bytes));
        }
        match group_table::choose(bytes, &slot.names)? {
            GroupProgram::Program(program) => rules(program),
            GroupProgram::Selected(selected) => rules(selected.program(self.dialect()).ok()?.as_ref()),
        }
    }
}

/// Where a program is in memory: the address of the compiled policy, and the address and length of the part that
/// applies to the crawler.
pub(crate) type ProgramAddress = [usize; 3];

/// Versions of a site: the times of the first and last capture, in seconds since 1970 (0: unknown), and the compiled
/// policy.
pub(crate) type SiteVersions = Vec<((i64, i64), u32)>;

/// The outcome of the fetch that a compiled policy comes from.
pub(crate) fn outcome_of(compiled_policy: u32) -> FetchOutcome {
    match compiled_policy {
        image::UNAVAILABLE => FetchOutcome::Unavailable,
        image::UNREACHABLE => FetchOutcome::Unreachable,
        image::RESTRICTED => FetchOutcome::Restricted,
        image::DEFERRED => FetchOutcome::Deferred,
        image::FIRST_PROGRAM.. => FetchOutcome::Success,
        _ => FetchOutcome::Redirected,
    }
}

impl fmt::Debug for PolicyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyStore")
            .field("kind", &self.kind)
            .field("sites", &self.site_count())
            .field("programs", &self.program_count())
            .finish()
    }
}
