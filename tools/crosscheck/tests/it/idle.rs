//! Rules proved never to decide, on real files: they decide no real URL and no URL near the patterns.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;

use robomata_engine::automaton::{Program, idle_rules};
use robomata_engine::{Config, Crawler, Dialect, Policy, SitePolicy};
use robomata_formats::{CaptureSite, Frontier, capture};
use robomata_testkit::Generator;
use robomata_testkit::shared::{captures, shared_folder};

const CRAWLERS: [&str; 3] = ["Googlebot", "GPTBot", "nobody"];

/// A body's idle rules, by crawler: their lines.
type Idle = Vec<(Crawler, HashSet<u32>)>;

/// The lines that have only idle rules (an index page of Google's has two rules on a line).
fn idle_of(body: &[u8], dialect: Dialect) -> Idle {
    let policy = Policy::new(body, &Config::new(dialect));
    let mut idle = Idle::new();
    for crawler in CRAWLERS.map(Crawler::new) {
        let program = Program::compile(&policy.rules_for(&crawler));
        let rules = program.as_ref().rules(dialect).unwrap();
        let places: HashSet<usize> =
            idle_rules(program.as_ref(), &rules, dialect).into_iter().map(|idle| idle.rule).collect();
        let mut lines: HashSet<u32> = places.iter().map(|&place| rules[place].line).collect();
        for (place, rule) in rules.iter().enumerate() {
            if !places.contains(&place) {
                lines.remove(&rule.line);
            }
        }
        if !lines.is_empty() {
            idle.push((crawler, lines));
        }
    }
    idle
}

fn assert_not_decided(body: &[u8], dialect: Dialect, idle: &Idle, urls: &[Vec<u8>]) -> usize {
    let policy = Policy::new(body, &Config::new(dialect));
    for (crawler, lines) in idle {
        let mut site = SitePolicy::new(&policy, crawler);
        for url in urls {
            let line = site.check(url).line();
            assert!(!lines.contains(&line), "line {line} decides about {} for {crawler}", url.escape_ascii());
        }
    }
    urls.len() * idle.len()
}

#[test]
fn no_url_near_the_patterns_is_decided_by_an_idle_rule() {
    const URLS: usize = 60;
    let sources = captures();
    let (mut seen, mut files, mut lines, mut asked) = (HashSet::new(), 0, 0, 0);
    let mut by_host: HashMap<String, (Vec<u8>, Idle)> = HashMap::new();
    for capture in sources.iter().flat_map(|source| capture::captures(source)) {
        let capture = capture.unwrap();
        let is_new = seen.insert(capture.body.clone());
        let dialect = if seen.len() % 5 == 0 { Dialect::Google } else { Dialect::Rfc9309 };
        if !is_new {
            continue;
        }
        let idle = idle_of(&capture.body, dialect);
        if idle.is_empty() {
            continue;
        }
        files += 1;
        lines += idle.iter().flat_map(|(_, lines)| lines).collect::<HashSet<_>>().len();
        let mut generator = Generator::new(seen.len() as u64);
        let urls: Vec<_> = (0..URLS).map(|_| generator.url_for(&capture.body)).collect();
        asked += assert_not_decided(&capture.body, dialect, &idle, &urls);
        if let CaptureSite::Host(host) = capture.site
            && dialect == Dialect::Rfc9309
        {
            by_host.insert(host, (capture.body, idle));
        }
    }
    println!("{files} of {} files have {lines} lines that never decide; {asked} near misses", seen.len());
    assert!(files > 1 && asked > 100, "{files} files, {asked} near misses");

    let Some(corpora) = shared_folder("corpora") else { return };
    assert!(seen.len() >= 13_559 && files > 100 && asked > 10_000);
    let mut urls: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    let frontier = Frontier::new([corpora.join("urls.tsv.zst")]).with_column(NonZeroUsize::new(3).unwrap());
    for block in frontier.blocks() {
        for line in block.unwrap().urls() {
            let host = line.line.split(|&byte| byte == b'\t').next().unwrap_or_default();
            let Ok(host) = std::str::from_utf8(host) else { continue };
            if let (Some(url), true) = (line.url, by_host.contains_key(host)) {
                urls.entry(host.to_owned()).or_default().push(url.to_vec());
            }
        }
    }
    let real: usize = urls
        .iter()
        .map(|(host, urls)| {
            let (body, idle) = &by_host[host];
            assert_not_decided(body, Dialect::Rfc9309, idle, urls)
        })
        .sum();
    println!("{real} questions with real URLs of {} hosts", urls.len());
    assert!(real > 1_000, "{real}");
}
