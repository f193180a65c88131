//! `robomata score`: scores the compliance of crawlers from logs.

mod html;
mod view;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, ArgGroup, Args};
use robomata_engine::{Audience, Crawler, Dialect, History, PolicySet, StoreKind, Stores, UsageQuery};
use robomata_formats::log::LogFormat;
use robomata_formats::{FileName, Output};
use robomata_jobs::score::agents::Agents;
use robomata_jobs::score::report::ScoreReport;
use robomata_jobs::score::{self, HostOfLog, RequestsOutput, ScoreJob, TimeTravel, table};
use robomata_jobs::sources::{self, Keep, LoadOptions, SourceCounts, SourceHost};
use robomata_jobs::{Bodies, JobError, bundle};

use crate::args::{
    BundleReading, SourceArguments, crawler, dialect_parser, of_captures, output_parser, require_parquet_for,
    table_parser, usage_error,
};
use crate::console::{Console, Part, listed, number_of, say};
use crate::output::{RunArguments, is_stdin, refuse_inputs, write_text};

/// Score crawlers' compliance from access and crawl logs.
///
/// Evaluates every request by the robots.txt in force at its time, for the crawler that its User-Agent names. This is
/// the newest earlier capture or, during an outage, the last good copy (RFC 9309). A request that was allowed within
/// the day before is excused, because a crawler may use a copy for a day (with koster1996, seven days). Between two
/// captured failures, so is one that was allowed to a crawler whose own attempt failed. Requests before the first
/// capture of a site, and disallowed ones within the day after it, count as unknown.
///
/// SOURCE is as for `filter`, but all captures of a site count, by their times. --host names the site of a plain
/// robots.txt, and the host of requests if the log does not contain it; a URL also names their scheme. Crawlers are recognized by the lists given with
/// --agents, and by User-Agents that identify themselves as crawlers.
#[derive(Args, Debug)]
#[command(before_help = "\
Common calls:
  $ robomata score --robots robots.jsonl --host example.com access.log.gz
  $ robomata score --robots robots.jsonl --host example.com access.log.gz --html report.html")]
#[command(group(ArgGroup::new("rules").args(["robots", "policies"]).required(true)), after_help = "\
Formats of LOGS, detected by name and first lines, or given with --format:
  common, combined              the Common Log Format and the Combined Log Format, also with the fields that nginx adds
  vhost-common, vhost-combined  the same after the virtual host
  json                          objects with the usual keys of nginx, Caddy, Traefik, Elastic
  heritrix                      crawl.log; status -9998 is a request that the crawler itself refused
  scrapy                        Scrapy's log; 'Forbidden by robots.txt' is a request that it refused
  cdx, cdxj                     indexes of web archives: pages that a crawler (given with --agent) fetched and kept
  tsv                           columns separated by tabs; the first line names them, like the keys of json: a time, and
                                url, or host and path (optionally scheme, port, query, method, status, user_agent)
  parquet                       the same columns, or Common Crawl's (url_protocol, …, fetch_time); a file, not
                                compressed as a whole
  warc                          each response, resource and revisit; the crawler is given by the request's record, else by
                                the warcinfo's http-header-user-agent, else by --agent

A Crawl-delay is checked against the times between two requests of a crawler to a site, from any address; the \
shortest one of the day before counts, since a crawler may use a copy for a day. LOGS may be given \
in any order, as a shell lists them; where an older one begins, the time between is not checked. It is not checked for \
indexes either, because they are not in time order. GET, HEAD and POST requests are evaluated; a request without a method \
counts as GET. robots.txt itself may always be fetched.

The exit code is 2 if crawlers made requests and none of them can be evaluated, other than for robots.txt or refused by \
the crawler itself, and if logs with lines have no request with a User-Agent. Requests of browsers and of other programs \
need no evaluation. So the exit code of a log with only those is 0, and that of a log with only blank lines and comments.

Exit codes:
  0  no violation
  1  some request was disallowed
  2  a usage error, an unreadable file, an unknown log format, no request that can be evaluated, or bad input with --strict
  4  a log or SOURCE ends early or cannot be read to its end (--partial accepts an incomplete input), or standard output is
     closed before the end

Examples:
  $ robomata score --robots history.jsonl.zst --agents crawler-user-agents.json vhosts.log
  $ robomata compile archive/*.warc.gz --all-agents --history -o history.bundle
  $ robomata score --policies history.bundle --json --parquet cells.parquet \\
      vhosts.log | jq .crawlers[0]
  $ robomata score --robots history.jsonl.zst --requests requests.tsv.gz access.log")]
pub(crate) struct ScoreArguments {
    #[command(flatten)]
    sources: SourceArguments,
    /// A bundle written by `robomata compile`, preferably with --all-agents and --history, but without --usage, instead
    /// of --robots; or its shards: 'policies-*-of-00016.bundle'. The name may end in # and the expected fingerprint
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["dialect", "captured_at"])]
    policies: Option<PathBuf>,
    #[command(flatten)]
    bundle: BundleReading,
    /// A list of crawlers: the JSON of monperrus/crawler-user-agents or of ai.robots.txt, a robots.txt that names them,
    /// or one token per line; may be repeated. A list that names no crawler is an error
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    agents: Vec<PathBuf>,
    /// The crawler that made the requests of logs that do not record User-Agents [default: heritrix or scrapy for their
    /// logs]. It selects no requests of other logs
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    agent: Option<String>,
    /// The scheme of requests if the log does not contain it [default: that of --host if it is a URL, or else https,
    /// unless only the http site is known]
    #[arg(long, value_parser = ["http", "https"])]
    scheme: Option<String>,
    /// The format of all LOGS [default: detected by the name and the first lines of each]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<LogFormat>,
    /// Evaluate every request by the newest capture, not by the one in force at its time
    #[arg(long)]
    latest: bool,
    /// The dialect for parsing and matching every robots.txt; with google, crawlers that fall back to other names
    /// (Googlebot-Image) are unknown [default: rfc9309; with --policies, the dialect of the bundle]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// List N sites of each crawler
    #[arg(long, value_name = "N", default_value_t = 5)]
    sites: usize,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Write counts by crawler, site, day and rule to FILE as Parquet
    #[arg(long, value_name = "FILE", value_parser = output_parser(|_| true))]
    parquet: Option<PathBuf>,
    /// Write every request of a crawler to FILE, with the client's address, the verdict, and the violated line and
    /// rule: as Parquet (.parquet), JSON Lines (.jsonl) or TSV; compressed if the name ends in .gz or .zst
    #[arg(long, value_name = "FILE", value_parser = table_parser())]
    requests: Option<PathBuf>,
    /// Omit the clients' addresses from --requests
    #[arg(long, requires = "requests")]
    anonymous: bool,
    /// Write a report to FILE: one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    run: RunArguments,
    /// Access logs, crawl logs, archives and their indexes; - or no file is standard input
    #[arg(value_name = "LOGS")]
    logs: Vec<PathBuf>,
}

fn format_parser() -> impl TypedValueParser<Value = LogFormat> {
    PossibleValuesParser::new(LogFormat::ALL.map(LogFormat::as_str)).try_map(|name| {
        let format = name.parse::<LogFormat>()?;
        require_parquet_for(format == LogFormat::Parquet)?;
        Ok::<_, Box<dyn Error + Send + Sync>>(format)
    })
}

/// The exit code of a run that found a violation.
const VIOLATION: u8 = 1;

/// Runs the sub-command.
pub(crate) fn run(mut arguments: ScoreArguments) -> anyhow::Result<ExitCode> {
    arguments.run.threads.apply()?;
    let limit = arguments.sources.reading.parsing_limit;
    limit.require_no_bundle(arguments.policies.as_deref())?;
    arguments.bundle.require_bundle("score", arguments.policies.as_deref())?;
    if arguments.logs.is_empty() {
        arguments.logs.push(PathBuf::from("-"));
    }
    let inputs = arguments.logs.iter().chain(&arguments.sources.robots).chain(&arguments.agents);
    if inputs.filter(|path| is_stdin(path)).count() > 1 {
        let message = "standard input cannot be read twice: use '-' only once in --robots, --agents and LOGS";
        return Err(usage_error("score", message));
    }
    let outputs = [&arguments.run.output.to, &arguments.parquet, &arguments.requests, &arguments.html];
    let bundle: Vec<PathBuf> = arguments.policies.iter().flat_map(PolicySet::files).collect();
    let inputs =
        arguments.logs.iter().chain(&arguments.sources.robots).chain(&arguments.agents).chain(&bundle);
    let outputs = outputs.into_iter().flatten().map(PathBuf::as_path);
    refuse_inputs("score", outputs, inputs.map(PathBuf::as_path))?;
    let host = arguments.host_of_log()?;
    let output = arguments.run.output.open()?;
    let parquet = arguments.parquet.as_deref().map(Output::create).transpose().map_err(JobError::from)?;
    let create = |path: &Path| RequestsOutput::create(path, arguments.anonymous);
    let mut requests = arguments.requests.as_deref().map(create).transpose()?;
    let page = arguments.html.as_deref().map(Output::create).transpose().map_err(JobError::from)?;

    let mut console = Console::new(arguments.run.quiet);
    let (agents, agent_errors) = Agents::read(&arguments.agents, arguments.run.strictness(), &mut console)?;
    let policies = Policies::open(&arguments, &mut console)?;
    let stores = policies.set.open_all()?;
    let job = arguments.job(&policies, stores, agents, host);
    let mut report = score::run_telling(&job, requests.as_mut(), &mut console)?;
    report.errors = report.errors.plus(&agent_errors);
    drop(console);
    report.require_judged()?;
    warn(&report);
    if let Some(agent) = arguments.agent.as_ref()
        && !arguments.run.quiet
        && report.requests > 0
        && report.of_given_crawler == 0
    {
        say(&format!(
            "note: --agent {agent}: names no request, because the logs record User-Agents (every crawler in them is scored)"
        ));
    }
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
        say(&(closing_line(&report) + &of_captures(&policies.counts)));
    }
    Ok(exit_code(&report))
}

/// Warns if most requests could not be evaluated, or if some are not compared with a Crawl-delay.
fn warn(report: &ScoreReport) {
    let (counts, causes) = (report.counts(), report.causes());
    let (unknown, requests) = (counts.unknown(), counts.requests);
    if unknown > requests / 2 {
        let percent = unknown * 100 / requests;
        say(&format!(
            "warning: {unknown} of {requests} requests of crawlers ({percent}%) cannot be judged: {causes}"
        ));
    }
    let out_of_order: u64 = report.crawlers.iter().map(|crawler| crawler.delay.out_of_order).sum();
    if out_of_order > 0 && report.crawlers.iter().any(|crawler| crawler.delay.asked > 0) {
        let requests = number_of(out_of_order, "request");
        say(&format!(
            "note: {requests} older than the one before: not compared with a Crawl-delay (logs may be in any order, but the \
             lines of each log have to be in the order of time)"
        ));
    }
}

/// Formats the last line: the counts of crawler requests.
fn closing_line(report: &ScoreReport) -> String {
    let counts = report.counts();
    let parts = [
        Part::always(counts.allowed, "allowed"),
        Part::always(counts.disallowed, "disallowed"),
        Part::some(counts.excused, "excused"),
        Part::some(counts.deferred, "deferred"),
        Part::some(counts.unknown(), "unknown"),
        Part::some(counts.robots_txt, "for robots.txt"),
    ];
    let requests = number_of(counts.requests, "request");
    let crawlers = number_of(report.crawlers.len() as u64, "crawler");
    let joined = report.joined.map_or(String::new(), |joined| {
        format!(", of which (others) are {}", number_of(joined.crawlers, "rare crawler"))
    });
    format!("{requests} by {crawlers}{joined}: {}", listed(&parts))
}

fn exit_code(report: &ScoreReport) -> ExitCode {
    let is_compliant = report.crawlers.iter().all(|crawler| crawler.counts.disallowed == 0);
    if is_compliant { ExitCode::SUCCESS } else { ExitCode::from(VIOLATION) }
}

impl ScoreArguments {
    /// Returns the crawler that made the requests of logs without User-Agents.
    fn crawler(&self, dialect: Dialect) -> anyhow::Result<Option<Arc<Crawler>>> {
        self.agent.as_ref().map(|agent| crawler("score", agent, dialect).map(Arc::new)).transpose()
    }

    /// Lists the sources of the robots.txt files, for the report.
    fn sources(&self) -> Vec<String> {
        let paths = self.sources.robots.iter().chain(&self.policies);
        paths.map(|path| FileName::new(path).to_string()).collect()
    }

    /// Returns the host and the scheme of requests if the log does not contain them.
    fn host_of_log(&self) -> anyhow::Result<HostOfLog> {
        let host = self.sources.reading.host.as_ref();
        match (self.scheme.as_deref(), host.and_then(SourceHost::scheme)) {
            (Some(scheme), Some(other)) if scheme != other => {
                let message =
                    format!("--scheme {scheme}: --host is a URL with the scheme {other} (give one of them)");
                Err(usage_error("score", &message))
            }
            (scheme, other) => Ok(HostOfLog {
                host: host.map(|host| host.host().to_owned()),
                scheme: scheme.or(other).map(str::to_owned),
            }),
        }
    }

    /// Returns the host of the plain robots.txt among the sources. Without one, `--host` applies only to the logs.
    fn host_of_sources(&self) -> Result<Option<SourceHost>, JobError> {
        let applies = SourceHost::applies_to(&self.sources.robots)?;
        Ok(self.sources.reading.host.clone().filter(|_| applies))
    }

    fn job<'s>(
        &self,
        policies: &'s Policies,
        stores: Stores<'s>,
        agents: Agents,
        host: HostOfLog,
    ) -> ScoreJob<'s> {
        ScoreJob {
            bodies: policies.bodies.as_ref(),
            format: self.format,
            host,
            crawler: policies.crawler.clone(),
            travel: if self.latest { TimeTravel::Latest } else { TimeTravel::InForce },
            sites: self.sites,
            strictness: self.run.strictness(),
            incomplete: self.sources.reading.incomplete(),
            ..ScoreJob::new(stores, agents, self.logs.clone())
        }
    }
}

/// Checks that rules alone decide in `dialect`.
fn require_rules(dialect: Dialect) -> anyhow::Result<()> {
    if dialect.semantics().reads_acap {
        let message = format!("score supports every dialect except {dialect}: more than rules decide there");
        return Err(usage_error("score", &message));
    }
    Ok(())
}

/// The policies by which requests are evaluated.
struct Policies {
    set: PolicySet,
    /// The crawler of `--agent`, as the dialect of the policies reads its name.
    crawler: Option<Arc<Crawler>>,
    /// None for a bundle.
    bodies: Option<Bodies>,
    /// Those of the sources; zero for a bundle.
    counts: SourceCounts,
}

impl Policies {
    fn open(arguments: &ScoreArguments, console: &mut Console) -> anyhow::Result<Self> {
        if let Some(name) = &arguments.policies {
            let set = arguments.bundle.open(name)?;
            let stores = set.open_all()?;
            bundle::require(stores.any(), None, &UsageQuery::default(), &[])?;
            require_rules(stores.any().dialect())?;
            let crawler = arguments.crawler(stores.any().dialect())?;
            return Ok(Policies { set, crawler, bodies: None, counts: SourceCounts::default() });
        }
        let dialect = arguments.dialect.unwrap_or_default();
        require_rules(dialect)?;
        let crawler = arguments.crawler(dialect)?;
        let kind = StoreKind { history: History::All, ..StoreKind::new(dialect, Audience::Everyone) };
        let options = LoadOptions {
            host: arguments.host_of_sources()?,
            keep: Keep::Bodies,
            ..arguments.sources.reading.options(kind, arguments.run.strictness())
        };
        let loaded = sources::load(&arguments.sources.robots, &options, console)?;
        Ok(Policies {
            set: PolicySet::of_store(loaded.store),
            crawler,
            bodies: Some(loaded.bodies),
            counts: loaded.counts,
        })
    }
}
