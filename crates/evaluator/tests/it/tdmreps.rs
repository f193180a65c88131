//! Stores that hold the tdmrep.json of sites: their histories, and what is compared.

use robomata_evaluator::{
    CompiledTdmRep, Difference, History, PolicyCompiler, PolicyStore, Site, StoreBuilder, StoreKind,
    UsageQuery, differences, merge,
};
use robomata_policy::{Policy, TdmRep};
use robomata_protocol::lifecycle::Moment;
use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome, Reason, Usage};
use robomata_syntax::Config;

const RESERVED: &str = r#"[{"location": "/a", "tdm-reservation": 1}]"#;
const OPEN: &str = r#"[{"location": "/", "tdm-reservation": 0}]"#;
const ROBOTS: &str = "User-agent: *\nDisallow: /b\n";

/// A body at a time, or a fetch that failed.
type Captures<'a> = [(i64, Option<&'a str>)];

fn kind(history: History) -> StoreKind {
    let usage_query = UsageQuery { usage: Usage::Tdm, purpose: None };
    StoreKind {
        usage_query,
        history,
        ..StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("A"), Crawler::new("B")])
    }
}

fn builder(history: History, robots: &Captures<'_>, tdmreps: &Captures<'_>) -> StoreBuilder {
    let kind = kind(history);
    let mut builder = StoreBuilder::new(kind.clone());
    let mut compiler = PolicyCompiler::new(&kind);
    let site = Site::of_url(b"https://a.example").unwrap();
    for &(time, body) in tdmreps {
        let tdmrep = match body {
            Some(body) => CompiledTdmRep::new(FetchOutcome::Success, &TdmRep::read(body.as_bytes())),
            None => CompiledTdmRep::new(FetchOutcome::Unreachable, &TdmRep::default()),
        };
        builder.insert_tdmrep(&site, &tdmrep, Some(Moment(time)));
    }
    for &(time, body) in robots {
        let policy = Policy::new(body.unwrap_or_default().as_bytes(), &Config::new(Dialect::Rfc9309));
        builder.insert(&site, &compiler.compile(&policy), Some(Moment(time)));
    }
    builder
}

fn store(history: History, robots: &Captures<'_>, tdmreps: &Captures<'_>) -> PolicyStore {
    let store = builder(history, robots, tdmreps).build();
    PolicyStore::from_bytes(store.bytes().to_vec()).unwrap()
}

fn words(store: &PolicyStore) -> Vec<&'static str> {
    let mut checker = store.checker(&Crawler::new("B")).unwrap();
    ["/a", "/b", "/c"]
        .map(|path| checker.check(format!("https://a.example{path}").as_bytes()).as_str())
        .to_vec()
}

#[test]
fn the_newest_file_of_each_kind_counts() {
    let robots = [(10, Some("")), (20, Some(ROBOTS))];
    let newest = |tdmreps: &Captures<'_>| words(&store(History::Newest, &robots, tdmreps));
    assert_eq!(newest(&[]), ["allow", "disallow", "allow"]);
    assert_eq!(newest(&[(5, Some(RESERVED))]), ["disallow", "disallow", "allow"]);
    assert_eq!(newest(&[(90, Some(OPEN)), (5, Some(RESERVED))]), ["allow", "disallow", "allow"]);
    assert_eq!(newest(&[(90, None), (5, Some(OPEN))]), ["disallow"; 3]);
    let alone = words(&store(History::Newest, &[], &[(5, Some(RESERVED))]));
    assert_eq!(alone, ["disallow", "unknown", "unknown"]);
}

#[test]
fn a_verdict_names_the_file_without_a_line() {
    let store = store(History::Newest, &[(1, Some(ROBOTS))], &[(1, Some(RESERVED))]);
    let mut checker = store.checker_for(&[Crawler::new("A"), Crawler::new("B")]).unwrap();
    let answers = checker.check_each(b"https://a.example/a").to_vec();
    for answer in &answers {
        assert!(
            matches!(answer, Answer::Verdict(verdict) if verdict.reason == Reason::TdmRep && verdict.line == 0)
        );
    }
    let mut rules = Vec::new();
    checker.rules(0, &answers, &mut rules);
    assert_eq!((answers.len(), rules), (2, vec![None, None]));
}

#[test]
fn each_file_has_versions_of_its_own() {
    let robots = [(10, Some("")), (30, Some("")), (40, Some(ROBOTS)), (60, Some(ROBOTS))];
    let tdmreps = [(20, Some(RESERVED)), (35, Some(RESERVED)), (50, Some(OPEN))];
    let whole = store(History::All, &robots, &tdmreps);
    let mut checker = whole.history_checker(&Crawler::new("A")).unwrap();
    let Ok(versions) = checker.versions(b"https://a.example/").map(<[_]>::to_vec);
    let times: Vec<_> = versions.iter().map(|version| (version.first, version.last)).collect();
    let at = |time| Some(Moment(time));
    assert_eq!(times, [(at(10), at(30)), (at(40), at(60))]);
    let answer = |now: Option<i64>, version| {
        let checker = whole.history_checker(&Crawler::new("A")).unwrap();
        let mut checker = match now {
            Some(now) => checker.at(Moment(now)),
            None => checker,
        };
        let Ok(answer) = checker.check_version(b"https://a.example/a", version);
        answer.reason()
    };
    // Before the first tdmrep.json, nothing is reserved.
    assert_eq!([answer(Some(15), 0), answer(Some(20), 0), answer(None, 0)], ["no-rule", "tdmrep", "tdmrep"]);
    assert_eq!([answer(Some(49), 1), answer(Some(50), 1), answer(None, 1)], ["tdmrep"; 3]);
    let words = |now| {
        let mut checker = whole.history_checker(&Crawler::new("A")).unwrap().at(Moment(now));
        let Ok(answer) = checker.check_version(b"https://a.example/a", 1);
        answer.as_str()
    };
    assert_eq!([words(49), words(50)], ["disallow", "allow"]);
    // In whatever order the captures are collected, and in however many stores.
    for cut in 0..=robots.len() {
        let (one, other) = robots.split_at(cut);
        let (first, rest) = tdmreps.split_at(cut.min(tdmreps.len()));
        let stores = [store_part(one, rest), store_part(other, first)];
        let mut bytes = Vec::new();
        merge(&stores.each_ref(), History::All, &mut bytes).unwrap();
        assert_eq!(bytes, whole.bytes(), "{cut}");
        let mut newest = Vec::new();
        merge(&stores.each_ref(), History::Newest, &mut newest).unwrap();
        assert_eq!(newest, store(History::Newest, &robots, &tdmreps).bytes(), "{cut}");
    }
}

fn store_part(robots: &Captures<'_>, tdmreps: &Captures<'_>) -> PolicyStore {
    let mut bytes = Vec::new();
    builder(History::All, robots, tdmreps).write_part(&mut bytes).unwrap();
    PolicyStore::from_bytes(bytes).unwrap()
}

#[test]
fn a_changed_file_is_a_difference() {
    let one = store(History::Newest, &[(1, Some(ROBOTS))], &[(1, Some(RESERVED))]);
    let other = store(History::Newest, &[(1, Some(ROBOTS))], &[(1, Some(OPEN))]);
    let site = Site::of_url(b"https://a.example").unwrap();
    let views = [&one, &one, &other].map(|store| store.view(&Crawler::new("A")).unwrap());
    let ids = views.each_ref().map(|view| view.compiled_policy_of(&site).unwrap());
    assert!(
        views[0].says_same(ids[0], &views[1], ids[1]) && views[0].says_same_to_all(ids[0], &views[1], ids[1])
    );
    assert!(
        !views[0].says_same(ids[0], &views[2], ids[2])
            && !views[0].says_same_to_all(ids[0], &views[2], ids[2])
    );
    let [mut one, _, mut other] = [0, 1, 2].map(|number: usize| views[number].policy(ids[number]));
    let found = differences(&mut one, &mut other, Difference::Verdict, 1 << 20);
    assert_eq!(found.changes.iter().map(|change| &*change.path).collect::<Vec<_>>(), [b"/a"]);
    assert!(!found.is_exhaustive);
}
