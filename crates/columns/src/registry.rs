//! Opens each bundle once per process.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::error::ColumnsError;
use crate::policies::{PolicySet, split_pin};

/// Open bundles by name. Queries follow each other, so a bundle stays open until its file is replaced or removed.
static OPEN: LazyLock<Mutex<HashMap<String, Arc<PolicySet>>>> = LazyLock::new(Mutex::default);

impl PolicySet {
    /// Opens the bundle called `name`, once for the whole process ([`PolicySet::open`]). Reopens a file that was
    /// replaced; users of the old one keep it. Also closes all other bundles that were replaced or removed in the
    /// meantime.
    ///
    /// # Errors
    /// Fails like [`PolicySet::open`].
    pub fn shared(name: &str) -> Result<Arc<Self>, ColumnsError> {
        let (path, pin) = split_pin(name);
        let policies = current(path)?;
        policies.require(pin)?;
        Ok(policies)
    }
}

fn current(path: &str) -> Result<Arc<PolicySet>, ColumnsError> {
    // Check the files without holding the lock, so that a slow disk does not block other bundles.
    let known = lock().get(path).map(Arc::clone);
    if let Some(policies) = known.as_ref().filter(|policies| policies.is_current()) {
        return Ok(Arc::clone(policies));
    }
    let mut open = lock();
    // Another thread may have opened it meanwhile.
    if let Some(policies) = open.get(path).filter(|&policies| !is_same(known.as_ref(), policies)) {
        return Ok(Arc::clone(policies));
    }
    open.retain(|_, policies| policies.is_current());
    let policies = Arc::new(PolicySet::open(path)?);
    open.insert(path.to_owned(), Arc::clone(&policies));
    Ok(policies)
}

fn lock() -> MutexGuard<'static, HashMap<String, Arc<PolicySet>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_same(known: Option<&Arc<PolicySet>>, policies: &Arc<PolicySet>) -> bool {
    known.is_some_and(|known| Arc::ptr_eq(known, policies))
}
