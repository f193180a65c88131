//! Opened bundles.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use robomata::{FetchOutcome, Fingerprint, Moment, PolicyStore, Site, SiteEntry};

use crate::error::ColumnsError;

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
    Whole(PolicyStore),
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
    /// When a file cannot be read or is no bundle, or is another one than the name is pinned to.
    pub fn open(name: &str) -> Result<Self, ColumnsError> {
        let (path, pin) = split_pin(name)?;
        let held = match ShardSet::named(path)? {
            Some(shards) => Held::Shards(shards),
            None => Held::Whole(map(Path::new(path))?),
        };
        let policies = PolicySet { name: path.to_owned(), held };
        match pin {
            Some(expected) => policies.require(expected)?,
            None => {}
        }
        Ok(policies)
    }

    /// The policies of a store in memory. They have no name.
    pub fn of_store(store: PolicyStore) -> Self {
        PolicySet { name: "policies".to_owned(), held: Held::Whole(store) }
    }

    /// As they were opened, without a pin.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name, pinned to what was opened.
    ///
    /// # Errors
    /// Where a shard cannot be opened.
    pub fn pinned_name(&self) -> Result<String, ColumnsError> {
        Ok(format!("{}{PIN}{}", self.name, self.fingerprint()?))
    }

    /// By which the policies are known, out of the headers: those of shards are all opened for that.
    ///
    /// # Errors
    /// Where a shard cannot be opened.
    pub fn fingerprint(&self) -> Result<Fingerprint, ColumnsError> {
        match &self.held {
            Held::Whole(store) => Ok(store.fingerprint()),
            Held::Shards(shards) => {
                let each = shards.each().map(|store| Ok(store?.fingerprint()));
                Ok(Fingerprint::of_all(&each.collect::<Result<Vec<_>, ColumnsError>>()?))
            }
        }
    }

    /// Goes through all octets, on all threads of rayon's current pool.
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
        let Ok(site) = Site::of_url(url) else { return Ok(false) };
        match &self.held {
            Held::Whole(store) => Ok(store.holds(&site)),
            Held::Shards(shards) => Ok(shards.store(site.shard(shards.count()) as usize)?.holds(&site)),
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
            Held::Whole(store) => (Some(Ok(store)), None),
            Held::Shards(shards) => (None, Some(shards.each())),
        };
        whole.into_iter().chain(shards.into_iter().flatten())
    }

    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// Has any check met damage?
    pub(crate) fn require_sound(&self) -> Result<(), ColumnsError> {
        let damage = match &self.held {
            Held::Whole(store) => store.damage(),
            Held::Shards(shards) => shards.opened().find_map(PolicyStore::damage),
        };
        let Some(damage) = damage.cloned() else { return Ok(()) };
        Err(ColumnsError::Damaged { name: self.name.clone(), damage })
    }

    pub(crate) fn require(&self, expected: Fingerprint) -> Result<(), ColumnsError> {
        let found = self.fingerprint()?;
        if found == expected {
            return Ok(());
        }
        Err(ColumnsError::Stale { name: self.name.clone(), expected, found })
    }

    /// The files that have been opened so far.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        match &self.held {
            Held::Whole(_) => vec![PathBuf::from(&self.name)],
            Held::Shards(shards) => shards.opened_files(),
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

/// A name without its pin, and the pin.
pub(crate) fn split_pin(name: &str) -> Result<(&str, Option<Fingerprint>), ColumnsError> {
    let Some((path, pin)) = name.rsplit_once(PIN) else { return Ok((name, None)) };
    let expected = "32 hexadecimal digits behind '#'";
    let pin = pin.parse().map_err(|_| ColumnsError::Name { name: name.to_owned(), expected })?;
    Ok((path, Some(pin)))
}

fn map(path: &Path) -> Result<PolicyStore, ColumnsError> {
    PolicyStore::map(path).map_err(|error| ColumnsError::Open { path: path.display().to_string(), error })
}

/// A bundle in shards.
pub(crate) struct ShardSet {
    /// What stands before the number in a file's name.
    before: String,
    /// And behind.
    behind: String,
    stores: Vec<OnceLock<PolicyStore>>,
}

impl ShardSet {
    /// The shards that `name` names; none when it names one file.
    fn named(name: &str) -> Result<Option<Self>, ColumnsError> {
        let Some((before, behind)) = name.rsplit_once('*') else { return Ok(None) };
        let digits = behind.strip_prefix("-of-").and_then(|rest| rest.split('.').next());
        let count = digits.and_then(|digits| digits.parse::<u32>().ok()).filter(|&count| count > 0);
        let Some(count) = count else {
            let expected = "the number of shards, as in 'policies-*-of-00016.bundle'";
            return Err(ColumnsError::Name { name: name.to_owned(), expected });
        };
        let stores = std::iter::repeat_with(OnceLock::new).take(count as usize).collect();
        Ok(Some(ShardSet { before: before.to_owned(), behind: behind.to_owned(), stores }))
    }

    pub(crate) fn len(&self) -> usize {
        self.stores.len()
    }

    /// As many as [`Site::shard`] divides hosts into.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    /// The store of a shard, opened if it is not open yet. What could not be opened is tried again the next time.
    pub(crate) fn store(&self, number: usize) -> Result<&PolicyStore, ColumnsError> {
        let place = &self.stores[number];
        if let Some(store) = place.get() {
            return Ok(store);
        }
        let store = map(&self.file(number))?;
        Ok(place.get_or_init(|| store))
    }

    fn each(&self) -> impl Iterator<Item = Result<&PolicyStore, ColumnsError>> {
        (0..self.len()).map(|number| self.store(number))
    }

    fn opened(&self) -> impl Iterator<Item = &PolicyStore> {
        self.stores.iter().filter_map(OnceLock::get)
    }

    fn opened_files(&self) -> Vec<PathBuf> {
        (0..self.len())
            .filter(|&number| self.stores[number].get().is_some())
            .map(|number| self.file(number))
            .collect()
    }

    fn file(&self, number: usize) -> PathBuf {
        PathBuf::from(format!("{}{number:05}{}", self.before, self.behind))
    }
}
