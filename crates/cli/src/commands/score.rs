//! `robomata score`: which crawlers keep to robots.txt, by logs.

mod html;
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, ArgGroup, Args};
use robomata::{Audience, Crawler, Dialect, History, PolicyStore, StoreKind};
use robomata_formats::log::LogFormat;
use robomata_formats::{FileName, Output};
use robomata_jobs::score::agents::Agents;
use robomata_jobs::score::report::ScoreReport;
use robomata_jobs::score::{self, HostOfLog, RequestsOutput, ScoreJob, TimeTravel, table};
use robomata_jobs::sources::{self, Keep, LoadOptions, SourceHost};
use robomata_jobs::{Bodies, JobError, bundle};

use crate::args::{SourceArguments, crawler, dialect_parser, usage_error};
use crate::console::{Console, Part, listed, number_of, say};
use crate::output::{RunArguments, is_stdio, refuse_inputs, write_text};

/// Score crawlers' compliance from access and crawl logs.
///
/// Judges every request by the robots.txt in force at its time, for the crawler that its User-Agent names: by the newest capture
/// before it, and during an outage by the last good copy, as RFC 9309 says. A request that was allowed within the day before is
/// excused, since a crawler may use a copy for a day (with koster1996 seven days). Requests before the first capture of a site
/// are counted as unknown.
///
/// SOURCE is as for `filter`, but all captures of a site count, by their times. --host names the site of one plain robots.txt,
/// and the host of requests where the log does not say it. Crawlers are known by the directories that
/// --agents names, and by what they say of themselves.
#[derive(Args, Debug)]
#[command(before_help = "\
Common calls:
  $ robomata score --robots robots.jsonl --host example.com access.log.gz
  $ robomata score --robots robots.jsonl --host example.com access.log.gz --html report.html")]
#[command(group(ArgGroup::new("rules").args(["robots", "policies"]).required(true)), after_help = "\
Formats of LOGS, found by their names and first lines, or given by --format:
  common, combined              the Common Log Format, and Combined, with whatever nginx adds
  vhost-common, vhost-combined  the same behind the virtual host
  json                          objects with the usual keys of nginx, Caddy, Traefik, Elastic
  heritrix                      crawl.log; status -9998 is what the crawler itself refused
  scrapy                        Scrapy's log; 'Forbidden by robots.txt' is what it refused
  cdx, cdxj                     indexes of web archives: what a crawler, which --agent names, fetched and kept
  tsv                           columns that tabs separate, named by the first line as keys of json are: a time, and
                                url, or host and path (perhaps scheme, port, query, method, status, user_agent)
  parquet                       the same columns, or Common Crawl's (url_protocol, …, fetch_time); a file, not
                                compressed as a whole
  warc                          each response, resource and revisit; who asked is said by the request's record, else by
                                the warcinfo's http-header-user-agent, else by --agent

Delays (Crawl-delay) are judged by the times between two requests of a crawler to a site, from whatever address; of indexes, \
which are not in the order of time, not at all. GET, HEAD \
and POST are judged, and what has no method, as a GET; robots.txt itself may always be fetched.

Exit codes:
  0  no violation
  1  some request was disallowed
  2  a usage error, an unreadable file, a log of no known format, no request that can be judged, or bad input with --strict
  4  a log or SOURCE ends early or cannot be read to its end (--partial uses the rest)

Examples:
  $ robomata score --robots history.jsonl.zst --agents crawler-user-agents.json vhosts.log
  $ robomata compile archive/ --all-agents --history -o history.bundle
  $ robomata score --policies history.bundle --json --parquet cells.parquet vhosts.log | jq .crawlers[0]
  $ robomata score --robots history.jsonl.zst --requests requests.tsv.gz access.log")]
pub(crate) struct ScoreArguments {
    #[command(flatten)]
    sources: SourceArguments,
    /// Policies that `robomata compile` wrote, best with --all-agents and --history, instead of --robots; they hold no delays
    #[arg(long, value_name = "FILE", conflicts_with = "dialect")]
    policies: Option<PathBuf>,
    /// A directory of crawlers: the JSON of monperrus/crawler-user-agents or of ai.robots.txt, a robots.txt that names them, or lines of tokens; may be repeated
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    agents: Vec<PathBuf>,
    /// Who made the requests of logs without User-Agents [default: heritrix or scrapy for their logs]
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    agent: Option<String>,
    /// The scheme of requests, where the log does not say it [default: https, unless only the site of http is known]
    #[arg(long, value_parser = ["http", "https"])]
    scheme: Option<String>,
    /// The format of all LOGS [default: by the name and the first lines of each]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<LogFormat>,
    /// Judge everything by the newest capture, not by that of its time
    #[arg(long)]
    latest: bool,
    /// How every robots.txt is read; with google, crawlers that fall back to other names (Googlebot-Image) are unknown [default: rfc9309, with --policies that of the bundle]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// List N sites of each crawler
    #[arg(long, value_name = "N", default_value_t = 5)]
    sites: usize,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Write counts by crawler, site, day and rule to FILE as Parquet
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
    /// Write every request of a crawler to FILE, with its client's address, verdict, the line that was broken and its rule:
    /// as Parquet (.parquet), JSON lines (.jsonl) or columns with tabs; compressed if it ends in .gz or .zst
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// Leave the clients' addresses out of --requests
    #[arg(long, requires = "requests")]
    anonymous: bool,
    /// Write a report for readers to FILE: one HTML page that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    run: RunArguments,
    /// Access logs, crawl logs, archives and their indexes; - or none is standard input
    #[arg(value_name = "LOGS")]
    logs: Vec<PathBuf>,
}

fn format_parser() -> impl TypedValueParser<Value = LogFormat> {
    PossibleValuesParser::new(LogFormat::ALL.map(LogFormat::as_str)).try_map(|name| name.parse::<LogFormat>())
}

/// The exit code of a run in which somebody did not keep to robots.txt.
const VIOLATION: u8 = 1;

/// Runs the sub-command.
pub(crate) fn run(mut arguments: ScoreArguments) -> anyhow::Result<ExitCode> {
    if arguments.logs.is_empty() {
        arguments.logs.push(PathBuf::from("-"));
    }
    let inputs = arguments.logs.iter().chain(&arguments.sources.robots).chain(&arguments.agents);
    if inputs.filter(|path| is_stdio(path)).count() > 1 {
        let message =
            "standard input cannot be read twice: expected '-' once among --robots, --agents and LOGS";
        return Err(usage_error("score", message));
    }
    let outputs = [&arguments.run.output.to, &arguments.parquet, &arguments.requests, &arguments.html];
    let inputs = arguments
        .logs
        .iter()
        .chain(&arguments.sources.robots)
        .chain(&arguments.agents)
        .chain(&arguments.policies);
    let outputs = outputs.into_iter().flatten().map(PathBuf::as_path);
    refuse_inputs("score", outputs, inputs.map(PathBuf::as_path))?;
    let crawler = arguments.crawler()?;
    let output = arguments.run.output.open()?;
    let parquet = arguments.parquet.as_deref().map(Output::create).transpose().map_err(JobError::from)?;
    let create = |path: &Path| RequestsOutput::create(path, arguments.anonymous);
    let mut requests = arguments.requests.as_deref().map(create).transpose()?;
    let page = arguments.html.as_deref().map(Output::create).transpose().map_err(JobError::from)?;

    let mut console = Console::new(arguments.run.quiet);
    let (agents, agent_errors) = Agents::read(&arguments.agents, arguments.run.strictness(), &mut console)?;
    let policies = Policies::open(&arguments, &mut console)?;
    let mut report =
        score::run_telling(&arguments.job(&policies, crawler, agents), requests.as_mut(), &mut console)?;
    report.errors = report.errors.plus(&agent_errors);
    drop(console);
    report.require_judged()?;
    warn(&report);
    requests.map_or(Ok(()), RequestsOutput::commit)?;
    if let Some(parquet) = parquet {
        table::write(&report.cells, parquet)?;
    }
    if let Some(page) = page {
        write_text(page, html::page(&report, &arguments.sources()))?;
    }
    let text = if arguments.json {
        serde_json::to_string(&report).expect("texts and numbers are JSON") + "\n"
    } else {
        view::text(&report, arguments.run.output.styles())
    };
    write_text(output, &text)?;
    if !arguments.run.quiet {
        say(&closing_line(&report));
    }
    Ok(exit_code(&report))
}

/// Warns of a report that says little: most requests could not be judged, or no crawler is known.
fn warn(report: &ScoreReport) {
    let (counts, causes) = (report.counts(), report.causes());
    let (unknown, requests) = (counts.unknown(), counts.requests);
    if unknown > requests / 2 {
        let percent = unknown * 100 / requests;
        say(&format!(
            "warning: {unknown} of {requests} requests of crawlers ({percent}%) cannot be judged: {causes}"
        ));
    }
    if report.requests > 0 && report.visitors.nobody == report.requests {
        say("warning: no crawler is known: no request has a User-Agent (--agent names who made them)");
    }
}

/// The last line: what became of the requests of crawlers.
fn closing_line(report: &ScoreReport) -> String {
    let counts = report.counts();
    let parts = [
        Part::always(counts.allowed, "allowed"),
        Part::always(counts.disallowed, "disallowed"),
        Part::some(counts.excused, "excused"),
        Part::some(counts.deferred, "put off"),
        Part::some(counts.unknown(), "unknown"),
        Part::some(counts.robots_txt, "for robots.txt"),
    ];
    let requests = number_of(counts.requests, "request");
    let crawlers = number_of(report.crawlers.len() as u64, "crawler");
    format!("{requests} by {crawlers}: {}", listed(&parts))
}

fn exit_code(report: &ScoreReport) -> ExitCode {
    let is_kept = report.crawlers.iter().all(|crawler| crawler.counts.disallowed == 0);
    if is_kept { ExitCode::SUCCESS } else { ExitCode::from(VIOLATION) }
}

impl ScoreArguments {
    /// Who made the requests of logs without User-Agents.
    fn crawler(&self) -> anyhow::Result<Option<Arc<Crawler>>> {
        let dialect = self.dialect.unwrap_or_default();
        self.agent.as_ref().map(|agent| crawler("score", agent, dialect).map(Arc::new)).transpose()
    }

    /// Where the robots.txt files come from, for readers.
    fn sources(&self) -> Vec<String> {
        let paths = self.sources.robots.iter().chain(&self.policies);
        paths.map(|path| FileName::new(path).to_string()).collect()
    }

    /// The host of the plain robots.txt among the sources. Without one, `--host` is about the logs alone.
    fn host_of_sources(&self) -> Result<Option<SourceHost>, JobError> {
        let applies = SourceHost::applies_to(&self.sources.robots)?;
        Ok(self.sources.reading.host.clone().filter(|_| applies))
    }

    fn job<'s>(&self, policies: &'s Policies, crawler: Option<Arc<Crawler>>, agents: Agents) -> ScoreJob<'s> {
        ScoreJob {
            bodies: policies.bodies.as_ref(),
            format: self.format,
            host: HostOfLog {
                host: self.sources.reading.host.as_ref().map(ToString::to_string),
                scheme: self.scheme.clone(),
            },
            crawler,
            travel: if self.latest { TimeTravel::Latest } else { TimeTravel::InForce },
            sites: self.sites,
            strictness: self.run.strictness(),
            incomplete: self.sources.reading.incomplete(),
            threads: self.run.threads,
            ..ScoreJob::new(&policies.store, agents, self.logs.clone())
        }
    }
}

/// What requests are judged by.
struct Policies {
    store: PolicyStore,
    /// None of a bundle.
    bodies: Option<Bodies>,
}

impl Policies {
    fn open(arguments: &ScoreArguments, console: &mut Console) -> anyhow::Result<Self> {
        if let Some(path) = &arguments.policies {
            return Ok(Policies { store: bundle::open_whole(path)?, bodies: None });
        }
        let kind = StoreKind {
            history: History::All,
            ..StoreKind::new(arguments.dialect.unwrap_or_default(), Audience::Everyone)
        };
        if !kind.is_possible() {
            let message =
                "fields of ACAP are compiled for crawlers that are known: expected another --dialect";
            return Err(usage_error("score", message));
        }
        let options = LoadOptions {
            strictness: arguments.run.strictness(),
            host: arguments.host_of_sources()?,
            incomplete: arguments.sources.reading.incomplete(),
            keep: Keep::Bodies,
            threads: arguments.run.threads,
            ..LoadOptions::new(kind)
        };
        let loaded = sources::load(&arguments.sources.robots, &options, console)?;
        Ok(Policies { store: loaded.store, bodies: Some(loaded.bodies) })
    }
}
