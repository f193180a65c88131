//! Each bundle is opened once in a process.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::error::ColumnsError;
use crate::policies::{PolicySet, split_pin};

/// What is open, by name. Queries come one after the other, so bundles stay open until they are replaced or gone.
static OPEN: LazyLock<Mutex<HashMap<String, Arc<PolicySet>>>> = LazyLock::new(Mutex::default);

impl PolicySet {
    /// What `name` names, opened once for the whole process ([`PolicySet::open`]). A file that was replaced since is opened
    /// anew; who still asks the old one keeps it. Whatever else was replaced or removed meanwhile is let go then.
    ///
    /// # Errors
    /// Those of [`PolicySet::open`].
    pub fn shared(name: &str) -> Result<Arc<Self>, ColumnsError> {
        let (path, pin) = split_pin(name);
        let policies = current(path)?;
        policies.require(pin)?;
        Ok(policies)
    }
}

fn current(path: &str) -> Result<Arc<PolicySet>, ColumnsError> {
    // Files are looked at without the lock: a slow disk keeps nobody from other bundles.
    let known = lock().get(path).map(Arc::clone);
    if let Some(policies) = known.as_ref().filter(|policies| policies.is_current()) {
        return Ok(Arc::clone(policies));
    }
    let mut open = lock();
    // Somebody else may have opened it meanwhile.
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
