//! The same numbers give the same bytes, on every machine and with any number of threads.

use std::collections::HashSet;

use robomata_corpus::{Order, Spec, write};
use xxhash_rust::xxh3::Xxh3;

fn small(seed: u64) -> Spec {
    Spec::new(seed).with_sites(800).with_urls(3000)
}

fn digest(spec: &Spec) -> u64 {
    let mut digest = Xxh3::new();
    let mut text = Vec::new();
    for site in 0..spec.sites {
        text.clear();
        spec.host(site, &mut text);
        spec.body(spec.policy_of(site), &mut text);
        digest.update(&text);
    }
    for mut urls in [spec.urls_grouped(), spec.urls_shuffled()] {
        while let Some((_, url)) = urls.next() {
            digest.update(url);
        }
    }
    digest.digest()
}

/// If this changes, benchmark results before and after cannot be compared: record the change with the results.
#[test]
fn bytes_match_the_pinned_digests() {
    assert_eq!(digest(&small(1)), PINNED);
    assert_ne!(digest(&small(2)), PINNED);
}

const PINNED: u64 = 0xbc55_2ddd_8fcb_4681;

#[test]
fn files_hold_what_the_library_makes() {
    let folder = tempfile::tempdir().unwrap();
    let spec = small(3);
    let robots = folder.path().join("robots.jsonl.zst");
    assert_eq!(write::robots(&spec, &robots).unwrap().lines, spec.sites);
    let mut sites = 0..spec.sites;
    for capture in robomata_formats::capture::captures(&robots) {
        let capture = capture.unwrap();
        let site = sites.next().unwrap();
        let (mut host, mut body) = (Vec::new(), Vec::new());
        spec.host(site, &mut host);
        spec.body(spec.policy_of(site), &mut body);
        let host = String::from_utf8(host).unwrap();
        assert_eq!(capture.site, robomata_formats::CaptureSite::Host(host));
        assert_eq!(*capture.body, *body);
    }
    assert!(sites.next().is_none());

    for order in [Order::Grouped, Order::Shuffled] {
        let path = folder.path().join("urls.txt");
        write::frontier(&spec, order, &path).unwrap();
        let mut expected = Vec::new();
        let mut urls = spec.frontier(order);
        while let Some((_, url)) = urls.next() {
            expected.extend_from_slice(url);
            expected.push(b'\n');
        }
        assert!(std::fs::read(&path).unwrap() == expected, "{order:?}");
    }
}

#[test]
fn hosts_and_bodies_are_distinct() {
    let spec = Spec::new(4).with_sites(20_000);
    let mut hosts = HashSet::new();
    for site in 0..spec.sites {
        let mut host = Vec::new();
        spec.host(site, &mut host);
        assert!(hosts.insert(host), "{site}");
    }
    let mut bodies = HashSet::new();
    for policy in 0..spec.distinct_policies {
        let mut body = Vec::new();
        spec.body(policy, &mut body);
        assert!(bodies.insert(xxhash_rust::xxh3::xxh3_128(&body)), "{policy}");
    }
}

#[test]
fn rules_of_a_policy_do_not_depend_on_the_collection() {
    let (few, many) = (Spec::new(5).with_sites(2000), Spec::new(5).with_sites(1_000_000));
    for policy in 100..200 {
        let rules = |spec: &Spec| {
            let mut body = Vec::new();
            spec.body(policy, &mut body);
            let text = String::from_utf8_lossy(&body).into_owned();
            text.lines().filter(|line| line.starts_with("Disallow")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(rules(&few), rules(&many), "{policy}");
    }
}

#[test]
fn extreme_numbers_make_valid_collections() {
    for spec in [
        Spec::new(1).with_sites(0),
        Spec::new(1).with_sites(1).with_urls(10),
        Spec::new(1).with_sites(5).with_distinct_policies(0).with_urls(10),
        Spec::new(1).with_sites(5).with_distinct_policies(50).with_urls(10),
        Spec::new(u64::MAX).with_sites(3).with_urls(0),
    ] {
        for mut urls in [spec.urls_grouped(), spec.urls_shuffled()] {
            let mut count = 0;
            while let Some((site, _)) = urls.next() {
                assert!(site < spec.sites);
                count += 1;
            }
            assert_eq!(count, if spec.sites == 0 { 0 } else { spec.urls });
        }
        spec.body(u64::MAX, &mut Vec::new());
    }
}
