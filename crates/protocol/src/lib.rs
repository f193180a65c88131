//! The vocabulary types that every crate of robomata shares. Apart from the split of a URL before its path, from which texts
//! a client can request ([`requestable`]), and from how reports show texts ([`visible`]), this crate contains no algorithms.
//!
//! The engine and the reference share these types and nothing else. Everything *computed* from them (which group a
//! crawler obeys, what a status means, which rule wins) is written twice, independently, so that one can check the
//! other. `crates/DIALECTS.md` lists the decisions of each [`Dialect`], and [`Semantics`] holds them as data for the
//! engine.

mod access;
mod crawler;
mod dialect;
mod fetch;
mod permission;
mod scheme;
mod span;
mod text;
mod url;
mod usage;

pub mod lifecycle;
pub mod limits;
pub mod semantics;

pub use access::{Access, Answer, Reason, Verdict};
pub use crawler::{Crawler, ProductToken};
pub use dialect::{Dialect, UnknownDialect};
pub use fetch::{FetchOutcome, FetchStatus, has_status_line};
pub use lifecycle::Moment;
pub use permission::{
    Circumstances, Conflict, ConflictRule, Date, ImagePreview, LengthUnit, License, MetaTag, MissingFact,
    Modification, PageElement, PageFacts, PageHeader, PageLink, Part, Permission, PermissionAnswer,
    PermissionReason, Place, Qualifier, Source, TimeLimit, Vocabulary,
};
pub use scheme::{default_port, is_scheme};
pub use semantics::Semantics;
pub use span::Span;
pub use text::{is_invisible, visible};
pub use url::{SplitUrl, UrlParts, UrlRef, requestable};
pub use usage::{UnknownUsage, Usage};
