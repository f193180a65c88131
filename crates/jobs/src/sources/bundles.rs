//! Bundles among the sources.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use robomata::{PolicyStore, StoreKind};

use crate::bundle::open_whole;
use crate::error::JobError;

/// The bytes that every bundle begins with.
const LABEL: &[u8] = b"robomata";

/// Sources that were compiled before, validated, and those that hold captures.
#[derive(Debug)]
pub(crate) struct Divided {
    pub(crate) bundles: Vec<PolicyStore>,
    pub(crate) captures: Vec<PathBuf>,
}

impl Divided {
    /// Opens the bundles among `paths`.
    ///
    /// # Errors
    /// When one is damaged.
    fn open(paths: &[PathBuf]) -> Result<Self, JobError> {
        let (bundles, captures): (Vec<&PathBuf>, Vec<&PathBuf>) =
            paths.iter().partition(|path| is_bundle(path));
        let bundles = bundles.into_iter().map(|path| open_whole(path)).collect::<Result<_, _>>()?;
        Ok(Divided { bundles, captures: captures.into_iter().cloned().collect() })
    }

    /// As [`Divided::open`], when all bundles are about what is asked for.
    ///
    /// # Errors
    /// When one is damaged, or about something else.
    pub(crate) fn open_for(paths: &[PathBuf], kind: &StoreKind) -> Result<Self, JobError> {
        let divided = Divided::open(paths)?;
        divided.bundles.iter().try_for_each(|bundle| kind.require_mergeable(bundle.kind()))?;
        Ok(divided)
    }
}

/// Does the file at `path` begin as bundles do? Standard input and what cannot be read twice is none.
pub(crate) fn is_bundle(path: &Path) -> bool {
    let mut start = [0; LABEL.len()];
    path.metadata().is_ok_and(|metadata| metadata.is_file())
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == LABEL
}
