//! Corpora in one file each, so that a repository does not have thousands of small ones: a length and its bytes, again
//! and again, compressed by zstd.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use xxhash_rust::xxh3::xxh3_64;

/// The level of compression. From 16 on, AddressSanitizer reports an array of zstd that gcc made static: a false alarm.
const LEVEL: i32 = 15;

/// Writes the files of `folder` into one, the shortest ones first.
///
/// # Errors
/// When a file cannot be read or written.
pub fn pack(folder: &Path, to: &Path) -> Result<usize> {
    let files = fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))?;
    let mut inputs = files.map(|file| Ok(fs::read(file?.path())?)).collect::<Result<Vec<_>>>()?;
    inputs.sort_unstable_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    let mut bytes = Vec::new();
    for input in &inputs {
        bytes.extend(u32::try_from(input.len())?.to_le_bytes());
        bytes.extend(input);
    }
    fs::write(to, zstd::encode_all(bytes.as_slice(), LEVEL)?)?;
    Ok(inputs.len())
}

/// Writes the inputs of `packed` to files of their own.
///
/// # Errors
/// When the file cannot be read, is incomplete, or when an input cannot be written.
pub fn unpack(packed: &Path, folder: &Path) -> Result<usize> {
    let bytes = fs::read(packed).with_context(|| format!("{}: cannot be read", packed.display()))?;
    let bytes = zstd::decode_all(bytes.as_slice())?;
    let (mut rest, mut count) = (bytes.as_slice(), 0);
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        ensure!(length <= after.len(), "{}: expected complete inputs", packed.display());
        let (input, others) = after.split_at(length);
        write(folder, input)?;
        (rest, count) = (others, count + 1);
    }
    Ok(count)
}

/// Writes an input to a file that is named by its contents.
///
/// # Errors
/// When it cannot be written.
pub fn write(folder: &Path, input: &[u8]) -> Result<()> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{:016x}", xxh3_64(input)));
    fs::write(&path, input).with_context(|| format!("{}: cannot be written", path.display()))
}
