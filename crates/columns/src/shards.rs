//! A bundle in shards by host.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use robomata::{Fingerprint, PolicyStore, ShardFiles, ShardManifest, Site};

use crate::error::ColumnsError;
use crate::file::{FileState, Opened};

/// The shards of a bundle, each opened at first use. The manifest lists the fingerprints of one build. A shard with
/// another fingerprint is refused, so that shards of different builds never mix.
pub(crate) struct ShardSet {
    files: ShardFiles,
    stores: Vec<OnceLock<Opened>>,
    /// None if there is no manifest.
    manifest: Option<Manifest>,
}

struct Manifest {
    fingerprints: ShardManifest,
    path: PathBuf,
    state: FileState,
}

impl ShardSet {
    /// Parses a shard name such as `policies-*-of-00016.bundle`. Returns none if `name` names a single file.
    pub(crate) fn named(name: &str) -> Result<Option<Self>, ColumnsError> {
        if !name.contains('*') {
            return Ok(None);
        }
        let files = ShardFiles::of_pattern(name).ok_or_else(|| {
            let expected = "a shard name such as 'policies-*-of-00016.bundle'";
            ColumnsError::Name { name: name.to_owned(), expected }
        })?;
        let stores = std::iter::repeat_with(OnceLock::new).take(files.count() as usize).collect();
        let manifest = Manifest::read(&files)?;
        Ok(Some(ShardSet { files, stores, manifest }))
    }

    pub(crate) fn len(&self) -> usize {
        self.stores.len()
    }

    /// The number of a site's shard.
    pub(crate) fn number_of(&self, site: &Site<'_>) -> usize {
        site.shard(self.files.count()) as usize
    }

    /// Returns the store of a shard, opening it if needed. A failed open is retried at the next call.
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

    /// All stores. Opens each shard when the iterator reaches it.
    pub(crate) fn each(&self) -> impl Iterator<Item = Result<&PolicyStore, ColumnsError>> {
        (0..self.len()).map(|number| self.store(number))
    }

    /// The open stores.
    pub(crate) fn opened(&self) -> impl Iterator<Item = &PolicyStore> {
        self.stores.iter().filter_map(OnceLock::get).map(|mapped| &mapped.store)
    }

    /// The fingerprint of the whole bundle; none without a manifest.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.manifest.as_ref().map(|manifest| manifest.fingerprints.fingerprint())
    }

    /// Returns whether the opened files are unchanged. If there is a manifest, only the manifest is checked.
    pub(crate) fn is_current(&self) -> bool {
        if let Some(manifest) = &self.manifest {
            return manifest.state.is_current(&manifest.path);
        }
        let mut opened =
            self.stores.iter().enumerate().filter_map(|(number, place)| Some((number, place.get()?)));
        opened.all(|(number, mapped)| mapped.is_current(&self.file(number)))
            && !self.files.manifest().exists()
    }

    /// The fingerprint of a shard in the manifest.
    fn expected(&self, number: usize) -> Option<Fingerprint> {
        self.manifest.as_ref()?.fingerprints.0.get(number).copied()
    }

    fn file(&self, number: usize) -> PathBuf {
        self.files.file(u32::try_from(number).unwrap_or(u32::MAX))
    }
}

impl Manifest {
    /// Reads the manifest of these shards; none if there is no such file.
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
            let expected = "a manifest with one line for each shard: its fingerprint and its number";
            ColumnsError::Name { name: name(), expected }
        })?;
        Ok(Some(Manifest { fingerprints, path, state }))
    }
}
