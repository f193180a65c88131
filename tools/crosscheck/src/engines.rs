//! Every configuration of the engine.

use std::ops::Range;

use robomata_engine::automaton::{
    Compiler, Program, Scratch, SelectedRules, UnionProgram, UnionScratch, Validator,
};
use robomata_engine::policy::outcome;
use robomata_engine::protocol::lifecycle::Moment;
use robomata_engine::syntax::Key;
use robomata_engine::{
    Answer, Audience, Config, Crawler, Dialect, FetchOutcome, FetchStatus, History, Policy, PolicyCompiler,
    PolicyStore, Site, SitePolicy, StoreBuilder, StoreKind, Target, UrlParts, UrlRef, Verdict, explain,
    merge, requestable,
};
use robomata_reference::Reference;
use robomata_testkit::Case;

#[cfg(feature = "commands")]
use crate::columns;

/// A way to answer a case. Returns `None` if this way does not support the question (a store takes http and https URLs
/// only).
pub type Engine = fn(&Case) -> Option<Answer>;

/// The configurations of the engine, by name.
pub const CONFIGURATIONS: &[(&str, Engine)] = &[
    ("one site", one_site),
    ("program stored and loaded", loaded_program),
    ("program of all groups", union_program),
    ("store", store),
    ("bundle", bundle),
    ("merged history for everyone", history),
    ("explanation", explanation),
    #[cfg(feature = "commands")]
    ("columns", in_columns),
];

/// The reference's answer to a case.
pub fn reference(case: &Case) -> Answer {
    Reference::new(&case.robots, case.status, &case.crawler, case.dialect).judge(&case.url)
}

/// Returns the first configuration that contradicts the reference, with both answers.
pub fn divergence(case: &Case) -> Option<(&'static str, Answer, Answer)> {
    let expected = reference(case);
    CONFIGURATIONS.iter().find_map(|&(name, engine)| {
        let answer = engine(case)?;
        (answer != expected).then_some((name, answer, expected))
    })
}

pub(crate) fn policy(case: &Case) -> Policy<'_> {
    Policy::fetched(&case.robots, case.status, &Config::new(case.dialect))
}

/// The answer of a policy compiled for one site.
pub fn one_site(case: &Case) -> Option<Answer> {
    Some(SitePolicy::new(&policy(case), &case.crawler).check(&case.url))
}

/// The target of a case in normal form, if rules alone decide about it.
fn target_of_rules(case: &Case, policy: &Policy<'_>) -> Option<Vec<u8>> {
    target_in(policy, &case.url)
}

/// The target of `url` in normal form, if rules alone decide about it.
pub(crate) fn target_in(policy: &Policy<'_>, url: &[u8]) -> Option<Vec<u8>> {
    let dialect = policy.dialect();
    // ACAP fields are not rules: a statement program evaluates them.
    if policy.outcome() != FetchOutcome::Success || acap_lines(policy).next().is_some() {
        return None;
    }
    let mut buffer = Default::default();
    let target = Target::read(url, dialect)?;
    let normal = target.normal(dialect, &mut buffer);
    let is_always_allowed =
        matches!(dialect, Dialect::Rfc9309 | Dialect::Acap | Dialect::Yandex) && normal == b"/robots.txt";
    (!is_always_allowed).then(|| normal.to_vec())
}

fn loaded_program(case: &Case) -> Option<Answer> {
    let policy = policy(case);
    let target = target_of_rules(case, &policy)?;
    let program = Program::compile(&policy.rules_for(&case.crawler));
    let loaded = match Program::from_bytes(program.as_ref().bytes()) {
        Ok(loaded) => loaded,
        Err(error) => panic!("a program that was just compiled does not load: {error}\n{program:?}"),
    };
    Some(Answer::Verdict(loaded.as_ref().verdict(&target, &mut Scratch::new())))
}

/// The answer of the crawler's groups, selected from a program of all groups. Asserts that the program of these rules
/// alone can be recovered from it.
fn union_program(case: &Case) -> Option<Answer> {
    let policy = policy(case);
    let target = target_of_rules(case, &policy)?;
    let numbers: Vec<u32> = (0..).take(policy.groups().len()).collect();
    let all = policy.rules_in(policy.groups().iter().collect());
    let union = UnionProgram::compile(&all, &numbers, &mut Compiler::new());
    UnionProgram::validate(&union, &mut Validator::new()).expect("a union that was just compiled is valid");
    let rules = policy.rules_for(&case.crawler);
    let (mut groups, mut chosen) = (Vec::new(), rules.groups().iter().peekable());
    for (&number, group) in numbers.iter().zip(policy.groups()) {
        if chosen.next_if(|&&chosen| std::ptr::eq(chosen, group)).is_some() {
            UnionProgram::push_group(number, &mut groups);
        }
    }
    let selected =
        UnionProgram::find(&union).and_then(|union| union.select(&groups)).expect("groups are numbers");
    let alone = selected.program(case.dialect).expect("a union that was just compiled is sound");
    assert_eq!(alone, Program::compile(&rules), "the program of {}", case.crawler);
    let verdict = selected.verdict(&target, &mut Scratch::new());
    assert_eq!(verdict, together(&selected, &union, &target), "in one walk with other groups");
    Some(Answer::Verdict(verdict))
}

/// The verdict of `selected`, found in one walk with those of all groups, of none, and of each of the first ones.
fn together(selected: &SelectedRules<'_>, union: &[u8], target: &[u8]) -> Verdict {
    const MOST: u32 = 4;
    let groups = |numbers: Range<u32>| {
        let mut groups = Vec::new();
        numbers.for_each(|number| UnionProgram::push_group(number, &mut groups));
        groups
    };
    let others: Vec<Vec<u8>> =
        (0..MOST).map(|number| groups(number..number + 1)).chain([groups(0..1_000), groups(0..0)]).collect();
    let union = UnionProgram::find(union).expect("a union that was just compiled is a union");
    let mut selections: Vec<SelectedRules<'_>> =
        others.iter().map(|groups| union.select(groups).expect("groups are numbers")).collect();
    selections.insert(1, *selected);
    let (mut scratch, mut union_scratch) = (Scratch::new(), UnionScratch::default());
    let selection = |index: usize| selections.get(index);
    let verdicts = SelectedRules::verdicts(&selection, target, &mut scratch, &mut union_scratch);
    let verdicts: Vec<Verdict> = verdicts.collect();
    for (selection, &verdict) in selections.iter().zip(&verdicts) {
        assert_eq!(selection.verdict(target, &mut scratch), verdict, "alone and together");
    }
    verdicts[1]
}

fn built_store(case: &Case) -> Option<PolicyStore> {
    let site = Site::of_url(&case.url).ok()?;
    let kind = StoreKind::new(case.dialect, vec![case.crawler.clone()]);
    let policies = PolicyCompiler::new(&kind).compile(&policy(case));
    let mut builder = StoreBuilder::new(kind);
    builder.insert(&site, &policies, None);
    Some(builder.build())
}

/// The store, if batches and columns judge the URL as it is.
fn judged_as_written(case: &Case) -> Option<PolicyStore> {
    built_store(case).filter(|_| requestable(&case.url) == Some(&case.url[..]))
}

fn store(case: &Case) -> Option<Answer> {
    let store = judged_as_written(case)?;
    let answers = store.check_batch(&case.crawler, &[&case.url]);
    answers.ok().map(|answers| answers[0])
}

/// The answer of a store, checked against the answer through columns.
#[cfg(feature = "commands")]
fn in_columns(case: &Case) -> Option<Answer> {
    let store = judged_as_written(case)?;
    let answer = store.checker(&case.crawler).ok()?.check(&case.url);
    let rows = columns::rows(store, &case.crawler, &[&case.url]).ok()?;
    assert_eq!(rows, [columns::row_of(answer)], "the columns for {}", case.url.escape_ascii());
    Some(answer)
}

fn bundle(case: &Case) -> Option<Answer> {
    let bytes = built_store(case)?.bytes().to_vec();
    match PolicyStore::from_bytes(bytes) {
        Ok(store) => checked_again(&store, &case.crawler, &case.url),
        Err(error) => panic!("a bundle that was just built does not load: {error}"),
    }
}

/// An older version of a site whose newest one has this status. It is a redirect if that is one, too: any other version would
/// count before it.
pub(crate) fn older(status: Option<FetchStatus>, dialect: Dialect) -> Policy<'static> {
    let is_redirect = outcome(status, dialect) == FetchOutcome::Redirected;
    Policy::fetched(b"User-agent: *\nDisallow: /", status.filter(|_| is_redirect), &Config::new(dialect))
}

/// The answer of a store for every crawler. The store is merged from two, and the case's policy is the newest version.
fn history(case: &Case) -> Option<Answer> {
    let site = Site::of_url(&case.url).ok()?;
    let kind = StoreKind { history: History::All, ..StoreKind::new(case.dialect, Audience::Everyone) };
    if !kind.is_possible() {
        return None;
    }
    let part = |policy: &Policy<'_>, time| {
        let mut builder = StoreBuilder::new(kind.clone());
        let policies = PolicyCompiler::new(&kind).compile(policy);
        builder.insert(&site, &policies, Some(Moment::from_seconds(time)));
        builder.build()
    };
    let other = older(case.status, case.dialect);
    let parts = [part(&other, 1), part(&policy(case), 2)];
    let mut bytes = Vec::new();
    merge(&[&parts[0], &parts[1]], History::All, &mut bytes).expect("stores of one kind merge");
    let store = PolicyStore::from_bytes(bytes).expect("a merged store loads");
    let answer = checked_again(&store, &case.crawler, &case.url)?;
    let mut checker = store.history_checker(&case.crawler).ok()?;
    let Ok(versions) = checker.versions(&case.url);
    let newest = versions.len().checked_sub(1)?;
    let Ok(newest) = checker.check_version(&case.url, newest);
    assert_eq!(newest, answer, "the newest version of {}", case.url.escape_ascii());
    Some(answer)
}

/// The answer of a checker. Asserts that it is the same when the checker has cached the site, and among several
/// crawlers.
pub fn checked_again(store: &PolicyStore, crawler: &Crawler, url: &[u8]) -> Option<Answer> {
    let mut checker = store.checker(crawler).ok()?;
    let answers = [checker.check(url), checker.check(url)];
    assert_eq!(answers[0], answers[1], "checked twice: {}", url.escape_ascii());
    let mut together = store.checker_for(&[crawler.clone(), crawler.clone()]).ok()?;
    for _ in 0..2 {
        assert_eq!(together.check_each(url), answers, "checked for several crawlers: {}", url.escape_ascii());
    }
    // In a block, after another site and before it, as a text and as parts.
    let elsewhere = UrlRef::from("https://not-held.example/x");
    let text = UrlRef::Text(url);
    let parts = parts_of(url).map_or(text, UrlRef::Parts);
    let block = [parts, elsewhere, parts, text, parts, elsewhere, text];
    let mut in_block = [Answer::Unknown; 7];
    checker.check_block(&block, &mut in_block);
    let mut both = [Answer::Unknown; 14];
    together.check_block(&block, &mut both);
    for (place, url_in_block) in block.iter().enumerate().filter(|(_, url)| **url != elsewhere) {
        let place_in_both = &both[2 * place..][..2];
        assert_eq!(in_block[place], answers[0], "in a block: {url_in_block:?}");
        assert_eq!(place_in_both, answers, "in a block for several crawlers: {url_in_block:?}");
    }
    Some(answers[0])
}

/// Splits `url` into parts as the columns of an index hold them. Returns `None` if the parts would not give the same
/// text.
pub(crate) fn parts_of(url: &[u8]) -> Option<UrlParts<'_>> {
    let colon = url.windows(3).position(|bytes| bytes == b"://")?;
    let rest = &url[colon + 3..];
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let mark = rest.iter().position(|&byte| byte == b'?');
    let (path, query) = mark.map_or((rest, None), |mark| (&rest[..mark], Some(&rest[mark + 1..])));
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse().ok();
    let at_port = authority.iter().rposition(|&byte| byte == b':');
    let port = at_port.and_then(|at| number(&authority[at + 1..]));
    let host = at_port.filter(|_| port.is_some()).map_or(authority, |at| &authority[..at]);
    let parts = UrlParts { scheme: &url[..colon], host, port, path, query };
    (*UrlRef::Parts(parts).text() == *url).then_some(parts)
}

/// The lines of the ACAP fields, in the dialect that reads them.
fn acap_lines(policy: &Policy<'_>) -> impl Iterator<Item = u32> {
    let is_read = policy.dialect() == Dialect::Acap;
    policy
        .extensions()
        .iter()
        .filter(move |record| is_read && record.key == Key::Acap)
        .map(|record| record.line)
}

/// The answer of an explanation. Asserts that its line is the line of the winning rule or of an ACAP field.
fn explanation(case: &Case) -> Option<Answer> {
    let policy = policy(case);
    let explanation = explain(&policy, &case.crawler, &case.url);
    let line = explanation.answer.line();
    match explanation.winner() {
        Some(winner) => assert_eq!(line, winner.line, "the winner is the deciding rule: {explanation:?}"),
        None => assert!(
            line == 0 || acap_lines(&policy).any(|field| field == line),
            "an answer without a winning rule comes from an ACAP field: {explanation:?}"
        ),
    }
    Some(explanation.answer)
}
