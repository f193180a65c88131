//! Bundles are pinned where a query is planned, and opened where it is evaluated.

use std::sync::Arc;

use datafusion::common::exec_err;
use datafusion::error::{DataFusionError, Result};
use robomata_engine::PolicySet;

/// Whether a process evaluates a bundle that the plan does not pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pin {
    /// It does: no other process takes part in the query.
    Optional,
    /// It refuses: another process of the query may find another file with this name.
    Required,
}

/// Returns the bundle's name with the fingerprint of the file that this process finds. Returns none if the name already
/// has a fingerprint, and if the file cannot be opened here (another machine may have it).
pub(crate) fn pinned(bundle: &str) -> Option<String> {
    let pinned = PolicySet::shared(bundle).ok()?.pinned_name();
    (pinned != bundle).then_some(pinned)
}

/// Opens a bundle for the function with this name.
pub(crate) fn open(function: &str, bundle: &str, pin: Pin) -> Result<Arc<PolicySet>> {
    let policies = PolicySet::shared(bundle)
        .map_err(|error| DataFusionError::Execution(format!("{function}: {error}")))?;
    if pin == Pin::Required && !PolicySet::is_pinned(bundle) {
        return exec_err!(
            "{function}: {bundle}: neither the client nor the scheduler could open this bundle, so nothing ensures that all \
             executors have the same file. Write its fingerprint after the name: this executor's file is '{}'",
            policies.pinned_name()
        );
    }
    Ok(policies)
}
