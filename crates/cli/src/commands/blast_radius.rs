//! `robomata diff`: what a change of robots.txt files changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use robomata::automaton::CompareOptions;
use robomata::{Crawler, Dialect};
use robomata_jobs::blast_radius::{
    self, BlastJob, Policies, PolicyOptions, Said, Shown, SiteWitnesses, UrlReport, WitnessReport,
};
use robomata_jobs::dissent::Compared;
use robomata_jobs::{IncompleteInput, JobError, readable};
use serde::Serialize;

use crate::args::{crawler, dialect_parser, usage_error};
use crate::console::{Console, INCOMPLETE};
use crate::frontier::UrlForm;
use crate::output::{RunArguments, is_stdio, refuse_inputs, write_text};
use crate::style::{Styles, paint, visible};

/// Show which URLs change their verdict between two robots.txt files, or between two collections of them.
///
/// OLD and NEW are both robots.txt files (plain or compressed), or both collections: captures (a directory, JSON lines, TSV,
/// WARC, Parquet) or bundles. With URLS every URL is judged by both, and those that change are counted by site and by the rules that decided.
///
/// Without --agent two robots.txt files are compared for every crawler that either of them names, and for `*`, every other
/// one; crawlers with the same rules in both files share an answer.
///
/// With and without URLS the rules themselves are compared: for each pair of rules that decide differently a shortest URL
/// is made up on which they do, and where none is found it is said whether that is a proof. The search for one site ends
/// after so many steps (--budget, and 4 for each byte of the patterns); then URLs made of the patterns are tried, and the
/// answer is 'not exhaustive'. Bundles keep no texts: their rules are shown as they were compiled, in normal form.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata diff robots.txt robots.new.txt
  $ robomata diff --agent Googlebot robots.txt robots.new.txt urls.txt",
    after_help = "\
Exit codes:
  0  no URL changes its verdict, as far as is known
  1  some URL does
  2  a usage error, an unreadable file, or bad input with --strict
  4  an input ends early or cannot be read to its end

Examples:
  $ robomata diff robots.txt robots.new.txt
  $ robomata diff --agent Googlebot monday.jsonl.zst tuesday.jsonl.zst urls.txt.gz
  $ robomata diff --agent Googlebot --json monday.bundle tuesday.bundle - < urls.txt | jq .urls.changed"
)]
pub(crate) struct BlastRadiusArguments {
    /// The crawler's product token, and those it falls back to, separated by commas [default: every crawler that one of two
    /// robots.txt files names, and *, every other one]
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    agent: Option<String>,
    /// How robots.txt files are read [default: rfc9309; that of bundles]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// Count it as a change, too, when other lines decide to the same effect
    #[arg(long)]
    lines: bool,
    #[command(flatten)]
    form: UrlForm,
    /// Show N URLs of each change, and N of each site that are made up
    #[arg(long, value_name = "N", default_value_t = Shown::default().examples)]
    limit: usize,
    /// Show N changes
    #[arg(long, value_name = "N", default_value_t = Shown::default().changes)]
    changes: usize,
    /// Show N sites with URLs that are made up
    #[arg(long, value_name = "N", default_value_t = Shown::default().sites)]
    sites: usize,
    /// Steps of the search for URLs that are made up, for each site [default: 20000000 for two robots.txt files, 500000 for
    /// each site of collections]
    #[arg(long, value_name = "STEPS")]
    budget: Option<u64>,
    /// Print one JSON object instead of text: urls (null without URLS), rules; without --agent an array, crawlers, of such
    /// objects with the names of crawlers
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: RunArguments,
    /// What held before
    old: PathBuf,
    /// What holds now
    new: PathBuf,
    /// Files of URLs, one a line; - is standard input
    #[arg(value_name = "URLS")]
    urls: Vec<PathBuf>,
}

const NAME: &str = "diff";

/// Steps of the search in two robots.txt files: a second or less, and enough for files of some hundred lines.
const FILE_BUDGET: u64 = 20_000_000;

/// The exit code of a run in which something changes.
const CHANGE: u8 = 1;

#[derive(Serialize)]
struct Report {
    urls: Option<UrlReport>,
    rules: WitnessReport,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &BlastRadiusArguments) -> anyhow::Result<ExitCode> {
    let inputs = [&arguments.old, &arguments.new].into_iter().chain(&arguments.urls);
    if inputs.filter(|path| is_stdio(path)).count() > 1 {
        return Err(mistake("standard input cannot be read twice: expected '-' once"));
    }
    let dialect = arguments.dialect.unwrap_or_default();
    let named = arguments.agent.as_ref().map(|agent| crawler(NAME, agent, dialect)).transpose()?;
    readable::require_files(&arguments.urls).map_err(JobError::from)?;
    let inputs = [&arguments.old, &arguments.new].into_iter().chain(&arguments.urls).map(PathBuf::as_path);
    refuse_inputs(NAME, arguments.run.output.to.as_deref(), inputs)?;
    let output = arguments.run.output.open()?;
    let mut console = Console::new(arguments.run.quiet);
    // Files are compared for everyone; what is a collection is known when it is open.
    let asked = named.clone().unwrap_or_else(|| Crawler::new("*"));
    let sides = [&arguments.old, &arguments.new];
    if named.is_none() && sides.into_iter().any(|path| is_collection(path)) {
        return Err(mistake("collections are compared for one crawler: expected --agent"));
    }
    let old = arguments.open(&arguments.old, &asked, &mut console)?;
    let new = arguments.open(&arguments.new, &asked, &mut console)?;
    if old.is_file() != new.is_file() {
        return Err(mistake("expected two robots.txt files, or two collections of them"));
    }
    if old.dialect() != new.dialect() {
        let message = format!("the dialects differ: {} and {}", old.dialect(), new.dialect());
        return Err(mistake(&message));
    }
    let crawlers = arguments.crawlers(named, &old, &new)?;
    let incomplete = if output.appears_at_commit() { IncompleteInput::Refuse } else { IncompleteInput::Use };
    let job = |names: &Vec<Crawler>| BlastJob { incomplete, ..arguments.job(&names[0], &old, &new) };
    let jobs: Vec<BlastJob<'_>> = crawlers.iter().map(job).collect();
    let report = |job: &BlastJob<'_>| {
        let urls = (!job.urls.is_empty()).then(|| blast_radius::judge_urls(job, &mut console)).transpose()?;
        Ok::<_, JobError>(Report { urls, rules: blast_radius::witnesses(job)? })
    };
    let reports: Vec<Report> = jobs.iter().map(report).collect::<Result<_, _>>()?;
    drop(console);
    let text = arguments.text(&crawlers, &jobs, &reports);
    write_text(output, &text)?;
    let is_incomplete =
        |report: &Report| report.urls.as_ref().is_some_and(|urls| urls.errors.incomplete_inputs > 0);
    if reports.iter().any(is_incomplete) {
        return Ok(ExitCode::from(INCOMPLETE));
    }
    let is_changed = reports.iter().any(Report::is_changed);
    Ok(if is_changed { ExitCode::from(CHANGE) } else { ExitCode::SUCCESS })
}

impl Report {
    fn is_changed(&self) -> bool {
        let WitnessReport { changed, only_old, only_new, .. } = self.rules;
        changed + only_old + only_new > 0 || self.urls.as_ref().is_some_and(|urls| urls.changed > 0)
    }
}

/// The report for crawlers that share it.
#[derive(Serialize)]
struct NamedReport<'r> {
    names: Vec<String>,
    #[serde(flatten)]
    report: &'r Report,
}

fn is_collection(path: &Path) -> bool {
    blast_radius::is_collection(path).unwrap_or(false)
}

/// `value` as a line of JSON.
fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON") + "\n"
}

fn mistake(message: &str) -> anyhow::Error {
    usage_error(NAME, message)
}

impl BlastRadiusArguments {
    /// For whom both sides are compared: the crawler that is named, else every one that a file names and all others, those
    /// with the same rules together.
    fn crawlers(
        &self,
        named: Option<Crawler>,
        old: &Policies,
        new: &Policies,
    ) -> anyhow::Result<Vec<Vec<Crawler>>> {
        if let Some(crawler) = named {
            return Ok(vec![vec![crawler]]);
        }
        if old.dialect() == Dialect::Acap {
            return Err(mistake("fields of ACAP are compared for one crawler: expected --agent"));
        }
        let crawlers = blast_radius::named_crawlers(old, new);
        if crawlers.len() > 1 && self.urls.iter().any(|path| is_stdio(path)) {
            return Err(mistake(
                "standard input is read for one crawler: expected --agent, or files of URLS",
            ));
        }
        Ok(crawlers)
    }

    fn text(&self, crawlers: &[Vec<Crawler>], jobs: &[BlastJob<'_>], reports: &[Report]) -> String {
        let names = |crawlers: &[Crawler]| crawlers.iter().map(ToString::to_string).collect::<Vec<_>>();
        match (self.json, &self.agent, reports) {
            (true, Some(_), [report]) => to_json(report),
            (true, ..) => {
                let named = crawlers.iter().zip(reports);
                let named = named.map(|(crawlers, report)| NamedReport { names: names(crawlers), report });
                to_json(&BTreeMap::from([("crawlers", named.collect::<Vec<_>>())]))
            }
            (false, ..) => {
                let view = |job| View { styles: self.run.output.styles(), job };
                let mut text = String::new();
                for ((crawlers, job), report) in crawlers.iter().zip(jobs).zip(reports) {
                    if self.agent.is_none() {
                        let names = visible(&names(crawlers).join(", "));
                        let _ = writeln!(text, "{}", paint(self.run.output.styles().heading, names));
                    }
                    text.push_str(&view(job).text(report));
                }
                text
            }
        }
    }

    fn open(&self, path: &Path, crawler: &Crawler, console: &mut Console) -> Result<Policies, JobError> {
        let options = PolicyOptions {
            crawler: crawler.clone(),
            dialect: self.dialect,
            strictness: self.run.strictness(),
            threads: self.run.threads,
        };
        Policies::open(path, &options, console)
    }

    fn job<'p>(&self, crawler: &Crawler, old: &'p Policies, new: &'p Policies) -> BlastJob<'p> {
        BlastJob {
            urls: self.urls.clone(),
            format: self.form.format,
            column: self.form.column.clone(),
            compared: if self.lines { Compared::Lines } else { Compared::Verdicts },
            shown: Shown { changes: self.changes, examples: self.limit, sites: self.sites },
            budget: self.budget.unwrap_or(if old.is_file() {
                FILE_BUDGET
            } else {
                CompareOptions::default().budget
            }),
            strictness: self.run.strictness(),
            threads: self.run.threads,
            ..BlastJob::new(old, new, crawler.clone())
        }
    }
}

/// How reports are shown to people.
struct View<'j> {
    styles: Styles,
    job: &'j BlastJob<'j>,
}

impl View<'_> {
    fn text(&self, report: &Report) -> String {
        let mut text = String::new();
        if let Some(urls) = &report.urls {
            self.push_urls(urls, &mut text);
            text.push('\n');
        }
        match (self.job.old, self.job.new) {
            (Policies::File(..), _) => {}
            _ => self.push_sites(&report.rules, &mut text),
        }
        for site in &report.rules.sites {
            self.push_site(site, &mut text);
        }
        text
    }

    fn push_urls(&self, urls: &UrlReport, text: &mut String) {
        let UrlReport { lines, changed, unknown, invalid, change_count, changes, .. } = urls;
        let changed = paint(self.styles.heading, format_args!("{changed} change"));
        let crawler = &self.job.crawler;
        let _ = writeln!(
            text,
            "{} for {crawler}: {changed}, {unknown} of unknown sites, {invalid} without a URL",
            number_of(*lines, "line")
        );
        for change in changes {
            let site = change.site.as_deref().map_or_else(String::new, |site| format!("{}: ", visible(site)));
            let _ = writeln!(text, "\n{site}{}", number_of(change.urls, "URL"));
            self.push_said(&change.old, &change.new, text);
            for example in &change.examples {
                let _ = writeln!(text, "    {}", visible(example));
            }
        }
        let left = change_count - changes.len() as u64;
        if left > 0 {
            let _ = writeln!(text, "\n{} left out (--changes shows more)", number_of(left, "more change"));
        }
    }

    fn push_said(&self, old: &Said, new: &Said, text: &mut String) {
        for (name, said) in [("old", old), ("new", new)] {
            let verdict = paint(self.styles.of_verdict(said.verdict), format_args!("{:<8}", said.verdict));
            let line = match (said.line, &said.rule) {
                (0, _) => "no line".to_owned(),
                (line, Some(rule)) => format!("line {line}: {}", visible(rule)),
                (line, None) => format!("line {line}"),
            };
            let _ = writeln!(text, "  {name}  {verdict}  {line}");
        }
    }

    fn push_sites(&self, rules: &WitnessReport, text: &mut String) {
        let WitnessReport { only_old, only_new, alike, changed, unproved, sites } = rules;
        let changed_text = paint(self.styles.heading, format_args!("{changed} changed"));
        let _ = writeln!(
            text,
            "rules of sites: {changed_text}, {alike} proved alike, {unproved} not decided, {only_old} only old, {only_new} only new"
        );
        let left = changed + unproved - sites.len() as u64;
        if left > 0 {
            let _ = writeln!(text, "{} left out (--sites shows more)", number_of(left, "more site"));
        }
    }

    fn push_site(&self, site: &SiteWitnesses, text: &mut String) {
        if let Some(name) = &site.site {
            let _ = writeln!(text, "\n{}", paint(self.styles.heading, visible(name)));
        }
        let more = self.job.budget.saturating_mul(10);
        let whole = match (site.exhaustive, site.spent) {
            (true, _) => String::new(),
            (false, true) => format!(", not exhaustive (--budget {more} continues)"),
            (false, false) => ", not exhaustive".to_owned(),
        };
        let _ = match (site.pairs, site.exhaustive) {
            (0, true) => writeln!(text, "rules: proved to answer alike, whatever the URL"),
            (0, false) => writeln!(text, "rules: no difference found{whole}"),
            (1, _) => writeln!(text, "rules: 1 pair decides differently{whole}"),
            (pairs, _) => writeln!(text, "rules: {pairs} pairs decide differently{whole}"),
        };
        for witness in &site.witnesses {
            let _ = writeln!(text, "\n  {}", visible(&witness.url));
            let mut said = String::new();
            self.push_said(&witness.old, &witness.new, &mut said);
            said.lines().for_each(|line| {
                let _ = writeln!(text, "  {line}");
            });
        }
        let left = site.pairs - site.witnesses.len() as u64;
        if left > 0 {
            let _ = writeln!(text, "  {} left out (--limit shows more)", number_of(left, "more pair"));
        }
    }
}

fn number_of(count: u64, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {what}s") }
}
