//! Splits a bundle into several, for the machines of a cluster.

use std::borrow::Borrow as _;
use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use robomata_engine::{BundleSummary, PolicySet, PolicyStore, ShardFiles, ShardManifest};
use robomata_formats::{Output, is_same_file};

use crate::bundle::ScratchBundle;
use crate::error::JobError;

/// A bundle with a part of the sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its file.
    pub path: PathBuf,
    /// Its contents.
    pub written: BundleSummary,
}

/// Splits the bundle called `name`, its path or a pinned one, into `shards` by the hosts of sites. The names of the files
/// begin with `prefix`: `prefix-00003-of-00016.bundle`. [`robomata_engine::shard_of`] returns the shard of a host; it
/// never changes. Each file is written completely or not at all. `on_shard` is called for each shard. The manifest
/// `prefix-of-00016.shards` is written last; it identifies shards of another run.
///
/// # Errors
/// When the bundle cannot be read, is damaged or is itself a shard, when there are more shards than names can number,
/// and when a file cannot be written. Files written before stay.
pub fn run(
    name: &Path,
    shards: NonZeroU32,
    prefix: &Path,
    mut on_shard: impl FnMut(&Shard),
) -> Result<(), JobError> {
    let (path, _) = PolicySet::split_pin(name);
    let files = ShardFiles::new(prefix, shards.get()).ok_or(JobError::Shards { most: ShardFiles::MOST })?;
    let outputs = (0..shards.get()).map(|number| files.file(number)).chain([files.manifest()]);
    if let Some(output) = outputs.into_iter().find(|output| is_same_file(path, output)) {
        return Err(JobError::OutputIsInput(output));
    }
    // Created first, so that an unwritable directory is reported before the work begins.
    let mut last = Output::create(&files.manifest())?;
    // The bundle is verified first, so that parts of a damaged bundle do not replace existing shards.
    PolicySet::require_undivided(path).map_err(JobError::Policies)?;
    let bundle = ScratchBundle::copy(name, None, &last, &files.manifest())?;
    let store: &PolicyStore = bundle.borrow();
    let divided = store.shards(shards.get());
    let mut manifest = ShardManifest(Vec::new());
    for number in 0..shards.get() {
        let path = files.file(number);
        let mut output = Output::create(&path)?;
        let written = divided.write(number as usize, &mut output).map_err(JobError::output)?;
        output.commit()?;
        manifest.0.push(written.fingerprint);
        on_shard(&Shard { path, written });
    }
    write!(last, "{manifest}").map_err(JobError::output)?;
    last.commit()?;
    Ok(())
}
