//! Opens bundles among the sources.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use robomata::{PolicyStore, StoreKind};

use crate::bundle::open_whole;
use crate::error::JobError;

/// The first bytes of every bundle.
const LABEL: &[u8] = b"robomata";

/// The sources divided into bundles, which are validated, and sources with captures.
#[derive(Debug)]
pub(crate) struct Divided {
    pub(crate) bundles: Vec<PolicyStore>,
    pub(crate) captures: Vec<PathBuf>,
}

impl Divided {
    /// Opens the bundles among `paths`.
    ///
    /// # Errors
    /// When a bundle is damaged.
    fn open(paths: &[PathBuf]) -> Result<Self, JobError> {
        let (bundles, captures): (Vec<&PathBuf>, Vec<&PathBuf>) =
            paths.iter().partition(|path| is_bundle(path));
        let bundles = bundles.into_iter().map(|path| open_whole(path)).collect::<Result<_, _>>()?;
        Ok(Divided { bundles, captures: captures.into_iter().cloned().collect() })
    }

    /// Like [`Divided::open`], and checks that all bundles are of this kind.
    ///
    /// # Errors
    /// When a bundle is damaged or of another kind.
    pub(crate) fn open_for(paths: &[PathBuf], kind: &StoreKind) -> Result<Self, JobError> {
        let divided = Divided::open(paths)?;
        divided.bundles.iter().try_for_each(|bundle| kind.require_mergeable(bundle.kind()))?;
        Ok(divided)
    }
}

/// Does the file at `path` begin like a bundle? Standard input and files that cannot be read twice do not count.
pub(crate) fn is_bundle(path: &Path) -> bool {
    let mut start = [0; LABEL.len()];
    path.metadata().is_ok_and(|metadata| metadata.is_file())
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == LABEL
}
