//! What sites and pages state about the usages of a resource (`crates/PERMISSIONS.md`).
//!
//! [`vocabularies`] and [`acap`] find the statements of all vocabularies by their patterns; [`page`] supplies those of
//! a page. [`decide`] chooses the statement that applies, and [`conditions`] checks whether its restrictions leave a
//! permission.

mod acap;
mod conditions;
mod decide;
mod memento;
mod page;
mod site;
mod vocabularies;

pub use memento::{FoundTimeGate, SiteMementos};
pub use site::SitePermissions;
