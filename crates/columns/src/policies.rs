//! Open bundles.

use std::path::Path;

use robomata::{Answer, FetchOutcome, Fingerprint, Moment, PolicyStore, Site, SiteEntry};

use crate::check::{Query, asked};
use crate::error::ColumnsError;
use crate::file::Opened;
use crate::shards::ShardSet;

/// An open bundle in one file or in shards by host. A shard is opened at the first URL of its hosts.
///
/// The name is the file's path. In the name of a sharded bundle, as `robomata shard` writes it, a `*` stands for the
/// shard's number: `policies-*-of-00016.bundle`. A name may be pinned to an expected fingerprint, after a `#`. Opening
/// any other bundle then fails, so no machine of a cluster answers from an outdated one.
pub struct PolicySet {
    name: String,
    held: Held,
}

/// The open bundle.
pub(crate) enum Held {
    Whole(Opened),
    Shards(ShardSet),
}

/// A site with a policy in the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSummary {
    /// The site in normal form: `https://example.com`.
    pub site: String,
    /// The outcome of the newest robots.txt fetch. The rules apply only after a success.
    pub outcome: FetchOutcome,
    /// The time of the first capture; none if unknown.
    pub first: Option<Moment>,
    /// The time of the last capture; none if unknown.
    pub last: Option<Moment>,
    /// The number of stored versions.
    pub versions: usize,
}

impl PolicySet {
    /// Opens the bundle called `name`. Bundles are memory-mapped, so opening takes no time even for large ones. A
    /// site's program is validated at first use; [`PolicySet::validate`] checks everything.
    ///
    /// # Errors
    /// Fails when a file cannot be read, is not a bundle, or does not match the pinned fingerprint. Also fails when a
    /// shard name or a shard manifest is invalid.
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

    /// Wraps the policies of a store in memory. They have no name.
    pub fn of_store(store: PolicyStore) -> Self {
        PolicySet { name: "policies".to_owned(), held: Held::Whole(Opened::built(store)) }
    }

    /// The name that was opened, without the pin.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name, pinned to the open bundle's fingerprint if it has one.
    pub fn pinned_name(&self) -> String {
        match self.fingerprint() {
            Some(fingerprint) => format!("{}{PIN}{fingerprint}", self.name),
            None => self.name.clone(),
        }
    }

    /// The fingerprint of the policies, from the header or from the shard manifest. Shards without a manifest have
    /// none.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match &self.held {
            Held::Whole(Opened { store, .. }) => Some(store.fingerprint()),
            Held::Shards(shards) => shards.fingerprint(),
        }
    }

    /// Checks one URL.
    ///
    /// # Errors
    /// Fails like [`allowed`](crate::allowed).
    pub fn check_url(&self, query: &Query, url: &[u8]) -> Result<Answer, ColumnsError> {
        let Some(store) = self.store_of(url)? else { return Ok(Answer::Invalid) };
        let answer = asked(self, store, query, PolicyStore::checker)?.at(query.now()).check(url);
        self.require_sound()?;
        Ok(answer)
    }

    /// Validates all bytes, on all threads of rayon's current pool.
    ///
    /// # Errors
    /// Fails when anything is corrupt, or when a shard cannot be opened.
    pub fn validate(&self) -> Result<(), ColumnsError> {
        let damaged = |damage| ColumnsError::Damaged { name: self.name.clone(), damage };
        self.stores().try_for_each(|store| store?.validate().map_err(damaged))
    }

    /// Returns whether the policies contain the site of `url`.
    ///
    /// # Errors
    /// Fails when its shard cannot be opened.
    pub fn holds(&self, url: &[u8]) -> Result<bool, ColumnsError> {
        let (Ok(site), Some(store)) = (Site::of_url(url), self.store_of(url)?) else { return Ok(false) };
        Ok(store.holds(&site))
    }

    /// The store for `url`. None if the policies are sharded and `url` has no site.
    fn store_of(&self, url: &[u8]) -> Result<Option<&PolicyStore>, ColumnsError> {
        match &self.held {
            Held::Whole(Opened { store, .. }) => Ok(Some(store)),
            Held::Shards(shards) => {
                let Ok(site) = Site::of_url(url) else { return Ok(None) };
                shards.store(shards.number_of(&site)).map(Some)
            }
        }
    }

    /// The number of sites. Opens all shards.
    ///
    /// # Errors
    /// Fails when a shard cannot be opened.
    pub fn site_count(&self) -> Result<usize, ColumnsError> {
        self.stores().map(|store| Ok(store?.site_count())).sum()
    }

    /// The sites, in an arbitrary order. Opens each shard when the iterator reaches it.
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

    /// The stores. Opens each shard when the iterator reaches it.
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

    /// Returns whether the files are still the ones that were opened.
    pub(crate) fn is_current(&self) -> bool {
        match &self.held {
            Held::Whole(opened) => opened.is_current(Path::new(&self.name)),
            Held::Shards(shards) => shards.is_current(),
        }
    }

    /// Fails if any check found corrupt data.
    pub(crate) fn require_sound(&self) -> Result<(), ColumnsError> {
        let damage = match &self.held {
            Held::Whole(Opened { store, .. }) => store.damage(),
            Held::Shards(shards) => shards.opened().find_map(PolicyStore::damage),
        };
        let Some(damage) = damage.cloned() else { return Ok(()) };
        Err(ColumnsError::Damaged { name: self.name.clone(), damage })
    }

    /// Fails if the policies do not match the pinned fingerprint.
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

/// Separates the name from the fingerprint in a pinned name.
const PIN: char = '#';

/// Splits a name into the name and its pin: the part after the last `#`, if that is a fingerprint.
pub(crate) fn split_pin(name: &str) -> (&str, Option<Fingerprint>) {
    let pinned = name.rsplit_once(PIN).and_then(|(path, pin)| Some((path, pin.parse().ok()?)));
    pinned.map_or((name, None), |(path, pin)| (path, Some(pin)))
}
