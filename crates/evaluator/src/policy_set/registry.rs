//! Opens each bundle once per process.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::{PolicySet, PolicySetError};
use crate::store::Fingerprint;

/// The bundles of this process. The lock is never held while a file is used.
static BUNDLES: LazyLock<Mutex<Bundles>> = LazyLock::new(Mutex::default);

/// The bundles of a process by name.
#[derive(Default)]
struct Bundles {
    /// The process ID. A forked process has a copy of its parent's entries, but not the threads that lock some of them.
    process: u32,
    entries: HashMap<String, Entry>,
}

/// How long a bundle stays open without use once another one was opened.
const IDLE: Duration = Duration::from_secs(600);

/// The policies of a bundle, for all its users.
type SharedPolicies = Arc<Mutex<Option<Arc<PolicySet>>>>;

struct Entry {
    /// `None` until the bundle is opened. The lock is held while its files are read or compared. On a mount that does
    /// not respond, this blocks the users of this bundle only.
    policies: SharedPolicies,
    used: Instant,
}

impl PolicySet {
    /// Opens the bundle called `name`, once for the whole process ([`PolicySet::open`]). Reopens a file that was
    /// changed or replaced; users of the old one keep it. Queries follow each other, so a bundle stays open; when
    /// another one is opened, those that were not used for ten minutes are closed.
    ///
    /// # Errors
    /// Fails like [`PolicySet::open`].
    pub fn shared(name: &str) -> Result<Arc<Self>, PolicySetError> {
        SharedBundle::new(name).open()
    }
}

/// The place of a bundle among those of the process, so that [`PolicySet::shared`] has two steps. The first locks all bundles for
/// a moment. A process that is forked during it has a copy that stays locked, so a program that forks must not do so then.
pub struct SharedBundle {
    path: String,
    pin: Option<Fingerprint>,
    policies: SharedPolicies,
}

impl SharedBundle {
    /// Finds the place of the bundle called `name`, without a use of its files.
    pub fn new(name: &str) -> Self {
        let (path, pin) = PolicySet::split_pin(Path::new(name));
        let path = name[..path.as_os_str().len()].to_owned();
        let policies = lock(&BUNDLES).entry(&path, std::process::id());
        SharedBundle { path, pin, policies }
    }

    /// Opens the bundle, unless it is open.
    ///
    /// # Errors
    /// Fails like [`PolicySet::open`].
    pub fn open(&self) -> Result<Arc<PolicySet>, PolicySetError> {
        let policies = self.current()?;
        policies.require(self.pin)?;
        Ok(policies)
    }

    fn current(&self) -> Result<Arc<PolicySet>, PolicySetError> {
        let mut held = lock(&self.policies);
        if let Some(policies) = held.as_ref().filter(|policies| policies.is_current()) {
            return Ok(Arc::clone(policies));
        }
        // Release the memory of the replaced bundle before the new one is read.
        *held = None;
        let policies = Arc::new(PolicySet::open(&self.path)?);
        *held = Some(Arc::clone(&policies));
        Ok(policies)
    }
}

impl Bundles {
    /// The entry for the bundle at `path` in the process with this ID.
    fn entry(&mut self, path: &str, process: u32) -> SharedPolicies {
        let Bundles { process: owner, entries } = self;
        if *owner != process {
            // What a thread of the parent was opening stays locked forever. Open bundles are shared with the parent.
            entries.retain(|_, entry| !matches!(entry.policies.try_lock(), Err(TryLockError::WouldBlock)));
            *owner = process;
        }
        let used = Instant::now();
        if let Some(entry) = entries.get_mut(path) {
            entry.used = used;
            return Arc::clone(&entry.policies);
        }
        entries.retain(|_, entry| used.duration_since(entry.used) < IDLE);
        let entry = Entry { policies: Arc::default(), used };
        Arc::clone(&entries.entry(path.to_owned()).or_insert(entry).policies)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forked_process_waits_for_no_thread_of_its_parent() {
        let mut bundles = Bundles::default();
        let [open, opening] = ["open", "opening"].map(|path| bundles.entry(path, 1));
        let _held = lock(&opening);
        let same = bundles.entry("opening", 1);
        assert!(same.try_lock().is_err(), "in the parent, the others wait");
        // The process was forked.
        assert!(bundles.entry("opening", 2).try_lock().is_ok());
        assert!(Arc::ptr_eq(&bundles.entry("open", 2), &open), "what is open stays open");
    }
}
