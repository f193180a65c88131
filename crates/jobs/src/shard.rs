//! One bundle into several, for the machines of a cluster.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use robomata::{PolicyStore, Written};
use robomata_formats::Output;

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
/// is written whole or not at all. `told` hears of each.
///
/// # Errors
/// When the bundle cannot be read or is damaged, and when a file cannot be written: those before it stay.
pub fn run(
    path: &Path,
    shards: NonZeroU32,
    prefix: &Path,
    mut told: impl FnMut(&Shard),
) -> Result<(), JobError> {
    let bundle_error = |error| JobError::Bundle { path: path.to_owned(), error };
    let store = PolicyStore::map(path).map_err(bundle_error)?;
    let divided = store.shards(shards.get()).map_err(|damage| bundle_error(damage.into()))?;
    for number in 0..shards.get() {
        let path = file_of(prefix, number, shards.get());
        let mut output = Output::create(&path)?;
        let written = divided.write(number as usize, &mut output).map_err(JobError::output)?;
        output.commit()?;
        told(&Shard { path, written });
    }
    Ok(())
}

/// The file of a shard.
fn file_of(prefix: &Path, number: u32, shards: u32) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(format!("-{number:05}-of-{shards:05}.bundle"));
    PathBuf::from(name)
}
