//! Reads permissions in pages: META tags, class attributes and headers become statements about usages, and links become
//! licences.
//!
//! Reading takes two steps. A [`PageReader`] extracts [`PageFacts`](robomata_protocol::PageFacts) from a page's bytes
//! and its response's headers: everything that may concern usages, as written. [`PageReading`] interprets the facts for
//! one crawler. The result is the policy model's [`PageStatements`](robomata_policy::PageStatements), by vocabulary.
//!
//! Facts are extracted once and serve every crawler. Conflicts between statements are left to the evaluator.
//!
//! ```
//! use robomata_pages::{PageReading, facts};
//! use robomata_policy::Says;
//! use robomata_protocol::{Crawler, Dialect, LengthUnit, Qualifier, Usage};
//!
//! let html = br#"<meta name="robots" content="ACAP allow-present-snippet max-length=100-chars">
//!     <body><div class="the-acap:disallow-index">...</div>"#;
//! let facts = facts(html, &[("X-Robots-Tag", "foobot: nofollow")]);
//! let page = PageReading::new(&facts, &Crawler::new("FooBot"), Dialect::Acap).says;
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
//! An ACAP class applies to everything that its element encloses, and a META tag counts only in the head. Both need the
//! tree that browsers build, with implied end tags and misnested formatting.
//!
//! `html5ever` builds this tree from text that arrives in pieces. Its sink does not store the page: a node knows only
//! its parent. A closed node is freed unless it is, or encloses, an element with an ACAP class. (`lol_html` streams as
//! well, and is faster, but it sees tags only: it would nest a `<p>` in a `<p>`.)
//!
//! The tree builder is not linear, because it searches the open elements at nearly every tag. `tokens` counts this
//! work. After 8 million steps and 32 per byte the rest of the page is read without a tree; its elements count as
//! enclosed by the elements that were open at that point, and by prohibitions before them. Real pages took at most 7.2
//! steps per byte.
//!
//! The tokenizer compares each attribute of a tag with the previous ones, so `feed` passes on at most 256. Nothing
//! recurses.
//!
//! This crate does not extract a page's text, and does not split streams of several pages.

mod acap;
mod content;
mod conventional;
mod dates;
mod decimal;
mod diagnostic;
mod encoding;
mod extract;
mod feed;
mod headers;
mod joined;
mod links;
mod reading;
mod robots_tag;
mod tokens;
mod tree;

pub use content::{NotPageError, require_page, require_page_text, require_whole};
pub use diagnostic::{PageDiagnostic, PageProblem};
pub use extract::{PageReader, facts, facts_of_text};
pub use headers::named as named_headers;
pub use reading::{AcapVersion, PageReading};
