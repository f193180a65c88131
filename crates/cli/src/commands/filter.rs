//! `robomata filter`: a frontier of URLs through many sites' policies.

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, Args, ValueEnum};
use robomata::{Crawler, Dialect, PolicyStore, StoreKind};
use robomata_formats::{Output, OutputError};
#[cfg(feature = "cross-check")]
use robomata_jobs::cross_check::{CrossCheck, Share};
use robomata_jobs::filter::{self, FilterJob, FilterReport, Selection, UnknownSites};
use robomata_jobs::sources::{self, Keep, LoadOptions, SourceCounts};
use robomata_jobs::stats::Stats;
use robomata_jobs::{Bodies, JobError, bundle, readable};

use crate::args::{AimArguments, dialect_parser, strictness, usage_error};
use crate::console::Console;

/// Filter a frontier of URLs by many sites' policies.
///
/// URLs go in, one a line, and those that the crawler may access come out, unchanged and in order. Files may be
/// compressed (gzip, zstd). A SOURCE is a directory whose files are named by host and hold its robots.txt, or a file of
/// JSON lines with "host" or "url", "body" or "body_b64", and perhaps "status" and "time" (of several captures of a site
/// the newest counts). Memory is bounded, however long the frontier is.
///
/// With --usage the URLs pass that may be crawled and used so, as far as the robots.txt says: in ACAP's words, Noindex,
/// Content-Signal or Content-Usage. The line of a verdict is then the prohibition's, the usage's first.
#[derive(Args, Debug)]
#[command(after_help = "\
Bad input (a line that is no URL, a broken JSON line, a truncated archive) is named on standard error and \
counted; the rest goes on. With --strict the first of it ends the run. A file given by --to is written whole \
or not at all.

Under --dialect koster1996 a site whose robots.txt cannot be had for now defers its URLs: they are held back from \
--output allowed and disallowed alike, --output verdicts says 'defer' with line 0, and --stats counts them.

Exit codes:
  0  done, whatever the verdicts are
  2  a usage error, an unreadable file at the start, or bad input with --strict
  3  the reference disagreed (--cross-check)

Examples:
  $ robomata filter --agent Googlebot --robots robots.jsonl.zst urls.txt.gz > allowed.txt
  $ robomata filter --agent GPTBot --usage ai-train --robots robots.jsonl.zst urls.txt.gz > trainable.txt
  $ zcat urls.gz | robomata filter --agent Googlebot --agent GPTBot --policies policies.bundle \\
      --output verdicts --to verdicts.tsv.zst")]
pub(crate) struct FilterArguments {
    /// A crawler's product token, and those it falls back to, separated by commas; may be repeated with --output verdicts
    #[arg(long, value_name = "TOKEN[,FALLBACK…]", required = true, action = ArgAction::Append)]
    agent: Vec<Crawler>,
    /// Captures of robots.txt: a directory, or JSON lines; may be repeated
    #[arg(long, value_name = "SOURCE", required_unless_present = "policies", conflicts_with = "policies")]
    robots: Vec<PathBuf>,
    /// Policies that `robomata compile` wrote, instead of --robots
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    #[command(flatten)]
    aim: AimArguments,
    /// How every robots.txt is read [default: rfc9309, with --usage acap, with --policies that of the bundle]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// What is written: the lines of allowed or of disallowed URLs, or for each line 'verdict, line of the rule, URL' (verdicts:
    /// allow, disallow, defer, unknown, invalid)
    #[arg(long, value_enum, default_value = "allowed")]
    output: OutputArgument,
    /// What happens to URLs of sites without a known policy: does --output allowed keep them?
    #[arg(long, value_enum, default_value = "keep")]
    unknown: UnknownArgument,
    /// The URL is the Nth of the columns that tabs separate
    #[arg(long, value_name = "N")]
    column: Option<NonZeroUsize>,
    /// Write to FILE instead of standard output; compressed if it ends in .gz or .zst
    #[arg(short = 'o', long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Write counts and speed to FILE as JSON; - is standard output, where they are one line, the last
    #[arg(long, value_name = "FILE|-")]
    stats: Option<PathBuf>,
    /// Have a share of the URLs (0 to 1, or all) judged again by the slow reference, and tell each divergence
    #[cfg(feature = "cross-check")]
    #[arg(long, value_name = "RATE|all", conflicts_with = "policies")]
    cross_check: Option<Share>,
    /// End at the first bad input, with exit code 2
    #[arg(long)]
    strict: bool,
    /// Use N threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Files of URLs, one a line; - or none is standard input
    #[arg(value_name = "URLS")]
    urls: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputArgument {
    Allowed,
    Disallowed,
    Verdicts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum UnknownArgument {
    Keep,
    Drop,
}

/// The exit code of a run in which the reference disagreed.
const DIVERGENCE: u8 = 3;

/// Runs the sub-command.
pub(crate) fn run(mut arguments: FilterArguments) -> anyhow::Result<ExitCode> {
    if arguments.urls.is_empty() {
        arguments.urls.push(PathBuf::from("-"));
    }
    arguments.validate()?;
    readable::require_files(&arguments.urls).map_err(JobError::from)?;
    let output = arguments.to.as_deref().map_or_else(|| Ok(Output::stdout()), Output::create);
    let output = output.map_err(JobError::from)?;
    let stats = arguments.stats.as_deref().map(Output::create).transpose().map_err(JobError::from)?;

    let mut console = arguments.console();
    let policies = Policies::open(&arguments, &mut console)?;
    let report = filter::run(&arguments.job(&policies), output, &mut console)
        .map_err(|error| arguments.naming_the_bundle(error))?;
    drop(console);
    if let Some(stats) = stats {
        let on_stdout = arguments.stats.as_deref().is_some_and(is_stdio);
        let form = if on_stdout { StatsForm::OneLine } else { StatsForm::Indented };
        write_stats(stats, form, &Stats::new(&policies.store, policies.counts.as_ref(), &report))?;
    }
    Ok(exit_code(&report))
}

fn exit_code(report: &FilterReport) -> ExitCode {
    if report.cross_checked.divergences > 0 { ExitCode::from(DIVERGENCE) } else { ExitCode::SUCCESS }
}

/// How counts are laid out. On standard output they may follow the URLs: then one line is easily told from them.
#[derive(Clone, Copy)]
enum StatsForm {
    OneLine,
    Indented,
}

fn write_stats(mut output: Output, form: StatsForm, stats: &Stats) -> Result<(), JobError> {
    let text = match form {
        StatsForm::OneLine => serde_json::to_vec(stats),
        StatsForm::Indented => serde_json::to_vec_pretty(stats),
    };
    let mut text = text.expect("texts and numbers are JSON");
    text.push(b'\n');
    output.write_all(&text).map_err(OutputError::from)?;
    Ok(output.commit()?)
}

fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl FilterArguments {
    /// Looks for mistakes that are about several arguments at once.
    fn validate(&self) -> anyhow::Result<()> {
        let mistake = |message| Err(usage_error("filter", message));
        let reads_stdin = |path: &&PathBuf| is_stdio(path);
        if self.urls.iter().chain(&self.robots).filter(reads_stdin).count() > 1 {
            return mistake("standard input cannot be read twice: expected '-' once among --robots and URLS");
        }
        if self.agent.len() > 1 && self.output != OutputArgument::Verdicts {
            return mistake("several crawlers (--agent) have several verdicts: expected --output verdicts");
        }
        Ok(())
    }

    fn writes_stdout(&self) -> bool {
        self.to.as_deref().is_none_or(is_stdio)
    }

    /// Where URLs are printed on a terminal, progress would only stand between them.
    fn console(&self) -> Console {
        let prints_urls = self.writes_stdout() && std::io::stdout().is_terminal();
        if prints_urls { Console::quiet() } else { Console::with_progress() }
    }

    fn job<'s>(&self, policies: &'s Policies) -> FilterJob<'s> {
        let mut job = FilterJob::new(&policies.store, self.agent.clone(), self.urls.clone());
        job.column = self.column;
        job.selection = match (self.output, self.unknown) {
            (OutputArgument::Allowed, UnknownArgument::Keep) => Selection::Allowed(UnknownSites::Keep),
            (OutputArgument::Allowed, UnknownArgument::Drop) => Selection::Allowed(UnknownSites::Drop),
            (OutputArgument::Disallowed, _) => Selection::Disallowed,
            (OutputArgument::Verdicts, _) => Selection::Verdicts,
        };
        job.strictness = strictness(self.strict);
        job.threads = self.threads;
        #[cfg(feature = "cross-check")]
        if let Some(share) = self.cross_check {
            job.cross_check = Some(CrossCheck {
                bodies: &policies.bodies,
                dialect: policies.store.dialect(),
                aim: policies.store.aim(),
                share,
            });
        }
        job
    }

    /// Says which file is damaged.
    fn naming_the_bundle(&self, error: JobError) -> JobError {
        match (error, &self.policies) {
            (JobError::Damaged(damage), Some(path)) => {
                JobError::Bundle { path: path.clone(), error: damage.into() }
            }
            (error, _) => error,
        }
    }

    fn keep(&self) -> Keep {
        #[cfg(feature = "cross-check")]
        if self.cross_check.is_some() {
            return Keep::Bodies;
        }
        Keep::Store
    }
}

/// Where verdicts come from.
struct Policies {
    store: PolicyStore,
    #[cfg_attr(not(feature = "cross-check"), expect(dead_code, reason = "kept for the reference"))]
    bodies: Bodies,
    /// None of a bundle.
    counts: Option<SourceCounts>,
}

impl Policies {
    fn open(arguments: &FilterArguments, console: &mut Console) -> anyhow::Result<Self> {
        if let Some(path) = &arguments.policies {
            let store = bundle::open(path, arguments.dialect, &arguments.aim.aim(), &arguments.agent)?;
            return Ok(Policies { store, bodies: Bodies::default(), counts: None });
        }
        let dialect = arguments.aim.dialect("filter", arguments.dialect)?;
        let options = LoadOptions {
            strictness: strictness(arguments.strict),
            keep: arguments.keep(),
            threads: arguments.threads,
            ..LoadOptions::new(StoreKind {
                aim: arguments.aim.aim(),
                ..StoreKind::new(dialect, arguments.agent.clone())
            })
        };
        let loaded = sources::load(&arguments.robots, &options, console)?;
        Ok(Policies { store: loaded.store, bodies: loaded.bodies, counts: Some(loaded.counts) })
    }
}
