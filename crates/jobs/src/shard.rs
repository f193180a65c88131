//! One bundle into several, for the machines of a cluster.

use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use robomata::{PolicyStore, ShardFiles, ShardManifest, Written};
use robomata_formats::{Output, is_same_file};

use crate::bundle::open_whole;
use crate::error::JobError;

/// A bundle of some of the sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its file.
    pub path: PathBuf,
    /// What it holds.
    pub written: Written,
}

/// Divides the bundle at `path` into `shards` by the hosts of sites, and writes each to a file whose name begins with
/// `prefix`: `prefix-00003-of-00016.bundle`. [`robomata::shard_of`] says which host is where; it never changes. Each file
/// is written whole or not at all. `told` hears of each. Their manifest comes last, `prefix-of-00016.shards`, by which a shard
/// of another day is known.
///
/// # Errors
/// When the bundle cannot be read or is damaged, when there are more shards than names count, and when a file cannot be
/// written: those before it stay.
pub fn run(
    path: &Path,
    shards: NonZeroU32,
    prefix: &Path,
    mut told: impl FnMut(&Shard),
) -> Result<(), JobError> {
    let bundle_error = |error| JobError::Bundle { path: path.to_owned(), error };
    // Validated before anything is written: shards are not replaced by parts of a damaged bundle.
    let store = open_whole(path)?;
    let files = ShardFiles::new(prefix, shards.get()).ok_or(JobError::Shards { most: ShardFiles::MOST })?;
    let divided = store.shards(shards.get()).map_err(|damage| bundle_error(damage.into()))?;
    let outputs = (0..shards.get()).map(|number| files.file(number)).chain([files.manifest()]);
    if let Some(output) = outputs.into_iter().find(|output| is_same_file(path, output)) {
        return Err(JobError::OutputIsInput(output));
    }
    let mut manifest = ShardManifest(Vec::new());
    for number in 0..shards.get() {
        let path = files.file(number);
        let mut output = Output::create(&path)?;
        let written = divided.write(number as usize, &mut output).map_err(JobError::output)?;
        output.commit()?;
        let shard =
            PolicyStore::map(&path).map_err(|error| JobError::Bundle { path: path.clone(), error })?;
        manifest.0.push(shard.fingerprint());
        told(&Shard { path, written });
    }
    let mut output = Output::create(&files.manifest())?;
    write!(output, "{manifest}").map_err(JobError::output)?;
    output.commit()?;
    Ok(())
}
