//! All integration tests of this crate, in one binary.

mod clean_param;
mod history;
mod parts;
mod rules;
mod store;
mod usage;
