//! Stores with history, stores for every crawler, and stores built from other stores.

use robomata_evaluator::{
    Audience, Digest, Fingerprint, History, OpenError, PolicyCompiler, PolicyStore, RuleTexts, ShardFiles,
    ShardNumber, Shards, Site, StoreBuilder, StoreKind, merge, shard_of,
};
use robomata_policy::Policy;
use robomata_protocol::lifecycle::Moment;
use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome, FetchStatus};
use robomata_syntax::Config;

const SITE: &str = "https://a.example";

/// Captures of one body each: time, status, body.
type Captures<'a> = [(&'a str, Option<i64>, u16, &'a str)];

fn store(kind: &StoreKind, captures: &Captures<'_>) -> PolicyStore {
    let mut compiler = PolicyCompiler::new(kind);
    let mut builder = StoreBuilder::new(kind.clone());
    for &(site, time, status, robots) in captures {
        let status = Some(FetchStatus::Code(status));
        let policy = Policy::fetched(robots.as_bytes(), status, &Config::new(kind.dialect));
        let policies = compiler.compile(&policy).known_by(digest(robots));
        builder.insert(&Site::of_url(site.as_bytes()).unwrap(), &policies, time.map(Moment::from_seconds));
    }
    builder.build()
}

fn digest(body: &str) -> Digest {
    let mut digest = Digest::default();
    for (at, byte) in body.bytes().enumerate() {
        digest[at % 20] = digest[at % 20].wrapping_mul(31).wrapping_add(byte);
    }
    digest
}

fn everyone(dialect: Dialect) -> StoreKind {
    StoreKind::new(dialect, Audience::Everyone)
}

fn with_history(kind: StoreKind) -> StoreKind {
    StoreKind { history: History::All, ..kind }
}

fn word(answer: Answer) -> (&'static str, u32) {
    (answer.as_str(), answer.line())
}

const GROUPS: &str = "\
User-agent: Foo
User-agent: bar
Disallow: /foo-and-bar

User-agent: Foo
Disallow: /foo

User-agent: baz/2.0
Allow: /
Disallow: /baz

User-agent: *
Disallow: /others
User-agent: empty
";

/// `foo` obeys the same rules as other crawlers; it does not fall back to `bar`.
const STOPS: &str = "User-agent: bar\nDisallow: /\n\nUser-agent: foo\nDisallow:\n";

#[test]
fn a_store_for_everyone_answers_as_one_for_the_crawler() {
    let names = [
        "Foo",
        "FOO",
        "bar",
        "baz",
        "baz/2.0",
        "empty",
        "other",
        "fo",
        "foo-x,foo",
        "x,bar,foo",
        "foo,bar",
        "*",
        "",
        "x y",
    ];
    let paths = ["/foo", "/foo-and-bar", "/baz", "/others", "/", "/robots.txt"];
    for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Koster1996] {
        for robots in [
            GROUPS,
            STOPS,
            "User-agent: *\nDisallow: /foo",
            "User-agent: foo\nDisallow: /\n",
            "",
            "Disallow: /foo",
        ] {
            let all = store(&everyone(dialect), &[(SITE, None, 200, robots)]);
            assert_eq!(PolicyStore::from_bytes(all.bytes().to_vec()).unwrap().bytes(), all.bytes());
            for name in names {
                let crawler = Crawler::new(name);
                let one =
                    store(&StoreKind::new(dialect, vec![crawler.clone()]), &[(SITE, None, 200, robots)]);
                let Ok(mut checker) = all.checker(&crawler) else {
                    assert!(dialect == Dialect::Google && name.contains(','), "{name}");
                    continue;
                };
                for path in paths {
                    let url = format!("{SITE}{path}");
                    let expected = one.checker(&crawler).unwrap().check(url.as_bytes());
                    assert_eq!(
                        checker.check(url.as_bytes()),
                        expected,
                        "{dialect} {name:?} {path} {robots:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_store_for_everyone_distinguishes_crawlers() {
    let all =
        store(&everyone(Dialect::Rfc9309), &[(SITE, None, 200, GROUPS), ("http://b.example", None, 404, "")]);
    let crawlers = ["Foo", "bar", "other", "Foo"].map(Crawler::new);
    let mut together = all.checker_for(&crawlers).unwrap();
    for url in
        ["https://a.example/foo", "https://a.example/others", "http://b.example/foo", "http://c.example/"]
    {
        let expected: Vec<Answer> =
            crawlers.iter().map(|crawler| all.checker(crawler).unwrap().check(url.as_bytes())).collect();
        assert_eq!(together.check_each(url.as_bytes()), expected, "{url}");
        let batch = all.check_batch(&crawlers[1], &[url]).unwrap();
        assert_eq!(batch, expected[1..2], "{url}");
    }
}

/// Every name chooses a different set of groups, which includes a large one.
fn tangled(names: usize, rules: usize) -> String {
    let mut robots: String = (0..names).map(|n| format!("User-agent: n{n}\n")).collect();
    robots.extend((0..rules).map(|n| format!("Disallow: /large/{n}/\n")));
    robots.extend((0..names).map(|n| format!("User-agent: n{n}\nDisallow: /small/{n}/\n")));
    robots
}

#[test]
fn a_store_of_overlapping_groups_answers_as_one_for_the_crawler() {
    // Under one of the dialects, names end before digits.
    let lettered = |text: &str| -> String {
        text.chars()
            .map(|c| c.to_digit(10).and_then(|digit| char::from_digit(digit + 10, 36)).unwrap_or(c))
            .collect()
    };
    let names = ["n1", "N2", "n39", "n40", "x", "*", "n4", "x,n3", "n40,n5"].map(lettered);
    let paths = ["/large/2/", "/large/2", "/small/1/", "/small/3/", "/", "/all", "/robots.txt"].map(lettered);
    let robots = lettered(&tangled(40, 60)) + "User-agent: *\nDisallow: /all\nDisallow: /robots.txt\n";
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let all = store(&everyone(dialect), &[(SITE, None, 200, &robots)]);
        let all = PolicyStore::from_bytes(all.bytes().to_vec()).unwrap();
        let mut texts = RuleTexts::default();
        for name in &names {
            let crawler = Crawler::new(name);
            let one = store(&StoreKind::new(dialect, vec![crawler.clone()]), &[(SITE, None, 200, &robots)]);
            let Ok(mut checker) = all.checker_for(std::slice::from_ref(&crawler)) else { continue };
            let mut history = all.history_checker(&crawler).unwrap();
            for path in &paths {
                let url = format!("{SITE}{path}");
                let expected = one.checker(&crawler).unwrap().check(url.as_bytes());
                assert_eq!(checker.check_each(url.as_bytes()), [expected], "{dialect} {name} {path}");
                assert_eq!(
                    history.check_version(url.as_bytes(), 0).unwrap(),
                    expected,
                    "{dialect} {name} {path}"
                );
                let mut rules = Vec::new();
                checker.rules(0, &[expected], &mut rules);
                let rule = history.rule(url.as_bytes(), 0, expected.line(), &mut texts).unwrap();
                assert_eq!(rules[0].as_deref(), rule.as_deref(), "{dialect} {name} {path}");
                assert_eq!(rule.is_some(), expected.line() > 0, "{dialect} {name} {path}");
            }
            let views = [all.view(&crawler).unwrap(), one.view(&crawler).unwrap()];
            let site = Site::of_url(SITE.as_bytes()).unwrap();
            let policies = views.each_ref().map(|view| view.compiled_policy_of(&site).unwrap());
            assert!(views[0].says_same(policies[0], &views[1], policies[1]), "{dialect} {name}");
        }
    }
}

#[test]
fn unlucky_groups_make_no_large_store() {
    for (names, rules) in [(3, 10), (500, 500), (4000, 4000)] {
        let robots = tangled(names, rules);
        let all = store(&everyone(Dialect::Rfc9309), &[(SITE, None, 200, &robots)]);
        assert!(all.bytes().len() < 8 * robots.len() + 16_384, "{} of {}", all.bytes().len(), robots.len());
        let reopened = PolicyStore::from_bytes(all.bytes().to_vec()).unwrap();
        for (name, path, expected) in [
            ("n1", "/large/2/", "disallow"),
            ("n1", "/small/1/", "disallow"),
            ("n1", "/small/2/", "allow"),
            ("x", "/large/2/", "allow"),
        ] {
            let url = format!("{SITE}{path}");
            let answer = reopened.checker(&Crawler::new(name)).unwrap().check(url.as_bytes());
            assert_eq!(answer.as_str(), expected, "{names} {name} {path}");
        }
        let mut together = reopened.checker_for(&[Crawler::new("n1"), Crawler::new("n2")]).unwrap();
        let answers: Vec<&str> =
            together.check_each(b"https://a.example/small/1/").iter().map(|answer| answer.as_str()).collect();
        assert_eq!(answers, ["disallow", "allow"]);
    }
}

const THROUGH_TIME: &Captures<'static> = &[
    (SITE, Some(300), 200, "User-agent: *\nDisallow: /b"),
    (SITE, Some(100), 200, "User-agent: *\nDisallow: /a"),
    (SITE, Some(200), 200, "User-agent: *\nDisallow: /a"),
    (SITE, Some(400), 503, ""),
    (SITE, Some(500), 200, "User-agent: *\nDisallow: /a"),
    ("https://b.example", None, 200, "User-agent: *\nDisallow: /a"),
];

#[test]
fn versions_are_identified_by_their_times() {
    for audience in [Audience::Everyone, vec![Crawler::new("Foo"), Crawler::new("Bar")].into()] {
        let store = store(&with_history(StoreKind::new(Dialect::Rfc9309, audience)), THROUGH_TIME);
        let store = PolicyStore::from_bytes(store.bytes().to_vec()).unwrap();
        let mut checker = store.history_checker(&Crawler::new("Foo")).unwrap();
        let versions: Vec<_> = checker
            .versions(b"https://a.example/x")
            .unwrap()
            .iter()
            .map(|version| {
                (version.first.map(Moment::seconds), version.last.map(Moment::seconds), version.outcome)
            })
            .collect();
        assert_eq!(
            versions,
            [
                (Some(100), Some(200), FetchOutcome::Success),
                (Some(300), Some(300), FetchOutcome::Success),
                (Some(400), Some(400), FetchOutcome::Unreachable),
                (Some(500), Some(500), FetchOutcome::Success),
            ]
        );
        let mut said = |url: &str, version| word(checker.check_version(url.as_bytes(), version).unwrap());
        assert_eq!(said("https://a.example/a", 0), ("disallow", 2));
        assert_eq!(said("https://a.example/a", 1), ("allow", 0));
        assert_eq!(said("https://a.example/b", 1), ("disallow", 2));
        assert_eq!(said("https://a.example/a", 2).0, "disallow");
        assert_eq!(said("https://a.example/b", 2).0, "disallow");
        assert_eq!(said("https://b.example/a", 0), ("disallow", 2));
        assert_eq!(said("https://a.example/a", 3), ("disallow", 2));
        assert_eq!(said("https://a.example/a", 4).0, "unknown");
        assert_eq!(said("https://c.example/a", 0).0, "unknown");
        assert_eq!(said("mailto:a", 0).0, "invalid");
        assert_eq!(checker.versions(b"https://b.example/").unwrap().len(), 1);
        assert_eq!(checker.versions(b"https://b.example/").unwrap()[0].first, None);
        assert_eq!(checker.versions(b"https://c.example/").unwrap(), []);
        // Other queries use the newest version.
        assert_eq!(
            word(store.checker(&Crawler::new("Foo")).unwrap().check(b"https://a.example/a")),
            ("disallow", 2)
        );
    }
}

#[test]
fn the_order_of_captures_does_not_matter() {
    for kind in [everyone(Dialect::Rfc9309), with_history(everyone(Dialect::Rfc9309))] {
        let mut captures = THROUGH_TIME.to_vec();
        let first = store(&kind, &captures);
        for _ in 0..captures.len() {
            captures.rotate_left(1);
            assert!(store(&kind, &captures).bytes() == first.bytes(), "{kind:?}");
        }
    }
}

#[test]
fn merged_stores_are_the_store_of_all_captures() {
    for kind in [everyone(Dialect::Google), with_history(everyone(Dialect::Google))] {
        let whole = store(&kind, THROUGH_TIME);
        for at in 0..=THROUGH_TIME.len() {
            let mut captures = THROUGH_TIME.to_vec();
            captures.sort_by_key(|capture| capture.1);
            let (before, after) = captures.split_at(at);
            let parts = [store(&kind, before), store(&kind, after)];
            let mut merged = Vec::new();
            let written = merge(&[&parts[0], &parts[1]], kind.history, &mut merged).unwrap();
            assert!(merged == whole.bytes(), "divided at {at}");
            assert_eq!(written.bytes, merged.len() as u64);
            assert_eq!(written.sites, 2);
        }
    }
    let (one, other) = (store(&everyone(Dialect::Google), &[]), store(&everyone(Dialect::Rfc9309), &[]));
    let error = merge(&[&one, &other], History::Newest, &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the policies cannot be merged: google for every crawler about crawl, and rfc9309 for every crawler about crawl"
    );
}

#[test]
fn programs_that_nothing_uses_are_left_out() {
    let kind = everyone(Dialect::Rfc9309);
    let old = store(&kind, &[(SITE, Some(1), 200, "User-agent: *\nDisallow: /old")]);
    let new = store(&kind, &[(SITE, Some(2), 200, "User-agent: *\nDisallow: /new")]);
    let mut merged = Vec::new();
    merge(&[&old, &new], History::Newest, &mut merged).unwrap();
    let merged = PolicyStore::from_bytes(merged).unwrap();
    assert_eq!((merged.program_count(), merged.body_count()), (1, 1));
    merged.bytes().iter().eq(new.bytes()).then_some(()).expect("the new one alone");
}

#[test]
fn known_bodies_are_what_was_compiled() {
    let kind = everyone(Dialect::Rfc9309);
    let captures =
        [(SITE, None, 200, GROUPS), ("http://b.example", None, 200, "User-agent: *\nDisallow: /b")];
    let known = store(&kind, &captures);
    let mut compiler = PolicyCompiler::new(&kind);
    for (_, _, _, robots) in captures {
        let expected = compiler.compile(&Policy::new(robots.as_bytes(), &Config::new(Dialect::Rfc9309)));
        let found = known.known_bodies().policies(&digest(robots));
        assert_eq!(found, Some(expected.known_by(digest(robots))));
    }
    assert_eq!(known.known_bodies().policies(&digest("another")), None);
}

/// A shard that was written to its file.
fn reopen_shard(shards: &Shards<'_>, number: u32, count: u32) -> PolicyStore {
    let folder = tempfile::tempdir().unwrap();
    let files = ShardFiles::new(&folder.path().join("p"), count).unwrap();
    let mut bytes = Vec::new();
    shards.write(number as usize, &mut bytes).unwrap();
    std::fs::write(files.file(number), bytes).unwrap();
    PolicyStore::open_as(&files.file(number), Some(files.shard(number))).unwrap()
}

/// A shard opens neither as a whole bundle nor as another shard. A reader that knows no shards refuses its version.
#[test]
fn a_shard_says_which_one_it_is() {
    let kind = everyone(Dialect::Rfc9309);
    let whole = store(&kind, &[("https://a.example", Some(7), 200, "User-agent: *\nDisallow: /")]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any.bundle");
    let shards = whole.shards(2);
    let mut all = Vec::new();
    for number in [0, 1] {
        let mut bytes = Vec::new();
        let written = shards.write(number as usize, &mut bytes).unwrap();
        assert_eq!((whole.bytes()[8], bytes[8]), (15, 16), "the version");
        let error = PolicyStore::from_bytes(bytes.clone()).unwrap_err().to_string();
        assert!(error.ends_with("expected all sites of a bundle, not one of its shards"), "{error}");
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(Fingerprint::of_file(&path).unwrap(), written.fingerprint);

        let shard = ShardNumber { number, count: 2 };
        let opened = |expected| PolicyStore::open_as(&path, expected).map(|store| store.shard());
        assert_eq!(opened(Some(shard)).unwrap(), Some(shard));
        assert!(matches!(opened(None), Err(OpenError::Shard(found)) if found == shard));
        for other in [ShardNumber { number: 1 - shard.number, ..shard }, ShardNumber { count: 3, ..shard }] {
            let error = opened(Some(other)).unwrap_err().to_string();
            assert!(error.ends_with("expected the shard that its name says"), "{error}");
        }
        all.push(reopen_shard(&shards, number, 2));
    }
    let fingerprints: Vec<_> = all.iter().map(PolicyStore::fingerprint).collect();
    assert_ne!(fingerprints[0], fingerprints[1]);
    let mut merged = Vec::new();
    merge(&[&all[0], &all[1]], History::Newest, &mut merged).unwrap();
    assert_eq!(merged, whole.bytes());
    std::fs::write(&path, whole.bytes()).unwrap();
    let undivided = |count| PolicyStore::open_as(&path, Some(ShardNumber { number: 0, count }));
    let error = undivided(2).unwrap_err().to_string();
    assert!(error.ends_with("expected the shard that its name says"), "an undivided bundle: {error}");
    assert_eq!(undivided(1).unwrap().shard(), None);
}

#[test]
fn shards_hold_the_sites_of_their_hosts() {
    let kind = with_history(everyone(Dialect::Rfc9309));
    let sites: Vec<String> = (0..500)
        .flat_map(|n| {
            [
                format!("http://h{n}.example"),
                format!("https://h{n}.example:8443"),
                format!("http://[::{n}]:81"),
            ]
        })
        .collect();
    let bodies: Vec<String> =
        (0..sites.len()).map(|n| format!("User-agent: *\nDisallow: /{}", n % 50)).collect();
    let captures: Vec<_> =
        sites.iter().zip(&bodies).map(|(site, body)| (site.as_str(), Some(7), 200, body.as_str())).collect();
    let whole = store(&kind, &captures);
    let shards = whole.shards(7);
    let mut sites_found = 0;
    for shard in 0..7 {
        let part = reopen_shard(&shards, shard, 7);
        sites_found += part.site_count();
        assert!(part.site_count() > 150, "{}", part.site_count());
        for entry in part.sites() {
            let name = entry.site();
            assert_eq!(Site::of_url(format!("{name}/").as_bytes()).unwrap().shard(7), shard);
            let url = format!("{name}/1");
            let crawler = Crawler::new("x");
            assert_eq!(
                part.checker(&crawler).unwrap().check(url.as_bytes()),
                whole.checker(&crawler).unwrap().check(url.as_bytes()),
                "{url}"
            );
        }
    }
    assert_eq!(sites_found, whole.site_count());
    // Golden values: they must be the same in every version.
    assert_eq!(
        [b"example.com".as_slice(), b"www.example.org", b"[::1]"].map(|host| shard_of(host, 1000)),
        [544, 50, 940]
    );
}
