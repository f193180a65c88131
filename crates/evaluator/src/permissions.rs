//! What sites and pages say about the uses of a resource: one question, one answer (`crates/PERMISSIONS.md`).
//!
//! Statements of all vocabularies are found by their patterns ([`vocabularies`], [`acap`]), those of a page come ready
//! ([`page`]); [`decide`] says which of them holds, [`conditions`] whether its restrictions leave anything.

mod acap;
mod conditions;
mod decide;
mod memento;
mod page;
mod purpose;
mod site;
mod vocabularies;

pub use memento::{FoundTimeGate, SiteMementos};
pub use site::SitePermissions;

pub(crate) use acap::{relation, scope_of, speaks_for};
pub(crate) use conditions::{DAY, day_of};
pub(crate) use decide::narrowest;
pub(crate) use vocabularies::readings;
