//! All integration tests of this crate, in one binary.

mod blocks;
mod clean_param;
mod history;
mod rules;
mod store;
mod tdmreps;
mod usage;
