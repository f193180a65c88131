//! Compares stores that answer about usages with the full permission model (`crates/PERMISSIONS.md`, R4).

use robomata_engine::evaluator::{SitePermissions, UsageQuery};
use robomata_engine::policy::PageStatements;
use robomata_engine::protocol::{Circumstances, Usage};
use robomata_engine::{
    Answer, CompiledTdmRep, Config, Dialect, FetchOutcome, Policy, PolicyCompiler, PolicyStore, Site,
    StoreBuilder, StoreKind, TdmRep,
};
use robomata_reference::permissions;
use robomata_testkit::permission_case::PermissionCase;

/// A verdict and its line.
pub type UsageAnswer = (&'static str, u32);

/// The answers of a store and of the model about `usage` in a case, or `None` if they cannot be compared.
pub fn compared(case: &PermissionCase, usage: Usage) -> Option<(UsageAnswer, UsageAnswer)> {
    let dialect = if case.dialect == Dialect::Acap { Dialect::Acap } else { Dialect::Rfc9309 };
    let policy = Policy::fetched(&case.robots, case.status, &Config::new(dialect));
    let usage_query = UsageQuery { usage, purpose: case.circumstances.purpose.clone() };
    let expected = by_model(&policy, case, &usage_query)?;
    let site = Site::of_url(&case.url).ok()?;
    let answer = by_store(&policy, &site, case, &usage_query);
    Some(((answer.as_str(), answer.line()), expected))
}

/// The answer of a store that was written and loaded again.
fn by_store(policy: &Policy<'_>, site: &Site<'_>, case: &PermissionCase, usage_query: &UsageQuery) -> Answer {
    let PermissionCase { crawler, url, .. } = case;
    let kind = StoreKind {
        usage_query: usage_query.clone(),
        ..StoreKind::new(policy.dialect(), vec![crawler.clone()])
    };
    let policies = PolicyCompiler::new(&kind).compile(policy);
    let mut builder = StoreBuilder::new(kind);
    builder.insert(site, &policies, None);
    if usage_query.usage == Usage::Tdm
        && let Some(file) = &case.tdmrep
    {
        let tdmrep = CompiledTdmRep::new(FetchOutcome::Success, &TdmRep::read(file));
        builder.insert_tdmrep(site, &tdmrep, None);
    }
    let store = match PolicyStore::from_bytes(builder.build().bytes().to_vec()) {
        Ok(store) => store,
        Err(error) => panic!("a store that was just built does not load: {error}"),
    };
    match store.checker(crawler) {
        Ok(checker) => match case.circumstances.now {
            Some(now) => checker.at(now).check(url),
            None => { checker }.check(url),
        },
        Err(error) => panic!("a store that was built for a crawler does not hold it: {error}"),
    }
}

/// The answer that R4 derives from the model, or `None` if it depends on facts that a store does not have.
fn by_model(policy: &Policy<'_>, case: &PermissionCase, usage_query: &UsageQuery) -> Option<UsageAnswer> {
    if policy.outcome() == FetchOutcome::Redirected {
        return None;
    }
    let tdmrep = case.tdmrep.as_deref().map(TdmRep::read);
    let purpose = usage_query.purpose.as_deref();
    let mut site = SitePermissions::new(policy, &[], tdmrep.as_ref(), &case.crawler, purpose);
    let now = case.circumstances.now;
    let circumstances =
        Circumstances { purpose: usage_query.purpose.clone(), now, ..Circumstances::default() };
    let mut answer = |usage| site.answer_for(usage, &case.url, &PageStatements::default(), &circumstances);
    let (crawl, used) = (answer(Usage::Crawl)?, answer(usage_query.usage)?);
    let verdict = Answer::Verdict(permissions::in_bulk(&crawl, &used)?);
    Some((verdict.as_str(), verdict.line()))
}
