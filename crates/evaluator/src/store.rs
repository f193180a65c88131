//! The store of many sites' policies: one immutable run of octets.

mod build;
mod damage;
mod image;
mod ledger;
mod validate;

use std::fmt;
use std::path::Path;

use robomata_automaton::{ProgramRef, ProgramRule, Validator};
use robomata_protocol::{Answer, Crawler, Dialect};

use crate::check::{Checker, CrowdChecker};
use crate::site_policy::Decider;
use crate::usage::{Aim, UsageProgramRef, is_usage_program};

pub use build::{Recency, StoreBuilder};
pub use damage::{Damage, OpenError};
use image::{Image, Meta};
pub(crate) use image::{SiteId, SiteKey};
use ledger::Ledger;

/// Policies of many sites for some crawlers in one dialect. Immutable, and shareable between threads.
pub struct PolicyStore {
    image: Image,
    ledger: Ledger,
    dialect: Dialect,
    aim: Aim,
    crawlers: Vec<Crawler>,
}

/// Octets of a store by what they are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreParts {
    /// The look-up of sites.
    pub slots: usize,
    /// The sites' names, and what decides for them.
    pub sites: usize,
    /// Where programs lie.
    pub index: usize,
    /// The programs.
    pub programs: usize,
}

/// The store does not hold what was asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotHeld {
    /// No program of this crawler is in the store.
    Crawler {
        /// Who was asked for.
        asked: Crawler,
        /// Whom it holds.
        held: Vec<Crawler>,
    },
    /// The store was compiled for another usage or purpose.
    Aim {
        /// What was asked for.
        asked: Aim,
        /// What it holds.
        held: Aim,
    },
    /// The store was compiled in another dialect.
    Dialect {
        /// What was asked for.
        asked: Dialect,
        /// What it holds.
        held: Dialect,
    },
}

impl fmt::Display for NotHeld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotHeld::Crawler { asked, held } => {
                write!(f, "the policies hold no crawler '{asked}': they were compiled for")?;
                for (index, crawler) in held.iter().enumerate() {
                    write!(f, "{} '{crawler}'", if index > 0 { "," } else { "" })?;
                }
                Ok(())
            }
            NotHeld::Aim { asked, held } => {
                write!(f, "the policies do not answer about {asked}: they were compiled for {held}")
            }
            NotHeld::Dialect { asked, held } => {
                write!(f, "the policies are not of dialect '{asked}': they were compiled in '{held}'")
            }
        }
    }
}

impl std::error::Error for NotHeld {}

impl PolicyStore {
    /// Maps the bundle at `path` into memory and validates it whole, on all threads of rayon's current pool. The file must
    /// not change while it is mapped.
    ///
    /// # Errors
    /// When the file cannot be read, or is no valid bundle: then the error says what was expected.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let store = PolicyStore::map(path)?;
        store.validate()?;
        Ok(store)
    }

    /// Maps the bundle at `path` into memory and validates its header only, in no time, however large it is: for who
    /// wants answers at once. Programs are validated when they are first used. Where one is damaged the answer is
    /// `unknown`, and [`PolicyStore::damage`] tells; damage that leaves a program whole is found by
    /// [`PolicyStore::validate`] alone, so answers are to be relied upon when that has found none. The file must not
    /// change while it is mapped.
    ///
    /// # Errors
    /// When the file cannot be read, or its header is not the one of a bundle.
    pub fn map(path: &Path) -> Result<Self, OpenError> {
        Image::map(path).map(PolicyStore::unproven)
    }

    /// The store that `octets` are, validated whole.
    ///
    /// # Errors
    /// When they are no valid bundle.
    pub fn from_octets(octets: Vec<u8>) -> Result<Self, Damage> {
        let store = PolicyStore::from_octets_lazily(octets)?;
        store.validate()?;
        Ok(store)
    }

    /// As [`PolicyStore::map`], for octets in memory.
    ///
    /// # Errors
    /// When their header is not the one of a bundle.
    pub fn from_octets_lazily(octets: Vec<u8>) -> Result<Self, Damage> {
        Image::owned(octets).map(PolicyStore::unproven)
    }

    /// The store that octets are which were just written.
    fn from_trusted(octets: Vec<u8>) -> Result<Self, Damage> {
        let (image, Meta { dialect, aim, crawlers }) = Image::owned(octets)?;
        debug_assert_eq!(validate::whole(&image), Ok(()));
        Ok(PolicyStore { image, ledger: Ledger::whole(), dialect, aim, crawlers })
    }

    fn unproven((image, Meta { dialect, aim, crawlers }): (Image, Meta)) -> Self {
        let ledger = Ledger::new(image.program_count());
        PolicyStore { image, ledger, dialect, aim, crawlers }
    }

    /// Validates everything, on all threads of rayon's current pool; at once when that has been done before. Others may
    /// check URLs meanwhile.
    ///
    /// # Errors
    /// When anything is not as it was written, or could not be used safely.
    pub fn validate(&self) -> Result<(), Damage> {
        if self.ledger.damage().is_none() && !self.ledger.is_whole() {
            match validate::whole(&self.image) {
                Ok(()) => self.ledger.set_whole(),
                Err(damage) => self.ledger.report(damage),
            }
        }
        self.ledger.damage().map_or(Ok(()), |damage| Err(damage.clone()))
    }

    /// Is everything known to be as it was written?
    pub fn is_validated(&self) -> bool {
        self.ledger.is_whole()
    }

    /// The first damage that checks or [`PolicyStore::validate`] have met so far.
    pub fn damage(&self) -> Option<&Damage> {
        self.ledger.damage()
    }

    /// The store as octets: what a bundle file holds.
    pub fn octets(&self) -> &[u8] {
        self.image.octets()
    }

    /// The dialect that its policies were read in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What it answers about: crawl, or crawl together with another usage.
    pub fn aim(&self) -> &Aim {
        &self.aim
    }

    /// The crawlers that it holds programs for.
    pub fn crawlers(&self) -> &[Crawler] {
        &self.crawlers
    }

    /// How many sites have an entry.
    pub fn site_count(&self) -> usize {
        self.image.site_count()
    }

    /// How many different programs there are.
    pub fn program_count(&self) -> usize {
        self.image.program_count()
    }

    /// Octets of all programs together.
    pub fn program_octets(&self) -> usize {
        self.image.program_octets()
    }

    /// Octets by what they are for.
    pub fn parts(&self) -> StoreParts {
        let layout = self.image.layout();
        StoreParts {
            slots: layout.slots.len(),
            sites: layout.sites.len(),
            index: layout.index.len(),
            programs: layout.programs.len(),
        }
    }

    /// A checker for `crawler`.
    ///
    /// # Errors
    /// When the store holds no programs for it.
    pub fn checker(&self, crawler: &Crawler) -> Result<Checker<'_>, NotHeld> {
        Ok(Checker::new(self, self.index_of(crawler)?))
    }

    /// A checker for several crawlers at once; its answers are in the order of `crawlers`.
    ///
    /// # Errors
    /// When the store holds no programs for one of them.
    pub fn crowd_checker(&self, crawlers: &[Crawler]) -> Result<CrowdChecker<'_>, NotHeld> {
        let crawlers = crawlers.iter().map(|crawler| self.index_of(crawler)).collect::<Result<_, _>>()?;
        Ok(CrowdChecker::new(self, crawlers))
    }

    /// The answer for one URL. Who has many makes a [`Checker`] once.
    ///
    /// # Errors
    /// When the store holds no programs for `crawler`.
    pub fn check(&self, crawler: &Crawler, url: &[u8]) -> Result<Answer, NotHeld> {
        Ok(self.checker(crawler)?.check(url))
    }

    /// The answers for `urls`, in their order, found on all cores of rayon's current pool. Where sites come in no order it
    /// is much faster than a [`Checker`]: it has many look-ups in flight at once.
    ///
    /// # Errors
    /// When the store holds no programs for `crawler`.
    pub fn check_batch<U: AsRef<[u8]> + Sync>(
        &self,
        crawler: &Crawler,
        urls: &[U],
    ) -> Result<Vec<Answer>, NotHeld> {
        let crawler = self.index_of(crawler)?;
        Ok(crate::batch::check_all(self, crawler, urls))
    }

    /// Is the store of this dialect?
    ///
    /// # Errors
    /// When it was compiled in another one.
    pub fn require_dialect(&self, asked: Dialect) -> Result<(), NotHeld> {
        if asked == self.dialect { Ok(()) } else { Err(NotHeld::Dialect { asked, held: self.dialect }) }
    }

    /// Does the store answer about this?
    ///
    /// # Errors
    /// When it was compiled for another usage or purpose.
    pub fn require_aim(&self, asked: &Aim) -> Result<(), NotHeld> {
        if *asked == self.aim {
            return Ok(());
        }
        Err(NotHeld::Aim { asked: asked.clone(), held: self.aim.clone() })
    }

    fn index_of(&self, crawler: &Crawler) -> Result<usize, NotHeld> {
        self.crawlers
            .iter()
            .position(|held| held == crawler)
            .ok_or_else(|| NotHeld::Crawler { asked: crawler.clone(), held: self.crawlers.clone() })
    }

    #[inline]
    pub(crate) fn find(&self, site: &[u8]) -> Option<SiteId> {
        self.image.find(site, self.image.key(site))
    }

    /// The stages of a look-up, for who has several in flight.
    #[inline]
    pub(crate) fn image(&self) -> &Image {
        &self.image
    }

    #[inline]
    pub(crate) fn decider(&self, site: SiteId, crawler: usize) -> Decider<'_> {
        match self.image.decider(site, crawler) {
            Some(image::UNKNOWN) => Decider::Unknown,
            Some(image::UNAVAILABLE) => Decider::Unavailable,
            Some(image::UNREACHABLE) => Decider::Unreachable,
            Some(image::RESTRICTED) => Decider::Restricted,
            Some(image::DEFERRED) => Decider::Deferred,
            Some(program @ image::FIRST_PROGRAM..) => {
                self.program(program - image::FIRST_PROGRAM).unwrap_or(Decider::Unknown)
            }
            Some(_) | None => self.missing(),
        }
    }

    #[inline]
    fn program(&self, number: u32) -> Option<Decider<'_>> {
        let Some(octets) = self.image.program(number) else {
            self.ledger.report(Damage::expected("sites whose programs exist"));
            return None;
        };
        let validate = || validate::program_octets(octets, &mut Validator::new());
        let is_sound = self.ledger.is_whole() || self.ledger.is_sound(number as usize, validate);
        if !is_sound {
            return None;
        }
        if is_usage_program(octets) {
            return UsageProgramRef::from_raw(octets).map(Decider::Usages);
        }
        Some(Decider::Rules(ProgramRef::from_raw(octets).prepare()))
    }

    /// The rules of the program that a decider names, which has been walked before; none when it names none, or one of
    /// more than rules.
    pub(crate) fn rules(&self, decider: u32) -> Option<Vec<ProgramRule>> {
        let octets = self.image.program(decider.checked_sub(image::FIRST_PROGRAM)?)?;
        let program = (!is_usage_program(octets)).then(|| ProgramRef::from_raw(octets))?;
        program.rules(self.dialect).ok()
    }

    #[cold]
    fn missing(&self) -> Decider<'_> {
        self.ledger.report(Damage::expected("sites with deciders"));
        Decider::Unknown
    }
}

impl fmt::Debug for PolicyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyStore")
            .field("dialect", &self.dialect)
            .field("crawlers", &self.crawlers)
            .field("sites", &self.site_count())
            .field("programs", &self.program_count())
            .finish()
    }
}
