//! `robomata compile`: many sites' policies into a bundle.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, ArgGroup, Args};
use indicatif::HumanCount;
use robomata::{Audience, Dialect, History, StoreKind};
use robomata_jobs::compile::{self, CompileJob, PART};
use robomata_jobs::sources::LoadOptions;

use crate::args::{AimArguments, SourceReading, crawlers, dialect_parser, strictness, usage_error};
use crate::console::{Console, say};
use crate::output::refuse_inputs;

/// Compile many sites' policies into a bundle for `filter --policies`.
///
/// The bundle holds the policies for the given crawlers, or for every crawler, in one dialect, for crawl or for one usage
/// more; it is mapped into memory as it is, so that a filter begins at once. A SOURCE is the same as in `robomata filter`.
/// Of several captures of a site the newest counts; with --history all of them are held, and so what a site said when.
///
/// With --onto a bundle is taken over: its sites, its crawlers, its dialect, its history. Bodies that it knows are not
/// compiled again. The same captures give the same bundle, byte for byte, at once or day by day.
///
/// Memory is bounded: what does not fit waits in hidden files beside the bundle, which take as much space as the bundle and
/// go with the command, however it ends: those of a killed one the next one removes.
#[derive(Args, Debug)]
#[command(
    group(ArgGroup::new("audience").args(["agent", "all_agents", "onto"]).required(true)),
    before_help = "\
Common calls:
  $ robomata compile robots.jsonl.zst --agent GPTBot -o policies.bundle
  $ robomata compile today.warc.gz --onto policies.bundle -o policies.bundle",
    after_help = "\
Exit codes:
  0  the bundle is written
  2  a usage error, a source that cannot be read or holds no captures, or bad input with --strict: nothing is written
  4  a source ends early or cannot be read to its end: nothing is written (--partial uses the rest)

Examples:
  $ robomata compile robots.jsonl.zst --agent Googlebot --agent GPTBot -o policies.bundle
  $ robomata filter --agent GPTBot --policies policies.bundle urls.txt
  $ robomata compile 2026-11-22.warc.gz --onto policies.bundle -o policies.bundle
  $ robomata compile archive/ --all-agents --history -o history.bundle"
)]
pub(crate) struct CompileArguments {
    /// Captures of robots.txt: WARC, Parquet, TSV and JSON-lines files, directories (files named by host, or HOST/robots.txt), one
    /// robots.txt with --host; - is standard input
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    reading: SourceReading,
    /// A crawler's product token, and those it falls back to, separated by commas; may be repeated
    #[arg(long, value_name = "TOKEN[,FALLBACK…]", action = ArgAction::Append)]
    agent: Vec<String>,
    /// Compile all groups, for every crawler: any may be asked for then (dialects rfc9309, google, koster1996; crawl alone)
    #[arg(long)]
    all_agents: bool,
    /// Take over the policies of BUNDLE; of captures of the same second the new ones count
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["history", "dialect", "usage", "purpose"])]
    onto: Option<PathBuf>,
    /// Hold all captures of a site, not the newest alone
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    usage_query: AimArguments,
    /// How every robots.txt is read [default: rfc9309, with --usage acap]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// The bundle; written whole or not at all
    #[arg(short = 'o', long, value_name = "FILE")]
    output: PathBuf,
    /// Gather so many MiB in memory before they are written beside the bundle, as a part of it; a run takes about twice as
    /// much, and each part is an open file until the end
    #[arg(long, value_name = "MIB", default_value_t = PART >> 20)]
    memory: usize,
    /// Print no progress and no closing line on standard error; warnings and errors remain
    #[arg(long, short)]
    quiet: bool,
    /// End at the first bad input, with exit code 2
    #[arg(long)]
    strict: bool,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &CompileArguments) -> anyhow::Result<ExitCode> {
    let options = LoadOptions {
        strictness: strictness(arguments.strict),
        host: arguments.reading.host.clone(),
        incomplete: arguments.reading.incomplete(),
        ..LoadOptions::new(arguments.kind()?)
    };
    let job = CompileJob {
        base: arguments.onto.as_deref(),
        part: arguments.memory.saturating_mul(1 << 20),
        ..CompileJob::new(&arguments.sources, &options)
    };
    refuse_inputs("compile", [&*arguments.output], arguments.sources.iter().map(PathBuf::as_path))?;
    let mut console = Console::new(arguments.quiet);
    let report = compile::run(&job, &arguments.output, &mut console)?;
    drop(console);
    let not_robots = match report.not_robots {
        none if none.total() == 0 => String::new(),
        some => format!(" (no robots.txt: {some})"),
    };
    if !arguments.quiet {
        say(&format!(
            "{}: {} sites, {} programs, {} bytes; {} captures{not_robots}, {} inputs skipped",
            arguments.output.display(),
            HumanCount(report.written.sites),
            HumanCount(report.written.programs),
            HumanCount(report.written.bytes),
            HumanCount(report.captures),
            HumanCount(report.errors.total()),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

impl CompileArguments {
    fn kind(&self) -> anyhow::Result<StoreKind> {
        let dialect = self.usage_query.dialect("compile", self.dialect)?;
        let crawlers = crawlers("compile", &self.agent, dialect)?;
        let audience = if crawlers.is_empty() { Audience::Everyone } else { Audience::Crawlers(crawlers) };
        let history = if self.history { History::All } else { History::Newest };
        let kind = StoreKind {
            usage_query: self.usage_query.usage_query(),
            history,
            ..StoreKind::new(dialect, audience)
        };
        if kind.is_possible() {
            return Ok(kind);
        }
        let message = "fields of ACAP and usages are compiled for crawlers that are known: expected --agent with \
                       --dialect acap, --usage and --purpose";
        Err(usage_error("compile", message))
    }
}
