//! Remembers which bundles were verified.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::file::FileState;
use crate::store::Fingerprint;

/// A folder that remembers which files were found to be valid bundles, so that the structure of such a file is not
/// validated again. It holds a small file for each bundle, with the bundle's fingerprint and the state of its file:
/// device, inode, size, and the times of the last changes of contents and inode.
///
/// Only the structure is remembered. The checksum of all bytes is computed whenever a bundle is opened, so bytes that
/// have changed on a disk are found, even if the state of the file is the same. What is written to the file through the
/// operating system changes the time of its inode, which programs cannot set. A file that changed within the resolution
/// of such times is not remembered, nor is a small one. Where files have no inodes, nothing is remembered.
///
/// Users who can write to the folder can make this process use an invalid bundle: the folder has to be private, and one
/// that others can write to is not used.
#[derive(Clone, Debug)]
pub struct VerifiedBundles {
    folder: PathBuf,
}

/// The size of a bundle in bytes from which on a record takes less time than its validation.
const LEAST_BYTES: u64 = 1 << 20;

/// The most bundles that a folder remembers.
const MOST: usize = 4096;

impl VerifiedBundles {
    /// The bundles that `folder` remembers. Creates the folder if it is missing.
    ///
    /// # Errors
    /// When the folder cannot be created, and when others than its owner can write to it.
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        let mut create = fs::DirBuilder::new();
        create.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut create, 0o700);
        create.create(folder)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            if fs::metadata(folder)?.permissions().mode() & 0o022 != 0 {
                let text = format!("{}: others can write to this folder", folder.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
            }
        }
        Ok(VerifiedBundles { folder: folder.to_owned() })
    }

    /// Whether a file in this state was found to be a valid bundle with this fingerprint.
    pub(super) fn contains(&self, state: &FileState, fingerprint: Fingerprint) -> bool {
        let Some(name) = state.name() else { return false };
        fs::read(self.folder.join(name)).is_ok_and(|text| text == record(state, fingerprint).as_bytes())
    }

    /// Remembers that a file in this state is a valid bundle. A failure has no consequence but that the bundle is
    /// validated again.
    pub(super) fn insert(&self, state: &FileState, fingerprint: Fingerprint) {
        if let Some(name) = state.name().filter(|_| state.is_settled && state.bytes >= LEAST_BYTES) {
            drop(self.write(&name, &record(state, fingerprint)));
        }
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        self.remove_oldest()?;
        // A process that reads the record at the same time finds the old one or the new one.
        let new = self.folder.join(format!("{name}.{}", std::process::id()));
        let written = File::create(&new).and_then(|mut file| file.write_all(text.as_bytes()));
        let renamed = written.and_then(|()| fs::rename(&new, self.folder.join(name)));
        renamed.inspect_err(|_| drop(fs::remove_file(&new)))
    }

    /// Makes room for another record.
    fn remove_oldest(&self) -> io::Result<()> {
        let mut records = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            records.push((entry.metadata()?.modified()?, entry.path()));
        }
        records.sort_unstable();
        let too_many = (records.len() + 1).saturating_sub(MOST);
        records[..too_many].iter().try_for_each(|(_, path)| fs::remove_file(path))
    }
}

/// What the folder says of a file. Another version of this library may validate more.
fn record(state: &FileState, fingerprint: Fingerprint) -> String {
    format!("robomata {}\n{fingerprint}\n{}\n", env!("CARGO_PKG_VERSION"), state.description())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_forgets_the_oldest_records() {
        let folder = tempfile::tempdir().unwrap();
        let verified = VerifiedBundles::in_folder(&folder.path().join("a/b")).unwrap();
        for number in 0..MOST + 3 {
            File::create(folder.path().join(format!("a/b/{number}"))).unwrap();
        }
        verified.write("new", "text").unwrap();
        let count = fs::read_dir(folder.path().join("a/b")).unwrap().count();
        assert_eq!(count, MOST);
        assert_eq!(fs::read(folder.path().join("a/b/new")).unwrap(), b"text");
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let error = VerifiedBundles::in_folder(folder.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }
}
