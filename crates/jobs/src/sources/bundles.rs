//! Opens bundles among the sources.

use std::borrow::Borrow;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use robomata_engine::{PolicySet, PolicyStore, ShardFiles, StoreKind};

use crate::error::JobError;

/// The first bytes of every bundle.
const LABEL: &[u8] = b"robomata";

/// The sources divided into bundles, which are verified, and sources with captures.
pub(crate) struct Divided<B> {
    pub(crate) bundles: Vec<B>,
    pub(crate) captures: Vec<PathBuf>,
}

impl<B: Borrow<PolicyStore>> Divided<B> {
    /// Opens the bundles among `paths` with `open`, and checks that all are of this kind, and that the shards of a bundle
    /// are complete.
    ///
    /// # Errors
    /// When a bundle is damaged or of another kind, or when one is a shard and another shard of its bundle is missing.
    pub(crate) fn open_for(
        paths: &[PathBuf],
        kind: &StoreKind,
        open: impl Fn(&Path) -> Result<B, JobError>,
    ) -> Result<Self, JobError> {
        let (bundles, captures): (Vec<&PathBuf>, Vec<&PathBuf>) =
            paths.iter().partition(|path| is_bundle(path));
        let mut divided = Divided { bundles: Vec::new(), captures: captures.into_iter().cloned().collect() };
        for &path in &bundles {
            if let Some(files) = ShardFiles::of_shard(path)
                && !(0..files.count()).all(|number| bundles.contains(&&files.file(number)))
            {
                PolicySet::require_undivided(path).map_err(JobError::Policies)?;
            }
            let bundle = open(path)?;
            kind.require_mergeable(bundle.borrow().kind())?;
            divided.bundles.push(bundle);
        }
        Ok(divided)
    }
}

/// Do these bytes begin like a bundle?
pub(crate) fn is_bundle_text(bytes: &[u8]) -> bool {
    bytes.starts_with(LABEL)
}

/// Does the file at `path` begin like a bundle? Standard input and files that cannot be read twice do not count.
pub(crate) fn is_bundle(path: &Path) -> bool {
    let mut start = [0; LABEL.len()];
    path.metadata().is_ok_and(|metadata| metadata.is_file())
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == LABEL
}
