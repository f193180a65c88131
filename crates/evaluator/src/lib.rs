//! Many policies, many URLs.
//!
//! * [`Target`]: what a URL is to a policy: a [`Site`], and a path and query.
//! * [`SitePolicy`]: one site's policy, compiled for some crawlers; it judges URLs of that site.
//! * [`StoreBuilder`] → [`PolicyStore`]: an immutable store of many sites' policies. Equal rule sets are stored once. A
//!   store is one run of bytes, in memory or a mapped file ([`PolicyStore::open`], [`PolicyStore::map`]): the same code
//!   reads both.
//! * [`merge`], [`PolicyStore::shards`], [`KnownBodies`]: stores out of stores, in bounded memory.
//! * [`StoreView`]: two stores side by side, site by site.
//! * [`HistoryChecker`]: what a site said at some time.
//! * [`Checker`]: the hot path, one for each thread: URL → site → program → verdict, without allocating.
//! * [`CrowdChecker`]: the same for several crawlers at once.
//! * [`GroupChecker`]: the same for URLs whose sites come in no order, a group at a time.
//! * [`PolicyStore::check_batch`]: a slice of URLs on all cores, answers in their order.
//! * [`CleanParams`]: the canonical form of a URL, without the parameters that its site says do not matter.
//! * [`explain`]: why an answer is what it is.
//! * [`SitePermissions`]: what a site and a page say about all usages of a URL, with everything that led to it;
//!   [`SiteMementos`]: which TimeGates know old versions.
//! * [`UsageQuery`]: a store may answer about crawl together with one more usage, in bulk.
//!
//! It knows neither file formats nor command lines.

mod batch;
mod check;
mod clean_param;
mod explain;
mod group_table;
mod history;
mod parts;
mod permissions;
mod rules;
mod site;
mod site_policy;
mod store;
mod target;
mod usage;

pub use batch::GroupChecker;
pub use check::{Checker, CrowdChecker};
pub use clean_param::CleanParams;
pub use explain::{Explanation, explain};
pub use history::{HistoryChecker, Version};
pub use parts::UrlParts;
pub use permissions::{FoundTimeGate, SiteMementos, SitePermissions};
pub use site::{Site, SiteError};
pub use site_policy::{CompiledPolicies, PolicyCompiler, SitePolicy};
pub use store::{
    Audience, CompiledPolicyId, CorruptBundleError, DIGEST, Digest, Fingerprint, History, KnownBodies,
    ManifestError, MergeError, OpenError, ParseFingerprintError, PolicyStore, ShardFiles, ShardManifest,
    Shards, SiteEntry, SitePair, StoreBuilder, StoreKind, StoreParts, StoreView, UnsupportedQueryError,
    Written, merge, shard_of,
};
pub use target::{Target, TargetBuffer};
pub use usage::UsageQuery;
