//! A bundle in shards by host.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use robomata::{Fingerprint, PolicyStore, ShardFiles, ShardManifest, Site};

use crate::error::ColumnsError;
use crate::file::{FileState, Opened};

/// The shards of a bundle, each opened when it is first wanted. Their manifest makes them one: a shard that is not the one
/// that it names is refused, so that days are never mixed.
pub(crate) struct ShardSet {
    files: ShardFiles,
    stores: Vec<OnceLock<Opened>>,
    /// None where shards lie about without one.
    manifest: Option<Manifest>,
}

struct Manifest {
    fingerprints: ShardManifest,
    path: PathBuf,
    state: FileState,
}

impl ShardSet {
    /// The shards that `name` names, `policies-*-of-00016.bundle`; none when it names one file.
    pub(crate) fn named(name: &str) -> Result<Option<Self>, ColumnsError> {
        if !name.contains('*') {
            return Ok(None);
        }
        let files = ShardFiles::of_pattern(name).ok_or_else(|| {
            let expected = "a name of shards, as 'policies-*-of-00016.bundle'";
            ColumnsError::Name { name: name.to_owned(), expected }
        })?;
        let stores = std::iter::repeat_with(OnceLock::new).take(files.count() as usize).collect();
        let manifest = Manifest::read(&files)?;
        Ok(Some(ShardSet { files, stores, manifest }))
    }

    pub(crate) fn len(&self) -> usize {
        self.stores.len()
    }

    /// The shard of a site.
    pub(crate) fn number_of(&self, site: &Site<'_>) -> usize {
        site.shard(self.files.count()) as usize
    }

    /// The store of a shard, opened if it is not open yet. What could not be opened is tried again the next time.
    pub(crate) fn store(&self, number: usize) -> Result<&PolicyStore, ColumnsError> {
        let place = &self.stores[number];
        if let Some(mapped) = place.get() {
            return Ok(&mapped.store);
        }
        let path = self.file(number);
        let mapped = Opened::map(&path)?;
        let (found, expected) = (mapped.store.fingerprint(), self.expected(number));
        match expected.filter(|&expected| expected != found) {
            Some(expected) => Err(ColumnsError::Stale { name: path.display().to_string(), expected, found }),
            None => Ok(&place.get_or_init(|| mapped).store),
        }
    }

    /// All of them, opened as they are come to.
    pub(crate) fn each(&self) -> impl Iterator<Item = Result<&PolicyStore, ColumnsError>> {
        (0..self.len()).map(|number| self.store(number))
    }

    /// Those that are open.
    pub(crate) fn opened(&self) -> impl Iterator<Item = &PolicyStore> {
        self.stores.iter().filter_map(OnceLock::get).map(|mapped| &mapped.store)
    }

    /// By which all are known; none without a manifest.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.manifest.as_ref().map(|manifest| manifest.fingerprints.fingerprint())
    }

    /// Are the files those that were opened? A manifest speaks for all.
    pub(crate) fn is_current(&self) -> bool {
        if let Some(manifest) = &self.manifest {
            return manifest.state.is_current(&manifest.path);
        }
        let mut opened =
            self.stores.iter().enumerate().filter_map(|(number, place)| Some((number, place.get()?)));
        opened.all(|(number, mapped)| mapped.is_current(&self.file(number)))
            && !self.files.manifest().exists()
    }

    /// What the manifest says of a shard.
    fn expected(&self, number: usize) -> Option<Fingerprint> {
        self.manifest.as_ref()?.fingerprints.0.get(number).copied()
    }

    fn file(&self, number: usize) -> PathBuf {
        self.files.file(u32::try_from(number).unwrap_or(u32::MAX))
    }
}

impl Manifest {
    /// The manifest of these shards; none where they have none.
    fn read(files: &ShardFiles) -> Result<Option<Self>, ColumnsError> {
        let path = files.manifest();
        let name = || path.display().to_string();
        let read = || io::Result::Ok((FileState::of(&path)?, std::fs::read_to_string(&path)?));
        let (state, text) = match read() {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ColumnsError::Open { path: name(), error: error.into() }),
        };
        let fingerprints: Option<ShardManifest> = text.parse().ok();
        let is_whole = |manifest: &ShardManifest| manifest.0.len() == files.count() as usize;
        let fingerprints = fingerprints.filter(is_whole).ok_or_else(|| {
            let expected = "a manifest with a line for each shard, its fingerprint and its number";
            ColumnsError::Name { name: name(), expected }
        })?;
        Ok(Some(Manifest { fingerprints, path, state }))
    }
}
