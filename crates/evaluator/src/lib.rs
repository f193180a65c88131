//! Evaluates many URLs against many policies.
//!
//! * [`Target`]: the parts of a URL that a policy uses: a [`Site`], and a path and query.
//! * [`SitePolicy`]: one site's policy, compiled for some crawlers; it evaluates URLs of that site.
//! * [`StoreBuilder`] → [`PolicyStore`]: an immutable store of many sites' policies. Equal rule sets are stored once. A
//!   store is one sequence of bytes, which is also its file, a bundle ([`PolicyStore::open`]).
//! * [`PolicySet`]: a whole bundle or its shards, by name.
//! * [`merge`], [`PolicyStore::shards`], [`KnownBodies`]: build stores from other stores in bounded memory.
//! * [`StoreView`]: compares two stores, site by site.
//! * [`Checker`]: the hot path, one per thread: blocks of URLs → sites → policies → verdicts, for one crawler or
//!   several, without allocating. A single URL is a block of one.
//! * [`HistoryChecker`]: the same against earlier versions of a site's policy.
//! * [`PolicyStore::check_batch`]: a slice of URLs on all cores, with the answers in input order.
//! * [`CleanParams`]: the canonical form of a URL, without the parameters that its site declares irrelevant.
//! * [`explain`]: the reasons for an answer. [`differences`]: URLs that two policies of a site answer differently.
//!   [`drawing`]: the program as a drawing. [`Prover`]: what a policy answers for every URL that a pattern matches.
//! * [`SitePermissions`]: the permissions of a site and a page for all usages of a URL, with the reasons;
//!   [`SiteMementos`]: the TimeGates that know old versions.
//! * [`UsageQuery`]: a store can answer about crawl together with one more usage, in bulk.
//!
//! This crate knows neither file formats nor command lines.

mod check;
mod clean_param;
mod difference;
mod drawing;
mod explain;
mod files;
mod group_table;
mod history;
mod permissions;
mod policy_set;
mod prove;
mod rules;
mod schedules;
mod site;
mod site_policy;
mod store;
mod target;
mod text;

pub use check::{BLOCK, Checker, Crawlers, Evaluate, FindStore};
pub use clean_param::CleanParams;
pub use difference::{Change, Differences, differ, differences};
pub use drawing::drawing;
pub use explain::{Explainer, Explanation, explain};
pub use files::sync_folder_of;
pub use history::{AtVersion, HistoryChecker, Version};
pub use permissions::{FoundTimeGate, SiteMementos, SitePermissions};
pub use policy_set::{PolicySet, PolicySetError, ShardSet, SharedBundle, Stores, VerifiedBundles};
pub use prove::{Proof, Prover};
pub use robomata_automaton::{Difference, Drawing, DrawnRule};
pub use robomata_permissions::UsageQuery;
pub use rules::RuleTexts;
pub use site::{Site, SiteError, SiteResource};
pub use site_policy::{
    CompiledPolicies, CompiledTdmRep, PolicyCompiler, SitePolicy, SiteScratch, path_or_url, url_of_path,
};
pub use store::{
    Audience, BundleSummary, CompiledPolicyId, Contests, CorruptBundleError, DIGEST, Digest, Fingerprint,
    History, KnownBodies, ManifestError, MergeError, OpenError, ParseFingerprintError, PolicyStore,
    ShardFiles, ShardManifest, ShardNumber, Shards, SiteEntry, SitePair, SitePlace, StoreBuilder, StoreKind,
    StoreParts, StoreView, UnsupportedQueryError, ViewedSite, merge, retain_conclusions, shard_of,
};
pub use target::{Target, TargetBuffer};
pub use text::{CompressedFormat, NotTextError, require_text};
