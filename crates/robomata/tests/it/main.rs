//! All integration tests of this crate, in one binary.

mod agreement;
mod architecture;
mod bundles;
mod changes;
mod dialects;
mod examples;
mod fail_closed;
mod interface;
mod lint;
mod permissions;
mod serialization;
mod switching;
