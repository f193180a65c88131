//! Stores: look-up, sharing, recency, batches, and bytes that are not a store.

use std::collections::BTreeMap;

use robomata_evaluator::{Fingerprint, PolicyCompiler, PolicyStore, Site, StoreBuilder, StoreKind};
use robomata_policy::Policy;
use robomata_protocol::lifecycle::Moment;
use robomata_protocol::{Answer, Crawler, Dialect, FetchStatus, Reason};
use robomata_syntax::Config;

fn crawlers() -> Vec<Crawler> {
    vec![Crawler::new("FooBot"), Crawler::new("BarBot-Image,BarBot")]
}

struct Capture<'a> {
    site: &'a str,
    robots: &'a str,
    status: Option<u16>,
    time: Option<i64>,
}

fn capture<'a>(site: &'a str, robots: &'a str) -> Capture<'a> {
    Capture { site, robots, status: None, time: None }
}

fn store(captures: &[Capture<'_>]) -> PolicyStore {
    store_in(Dialect::Rfc9309, captures)
}

fn store_in(dialect: Dialect, captures: &[Capture<'_>]) -> PolicyStore {
    let kind = StoreKind::new(dialect, crawlers());
    let mut compiler = PolicyCompiler::new(&kind);
    let mut builder = StoreBuilder::new(kind.clone());
    for Capture { site, robots, status, time } in captures {
        let status = status.map(FetchStatus::Code);
        let policies = compiler.compile(&Policy::fetched(robots.as_bytes(), status, &Config::new(dialect)));
        builder.insert(&Site::of_url(site.as_bytes()).unwrap(), &policies, time.map(Moment::from_seconds));
    }
    builder.build()
}

fn word(store: &PolicyStore, url: &str) -> &'static str {
    store.checker(&crawlers()[0]).unwrap().check(url.as_bytes()).as_str()
}

#[test]
fn every_spelling_of_an_ipv4_address_has_the_policy_of_its_site() {
    let robots = "User-agent: *\nDisallow: /private";
    for captured in ["http://127.0.0.1", "http://127.1", "http://0x7f000001"] {
        let store = store(&[capture(captured, robots)]);
        let mut checker = store.checker(&crawlers()[0]).unwrap();
        let hosts = [
            ("127.0.0.1", "disallow"),
            ("127.1", "disallow"),
            ("2130706433", "disallow"),
            ("0177.0.0.1", "disallow"),
            ("127.000.000.001", "disallow"),
            ("127.0.0.2", "unknown"),
            ("256.0.0.1", "invalid"),
            ("foo.0x4", "invalid"),
            ("127.0.0.1.nip.io", "unknown"),
        ];
        let urls = hosts.map(|(host, _)| format!("http://{host}/private"));
        let mut answers = [Answer::Unknown; 9];
        checker.check_block(&urls.each_ref().map(|url| url.as_str().into()), &mut answers);
        for ((url, answer), (_, expected)) in urls.iter().zip(answers).zip(hosts) {
            assert_eq!(answer.as_str(), expected, "{captured}: {url}");
            assert_eq!(word(&store, url), expected, "{captured}: {url}");
        }
    }
}

#[test]
fn sites_differ_by_scheme_host_and_port() {
    let store = store(&[
        capture("http://a.example", "User-agent: *\nDisallow: /http"),
        capture("https://a.example", "User-agent: *\nDisallow: /https"),
        capture("https://a.example:8443", "User-agent: *\nDisallow: /port"),
    ]);
    assert_eq!(word(&store, "http://a.example/http"), "disallow");
    assert_eq!(word(&store, "HTTPS://user@A.Example.:443/http"), "allow");
    assert_eq!(word(&store, "HTTPS://user@A.Example.:443/https"), "disallow");
    assert_eq!(word(&store, "https://a.example:8443/port"), "disallow");
    assert_eq!(word(&store, "https://a.example:8444/port"), "unknown");
    assert_eq!(word(&store, "https://b.example/"), "unknown");
    assert_eq!(word(&store, "ftp://a.example/"), "unknown");
    assert_eq!(word(&store, "mailto:a@a.example"), "invalid");
    assert_eq!(word(&store, "/http"), "invalid");
}

#[test]
fn equal_rule_sets_are_stored_once() {
    let robots = "User-agent: *\nDisallow: /x";
    let sites: Vec<String> = (0..100).map(|n| format!("https://s{n}.example")).collect();
    let captures: Vec<Capture<'_>> = sites.iter().map(|site| capture(site, robots)).collect();
    let store = store(&captures);
    assert_eq!((store.site_count(), store.program_count()), (100, 1));
    for site in &sites {
        assert_eq!(word(&store, &format!("{site}/xy")), "disallow");
    }
}

#[test]
fn the_newest_capture_wins_and_a_known_time_beats_none() {
    let at = |robots, time| Capture { time, ..capture("https://a.example", robots) };
    let (old, new) = ("User-agent: *\nDisallow: /old", "User-agent: *\nDisallow: /new");
    for captures in [[at(old, Some(1)), at(new, Some(2))], [at(new, Some(2)), at(old, Some(1))]] {
        assert_eq!(word(&store(&captures), "https://a.example/new"), "disallow");
    }
    assert_eq!(word(&store(&[at(new, Some(-5)), at(old, None)]), "https://a.example/new"), "disallow");
    assert_eq!(word(&store(&[at(old, Some(2)), at(new, Some(2))]), "https://a.example/new"), "disallow");
}

#[test]
fn a_status_decides_instead_of_the_body() {
    let with = |status| {
        let robots = "User-agent: *\nDisallow: /x";
        store(&[Capture { status: Some(status), ..capture("https://a.example", robots) }])
    };
    let reason = |status, url: &str| match with(status).checker(&crawlers()[0]).unwrap().check(url.as_bytes())
    {
        Answer::Verdict(verdict) => Some((verdict.access.as_str(), verdict.reason)),
        _ => None,
    };
    assert_eq!(reason(200, "https://a.example/x"), Some(("disallow", Reason::Rule)));
    assert_eq!(reason(301, "https://a.example/x"), None);
    assert_eq!(reason(404, "https://a.example/x"), Some(("allow", Reason::Unavailable)));
    assert_eq!(reason(503, "https://a.example/y"), Some(("disallow", Reason::Unreachable)));
    assert_eq!(reason(503, "https://a.example/robots.txt"), Some(("allow", Reason::RobotsTxt)));
}

#[test]
fn each_crawler_has_its_own_programs_and_other_crawlers_are_rejected() {
    let store = store(&[capture(
        "https://a.example",
        "User-agent: barbot\nDisallow: /\n\nUser-agent: *\nDisallow: /x",
    )]);
    let [foo, bar] =
        [0, 1].map(|n| store.checker(&crawlers()[n]).unwrap().check(b"https://a.example/y").as_str());
    assert_eq!((foo, bar), ("allow", "disallow"));
    let error = store.checker(&Crawler::new("BazBot")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the policies hold no crawler 'BazBot': they were compiled for 'FooBot', 'BarBot-Image,BarBot'"
    );
    assert!(store.require_dialect(Dialect::Google).is_err());
}

#[test]
fn batches_keep_their_order() {
    let store = store(&[capture("https://a.example", "User-agent: *\nDisallow: /*7")]);
    let urls: Vec<String> = (0..10_000).map(|n| format!("https://a.example/{n}")).collect();
    let answers = store.check_batch(&crawlers()[0], &urls).unwrap();
    for (url, answer) in urls.iter().zip(answers) {
        assert_eq!(answer.as_str() == "disallow", url["https://a.example/".len()..].contains('7'), "{url}");
    }
}

#[test]
fn a_bundle_opens_as_the_original_store() {
    let store = store(&[capture("https://a.example", "User-agent: *\nDisallow: /x*y")]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle");
    std::fs::write(&path, store.bytes()).unwrap();
    let opened = PolicyStore::open(&path).unwrap();
    assert_eq!(opened.bytes(), store.bytes());
    assert_eq!(opened.kind(), store.kind());
    assert_eq!(word(&opened, "https://a.example/x1y"), "disallow");
    std::fs::write(&path, b"").unwrap();
    assert!(PolicyStore::open(&path).is_err());
}

/// A store with every kind of site and program.
fn small_store() -> PolicyStore {
    let many: String = (0..80).map(|n| format!("Disallow: /*seg{n}*x{n}$\n")).collect();
    store(&[
        capture("https://a.example", "User-agent: *\nDisallow: /x*y\nAllow: /z"),
        capture("https://b.example", "User-agent: FooBot\nDisallow: /"),
        capture("http://www.c.example:8080", &format!("User-agent: *\n{many}")),
        Capture { status: Some(404), ..capture("https://d.example", "") },
        Capture { status: Some(503), ..capture("https://e.example", "") },
        Capture { status: Some(301), ..capture("https://f.example", "") },
        capture(&format!("https://{}.example", "long.".repeat(12)), "User-agent: *\nDisallow: /x"),
    ])
}

/// URLs of all sites of [`small_store`], and of another one.
fn urls_of_small_store() -> Vec<String> {
    let long = "long.".repeat(12);
    let sites = ["https://a.example", "https://b.example", "http://www.c.example:8080", "https://d.example"];
    let more = ["https://e.example", "https://f.example", "https://g.example"];
    let paths = ["/", "/x1y", "/z", "/aseg7bx7", "/xseg59yx59"];
    let sites = sites.iter().chain(&more).map(ToString::to_string).chain([format!("https://{long}.example")]);
    sites.flat_map(|site| paths.iter().map(move |path| format!("{site}{path}"))).collect()
}

#[test]
fn damaged_bundles_are_refused() {
    let store = small_store();
    let bytes = store.bytes();
    for length in 0..bytes.len() {
        assert!(PolicyStore::from_bytes(bytes[..length].to_vec()).is_err(), "cut to {length}");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.to_vec();
        damaged[at] ^= 0x41;
        assert!(PolicyStore::from_bytes(damaged).is_err(), "byte {at}");
    }
}

#[test]
fn later_changes_of_the_file_have_no_effect() {
    let (store, urls) = (small_store(), urls_of_small_store());
    let right = store.check_batch(&crawlers()[0], &urls).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle");
    let length = store.bytes().len();
    std::fs::write(&path, store.bytes()).unwrap();
    let opened = PolicyStore::open(&path).unwrap();
    // Not replaced, but overwritten and then cut: the same inode.
    for change in [vec![0xFF; length], vec![0; length / 2], vec![]] {
        std::fs::write(&path, change).unwrap();
        assert_eq!(opened.check_batch(&crawlers()[0], &urls).unwrap(), right);
        assert!(PolicyStore::open(&path).is_err());
    }
}

#[test]
fn large_bundles_are_read_in_pieces_by_several_threads() {
    let robots = |n: usize| format!("User-agent: *\nDisallow: /{n}/{}", "a".repeat(n % 2000));
    let sites: Vec<(String, String)> =
        (0..9000).map(|n| (format!("https://h{n}.example"), robots(n))).collect();
    let captures: Vec<Capture<'_>> = sites.iter().map(|(site, robots)| capture(site, robots)).collect();
    let store = store(&captures);
    assert!(store.bytes().len() > 8 << 20, "{}", store.bytes().len());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle");
    std::fs::write(&path, store.bytes()).unwrap();
    let opened = PolicyStore::open(&path).unwrap();
    assert_eq!(opened.bytes(), store.bytes());
    assert_eq!(Fingerprint::of_file(&path).unwrap(), store.fingerprint());
    for at in (1000..store.bytes().len()).step_by(1 << 20).chain([store.bytes().len() - 1]) {
        let mut bytes = store.bytes().to_vec();
        bytes[at] ^= 0x10;
        std::fs::write(&path, bytes).unwrap();
        assert!(PolicyStore::open(&path).is_err(), "byte {at}");
    }
}

#[test]
fn many_sites_are_found_and_others_are_not() {
    let name = |n: u32| {
        format!("{}://{}s{n}.example", ["http", "https"][n as usize % 2], ["", "www."][n as usize / 2 % 2])
    };
    let sites: Vec<String> = (0..20_000).map(name).collect();
    let captures: Vec<Capture<'_>> =
        sites.iter().map(|site| capture(site, "User-agent: *\nDisallow: /x")).collect();
    let store = store(&captures);
    let urls: Vec<String> = (0..40_000).map(|n| format!("{}/x", name(n))).collect();
    for (n, answer) in store.check_batch(&crawlers()[0], &urls).unwrap().into_iter().enumerate() {
        let expected = if n < 20_000 { "disallow" } else { "unknown" };
        assert_eq!((answer.as_str(), word(&store, &urls[n])), (expected, expected), "{}", urls[n]);
    }
}

#[test]
fn the_place_of_a_site_leads_back_to_it() {
    let names = ["http://a.example", "https://www.a.example", "https://a.example:8443", "ftp://a.example"];
    let store = store(&names.map(|site| capture(site, "User-agent: *\nDisallow: /")));
    let mut found: Vec<String> = store.sites().map(|entry| entry.site()).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        ["ftp://a.example", "http://a.example", "https://a.example:8443", "https://www.a.example"]
    );
    for entry in store.sites() {
        let site = entry.site();
        assert_eq!(store.place_of(&Site::of_url(site.as_bytes()).unwrap()), Some(entry.place()));
        assert_eq!(store.site_at(entry.place()).unwrap().site(), site);
    }
    assert_eq!(store.place_of(&Site::of_url(b"https://a.example").unwrap()), None);
}

#[test]
fn two_stores_are_walked_site_by_site() {
    // Additional sites before it give the same policy another number.
    let site = |n: usize| format!("https://{n}.example");
    let robots =
        |n: usize| format!("User-agent: *\nDisallow: /{}\n\nUser-agent: BarBot\nDisallow: /bar{n}", n % 5);
    let of = |numbers: &mut dyn Iterator<Item = usize>, changed: usize| {
        let captures: Vec<(String, String)> = numbers
            .map(|n| (site(n), if n == changed { "User-agent: *".to_owned() } else { robots(n) }))
            .collect();
        let captures: Vec<Capture<'_>> =
            captures.iter().map(|(site, robots)| capture(site, robots)).collect();
        store(&captures)
    };
    let (old, new) = (of(&mut (0..400), 1000), of(&mut (100..600).rev(), 150));
    let pairs = |crawler: usize| {
        let [old, new] = [&old, &new].map(|store| store.view(&crawlers()[crawler]).unwrap());
        let (mut found, mut other) = (BTreeMap::new(), Vec::new());
        old.each_pair(&new, |pair| {
            let site = pair.site();
            let held = (pair.old.is_some(), pair.new.is_some());
            *found.entry(held).or_insert(0) += 1;
            assert_eq!(old.compiled_policy_of(&Site::of_url(site.as_bytes()).unwrap()), pair.old, "{site}");
            if let (Some(one), Some(two)) = (pair.old, pair.new)
                && !old.says_same(one, &new, two)
            {
                let url = format!("{site}/0");
                let answers = [old.policy(one), new.policy(two)]
                    .map(|mut policy| policy.check(url.as_bytes()).as_str());
                other.push((site, answers, old.policy(one).rule(2)));
            }
        });
        (found, other)
    };
    let (found, other) = pairs(0);
    assert_eq!(found, BTreeMap::from([((true, false), 100), ((true, true), 300), ((false, true), 200)]));
    let rule = Some("Disallow: /0".to_owned());
    assert_eq!(other, [("https://150.example".to_owned(), ["disallow", "allow"], rule)]);
    assert_eq!(pairs(1).1, [("https://150.example".to_owned(), ["allow", "allow"], None)]);
    assert!(old.view(&Crawler::new("Nobody")).is_err());
}

#[test]
fn batches_answer_as_single_checks_do() {
    let store = small_store();
    let mut urls = urls_of_small_store();
    let odd =
        ["https://user@a.example:443/x1y", "HTTPS://A.example/%7A", "https://a.example?x", "/x", "mailto:x"];
    urls.extend(odd.map(str::to_owned));
    urls.extend(
        ["https://a.example/x%31y", "https://a.example/x1y#z", "https://a.example/robots.txt"]
            .map(str::to_owned),
    );
    // Every URL after every other one, so that every pair of neighbours occurs.
    let pairs: Vec<&String> = urls.iter().flat_map(|a| urls.iter().flat_map(move |b| [a, b, b])).collect();
    for crawler in &crawlers() {
        let mut checker = store.checker(crawler).unwrap();
        let expected: Vec<Answer> = pairs.iter().map(|url| checker.check(url.as_bytes())).collect();
        assert_eq!(store.check_batch(crawler, &pairs).unwrap(), expected);
    }
}

#[test]
fn an_empty_store_knows_no_site() {
    let store = store(&[]);
    assert_eq!(word(&store, "https://a.example/"), "unknown");
    assert_eq!(PolicyStore::from_bytes(store.bytes().to_vec()).unwrap().site_count(), 0);
}

#[test]
fn several_crawlers_get_the_same_answers_as_each_alone() {
    let store = store(&[
        capture("http://a.example", "User-agent: *\nDisallow: /any\n\nUser-agent: foobot\nDisallow: /foo"),
        capture("http://b.example", "User-agent: *\nDisallow: /any"),
        Capture { status: Some(503), ..capture("http://c.example", "") },
    ]);
    let crawlers = crawlers();
    let asked: Vec<Crawler> = [1, 0, 1].map(|place: usize| crawlers[place].clone()).to_vec();
    let mut together = store.checker_for(&asked).unwrap();
    let urls = [
        "http://a.example/foo",
        "http://a.example/any%21#x",
        "HTTP://A.example/any",
        "http://b.example/any",
        "http://c.example/any",
        "http://d.example/any",
        "http://d.example/any",
        "mailto:any",
        "http://a.example/robots.txt",
        "http://b.example",
    ];
    for url in urls {
        let alone: Vec<Answer> =
            asked.iter().map(|crawler| store.checker(crawler).unwrap().check(url.as_bytes())).collect();
        assert_eq!(together.check_each(url.as_bytes()), alone, "{url}");
    }
    assert_eq!(store.checker_for(&[]).unwrap().check_each(b"http://a.example/"), []);
    assert!(store.checker_for(&[Crawler::new("OtherBot")]).is_err());
}

#[test]
fn the_draft_s_verdicts_survive_in_a_bundle() {
    let with =
        |status, site| Capture { status: Some(status), ..capture(site, "User-agent: *\nDisallow: /x") };
    let store = store_in(
        Dialect::Koster1996,
        &[
            capture("https://a.example", "User-agent: *\nAllow: /x%2fy\nDisallow: /x\nDisallow: /?q"),
            with(401, "https://b.example"),
            with(503, "https://c.example"),
            with(410, "https://d.example"),
            with(302, "https://e.example"),
        ],
    );
    let store = PolicyStore::from_bytes(store.bytes().to_vec()).unwrap();
    let urls_and_words = [
        ("https://a.example/x", "disallow"),
        ("https://a.example/x%2Fy", "allow"),
        ("https://a.example/x/y", "disallow"),
        ("https://a.example/?q", "allow"),
        ("https://a.example/y?/x", "allow"),
        ("https://a.example/x?y", "disallow"),
        ("https://a.example?x", "allow"),
        ("https://b.example/", "disallow"),
        ("https://b.example/robots.txt", "disallow"),
        ("https://c.example/", "defer"),
        ("https://c.example/robots.txt?x", "defer"),
        ("https://d.example/x", "allow"),
        ("https://e.example/x", "unknown"),
        ("https://f.example/x", "unknown"),
        ("mailto:x", "invalid"),
    ];
    let urls: Vec<&str> = urls_and_words.iter().map(|&(url, _)| url).collect();
    let batch = store.check_batch(&crawlers()[0], &urls).unwrap();
    // On the second check, a checker uses the site that it remembers.
    let mut checker = store.checker(&crawlers()[0]).unwrap();
    for (&(url, expected), answer) in urls_and_words.iter().zip(batch) {
        let words = [answer, checker.check(url.as_bytes()), checker.check(url.as_bytes())];
        assert_eq!(words.map(Answer::as_str), [expected; 3], "{url}");
    }
    let restricted = store.checker(&crawlers()[0]).unwrap().check(b"https://b.example/");
    assert!(matches!(restricted, Answer::Verdict(verdict) if verdict.reason == Reason::Restricted));
}
