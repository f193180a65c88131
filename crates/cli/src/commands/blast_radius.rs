//! `robomata blast-radius`: what a change of robots.txt files changes.

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
use robomata_jobs::{JobError, readable};
use serde::Serialize;

use crate::args::{dialect_parser, usage_error};
use crate::console::Console;
use crate::frontier::UrlForm;
use crate::output::{RunArguments, is_stdio, write_text};
use crate::style::{Styles, paint, visible};

/// Show which URLs change their verdict between two robots.txt files, or between two collections of them.
///
/// OLD and NEW are both robots.txt files (plain or compressed), or both collections: captures (a directory, JSON lines, TSV,
/// WARC, Parquet) or bundles. With URLS every URL is judged by both, and those that change are counted by site and by the rules that decided.
///
/// With and without URLS the rules themselves are compared: for each pair of rules that decide differently a shortest URL
/// is made up on which they do, and where none is found it is said whether that is a proof. The search for one site ends
/// after so many steps (--budget, and 4 for each octet of the patterns); then URLs made of the patterns are tried, and the
/// answer is 'not exhaustive'. Bundles keep no texts: their rules are shown as they were compiled, in normal form.
#[derive(Args, Debug)]
#[command(after_help = "\
Exit codes:
  0  no URL changes its verdict, as far as is known
  1  some URL does
  2  a usage error, an unreadable file, or bad input with --strict

Examples:
  $ robomata blast-radius --agent Googlebot robots.txt robots.new.txt
  $ robomata blast-radius --agent Googlebot monday.jsonl.zst tuesday.jsonl.zst urls.txt.gz
  $ robomata blast-radius --agent Googlebot --json monday.bundle tuesday.bundle - < urls.txt | jq .urls.changed")]
pub(crate) struct BlastRadiusArguments {
    /// The crawler's product token, and those it falls back to, separated by commas
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    agent: Crawler,
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
    /// Steps of the search for URLs that are made up, for each site
    #[arg(long, value_name = "STEPS", default_value_t = CompareOptions::default().budget)]
    budget: u64,
    /// Print one JSON object instead of text: urls (null without URLS), rules
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
    readable::require_files(&arguments.urls).map_err(JobError::from)?;
    let output = arguments.run.output.open()?;
    let mut console = Console::with_progress();
    let old = arguments.open(&arguments.old, &mut console)?;
    let new = arguments.open(&arguments.new, &mut console)?;
    if old.is_file() != new.is_file() {
        return Err(mistake("expected two robots.txt files, or two collections of them"));
    }
    if old.dialect() != new.dialect() {
        let message = format!("the dialects differ: {} and {}", old.dialect(), new.dialect());
        return Err(mistake(&message));
    }
    let job = arguments.job(&old, &new);
    let urls = (!job.urls.is_empty()).then(|| blast_radius::judge_urls(&job, &mut console)).transpose()?;
    let report = Report { urls, rules: blast_radius::witnesses(&job)? };
    drop(console);
    let text = if arguments.json {
        serde_json::to_string(&report).expect("texts and numbers are JSON") + "\n"
    } else {
        View { styles: arguments.run.output.styles(), job: &job }.text(&report)
    };
    write_text(output, &text)?;
    let is_changed = report.rules.changed + report.rules.only_old + report.rules.only_new > 0;
    let is_changed = is_changed || report.urls.is_some_and(|urls| urls.changed > 0);
    Ok(if is_changed { ExitCode::from(CHANGE) } else { ExitCode::SUCCESS })
}

fn mistake(message: &str) -> anyhow::Error {
    usage_error("blast-radius", message)
}

impl BlastRadiusArguments {
    fn open(&self, path: &Path, console: &mut Console) -> Result<Policies, JobError> {
        let options = PolicyOptions {
            crawler: self.agent.clone(),
            dialect: self.dialect,
            strictness: self.run.strictness(),
            threads: self.run.threads,
        };
        Policies::open(path, &options, console)
    }

    fn job<'p>(&self, old: &'p Policies, new: &'p Policies) -> BlastJob<'p> {
        BlastJob {
            urls: self.urls.clone(),
            format: self.form.format,
            column: self.form.column.clone(),
            compared: if self.lines { Compared::Lines } else { Compared::Verdicts },
            shown: Shown { changes: self.changes, examples: self.limit, sites: self.sites },
            budget: self.budget,
            strictness: self.run.strictness(),
            threads: self.run.threads,
            ..BlastJob::new(old, new, self.agent.clone())
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
        let whole = if site.exhaustive { "" } else { ", not exhaustive" };
        let _ = match (site.pairs, site.exhaustive) {
            (0, true) => writeln!(text, "rules: proved to answer alike, whatever the URL"),
            (0, false) => writeln!(text, "rules: no difference found, not exhaustive"),
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
