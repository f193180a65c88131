//! Bundles: the policies of many sites, in a file.

use std::path::PathBuf;

use robomata::{Agent, PolicySet};

use crate::check::{Batch, RobomataVerdict, write_all};
use crate::cores;
use crate::error::{Failure, guarded};
use crate::memory_of_caller::{bytes, free, give, place, shared, text};

/// The policies of many sites.
pub struct RobomataBundle(pub(crate) PolicySet);

/// Opens a bundle that `robomata compile` wrote: reads it into memory, and verifies all of it. Later changes of the file have
/// no effect. In the path, `*` is the number of a shard; after `#`, it can have the expected fingerprint.
///
/// # Safety
/// `path` has `length` readable bytes, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_bundle_open(
    path: *const u8,
    length: usize,
    out: *mut *mut RobomataBundle,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let path = path_of(unsafe { bytes(path, length, "path") }?)?;
        // SAFETY: the caller promises it.
        unsafe { give(out, RobomataBundle(cores::on_all(|| PolicySet::open(path))??)) }
    })
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Result<PathBuf, Failure> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Result<PathBuf, Failure> {
    let text = std::str::from_utf8(bytes);
    Ok(PathBuf::from(text.map_err(|_| Failure::argument("path: expected UTF-8".to_owned()))?))
}

/// Frees a bundle.
///
/// # Safety
/// `bundle` is null, or was returned by `robomata_bundle_open` and is no longer used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_bundle_free(bundle: *mut RobomataBundle) {
    // SAFETY: the caller promises it.
    unsafe { free(bundle) }
}

/// Checks many URLs of any sites, on all cores; the environment variable `RAYON_NUM_THREADS` limits their number. The URLs
/// are absolute; see `robomata_check_batch` for their layout. The bundle must have been compiled for the crawler.
///
/// # Safety
/// `bundle` was returned by `robomata_bundle_open`, `agent` has `agent_length` readable bytes, `urls` has `length` readable
/// bytes, `offsets` has `count + 1` readable numbers, and `out` has place for `count` verdicts.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn robomata_bundle_check_batch(
    bundle: *const RobomataBundle,
    agent: *const u8,
    agent_length: usize,
    urls: *const u8,
    length: usize,
    offsets: *const u32,
    count: usize,
    out: *mut RobomataVerdict,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller promises it.
        let (bundle, agent) = unsafe { (shared(bundle, "bundle")?, text(agent, agent_length, "agent")?) };
        // SAFETY: the caller promises it.
        let (urls, out) = unsafe { (Batch::new(urls, length, offsets, count)?, place(out, count, "out")?) };
        let urls: Vec<&[u8]> = urls.iter().collect();
        write_all(out, cores::on_all(|| bundle.0.check_batch(Agent::from(agent), &urls))??);
        Ok(())
    })
}
