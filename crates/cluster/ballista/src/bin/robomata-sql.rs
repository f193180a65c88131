//! Runs a query, in this process or on a cluster.

use std::io::BufWriter;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use datafusion::error::Result;
use datafusion::prelude::SQLOptions;
use robomata_ballista::output::{self, Format, Reader};
use robomata_ballista::{block_on, client, explained, log_to_stderr};

/// Run an SQL query over Parquet files, with functions that evaluate robots.txt policies
///
/// Without --scheduler, the query runs in this process. With it, the query is planned here and evaluated on the
/// cluster. The cluster's machines must have the tables' files and the bundle at the same paths, so give the full path
/// of the bundle. A query only reads: redirect the output to a file, in a --format.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// The query
    sql: String,
    /// A table for the query: a Parquet file, or a folder of files with the extension .parquet and the same columns; may be
    /// repeated
    #[arg(short, long = "table", value_name = "NAME=PATH", value_parser = table)]
    tables: Vec<(String, PathBuf)>,
    /// Evaluate on the cluster of this scheduler
    #[arg(short, long, value_name = "HOST:PORT")]
    scheduler: Option<String>,
    /// The output format
    #[arg(short, long, value_enum, default_value = "table")]
    format: Format,
    /// The number of partitions of a table, which limits the number of parallel tasks; on a cluster, use at least the
    /// number of tasks of all executors
    #[arg(short, long, value_name = "NUMBER")]
    partitions: Option<u32>,
    /// A setting of DataFusion or Ballista; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
}

const EXAMPLES: &str = "\
Functions:
  robots_allowed(bundle, crawler, url [, usage])   true, false, or null if the answer is unknown
  robots_verdict(bundle, crawler, url [, usage])   struct of verdict, line, reason
    both also accept (bundle, crawler, protocol, host, port, path, query [, usage])
  robots_build([bundle])                           struct of version, bundle, problem, host, pid of the evaluating process
  robots_sites(bundle)                             table of site, outcome, first, last, versions
  robots_pace(bundle, crawler)                     table of site, delay, source, line, hours, …: how fast the crawler may fetch

Bundle, crawler and usage must be literals. `robomata compile` writes bundles. Name a bundle in shards with a star:
'policies-*-of-00016.bundle'.

Examples:
  robomata-sql --table urls=urls.parquet \\
    \"SELECT robots_verdict('policies.bundle', 'ExampleBot', url)['verdict'] AS verdict, count(*) FROM urls GROUP BY 1\"
  robomata-sql \"SELECT outcome, count(*) FROM robots_sites('policies.bundle') GROUP BY outcome\"
  robomata-sql --scheduler 127.0.0.1:50050 --partitions 64 --table index=/data/cc-index --format csv \\
    \"SELECT url FROM index WHERE robots_allowed('/data/policies-*-of-00016.bundle', 'ExampleBot',
       url_protocol, url_host_name, url_port, url_path, url_query)\"
  robomata-sql --scheduler 127.0.0.1:50050 --table index=/data/cc-index \\
    \"SELECT robots_build('/data/policies.bundle') AS build, count(*) FROM index GROUP BY 1\"";

fn main() -> ExitCode {
    // The error is reported once, at the end.
    log_to_stderr("off");
    let arguments = Arguments::parse();
    match block_on(run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", explained(&error));
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> Result<()> {
    let mut settings = arguments.settings.clone();
    if let Some(partitions) = arguments.partitions {
        settings.push(("datafusion.execution.target_partitions".to_owned(), partitions.to_string()));
    }
    let context = match &arguments.scheduler {
        Some(scheduler) => client::remote(scheduler, &settings).await?,
        None => client::embedded(&settings)?,
    };
    for (name, path) in &arguments.tables {
        client::register_table(&context, name, path).await?;
    }
    // COPY and INSERT would replace complete files by incomplete ones, also those that the query reads.
    let reads_only = SQLOptions::new().with_allow_dml(false);
    let result = context.sql_with_options(&arguments.sql, reads_only).await?.execute_stream().await?;
    let mut out = Reader::new(BufWriter::new(std::io::stdout()));
    match output::write(result, arguments.format, &mut out).await {
        Err(_) if out.has_left() => Ok(()),
        written => written,
    }
}

fn table(text: &str) -> std::result::Result<(String, PathBuf), String> {
    pair(text, "NAME=PATH").map(|(name, path)| (name, PathBuf::from(path)))
}

fn setting(text: &str) -> std::result::Result<(String, String), String> {
    pair(text, "NAME=VALUE")
}

fn pair(text: &str, expected: &str) -> std::result::Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err(format!("expected {expected}")),
    }
}
