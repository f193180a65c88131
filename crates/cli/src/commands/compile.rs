//! `robomata compile`: many sites' policies into a bundle.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, Args};
use robomata::{Crawler, Dialect};
use robomata_jobs::compile;
use robomata_jobs::sources::LoadOptions;

use crate::args::{AimArguments, dialect_parser, strictness};
use crate::console::{Console, say};

/// Compile many sites' policies into a bundle for `filter --policies`.
///
/// The bundle holds the policies for the given crawlers in one dialect, for crawl or for one usage more; it is mapped into memory as it is, so that a
/// filter begins at once. A SOURCE is the same as in `robomata filter`.
#[derive(Args, Debug)]
#[command(after_help = "\
Exit codes:
  0  the bundle is written
  2  a usage error, an unreadable source, or bad input with --strict: nothing is written

Example:
  $ robomata compile robots.jsonl.zst --agent Googlebot --agent GPTBot -o policies.bundle
  $ robomata filter --agent GPTBot --policies policies.bundle urls.txt")]
pub(crate) struct CompileArguments {
    /// Captures of robots.txt: directories whose files are named by host, or files of JSON lines; - is standard input
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<PathBuf>,
    /// A crawler's product token, and those it falls back to, separated by commas; may be repeated
    #[arg(long, value_name = "TOKEN[,FALLBACK…]", required = true, action = ArgAction::Append)]
    agent: Vec<Crawler>,
    #[command(flatten)]
    aim: AimArguments,
    /// How every robots.txt is read [default: rfc9309, with --usage acap]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// The bundle; written whole or not at all
    #[arg(short = 'o', long, value_name = "FILE")]
    output: PathBuf,
    /// End at the first bad input, with exit code 2
    #[arg(long)]
    strict: bool,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &CompileArguments) -> anyhow::Result<ExitCode> {
    let mut console = Console::with_progress();
    let dialect = arguments.aim.dialect("compile", arguments.dialect)?;
    let options = LoadOptions {
        strictness: strictness(arguments.strict),
        aim: arguments.aim.aim(),
        ..LoadOptions::new(dialect, arguments.agent.clone())
    };
    let report = compile::run(&arguments.sources, &options, &arguments.output, &mut console)?;
    drop(console);
    say(&format!(
        "{}: {} sites, {} programs, {} octets; {} inputs skipped",
        arguments.output.display(),
        report.sites,
        report.programs,
        report.octets,
        report.errors.total(),
    ));
    Ok(ExitCode::SUCCESS)
}
