//! All integration tests of this crate, in one binary.

#[path = "../architecture.rs"]
mod architecture;
mod examples;
