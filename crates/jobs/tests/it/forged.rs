//! Bundles with damage and right checksums, as somebody could forge them: every use is an error or an answer.

use std::num::NonZeroU32;
use std::path::Path;

use robomata_engine::policy::DelayLimits;
use robomata_engine::{
    Audience, Crawler, Dialect, Fingerprint, History, Moment, PolicyStore, RuleTexts, ShardFiles, StoreKind,
    Usage, UsageQuery, merge,
};
use robomata_jobs::diff::{self, DiffJob, Policies, PolicyOptions};
use robomata_jobs::sources::LoadOptions;
use robomata_jobs::{IncompleteInput, Strictness, compile, inspect, shard};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::support::{Folder, Heard};

const CAPTURES: &str = r#"{"host": "a.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /a*b\nAllow: /a/b$\n\nUser-agent: B\nDisallow: /"}
{"host": "a.example", "time": "2024-03-01", "body": "User-agent: *\nDisallow: /b\nDisallow: /*x*y*z$\nCrawl-delay: 2.5\nVisit-time: 2300-0430"}
{"host": "a.example", "time": "2024-03-02", "status": 404}
{"url": "https://b.example/robots.txt", "time": "2024-02-02", "status": 503}
{"url": "http://www.c.example:8080/robots.txt", "body": "User-agent: A\nUser-agent: B\nDisallow: /c\nUser-agent: C\nContent-Signal: ai-train=no\nRequest-rate: 3/10m 0800-1300\nAllow: /\nUser-agent: *\nRequest-rate: 1/5\nCrawl-delay: 7"}
{"url": "https://a.example/.well-known/tdmrep.json", "time": "2024-02-02", "body": "[{\"location\": \"/a*b\", \"tdm-reservation\": 1}]"}
{"url": "https://a.example/.well-known/tdmrep.json", "time": "2024-03-03", "status": 503}
{"url": "https://e.example/.well-known/tdmrep.json", "body": "[{\"location\": \"/\", \"tdm-reservation\": 0}]"}
{"host": "d.example", "body": "User-agent: *\nDisallow: /*1\nDisallow: /*2\nDisallow: /*3\nDisallow: /*4\nDisallow: /*5\nDisallow: /*6\nDisallow: /*7\nDisallow: /*8\nDisallow: /*9*a\nDisallow: /*a*c\nDisallow: /*b*d"}
"#;

/// A capture whose groups share names: the rules of all crawlers are in one program.
fn tangled() -> String {
    let names: String = ('A'..='N').map(|name| format!(r"User-agent: {name}\n")).collect();
    let rules: String = (0..80).map(|n| format!(r"Disallow: /x{n}*b\n")).collect();
    let own: String =
        ('A'..='N').map(|name| format!(r"User-agent: {name}\nAllow: /x1*b\nDisallow: /c\n")).collect();
    format!(r#"{{"host": "a.example", "body": "{names}{rules}{own}"}}"#)
}

const SITES: [&str; 5] = [
    "https://a.example/",
    "https://b.example/",
    "http://www.c.example:8080/",
    "https://d.example/",
    "https://e.example/",
];

/// Numbers that look random (SplitMix64).
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    /// Changes some bytes of a bundle, then computes its checksums anew.
    fn forge(&mut self, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        for _ in 0..=self.below(3) {
            // The fields of the header and what follows it are few bytes, and matter most.
            let end = if self.below(3) == 0 { bytes.len().min(400) } else { bytes.len() };
            let at = self.below(end);
            match self.below(5) {
                0 => bytes[at] ^= 1 << self.below(8),
                1 => bytes[at] = bytes[at].wrapping_add(1),
                2 => bytes[at] = u8::try_from(self.below(256)).unwrap(),
                3 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][self.below(5)],
                _ => {
                    let (from, length) = (self.below(bytes.len()), 1 + self.below(16));
                    for offset in 0..length.min(bytes.len() - from.max(at)) {
                        bytes[at + offset] = bytes[from + offset];
                    }
                }
            }
        }
        seal(&mut bytes);
        bytes
    }
}

/// Writes the checksums that the bytes should have.
fn seal(bytes: &mut [u8]) {
    const HEADER_SUM_AT: usize = 200;
    const PIECE: usize = 1 << 18;
    let field = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().unwrap());
    let meta = (HEADER_SUM_AT + 8).checked_add(usize::try_from(field(48)).unwrap_or(usize::MAX));
    if let Some(meta) = meta.and_then(|end| bytes.get(HEADER_SUM_AT + 8..end)) {
        let mut hasher = Xxh3::new();
        hasher.update(&bytes[..HEADER_SUM_AT]);
        hasher.update(meta);
        let sum = hasher.digest();
        bytes[HEADER_SUM_AT..HEADER_SUM_AT + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let end = bytes.len() - 8;
    let pieces = bytes[HEADER_SUM_AT + 8..end].chunks(PIECE).flat_map(|piece| xxh3_64(piece).to_le_bytes());
    let sum = xxh3_64(&pieces.collect::<Vec<u8>>());
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
}

fn kinds() -> Vec<StoreKind> {
    let crawlers = || Audience::Crawlers(vec![Crawler::new("A"), Crawler::new("B,A")]);
    let usage_query = UsageQuery { usage: Usage::AiTrain, purpose: None };
    vec![
        StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, crawlers()) },
        StoreKind { history: History::All, ..StoreKind::new(Dialect::Google, Audience::Everyone) },
        StoreKind { usage_query, ..StoreKind::new(Dialect::Rfc9309, crawlers()) },
        StoreKind {
            usage_query: UsageQuery { usage: Usage::Tdm, purpose: None },
            history: History::All,
            ..StoreKind::new(Dialect::Acap, crawlers())
        },
    ]
}

fn compiled(folder: &Folder, kind: &StoreKind, captures: &str) -> Vec<u8> {
    let source = folder.write("robots.jsonl", captures);
    let options = LoadOptions::new(kind.clone());
    let sources = [source];
    let job = compile::CompileJob::new(&sources, &options);
    compile::run(&job, &folder.path("whole.bundle"), &mut Heard::default()).unwrap();
    std::fs::read(folder.path("whole.bundle")).unwrap()
}

/// Uses everything that a store holds.
fn use_all(store: &PolicyStore) {
    inspect::inspect(store, 3);
    let crawlers = match store.audience() {
        Audience::Crawlers(crawlers) => crawlers.clone(),
        Audience::Everyone => vec![Crawler::new("A"), Crawler::new("Other")],
    };
    let held: Vec<String> = store.sites().map(|entry| entry.site() + "/").collect();
    let sites: Vec<&str> = held.iter().map(String::as_str).chain(SITES).collect();
    for site in &sites {
        let _ = inspect::inspect_site(store, site);
    }
    let urls: Vec<String> = sites
        .iter()
        .flat_map(|site| ["", "a/b", "axxb", "c", "x1y22z", "9a1"].map(|path| format!("{site}{path}")))
        .collect();
    for crawler in &crawlers {
        let batch = store.check_batch(crawler, &urls).unwrap();
        let mut checker = store.checker(crawler).unwrap().at(Moment::from_seconds(1_700_000_000));
        let mut history = store.history_checker(crawler).unwrap();
        let mut texts = RuleTexts::default();
        let view = store.view(crawler).unwrap();
        for site in view.sites() {
            let schedule = view.schedule_of(&site);
            assert_eq!(schedule, view.schedule(site.policy));
            view.pace(site.policy, Some(Moment::from_seconds(1_700_000_000)), &DelayLimits::default());
            assert!(schedule.longest_delay().is_none_or(|delay| delay.duration.as_secs() <= 86_400));
        }
        for (url, answer) in urls.iter().zip(batch) {
            let url = url.as_bytes();
            let one = checker.check(url);
            if store.usage_query() == &UsageQuery::default() {
                assert_eq!(one, answer);
            }
            let Ok(versions) = history.versions(url);
            for version in 0..versions.len().min(20) {
                let Ok(answer) = history.check_version(url, version);
                let _ = history.rule(url, version, answer.line(), &mut texts);
            }
        }
    }
    if let Ok(view) = store.view(&crawlers[0]) {
        view.each_pair(&view, |pair| {
            let old = pair.old.unwrap();
            assert!(view.says_same(old, &view, pair.new.unwrap()));
            view.policy(old).check(b"/a");
            view.named(old);
        });
    }
}

/// Every use of the forged bundle at `path`.
fn use_file(folder: &Folder, path: &Path, whole: &PolicyStore) -> bool {
    let Ok(store) = PolicyStore::open(path) else { return false };
    assert_eq!(Fingerprint::of_file(path).unwrap(), store.fingerprint());
    use_all(&store);

    let mut merged = Vec::new();
    if merge(&[whole, &store], History::All, &mut merged).is_ok() {
        use_all(&PolicyStore::from_bytes(merged).unwrap());
    }
    shard::run(path, NonZeroU32::new(3).unwrap(), &folder.path("s"), |_| {}).unwrap();
    let files = ShardFiles::new(&folder.path("s"), 3).unwrap();
    let open = |number| PolicyStore::open_as(&files.file(number), Some(files.shard(number))).unwrap();
    let sharded: usize = (0..3).map(|number| open(number).site_count()).sum();
    assert_eq!(sharded, store.site_count());
    true
}

fn diff(old: &Path, new: &Path) {
    let options = PolicyOptions {
        crawler: None,
        dialect: None,
        host: None,
        strictness: Strictness::default(),
        incomplete: IncompleteInput::default(),
        captured_at: None,
        parsing_limit: None,
    };
    let open = |path| Policies::open(path, &options, &mut Heard::default());
    let (Ok(old), Ok(new)) = (open(old), open(new)) else { return };
    let crawlers = diff::compiled_crawlers(&old, &new).ok().flatten();
    let _ = diff::witnesses(&DiffJob::new(&old, &new, crawlers));
}

#[test]
fn forged_bundles_are_refused_or_answer() {
    let tangled = (StoreKind::new(Dialect::Google, Audience::Everyone), tangled());
    let cases = kinds().into_iter().map(|kind| (kind, CAPTURES.to_owned())).chain([tangled]);
    for (seed, (kind, captures)) in cases.enumerate() {
        let folder = Folder::new();
        let bytes = compiled(&folder, &kind, &captures);
        let whole = PolicyStore::from_bytes(bytes.clone()).unwrap();
        let mut sealed = bytes.clone();
        seal(&mut sealed);
        assert!(sealed == bytes, "checksums are computed as the writer does");
        let (mut rng, mut opened) = (Rng(seed as u64), 0);
        for round in 0..800 {
            let forged = rng.forge(&bytes);
            let Ok(store) = PolicyStore::from_bytes(forged.clone()) else { continue };
            use_all(&store);
            if opened < 15 {
                let path = folder.write("forged.bundle", &forged);
                assert!(use_file(&folder, &path, &whole), "round {round}");
                diff(&folder.path("whole.bundle"), &path);
            }
            opened += 1;
        }
        assert!(opened > 20, "{opened} forged bundles are valid");
    }
}

#[test]
fn forged_programs_are_refused() {
    let folder = Folder::new();
    for kind in kinds() {
        let mut bytes = compiled(&folder, &kind, CAPTURES);
        let store = PolicyStore::from_bytes(bytes.clone()).unwrap();
        let parts = store.parts();
        let end = bytes.len() - 8 - parts.bodies - parts.schedules;
        bytes[end - store.program_bytes()..end].fill(0xFF);
        seal(&mut bytes);
        let error = PolicyStore::from_bytes(bytes).unwrap_err().to_string();
        assert!(error.starts_with("not a valid policy bundle"), "{error}");
    }
}
