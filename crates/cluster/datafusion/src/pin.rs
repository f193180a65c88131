//! Bundles are pinned where a query is planned, and opened where it is evaluated.

use std::sync::Arc;

use datafusion::common::exec_err;
use datafusion::error::{DataFusionError, Result};
use robomata_engine::PolicySet;

/// Returns the bundle's name with the fingerprint of the file that this process finds. Returns none if the name already
/// has a fingerprint, and if the file cannot be opened here (another machine may have it).
pub(crate) fn pinned(bundle: &str) -> Option<String> {
    let pinned = PolicySet::shared(bundle).ok()?.pinned_name();
    (pinned != bundle).then_some(pinned)
}

/// Opens a bundle for the function with this name. Refuses a bundle that no planner has pinned: another process of the
/// query may find another file with its name, and this process another one for the next batch.
pub(crate) fn open(function: &str, bundle: &str) -> Result<Arc<PolicySet>> {
    let policies = PolicySet::shared(bundle)
        .map_err(|error| DataFusionError::Execution(format!("{function}: {error}")))?;
    if !PolicySet::is_pinned(bundle) {
        return exec_err!(
            "{function}: {bundle}: this bundle could not be opened where the query was planned, so nothing ensures that all \
             rows are answered from the same file. Write its fingerprint after the name: this process has the file '{}'",
            policies.pinned_name()
        );
    }
    Ok(policies)
}
