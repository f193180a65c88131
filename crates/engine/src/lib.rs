//! The layers of robomata in one crate, for its commands, bindings and tools. It contains no logic and promises no
//! stability: programs should use the crate `robomata`.

pub mod lifecycle;

pub use robomata_automaton as automaton;
pub use robomata_evaluator as evaluator;
pub use robomata_policy as policy;
pub use robomata_protocol as protocol;
pub use robomata_syntax as syntax;

pub use robomata_evaluator::{
    AtVersion, Audience, BLOCK, BundleSummary, Change, Checker, CleanParams, CompiledPolicies,
    CompiledPolicyId, CompiledTdmRep, Contests, CorruptBundleError, Crawlers, DIGEST, Differences, Digest,
    Explainer, Explanation, Fingerprint, FoundTimeGate, History, HistoryChecker, KnownBodies, ManifestError,
    MergeError, NotTextError, OpenError, ParseFingerprintError, PolicyCompiler, PolicySet, PolicySetError,
    PolicyStore, RuleTexts, ShardFiles, ShardManifest, ShardNumber, ShardSet, Shards, SharedBundle, Site,
    SiteEntry, SiteError, SiteMementos, SitePair, SitePermissions, SitePlace, SitePolicy, SiteResource,
    SiteScratch, StoreBuilder, StoreKind, StoreParts, StoreView, Stores, Target, UnsupportedQueryError,
    UsageQuery, VerifiedBundles, Version, ViewedSite, differ, differences, explain, merge, path_or_url,
    require_text, retain_conclusions, shard_of, sync_folder_of, url_of_path,
};
pub use robomata_policy::{
    Choice, ContentSignal, ContentUsage, CrawlerNameError, Mementos, NamedCrawler, PageStatements, Policy,
    TdmRep, TimeGate, crawler_of_user_agent, read_crawler,
};
pub use robomata_protocol::{
    Access, Answer, Circumstances, Conflict, ConflictRule, Crawler, Dialect, FetchOutcome, FetchStatus,
    License, MissingFact, Moment, PageFacts, Part, Permission, PermissionAnswer, PermissionReason, Place,
    ProductToken, Qualifier, Reason, Source, UnknownUsage, UrlParts, UrlRef, Usage, Verdict, Vocabulary,
    requestable,
};
pub use robomata_syntax::{Config, Diagnostic};
