//! The manifest of a sharded bundle, as a file.

use std::io;
use std::path::PathBuf;

use super::PolicySetError;
use super::file::FileState;
use crate::store::{Fingerprint, ShardFiles, ShardManifest};

/// An open manifest. It lists the fingerprints of the shards of one build.
pub(super) struct Manifest {
    fingerprints: ShardManifest,
    path: PathBuf,
    state: FileState,
}

impl Manifest {
    /// Reads the manifest of these shards. It is written last, so without it the shards may be incomplete.
    pub(super) fn read(files: &ShardFiles) -> Result<Self, PolicySetError> {
        let path = files.manifest();
        let read = || io::Result::Ok((FileState::of(&path)?, std::fs::read_to_string(&path)?));
        let (state, text) = match read() {
            Ok(read) => read,
            Err(error) => return Err(PolicySetError::Manifest { path, error }),
        };
        let fingerprints: Option<ShardManifest> = text.parse().ok();
        let is_whole = |manifest: &ShardManifest| manifest.0.len() == files.count() as usize;
        match fingerprints.filter(is_whole) {
            Some(fingerprints) => Ok(Manifest { fingerprints, path, state }),
            None => Err(PolicySetError::Name {
                name: path,
                expected: "a manifest with one line for each shard: its fingerprint and its number",
            }),
        }
    }

    /// The fingerprint of all shards together.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        self.fingerprints.fingerprint()
    }

    /// The fingerprint that a shard should have.
    pub(super) fn expected(&self, number: usize) -> Fingerprint {
        self.fingerprints.0[number]
    }

    /// Whether the file is still the one that was read.
    pub(super) fn is_current(&self) -> bool {
        let is_same = || {
            let text = std::fs::read_to_string(&self.path);
            text.is_ok_and(|text| text.parse().as_ref() == Ok(&self.fingerprints))
        };
        self.state.is_current(&self.path) && (self.state.is_settled || is_same())
    }
}
