//! robomata for Python: `Robots` is one robots.txt; `PolicySet` is the policies of many sites, for Arrow columns of
//! URLs.
//!
//! This is an adapter: answers come from the crates `robomata` and `robomata-columns`. Records are the named tuples of
//! `robomata/_types.py`, so that their definitions are in Python.

mod build;
mod column;
mod cores;
mod input;
mod pace;
mod policy_set;
mod questions;
mod records;
mod robots;
mod sites;
mod text;

use pyo3::prelude::*;

/// The extension module. The package `robomata` re-exports its contents.
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
