//! What all sub-commands share of their arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand};
use robomata::{Crawler, Dialect, FetchStatus};
use robomata_jobs::Strictness;

use crate::commands::{check, compile, debug, explain, filter, permissions};

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
    Debug(debug::DebugArguments),
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
