//! A bundle as users name it: one file, or shards by host.

mod file;
mod manifest;
mod registry;
mod stores;
mod verified;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fmt, io};

use self::file::Opened;
use self::manifest::Manifest;
pub use self::registry::SharedBundle;
pub use self::stores::Stores;
pub use self::verified::VerifiedBundles;

use crate::check::FindStore;
use crate::site::Site;
use crate::store::{Fingerprint, OpenError, PolicyStore, ShardFiles, StoreKind, shard_of};

/// The policies of many sites: a store in memory, a bundle in one file, or a bundle in shards by host. A shard is
/// opened at the first use of its store.
///
/// The name of a bundle is its path. In the name of a sharded bundle, as `robomata shard` writes it, a `*` stands for
/// the shard's number: `policies-*-of-00016.bundle`. The file of one shard does not open on its own.
/// A name may be pinned to an expected fingerprint, after a `#`.
/// Opening any other bundle then fails, so no machine of a cluster answers from an outdated one.
///
/// ```
/// use robomata_evaluator::PolicySet;
///
/// let error = PolicySet::open("missing.bundle").unwrap_err();
/// assert!(error.to_string().starts_with("missing.bundle: cannot be read"));
/// ```
pub struct PolicySet {
    name: PathBuf,
    /// The only store, or one for each shard.
    stores: Vec<OnceLock<Opened>>,
    /// `None` unless the bundle is sharded.
    shards: Option<ShardSet>,
    /// Whose structure needs no validation.
    verified: Option<VerifiedBundles>,
}

/// The files of a sharded bundle, by its manifest.
pub struct ShardSet {
    files: ShardFiles,
    /// A shard with another fingerprint is refused, so that shards of different builds never mix.
    manifest: Manifest,
    /// What the first opened shard can answer; that of all of them.
    kind: OnceLock<StoreKind>,
}

impl ShardSet {
    /// Reads the manifest of `files`.
    ///
    /// # Errors
    /// When the manifest is missing or invalid.
    pub fn open(files: ShardFiles) -> Result<Self, PolicySetError> {
        let manifest = Manifest::read(&files)?;
        Ok(ShardSet { files, manifest, kind: OnceLock::new() })
    }

    /// The files.
    pub fn files(&self) -> &ShardFiles {
        &self.files
    }

    /// Checks that `store`, which comes from the file of the shard `number`, is that shard of the manifest.
    ///
    /// # Errors
    /// When its fingerprint is another one, or when it answers other queries than the shards before.
    pub fn require(&self, number: u32, store: &PolicyStore) -> Result<(), PolicySetError> {
        let name = self.files.file(number);
        let (expected, found) = (self.manifest.expected(number as usize), store.fingerprint());
        if expected != found {
            return Err(PolicySetError::Stale { name, expected, found });
        }
        if self.kind.get_or_init(|| store.kind().clone()) != store.kind() {
            return Err(PolicySetError::Name {
                name,
                expected: "the dialect, crawlers and usage of the other shards",
            });
        }
        Ok(())
    }
}

/// A bundle could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum PolicySetError {
    /// A file cannot be read, or is not a valid bundle.
    Open {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        error: OpenError,
    },
    /// The manifest of a bundle's shards cannot be read.
    Manifest {
        /// The path of the manifest.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// A bundle does not have the expected fingerprint.
    Stale {
        /// The name of the bundle.
        name: PathBuf,
        /// The expected fingerprint.
        expected: Fingerprint,
        /// The fingerprint found.
        found: Fingerprint,
    },
    /// A file is one shard of a bundle. Opened on its own, it would answer that the sites of all other shards are
    /// unknown.
    Shard {
        /// The path of the file.
        path: PathBuf,
        /// The name of all shards.
        all: PathBuf,
    },
    /// A name cannot be the name of a bundle, or a manifest is invalid.
    Name {
        /// The name.
        name: PathBuf,
        /// What was expected.
        expected: &'static str,
    },
}

impl fmt::Display for PolicySetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicySetError::Open { path, error } => write!(f, "{}: {error}", path.display()),
            PolicySetError::Manifest { path, error } => write!(
                f,
                "{}: the manifest of the shards cannot be read ({error}); `robomata shard` writes it last, so the \
                 shards may be incomplete: shard the bundle again, or copy its manifest",
                path.display()
            ),
            PolicySetError::Stale { name, expected, found } => {
                let name = name.display();
                write!(f, "{name}: another bundle than was asked for: expected {expected}, found {found}")
            }
            PolicySetError::Shard { path, all } => write!(
                f,
                "{}: is one shard of a bundle, and the sites of the other shards would pass as unknown (open all \
                 shards, '{}'; to extend or merge bundles, use the undivided one, or all shards as sources)",
                path.display(),
                all.display()
            ),
            PolicySetError::Name { name, expected } => {
                write!(f, "{}: expected {expected}", name.display())
            }
        }
    }
}

impl std::error::Error for PolicySetError {}

impl PolicySet {
    /// Opens the bundle called `name`.
    ///
    /// # Errors
    /// When a file cannot be read, is not a valid bundle ([`PolicyStore::open`]), or does not match the pinned
    /// fingerprint. Also when a shard name is invalid, when the manifest of shards is missing or invalid, and when the
    /// file is one shard of a bundle.
    pub fn open(name: impl AsRef<Path>) -> Result<Self, PolicySetError> {
        PolicySet::open_unless_verified(name, None)
    }

    /// Like [`PolicySet::open`], but the structure of bundles that `verified` contains is not validated again. Their
    /// checksums are.
    ///
    /// # Errors
    /// Those of [`PolicySet::open`].
    pub fn open_unless_verified(
        name: impl AsRef<Path>,
        verified: Option<VerifiedBundles>,
    ) -> Result<Self, PolicySetError> {
        let (path, pin) = PolicySet::split_pin(name.as_ref());
        let (stores, shards) = match shard_files(path)? {
            None => {
                PolicySet::require_undivided(path)?;
                (vec![OnceLock::from(Opened::open(path, None, verified.as_ref())?)], None)
            }
            Some(files) => {
                let stores = std::iter::repeat_with(OnceLock::new).take(files.count() as usize).collect();
                (stores, Some(ShardSet::open(files)?))
            }
        };
        let policies = PolicySet { name: path.to_owned(), stores, shards, verified };
        policies.require(pin)?;
        Ok(policies)
    }

    /// Checks that the file `path`, by its name, is not one shard of a bundle. Whatever its name is, a shard says in its
    /// bytes what it is ([`PolicyStore::open`]), unless an older version wrote it.
    ///
    /// # Errors
    /// When it is one.
    pub fn require_undivided(path: &Path) -> Result<(), PolicySetError> {
        match ShardFiles::of_shard(path) {
            Some((files, _)) => Err(PolicySetError::Shard { path: path.to_owned(), all: files.pattern() }),
            None => Ok(()),
        }
    }

    /// Checks that a bundle can be opened by the name `path` once it is written there.
    ///
    /// # Errors
    /// When the name is that of a shard, of all shards, or a pinned one.
    pub fn require_name(path: &Path) -> Result<(), PolicySetError> {
        PolicySet::require_undivided(path)?;
        if shard_files(path)?.is_some() || PolicySet::split_pin(path).1.is_some() {
            let expected = "the name of one file, without '*' and a fingerprint after '#'";
            return Err(PolicySetError::Name { name: path.to_owned(), expected });
        }
        Ok(())
    }

    /// Splits a name into the path and its pin: the part after the last `#`, if that is a fingerprint.
    pub fn split_pin(name: &Path) -> (&Path, Option<Fingerprint>) {
        let pinned = name.to_str().and_then(|name| {
            let (path, pin) = name.rsplit_once(PIN)?;
            Some((Path::new(OsStr::new(path)), pin.parse().ok()?))
        });
        pinned.map_or((name, None), |(path, pin)| (path, Some(pin)))
    }

    /// The policies of a store in memory. Their name is `policies`.
    pub fn of_store(store: PolicyStore) -> Self {
        let stores = vec![OnceLock::from(Opened::built(store))];
        PolicySet { name: PathBuf::from("policies"), stores, shards: None, verified: None }
    }

    /// The name of the bundle, without the pin.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The name, pinned to the fingerprint.
    pub fn pinned_name(&self) -> String {
        format!("{}{PIN}{}", self.name.display(), self.fingerprint())
    }

    /// Whether `name` is pinned to a fingerprint, as by [`PolicySet::pinned_name`]. Opens nothing.
    pub fn is_pinned(name: impl AsRef<Path>) -> bool {
        PolicySet::split_pin(name.as_ref()).1.is_some()
    }

    /// The fingerprint of the policies: that of the only store, or that of the manifest.
    pub fn fingerprint(&self) -> Fingerprint {
        match &self.shards {
            Some(shards) => shards.manifest.fingerprint(),
            None => self.opened(0).fingerprint(),
        }
    }

    /// The number of stores: 1, or the number of shards.
    pub fn store_count(&self) -> usize {
        self.stores.len()
    }

    /// The number of the store that has the policy of a site, if any store has it. `site` is the text before the path
    /// of a URL.
    #[inline]
    fn number_of(&self, site: &[u8]) -> usize {
        match self.stores.len() {
            1 => 0,
            _ => shard_of(Site::host_of(site), self.shard_count()) as usize,
        }
    }

    fn shard_count(&self) -> u32 {
        number_of_shard(self.stores.len())
    }

    /// The store with this number. Opens it at its first use. A failed open is tried again at the next call.
    ///
    /// # Errors
    /// When its file cannot be opened, or is not the shard of the manifest.
    ///
    /// # Panics
    /// When there are fewer stores.
    #[inline]
    pub fn store(&self, number: usize) -> Result<&PolicyStore, PolicySetError> {
        match self.stores[number].get() {
            Some(opened) => Ok(&opened.store),
            None => self.open_shard(number),
        }
    }

    /// The store that has the policy of `site`, if any store has it.
    ///
    /// # Errors
    /// Those of [`PolicySet::store`].
    #[inline]
    pub fn store_of(&self, site: &Site<'_>) -> Result<&PolicyStore, PolicySetError> {
        self.store(self.number_of(site.as_bytes()))
    }

    /// All stores. Opens each one when the iterator reaches it.
    pub fn stores(&self) -> impl Iterator<Item = Result<&PolicyStore, PolicySetError>> {
        (0..self.store_count()).map(|number| self.store(number))
    }

    /// Opens all stores.
    ///
    /// # Errors
    /// Those of [`PolicySet::store`].
    pub fn open_all(&self) -> Result<Stores<'_>, PolicySetError> {
        Stores::of_set(self)
    }

    /// The files of the bundle called `name`, whether they exist or not: one file, or the shards and their manifest.
    pub fn files(name: impl AsRef<Path>) -> Vec<PathBuf> {
        let (path, _) = PolicySet::split_pin(name.as_ref());
        match shard_files(path) {
            Ok(Some(files)) => {
                (0..files.count()).map(|number| files.file(number)).chain([files.manifest()]).collect()
            }
            _ => vec![path.to_owned()],
        }
    }

    /// The store with this number, which is open.
    #[inline]
    fn opened(&self, number: usize) -> &PolicyStore {
        &self.stores[number].get().expect("the store is open").store
    }

    #[cold]
    fn open_shard(&self, number: usize) -> Result<&PolicyStore, PolicySetError> {
        let path = self.file(number);
        let shard = self.shards.as_ref().map(|shards| shards.files.shard(number_of_shard(number)));
        let opened = Opened::open(&path, shard, self.verified.as_ref())?;
        if let Some(shards) = &self.shards {
            shards.require(number_of_shard(number), &opened.store)?;
        }
        Ok(&self.stores[number].get_or_init(|| opened).store)
    }

    /// The file of a store.
    fn file(&self, number: usize) -> PathBuf {
        match &self.shards {
            Some(shards) => shards.files.file(number_of_shard(number)),
            None => self.name.clone(),
        }
    }

    /// Whether the files are still the ones that were opened. Of shards, only the manifest is compared.
    fn is_current(&self) -> bool {
        match &self.shards {
            Some(shards) => shards.manifest.is_current(),
            None => self.stores[0].get().is_some_and(|opened| opened.is_current(&self.name)),
        }
    }

    /// Checks that the policies have the pinned fingerprint.
    fn require(&self, pin: Option<Fingerprint>) -> Result<(), PolicySetError> {
        let (name, found) = (self.name.clone(), self.fingerprint());
        match pin {
            Some(expected) if expected != found => Err(PolicySetError::Stale { name, expected, found }),
            _ => Ok(()),
        }
    }
}

impl<'s> FindStore<'s> for &'s PolicySet {
    type Error = PolicySetError;

    #[inline]
    fn store_of(self, site: &[u8]) -> Result<&'s PolicyStore, PolicySetError> {
        self.store(self.number_of(site))
    }
}

impl fmt::Debug for PolicySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicySet").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Names count fewer shards than a `u32` does.
fn number_of_shard(store: usize) -> u32 {
    u32::try_from(store).unwrap_or(u32::MAX)
}

/// The files that a name of shards names; `None` if it names a single file.
fn shard_files(name: &Path) -> Result<Option<ShardFiles>, PolicySetError> {
    let is_manifest = name.extension().is_some_and(|end| end == "shards");
    if !is_manifest && !name.as_os_str().as_encoded_bytes().contains(&b'*') {
        return Ok(None);
    }
    ShardFiles::of_pattern(name).map(Some).ok_or_else(|| PolicySetError::Name {
        name: name.to_owned(),
        expected: "a shard name such as 'policies-*-of-00016.bundle'",
    })
}

/// Separates the name from the fingerprint in a pinned name.
const PIN: char = '#';
