//! All integration tests of this crate, in one binary.

mod acap;
mod groups;
mod header_lines;
mod vocabularies;
