//! Stores that answer about usages, against the permission model that tells everything (`crates/PERMISSIONS.md`, R4).

use robomata::evaluator::{Aim, SitePermissions};
use robomata::policy::PageStatements;
use robomata::protocol::{Circumstances, Permission, PermissionAnswer, Qualifier, Usage};
use robomata::{
    Answer, Config, Crawler, Dialect, FetchOutcome, Policy, PolicyCompiler, PolicyStore, Site, StoreBuilder,
    StoreKind,
};
use robomata_testkit::permission_case::PermissionCase;

/// A verdict and its line.
pub type Said = (&'static str, u32);

/// What a store and what the model says about `usage` in a case; none where they cannot be compared.
pub fn compared(case: &PermissionCase, usage: Usage) -> Option<(Said, Said)> {
    let dialect = if case.dialect == Dialect::Acap { Dialect::Acap } else { Dialect::Rfc9309 };
    let policy = Policy::fetched(&case.robots, case.status, &Config::new(dialect));
    let aim = Aim { usage, purpose: case.circumstances.purpose.clone() };
    let expected = by_model(&policy, case, &aim)?;
    let site = Site::of_url(&case.url).ok()?;
    let answer = by_store(&policy, &site, &case.crawler, &case.url, &aim);
    Some(((answer.as_str(), answer.line()), expected))
}

/// What a store that was written and loaded again answers.
fn by_store(policy: &Policy<'_>, site: &Site<'_>, crawler: &Crawler, url: &[u8], aim: &Aim) -> Answer {
    let kind = StoreKind { aim: aim.clone(), ..StoreKind::new(policy.dialect(), vec![crawler.clone()]) };
    let policies = PolicyCompiler::new(&kind).compile(policy);
    let mut builder = StoreBuilder::new(kind);
    builder.insert(site, &policies, None);
    let store = match PolicyStore::from_octets(builder.build().octets().to_vec()) {
        Ok(store) => store,
        Err(error) => panic!("a store that was just built does not load: {error}"),
    };
    match store.check(crawler, url) {
        Ok(answer) => answer,
        Err(error) => panic!("a store that was built for a crawler does not hold it: {error}"),
    }
}

/// What R4 makes of the model's answers; none where it leaves more to the model than a store knows.
fn by_model(policy: &Policy<'_>, case: &PermissionCase, aim: &Aim) -> Option<Said> {
    if policy.outcome() != FetchOutcome::Success {
        return None;
    }
    let purpose = aim.purpose.as_deref();
    let mut site = SitePermissions::new(policy, &[], &case.crawler, purpose);
    let circumstances = Circumstances { purpose: aim.purpose.clone(), ..Circumstances::default() };
    let mut answer = |usage| site.answer_for(usage, &case.url, &PageStatements::default(), &circumstances);
    let (crawl, used) = (answer(Usage::Crawl)?, answer(aim.usage)?);
    if [&crawl, &used].into_iter().any(looks_elsewhere) {
        return None;
    }
    let line = |answer: &PermissionAnswer| answer.source.map(|source| source.line);
    let is_prohibited = |answer: &PermissionAnswer| answer.permission == Permission::Prohibited;
    let (word, line) = if is_prohibited(&used) {
        ("disallow", line(&used))
    } else if is_prohibited(&crawl) {
        ("disallow", line(&crawl))
    } else {
        ("allow", line(&used).or(line(&crawl)))
    };
    Some((word, line.unwrap_or(0)))
}

/// Does an answer depend on another resource, which bulk does not look at?
fn looks_elsewhere(answer: &PermissionAnswer) -> bool {
    use robomata::protocol::PermissionReason::TargetNotCrawlable;
    let is_target = |qualifier: &Qualifier| {
        matches!(qualifier, Qualifier::MustUseResource(_) | Qualifier::MustIncludeResource(_))
    };
    answer.reason == TargetNotCrawlable || answer.qualifiers.iter().any(is_target)
}
