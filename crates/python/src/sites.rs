//! Iteration over the sites of a policy set.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use robomata_columns::{SiteSummary, sites};
use robomata_engine::{PolicySet, PolicySetError};
use self_cell::self_cell;

use crate::policy_set::not_opened;
use crate::records::{self, Record};

type Summaries<'s> = Box<dyn Iterator<Item = Result<SiteSummary, PolicySetError>> + Send + 's>;

self_cell!(
    /// Policies and an iterator over their sites.
    struct Walk {
        owner: Arc<PolicySet>,
        #[not_covariant]
        dependent: Summaries,
    }
);

/// Iterates over the sites of a policy set, without collecting them in memory.
#[pyclass(frozen, module = "robomata")]
pub(crate) struct SiteIterator {
    walk: Mutex<Walk>,
}

impl SiteIterator {
    pub(crate) fn new(policies: &Arc<PolicySet>) -> Self {
        let walk = Walk::new(Arc::clone(policies), |policies| Box::new(sites(policies)));
        SiteIterator { walk: Mutex::new(walk) }
    }
}

#[pymethods]
impl SiteIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut walk = self.walk.lock().unwrap_or_else(PoisonError::into_inner);
        let next = walk.with_dependent_mut(|_, sites| sites.next());
        drop(walk);
        let record = |site: Result<SiteSummary, PolicySetError>| -> Record<'py> {
            records::site_summary(py, &site.map_err(|error| not_opened(&error))?)
        };
        next.map(record).transpose()
    }
}
