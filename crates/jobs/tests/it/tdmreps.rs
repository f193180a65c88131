//! A tdmrep.json among the captures: every way to read it, and every way to answer, agree with the permissions of a site.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray, UInt16Array};
use fastrand::Rng;
use robomata_engine::policy::{PageStatements, outcome};
use robomata_engine::protocol::Circumstances;
use robomata_engine::{
    Config, Crawler, Dialect, FetchOutcome, FetchStatus, Permission, Policy, PolicyStore, ShardNumber,
    SitePermissions, StoreKind, TdmRep, Usage, UsageQuery,
};
use robomata_jobs::compile::{self, CompileJob};
use robomata_jobs::sources::{self, LoadOptions};
use robomata_jobs::{JobError, Strictness};

use crate::support::{Folder, Heard, options, write_parquet};

const TDMREP: &str = "/.well-known/tdmrep.json";
const URLS: [&str; 6] = ["/", "/a", "/a/b?c", "/private", "/robots.txt", "/%61"];

const ROBOTS: [&str; 6] = [
    "User-agent: *\nDisallow: /private\n",
    "",
    "User-agent: *\nDisallow: /\nAllow: /a\n",
    "ACAP-crawler: *\nACAP-disallow-other: /\n",
    "ACAP-crawler: *\nACAP-allow-other: /a\nACAP-disallow-crawl: /a/b\n",
    "<html>",
];

const RULES: [&str; 7] = [
    r#"[{"location": "/a", "tdm-reservation": 1}, {"location": "/", "tdm-reservation": 0}]"#,
    r#"[{"location": "/", "tdm-reservation": 1}]"#,
    r#"[{"location": "/a", "tdm-reservation": 0}, {"location": "/*", "tdm-reservation": 1, "tdm-policy": "https://p.example/"}]"#,
    r#"[{"location": "/pri*te$", "tdm-reservation": 1}, {"location": "/a", "tdm-reservation": 2}]"#,
    "[",
    "{}",
    "[]",
];

/// A file as it was captured: body and status.
type Captured = (&'static str, u16);

struct Site {
    host: String,
    robots: Option<Captured>,
    tdmrep: Option<Captured>,
}

fn sites(rng: &mut Rng, statuses: &[u16], count: usize) -> Vec<Site> {
    let mut captured = |bodies: &[&'static str]| {
        let status = *rng.choice(statuses).unwrap();
        let body = if status == 200 { rng.choice(bodies).unwrap() } else { "" };
        rng.u8(0..8).checked_sub(1).map(|_| (body, status))
    };
    let site = |number| Site {
        host: format!("s{number}.example"),
        robots: captured(&ROBOTS),
        tdmrep: captured(&RULES),
    };
    (0..count).map(site).collect()
}

/// The captures of both files, in random order, with their URLs.
fn captures(rng: &mut Rng, sites: &[Site]) -> Vec<(String, Captured)> {
    let mut captures = Vec::new();
    for Site { host, robots, tdmrep } in sites {
        captures.extend(robots.map(|robots| (format!("https://{host}/robots.txt"), robots)));
        captures.extend(tdmrep.map(|tdmrep| (format!("https://{host}{TDMREP}"), tdmrep)));
    }
    rng.shuffle(&mut captures);
    captures
}

fn mining(dialect: Dialect) -> LoadOptions {
    let usage_query = UsageQuery { usage: Usage::Tdm, purpose: None };
    LoadOptions::new(StoreKind { usage_query, ..StoreKind::new(dialect, vec![Crawler::new("A")]) })
}

/// What R4 and T6 say about mining `url`.
fn expected(site: &Site, url: &str, dialect: Dialect) -> &'static str {
    let said = |file: Option<Captured>| {
        file.map_or(FetchOutcome::Redirected, |(_, status)| outcome(Some(FetchStatus::Code(status)), dialect))
    };
    let is_known = said(site.robots) != FetchOutcome::Redirected;
    let (body, status) = site.robots.unwrap_or(("", 302));
    let policy = Policy::fetched(body.as_bytes(), Some(FetchStatus::Code(status)), &Config::new(dialect));
    let tdmrep = match (said(site.tdmrep), site.tdmrep) {
        (FetchOutcome::Success, Some((body, _))) => Some(TdmRep::read(body.as_bytes())),
        (FetchOutcome::Unreachable, _) => return "disallow",
        _ => None,
    };
    let mut site = SitePermissions::new(&policy, &[], tdmrep.as_ref(), &Crawler::new("A"), None);
    let mut is_prohibited = |usage| {
        let answer =
            site.answer_for(usage, url.as_bytes(), &PageStatements::default(), &Circumstances::default());
        answer.unwrap().permission == Permission::Prohibited
    };
    match (is_prohibited(Usage::Tdm), is_known) {
        (true, _) => "disallow",
        (false, false) => "unknown",
        (false, true) => {
            if is_prohibited(Usage::Crawl) {
                "disallow"
            } else {
                "allow"
            }
        }
    }
}

fn assert_agrees(store: &PolicyStore, sites: &[Site], dialect: Dialect, what: &str) {
    let mut checker = store.checker(&Crawler::new("A")).unwrap();
    let mut history = store.history_checker(&Crawler::new("A")).unwrap();
    for site in sites {
        for path in URLS {
            let url = format!("https://{}{path}", site.host);
            let expected = match (&site.robots, &site.tdmrep) {
                (None, None) => "unknown",
                _ => expected(site, &url, dialect),
            };
            let (robots, tdmrep) = (site.robots, site.tdmrep);
            let found = checker.check(url.as_bytes()).as_str();
            assert_eq!(found, expected, "{what}, {dialect}, {path}: {robots:?} {tdmrep:?}");
            let Ok(versions) = history.versions(url.as_bytes()).map(<[_]>::len);
            if versions > 0 {
                let Ok(found) = history.check_version(url.as_bytes(), versions - 1);
                assert_eq!(found.as_str(), expected, "{what}, history, {path}: {robots:?} {tdmrep:?}");
            }
        }
    }
}

fn warc(captures: &[(String, Captured)]) -> String {
    let record = |(url, (body, status)): &(String, Captured)| {
        // A redirect without one is a failure in a WARC (F4). This target was not captured.
        let location = if *status == 301 { "Location: /elsewhere\r\n" } else { "" };
        let block = format!("HTTP/1.1 {status} X\r\n{location}Content-Length: {}\r\n\r\n{body}", body.len());
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n\
             Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    captures.iter().map(record).collect()
}

#[test]
fn every_reader_and_every_way_to_build_agree_with_the_permissions() {
    let mut rng = Rng::with_seed(7);
    let folder = Folder::new();
    for dialect in [Dialect::Acap, Dialect::Rfc9309] {
        let sites = sites(&mut rng, &[200, 200, 200, 404, 503, 301], 150);
        let captures = captures(&mut rng, &sites);
        let json = |(url, (body, status)): &(String, Captured)| {
            format!("{}\n", serde_json::json!({ "url": url, "body": body, "status": status }))
        };
        let lines: String = captures.iter().map(json).collect();
        let tsv = |(url, (body, status)): &(String, Captured)| {
            format!("{url}\t{status}\t{}\n", body.replace('\\', "\\\\").replace('\n', "\\n"))
        };
        let tsv: String = captures.iter().map(tsv).collect();
        let column = |text: fn(&(String, Captured)) -> &str| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(captures.iter().map(text)))
        };
        let statuses: ArrayRef =
            Arc::new(UInt16Array::from_iter_values(captures.iter().map(|(_, (_, status))| *status)));
        let parquet = folder.path("a.parquet");
        write_parquet(
            &parquet,
            vec![
                ("url", column(|(url, _)| url)),
                ("status", statuses),
                ("body", column(|(_, (body, _))| body)),
            ],
        );
        let options = mining(dialect);
        for path in [
            folder.write("a.jsonl", &lines),
            folder.write("a.tsv", format!("url\tstatus\tbody\n{tsv}")),
            folder.write("a.warc", warc(&captures)),
            parquet,
        ] {
            let loaded = sources::load(std::slice::from_ref(&path), &options, &mut Heard::default()).unwrap();
            assert_agrees(&loaded.store, &sites, dialect, &path.display().to_string());
        }
        // In parts, and day by day: both files of a site may be in different bundles.
        let (one, other) = captures.split_at(captures.len() / 2);
        let [one, other] = [("1", one), ("2", other)]
            .map(|(name, part)| folder.write(name, part.iter().map(json).collect::<String>()));
        let first = folder.path("first.bundle");
        let job = CompileJob { part: 1, ..CompileJob::new(std::slice::from_ref(&one), &options) };
        compile::run(&job, &first, &mut Heard::default()).unwrap();
        let both = folder.path("both.bundle");
        let job =
            CompileJob { base: Some(&first), ..CompileJob::new(std::slice::from_ref(&other), &options) };
        compile::run(&job, &both, &mut Heard::default()).unwrap();
        let store = PolicyStore::open(&both).unwrap();
        assert_agrees(&store, &sites, dialect, "in parts");
        let whole = folder.path("whole.bundle");
        compile::run(&CompileJob::new(&[one, other], &options), &whole, &mut Heard::default()).unwrap();
        let whole = PolicyStore::open(&whole).unwrap();
        // The base forgot bodies that no site needs.
        assert_agrees(&whole, &sites, dialect, "at once");
        assert_eq!(store.fingerprint(), whole.fingerprint());
        for shards in [1, 3] {
            let parts = whole.shards(shards);
            for shard in 0..shards {
                let mut bytes = Vec::new();
                parts.write(shard as usize, &mut bytes).unwrap();
                let path = folder.write("shard", bytes);
                let number = ShardNumber { number: shard, count: shards };
                let store = PolicyStore::open_as(&path, Some(number)).unwrap();
                let of_shard: Vec<Site> = sites
                    .iter()
                    .filter(|site| robomata_engine::shard_of(site.host.as_bytes(), shards) == shard)
                    .map(|Site { host, robots, tdmrep }| Site {
                        host: host.clone(),
                        robots: *robots,
                        tdmrep: *tdmrep,
                    })
                    .collect();
                assert_agrees(&store, &of_shard, dialect, "a shard");
            }
        }
    }
}

#[test]
fn a_mirror_may_hold_both_files() {
    let mut rng = Rng::with_seed(8);
    let folder = Folder::new();
    let sites = sites(&mut rng, &[200], 60);
    for Site { host, robots, tdmrep } in &sites {
        if let Some((body, _)) = robots {
            folder.write(&format!("mirror/{host}/robots.txt"), body);
        }
        if let Some((body, _)) = tdmrep {
            folder.write(&format!("mirror/{host}{TDMREP}"), body);
        }
    }
    let options = mining(Dialect::Rfc9309);
    let loaded = sources::load(&[folder.path("mirror")], &options, &mut Heard::default()).unwrap();
    assert_agrees(&loaded.store, &sites, Dialect::Rfc9309, "mirror");
}

#[test]
fn stores_about_other_usages_have_none() {
    let mut rng = Rng::with_seed(9);
    let folder = Folder::new();
    let sites = sites(&mut rng, &[200], 30);
    let both = captures(&mut rng, &sites);
    let json = |(url, (body, status)): &&(String, Captured)| {
        format!("{}\n", serde_json::json!({ "url": url, "body": body, "status": status }))
    };
    let robots = folder.write(
        "robots",
        both.iter()
            .filter(|(url, _)| !url.ends_with(TDMREP))
            .map(|capture| json(&capture))
            .collect::<String>(),
    );
    let both = folder.write("both", both.iter().map(|capture| json(&capture)).collect::<String>());
    let mut heard = Heard::default();
    let [robots, both] =
        [robots, both].map(|path| sources::load(&[path], &options(&["A"]), &mut heard).unwrap());
    assert_eq!(robots.store.bytes(), both.store.bytes());
    assert_eq!((robots.counts, &heard.problems[..]), (both.counts, &[][..]));
}

#[test]
fn a_damaged_file_is_reported_and_says_nothing() {
    let folder = Folder::new();
    let text = format!(
        "{{\"url\": \"https://a.example{TDMREP}\", \"body\": \"[\"}}\n\
         {{\"url\": \"https://b.example{TDMREP}\", \"body\": \"[1, {{\\\"location\\\": \\\"/\\\", \\\"tdm-reservation\\\": 1}}, 2]\"}}\n\
         {{\"host\": \"a.example\", \"body\": \"#\"}}\n"
    );
    let path = folder.write("a.jsonl", text);
    let mut heard = Heard::default();
    let loaded = sources::load(std::slice::from_ref(&path), &mining(Dialect::Acap), &mut heard).unwrap();
    let problems: Vec<&str> =
        heard.problems.iter().map(|problem| &problem[path.display().to_string().len()..]).collect();
    assert_eq!(
        problems,
        [
            ":1: tdmrep.json: not JSON (EOF while parsing a list at line 1 column 1): ignored",
            ":2: tdmrep.json, rule 1: no 'location' or no 'tdm-reservation': the rule is void (and 1 more problems)",
        ]
    );
    let mut checker = loaded.store.checker(&Crawler::new("A")).unwrap();
    assert_eq!(checker.check(b"https://a.example/").as_str(), "allow");
    assert_eq!(checker.check(b"https://b.example/").as_str(), "disallow");
    let strict = LoadOptions { strictness: Strictness::Strict, ..mining(Dialect::Acap) };
    assert!(matches!(sources::load(&[path], &strict, &mut heard), Err(JobError::Strict(_))));
}

#[cfg(feature = "cross-check")]
#[test]
fn the_reference_agrees() {
    use robomata_jobs::Share;
    use robomata_jobs::cross_check::CrossCheck;
    use robomata_jobs::sources::Keep;

    let mut rng = Rng::with_seed(10);
    let folder = Folder::new();
    for dialect in [Dialect::Acap, Dialect::Rfc9309] {
        let sites = sites(&mut rng, &[200, 200, 404, 503, 301], 150);
        let json = |(url, (body, status)): &(String, Captured)| {
            format!("{}\n", serde_json::json!({ "url": url, "body": body, "status": status }))
        };
        let path = folder.write("a.jsonl", captures(&mut rng, &sites).iter().map(json).collect::<String>());
        let options = LoadOptions { keep: Keep::Bodies, ..mining(dialect) };
        let loaded = sources::load(&[path], &options, &mut Heard::default()).unwrap();
        let urls: String =
            sites.iter().flat_map(|site| URLS.map(|path| format!("https://{}{path}\n", site.host))).collect();
        let usage_query = UsageQuery { usage: Usage::Tdm, purpose: None };
        let (_, report, heard) = crate::support::filter_text(&folder, &loaded, &urls, |job| {
            job.cross_check = Some(CrossCheck {
                bodies: &loaded.bodies,
                dialect,
                usage_query: &usage_query,
                now: None,
                share: Share::ALL,
            });
        });
        assert!(heard.divergences.is_empty(), "{:?}", heard.divergences);
        assert_eq!(report.cross_checked.checked, urls.lines().count() as u64);
    }
}
