//! Bundles from arbitrary bytes, and real ones that were changed, with the checksums of whoever forges a bundle: they are
//! refused, or can be checked, inspected, divided, merged and compared.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use robomata_engine::automaton::Difference;

use robomata_engine::{
    Answer, Audience, Crawler, History, Moment, OpenError, PolicyStore, RuleTexts, ShardNumber, UrlRef,
    differences, merge,
};
use robomata_fuzz::bundle::{KINDS, URLS, edit, fit, seal, small};
use robomata_fuzz::file;
use robomata_jobs::inspect::{inspect, inspect_site};

/// The shard that is changed.
const SHARD: ShardNumber = ShardNumber { number: 1, count: 2 };

/// A bundle that is changed.
struct Original {
    bytes: Vec<u8>,
    shard: Vec<u8>,
    store: PolicyStore,
}

fn originals() -> &'static [Original] {
    static ORIGINALS: OnceLock<Vec<Original>> = OnceLock::new();
    ORIGINALS.get_or_init(|| {
        let original = |number| {
            let bytes = small(number);
            let store = PolicyStore::from_bytes(bytes.clone()).expect("a bundle just built opens");
            Original { bytes, shard: shard_of(&store, SHARD), store }
        };
        (0..KINDS).map(original).collect()
    })
}

// The first byte says what the others are: a whole bundle, or changes of a real one or of its shard.
fuzz_target!(|data: &[u8]| {
    let Some((&first, rest)) = data.split_first() else { return };
    let original = &originals()[usize::from(first & 7)];
    let way = first >> 3 & 3;
    let mut bytes = match way {
        0 => original.shard.clone(),
        1 => rest.to_vec(),
        _ => original.bytes.clone(),
    };
    if way != 1 {
        edit(&mut bytes, rest);
    }
    // The length of a section is what makes the header fit, if the lengths do not.
    if way == 3 {
        fit(&mut bytes, usize::from(first >> 5));
    }
    seal(&mut bytes);
    bytes.truncate(1 << 16);
    let opened = match way {
        0 => open(&bytes, Some(SHARD)),
        _ => PolicyStore::from_bytes(bytes).map_err(Into::into),
    };
    if let Ok(store) = opened {
        use_everything(&store, &original.store);
    }
});

fn open(bytes: &[u8], shard: Option<ShardNumber>) -> Result<PolicyStore, OpenError> {
    PolicyStore::open_as(&file::write("x.bundle", bytes), shard)
}

fn shard_of(store: &PolicyStore, shard: ShardNumber) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.shards(shard.count).write(shard.number as usize, &mut bytes).expect("memory can be written");
    bytes
}

fn use_everything(store: &PolicyStore, other: &PolicyStore) {
    let crawlers = match store.audience() {
        Audience::Crawlers(crawlers) => crawlers.clone(),
        Audience::Everyone => vec![Crawler::new("FooBot"), Crawler::new("*")],
    };
    check(store, &crawlers);
    let inspection = inspect(store, 3);
    assert_eq!(inspection.bytes, store.bytes().len());
    let _ = (format!("{store:?}"), store.fingerprint(), store.parts());
    let mut sites = 0;
    for entry in store.sites() {
        sites += 1;
        let (name, versions) = (entry.site(), entry.versions());
        for one in 0..versions.len() {
            let _ = entry.says_same(one, versions.len() - 1);
        }
        let again = store.site_at(entry.place()).expect("a site at its place");
        assert_eq!(again.site(), name);
        for program in entry.programs() {
            assert!(store.program_bytes_of(program).is_some(), "a program that exists");
        }
        let _ = inspect_site(store, &name);
    }
    assert_eq!(sites, store.site_count(), "as many sites as it says");
    for byte in 0..12 {
        let _ = store.known_bodies().policies(&[byte; 20]);
    }
    view(store, other, &crawlers);
    divide(store);
    for (stores, history) in [([store, other], History::All), ([store, store], History::Newest)] {
        let mut out = Vec::new();
        if merge(&stores, history, &mut out).is_ok() {
            let merged = PolicyStore::from_bytes(out).expect("a merged bundle opens");
            assert!(merged.site_count() >= store.site_count(), "a merged bundle has the sites of both");
            check(&merged, &crawlers);
        }
    }
}

fn check(store: &PolicyStore, crawlers: &[Crawler]) {
    let names: Vec<String> =
        store.sites().take(3).map(|entry| format!("{}/private/x.gif", entry.site())).collect();
    let urls: Vec<&[u8]> =
        URLS.iter().map(|url| url.as_bytes()).chain(names.iter().map(|url| url.as_bytes())).collect();
    let mut together = store.checker_for(crawlers).expect("the crawlers of the store");
    for (column, crawler) in crawlers.iter().enumerate() {
        let mut checker = store.checker(crawler).expect("a crawler of the store");
        let block: Vec<UrlRef<'_>> = urls.iter().map(|&url| UrlRef::from(url)).collect();
        let mut in_block = vec![Answer::Unknown; block.len()];
        checker.check_block(&block, &mut in_block);
        for (url, &answer) in urls.iter().zip(&in_block) {
            assert_eq!(checker.check(url), answer, "in a block and alone: {}", url.escape_ascii());
            assert_eq!(
                together.check_each(url)[column],
                answer,
                "for several crawlers: {}",
                url.escape_ascii()
            );
        }
        let mut history = store.history_checker(crawler).expect("a crawler of the store");
        let mut texts = RuleTexts::default();
        for url in &urls {
            let Ok(versions) = history.versions(url).map(<[_]>::len);
            for version in 0..versions.min(8) {
                let Ok(answer) = history.check_version(url, version);
                let Ok(_) = history.schedule(url, version);
                let Ok(_) = history.rule(url, version, answer.line(), &mut texts);
            }
        }
        let mut later = store.checker(crawler).expect("a crawler of the store").at(Moment::from_seconds(1));
        urls.iter().for_each(|url| {
            later.check(url);
        });
    }
}

fn view(store: &PolicyStore, other: &PolicyStore, crawlers: &[Crawler]) {
    for crawler in crawlers {
        let view = store.view(crawler).expect("a crawler of the store");
        for site in view.sites().take(16) {
            let mut policy = view.policy(site.policy);
            for url in URLS {
                policy.check(url.as_bytes());
            }
            let _ =
                (policy.rule(1), policy.instances().len(), view.named(site.policy), view.schedule_of(&site));
            let _ = (view.outcome(site.policy), view.pace(site.policy, None, &Default::default()));
            assert!(view.says_same(site.policy, &view, site.policy), "a policy says the same as itself");
        }
        let Ok(others) = other.view(crawler) else { continue };
        let mut pairs = 0;
        view.each_pair(&others, |pair| {
            pairs += 1;
            if let (Some(old), Some(new)) = (pair.old, pair.new)
                && store.dialect() == other.dialect()
                && pairs < 16
            {
                let is_same = view.says_same(old, &others, new);
                let (mut old, mut new) = (view.policy(old), others.policy(new));
                let found = differences(&mut old, &mut new, Difference::Line, 10_000);
                assert!(!is_same || found.changes.is_empty(), "the same policies, but {:?}", found.changes);
            }
        });
        assert!(pairs >= store.site_count().max(other.site_count()), "all sites of both");
    }
}

fn divide(store: &PolicyStore) {
    let shard = |number| {
        let shard = ShardNumber { number, count: 3 };
        let bytes = shard_of(store, shard);
        PolicyStore::from_bytes(bytes.clone()).expect_err("a shard is no whole bundle");
        open(&bytes, None).expect_err("a shard is no whole bundle");
        open(&bytes, Some(shard)).expect("a shard opens as the shard that it is").site_count()
    };
    assert_eq!((0..3).map(shard).sum::<usize>(), store.site_count(), "each site is in one shard");
}
