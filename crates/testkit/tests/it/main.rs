//! All integration tests of this crate, in one binary.

mod format;
mod lifecycle;
mod permissions;
