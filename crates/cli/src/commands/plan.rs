//! `robomata plan`: plans which robots.txt files to fetch again.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, Args};
use robomata_engine::lifecycle::{Terms, Unreachable};
use robomata_engine::{History, PolicySet, Stores};
use robomata_formats::Timestamp;
use robomata_jobs::plan::{self, PlanFrontier, PlanJob, PlanOutput, PlanReport, PlanRules};
use robomata_jobs::{RowForm, readable};

use crate::args::{BundleReading, duration, require_parquet_output, table_parser, usage_error};
use crate::console::{Console, Part, closing_line, number_of, say};
use crate::fetch::{moment, refuse_choice, unreachable_parser};
use crate::frontier::{UrlForm, empty_streams};
use crate::output::{RunArguments, TableArguments, is_stdin, refuse_inputs, require_written};

/// Plan which robots.txt files to fetch again: when, why, and in which order.
///
/// Reads a bundle of captures and, with --frontier, the URLs that a crawler is about to fetch. Writes one row for each
/// site whose robots.txt has to be fetched before --now plus --within, so that no URL is judged by an expired copy and no
/// copy is fetched in vain. Sites without a URL in the frontier are left out.
///
/// Rows are in the order of their value: the site's URLs times the probability that its rules have changed. A crawler
/// that cannot fetch everything takes the first rows. The probability is estimated from the captures of the site, and
/// from those of all sites (see docs/plan.md).
///
/// The dialect of the bundle decides how long a copy may be used, and what applies while fetches fail. A bundle has no
/// header fields, so their Cache-Control and Retry-After do not count: a copy lives for a day (with koster1996, seven
/// days).
///
/// The command reads no clock and makes no requests: the same input gives the same plan.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata plan --policies history.bundle --now 2026-11-23T12:00:00Z --frontier urls.txt.gz
  $ robomata plan --policies history.bundle --now 2026-11-23T12:00:00Z --holds holds.tsv > plan.tsv",
    after_help = "\
Columns of a fetch:
  site        scheme, host and port
  reason      one of those below
  not_before  an earlier fetch would be in vain
  not_after   when the copy expires, and no URL may be judged by it any more. While fetches
              fail, when something else applies; empty if nothing ends
  urls        the site's URLs in the frontier; empty without --frontier
  change      the probability that a fetch at --now finds other rules than the last known ones
  value       urls times change
  fetched     when the robots.txt was last fetched, with whatever result

Reasons:
  never-seen      no capture is known
  expired         the copy's lifetime is over, or its age is not known
  expires         its lifetime ends before --now plus --within
  likely-changed  its lifetime goes on, but at not_before it will have changed with at least
                  the probability of --likely; change is that at --now
  failing         the last fetch failed; the next one comes when the outage has lasted twice as
                  long, but at least an hour and at most a day after the last one
  inconclusive    all fetches ended in redirects that were not followed, or in a 304

Columns of --holds, one row for each site whose last fetch failed or was inconclusive:
  site, urls, fetched  as above
  applies              last-good-copy, restricted, unrestricted, deferred or unknown
  until                until when, if fetches go on to fail; empty if that has no end
  then                 what applies after that
  since                when the first of the fetches failed
  good_copy            when the last good copy was fetched

A plan has at most one fetch for each site. Add the new captures to the bundle (compile --onto), and make the next plan at \
the end of --within or before. With the reasons never-seen and expired, fetch the robots.txt before any other URL of the site.

Captures after --now are ignored, with a warning.

Exit codes:
  0  the plan is written
  2  a usage error, an unreadable file, a damaged bundle, or bad input with --strict
  4  a file of URLs ends early or cannot be read to its end: nothing is written; or standard output is closed before --holds
     is written

Examples:
  $ robomata compile archive/*.warc.gz --all-agents --history -o history.bundle
  $ robomata plan --policies history.bundle --now 2026-11-23T12:00:00Z --frontier urls.txt.gz \\
      --to plan.jsonl
  $ robomata plan --policies history.bundle --now 2026-11-23T12:00:00Z --within 1h | head -n 1000"
)]
pub(crate) struct PlanArguments {
    /// A bundle written by `robomata compile --history`; or its shards: 'history-*-of-00016.bundle'. The name may end in #
    /// and the expected fingerprint. Without --history, how often sites change is not known
    #[arg(long, value_name = "BUNDLE")]
    policies: PathBuf,
    #[command(flatten)]
    bundle: BundleReading,
    /// The instant of the plan: an RFC 3339 time or a date
    #[arg(long, value_name = "TIME")]
    now: Timestamp,
    /// A file of the URLs to be fetched, as for `filter`; - is standard input; may be repeated [default: all sites of the
    /// bundle are planned]
    #[arg(long, value_name = "URLS", action = ArgAction::Append)]
    frontier: Vec<PathBuf>,
    #[command(flatten)]
    form: UrlForm,
    /// The time that the plan covers, at most the lifetime of a copy
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = duration)]
    within: i64,
    /// How long before it expires a copy may be fetched again
    #[arg(long, value_name = "DURATION", default_value = "6h", value_parser = duration)]
    lead: i64,
    /// Fetch a copy before it expires from when on the probability of a change is P; above 0, at most 1
    #[arg(long, value_name = "P", default_value = "0.5", value_parser = probability)]
    likely: f64,
    /// What applies while a robots.txt is unreachable: the rules of the last good copy (RFC 9309, 2.4) or complete
    /// disallow (2.3.1.4; google and koster1996 leave no choice)
    #[arg(long, value_parser = unreachable_parser(), default_value = Unreachable::default().as_str())]
    unreachable: Unreachable,
    /// Also write the sites whose robots.txt cannot be fetched to FILE: as Parquet (.parquet), JSON Lines (.jsonl) or TSV;
    /// compressed if the name ends in .gz or .zst
    #[arg(long, value_name = "FILE", value_parser = table_parser())]
    holds: Option<PathBuf>,
    #[command(flatten)]
    table: TableArguments,
    #[command(flatten)]
    run: RunArguments,
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "expected a probability above 0, at most 1".to_owned())
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &PlanArguments) -> anyhow::Result<ExitCode> {
    arguments.run.threads.apply()?;
    arguments.validate()?;
    readable::require_files_of_urls(
        &arguments.frontier,
        arguments.form.format,
        arguments.form.column.as_ref(),
    )?;
    let output = PlanOutput::new(arguments.run.output.open()?, arguments.table.form(&arguments.run.output));
    let holds = arguments.holds.as_deref().map(PlanOutput::create).transpose()?;
    let set = arguments.bundle.open(&arguments.policies)?;
    let stores = set.open_all()?;
    let job = PlanJob { stores, frontier: arguments.frontier(), rules: arguments.rules(stores)? };
    if stores.any().kind().history == History::Newest {
        let bundle = set.name().display();
        say(&format!(
            "note: {bundle}: holds only the newest captures, so how often sites change is not known (compile with \
             --history)"
        ));
    }
    let mut console = Console::new(arguments.run.quiet);
    let report = plan::run(&job, output, holds, &mut console).map_err(Into::into);
    let report = require_written(report, &arguments.holds)?;
    drop(console);
    if report.later > 0 {
        let sites = number_of(report.later, "site");
        say(&format!(
            "warning: {sites} with captures after --now: these captures were ignored (check --now)"
        ));
    }
    if !arguments.run.quiet {
        say(&summary(&report));
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(report: &PlanReport) -> String {
    let fetches = &report.fetches;
    let parts = [
        Part::always(fetches.total(), "to fetch"),
        Part::some(fetches.never_seen, "never seen"),
        Part::some(fetches.expired, "expired"),
        Part::some(fetches.expires, "to expire"),
        Part::some(fetches.likely_changed, "likely changed"),
        Part::some(fetches.failing, "failing"),
        Part::some(fetches.inconclusive, "inconclusive"),
        Part::always(report.holds, "on hold"),
    ];
    closing_line(report.sites, "site", &parts)
}

impl PlanArguments {
    fn validate(&self) -> anyhow::Result<()> {
        let mistake = |message: &str| Err(usage_error("plan", message));
        if self.frontier.iter().filter(|path| is_stdin(path)).count() > 1 {
            return mistake("standard input cannot be read twice: use '-' only once in --frontier");
        }
        if self.frontier.is_empty() && (self.form.format.is_some() || self.form.column.is_some()) {
            return mistake("--format and --column require --frontier");
        }
        self.form.validate("plan", &self.frontier)?;
        if let Err(message) = self.table.require_name(&self.run.output) {
            return mistake(&message);
        }
        let is_parquet = self.table.form(&self.run.output) == RowForm::Parquet;
        if let Err(message) = require_parquet_output(is_parquet, self.run.output.to.as_deref()) {
            return mistake(&message);
        }
        let outputs = self.run.output.to.iter().chain(&self.holds).map(PathBuf::as_path);
        let inputs: Vec<PathBuf> =
            self.frontier.iter().cloned().chain(PolicySet::files(&self.policies)).collect();
        refuse_inputs("plan", outputs, inputs.iter().map(PathBuf::as_path))
    }

    fn frontier(&self) -> Option<PlanFrontier> {
        (!self.frontier.is_empty()).then(|| PlanFrontier {
            urls: self.frontier.clone(),
            format: self.form.format,
            column: self.form.column.clone(),
            empty_streams: empty_streams([&self.run.output.to, &self.holds]),
            strictness: self.run.strictness(),
            ..PlanFrontier::default()
        })
    }

    fn rules(&self, stores: Stores<'_>) -> anyhow::Result<PlanRules> {
        let dialect = stores.any().dialect();
        refuse_choice("plan", self.unreachable, dialect)?;
        let rules = PlanRules {
            within: self.within,
            lead: self.lead,
            likely: self.likely,
            unreachable: self.unreachable,
            ..PlanRules::new(moment(self.now), Terms::from(dialect))
        };
        if rules.within > rules.lifetime() {
            let hours = rules.lifetime() / 3_600;
            let message = format!(
                "--within: expected at most {hours}h, the lifetime of a copy in dialect '{dialect}': a copy that is fetched \
                 by the plan would expire before the plan ends"
            );
            return Err(usage_error("plan", &message));
        }
        Ok(rules)
    }
}
