//! `robomata pace`: shows how long a crawler must wait between two fetches from each site.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgAction, ArgGroup, Args};
use robomata_engine::policy::DelayLimits;
use robomata_engine::{Crawler, Dialect, Moment, PolicySet, StoreKind};
use robomata_formats::Timestamp;
use robomata_jobs::RowForm;
use robomata_jobs::pace::{self, PaceJob, PaceReport};
use robomata_jobs::sources::{self, SourceCounts};

use crate::args::{
    BundleReading, SourceArguments, crawlers, dialect_parser, of_captures, require_parquet_output,
    usage_error,
};
use crate::console::{Console, Part, closing_line, listed, number_of, say};
use crate::output::{RunArguments, TableArguments, refuse_inputs};

/// Show how long a crawler must wait between two fetches from each site.
///
/// Writes a table with one row for each site that says how often or when to visit: Crawl-delay, Request-rate or
/// Visit-time. A frontier can load it. Sites that say nothing have no row, unless --default-delay gives them one.
///
/// A delay applies to the names directly above it. It does not apply to names after it, even if they belong to the same
/// group. A crawler without a group of its own obeys the delay of *. Of Crawl-delay and Request-rate, the longer delay
/// counts. Crawl-delay is in seconds, up to a day; other values have no effect.
///
/// A Request-rate may have hours (UTC), during which it replaces those without. Without --at, the delay is the longest one
/// of the day, over the hours at which the site may be visited. With --at, it is the one at that time. Visit-time is no
/// delay: its hours are a column of their own, and with --at, so is the time until they begin.
///
/// SOURCE is as for `filter`. Of several captures of a site, the same one counts.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("rules").args(["robots", "policies"]).required(true)), before_help = "\
Common calls:
  $ robomata pace --agent ExampleBot --policies policies.bundle > pace.tsv
  $ robomata pace --agent ExampleBot --policies policies.bundle --min-delay 1 --max-delay 60 \\
      --to pace.parquet",
    after_help = "\
Columns:
  site, agent  the site and the crawler
  delay        seconds from the beginning of one fetch to the beginning of the next, after --min-delay and --max-delay
  source       crawl-delay, request-rate or default; with --default-delay also the outcome of a fetch without a robots.txt to
               obey (unreachable, restricted, deferred, redirected): these sites have no delay
  line, hours  the line of the robots.txt, and its hours
  asked        the seconds that this line asks for
  limit        raised or capped, if --min-delay or --max-delay changed them
  visit_time   the hours of Visit-time; their last minute belongs to them
  opens_in     seconds from --at until these hours begin; 0 during them

Formats, chosen by --output-format or by the name of --to: tsv with a line of names, jsonl, parquet. Empty columns are null. The order of \
sites has no meaning, but is the same each time.

Exit codes:
  0  the table is written
  2  a usage error, a file that cannot be opened, a damaged bundle, or bad input with --strict
  4  a SOURCE ends early or cannot be read to its end: nothing is written (--partial accepts an incomplete SOURCE)

Examples:
  $ robomata pace --agent ExampleBot --host example.com --robots robots.txt
  $ robomata pace --agent ExampleBot --robots robots.jsonl.zst --default-delay 1 --to pace.tsv.zst
  $ robomata pace --agent GPTBot --agent CCBot --policies policies.bundle \\
      --at 2026-11-23T06:00:00Z --output-format jsonl")]
pub(crate) struct PaceArguments {
    /// A crawler's product token, followed by the tokens it falls back to, separated by commas; may be repeated: the
    /// rows of the first crawler come first
    #[arg(long, value_name = "TOKEN[,FALLBACK…]", required = true, action = ArgAction::Append)]
    agent: Vec<String>,
    #[command(flatten)]
    sources: SourceArguments,
    /// A bundle written by `robomata compile`, instead of --robots; or its shards: 'policies-*-of-00016.bundle'. The
    /// name may end in # and the expected fingerprint
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["host", "partial", "dialect", "captured_at"])]
    policies: Option<PathBuf>,
    #[command(flatten)]
    bundle: BundleReading,
    /// Evaluate the hours at this time: an RFC 3339 time or a date [default: the longest delay of the day]
    #[arg(long, value_name = "TIME")]
    at: Option<Timestamp>,
    /// Raise shorter delays of sites to this one
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    min_delay: Option<Duration>,
    /// Cap longer delays of sites to this one
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_delay: Option<Duration>,
    /// Give every site that asks for no delay a row with this one
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    default_delay: Option<Duration>,
    /// The dialect for parsing every robots.txt [default: rfc9309]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    #[command(flatten)]
    table: TableArguments,
    #[command(flatten)]
    run: RunArguments,
}

const NAME: &str = "pace";

/// Parses seconds, with a fraction of up to three digits.
fn seconds(text: &str) -> Result<Duration, String> {
    let expected = || "expected seconds, such as 30 or 0.25".to_owned();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = (whole.to_owned() + fraction).bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain || whole.is_empty() || fraction.len() > 3 {
        return Err(expected());
    }
    let milliseconds: u64 = format!("{whole}{fraction:0<3}").parse().map_err(|_| expected())?;
    Ok(Duration::from_millis(milliseconds))
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &PaceArguments) -> anyhow::Result<ExitCode> {
    arguments.run.threads.apply()?;
    let limits = arguments.limits()?;
    let limit = arguments.sources.reading.parsing_limit;
    limit.require_no_bundle(arguments.policies.as_deref())?;
    arguments.bundle.require_bundle(NAME, arguments.policies.as_deref())?;
    let form = arguments.table.form(&arguments.run.output);
    let name = arguments.table.require_name(&arguments.run.output);
    name.and_then(|()| require_parquet_output(form == RowForm::Parquet, arguments.run.output.to.as_deref()))
        .map_err(|message| usage_error(NAME, &message))?;
    let inputs: Vec<PathBuf> = arguments.policies.iter().flat_map(PolicySet::files).collect();
    let inputs = arguments.sources.robots.iter().chain(&inputs).map(PathBuf::as_path);
    refuse_inputs(NAME, arguments.run.output.to.as_deref(), inputs)?;
    let output = arguments.run.output.open()?;
    let mut console = Console::new(arguments.run.quiet);
    let Policies { set, crawlers, counts } = arguments.open(&mut console)?;
    let job = PaceJob {
        at: arguments.at.map(|time| Moment::from_seconds(time.seconds())),
        limits,
        form,
        ..PaceJob::new(set.open_all()?, crawlers)
    };
    let report = pace::run(&job, output)?;
    drop(console);
    if !arguments.run.quiet {
        say(&(closing(&report, job.crawlers.len() as u64) + &of_captures(&counts)));
    }
    Ok(ExitCode::SUCCESS)
}

impl PaceArguments {
    fn limits(&self) -> anyhow::Result<DelayLimits> {
        let limits = DelayLimits { least: self.min_delay, most: self.max_delay, default: self.default_delay };
        let expected = "expected --min-delay <= --default-delay <= --max-delay";
        limits.check().map_err(|_| usage_error(NAME, expected))?;
        Ok(limits)
    }

    fn open(&self, console: &mut Console) -> anyhow::Result<Policies> {
        if let Some(name) = &self.policies {
            let set = self.bundle.open(name)?;
            let crawlers = crawlers(NAME, &self.agent, set.open_all()?.any().dialect())?;
            return Ok(Policies { set, crawlers, counts: SourceCounts::default() });
        }
        let dialect = self.dialect.unwrap_or_default();
        let crawlers = crawlers(NAME, &self.agent, dialect)?;
        let kind = StoreKind::new(dialect, crawlers.clone());
        let options = self.sources.reading.options(kind, self.run.strictness());
        let loaded = sources::load(&self.sources.robots, &options, console)?;
        Ok(Policies { set: PolicySet::of_store(loaded.store), crawlers, counts: loaded.counts })
    }
}

/// The policies.
struct Policies {
    set: PolicySet,
    /// The crawlers of `--agent`, as the dialect of the policies reads their names.
    crawlers: Vec<Crawler>,
    /// Those of the sources; zero for a bundle.
    counts: SourceCounts,
}

/// Formats the counts of sites. The counts of several crawlers are added.
fn closing(report: &PaceReport, crawlers: u64) -> String {
    let parts = [
        Part::always(report.delays, "with a delay"),
        Part::some(report.raised, "raised"),
        Part::some(report.capped, "capped"),
        Part::some(report.visit_times, "with hours of visits"),
        Part::some(report.defaults, "with the default"),
        Part::some(report.without_rules, "without a robots.txt to obey"),
    ];
    if crawlers == 1 {
        return closing_line(report.sites, "site", &parts);
    }
    let sites = number_of(report.sites / crawlers, "site");
    format!("{sites} for {}: {}", number_of(crawlers, "crawler"), listed(&parts))
}
