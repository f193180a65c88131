//! Permissions inside pages: META tags, class attributes and headers become statements about usages.
//!
//! Two steps. A [`PageReader`] makes [`PageFacts`](robomata_protocol::PageFacts) of a page's bytes and its response's headers: what may speak
//! about usages, as written. [`PageReading`] says what they mean for one crawler: the policy model's
//! [`PageStatements`](robomata_policy::PageStatements) by vocabulary, with the conflicts between them left to whoever evaluates them. Facts are read once and serve every crawler.
//!
//! ```
//! use robomata_pages::{PageReading, facts};
//! use robomata_policy::Says;
//! use robomata_protocol::{Crawler, LengthUnit, Qualifier, Usage};
//!
//! let html = br#"<meta name="robots" content="ACAP allow-present-snippet max-length=100-chars">
//!     <body><div class="the-acap:disallow-index">...</div>"#;
//! let facts = facts(html, &[("X-Robots-Tag", "foobot: nofollow")]);
//! let page = PageReading::new(&facts, &Crawler::new("FooBot")).says;
//! assert_eq!(page.acap[0].says, Says::Permitted(vec![Qualifier::MaxLength(100, LengthUnit::Chars)]));
//! assert_eq!(page.acap[1].usage, Usage::Index);
//! assert_eq!(page.robots_meta[0].usage, Usage::Follow);
//! ```
//!
//! # From bytes to facts
//!
//! ```text
//! bytes ─► encoding ─► feed ─► tokenizer ─► tokens ─► tree builder ─► tree ─► facts
//!            text      lines,  (html5ever)   work      (html5ever)    parents
//!                    attributes              bound
//! ```
//!
//! What an ACAP class says holds for all that its element encloses, and whether a META tag counts depends on where
//! the head ends: both need the tree as browsers have it, with implied end tags and misnested formatting. `html5ever`
//! builds it, from text that comes in pieces, and hands it to a sink that keeps no page: nodes know their parents alone, and one that
//! is closed goes unless it encloses, or is, an element with a class of ACAP. (`lol_html` streams, too, and is faster,
//! but knows the tags only: `<p>` in `<p>` is nested for it.)
//!
//! The tree builder is not linear: what is open is looked through at nearly every tag. `tokens` counts that work, and a page
//! that takes more than 32 steps a byte is read on without tree, its elements being enclosed by what was open where the
//! bound was passed. Real pages took 7 at most. The tokenizer compares each attribute of a tag with
//! those before it, so `feed` passes on 256 of a tag. Nothing recurses.
//!
//! Who wants the page's text, or several pages in one stream, should not look here.

mod acap;
mod conventional;
mod dates;
mod decimal;
mod diagnostic;
mod encoding;
mod extract;
mod feed;
mod headers;
mod reading;
mod tokens;
mod tree;

pub use diagnostic::{PageDiagnostic, PageProblem};
pub use extract::{PageReader, facts};
pub use reading::{AcapVersion, PageReading};
