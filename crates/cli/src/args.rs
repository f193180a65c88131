//! What all sub-commands share of their arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use robomata::{Crawler, Dialect, FetchStatus, NamedCrawler, Usage, UsageQuery, read_crawler};
use robomata_jobs::sources::SourceHost;
use robomata_jobs::{IncompleteInput, Strictness};

use crate::commands::{
    blast_radius, check, compile, completions, debug, dissent, explain, filter, inspect, lint, man,
    permissions, score, shard, sql,
};
use crate::console::say;
use crate::fetch::FetchArguments;

/// Answers what robots.txt files say about URLs: one by one, or by the billion.
#[derive(Debug, Parser)]
#[command(
    name = "robomata",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Every sub-command has a --help of its own, with an example and its exit codes.

Example:
  $ printf 'User-agent: *\\nDisallow: /x\\n' | robomata check --agent ExampleBot --robots - /x/y
  disallow\t/x/y"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// The arguments of the process. `sql` is listed where its program is installed.
    pub(crate) fn of_command_line() -> Self {
        let command = Self::command().mut_subcommand("sql", |sql| sql.hide(sql::program().is_none()));
        Self::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
    }
}

// The variants have no texts of their own: clap takes those of their arguments.
/// The sub-commands; each is a file of `commands`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::CheckArguments),
    Explain(explain::ExplainArguments),
    Permissions(permissions::PermissionsArguments),
    Filter(filter::FilterArguments),
    Compile(compile::CompileArguments),
    Inspect(inspect::InspectArguments),
    Shard(shard::ShardArguments),
    Score(score::ScoreArguments),
    #[command(name = "compare", visible_alias = "dissent")]
    Dissent(dissent::DissentArguments),
    #[command(name = "diff", visible_alias = "blast-radius")]
    BlastRadius(blast_radius::BlastRadiusArguments),
    Lint(lint::LintArguments),
    Debug(debug::DebugArguments),
    Sql(sql::SqlArguments),
    Completions(completions::CompletionsArguments),
    Man(man::ManArguments),
}

/// One robots.txt and who asks.
#[derive(Args, Debug)]
pub(crate) struct OneSite {
    /// The crawler's product token, and those it falls back to, separated by commas
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    pub(crate) agent: String,
    /// The robots.txt, plain or compressed (gzip, zstd); - is standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) robots: PathBuf,
    /// How the robots.txt is read
    #[arg(long, value_parser = dialect_parser(), default_value = Dialect::Rfc9309.as_str())]
    pub(crate) dialect: Dialect,
}

impl OneSite {
    /// The crawler that `--agent` of sub-command `name` means.
    pub(crate) fn crawler(&self, name: &str) -> anyhow::Result<Crawler> {
        crawler(name, &self.agent, self.dialect)
    }
}

/// URLs to ask one robots.txt about.
#[derive(Args, Debug)]
pub(crate) struct Questions {
    #[command(flatten)]
    pub(crate) site: OneSite,
    /// Print one JSON object a line instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fetch: FetchArguments,
    /// The URLs; when none is given they are read from standard input, one a line
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<OsString>,
}

/// Where the robots.txt of many sites come from.
#[derive(Args, Debug)]
pub(crate) struct SourceArguments {
    /// Captures of robots.txt: a WARC, Parquet, TSV or JSON-lines file, a directory (files named by host, or HOST/robots.txt), or one
    /// robots.txt with --host; may be repeated
    #[arg(long, value_name = "SOURCE")]
    pub(crate) robots: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: SourceReading,
}

/// How sources are read.
#[derive(Args, Debug)]
pub(crate) struct SourceReading {
    /// The site of the SOURCE that is one plain robots.txt: a host, which stands for http and https, or a URL of it. Other
    /// SOURCEs name their own sites, and at least one must be a plain robots.txt (in score, the logs may need the host, too)
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<SourceHost>,
    /// Use what can be read of a SOURCE that ends early, instead of failing with exit code 4
    #[arg(long)]
    partial: bool,
}

impl SourceReading {
    /// What a source does that ends early.
    pub(crate) fn incomplete(&self) -> IncompleteInput {
        if self.partial { IncompleteInput::Use } else { IncompleteInput::Refuse }
    }
}

/// What is asked about beside crawl.
#[derive(Args, Clone, Debug)]
pub(crate) struct AimArguments {
    /// Ask about this usage, too: a URL passes when it may be crawled and used so; what the site does not speak of may be.
    /// One of crawl, follow, index, preserve, present, snippet (present-snippet), …, search, ai-input, ai-train, tdm, other
    #[arg(long, value_name = "USAGE")]
    usage: Option<Usage>,
    /// The purpose of the usage, a name or URI, for sites that tell purposes apart (ACAP-usage-purpose)
    #[arg(long, value_name = "PURPOSE")]
    purpose: Option<String>,
}

impl AimArguments {
    pub(crate) fn usage_query(&self) -> UsageQuery {
        UsageQuery { usage: self.usage.unwrap_or(Usage::Crawl), purpose: self.purpose.clone() }
    }

    /// The dialect that sub-command `name` reads sources in: that of ACAP, which is RFC 9309's and more, where a usage or
    /// purpose is given, be it crawl.
    pub(crate) fn dialect(&self, name: &str, asked: Option<Dialect>) -> anyhow::Result<Dialect> {
        if self.usage_query() == UsageQuery::default() {
            let default = if self.usage.is_some() { Dialect::Acap } else { Dialect::default() };
            return Ok(asked.unwrap_or(default));
        }
        match asked.unwrap_or(Dialect::Acap) {
            dialect @ (Dialect::Acap | Dialect::Rfc9309) => Ok(dialect),
            other => {
                let message = format!(
                    "dialect '{other}' knows crawl alone: expected --dialect acap or rfc9309 with --usage and --purpose"
                );
                Err(usage_error(name, &message))
            }
        }
    }
}

/// The crawler that `--agent` of sub-command `name` means in `dialect`; how it is read is noted on standard error where
/// that is not obvious.
pub(crate) fn crawler(name: &str, agent: &str, dialect: Dialect) -> anyhow::Result<Crawler> {
    let NamedCrawler { crawler, note } =
        read_crawler(agent, dialect).map_err(|error| usage_error(name, &format!("--agent: {error}")))?;
    if let Some(note) = note {
        say(&format!("note: --agent: {note}"));
    }
    Ok(crawler)
}

/// The crawlers that several `--agent` mean, as [`crawler`] reads each.
pub(crate) fn crawlers(name: &str, agents: &[String], dialect: Dialect) -> anyhow::Result<Vec<Crawler>> {
    agents.iter().map(|agent| crawler(name, agent, dialect)).collect()
}

/// The names of dialects, as help texts list them.
pub(crate) fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::as_str)).try_map(|name| name.parse::<Dialect>())
}

/// How a fetch ended: an HTTP status code, `network-failure` when no answer came, or `too-many-redirects`.
pub(crate) fn fetch_status(text: &str) -> Result<FetchStatus, String> {
    match text {
        "network-failure" => return Ok(FetchStatus::NetworkFailure),
        "too-many-redirects" => return Ok(FetchStatus::TooManyRedirects),
        _ => {}
    }
    let code = text.parse().ok().filter(|code| (100..=999).contains(code));
    code.map(FetchStatus::Code)
        .ok_or_else(|| "expected an HTTP status code, network-failure or too-many-redirects".to_owned())
}

/// What `--strict` means to jobs.
pub(crate) fn strictness(strict: bool) -> Strictness {
    if strict { Strictness::Strict } else { Strictness::Lenient }
}

/// A mistake in the arguments of sub-command `name` that clap cannot see by itself.
pub(crate) fn usage_error(name: &str, message: &str) -> anyhow::Error {
    let mut command = Arguments::command();
    command.build();
    let command = command.find_subcommand_mut(name).expect("named by the sub-command itself");
    command.error(clap::error::ErrorKind::ArgumentConflict, message).into()
}
