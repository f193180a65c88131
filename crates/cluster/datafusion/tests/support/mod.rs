//! Policies, URLs and Parquet files for the tests of this workspace.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
};
use arrow::datatypes::DataType;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use robomata_engine::{
    Answer, Audience, Config, Crawler, Dialect, FetchStatus, Policy, PolicyCompiler, PolicyStore, ShardFiles,
    ShardManifest, Site, StoreBuilder, StoreKind, Usage, UsageQuery,
};

/// The crawler of all queries.
pub(crate) const CRAWLER: &str = "ExampleBot";

const HOSTS: usize = 60;

/// Sites with rules, with rules that differ by `day`, without a robots.txt, and with an unreachable one.
pub(crate) fn store(day: &str) -> PolicyStore {
    store_about(day, UsageQuery::default())
}

/// The same sites, for crawling by every crawler, or for another usage by [`CRAWLER`] only.
pub(crate) fn store_about(day: &str, usage_query: UsageQuery) -> PolicyStore {
    let audience = match usage_query.usage {
        Usage::Crawl => Audience::Everyone,
        _ => Audience::Crawlers(vec![Crawler::new(CRAWLER)]),
    };
    let kind = StoreKind { usage_query, ..StoreKind::new(Dialect::Rfc9309, audience) };
    let mut compiler = PolicyCompiler::new(&kind);
    let mut builder = StoreBuilder::new(kind.clone());
    for host in 0..HOSTS {
        let group = if host % 2 == 0 { "*" } else { CRAWLER };
        let robots = format!(
            "User-agent: {group}\nContent-Signal: ai-train=no\n# {day}\nDisallow: /{day}{host}\nAllow: /*.html\nDisallow: /?\nDisallow: /private\n"
        );
        let status = match host % 9 {
            7 => FetchStatus::Code(404),
            8 => FetchStatus::Code(503),
            _ => FetchStatus::Code(200),
        };
        let policy = Policy::fetched(robots.as_bytes(), Some(status), &Config::new(Dialect::Rfc9309));
        let site = format!("https://h{host}.example");
        builder.insert(&Site::of_url(site.as_bytes()).unwrap(), &compiler.compile(&policy), None);
    }
    builder.build()
}

/// Writes a bundle to a temporary file and renames it, like robomata.
pub(crate) fn write_bundle(path: &Path, store: &PolicyStore) -> String {
    let new = path.with_extension("new");
    std::fs::write(&new, store.bytes()).unwrap();
    std::fs::rename(new, path).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Writes a bundle in shards with a manifest, like robomata. Returns the name of all shards.
pub(crate) fn write_shards(prefix: &Path, store: &PolicyStore, shards: u32) -> (ShardFiles, String) {
    let files = ShardFiles::new(prefix, shards).unwrap();
    let divided = store.shards(shards);
    let mut manifest = ShardManifest(Vec::new());
    for shard in 0..shards {
        let mut bytes = Vec::new();
        manifest.0.push(divided.write(shard as usize, &mut bytes).unwrap().fingerprint);
        std::fs::write(files.file(shard), bytes).unwrap();
    }
    std::fs::write(files.manifest(), manifest.to_string()).unwrap();
    (files, format!("{}-*-of-{shards:05}.bundle", prefix.display()))
}

/// A URL in parts.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) protocol: &'static str,
    pub(crate) host: String,
    pub(crate) port: Option<i32>,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
}

impl Parts {
    /// Generates a URL by number: on hosts with and without a policy, in runs and at random, with various paths.
    pub(crate) fn number(number: usize) -> Self {
        let host = if number % 1000 < 300 { number / 10 } else { number.wrapping_mul(7919) } % (HOSTS + 4);
        let path = match number % 5 {
            0 => format!("/private/{number}"),
            1 => format!("/day{host}/x"),
            2 => format!("/{number}.html"),
            3 => "/".to_owned(),
            _ => format!("/a/{number}"),
        };
        Parts {
            protocol: if number.is_multiple_of(31) { "http" } else { "https" },
            host: format!("h{host}.example"),
            port: match number % 11 {
                3 => Some(443),
                4 => Some(8080),
                _ => None,
            },
            path,
            query: number.is_multiple_of(3).then(|| format!("q={number}")),
        }
    }

    /// Returns the URL as one text.
    pub(crate) fn url(&self) -> String {
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        let query = self.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{}://{}{port}{}{query}", self.protocol, self.host, self.path)
    }
}

/// URLs as texts, with nulls and invalid texts among them.
pub(crate) fn urls(numbers: std::ops::Range<usize>) -> Vec<Option<String>> {
    numbers
        .map(|number| match number % 97 {
            5 => None,
            6 => Some(String::new()),
            7 => Some("mailto:a@h1.example".to_owned()),
            8 => Some("/private".to_owned()),
            _ => Some(Parts::number(number).url()),
        })
        .collect()
}

/// The library's answers, row by row.
pub(crate) fn answers(store: &PolicyStore, urls: &[Option<String>]) -> Vec<Option<Answer>> {
    let crawler = Crawler::new(CRAWLER);
    urls.iter()
        .map(|url| url.as_ref().map(|url| store.checker(&crawler).unwrap().check(url.as_bytes())))
        .collect()
}

/// The result of `robots_allowed` for an answer.
pub(crate) fn allowed(answer: Option<Answer>) -> Option<bool> {
    match answer {
        Some(answer @ Answer::Verdict(_)) => Some(answer.as_str() == "allow"),
        _ => None,
    }
}

/// A column of texts in one of Arrow's three layouts.
pub(crate) fn texts<'t>(layout: &DataType, texts: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
    match layout {
        DataType::Utf8 => Arc::new(texts.collect::<StringArray>()),
        DataType::LargeUtf8 => Arc::new(texts.collect::<LargeStringArray>()),
        _ => Arc::new(texts.collect::<StringViewArray>()),
    }
}

/// A file with the columns `number`, from `start` on, and `url`.
pub(crate) fn write_urls(path: &Path, layout: &DataType, start: usize, urls: &[Option<String>]) {
    let numbers =
        Int64Array::from_iter_values((start..).take(urls.len()).map(|number| i64::try_from(number).unwrap()));
    let urls = texts(layout, urls.iter().map(Option::as_deref));
    write(
        path,
        &RecordBatch::try_from_iter([("number", Arc::new(numbers) as ArrayRef), ("url", urls)]).unwrap(),
    );
}

/// A file with the columns `number` and those of Common Crawl's index.
pub(crate) fn write_parts(path: &Path, layout: &DataType, rows: &[Parts]) {
    let numbers = Int64Array::from_iter_values((0..).take(rows.len()));
    let text = |part: fn(&Parts) -> Option<&str>| texts(layout, rows.iter().map(part));
    let columns: [(&str, ArrayRef); 6] = [
        ("number", Arc::new(numbers)),
        ("url_protocol", text(|row| Some(row.protocol))),
        ("url_host_name", text(|row| Some(&row.host))),
        ("url_port", Arc::new(rows.iter().map(|row| row.port).collect::<Int32Array>())),
        ("url_path", text(|row| Some(&row.path))),
        ("url_query", text(|row| row.query.as_deref())),
    ];
    write(
        path,
        &RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
            .unwrap(),
    );
}

pub(crate) fn write(path: &Path, batch: &RecordBatch) {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1000)).build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}
