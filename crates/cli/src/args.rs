//! What all sub-commands share of their arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand};
use robomata::{Aim, Crawler, Dialect, FetchStatus, Usage};
use robomata_jobs::Strictness;

use crate::commands::{
    blast_radius, check, compile, completions, debug, dissent, explain, filter, inspect, lint, man,
    permissions, score, shard, sql,
};

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
    Dissent(dissent::DissentArguments),
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
    pub(crate) agent: Crawler,
    /// The robots.txt, plain or compressed (gzip, zstd); - is standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) robots: PathBuf,
    /// How the robots.txt is read
    #[arg(long, value_parser = dialect_parser(), default_value = Dialect::Rfc9309.as_str())]
    pub(crate) dialect: Dialect,
}

/// URLs to ask one robots.txt about.
#[derive(Args, Debug)]
pub(crate) struct Questions {
    #[command(flatten)]
    pub(crate) site: OneSite,
    /// How the fetch of the robots.txt ended, when not in success
    #[arg(long, value_name = "CODE|network-failure", value_parser = fetch_status)]
    pub(crate) status: Option<FetchStatus>,
    /// Print one JSON object a line instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// The URLs; when none is given they are read from standard input, one a line
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<OsString>,
}

/// What is asked about beside crawl.
#[derive(Args, Clone, Debug)]
pub(crate) struct AimArguments {
    /// Ask about this usage, too: a URL passes when it may be crawled and used so; what the site does not speak of may be.
    /// One of crawl, follow, index, preserve, present, snippet (present-snippet), …, search, ai-input, ai-train, tdm, other
    #[arg(long, value_name = "USAGE", default_value = Usage::Crawl.as_str(), hide_default_value = true)]
    usage: Usage,
    /// The purpose of the usage, a name or URI, for sites that tell purposes apart (ACAP-usage-purpose)
    #[arg(long, value_name = "PURPOSE")]
    purpose: Option<String>,
}

impl AimArguments {
    pub(crate) fn aim(&self) -> Aim {
        Aim { usage: self.usage, purpose: self.purpose.clone() }
    }

    /// The dialect that sub-command `name` reads sources in: that of ACAP, which is RFC 9309's and more, where more than
    /// crawl is asked about.
    pub(crate) fn dialect(&self, name: &str, asked: Option<Dialect>) -> anyhow::Result<Dialect> {
        if self.aim() == Aim::default() {
            return Ok(asked.unwrap_or_default());
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

/// The names of dialects, as help texts list them.
pub(crate) fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::as_str)).try_map(|name| name.parse::<Dialect>())
}

/// How a fetch ended: an HTTP status code, or `network-failure` when no answer came.
pub(crate) fn fetch_status(text: &str) -> Result<FetchStatus, String> {
    if text == "network-failure" {
        return Ok(FetchStatus::NetworkFailure);
    }
    let code = text.parse().ok().filter(|code| (100..=999).contains(code));
    code.map(FetchStatus::Code).ok_or_else(|| "expected an HTTP status code or network-failure".to_owned())
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
