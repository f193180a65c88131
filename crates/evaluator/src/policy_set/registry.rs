//! Opens each bundle once per process.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{PolicySet, PolicySetError, split_pin};

/// The bundles of this process by name. The lock is never held while a file is used.
static BUNDLES: LazyLock<Mutex<HashMap<String, Entry>>> = LazyLock::new(Mutex::default);

/// How long a bundle stays open without use once another one was opened.
const IDLE: Duration = Duration::from_secs(600);

struct Entry {
    /// `None` until the bundle is opened. The lock is held while its files are read or compared. On a mount that does
    /// not respond, this blocks the users of this bundle only.
    policies: Arc<Mutex<Option<Arc<PolicySet>>>>,
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
        let (path, pin) = split_pin(Path::new(name));
        let policies = current(&name[..path.as_os_str().len()])?;
        policies.require(pin)?;
        Ok(policies)
    }
}

fn current(path: &str) -> Result<Arc<PolicySet>, PolicySetError> {
    let entry = {
        let mut bundles = lock(&BUNDLES);
        let used = Instant::now();
        if let Some(entry) = bundles.get_mut(path) {
            entry.used = used;
            Arc::clone(&entry.policies)
        } else {
            bundles.retain(|_, entry| used.duration_since(entry.used) < IDLE);
            let entry = Entry { policies: Arc::default(), used };
            Arc::clone(&bundles.entry(path.to_owned()).or_insert(entry).policies)
        }
    };
    let mut held = lock(&entry);
    if let Some(policies) = held.as_ref().filter(|policies| policies.is_current()) {
        return Ok(Arc::clone(policies));
    }
    // Release the memory of the replaced bundle before the new one is read.
    *held = None;
    let policies = Arc::new(PolicySet::open(path)?);
    *held = Some(Arc::clone(&policies));
    Ok(policies)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
