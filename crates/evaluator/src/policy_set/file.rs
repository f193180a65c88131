//! A bundle's file, and how to detect that it was replaced.

use std::fs::Metadata;
use std::io;
use std::path::Path;
#[cfg(unix)]
use std::time::UNIX_EPOCH;
use std::time::{Duration, SystemTime};

use super::{PolicySetError, VerifiedBundles};
use crate::store::{Fingerprint, OpenError, PolicyStore, ShardNumber};

/// An open store.
pub(super) struct Opened {
    pub(super) store: PolicyStore,
    /// The state of the file; `None` for a store in memory.
    state: Option<FileState>,
}

/// The properties that distinguish a changed or replaced file from the opened one.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileState {
    pub(super) bytes: u64,
    modified: Option<SystemTime>,
    identity: Identity,
    /// Whether the file was older than the resolution of its times when it was opened. If not, a later change may have
    /// the same times.
    pub(super) is_settled: bool,
}

/// More than the resolution of the times of any file system.
const RESOLUTION: Duration = Duration::from_secs(3);

/// Device, inode, and the time of the last change of either the contents or the inode.
#[cfg(unix)]
type Identity = (u64, u64, i64, i64);
#[cfg(not(unix))]
type Identity = ();

impl Opened {
    /// Wraps a store in memory.
    pub(super) fn built(store: PolicyStore) -> Self {
        Opened { store, state: None }
    }

    /// Opens the bundle at `path`, or this shard of a bundle. Its structure is not validated if `verified` contains it.
    pub(super) fn open(
        path: &Path,
        shard: Option<ShardNumber>,
        verified: Option<&VerifiedBundles>,
    ) -> Result<Self, PolicySetError> {
        /// How often to retry when the file is replaced while it is being opened.
        const TRIES: usize = 8;
        let failed = |error| PolicySetError::Open { path: path.to_owned(), error };
        let state = || FileState::of(path).map_err(|error| failed(error.into()));
        let mut before = state()?;
        for _ in 0..TRIES {
            let mut is_known = false;
            let opened = PolicyStore::open_unless_known(path, shard, |fingerprint| {
                is_known = verified.is_some_and(|verified| verified.contains(&before, fingerprint));
                is_known
            });
            let after = state()?;
            if after.is_equal(&before) {
                let store = opened.map_err(failed)?;
                if let Some(verified) = verified.filter(|_| !is_known) {
                    verified.insert(&before, store.fingerprint());
                }
                return Ok(Opened { store, state: Some(before) });
            }
            before = after;
        }
        let busy = io::Error::new(
            io::ErrorKind::ResourceBusy,
            "the file is being replaced continually (try again later)",
        );
        Err(failed(OpenError::Io(busy)))
    }

    /// Whether the file at `path` is still the opened one. Always true for a store in memory.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        let Some(state) = self.state else { return true };
        let is_same = || Fingerprint::of_file(path).is_ok_and(|found| found == self.store.fingerprint());
        state.is_current(path) && (state.is_settled || is_same())
    }
}

impl FileState {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| FileState::of_metadata(&metadata))
    }

    fn of_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (identity, changed) = {
            use std::os::unix::fs::MetadataExt;
            let changed =
                u64::try_from(metadata.ctime()).ok().map(|time| UNIX_EPOCH + Duration::from_secs(time));
            ((metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()), changed)
        };
        #[cfg(not(unix))]
        let (identity, changed) = ((), None);
        let modified = metadata.modified().ok();
        let last = modified.max(changed);
        let age = last.and_then(|last| SystemTime::now().duration_since(last).ok());
        let is_settled = age.is_some_and(|age| age > RESOLUTION);
        FileState { bytes: metadata.len(), modified, identity, is_settled }
    }

    /// Whether the file at `path` has this state.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        FileState::of(path).is_ok_and(|state| state.is_equal(self))
    }

    /// A name that no other file has at the same time; `None` if files have no inodes.
    pub(super) fn name(&self) -> Option<String> {
        #[cfg(unix)]
        return Some(format!("{:x}-{:x}", self.identity.0, self.identity.1));
        #[cfg(not(unix))]
        None
    }

    /// All that distinguishes the state from another one.
    pub(super) fn description(&self) -> String {
        format!("{} {:?} {:?}", self.bytes, self.modified, self.identity)
    }

    fn is_equal(&self, other: &Self) -> bool {
        let state = |state: &Self| (state.bytes, state.modified, state.identity);
        state(self) == state(other)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use robomata_policy::Policy;
    use robomata_protocol::{Crawler, Dialect};
    use robomata_syntax::Config;

    use super::*;
    use crate::{PolicyCompiler, Site, StoreBuilder, StoreKind};

    /// A bundle that is large enough to be remembered.
    fn large() -> PolicyStore {
        let kind = StoreKind::new(Dialect::default(), vec![Crawler::new("a")]);
        let mut builder = StoreBuilder::new(kind.clone());
        for site in 0..16 {
            let rules: String =
                (0..6000).map(|number| format!("Disallow: /{site}/{number}/{number}\n")).collect();
            let text = format!("User-agent: *\n{rules}");
            let policy = Policy::new(text.as_bytes(), &Config::new(Dialect::default()));
            let url = format!("https://{site}.example/");
            let site = Site::of_url(url.as_bytes()).unwrap();
            builder.insert(&site, &PolicyCompiler::new(&kind).compile(&policy), None);
        }
        builder.build()
    }

    fn is_open(opened: Result<Opened, PolicySetError>) -> bool {
        opened
            .map_err(|error| assert!(error.to_string().contains("not a valid policy bundle"), "{error}"))
            .is_ok()
    }

    #[test]
    fn the_structure_of_a_remembered_file_is_not_validated_but_its_checksum_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policies.bundle");
        let verified = VerifiedBundles::in_folder(&folder.path().join("verified")).unwrap();
        let store = large();
        let records = || std::fs::read_dir(folder.path().join("verified")).unwrap().count();

        // Its checksums are those of its bytes, but a program is of no known version.
        std::fs::write(&path, store.with_forged_program()).unwrap();
        assert!(!is_open(Opened::open(&path, None, Some(&verified))));
        let forged = Fingerprint::of_file(&path).unwrap();
        verified.insert(&FileState { is_settled: false, ..FileState::of(&path).unwrap() }, forged);
        assert_eq!(records(), 0, "its time could be that of a later change");
        verified.insert(&FileState { is_settled: true, ..FileState::of(&path).unwrap() }, forged);
        assert_eq!(records(), 1);
        assert!(is_open(Opened::open(&path, None, Some(&verified))));
        assert!(!is_open(Opened::open(&path, None, None)));

        // The same bytes in a file that was written again.
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&path, std::fs::read(&path).unwrap()).unwrap();
        assert!(!is_open(Opened::open(&path, None, Some(&verified))));

        // A valid bundle of which a bit has changed on the disk, so that the times of its file are the same.
        let mut bytes = store.bytes().to_vec();
        std::fs::write(&path, &bytes).unwrap();
        verified
            .insert(&FileState { is_settled: true, ..FileState::of(&path).unwrap() }, store.fingerprint());
        assert!(is_open(Opened::open(&path, None, Some(&verified))));
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        verified
            .insert(&FileState { is_settled: true, ..FileState::of(&path).unwrap() }, store.fingerprint());
        assert!(!is_open(Opened::open(&path, None, Some(&verified))));
    }
}
