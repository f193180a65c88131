//! What sites and pages state about the usages of a resource (`crates/PERMISSIONS.md`).
//!
//! [`site`] and [`memento`] find the statements that match a URL. [`conditions`] checks the restrictions of permissions
//! that depend on URLs.

mod conditions;
mod memento;
mod site;

pub use memento::{FoundTimeGate, SiteMementos};
pub use site::SitePermissions;
