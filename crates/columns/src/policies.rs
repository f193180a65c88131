//! Opened bundles.

use std::path::Path;

use robomata::{Answer, FetchOutcome, Fingerprint, Moment, PolicyStore, Site, SiteEntry};

use crate::check::{Query, asked};
use crate::error::ColumnsError;
use crate::file::Opened;
use crate::shards::ShardSet;

/// An opened bundle, or a bundle in shards by host, each of which is opened when a URL of its hosts is first met.
///
/// Its name is that of the file. The name of shards has a `*` where each has its number: `policies-*-of-00016.bundle` (as
/// `robomata shard` writes them). A name may be pinned by the fingerprint of what is expected there, behind a `#`: another
/// bundle is refused then, so that nobody on a cluster answers by yesterday's.
pub struct PolicySet {
    name: String,
    held: Held,
}

/// What is open.
pub(crate) enum Held {
    Whole(Opened),
    Shards(ShardSet),
}

/// A site that policies hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSummary {
    /// The site in normal form, `https://example.com`.
    pub site: String,
    /// What its newest robots.txt came to: the rules speak only after a success.
    pub outcome: FetchOutcome,
    /// When it was first captured; none when nobody knows.
    pub first: Option<Moment>,
    /// When it was last captured; none when nobody knows.
    pub last: Option<Moment>,
    /// How many versions of it are held.
    pub versions: usize,
}

impl PolicySet {
    /// Opens what `name` names. Bundles are mapped, in no time, however large: a program is validated when it is first
    /// used; [`PolicySet::validate`] goes through everything.
    ///
    /// # Errors
    /// When a file cannot be read or is no bundle, or is another one than the name is pinned to; when a name of shards is none,
    /// or their manifest.
    pub fn open(name: &str) -> Result<Self, ColumnsError> {
        let (path, pin) = split_pin(name);
        let held = match ShardSet::named(path)? {
            Some(shards) => Held::Shards(shards),
            None => Held::Whole(Opened::map(Path::new(path))?),
        };
        let policies = PolicySet { name: path.to_owned(), held };
        policies.require(pin)?;
        Ok(policies)
    }

    /// The policies of a store in memory. They have no name.
    pub fn of_store(store: PolicyStore) -> Self {
        PolicySet { name: "policies".to_owned(), held: Held::Whole(Opened::built(store)) }
    }

    /// As they were opened, without a pin.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name, pinned to what was opened, where that has a fingerprint.
    pub fn pinned_name(&self) -> String {
        match self.fingerprint() {
            Some(fingerprint) => format!("{}{PIN}{fingerprint}", self.name),
            None => self.name.clone(),
        }
    }

    /// By which the policies are known: read out of the header, or the manifest of shards; shards without one have none.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match &self.held {
            Held::Whole(Opened { store, .. }) => Some(store.fingerprint()),
            Held::Shards(shards) => shards.fingerprint(),
        }
    }

    /// The answer for one URL.
    ///
    /// # Errors
    /// Those of [`allowed`](crate::allowed).
    pub fn check_url(&self, query: &Query, url: &[u8]) -> Result<Answer, ColumnsError> {
        let Some(store) = self.store_of(url)? else { return Ok(Answer::Invalid) };
        let answer = asked(self, store, query, PolicyStore::checker)?.at(query.now()).check(url);
        self.require_sound()?;
        Ok(answer)
    }

    /// Goes through all bytes, on all threads of rayon's current pool.
    ///
    /// # Errors
    /// When anything is damaged, or a shard cannot be opened.
    pub fn validate(&self) -> Result<(), ColumnsError> {
        let damaged = |damage| ColumnsError::Damaged { name: self.name.clone(), damage };
        self.stores().try_for_each(|store| store?.validate().map_err(damaged))
    }

    /// Do they hold the site of `url`?
    ///
    /// # Errors
    /// Where its shard cannot be opened.
    pub fn holds(&self, url: &[u8]) -> Result<bool, ColumnsError> {
        let (Ok(site), Some(store)) = (Site::of_url(url), self.store_of(url)?) else { return Ok(false) };
        Ok(store.holds(&site))
    }

    /// The store that answers about `url`; none where it has no site and they are in shards.
    fn store_of(&self, url: &[u8]) -> Result<Option<&PolicyStore>, ColumnsError> {
        match &self.held {
            Held::Whole(Opened { store, .. }) => Ok(Some(store)),
            Held::Shards(shards) => {
                let Ok(site) = Site::of_url(url) else { return Ok(None) };
                shards.store(shards.number_of(&site)).map(Some)
            }
        }
    }

    /// How many sites they hold; shards are all opened.
    ///
    /// # Errors
    /// Where a shard cannot be opened.
    pub fn site_count(&self) -> Result<usize, ColumnsError> {
        self.stores().map(|store| Ok(store?.site_count())).sum()
    }

    /// Their sites, in an order that means nothing to people; shards are opened as they are come to.
    pub fn sites(&self) -> impl Iterator<Item = Result<SiteSummary, ColumnsError>> {
        self.stores().flat_map(|store| {
            let (store, error) = match store {
                Ok(store) => (Some(store), None),
                Err(error) => (None, Some(Err(error))),
            };
            error
                .into_iter()
                .chain(store.into_iter().flat_map(PolicyStore::sites).map(|site| Ok(summary(&site))))
        })
    }

    /// The stores; those of shards are opened as they are come to.
    pub fn stores(&self) -> impl Iterator<Item = Result<&PolicyStore, ColumnsError>> {
        let (whole, shards) = match &self.held {
            Held::Whole(Opened { store, .. }) => (Some(Ok(store)), None),
            Held::Shards(shards) => (None, Some(shards.each())),
        };
        whole.into_iter().chain(shards.into_iter().flatten())
    }

    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// Are the files still those that were opened?
    pub(crate) fn is_current(&self) -> bool {
        match &self.held {
            Held::Whole(opened) => opened.is_current(Path::new(&self.name)),
            Held::Shards(shards) => shards.is_current(),
        }
    }

    /// Has any check met damage?
    pub(crate) fn require_sound(&self) -> Result<(), ColumnsError> {
        let damage = match &self.held {
            Held::Whole(Opened { store, .. }) => store.damage(),
            Held::Shards(shards) => shards.opened().find_map(PolicyStore::damage),
        };
        let Some(damage) = damage.cloned() else { return Ok(()) };
        Err(ColumnsError::Damaged { name: self.name.clone(), damage })
    }

    /// Is this what a name was pinned to?
    pub(crate) fn require(&self, pin: Option<Fingerprint>) -> Result<(), ColumnsError> {
        let Some(expected) = pin else { return Ok(()) };
        let name = || self.name.clone();
        match self.fingerprint() {
            Some(found) if found == expected => Ok(()),
            Some(found) => Err(ColumnsError::Stale { name: name(), expected, found }),
            None => Err(ColumnsError::Name {
                name: name(),
                expected: "shards with a manifest, since the name is pinned",
            }),
        }
    }
}

impl std::fmt::Debug for PolicySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PolicySet").field("name", &self.name).finish_non_exhaustive()
    }
}

fn summary(site: &SiteEntry<'_>) -> SiteSummary {
    let versions = site.versions();
    let newest = versions.last();
    SiteSummary {
        site: site.site(),
        outcome: newest.map_or(FetchOutcome::Redirected, |version| version.outcome),
        first: versions.iter().find_map(|version| version.first),
        last: versions.iter().rev().find_map(|version| version.last),
        versions: versions.len(),
    }
}

/// What stands before the fingerprint in a pinned name.
const PIN: char = '#';

/// A name without its pin, and the pin: what stands behind the last `#`, if that is a fingerprint.
pub(crate) fn split_pin(name: &str) -> (&str, Option<Fingerprint>) {
    let pinned = name.rsplit_once(PIN).and_then(|(path, pin)| Some((path, pin.parse().ok()?)));
    pinned.map_or((name, None), |(path, pin)| (path, Some(pin)))
}
