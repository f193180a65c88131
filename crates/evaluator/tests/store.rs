//! Stores: look-up, sharing, recency, batches, and octets that are no store.

use robomata_evaluator::{PolicyCompiler, PolicyStore, Recency, Site, StoreBuilder};
use robomata_policy::Policy;
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
    let dialect = Dialect::Rfc9309;
    let crawlers = crawlers();
    let mut compiler = PolicyCompiler::new(&crawlers);
    let mut builder = StoreBuilder::new(dialect, crawlers.clone());
    for Capture { site, robots, status, time } in captures {
        let status = status.map(FetchStatus::Code);
        let policies = compiler.compile(&Policy::fetched(robots.as_bytes(), status, &Config::new(dialect)));
        builder.insert(
            &Site::of_url(site.as_bytes()).unwrap(),
            &policies,
            Recency(time.map(|seconds| (seconds, 0))),
        );
    }
    builder.build()
}

fn word(store: &PolicyStore, url: &str) -> &'static str {
    store.check(&crawlers()[0], url.as_bytes()).unwrap().as_str()
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
    assert_eq!(word(&store, "ftp://a.example/"), "invalid");
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
    let reason = |status, url: &str| match with(status).check(&crawlers()[0], url.as_bytes()).unwrap() {
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
fn each_crawler_has_its_own_programs_and_strangers_are_refused() {
    let store = store(&[capture(
        "https://a.example",
        "User-agent: barbot\nDisallow: /\n\nUser-agent: *\nDisallow: /x",
    )]);
    let [foo, bar] = [0, 1].map(|n| store.check(&crawlers()[n], b"https://a.example/y").unwrap().as_str());
    assert_eq!((foo, bar), ("allow", "disallow"));
    let error = store.check(&Crawler::new("BazBot"), b"https://a.example/").unwrap_err();
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
fn a_bundle_opens_as_the_store_that_it_was() {
    let store = store(&[capture("https://a.example", "User-agent: *\nDisallow: /x*y")]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle");
    std::fs::write(&path, store.octets()).unwrap();
    let opened = PolicyStore::open(&path).unwrap();
    assert_eq!(opened.octets(), store.octets());
    assert_eq!(opened.crawlers(), store.crawlers());
    assert_eq!(word(&opened, "https://a.example/x1y"), "disallow");
    std::fs::write(&path, b"").unwrap();
    assert!(PolicyStore::open(&path).is_err());
}

#[test]
fn damaged_bundles_are_refused() {
    let store = store(&[
        capture("https://a.example", "User-agent: *\nDisallow: /x*y\nAllow: /z"),
        capture("https://b.example", "User-agent: FooBot\nDisallow: /"),
    ]);
    let octets = store.octets();
    for length in 0..octets.len() {
        assert!(PolicyStore::from_octets(octets[..length].to_vec()).is_err(), "cut to {length}");
    }
    for at in 0..octets.len() {
        let mut damaged = octets.to_vec();
        damaged[at] ^= 0x41;
        assert!(PolicyStore::from_octets(damaged).is_err(), "octet {at}");
    }
}

#[test]
fn an_empty_store_knows_nobody() {
    let store = store(&[]);
    assert_eq!(word(&store, "https://a.example/"), "unknown");
    assert_eq!(PolicyStore::from_octets(store.octets().to_vec()).unwrap().site_count(), 0);
}
