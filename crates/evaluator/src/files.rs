//! Files that a loss of power must not undo.

use std::fs::File;
use std::io;
use std::io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
use std::path::Path;

/// Flushes the entries of the directory of `file` to the disk. Otherwise a loss of power could undo a rename.
///
/// # Errors
/// When the disk reports an error.
pub fn sync_folder_of(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Only Unix opens a directory like a file.
    let synced = if cfg!(unix) { File::open(folder).and_then(|folder| folder.sync_all()) } else { Ok(()) };
    match synced {
        // Not every file system can do it, and not every directory may be read.
        Err(error) if matches!(error.kind(), PermissionDenied | Unsupported | InvalidInput) => Ok(()),
        synced => synced,
    }
}
