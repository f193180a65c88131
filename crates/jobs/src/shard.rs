//! Splits a bundle into several, for the machines of a cluster.

use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use robomata::{PolicyStore, ShardFiles, ShardManifest, Written};
use robomata_formats::{Output, is_same_file};

use crate::bundle::open_whole;
use crate::error::JobError;

/// A bundle with a part of the sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its file.
    pub path: PathBuf,
    /// Its contents.
    pub written: Written,
}

/// Splits the bundle at `path` into `shards` by the hosts of sites. The names of the files begin with `prefix`:
/// `prefix-00003-of-00016.bundle`. [`robomata::shard_of`] returns the shard of a host; it never changes. Each file is
/// written completely or not at all. `on_shard` is called for each shard. The manifest `prefix-of-00016.shards` is
/// written last; it identifies shards of another run.
///
/// # Errors
/// When the bundle cannot be read or is damaged, when there are more shards than names can number, and when a file
/// cannot be written. Files written before stay.
pub fn run(
    path: &Path,
    shards: NonZeroU32,
    prefix: &Path,
    mut on_shard: impl FnMut(&Shard),
) -> Result<(), JobError> {
    let bundle_error = |error| JobError::Bundle { path: path.to_owned(), error };
    // The bundle is validated first, so that parts of a damaged bundle do not replace existing shards.
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
        on_shard(&Shard { path, written });
    }
    let mut output = Output::create(&files.manifest())?;
    write!(output, "{manifest}").map_err(JobError::output)?;
    output.commit()?;
    Ok(())
}
