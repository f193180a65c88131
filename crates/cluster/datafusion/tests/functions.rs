//! The functions in plain DataFusion, over Parquet files, compared with the library's answers.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt32Type};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use robomata_datafusion::{BundleExec, Contents};
use robomata_engine::{
    Answer, Audience, Config, Crawler, Dialect, Policy, PolicyCompiler, Site, StoreBuilder, StoreKind, Usage,
    UsageQuery,
};
use support::{
    CRAWLER, Parts, allowed, answers, store, store_about, urls, write_bundle, write_parts, write_shards,
    write_urls,
};
use tempfile::TempDir;

mod support;

const LAYOUTS: [DataType; 3] = [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View];

/// A session with the functions, in which columns keep the layout of the files.
fn context() -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(3).with_batch_size(512);
    config.options_mut().execution.parquet.schema_force_view_types = false;
    let context = SessionContext::new_with_config(config);
    robomata_datafusion::register(&context);
    context
}

async fn table(context: &SessionContext, path: &Path) {
    context.register_parquet("urls", path.to_str().unwrap(), ParquetReadOptions::default()).await.unwrap();
}

async fn rows(context: &SessionContext, sql: &str) -> RecordBatch {
    let frame = context.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let schema = Arc::new(frame.schema().as_arrow().clone());
    let batches = frame.collect().await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let schema = batches.first().map_or(schema, RecordBatch::schema);
    arrow::compute::concat_batches(&schema, &batches).unwrap()
}

/// Returns the error message of a query that fails.
async fn refusal(context: &SessionContext, sql: &str) -> String {
    let outcome = async { context.sql(sql).await?.collect().await };
    match outcome.await {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{sql}: expected an error"),
    }
}

/// A folder with a bundle and a file of URLs, the bundle's name, and the library's answers.
fn world(layout: &DataType, count: usize) -> (TempDir, String, Vec<Option<Answer>>) {
    let folder = tempfile::tempdir().unwrap();
    let (store, urls) = (store("day"), urls(0..count));
    let bundle = write_bundle(&folder.path().join("p.bundle"), &store);
    write_urls(&folder.path().join("urls.parquet"), layout, 0, &urls);
    let answers = answers(&store, &urls);
    (folder, bundle, answers)
}

fn assert_verdicts(found: &RecordBatch, expected: &[Option<Answer>]) {
    assert_eq!(found.num_rows(), expected.len());
    let numbers = found.column(0).as_primitive::<Int64Type>();
    let (may, verdicts) = (found.column(1).as_boolean(), found.column(2).as_struct());
    let (words, reasons) = (verdicts.column(0).as_string::<i32>(), verdicts.column(2).as_string::<i32>());
    let lines = verdicts.column(1).as_primitive::<UInt32Type>();
    for (row, &answer) in expected.iter().enumerate() {
        assert_eq!(usize::try_from(numbers.value(row)).unwrap(), row);
        assert_eq!(may.is_valid(row).then(|| may.value(row)), allowed(answer), "row {row}");
        assert_eq!(verdicts.is_null(row), answer.is_none(), "row {row}");
        let Some(answer) = answer else { continue };
        assert_eq!((words.value(row), reasons.value(row)), (answer.as_str(), answer.reason()), "row {row}");
        assert_eq!(
            lines.is_valid(row).then(|| lines.value(row)),
            Some(answer.line()).filter(|&line| line > 0)
        );
    }
}

#[tokio::test]
async fn every_layout_of_text_gives_what_the_library_answers() {
    for layout in LAYOUTS {
        let (folder, bundle, expected) = world(&layout, 5000);
        for word in ["allow", "disallow", "unknown", "invalid"] {
            assert!(
                expected.iter().flatten().any(|answer| answer.as_str() == word),
                "{word} is among the answers"
            );
        }
        let context = context();
        table(&context, &folder.path().join("urls.parquet")).await;
        let calls = format!(
            "robots_allowed('{bundle}', '{CRAWLER}', url), robots_verdict('{bundle}', '{CRAWLER}', url)"
        );
        let sql = format!("SELECT number, {calls} FROM urls ORDER BY number");
        assert_verdicts(&rows(&context, &sql).await, &expected);

        let layouts = rows(&context, "SELECT DISTINCT arrow_typeof(url) FROM urls").await;
        assert_eq!(layouts.column(0).as_string::<i32>().value(0), layout.to_string());
        let plan = context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap();
        let plan = datafusion::physical_plan::displayable(plan.as_ref()).indent(true).to_string();
        assert!(
            plan.contains("robots_allowed") && !plan.contains("CAST"),
            "{layout}: the column is read as it lies: {plan}"
        );
    }
}

#[tokio::test]
async fn parts_give_what_their_url_gives() {
    let folder = tempfile::tempdir().unwrap();
    let store = store("day");
    let bundle = write_bundle(&folder.path().join("p.bundle"), &store);
    let parts: Vec<Parts> = (0..3000).map(Parts::number).collect();
    let urls: Vec<_> = parts.iter().map(|parts| Some(parts.url())).collect();
    for layout in LAYOUTS {
        let path = folder.path().join(format!("{layout}.parquet"));
        write_parts(&path, &layout, &parts);
        let context = context();
        table(&context, &path).await;
        for port in ["url_port", "CAST(url_port AS BIGINT)", "CAST(url_port AS SMALLINT UNSIGNED)"] {
            let columns = format!("url_protocol, url_host_name, {port}, url_path, url_query");
            let sql = format!(
                "SELECT number, robots_allowed('{bundle}', '{CRAWLER}', {columns}),
                   robots_verdict('{bundle}', '{CRAWLER}', {columns}) FROM urls ORDER BY number"
            );
            assert_verdicts(&rows(&context, &sql).await, &answers(&store, &urls));
        }
    }
    // Each part in turn is a literal or null.
    let context = context();
    let sql = format!(
        "SELECT robots_allowed('{bundle}', '{CRAWLER}', 'https', 'h0.example', NULL, '/private', NULL)"
    );
    assert!(!rows(&context, &sql).await.column(0).as_boolean().value(0));
    let sql =
        format!("SELECT robots_allowed('{bundle}', '{CRAWLER}', NULL, 'h0.example', NULL, '/private', NULL)");
    assert!(rows(&context, &sql).await.column(0).is_null(0));
}

#[tokio::test]
async fn a_permission_that_a_date_has_ended_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let usage = Usage::Preserve;
    let kind = StoreKind {
        usage_query: UsageQuery { usage, purpose: None },
        ..StoreKind::new(Dialect::Acap, Audience::Crawlers(vec![Crawler::new(CRAWLER)]))
    };
    let robots = "ACAP-crawler: *\nACAP-disallow-preserve: /\nACAP-allow-crawl: /\n\
        ACAP-allow-preserve: /past/ time-limit=until-2007-12-31\n\
        ACAP-allow-preserve: /future/ time-limit=until-2999-12-31\n";
    let mut builder = StoreBuilder::new(kind.clone());
    let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Acap));
    let site = Site::of_url(b"https://a.example").unwrap();
    builder.insert(&site, &PolicyCompiler::new(&kind).compile(&policy), None);
    let bundle = write_bundle(&folder.path().join("acap.bundle"), &builder.build());
    for (path, expected) in [("past", false), ("future", true), ("other", false)] {
        let url = format!("https://a.example/{path}/x");
        let sql = format!("SELECT robots_allowed('{bundle}', '{CRAWLER}', '{url}', 'preserve')");
        assert_eq!(rows(&context(), &sql).await.column(0).as_boolean().value(0), expected, "{url}");
    }
}

#[tokio::test]
async fn a_usage_is_answered_where_the_bundle_is_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let (store, urls) =
        (store_about("day", UsageQuery { usage: Usage::AiTrain, purpose: None }), urls(0..2000));
    let bundle = write_bundle(&folder.path().join("ai.bundle"), &store);
    let path = folder.path().join("urls.parquet");
    write_urls(&path, &DataType::Utf8View, 0, &urls);
    let context = context();
    table(&context, &path).await;
    let usage = Usage::AiTrain.as_str();
    let sql = format!(
        "SELECT number, robots_allowed('{bundle}', '{CRAWLER}', url, '{usage}'),
           robots_verdict('{bundle}', '{CRAWLER}', url, '{usage}') FROM urls ORDER BY number"
    );
    let expected = answers(&store, &urls);
    assert_verdicts(&rows(&context, &sql).await, &expected);
    let crawl = answers(&support::store("day"), &urls);
    assert!(expected.iter().zip(&crawl).any(|(usage, crawl)| allowed(*usage) != allowed(*crawl)));

    let error = refusal(
        &context,
        &format!("SELECT robots_allowed('{bundle}', '{CRAWLER}', url, 'search') FROM urls"),
    )
    .await;
    assert!(error.contains("robots_allowed") && error.contains("ai.bundle"), "{error}");
}

#[tokio::test]
async fn queries_that_fail_report_the_reason() {
    let (folder, bundle, _) = world(&DataType::Utf8, 100);
    let context = context();
    table(&context, &folder.path().join("urls.parquet")).await;
    for (call, why) in [
        ("robots_allowed(url, 'a', url)".to_owned(), "robots_allowed: bundle must be a text literal"),
        (format!("robots_allowed('{bundle}', url, url)"), "robots_allowed: crawler must be a text literal"),
        (format!("robots_verdict('{bundle}', NULL, url)"), "robots_verdict: crawler must be a text literal"),
        (
            format!("robots_verdict('{bundle}', 'a', url, url)"),
            "robots_verdict: usage must be a text literal",
        ),
        (format!("robots_allowed('{bundle}', 'a', url, 'eating')"), "eating"),
        (format!("robots_allowed('{bundle}', 'a', number)"), "expected text as url, found Int64"),
        (
            format!("robots_allowed('{bundle}', 'a', url, url, url, url, url)"),
            "expected an integer as port, found Utf8",
        ),
        (format!("robots_allowed('{bundle}', 'a')"), "expected (bundle, crawler, url [, usage])"),
        ("robots_allowed('no such.bundle', 'a', url)".to_owned(), "no such.bundle: cannot be read"),
        (format!("robots_build(1, '{bundle}')"), "robots_build: 2 arguments"),
        ("robots_build(url)".to_owned(), "robots_build: bundle must be a text literal"),
    ] {
        let error = refusal(&context, &format!("SELECT {call} FROM urls")).await;
        assert!(error.contains(why), "{call}: {error}");
    }
    // The planner reports errors that do not depend on the data.
    let frame = context.sql(&format!("SELECT robots_allowed('{bundle}', url, url) FROM urls")).await.unwrap();
    let error = frame.create_physical_plan().await.unwrap_err().to_string();
    assert!(error.contains("crawler must be a text literal, the same for every row"), "{error}");
}

#[tokio::test]
async fn literals_may_be_put_together_and_urls_may_be_literals() {
    let (folder, _, _) = world(&DataType::Utf8, 10);
    let context = context();
    table(&context, &folder.path().join("urls.parquet")).await;
    let bundle = format!("'{}' || '/p.bundle'", folder.path().display());
    let url = "'https://h0.example/private'";
    let found =
        rows(&context, &format!("SELECT robots_allowed({bundle}, 'Example' || 'Bot', {url}) FROM urls"))
            .await;
    assert_eq!(found.column(0).as_boolean().iter().collect::<Vec<_>>(), [Some(false); 10]);
    let found = rows(&context, &format!("SELECT robots_verdict({bundle}, '{CRAWLER}', {url})['line']")).await;
    assert_eq!(found.column(0).as_primitive::<UInt32Type>().value(0), 7);
    // Some functions are folded later than others.
    let (bundle, crawler) = (format!("arrow_cast({bundle}, 'Utf8')"), format!("coalesce(NULL, '{CRAWLER}')"));
    let sql = format!("SELECT robots_allowed({bundle}, {crawler}, {url}, nullif('crawl', '')) FROM urls");
    assert!(!rows(&context, &sql).await.column(0).as_boolean().value(9));
    let sql = format!("SELECT robots_allowed({bundle}, coalesce(url, '{CRAWLER}'), url) FROM urls");
    let error = context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap_err().to_string();
    assert!(error.contains("crawler must be a text literal, the same for every row"), "{error}");
}

/// Without this check, a usage would count as the query, and the answer would be about crawling.
#[tokio::test]
async fn a_usage_in_place_of_the_query_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = store("day");
    let bundle = write_bundle(&folder.path().join("p.bundle"), &store);
    let pinned = format!("{bundle}#{}", store.fingerprint());
    let path = folder.path().join("parts.parquet");
    write_parts(&path, &DataType::Utf8, &[Parts::number(1)]);
    let context = context();
    table(&context, &path).await;
    for bundle in [&bundle, &pinned] {
        for columns in
            ["'https', 'h0.example', NULL, '/x'", "url_protocol, url_host_name, url_port, url_path"]
        {
            let call =
                |rest| format!("SELECT robots_allowed('{bundle}', '{CRAWLER}', {columns}, {rest}) FROM urls");
            for usage in ["'ai-train'", "'ai-' || 'train'", "coalesce(NULL, 'ai-train')"] {
                let error = refusal(&context, &call(usage)).await;
                assert!(error.contains("expected the query of a URL, found the usage 'ai-train'"), "{error}");
            }
            for query in ["NULL", "'q=ai-train'", "'ai-train', 'crawl'", "NULL, 'crawl'"] {
                assert_eq!(rows(&context, &call(query)).await.num_rows(), 1);
            }
        }
    }
}

#[tokio::test]
async fn a_plan_is_pinned_to_the_bundle_that_the_planner_saw() {
    let (folder, bundle, _) = world(&DataType::Utf8, 500);
    let context = context();
    table(&context, &folder.path().join("urls.parquet")).await;
    let sql = format!("SELECT count(*) FROM urls WHERE robots_allowed('{bundle}', '{CRAWLER}', url)");
    let plan = context.sql(&sql).await.unwrap().into_optimized_plan().unwrap();
    let pin = rows(&context, &format!("SELECT robots_build('{bundle}')['bundle']")).await;
    let pin = pin.column(0).as_string::<i32>().value(0).to_owned();
    assert!(plan.to_string().contains(&format!("{bundle}#{pin}")), "{plan}");

    // Planned with Monday's bundle, evaluated with Tuesday's.
    let planned = context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap();
    write_bundle(Path::new(&bundle), &store("tuesday"));
    let error =
        datafusion::physical_plan::collect(planned, context.task_ctx()).await.unwrap_err().to_string();
    assert!(error.contains("another bundle than was asked for") && error.contains(&pin), "{error}");
    // A new query uses the new bundle.
    assert_eq!(rows(&context, &sql).await.num_rows(), 1);
    // So it is with tables.
    for table in [format!("robots_sites('{bundle}')"), format!("robots_pace('{bundle}', '{CRAWLER}')")] {
        let sql = format!("SELECT * FROM {table}");
        write_bundle(Path::new(&bundle), &store("day"));
        let planned = context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap();
        write_bundle(Path::new(&bundle), &store("tuesday"));
        let error =
            datafusion::physical_plan::collect(planned, context.task_ctx()).await.unwrap_err().to_string();
        assert!(error.contains("another bundle than was asked for") && error.contains(&pin), "{error}");
        rows(&context, &sql).await;
    }
    let error = refusal(&context, &sql.replace("p.bundle", &format!("p.bundle#{pin}"))).await;
    assert!(error.contains("another bundle than was asked for"), "{error}");
}

#[tokio::test]
async fn a_bundle_that_no_planner_has_pinned_is_refused() {
    let (folder, bundle, _) = world(&DataType::Utf8, 10);
    let pinned = format!("{bundle}#{}", store("day").fingerprint());
    let refused = |function: &str, error: String| {
        let expected = format!(
            "{function}: {bundle}: this bundle could not be opened where the query was planned, so nothing ensures \
             that all rows are answered from the same file. Write its fingerprint after the name: this process has \
             the file '{pinned}'"
        );
        assert!(error.contains(&expected), "{error}");
    };
    // The bundle is not there when the query is planned.
    let aside = folder.path().join("aside");
    std::fs::rename(&bundle, &aside).unwrap();
    let context = context();
    table(&context, &folder.path().join("urls.parquet")).await;
    let mut planned = vec![];
    for function in ["robots_allowed", "robots_verdict"] {
        let sql = format!("SELECT {function}('{bundle}', '{CRAWLER}', url) FROM urls");
        planned.push((function, context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap()));
    }
    std::fs::rename(&aside, &bundle).unwrap();
    for (function, plan) in planned {
        let error = datafusion::physical_plan::collect(plan, context.task_ctx()).await.unwrap_err();
        refused(function, error.to_string());
    }
    for contents in [Contents::Sites, Contents::Pace { crawler: CRAWLER.to_owned() }] {
        let function = contents.function();
        let read = |bundle: &str| {
            let plan = BundleExec::try_new(bundle.to_owned(), contents.clone(), None).unwrap();
            datafusion::physical_plan::collect(Arc::new(plan), context.task_ctx())
        };
        refused(function, read(&bundle).await.unwrap_err().to_string());
        read(&pinned).await.unwrap();
    }
}

#[tokio::test]
async fn the_evaluating_process_is_reported() {
    let (folder, bundle, _) = world(&DataType::Utf8, 10);
    let context = context();
    table(&context, &folder.path().join("urls.parquet")).await;
    let sql = format!(
        "SELECT robots_build('{bundle}') AS known, robots_build('no such.bundle') AS missing, robots_build() AS none FROM urls"
    );
    let plan = context.sql(&sql).await.unwrap().into_optimized_plan().unwrap().to_string();
    assert!(plan.contains("robots_build()"), "not folded by the planner: {plan}");
    let found = rows(&context, &sql).await;
    assert_eq!(found.num_rows(), 10);
    let [known, missing, none] = [0, 1, 2].map(|column| found.column(column).as_struct());
    for build in [known, missing, none] {
        assert_eq!(
            build.column_by_name("version").unwrap().as_string::<i32>().value(9),
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(
            build.column_by_name("pid").unwrap().as_primitive::<UInt32Type>().value(9),
            std::process::id()
        );
    }
    let fingerprint = known.column_by_name("bundle").unwrap().as_string::<i32>().value(0);
    assert_eq!(fingerprint, store("day").fingerprint().to_string());
    assert!(missing.column_by_name("bundle").unwrap().is_null(0));
    assert!(
        missing
            .column_by_name("problem")
            .unwrap()
            .as_string::<i32>()
            .value(0)
            .starts_with("no such.bundle: cannot be read")
    );
    assert!(
        none.column_by_name("bundle").unwrap().is_null(0)
            && none.column_by_name("problem").unwrap().is_null(0)
    );
}

#[tokio::test]
async fn the_sites_of_a_bundle_are_a_table() {
    let (_folder, bundle, _) = world(&DataType::Utf8, 1);
    let context = context();
    let small = "SET datafusion.execution.batch_size = 7";
    context.sql(small).await.unwrap().collect().await.unwrap();
    let sites = rows(&context, &format!("SELECT * FROM robots_sites('{bundle}') ORDER BY site")).await;
    assert_eq!((sites.num_rows(), sites.num_columns()), (60, 5));
    assert_eq!(sites.column(0).as_string::<i32>().value(0), "https://h0.example");
    let sql = format!(
        "SELECT outcome, count(*) AS sites, sum(versions) FROM robots_sites('{bundle}') GROUP BY outcome ORDER BY outcome"
    );
    let outcomes = rows(&context, &sql).await;
    let words: Vec<_> = outcomes.column(0).as_string::<i32>().iter().flatten().collect();
    assert_eq!(words, ["rules", "unavailable", "unreachable"]);
    assert_eq!(outcomes.column(1).as_primitive::<Int64Type>().values(), &[48, 6, 6]);

    let count = rows(&context, &format!("SELECT count(*) FROM robots_sites('{bundle}')")).await;
    assert_eq!(count.column(0).as_primitive::<Int64Type>().value(0), 60);
    assert_eq!(
        rows(&context, &format!("SELECT versions, site FROM robots_sites('{bundle}') LIMIT 3"))
            .await
            .num_rows(),
        3
    );
    let error = refusal(&context, "SELECT * FROM robots_sites('no such.bundle')").await;
    assert!(error.contains("robots_sites: no such.bundle: cannot be read"), "{error}");
    let error = refusal(&context, "SELECT * FROM robots_sites(1)").await;
    assert!(error.contains("robots_sites: expected text as bundle, found Int64"), "{error}");
}

#[tokio::test]
async fn the_delays_of_a_bundle_are_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let kind = StoreKind::new(Dialect::Rfc9309, Audience::Everyone);
    let mut builder = StoreBuilder::new(kind.clone());
    for (site, robots) in [
        ("https://a.example", "User-agent: *\nCrawl-delay: 2.5"),
        ("https://b.example", "User-agent: *\nRequest-rate: 1/10m 0800-1300\nVisit-time: 0600-2259"),
        ("https://c.example", "User-agent: *\nDisallow: /"),
    ] {
        let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Rfc9309));
        let policies = PolicyCompiler::new(&kind).compile(&policy);
        builder.insert(&Site::of_url(site.as_bytes()).unwrap(), &policies, None);
    }
    let bundle = write_bundle(&folder.path().join("p.bundle"), &builder.build());
    let context = context();
    let sql = format!("SELECT * FROM robots_pace('{bundle}', 'ExampleBot') ORDER BY site");
    let paces = rows(&context, &sql).await;
    assert_eq!((paces.num_rows(), paces.num_columns()), (2, 9));
    let delays = paces.column_by_name("delay").unwrap().as_primitive::<Float64Type>();
    assert_eq!(delays.values(), &[2.5, 600.0]);
    let hours = paces.column_by_name("hours").unwrap().as_string::<i32>();
    assert!(hours.is_null(0));
    assert_eq!(hours.value(1), "08:00-13:00");

    let sql = format!("SELECT count(*) FROM robots_pace('{bundle}', 'ExampleBot') WHERE delay > 10");
    assert_eq!(rows(&context, &sql).await.column(0).as_primitive::<Int64Type>().value(0), 1);
    let error = refusal(&context, "SELECT * FROM robots_pace('no such.bundle', 'ExampleBot')").await;
    assert!(error.contains("robots_pace: no such.bundle: cannot be read"), "{error}");
    let error = refusal(&context, &format!("SELECT * FROM robots_pace('{bundle}')")).await;
    assert!(error.contains("robots_pace: expected two arguments"), "{error}");
    let error = refusal(&context, &format!("SELECT * FROM robots_pace('{bundle}', '')")).await;
    assert!(error.contains("robots_pace: the crawler's name is empty"), "{error}");
}

#[tokio::test]
async fn shards_answer_as_the_whole_does_and_are_opened_as_hosts_are_met() {
    let (folder, _, expected) = world(&DataType::Utf8View, 3000);
    let (files, sharded) = write_shards(&folder.path().join("s"), &store("day"), 4);
    let file = |shard: u32| files.file(shard);
    let context = context();
    table(&context, &folder.path().join("urls.parquet")).await;

    let missing = robomata_engine::Site::of_url(b"https://h0.example").unwrap().shard(4);
    let aside = folder.path().join("aside");
    std::fs::rename(file(missing), &aside).unwrap();
    let other = (1..60).find(|host| {
        robomata_engine::Site::of_url(format!("https://h{host}.example").as_bytes()).unwrap().shard(4)
            != missing
    });
    let of_host = |host: usize| {
        format!(
            "SELECT count(robots_allowed('{sharded}', '{CRAWLER}', url)) FROM urls WHERE url LIKE 'https://h{host}.example/%'"
        )
    };
    rows(&context, &of_host(other.unwrap())).await;
    let error = refusal(&context, &of_host(0)).await;
    assert!(error.contains(file(missing).to_str().unwrap()), "{error}");
    std::fs::rename(aside, file(missing)).unwrap();

    let sql = format!(
        "SELECT number, robots_allowed('{sharded}', '{CRAWLER}', url), robots_verdict('{sharded}', '{CRAWLER}', url)
         FROM urls ORDER BY number"
    );
    assert_verdicts(&rows(&context, &sql).await, &expected);
    // Another day's shards are refused, like another day's bundle.
    let planned = context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap();
    write_shards(&folder.path().join("s"), &store("tuesday"), 4);
    let error =
        datafusion::physical_plan::collect(planned, context.task_ctx()).await.unwrap_err().to_string();
    assert!(error.contains("another bundle than was asked for"), "{error}");
}

/// A file of pyarrow with the URL `https://h0.example/private` and the checksum of its page. The writer of the library has
/// none.
const CHECKSUM: &[u8] = b"PAR1\x15\0\x15H\x15H\x15\xd8\x97\xaf\x82\n\x1c\x15\x02\x15\0\x15\x06\x15\x06\x1c\0\0\0\
    \x02\0\0\0\x02\x01\x1a\0\0\0https://h0.example/private\x15\x04\x19,5\0\x18\x06schema\x15\x02\0\x15\x0c%\x02\x18\x03url%\
    \0L\x1c\0\0\0\x16\x02\x19\x1c\x19\x1c&\0\x1c\x15\x0c\x19%\x06\0\x19\x18\x03url\x15\0\x16\x02\x16z\x16z&\x08I\x1c\x15\0\
    \x15\0\x15\x02\0<\x164\x19\x06\x19&\0\x02\0\0\0\x16z\x16\x02&\x08\x16z\0( parquet-cpp-arrow version 26.0.1\x19\x1c\x1c\
    \0\0\0\x86\0\0\0PAR1";

#[tokio::test]
async fn a_page_of_parquet_with_another_checksum_is_damaged() {
    let (folder, bundle, _) = world(&DataType::Utf8, 1);
    let path = folder.path().join("checksum.parquet");
    let sql = format!("SELECT robots_allowed('{bundle}', '{CRAWLER}', url) FROM urls");
    let mut file = CHECKSUM.to_vec();
    std::fs::write(&path, &file).unwrap();
    let whole = context();
    table(&whole, &path).await;
    assert!(!rows(&whole, &sql).await.column(0).as_boolean().value(0));
    let place = file.windows(8).position(|bytes| bytes == b"/private").unwrap();
    file[place + 1] = b'q';
    std::fs::write(&path, &file).unwrap();
    let changed = context();
    table(&changed, &path).await;
    let error = refusal(&changed, &sql).await;
    assert!(error.contains("Page CRC checksum mismatch"), "{error}");
}

/// By default, `filter` keeps URLs of unknown sites; null is not true for `WHERE`.
#[tokio::test]
async fn the_conditions_of_the_documentation_keep_what_filter_keeps() {
    let page = include_str!("../../../../docs/sql-and-clusters.md");
    let mut conditions = page.lines().filter_map(|line| line.strip_suffix('"')?.split_once("WHERE "));
    let (_, condition) = conditions.find(|(_, condition)| condition.contains("unknown")).unwrap();
    let (folder, bundle, expected) = world(&DataType::Utf8, 5000);
    let context = context();
    table(&context, &folder.path().join("urls.parquet")).await;
    let condition = condition.replace("policies.bundle", &bundle).replace("GPTBot", CRAWLER);
    let strict = format!("robots_allowed('{bundle}', '{CRAWLER}', url)");
    for (condition, words) in [(condition, &["allow", "unknown"][..]), (strict, &["allow"])] {
        let sql = format!("SELECT number FROM urls WHERE {condition} ORDER BY number");
        let found = rows(&context, &sql).await;
        let found = found.column(0).as_primitive::<Int64Type>().values().to_vec();
        let kept = (0..)
            .zip(&expected)
            .filter(|(_, answer)| answer.is_some_and(|answer| words.contains(&answer.as_str())));
        assert_eq!(found, kept.map(|(number, _)| number).collect::<Vec<i64>>(), "{condition}");
    }
}
