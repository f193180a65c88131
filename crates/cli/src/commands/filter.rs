//! `robomata filter`: filters a frontier of URLs by the policies of many sites.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgAction, ArgGroup, Args, ValueEnum};
use robomata_engine::{Crawler, Dialect, Moment, PolicySet, StoreKind, Stores, UsageQuery};
use robomata_formats::{FrontierFormat, Output, Timestamp};
#[cfg(feature = "cross-check")]
use robomata_jobs::cross_check::CrossCheck;
use robomata_jobs::evidence::{Evidence, EvidenceFor};
use robomata_jobs::filter::{
    self, FilterJob, FilterReport, OutputForm, Resume, Selection, Tally, UnknownSites,
};
use robomata_jobs::sources::{self, Keep, LoadOptions, SourceCounts};
use robomata_jobs::stats::Stats;
use robomata_jobs::{Bodies, JobError, bundle};

use crate::args::{
    BundleReading, SourceArguments, UsageArguments, crawlers, dialect_parser, of_captures,
    require_parquet_output, usage_error,
};
use crate::console::{Console, INCOMPLETE, Part, closing_line, listed, number_of, say};
use crate::frontier::{FORMATS, FrontierArguments};
use crate::interrupt;
use crate::output::{is_stdin, report_unwritten, require_written};

/// Filter a frontier of URLs by the policies of many sites.
///
/// Reads URLs and writes the lines of those that the crawler may fetch, unchanged and in input order. The input may be
/// text, TSV, CSV, JSON Lines, CDX, CDXJ, WARC or Parquet, compressed (gzip, zstd) or not. Memory use does not depend
/// on the number of URLs.
///
/// A SOURCE is one of:
///
/// - a JSON Lines file. Each object has "host" or "url" (of a site or its /robots.txt) and "body" or "body_b64". It may
///   also have "status" (or "http_status", "status_code", "statuscode", "fetch_status", "http_code", "response_code")
///   and "time" (or "timestamp", "date", "fetched_at", "fetch_time");
///
/// - a TSV or Parquet file with such columns;
///
/// - a WARC file;
///
/// - a directory of files named by host, or of HOST/robots.txt;
///
/// - with --host, one plain robots.txt.
///
/// If a site has several captures, the newest one counts. A redirect that was not followed, or a 304, counts only if the
/// site has no other capture. A capture whose result cannot be read, such as one with the status "timeout", or with an empty
/// body or an "error" and no status, is a failed fetch: its site is disallowed. A SOURCE without captures is an error, and
/// so is one that ends early, or that has a line of invalid JSON or a row of TSV without a readable site.
///
/// With --usage, a URL passes if its robots.txt prohibits neither crawling nor the usage. The statements that count are
/// ACAP fields, Noindex, Content-Signal, Content-Usage, DisallowAITraining and AllowAITraining. With --usage tdm, the
/// /.well-known/tdmrep.json of a site among the captures counts, too. The line of a verdict is then the line that
/// prohibits the usage, or else the line that prohibits crawling. A permission may end on a date
/// (time-limit=until-2007-12-31); --now sets the time of use.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("rules").args(["robots", "policies"]).required(true)), before_help = "\
Common calls:
  $ robomata filter --agent GPTBot --robots robots.jsonl.zst urls.txt.gz > allowed.txt
  $ robomata filter --agent GPTBot --policies policies.bundle urls.txt.gz > allowed.txt",
    after_help = format!("{FORMATS}{AFTER}"))]
pub(crate) struct FilterArguments {
    /// A crawler's product token, followed by the tokens it falls back to, separated by commas; may be repeated with
    /// --output verdicts
    #[arg(long, value_name = "TOKEN[,FALLBACK…]", required = true, action = ArgAction::Append)]
    agent: Vec<String>,
    #[command(flatten)]
    sources: SourceArguments,
    /// A bundle written by `robomata compile`, instead of --robots; or its shards: 'policies-*-of-00016.bundle'. The
    /// name may end in # and the expected fingerprint
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["host", "partial", "captured_at"])]
    policies: Option<PathBuf>,
    #[command(flatten)]
    bundle: BundleReading,
    #[command(flatten)]
    usage_query: UsageArguments,
    /// When the URLs will be used, for permissions of --usage or of dialect acap that end on a date: an RFC 3339 time or
    /// a date [default: now; of a run that is resumed, when it began]
    #[arg(long, value_name = "TIME")]
    now: Option<Timestamp>,
    /// The dialect for parsing and matching every robots.txt [default: rfc9309; with --usage, acap; with --policies,
    /// the dialect of the bundle]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// What to write: the lines of the allowed URLs, those of the disallowed URLs, or, for each line, the verdict
    /// (allow, disallow, defer, unknown, invalid), the line of the rule, and the URL
    #[arg(long, value_enum, default_value = "allowed")]
    output: OutputArgument,
    /// Whether --output allowed keeps or drops URLs of sites without a known policy
    #[arg(long, value_enum, default_value = "keep")]
    unknown: UnknownArgument,
    /// The output format of verdicts; parquet also applies to --output allowed and disallowed
    #[arg(long, value_name = "FORM", value_enum)]
    output_format: Option<FormArgument>,
    /// Write checkpoints every few seconds, to FILE.partial and FILE.checkpoint.json next to --to, and resume from the
    /// last checkpoint of an earlier run with the same arguments and files. Parquet output cannot be resumed: write
    /// .jsonl or .tsv instead, compressed or not
    #[arg(long, requires = "to")]
    resume: bool,
    /// With --resume, the time between two checkpoints; 0 writes one for every megabyte
    #[arg(long, value_name = "SECONDS", default_value_t = 5, requires = "resume")]
    checkpoint_every: u64,
    /// Also write evidence to FILE, in JSON Lines: for each URL and crawler the verdict, the line and its rule, the time and
    /// the hash of the robots.txt, and the fingerprint of the policies. `robomata verify-evidence` verifies it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "usage"])]
    evidence: Option<PathBuf>,
    /// The URLs that --evidence covers
    #[arg(long, value_name = "URLS", value_enum, default_value = "all", requires = "evidence")]
    evidence_for: EvidenceArgument,
    /// Re-check a sample of the URLs (0 to 1, or all) with the slow reference implementation, and report disagreements
    #[cfg(feature = "cross-check")]
    #[arg(long, value_name = "RATE|all", conflicts_with_all = ["policies", "max_robots_bytes"])]
    cross_check: Option<robomata_jobs::Share>,
    #[command(flatten)]
    frontier: FrontierArguments,
}

const AFTER: &str = "

Formats of --output verdicts, chosen by --output-format or by the name of --to:
  text     the verdict and line for each crawler, then the URL, separated by tabs; any other name
  tsv      the input's columns, then verdict, line, rule; a header line if the input has one (.tsv)
  csv      the same as tsv, in CSV (.csv)
  jsonl    the input's object with \"verdict\", \"line\", \"rule\", which replace keys of these names; for other inputs an
           object with \"url\" (.jsonl)
  parquet  the input's columns if they have names, else 'url', then verdict, line, rule (.parquet)
With --usage and in dialect acap, more than rules decide: there 'rule' is null or empty, and 'line' alone names what decided. \
With several crawlers the columns are verdict_1, line_1, rule_1, verdict_2, … in the order of --agent. \
--output allowed and disallowed write the input's lines unchanged, including header lines. For WARC input they write the \
URIs; for Parquet input, the URLs, or the rows if the output is Parquet.

JSON, Parquet and evidence hold only text: bytes that are not UTF-8 become %XX there, which every dialect but google judges \
alike. With --dialect google, a URL with such bytes is an error for these outputs; text, TSV and CSV keep the bytes.

Bad input (a line that is not a URL, invalid JSON, a damaged record in a WARC of URLs) is reported on standard error and \
counted; the run continues. With --strict the first bad input ends the run. A file of URLs without a URL in its first \
1,000 lines is an error; the message names the column that has URLs.

A file given with --to is written completely or not at all, even if the command is interrupted. If a file of URLs ends early \
(a truncated archive, a read error), --to is not written. With --resume, the completed part is kept, and the same command \
continues from there once the file is repaired. On standard output the lines written so far remain, and the run continues \
with the next file.

The last line on standard error counts the URLs; --quiet suppresses it.

With --dialect koster1996, a site whose robots.txt is temporarily unavailable defers its URLs. Neither --output allowed nor \
--output disallowed writes them; --output verdicts writes 'defer' with line 0; --stats counts them.

Exit codes:
  0  done, whether URLs are allowed or not
  2  a usage error, a file that cannot be opened, or bad input with --strict
  3  the reference implementation disagreed (--cross-check)
  4  an input ends early or cannot be read to its end (--partial accepts an incomplete SOURCE), or standard output is closed
     before --evidence or --stats is written; neither file is then replaced
  130  interrupted (Ctrl-C, SIGTERM)

Examples:
  $ robomata filter --agent Googlebot --host example.com --robots robots.txt urls.txt > allowed.txt
  $ robomata filter --agent Googlebot --robots robots.jsonl.zst urls.txt.gz > allowed.txt
  $ robomata filter --agent GPTBot --usage ai-train --robots robots.jsonl.zst \\
      urls.txt.gz > trainable.txt
  $ zcat urls.gz | robomata filter --agent Googlebot --agent GPTBot --policies policies.bundle \\
      --output verdicts --to verdicts.tsv.zst";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputArgument {
    Allowed,
    Disallowed,
    Verdicts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EvidenceArgument {
    All,
    Disallowed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum UnknownArgument {
    Keep,
    Drop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormArgument {
    Text,
    Tsv,
    Csv,
    Jsonl,
    Parquet,
}

/// Returns the current time.
fn clock() -> Moment {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Moment::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// The exit code of a run in which the reference implementation disagreed.
const DIVERGENCE: u8 = 3;

/// Runs the sub-command.
pub(crate) fn run(mut arguments: FilterArguments) -> anyhow::Result<ExitCode> {
    arguments.frontier.run.threads.apply()?;
    arguments.frontier.complete();
    arguments.validate()?;
    arguments.usage_query.dialect("filter", arguments.dialect)?;
    arguments.frontier.require_files(&arguments.sources.robots)?;
    let stats = arguments.frontier.stats()?;
    let report_and_policies = if arguments.resume {
        interrupt::set_resumable();
        arguments.run_with_policies(FilterArguments::resume)
    } else {
        let output = arguments.frontier.run.output.open()?;
        let evidence = arguments.evidence.as_deref().map(Output::create).transpose()?;
        arguments.run_with_policies(|arguments, policies, job, console| match evidence {
            Some(to) => filter::run_with_evidence(job, output, (arguments.evidence(policies), to), console),
            None => filter::run(job, output, console),
        })
    };
    let files = arguments.evidence.iter().chain(&arguments.frontier.stats);
    let (policies, report) = require_written(report_and_policies, files.clone())?;
    if report.errors.incomplete_inputs > 0 {
        report_unwritten(files);
    }
    if let Some(stats) = stats {
        let counts = Stats::new(policies.set.open_all()?, policies.counts.as_ref(), &report);
        stats.write(&counts, &report.errors)?;
    }
    if !arguments.frontier.run.quiet {
        say(&(arguments.closing_line(&report) + &of_captures(&policies.counts.unwrap_or_default())));
    }
    Ok(exit_code(&report))
}

fn exit_code(report: &FilterReport) -> ExitCode {
    if report.errors.incomplete_inputs > 0 {
        ExitCode::from(INCOMPLETE)
    } else if report.cross_checked.divergences > 0 {
        ExitCode::from(DIVERGENCE)
    } else {
        ExitCode::SUCCESS
    }
}

impl FilterArguments {
    /// Validates combinations of arguments.
    fn validate(&self) -> anyhow::Result<()> {
        let bundle = self.policies.iter().flat_map(PolicySet::files);
        let sources: Vec<PathBuf> = self.sources.robots.iter().cloned().chain(bundle).collect();
        let to = self.frontier.run.output.to.as_deref().filter(|_| self.resume);
        let kept = to.map_or_else(Vec::new, |to| vec![Output::partial_path(to), filter::checkpoint_path(to)]);
        let others: Vec<PathBuf> = kept.into_iter().chain(self.evidence.clone()).collect();
        self.frontier.validate("filter", &sources, &others)?;
        self.sources.reading.parsing_limit.require_no_bundle(self.policies.as_deref())?;
        self.bundle.require_bundle("filter", self.policies.as_deref())?;
        let mistake = |message: &str| Err(usage_error("filter", message));
        if self.resume && self.frontier.urls.iter().any(|path| is_stdin(path)) {
            return mistake("--resume requires input files, not standard input");
        }
        let is_parquet = self.form() == OutputForm::Parquet;
        if let Err(message) = require_parquet_output(is_parquet, self.frontier.run.output.to.as_deref()) {
            return mistake(&message);
        }
        if is_parquet && self.resume {
            return mistake(
                "--resume cannot continue a Parquet file (write .jsonl or .tsv, or omit --resume)",
            );
        }
        let is_verdicts = self.output == OutputArgument::Verdicts;
        if self.output_format.is_some_and(|form| form != FormArgument::Parquet) && !is_verdicts {
            return mistake(
                "--output-format applies to --output verdicts (the lines of other outputs are unchanged)",
            );
        }
        if self.unknown == UnknownArgument::Drop && self.output != OutputArgument::Allowed {
            return mistake("--unknown drop applies to --output allowed (leave it out)");
        }
        if self.agent.len() > 1 && !is_verdicts {
            return mistake("several --agent options require --output verdicts");
        }
        Ok(())
    }

    /// Opens the policies and calls `run` with them.
    fn run_with_policies(
        &self,
        run: impl for<'s> FnOnce(
            &Self,
            &'s Policies,
            &FilterJob<'s>,
            &mut Console,
        ) -> Result<FilterReport, JobError>,
    ) -> anyhow::Result<(Policies, FilterReport)> {
        let mut console = self.frontier.console(true);
        let policies = Policies::open(self, &mut console)?;
        let stores = policies.set.open_all()?;
        if self.evidence.is_some() && stores.any().dialect().semantics().reads_acap {
            let message = "--evidence is about rules: in dialect 'acap' more than rules decide";
            return Err(usage_error("filter", message));
        }
        let decides_by_time = stores.any().dialect().semantics().reads_acap
            || *stores.any().usage_query() != UsageQuery::default();
        if self.now.is_some() && !decides_by_time {
            let message = "--now applies to permissions that end on a date, and rules do not (give a --usage, or omit it)";
            return Err(usage_error("filter", message));
        }
        let report = run(self, &policies, &self.job(stores, &policies), &mut console)?;
        Ok((policies, report))
    }

    fn evidence<'s>(&self, policies: &'s Policies) -> Evidence<'s> {
        let urls = match self.evidence_for {
            EvidenceArgument::All => EvidenceFor::All,
            EvidenceArgument::Disallowed => EvidenceFor::Disallowed,
        };
        // A bundle has no bodies.
        Evidence { urls, bodies: policies.counts.is_some().then_some(&policies.bodies) }
    }

    fn resume(
        &self,
        _: &Policies,
        job: &FilterJob<'_>,
        console: &mut Console,
    ) -> Result<FilterReport, JobError> {
        let to = self.frontier.run.output.to.as_deref().unwrap_or(Path::new("-"));
        let identity = BTreeMap::from([("other arguments".to_owned(), self.other_arguments())]);
        let resume =
            Resume { to, identity: &identity, interval: Some(Duration::from_secs(self.checkpoint_every)) };
        filter::resume(job, &resume, console)
    }

    #[cfg(feature = "cross-check")]
    fn other_arguments(&self) -> String {
        format!("cross-check {:?}, {}", self.cross_check, self.host_and_time())
    }

    #[cfg(not(feature = "cross-check"))]
    fn other_arguments(&self) -> String {
        self.host_and_time()
    }

    fn host_and_time(&self) -> String {
        let reading = &self.sources.reading;
        let (limit, captured_at) = (reading.parsing_limit.bytes(), reading.captured_at());
        format!("host {:?}, now {:?}, limit {limit:?}, captured {captured_at:?}", reading.host, self.now)
    }

    /// Returns the output format: the one that the user chose, else the one that matches the output's name.
    fn form(&self) -> OutputForm {
        match self.output_format {
            Some(FormArgument::Text) => OutputForm::Text,
            Some(FormArgument::Tsv) => OutputForm::Tsv,
            Some(FormArgument::Csv) => OutputForm::Csv,
            Some(FormArgument::Jsonl) => OutputForm::JsonLines,
            Some(FormArgument::Parquet) => OutputForm::Parquet,
            None => match self.frontier.run.output.to.as_deref().map(FrontierFormat::of_name) {
                Some(FrontierFormat::Tsv) => OutputForm::Tsv,
                Some(FrontierFormat::Csv) => OutputForm::Csv,
                Some(FrontierFormat::JsonLines) => OutputForm::JsonLines,
                Some(FrontierFormat::Parquet) => OutputForm::Parquet,
                _ => OutputForm::Text,
            },
        }
    }

    fn job<'s>(&self, stores: Stores<'s>, policies: &'s Policies) -> FilterJob<'s> {
        let mut job = FilterJob::new(stores, policies.crawlers.clone(), self.frontier.urls.clone());
        job.format = self.frontier.form.format;
        job.column = self.frontier.form.column.clone();
        job.empty_streams = self.frontier.empty_streams(&self.evidence);
        job.form = self.form();
        job.selection = match (self.output, self.unknown) {
            (OutputArgument::Allowed, UnknownArgument::Keep) => Selection::Allowed(UnknownSites::Keep),
            (OutputArgument::Allowed, UnknownArgument::Drop) => Selection::Allowed(UnknownSites::Drop),
            (OutputArgument::Disallowed, _) => Selection::Disallowed,
            (OutputArgument::Verdicts, _) => Selection::Verdicts,
        };
        job.strictness = self.frontier.run.strictness();
        job.now = Some(self.now.map_or_else(clock, |time| Moment::from_seconds(time.seconds())));
        #[cfg(feature = "cross-check")]
        if let Some(share) = self.cross_check {
            job.cross_check = Some(CrossCheck {
                bodies: &policies.bodies,
                dialect: stores.any().dialect(),
                usage_query: stores.any().usage_query(),
                now: job.now,
                share,
            });
        }
        job
    }

    /// Formats the counts of URLs. The counts of invalid lines and unknown sites are the same for every crawler.
    fn closing_line(&self, report: &FilterReport) -> String {
        let (unknown, invalid) =
            report.by_crawler.first().map_or((0, 0), |(_, tally)| (tally.unknown, tally.invalid));
        let fate = match (self.output, self.unknown) {
            (OutputArgument::Allowed, UnknownArgument::Keep) => " (kept; --unknown drop)",
            (OutputArgument::Allowed, UnknownArgument::Drop) => " (left out)",
            _ => "",
        };
        let unknown_sites = format!("of sites without a robots.txt{fate}");
        let of_all = [Part::some(unknown, &unknown_sites), Part::some(invalid, "invalid")];
        let parts = |tally: &Tally| {
            [
                Part::always(tally.allow, "allowed"),
                Part::always(tally.disallow, "disallowed"),
                Part::some(tally.defer, "deferred"),
            ]
        };
        if let [(_, tally)] = &report.by_crawler[..] {
            return closing_line(report.lines, "URL", &[&parts(tally)[..], &of_all].concat());
        }
        let crawlers =
            report.by_crawler.iter().map(|(crawler, tally)| format!("{crawler}: {}", listed(&parts(tally))));
        let of_all = Some(listed(&of_all)).filter(|text| !text.is_empty());
        let parts: Vec<String> = crawlers.chain(of_all).collect();
        format!("{}: {}", number_of(report.lines, "URL"), parts.join("; "))
    }

    fn keep(&self) -> Keep {
        if self.evidence.is_some() {
            return Keep::Bodies;
        }
        #[cfg(feature = "cross-check")]
        if self.cross_check.is_some() {
            return Keep::Bodies;
        }
        Keep::Store
    }
}

/// The policies that decide.
struct Policies {
    set: PolicySet,
    /// The crawlers of `--agent`, as the dialect of the policies reads their names.
    crawlers: Vec<Crawler>,
    bodies: Bodies,
    /// None for a bundle.
    counts: Option<SourceCounts>,
}

impl Policies {
    fn open(arguments: &FilterArguments, console: &mut Console) -> anyhow::Result<Self> {
        if let Some(name) = &arguments.policies {
            let set = arguments.bundle.open(name)?;
            let usage_query = arguments.usage_query.usage_query();
            let stores = set.open_all()?;
            let crawlers = crawlers("filter", &arguments.agent, stores.any().dialect())?;
            bundle::require(stores.any(), arguments.dialect, &usage_query, &crawlers)?;
            return Ok(Policies { set, crawlers, bodies: Bodies::default(), counts: None });
        }
        let dialect = arguments.usage_query.dialect("filter", arguments.dialect)?;
        let crawlers = crawlers("filter", &arguments.agent, dialect)?;
        let kind = StoreKind {
            usage_query: arguments.usage_query.usage_query(),
            ..StoreKind::new(dialect, crawlers.clone())
        };
        let strictness = arguments.frontier.run.strictness();
        let options =
            LoadOptions { keep: arguments.keep(), ..arguments.sources.reading.options(kind, strictness) };
        let loaded = sources::load(&arguments.sources.robots, &options, console)?;
        Ok(Policies {
            set: PolicySet::of_store(loaded.store),
            crawlers,
            bodies: loaded.bodies,
            counts: Some(loaded.counts),
        })
    }
}
