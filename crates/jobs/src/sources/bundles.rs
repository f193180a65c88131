//! Opens bundles among the sources.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use robomata_engine::{
    NotTextError, PolicySet, PolicySetError, PolicyStore, ShardFiles, ShardNumber, ShardSet, StoreKind,
};

use crate::error::JobError;
use crate::events::Events;

/// The sources divided into bundles, which are verified, and sources with captures.
pub(crate) struct Divided<B> {
    pub(crate) bundles: Vec<B>,
    pub(crate) captures: Vec<PathBuf>,
    /// For each bundle, the number of sources with captures that were given before it.
    pub(crate) positions: Vec<usize>,
}

impl<B: Borrow<PolicyStore>> Divided<B> {
    /// Opens the bundles among `paths` with `open`, and checks that all are of this kind. The shards of a bundle have to
    /// be complete, and those of its manifest.
    ///
    /// # Errors
    /// When a bundle is damaged or of another kind. When one is a shard, and another shard of its bundle is missing, or
    /// its manifest, or when it is not the shard of the manifest.
    pub(crate) fn open_for(
        paths: &[PathBuf],
        kind: &StoreKind,
        open: impl Fn(&Path, Option<ShardNumber>) -> Result<B, JobError>,
    ) -> Result<Self, JobError> {
        let mut divided = Divided { bundles: Vec::new(), captures: Vec::new(), positions: Vec::new() };
        let mut bundles: Vec<&Path> = Vec::new();
        for path in paths {
            if is_bundle(path) {
                bundles.push(path);
                divided.positions.push(divided.captures.len());
            } else {
                divided.captures.push(path.clone());
            }
        }
        let given: HashSet<&Path> = bundles.iter().map(|path| PolicySet::split_pin(path).0).collect();
        let mut sets: Vec<ShardSet> = Vec::new();
        for path in bundles {
            let (file, _) = PolicySet::split_pin(path);
            let shard = match ShardFiles::of_shard(file) {
                Some((files, shard)) => Some((set_of(files, file, &given, &mut sets)?, shard)),
                None => None,
            };
            let bundle = open(path, shard.map(|(_, shard)| shard))?;
            if let Some((set, shard)) = shard {
                set.require(shard.number, bundle.borrow()).map_err(JobError::Policies)?;
            }
            kind.require_mergeable(bundle.borrow().kind())?;
            divided.bundles.push(bundle);
        }
        Ok(divided)
    }
}

/// Reports the sites of `bundles` with a capture that is later than is plausible. Captures of other sources are counted as
/// they are read.
pub(crate) fn report_implausible<'s>(
    bundles: impl IntoIterator<Item = &'s PolicyStore>,
    events: &mut dyn Events,
) {
    let Some(latest) = events.latest_plausible_capture() else { return };
    let sites: u64 = bundles.into_iter().map(|bundle| bundle.sites_later_than(latest)).sum();
    if sites > 0 {
        events.implausible_sites(sites);
    }
}

/// The set of `files`, one of which is `file`. Opens it if `sets` lacks it: all of its files have to be `given`.
fn set_of<'s>(
    files: ShardFiles,
    file: &Path,
    given: &HashSet<&Path>,
    sets: &'s mut Vec<ShardSet>,
) -> Result<&'s ShardSet, JobError> {
    let known = sets.iter().position(|set| *set.files() == files);
    if known.is_none() {
        if !(0..files.count()).all(|number| given.contains(files.file(number).as_path())) {
            let (path, all) = (file.to_owned(), files.pattern());
            return Err(JobError::Policies(PolicySetError::Shard { path, all }));
        }
        sets.push(ShardSet::open(files).map_err(JobError::Policies)?);
    }
    Ok(&sets[known.unwrap_or(sets.len() - 1)])
}

/// Does the file called `name`, perhaps pinned to a fingerprint, begin like a bundle? Standard input and files that
/// cannot be read twice do not count.
pub(crate) fn is_bundle(name: &Path) -> bool {
    let (path, _) = PolicySet::split_pin(name);
    let mut start = [0; 8];
    path.metadata().is_ok_and(|metadata| metadata.is_file())
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && NotTextError::of(&start) == Some(NotTextError::Bundle)
}
