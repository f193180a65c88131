//! Generates robots.txt collections and URL frontiers of any size from a seed.
//!
//! Real collections cannot be redistributed: a robots.txt belongs to its site. The collections of this crate have the
//! shape of a real one: the lengths of files, the numbers of rules, the wildcards, how many sites share a file, how
//! many URLs a site has. They contain none of its text. They are for benchmarks and for experiments at sizes that no
//! available collection has. They are not for correctness tests: oddities of real files are rarer here, and hostile
//! input is missing. For those, use `crosscheck` and `corpora/conformance`.
//!
//! ```text
//!  site ─► sharing ─► policy ─► profile ─┬─► body     bytes of a robots.txt
//!    │                 number    a few   └─► url ◄─── n: near one of the profile's rules, or a page
//!    └─► popularity ─► how many URLs     numbers
//! ```
//!
//! Nothing is stored. Everything about a site, a policy or a rule is derived from the seed and its number, in any order
//! ([`Spec`]). A frontier of a hundred million URLs is two numbers and a buffer ([`UrlStream`]).
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
