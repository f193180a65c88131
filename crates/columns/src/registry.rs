//! Each bundle is opened once in a process.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

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
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(policies) = open.get(path).filter(|policies| policies.is_current()) {
        return Ok(Arc::clone(policies));
    }
    open.retain(|_, policies| policies.is_current());
    let policies = Arc::new(PolicySet::open(path)?);
    open.insert(path.to_owned(), Arc::clone(&policies));
    Ok(policies)
}
