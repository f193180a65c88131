//! Inputs that are read from a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

/// Writes `bytes` to a file with this name, in a folder of the process. One input follows the other, so the file of the
/// last one with this name is overwritten.
pub fn write(name: &str, bytes: &[u8]) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        // A folder in memory, where there is one.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        folder.expect("a folder for inputs can be created")
    });
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("an input can be written");
    path
}
