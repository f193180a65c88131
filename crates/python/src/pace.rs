//! How fast a crawler may fetch from the sites of a policy set.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use robomata_columns::{ColumnsError, PaceOptions, Query, paces};
use robomata_engine::PolicySet;
use robomata_engine::policy::{DelayLimits, Pace};
use self_cell::self_cell;

use crate::policy_set::raised;
use crate::records;
use crate::text::{Time, value_error};

/// Returns the options of a query. The limits are in seconds.
pub(crate) fn options(
    at: Option<&Time>,
    min_delay: Option<f64>,
    max_delay: Option<f64>,
    default_delay: Option<f64>,
) -> PyResult<PaceOptions> {
    let duration = |name: &str, seconds: Option<f64>| {
        let of = |seconds| {
            let expected = || value_error(&format!("{name}: expected seconds from 0 on, found {seconds}"));
            Duration::try_from_secs_f64(seconds).map_err(|_| expected())
        };
        seconds.map(of).transpose()
    };
    let limits = DelayLimits {
        least: duration("min_delay", min_delay)?,
        most: duration("max_delay", max_delay)?,
        default: duration("default_delay", default_delay)?,
    };
    let expected = "expected min_delay <= default_delay <= max_delay";
    limits.check().map_err(|_| value_error(&expected))?;
    Ok(PaceOptions { at: at.map(|time| time.0), limits })
}

type Paces<'s> = Box<dyn Iterator<Item = Result<(String, Pace), ColumnsError>> + Send + 's>;

self_cell!(
    /// Policies and a query, and an iterator over the answers for their sites.
    struct Walk {
        owner: (Arc<PolicySet>, Query),
        #[not_covariant]
        dependent: Paces,
    }
);

/// Iterates over the sites of a policy set, without collecting them in memory.
#[pyclass(frozen, module = "robomata")]
pub(crate) struct PaceIterator {
    walk: Mutex<Walk>,
}

impl PaceIterator {
    pub(crate) fn new(policies: &Arc<PolicySet>, query: Query, options: PaceOptions) -> Self {
        let owner = (Arc::clone(policies), query);
        let walk = Walk::new(owner, |(policies, query)| Box::new(paces(policies, query, options)));
        PaceIterator { walk: Mutex::new(walk) }
    }
}

#[pymethods]
impl PaceIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<(String, Bound<'py, PyAny>)>> {
        let mut walk = self.walk.lock().unwrap_or_else(PoisonError::into_inner);
        let next = walk.with_dependent_mut(|_, paces| paces.next());
        drop(walk);
        let Some(next) = next else { return Ok(None) };
        let (site, pace) = next.map_err(|error| raised(&error))?;
        Ok(Some((site, records::pace(py, &pace)?)))
    }
}
