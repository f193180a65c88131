//! Decides which of the statements about usages applies to a URL (`crates/PERMISSIONS.md`).
//!
//! [`StatementProgram`] holds what one robots.txt states to one crawler about crawl and one more usage: the patterns of
//! all statements, and their meanings, as bytes that a store keeps among its programs. A robots.txt without such
//! statements has none, and costs nothing extra.
//!
//! The functions about single statements ([`relation`], [`speaks_for`], [`scope_of`]) also serve the
//! evaluator, which explains decisions.

mod acap;
mod compile;
mod days;
mod decide;
mod program;
mod purpose;
mod tables;

pub use acap::{relation, scope_of, speaks_for};
pub use days::{DAY, day_of};
pub use decide::StatementScratch;
pub use program::{StatementProgram, StatementProgramRef, UsageQuery, is_statement_program};
pub use purpose::is_purpose_of;
