//! Robots.txt collections and URL frontiers of any size, made up from a seed.
//!
//! Real collections cannot be handed on: a robots.txt belongs to its site. This crate makes collections that have the
//! shape of a real one (how long files are, how many rules they have, which wildcards, how many sites share one file,
//! how many URLs a site has) and none of its text. It is for benchmarks and for trying things out at sizes that no
//! collection at hand has. It is not for correctness: what is odd about real files is rarer here, and what is hostile
//! is missing; for that there are `crosscheck` and `corpora/conformance`.
//!
//! ```text
//!  site ─► sharing ─► policy ─► profile ─┬─► body     bytes of a robots.txt
//!    │                 number    a few   └─► url ◄─── n: near one of the profile's rules, or a page
//!    └─► popularity ─► how many URLs     numbers
//! ```
//!
//! Nothing is stored. Whatever belongs to a site, a policy or a rule is derived from the seed and its number, at once
//! and in any order ([`Spec`]); a frontier of a hundred million URLs is two numbers and a buffer ([`UrlStream`]).
//!
//! ```
//! use robomata_corpus::Spec;
//!
//! let spec = Spec::new(1).with_sites(1000).with_urls(5);
//! let mut robots = Vec::new();
//! spec.body(spec.policy_of(17), &mut robots);
//! let mut urls = spec.urls_shuffled();
//! while let Some((site, url)) = urls.next() {
//!     assert!(site < 1000 && url.starts_with(b"http"));
//! }
//! ```

pub mod describe;
pub mod table;
#[cfg(feature = "files")]
pub mod write;

mod body;
mod heads;
mod host;
mod pattern;
mod popularity;
mod profile;
mod rng;
mod shape;
mod sharing;
mod spec;
mod stream;
mod url;
mod words;

pub use spec::{Order, Spec};
pub use stream::UrlStream;
