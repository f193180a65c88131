//! Rules proved never to decide, in our files and in real ones: they decide no URL of the hosts and none near the
//! patterns.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;

use robomata_engine::automaton::{Program, idle_rules};
use robomata_engine::protocol::SplitUrl;
use robomata_engine::{Config, Crawler, Dialect, Policy, SitePolicy};
use robomata_formats::{CaptureSite, Frontier, capture};
use robomata_testkit::Generator;
use robomata_testkit::shared::{shared_folder, small_corpus};

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

/// The files with idle rules, by host.
type Files = HashMap<String, (Vec<u8>, Idle)>;

/// The numbers of distinct files, of those with idle rules, of idle lines, and of questions with near misses.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    distinct: usize,
    files: usize,
    lines: usize,
    near_misses: usize,
}

/// Asks about URLs near the patterns of each file in `source` that has idle rules.
fn ask_near_misses(source: &Path) -> (Counts, Files) {
    const URLS: usize = 60;
    let (mut seen, mut by_host) = (HashSet::new(), Files::new());
    let mut counts = Counts { distinct: 0, files: 0, lines: 0, near_misses: 0 };
    for capture in capture::captures(source) {
        let capture = capture.unwrap();
        if !seen.insert(capture.body.clone()) {
            continue;
        }
        let dialect = if seen.len() % 5 == 0 { Dialect::Google } else { Dialect::Rfc9309 };
        let idle = idle_of(&capture.body, dialect);
        if idle.is_empty() {
            continue;
        }
        counts.files += 1;
        counts.lines += idle.iter().flat_map(|(_, lines)| lines).collect::<HashSet<_>>().len();
        let mut generator = Generator::new(seen.len() as u64);
        let urls: Vec<_> = (0..URLS).map(|_| generator.url_for(&capture.body)).collect();
        counts.near_misses += assert_not_decided(&capture.body, dialect, &idle, &urls);
        if let CaptureSite::Host(host) = capture.site
            && dialect == Dialect::Rfc9309
        {
            by_host.insert(host, (capture.body.to_vec(), idle));
        }
    }
    counts.distinct = seen.len();
    (counts, by_host)
}

/// Asks about the URLs of a frontier that are on hosts in `files`; `host` finds the host of a line. Returns the number
/// of questions.
fn ask_frontier(frontier: &Frontier, files: &Files, host: fn(&[u8]) -> Option<&[u8]>) -> usize {
    let mut urls: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for block in frontier.blocks() {
        for line in block.unwrap().urls() {
            let Some(Ok(host)) = host(line.line).map(std::str::from_utf8) else { continue };
            if let (Some(url), true) = (line.url, files.contains_key(host)) {
                urls.entry(host.to_owned()).or_default().push(url.to_vec());
            }
        }
    }
    urls.iter()
        .map(|(host, urls)| {
            let (body, idle) = &files[host];
            assert_not_decided(body, Dialect::Rfc9309, idle, urls)
        })
        .sum()
}

#[test]
fn no_url_near_the_patterns_and_no_other_url_is_decided_by_an_idle_rule() {
    let ours = small_corpus();
    let (counts, files) = ask_near_misses(&ours.join("sites"));
    // A rule of stars.example and one of talk.example.
    assert_eq!(counts, Counts { distinct: 53, files: 2, lines: 2, near_misses: 2 * 3 * 60 });
    let frontier = Frontier::new([ours.join("urls.txt")]);
    assert_eq!(ask_frontier(&frontier, &files, |url| Some(SplitUrl::new(url)?.authority)), 3 * 29);

    let Some(corpora) = shared_folder("corpora") else { return };
    let (counts, files) = ask_near_misses(&corpora.join("robots.jsonl.zst"));
    println!("{counts:?}");
    assert!(counts.distinct == 13_559 && counts.files > 100 && counts.near_misses > 10_000, "{counts:?}");
    let frontier = Frontier::new([corpora.join("urls.tsv.zst")]).with_column(NonZeroUsize::new(3).unwrap());
    let real = ask_frontier(&frontier, &files, |line| line.split(|&byte| byte == b'\t').next());
    println!("{real} questions with real URLs");
    assert!(real > 1_000, "{real}");
}
