//! Generated collections have the shape of the real one that they model.

use std::ops::RangeInclusive;

use robomata_corpus::describe::{Collection, Count, Distribution, Feature, RuleKind};
use robomata_corpus::{Spec, UrlStream};
use robomata_engine::syntax::Key;
use robomata_engine::{Access, Answer, Config, Crawler, Dialect, Policy, SitePolicy};

fn collection(spec: &Spec) -> Collection {
    let mut collection = Collection::default();
    let bodies: Vec<Vec<u8>> = (0..spec.sites)
        .map(|site| {
            let mut body = Vec::new();
            spec.body(spec.policy_of(site), &mut body);
            body
        })
        .collect();
    collection.add(&bodies);
    collection
}

#[track_caller]
fn quantiles<const N: usize>(values: &Distribution, expected: [(f64, RangeInclusive<u64>); N]) {
    for (share, range) in expected {
        let value = values.quantile(share);
        assert!(range.contains(&value), "at {share}: {value}, expected {range:?}");
    }
}

#[track_caller]
fn percent(share: f64, range: RangeInclusive<f64>) {
    assert!(range.contains(&(share * 100.0)), "{} %, expected {range:?}", share * 100.0);
}

#[test]
fn files_and_rules_have_the_shape_of_real_ones() {
    for seed in [1, 2] {
        let spec = Spec::new(seed).with_sites(20_000);
        let collection = collection(&spec);
        let files = Count::Files;
        quantiles(&collection.bytes(files), [(0.5, 280..=470), (0.9, 1_500..=2_800), (0.99, 9_000..=24_000)]);
        quantiles(&collection.rules(files), [(0.5, 6..=10), (0.9, 42..=68), (0.99, 240..=500)]);
        quantiles(&collection.groups(files), [(0.5, 1..=1), (0.9, 5..=11), (0.99, 24..=48)]);
        quantiles(&collection.patterns(files), [(0.5, 12..=16), (0.9, 40..=54), (0.99, 106..=136)]);
        let rules = |kind| collection.share_of_rules(files, kind);
        percent(rules(RuleKind::Star), 18.0..=26.0);
        percent(rules(RuleKind::TwoStars), 4.0..=7.0);
        percent(rules(RuleKind::ThreeStars), 0.6..=1.6);
        percent(rules(RuleKind::End), 2.2..=3.4);
        percent(rules(RuleKind::Slash), 7.0..=11.5);
        percent(rules(RuleKind::Allow), 7.0..=12.0);
        let with = |feature| collection.share_of_files(files, feature);
        percent(with(Feature::Record(Key::Sitemap)), 48.0..=60.0);
        percent(with(Feature::Record(Key::CrawlDelay)), 15.0..=22.0);
        percent(with(Feature::Record(Key::Host)), 1.0..=2.4);
        percent(with(Feature::Record(Key::RequestRate)), 0.9..=2.4);
        percent(with(Feature::Record(Key::Noindex)), 0.3..=1.4);
        percent(with(Feature::ByteOrderMark), 0.7..=2.0);
        percent(with(Feature::CrLf), 13.0..=21.0);
    }
}

#[test]
fn bodies_are_shared_as_real_ones_are() {
    let spec = Spec::new(1).with_sites(20_000);
    let collection = collection(&spec);
    assert_eq!(collection.len(Count::Files), spec.sites);
    assert_eq!(collection.len(Count::Bodies), spec.distinct_policies);
    let heads = collection.heads(3);
    percent(heads[0], 12.5..=15.0);
    percent(heads[1], 3.0..=4.5);
    percent(heads[2], 3.0..=4.5);
    let rule_sets = collection.rule_sets() as f64 / spec.distinct_policies as f64;
    percent(rule_sets, 38.0..=62.0);
}

#[test]
fn few_urls_are_disallowed_and_nearly_all_can_be_judged() {
    for seed in 1..=4 {
        let spec = Spec::new(seed).with_sites(5_000).with_urls(40_000);
        percent(disallowed(&spec, spec.urls_grouped()), 2.0..=4.5);
        percent(disallowed(&spec, spec.urls_shuffled()), 2.0..=4.5);
    }
}

/// The share of URLs that ExampleBot, which no file names, may not fetch.
fn disallowed(spec: &Spec, mut urls: UrlStream) -> f64 {
    let crawler = Crawler::new("ExampleBot");
    let mut body = Vec::new();
    let mut by_site = std::collections::BTreeMap::<u64, Vec<Vec<u8>>>::new();
    while let Some((site, url)) = urls.next() {
        by_site.entry(site).or_default().push(url.to_vec());
    }
    let (mut all, mut disallowed) = (0u64, 0u64);
    for (site, urls) in by_site {
        body.clear();
        spec.body(spec.policy_of(site), &mut body);
        let policy = Policy::new(&body, &Config::new(Dialect::Rfc9309));
        let mut policy = SitePolicy::new(&policy, &crawler);
        for url in urls {
            let Answer::Verdict(verdict) = policy.check(&url) else {
                panic!("{}: no verdict", String::from_utf8_lossy(&url))
            };
            all += 1;
            disallowed += u64::from(verdict.access == Access::Disallow);
        }
    }
    assert_eq!(all, spec.urls);
    disallowed as f64 / all as f64
}

#[test]
fn urls_have_the_shape_of_real_ones() {
    let spec = Spec::new(1).with_sites(2_000).with_urls(50_000);
    let mut urls = spec.urls_shuffled();
    let (mut lengths, mut queries, mut percents, mut distinct) = (Vec::new(), 0, 0, 0);
    let mut seen = std::collections::HashSet::new();
    while let Some((_, url)) = urls.next() {
        lengths.push(url.len());
        queries += u32::from(url.contains(&b'?'));
        percents += u32::from(url.contains(&b'%'));
        distinct += u32::from(seen.insert(url.to_vec()));
    }
    lengths.sort_unstable();
    let (p50, p90) = (lengths[lengths.len() / 2], lengths[lengths.len() * 9 / 10]);
    assert!((65..=85).contains(&p50) && (100..=135).contains(&p90), "{p50} {p90}");
    let share = |count: u32| f64::from(count) / lengths.len() as f64;
    percent(share(queries), 7.0..=11.0);
    percent(share(percents), 1.2..=3.0);
    percent(share(distinct), 98.0..=100.0);
}

#[test]
fn lines_of_files_have_their_intended_meaning() {
    let spec = Spec::new(6).with_sites(2_000);
    let (mut body, mut odd, mut lines) = (Vec::new(), 0, 0);
    for policy in 0..spec.distinct_policies {
        body.clear();
        spec.body(policy, &mut body);
        let policy = Policy::with_diagnostics(&body, &Config::new(Dialect::Rfc9309));
        odd += policy.diagnostics().len();
        lines += body.iter().filter(|&&byte| byte == b'\n').count();
    }
    percent(odd as f64 / lines as f64, 0.0..=5.0);
}
