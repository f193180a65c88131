//! All integration tests of this crate, in one binary.

mod compare;
mod contests;
mod cross_check;
mod filter;
mod forged;
mod lint;
mod pace;
mod permissions;
mod plan;
mod rows;
mod score;
mod score_formats;
mod score_logs;
mod sources;
mod support;
mod tdmreps;
