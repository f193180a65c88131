//! The store of many sites' policies: one immutable run of octets.

mod build;
mod image;
mod validate;

use std::fmt;
use std::path::Path;

use rayon::prelude::*;
use robomata_automaton::ProgramRef;
use robomata_protocol::{Answer, Crawler, Dialect};

use crate::check::Checker;
use crate::site_policy::Decider;

pub use build::{Recency, StoreBuilder};
pub use image::OpenError;
use image::{Image, Meta};

/// Policies of many sites for some crawlers in one dialect. Immutable, and shareable between threads.
pub struct PolicyStore {
    image: Image,
    dialect: Dialect,
    crawlers: Vec<Crawler>,
}

/// A site's place in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SiteId(pub(crate) u32);

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
            NotHeld::Dialect { asked, held } => {
                write!(f, "the policies are not of dialect '{asked}': they were compiled in '{held}'")
            }
        }
    }
}

impl std::error::Error for NotHeld {}

impl PolicyStore {
    /// Maps the bundle at `path` into memory and validates it whole. The file must not change while it is mapped.
    ///
    /// # Errors
    /// When the file cannot be read, or is no valid bundle: then the error says what was expected.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Image::map(path).map(PolicyStore::new)
    }

    /// The store that `octets` are, validated whole.
    ///
    /// # Errors
    /// When they are no valid bundle.
    pub fn from_octets(octets: Vec<u8>) -> Result<Self, OpenError> {
        Image::owned(octets).map(PolicyStore::new)
    }

    fn new((image, meta): (Image, Meta)) -> Self {
        PolicyStore { image, dialect: meta.dialect, crawlers: meta.crawlers }
    }

    /// The store as octets: what a bundle file holds.
    pub fn octets(&self) -> &[u8] {
        self.image.octets()
    }

    /// The dialect that its policies were read in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
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

    /// A checker for `crawler`.
    ///
    /// # Errors
    /// When the store holds no programs for it.
    pub fn checker(&self, crawler: &Crawler) -> Result<Checker<'_>, NotHeld> {
        Ok(Checker::new(self, self.index_of(crawler)?))
    }

    /// The answer for one URL. Who has many makes a [`Checker`] once.
    ///
    /// # Errors
    /// When the store holds no programs for `crawler`.
    pub fn check(&self, crawler: &Crawler, url: &[u8]) -> Result<Answer, NotHeld> {
        Ok(self.checker(crawler)?.check(url))
    }

    /// The answers for `urls`, in their order, found on all cores of rayon's current pool.
    ///
    /// # Errors
    /// When the store holds no programs for `crawler`.
    pub fn check_batch<U: AsRef<[u8]> + Sync>(
        &self,
        crawler: &Crawler,
        urls: &[U],
    ) -> Result<Vec<Answer>, NotHeld> {
        const URLS_AT_A_TIME: usize = 1024;
        let crawler = self.index_of(crawler)?;
        let mut answers = vec![Answer::Unknown; urls.len()];
        answers.par_chunks_mut(URLS_AT_A_TIME).zip(urls.par_chunks(URLS_AT_A_TIME)).for_each_init(
            || Checker::new(self, crawler),
            |checker, (answers, urls)| {
                for (answer, url) in answers.iter_mut().zip(urls) {
                    *answer = checker.check(url.as_ref());
                }
            },
        );
        Ok(answers)
    }

    /// Is the store of this dialect?
    ///
    /// # Errors
    /// When it was compiled in another one.
    pub fn require_dialect(&self, asked: Dialect) -> Result<(), NotHeld> {
        if asked == self.dialect { Ok(()) } else { Err(NotHeld::Dialect { asked, held: self.dialect }) }
    }

    fn index_of(&self, crawler: &Crawler) -> Result<usize, NotHeld> {
        self.crawlers
            .iter()
            .position(|held| held == crawler)
            .ok_or_else(|| NotHeld::Crawler { asked: crawler.clone(), held: self.crawlers.clone() })
    }

    #[inline]
    pub(crate) fn find(&self, site: &[u8]) -> Option<SiteId> {
        self.image.find(site)
    }

    #[inline]
    pub(crate) fn decider(&self, site: SiteId, crawler: usize) -> Decider<'_> {
        match self.image.decider(site, crawler) {
            image::UNKNOWN => Decider::Unknown,
            image::UNAVAILABLE => Decider::Unavailable,
            image::UNREACHABLE => Decider::Unreachable,
            program => {
                let octets = self.image.program(program - image::FIRST_PROGRAM);
                Decider::Rules(ProgramRef::from_raw(octets).prepare())
            }
        }
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
