//! Delays in stores of every kind: compiled at once, merged, extended, divided, for some crawlers and for every crawler.

use std::num::NonZeroU32;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use robomata_engine::policy::DelayLimits;
use robomata_engine::{
    Audience, Crawler, Dialect, History, Moment, PolicySet, PolicyStore, StoreKind, Stores, merge,
};
use robomata_formats::Output;
use robomata_jobs::compile::{self, CompileJob};
use robomata_jobs::pace::{self, PaceJob, PaceReport};
use robomata_jobs::sources::LoadOptions;
use robomata_jobs::{RowForm, shard};

use crate::support::{Folder, Heard};

const CAPTURES: &str = r#"{"url": "https://a.example", "time": "2024-01-01", "body": "User-agent: *\nCrawl-delay: 9\nDisallow: /x"}
{"url": "https://a.example", "time": "2024-02-01", "body": "User-agent: *\nCrawl-delay: 2.5\nDisallow: /x"}
{"url": "https://b.example", "time": "2024-01-01", "body": "User-agent: A\nCrawl-delay: 5\nUser-agent: B\nDisallow: /\n\nUser-agent: *\nRequest-rate: 7/10"}
{"url": "https://c.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /x"}
{"url": "https://d.example", "time": "2024-01-01", "status": 503, "body": "User-agent: *\nCrawl-delay: 9"}
{"url": "https://e.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /x\nVisit-time: 0600-0845\nRequest-rate: 1/10m\nRequest-rate: 1/5 0700-0759"}
{"url": "https://f.example", "time": "2024-01-01", "status": 404, "body": "User-agent: *\nCrawl-delay: 9"}
{"url": "https://g.example", "time": "2024-01-01", "body": "User-agent: *\nCrawl-delay: 1e9"}
"#;

fn crawlers() -> Vec<Crawler> {
    ["A", "B", "C"].map(Crawler::new).to_vec()
}

fn compiled(folder: &Folder, name: &str, kind: &StoreKind, captures: &str, part: usize) -> PolicyStore {
    let sources = [folder.write("robots.jsonl", captures)];
    let options = LoadOptions::new(kind.clone());
    let job = CompileJob { part, ..CompileJob::new(&sources, &options) };
    compile::run(&job, &folder.path(name), &mut Heard::default()).unwrap();
    PolicyStore::open(&folder.path(name)).unwrap()
}

fn table<'s>(
    folder: &Folder,
    stores: impl Into<Stores<'s>>,
    change: impl Fn(&mut PaceJob<'s>),
) -> (PaceReport, Vec<String>) {
    let mut job = PaceJob::new(stores.into(), crawlers());
    change(&mut job);
    let report = pace::run(&job, Output::create(&folder.path("table")).unwrap()).unwrap();
    let mut rows: Vec<String> = folder.read("table").lines().map(str::to_owned).collect();
    // The order of sites has no meaning.
    rows[1..].sort();
    (report, rows)
}

const HEADER: &str = "site\tagent\tdelay\tsource\tline\thours\tasked\tlimit\tvisit_time\topens_in";

/// The rows that follow from [`CAPTURES`], without limits, over the day.
fn expected() -> Vec<&'static str> {
    vec![
        HEADER,
        "https://a.example\tA\t2.5\tcrawl-delay\t2\t\t2.5\t\t\t",
        "https://a.example\tB\t2.5\tcrawl-delay\t2\t\t2.5\t\t\t",
        "https://a.example\tC\t2.5\tcrawl-delay\t2\t\t2.5\t\t\t",
        "https://b.example\tA\t5\tcrawl-delay\t2\t\t5\t\t\t",
        "https://b.example\tC\t1.429\trequest-rate\t7\t\t1.429\t\t\t",
        "https://e.example\tA\t600\trequest-rate\t4\t\t600\t\t06:00-08:45\t",
        "https://e.example\tB\t600\trequest-rate\t4\t\t600\t\t06:00-08:45\t",
        "https://e.example\tC\t600\trequest-rate\t4\t\t600\t\t06:00-08:45\t",
    ]
}

fn kinds() -> Vec<StoreKind> {
    let audiences = [Audience::Crawlers(crawlers()), Audience::Everyone];
    let histories = [History::Newest, History::All];
    audiences
        .into_iter()
        .flat_map(|audience| {
            histories
                .map(|history| StoreKind { history, ..StoreKind::new(Dialect::Rfc9309, audience.clone()) })
        })
        .collect()
}

#[test]
fn stores_of_every_kind_hold_the_same_delays() {
    let folder = Folder::new();
    for kind in kinds() {
        let whole = compiled(&folder, "whole.bundle", &kind, CAPTURES, usize::MAX);
        let (report, rows) = table(&folder, &whole, |_| {});
        assert_eq!(rows, expected(), "{kind:?}");
        assert_eq!((report.sites, report.delays, report.visit_times, report.without_rules), (21, 8, 3, 3));

        // Many parts that are merged give the same bundle.
        let parts = compiled(&folder, "parts.bundle", &kind, CAPTURES, 1);
        assert_eq!(parts.fingerprint(), whole.fingerprint(), "{kind:?}");

        let shards = NonZeroU32::new(3).unwrap();
        shard::run(&folder.path("whole.bundle"), shards, &folder.path("s"), |_| {}).unwrap();
        let shards = PolicySet::open(folder.path("s-*-of-00003.bundle")).unwrap();
        assert_eq!(
            table(&folder, shards.open_all().unwrap(), |_| {}),
            (report, expected().into_iter().map(str::to_owned).collect())
        );
    }
}

#[test]
fn an_extended_bundle_knows_the_delays_of_known_bodies() {
    let folder = Folder::new();
    let (old, new): (Vec<&str>, Vec<&str>) = CAPTURES.lines().partition(|line| !line.contains("2024-02"));
    for kind in kinds() {
        let whole = compiled(&folder, "whole.bundle", &kind, CAPTURES, usize::MAX);
        compiled(&folder, "old.bundle", &kind, &old.join("\n"), usize::MAX);
        // A body that the base knows, at another site.
        let again = old[1].replace("b.example", "z.example");
        let sources = [folder.write("new.jsonl", format!("{}\n{again}", new.join("\n")))];
        let (options, base) = (LoadOptions::new(kind.clone()), folder.path("old.bundle"));
        let job = CompileJob { base: Some(&base), ..CompileJob::new(&sources, &options) };
        compile::run(&job, &folder.path("new.bundle"), &mut Heard::default()).unwrap();
        let extended = PolicyStore::open(&folder.path("new.bundle")).unwrap();
        let (_, rows) = table(&folder, &extended, |_| {});
        let (of_z, others): (Vec<String>, Vec<String>) =
            rows.into_iter().partition(|row| row.contains("z.example"));
        assert_eq!(others, expected(), "{kind:?}");
        assert_eq!(of_z.len(), 2, "{kind:?}: {of_z:?}");

        let mut merged = Vec::new();
        merge(&[&extended, &whole], kind.history, &mut merged).unwrap();
        let merged = PolicyStore::from_bytes(merged).unwrap();
        assert_eq!(table(&folder, &merged, |_| {}).1.len(), expected().len() + of_z.len());
    }
}

#[test]
fn sites_that_say_nothing_cost_nothing() {
    let folder = Folder::new();
    for kind in kinds() {
        let silent = compiled(&folder, "silent.bundle", &kind, CAPTURES.lines().nth(3).unwrap(), 1);
        // The padding of a section.
        assert_eq!(silent.parts().schedules, 8);
    }
}

#[test]
fn equal_delays_are_stored_once() {
    let folder = Folder::new();
    let capture = |n: usize| {
        format!(
            "{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\nCrawl-delay: 10\\nDisallow: /{n}\"}}\n"
        )
    };
    let captures: String = (0..100).map(capture).collect();
    let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("A")]);
    let store = compiled(&folder, "same.bundle", &kind, &captures, usize::MAX);
    // One byte for the number of a program, five for the position of the schedule, which has twelve at most.
    let bytes = store.parts().schedules;
    assert!((100 * 6..100 * 6 + 8 + 12).contains(&bytes), "{bytes}");
}

#[test]
fn limits_and_instants_change_rows() {
    let folder = Folder::new();
    let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("A")]);
    let store = compiled(&folder, "whole.bundle", &kind, CAPTURES, usize::MAX);
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    let limits = DelayLimits { least: seconds(3), most: seconds(60), default: seconds(4) };
    let (report, rows) = table(&folder, &store, |job| {
        job.crawlers = vec![Crawler::new("A")];
        job.limits = limits;
        // 05:59:59
        job.at = Some(Moment::from_seconds(1_700_000_000 / 86_400 * 86_400 + 6 * 3600 - 1));
    });
    assert_eq!(
        rows,
        [
            HEADER,
            "https://a.example\tA\t3\tcrawl-delay\t2\t\t2.5\traised\t\t",
            "https://b.example\tA\t5\tcrawl-delay\t2\t\t5\t\t\t",
            "https://c.example\tA\t4\tdefault\t\t\t\t\t\t",
            "https://d.example\tA\t\tunreachable\t\t\t\t\t\t",
            "https://e.example\tA\t60\trequest-rate\t4\t\t600\tcapped\t06:00-08:45\t1",
            "https://f.example\tA\t4\tdefault\t\t\t\t\t\t",
            "https://g.example\tA\t4\tdefault\t\t\t\t\t\t",
        ]
    );
    let expected = PaceReport {
        sites: 7,
        delays: 3,
        raised: 1,
        capped: 1,
        visit_times: 1,
        defaults: 3,
        without_rules: 1,
    };
    assert_eq!(report, expected);
}

#[test]
fn a_store_for_other_crawlers_is_refused_before_anything_is_written() {
    let folder = Folder::new();
    let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("A")]);
    let store = compiled(&folder, "whole.bundle", &kind, CAPTURES, usize::MAX);
    let job = PaceJob { form: RowForm::JsonLines, ..PaceJob::new(Stores::from(&store), crawlers()) };
    let error = pace::run(&job, Output::create(&folder.path("table")).unwrap()).unwrap_err().to_string();
    assert!(error.contains("the policies hold no crawler 'B'"), "{error}");
    assert!(!folder.path("table").exists());
}

#[test]
fn parquet_has_numbers_and_nulls() {
    let folder = Folder::new();
    let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("A")]);
    let store = compiled(&folder, "whole.bundle", &kind, CAPTURES, usize::MAX);
    let limits = DelayLimits { default: Some(Duration::from_millis(250)), ..DelayLimits::default() };
    let job = PaceJob {
        form: RowForm::Parquet,
        limits,
        ..PaceJob::new(Stores::from(&store), vec![Crawler::new("A")])
    };
    pace::run(&job, Output::create(&folder.path("table.parquet")).unwrap()).unwrap();
    let file = std::fs::File::open(folder.path("table.parquet")).unwrap();
    let rows = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let rows: Vec<RecordBatch> = rows.map(Result::unwrap).collect();
    let delays = rows[0].column_by_name("delay").unwrap().as_primitive::<Float64Type>();
    let mut delays: Vec<Option<f64>> = delays.iter().collect();
    delays.sort_by(|one, other| one.partial_cmp(other).unwrap());
    let default = Some(0.25);
    assert_eq!(delays, [None, default, default, default, Some(2.5), Some(5.0), Some(600.0)]);
}
