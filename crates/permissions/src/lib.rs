//! Decides which of the statements about usages applies to a URL (`crates/PERMISSIONS.md`).
//!
//! A robots.txt is compiled into one form ([`StatementProgram`]): the patterns of all its statements to a crawler, and
//! their meanings, as bytes. One decision reads it, with two observers:
//!
//! * [`StatementProgramRef::verdict`] keeps only what decides about crawl and one more usage. A store keeps such
//!   programs among its others, each with the statements about these two usages alone. A robots.txt without such
//!   statements has none, and costs nothing extra.
//! * [`Statements`] has the statements about every usage, with their sources and qualifiers. It evaluates them together
//!   with those of a page, and reports what was overruled, by which rule, and which facts are missing.
//!
//! This crate knows neither hosts nor URLs: the caller supplies targets, and evaluates the conditions of permissions
//! that depend on URLs.

mod acap;
mod answer;
mod compile;
mod conditions;
mod decide;
mod page;
mod program;
mod purpose;
mod reasons;
mod statements;
mod tables;

pub use conditions::ConditionEffect;
pub use program::{
    StatementProgram, StatementProgramRef, StatementScratch, UsageQuery, is_statement_program,
};
pub use statements::{Matched, Statements};
