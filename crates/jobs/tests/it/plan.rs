//! Plans which robots.txt files to fetch again.

use std::path::PathBuf;

use robomata_engine::lifecycle::Terms;
use robomata_engine::{Audience, Dialect, History, Moment, PolicySet, StoreKind, Stores, Usage, UsageQuery};
use robomata_formats::Output;
use robomata_jobs::compile::{self, CompileJob};
use robomata_jobs::plan::{self, FetchCounts, PlanFrontier, PlanJob, PlanOutput, PlanReport, PlanRules};
use robomata_jobs::sources::LoadOptions;
use robomata_jobs::{JobError, RowForm, Silent, Strictness, inspect, shard};

use crate::support::{Folder, Heard, on_threads};

/// The instant of the plans: 2026-11-23T12:00:00Z.
const NOW: Moment = Moment(1_795_435_200);

const HISTORY: &str = r#"{"host": "often.example", "time": "2026-11-20T12:00:00Z", "body": "User-agent: *\nDisallow: /a"}
{"host": "often.example", "time": "2026-11-21T12:00:00Z", "body": "User-agent: *\nDisallow: /b"}
{"host": "often.example", "time": "2026-11-23T08:00:00Z", "body": "User-agent: *\nDisallow: /c"}
{"url": "https://never.example", "time": "2025-11-23T08:00:00Z", "body": "User-agent: *\nDisallow: /c"}
{"url": "https://never.example", "time": "2026-11-22T20:00:00Z", "body": "User-agent: *\nDisallow: /c"}
{"url": "https://down.example", "time": "2026-11-22T12:00:00Z", "body": "User-agent: *\nDisallow: /c"}
{"url": "https://down.example", "time": "2026-11-23T09:00:00Z", "status": 503}
{"url": "https://down.example", "time": "2026-11-23T11:00:00Z", "status": 503}
{"url": "https://undated.example", "body": "User-agent: *\nDisallow: /c"}
{"url": "https://moved.example", "time": "2026-11-23T11:30:00Z", "status": 301}
"#;

const URLS: &str = "https://never.example/1
https://never.example/2
https://often.example/1
https://NEW.example:443/1
https://new.example/2
http://new.example/2
https://undated.example/1
https://down.example/c
nonsense
https://down.example/d
https://never.example/3
";

/// A host as long as one can be.
fn longest_host() -> String {
    format!("{}.example", "a".repeat(247))
}

/// A folder with the bundle of a history and the URLs of a frontier.
fn folder() -> Folder {
    let folder = Folder::new();
    let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, Audience::Everyone) };
    let options = LoadOptions::new(kind);
    let sources = [folder.write("history.jsonl", HISTORY)];
    compile::run(&CompileJob::new(&sources, &options), &folder.path("history.bundle"), &mut Silent).unwrap();
    folder.write("urls", URLS);
    folder
}

fn rules() -> PlanRules {
    PlanRules::new(NOW, Terms::Rfc9309)
}

fn frontier(folder: &Folder) -> PlanFrontier {
    PlanFrontier { urls: vec![folder.path("urls")], ..PlanFrontier::default() }
}

/// Runs a job, and returns its report and the lines of its two tables.
fn run(
    folder: &Folder,
    stores: Stores<'_>,
    frontier: Option<PlanFrontier>,
    rules: PlanRules,
) -> (PlanReport, Vec<String>, Vec<String>) {
    let output = |name| PlanOutput::create(&folder.path(name)).unwrap();
    let job = PlanJob { stores, frontier, rules };
    let report = plan::run(&job, output("plan.tsv"), Some(output("holds.tsv")), &mut Silent).unwrap();
    let lines = |name| folder.read(name).lines().skip(1).map(str::to_owned).collect();
    (report, lines("plan.tsv"), lines("holds.tsv"))
}

/// The given columns of rows.
fn columns<const N: usize>(rows: &[String], columns: [usize; N]) -> Vec<[&str; N]> {
    rows.iter().map(|row| columns.map(|column| row.split('\t').nth(column).unwrap())).collect()
}

#[test]
fn only_sites_of_the_frontier_are_planned() {
    let folder = folder();
    let set = PolicySet::open(folder.path("history.bundle")).unwrap();
    let (report, fetches, holds) = run(&folder, set.open_all().unwrap(), Some(frontier(&folder)), rules());
    let expected = [
        ["https://new.example", "never-seen", "2026-11-23T12:00:00Z", "2026-11-23T12:00:00Z", "2", ""],
        ["http://new.example", "never-seen", "2026-11-23T12:00:00Z", "2026-11-23T12:00:00Z", "1", ""],
        ["https://undated.example", "expired", "2026-11-23T12:00:00Z", "2026-11-23T12:00:00Z", "1", ""],
    ];
    assert_eq!(columns(&fetches[..3], [0, 1, 2, 3, 4, 7]), expected, "{fetches:#?}");
    let mut others = columns(&fetches[3..], [0, 1, 2, 3, 4, 7]);
    others.sort_unstable();
    let expected = [
        ["https://down.example", "failing", "2026-11-23T13:00:00Z", "", "2", "2026-11-23T11:00:00Z"],
        [
            "https://never.example",
            "expires",
            "2026-11-23T14:00:00Z",
            "2026-11-23T20:00:00Z",
            "3",
            "2026-11-22T20:00:00Z",
        ],
    ];
    assert_eq!([others[0], others[1]], expected);
    assert_eq!((others[2][0], others[2][4]), ("https://often.example", "1"));
    // Their values fall.
    let values: Vec<f64> =
        fetches.iter().map(|row| row.split('\t').nth(6).unwrap().parse().unwrap()).collect();
    assert!(values.is_sorted_by(|one, other| one >= other), "{values:?}");
    let down = "https://down.example\tlast-good-copy\t\t\t2026-11-23T09:00:00Z\t2026-11-22T12:00:00Z\t2\t\
                2026-11-23T11:00:00Z";
    assert_eq!(holds, [down]);
    let counts = FetchCounts { never_seen: 2, expired: 1, failing: 1, ..report.fetches };
    assert_eq!((report.sites, report.lines, report.holds, report.later), (6, 11, 1, 0));
    assert_eq!((report.fetches, report.fetches.total(), report.errors.invalid_urls), (counts, 6, 1));
}

/// Pages choose the links that a frontier is made of, and the names of unknown sites are kept.
#[test]
fn a_site_that_is_too_long_is_not_planned() {
    let folder = folder();
    folder.write(
        "urls",
        format!("https://{host}:65535/\nhttps://{}{host}/\n", "a".repeat(500_000), host = longest_host()),
    );
    let set = PolicySet::open(folder.path("history.bundle")).unwrap();
    let (report, fetches, _) = run(&folder, set.open_all().unwrap(), Some(frontier(&folder)), rules());
    assert_eq!((report.sites, report.lines, report.errors.invalid_urls), (1, 2, 1));
    assert!(fetches[0].starts_with(&format!("https://{}:65535\t", longest_host())), "{fetches:?}");
}

#[test]
fn without_a_frontier_all_sites_are_planned() {
    let folder = folder();
    let set = PolicySet::open(folder.path("history.bundle")).unwrap();
    let (report, fetches, holds) = run(&folder, set.open_all().unwrap(), None, rules());
    assert_eq!((report.sites, report.lines, fetches.len(), holds.len()), (6, 0, 6, 2));
    assert!(columns(&fetches, [4]).iter().all(|urls| *urls == [""]), "{fetches:?}");
    let moved = "https://moved.example\tunknown\t\t\t\t\t\t2026-11-23T11:30:00Z";
    assert_eq!(holds[1], moved);
    // Equal values are in the order of their sites.
    let sites = columns(&fetches, [0]);
    assert_eq!(sites[..2], [["https://moved.example"], ["https://undated.example"]]);
    let often = sites.iter().position(|site| *site == ["http://often.example"]).unwrap();
    assert_eq!(sites[often + 1], ["https://often.example"]);
}

/// A site whose tdmrep.json alone was captured has a place in the bundle, but its robots.txt was never seen.
#[test]
fn a_site_with_a_tdmrep_json_alone_is_planned() {
    let folder = Folder::new();
    let captures = r#"{"url": "https://mined.example/.well-known/tdmrep.json", "time": "2026-11-23T11:00:00Z", "body": "[]"}"#;
    let sources = [folder.write("captures.jsonl", captures)];
    let kind = StoreKind {
        history: History::All,
        usage_query: UsageQuery { usage: Usage::Tdm, purpose: None },
        ..StoreKind::new(Dialect::Rfc9309, Audience::Everyone)
    };
    let job = LoadOptions::new(kind);
    compile::run(&CompileJob::new(&sources, &job), &folder.path("p.bundle"), &mut Silent).unwrap();
    folder.write("urls", "https://mined.example/1\nhttps://mined.example/2\n");
    let set = PolicySet::open(folder.path("p.bundle")).unwrap();
    let now = "2026-11-23T12:00:00Z";
    for (frontier, urls) in [(Some(frontier(&folder)), "2"), (None, "")] {
        let (report, fetches, holds) = run(&folder, set.open_all().unwrap(), frontier, rules());
        assert_eq!((report.sites, report.fetches.never_seen, holds.len()), (1, 1, 0));
        let expected = [["https://mined.example", "never-seen", now, now, urls, ""]];
        assert_eq!(columns(&fetches, [0, 1, 2, 3, 4, 7]), expected);
    }
    let store = set.store(0).unwrap();
    let site = inspect::inspect_site(store, "https://mined.example/").unwrap().unwrap();
    assert_eq!((site.versions.len(), site.tdmreps.len()), (0, 1));
    let inspected = inspect::inspect(store, 1);
    assert_eq!((inspected.sites, inspected.tdmreps), (0, 1));
    assert_eq!(inspect::inspect_site(store, "https://other.example/"), Ok(None));
}

#[test]
fn captures_after_the_plan_do_not_count() {
    let folder = folder();
    let set = PolicySet::open(folder.path("history.bundle")).unwrap();
    let now = Moment(NOW.seconds() - 26 * 3_600);
    let (report, fetches, holds) = run(&folder, set.open_all().unwrap(), None, PlanRules { now, ..rules() });
    // The first captures of two sites, and the last ones of two others.
    assert_eq!(report.later, 5, "{fetches:#?}");
    assert_eq!((report.fetches.never_seen, holds.len()), (2, 0), "{fetches:#?}");
    assert!(fetches.iter().any(|row| row.starts_with("https://never.example\texpired\t")), "{fetches:#?}");
}

#[test]
fn the_plan_depends_neither_on_threads_nor_on_shards_nor_on_blocks() {
    let folder = folder();
    let set = PolicySet::open(folder.path("history.bundle")).unwrap();
    let expected = run(&folder, set.open_all().unwrap(), Some(frontier(&folder)), rules());
    for threads in [1, 3] {
        let small = PlanFrontier { block_size: Some(30.try_into().unwrap()), ..frontier(&folder) };
        let found = on_threads(threads, || run(&folder, set.open_all().unwrap(), Some(small), rules()));
        assert_eq!(found, expected);
    }
    shard::run(&folder.path("history.bundle"), 3.try_into().unwrap(), &folder.path("part"), |_| {}).unwrap();
    let shards = PolicySet::open(folder.path("part-*-of-00003.bundle")).unwrap();
    assert_eq!(run(&folder, shards.open_all().unwrap(), Some(frontier(&folder)), rules()), expected);
}

/// The shares of rates are estimated from a sample.
#[test]
fn shards_have_the_sample_of_the_whole_bundle() {
    let folder = Folder::new();
    let captures = (0..9_000).flat_map(|number| {
        [(21, 1), (22, 1 + number % 2), (23, 1 + number % 3)].map(|(day, content)| {
            format!(
                "{{\"host\": \"h{number}.example\", \"time\": \"2026-11-{day}T00:00:00Z\", \"body\": \"User-agent: *\\n\
                 Disallow: /{content}\"}}\n"
            )
        })
    });
    let sources = [folder.write("captures.jsonl", captures.collect::<String>())];
    let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, Audience::Everyone) };
    let options = LoadOptions::new(kind);
    let whole = folder.path("whole.bundle");
    compile::run(&CompileJob::new(&sources, &options), &whole, &mut Silent).unwrap();
    shard::run(&whole, 5.try_into().unwrap(), &folder.path("part"), |_| {}).unwrap();
    let [whole, shards] =
        ["whole.bundle", "part-*-of-00005.bundle"].map(|name| PolicySet::open(folder.path(name)).unwrap());
    let expected = run(&folder, whole.open_all().unwrap(), None, rules());
    assert_eq!(expected.0.sites, 18_000);
    assert!(run(&folder, shards.open_all().unwrap(), None, rules()) == expected);
}

#[test]
fn all_formats_have_the_same_rows() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let folder = folder();
    let set = PolicySet::open(folder.path("history.bundle")).unwrap();
    let (_, tsv, _) = run(&folder, set.open_all().unwrap(), None, rules());
    let job = PlanJob { stores: set.open_all().unwrap(), frontier: None, rules: rules() };
    for name in ["plan.jsonl", "plan.parquet"] {
        plan::run(&job, PlanOutput::create(&folder.path(name)).unwrap(), None, &mut Silent).unwrap();
    }
    let json = folder.read("plan.jsonl");
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    let moved = serde_json::json!({
        "site": "https://moved.example", "reason": "inconclusive", "not_before": "2026-11-23T12:30:00Z",
        "not_after": null, "urls": null, "change": 1, "value": 1, "fetched": "2026-11-23T11:30:00Z",
    });
    assert_eq!((first, json.lines().count()), (moved, tsv.len()));
    let file = std::fs::File::open(folder.path("plan.parquet")).unwrap();
    let rows = SerializedFileReader::new(file).unwrap();
    let rows: Vec<_> = rows.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    for (row, tsv) in rows.iter().zip(&tsv) {
        let row: Vec<String> = row.get_column_iter().map(|(_, field)| field.to_string()).collect();
        let tsv: Vec<&str> = tsv.split('\t').collect();
        assert_eq!(row[0].trim_matches('"'), tsv[0]);
        assert_eq!(row[5].parse::<f64>().unwrap(), tsv[5].parse::<f64>().unwrap());
    }
    assert_eq!(rows.len(), tsv.len());
}

#[test]
fn nothing_is_written_from_a_bad_frontier() {
    let folder = folder();
    let set = PolicySet::open(folder.path("history.bundle")).unwrap();
    let run = |frontier: PlanFrontier, heard: &mut Heard| {
        let job = PlanJob { stores: set.open_all().unwrap(), frontier: Some(frontier), rules: rules() };
        let output = Output::create(&folder.path("unwritten")).unwrap();
        plan::run(&job, PlanOutput::new(output, RowForm::Tsv), None, heard).unwrap_err()
    };
    let heard = &mut Heard::default();
    let strict = PlanFrontier { strictness: Strictness::Strict, ..frontier(&folder) };
    assert!(matches!(run(strict, heard), JobError::Strict(_)));
    folder.write_compressed("cut.gz", URLS.repeat(10_000));
    let whole = std::fs::read(folder.path("cut.gz")).unwrap();
    let cut: PathBuf = folder.write("cut.gz", &whole[..whole.len() - 100]);
    let cut = PlanFrontier { urls: vec![cut], ..PlanFrontier::default() };
    assert!(run(cut, heard).is_incomplete_input());
    let missing = PlanFrontier { urls: vec![folder.path("missing")], ..PlanFrontier::default() };
    assert!(matches!(run(missing, heard), JobError::Input(_)));
    assert!(!folder.path("unwritten").exists());
}
