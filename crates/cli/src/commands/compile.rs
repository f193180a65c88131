//! `robomata compile`: compiles the policies of many sites into a bundle.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, ArgGroup, Args};
use indicatif::HumanCount;
use robomata_engine::{Audience, Dialect, History, PolicySet, StoreKind};
use robomata_jobs::compile::{self, CompileJob, PART};

use crate::args::{
    SourceReading, UsageArguments, crawlers, dialect_parser, of_too_long, strictness, usage_error,
};
use crate::console::{Console, number_of, say};
use crate::output::{ThreadsArgument, refuse_inputs};

/// Compile the policies of many sites into a bundle for `filter --policies`.
///
/// The bundle holds the policies for the given crawlers, or for every crawler, in one dialect, for crawling and
/// optionally one other usage. `filter` reads and verifies it, and compiles nothing. A SOURCE is the same as in
/// `robomata filter`. If a site has several captures, the newest one counts. With --history the bundle holds all of
/// them, with their times. A redirect that was not followed, or a 304, counts only if the site has no other capture or,
/// with --history, none before.
///
/// --onto extends a bundle: the new bundle has its sites, crawlers, dialect and history. Bodies that it already holds
/// are not compiled again.
///
/// The same captures give the same bundle, byte for byte, with any memory and number of threads. A bundle that was
/// extended day by day may know other bodies, so its fingerprint can differ. It gives the same answers, with one
/// exception: of consecutive captures that say the same, a history keeps the first and the last time. If a capture with
/// other content is added between the two, the times of the captures around it are lost, and `score` may judge requests
/// of that time otherwise. A warning counts such captures. To avoid them, extend a history in the order of time.
///
/// Memory use is bounded. Policies that exceed it are spilled to hidden files next to the bundle, which need as much
/// space as the bundle. They are removed when the command ends. The next run removes those of a killed command.
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
  2  a usage error, a source that cannot be read or has no captures, or bad input with --strict: nothing is written
  4  a source ends early or cannot be read to its end: nothing is written (--partial accepts an incomplete source)

Examples:
  $ robomata compile robots.jsonl.zst --agent Googlebot --agent GPTBot -o policies.bundle
  $ robomata filter --agent GPTBot --policies policies.bundle urls.txt
  $ robomata compile 2026-11-22.warc.gz --onto policies.bundle -o policies.bundle
  $ robomata compile archive/*.warc.gz --all-agents --history -o history.bundle"
)]
pub(crate) struct CompileArguments {
    /// Captures of robots.txt files: WARC, Parquet, TSV and JSON Lines files, and directories (files named by host, or
    /// HOST/robots.txt), or one robots.txt with --host; - is standard input
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    reading: SourceReading,
    /// A crawler's product token, followed by the tokens it falls back to, separated by commas; may be repeated
    #[arg(long, value_name = "TOKEN[,FALLBACK…]", action = ArgAction::Append)]
    agent: Vec<String>,
    /// Compile every group, so you can query any crawler later (dialects rfc9309, google, koster1996, yandex; only crawl)
    #[arg(long)]
    all_agents: bool,
    /// Extend BUNDLE; a new capture replaces one of the same second. The name may end in # and the expected fingerprint,
    /// as may those of bundles among SOURCE
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["history", "dialect", "usage", "purpose"])]
    onto: Option<PathBuf>,
    /// Hold all captures of a site, not only the newest
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    usage_query: UsageArguments,
    /// The dialect for parsing every robots.txt [default: rfc9309; with --usage, acap]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// The bundle to write; it is written completely or not at all
    #[arg(short = 'o', long, value_name = "FILE")]
    output: PathBuf,
    /// Memory budget in MiB before spilling to a temporary part file; a run needs about twice as much, and keeps each
    /// part file open until the end
    #[arg(long, value_name = "MIB", default_value_t = PART >> 20)]
    memory: usize,
    /// Do not print progress or the closing line on standard error; print only warnings and errors
    #[arg(long, short)]
    quiet: bool,
    /// Stop at the first bad input, with exit code 2
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    threads: ThreadsArgument,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &CompileArguments) -> anyhow::Result<ExitCode> {
    arguments.threads.apply()?;
    let options = arguments.reading.options(arguments.kind()?, strictness(arguments.strict));
    let job = CompileJob {
        base: arguments.onto.as_deref(),
        part: arguments.memory.saturating_mul(1 << 20),
        ..CompileJob::new(&arguments.sources, &options)
    };
    let sources = arguments.sources.iter().map(|source| PolicySet::split_pin(source).0);
    refuse_inputs("compile", [&*arguments.output], sources)?;
    let mut console = Console::new(arguments.quiet);
    let report = compile::run(&job, &arguments.output, &mut console)?;
    drop(console);
    let not_robots = match report.not_robots {
        none if none.total() == 0 => String::new(),
        some => format!(" (not a robots.txt: {some})"),
    };
    let unreadable = match report.errors.unreadable_results {
        0 => String::new(),
        count => format!(", {} of them unreadable (failed fetches)", HumanCount(count)),
    };
    if report.written.within_versions > 0 {
        let captures = number_of(report.written.within_versions, "capture");
        say(&format!(
            "warning: {captures} inside versions of another bundle, with other content: the times of the captures around \
             are lost, and `score` may judge requests of that time otherwise (compile all captures together)"
        ));
    }
    if !arguments.quiet {
        say(&format!(
            "{}: {}, {}, {}; {}{not_robots}{unreadable}, {} skipped{}",
            arguments.output.display(),
            number_of(report.written.sites, "site"),
            number_of(report.written.programs, "program"),
            number_of(report.written.bytes, "byte"),
            number_of(report.captures, "capture"),
            number_of(report.errors.skipped(), "input"),
            of_too_long(report.too_long),
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
        let message = "--dialect acap, --usage and --purpose require --agent: a bundle for every crawler holds only crawl \
                       rules";
        Err(usage_error("compile", message))
    }
}
