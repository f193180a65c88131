//! robomata for Python: `Robots` is one robots.txt, `PolicySet` many, against
//! Arrow's columns.
//!
//! This is an adapter: answers come from the crates `robomata` and `robomata-columns`. What comes back as a record is
//! made of the named tuples of `robomata/_types.py`, so that Python's users read their definitions in Python.

mod build;
mod column;
mod cores;
mod input;
mod policy_set;
mod questions;
mod records;
mod robots;
mod sites;
mod text;

use pyo3::prelude::*;

/// The extension module; the package `robomata` hands on what is here.
#[pymodule(gil_used = false)]
mod _robomata {
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::policy_set::PolicySet;
    #[pymodule_export]
    use crate::robots::Robots;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
