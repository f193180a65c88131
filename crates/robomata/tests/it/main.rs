//! All integration tests of this crate, in one binary.

mod architecture;
mod dialects;
mod examples;
