//! `robomata diff`: shows how a change of robots.txt files changes verdicts.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use robomata_engine::automaton::CompareOptions;
use robomata_engine::{Crawler, Dialect, PolicySet, ShardNumber};
use robomata_formats::FileName;
use robomata_jobs::compare::Compared;
use robomata_jobs::diff::{
    self, DiffJob, Policies, PolicyOptions, Shown, SideAnswer, SiteWitnesses, UrlReport, WitnessReport,
};
use robomata_jobs::sources::SourceHost;
use robomata_jobs::{IncompleteInput, JobError, readable};
use serde::Serialize;

use crate::args::{SourceReading, crawler, crawler_of_any, dialect_parser, too_long, usage_error};
use crate::console::{Console, INCOMPLETE, say};
use crate::frontier::{UrlForm, empty_streams};
use crate::output::{RunArguments, is_stdin, refuse_inputs, write_text};
use crate::style::{Styles, paint, visible};

/// Show which verdicts change between two robots.txt files, or between two collections of them.
///
/// OLD and NEW are two robots.txt files (plain or compressed) or two collections: captures (a SOURCE as for `filter`: a
/// directory, JSON Lines, TSV, WARC, Parquet) or bundles, whose names may end in # and the expected fingerprint. With
/// URLS, every URL is evaluated by both. URLs whose verdict changes are counted by site and by the rules that decided.
///
/// Without --agent, policies are compared for every crawler that either of them names, site by site, and for `*`, every
/// other crawler. Crawlers with the same rules are reported together. Bundles compiled for some crawlers are compared
/// for those.
///
/// With --host, a side that is a plain robots.txt is a collection of the sites that it names. Without it, two plain
/// robots.txt files are compared without regard to their site.
///
/// The rules themselves are always compared, with or without URLS. For each pair of rules that decide differently, diff
/// generates a shortest URL that shows it. If there is none, diff reports whether that is proved. The search for one
/// site stops after a number of steps (--budget, plus 4 for each byte of the patterns). Then diff only tries URLs made
/// from the patterns, and reports 'not exhaustive'. Bundles do not hold the original text, so their rules are shown as
/// they were compiled, in normal form.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata diff robots.txt robots.new.txt
  $ robomata diff --agent Googlebot robots.txt robots.new.txt urls.txt",
    after_help = "\
Exit codes:
  0  no change was found
  1  the verdict of some URL changes
  2  a usage error, an unreadable file, or bad input with --strict
  4  an input ends early or cannot be read to its end, or standard output is closed before the end

Examples:
  $ robomata diff robots.txt robots.new.txt
  $ robomata diff --agent Googlebot monday.jsonl.zst tuesday.jsonl.zst urls.txt.gz
  $ robomata diff --agent Googlebot --json monday.bundle tuesday.bundle - < urls.txt \\
      | jq .urls.changed"
)]
pub(crate) struct DiffArguments {
    /// The crawler's product token, followed by the tokens it falls back to, separated by commas [default: every
    /// crawler that either side names, and * for every other crawler; for bundles, the crawlers that they were compiled
    /// for]
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    agent: Option<String>,
    /// The dialect for parsing and matching robots.txt files [default: rfc9309; for bundles, their dialect]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    #[command(flatten)]
    reading: SourceReading,
    /// Also count it as a change if a different line decides with the same verdict
    #[arg(long)]
    lines: bool,
    #[command(flatten)]
    form: UrlForm,
    /// Show N URLs of each change, and N generated URLs of each site
    #[arg(long, value_name = "N", default_value_t = Shown::default().examples)]
    limit: usize,
    /// Show N changes
    #[arg(long, value_name = "N", default_value_t = Shown::default().changes)]
    changes: usize,
    /// Show N sites with generated URLs
    #[arg(long, value_name = "N", default_value_t = Shown::default().sites)]
    sites: usize,
    /// The number of steps in the search for generated URLs, for each site [default: 20000000 for two robots.txt files,
    /// 500000 for each site of collections]
    #[arg(long, value_name = "STEPS")]
    budget: Option<u64>,
    /// Print one JSON object instead of text: urls (null without URLS), rules; without --agent, changes and sites list
    /// their crawlers
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: RunArguments,
    /// The old robots.txt or collection
    old: PathBuf,
    /// The new robots.txt or collection
    new: PathBuf,
    /// Files of URLs, for two robots.txt files also of paths; - is standard input
    #[arg(value_name = "URLS")]
    urls: Vec<PathBuf>,
}

const NAME: &str = "diff";

/// Steps of the search for two robots.txt files: at most about a second, and enough for files of a few hundred lines.
const FILE_BUDGET: u64 = 20_000_000;

/// The exit code of a run that found a change.
const CHANGE: u8 = 1;

#[derive(Serialize)]
struct Report {
    urls: Option<UrlReport>,
    rules: WitnessReport,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &DiffArguments) -> anyhow::Result<ExitCode> {
    arguments.run.threads.apply()?;
    let inputs = [&arguments.old, &arguments.new].into_iter().chain(&arguments.urls);
    if inputs.filter(|path| is_stdin(path)).count() > 1 {
        return Err(mistake("standard input cannot be read twice: use '-' only once"));
    }
    // A bundle has a dialect of its own.
    let dialects = arguments.dialect.map_or(Dialect::ALL.to_vec(), |dialect| vec![dialect]);
    let named = arguments.agent.as_ref().map(|agent| crawler_of_any(NAME, agent, &dialects)).transpose()?;
    let UrlForm { format, column } = &arguments.form;
    if arguments.urls.is_empty() && (format.is_some() || column.is_some()) {
        return Err(mistake("--format and --column require URLS"));
    }
    arguments.form.validate(NAME, &arguments.urls)?;
    if arguments.are_files()? {
        // Paths are enough. The job checks that there are any, and soon.
        readable::require_files(&arguments.urls).map_err(JobError::from)?;
    } else {
        readable::require_files_of_urls(&arguments.urls, *format, column.as_ref()).map_err(JobError::from)?;
    }
    let inputs = [&arguments.old, &arguments.new].into_iter().chain(&arguments.urls);
    let inputs = inputs.map(|name| PolicySet::split_pin(name).0);
    refuse_inputs(NAME, arguments.run.output.to.as_deref(), inputs)?;
    let output = arguments.run.output.open()?;
    let mut console = Console::new(arguments.run.quiet);
    if arguments.reading.host.is_some()
        && !SourceHost::applies_to(&[arguments.old.clone(), arguments.new.clone()])?
    {
        return Err(JobError::UnusedHost(FileName::new(&arguments.old)).into());
    }
    let old = arguments.open(&arguments.old, named.as_ref(), &mut console)?;
    let new = arguments.open(&arguments.new, named.as_ref(), &mut console)?;
    if old.is_bundle() && new.is_bundle() && arguments.reading.parsing_limit.bytes().is_some() {
        return Err(JobError::UnusedLimit(FileName::new(&arguments.old)).into());
    }
    if !old.is_captures() && !new.is_captures() && arguments.reading.captured_at().is_some() {
        return Err(JobError::UnusedTime(FileName::new(&arguments.old)).into());
    }
    if old.is_file() != new.is_file() {
        return Err(mistake(
            "a robots.txt and a collection of sites cannot be compared (name the site of the robots.txt with --host)",
        ));
    }
    if old.shard() != new.shard() {
        let name = |side: Option<ShardNumber>| side.map_or("no shard".to_owned(), |shard| shard.to_string());
        let (old, new) = (name(old.shard()), name(new.shard()));
        return Err(mistake(&format!(
            "the sites of other shards would pass as unknown: the old bundle is {old}, the new one {new} (compare \
             undivided bundles, or the same shard of both)"
        )));
    }
    if old.dialect() != new.dialect() {
        let message = format!("the dialects differ: {} and {}", old.dialect(), new.dialect());
        return Err(mistake(&message));
    }
    arguments.agent.as_ref().map(|agent| crawler(NAME, agent, old.dialect())).transpose()?;
    let crawlers = match named {
        Some(crawler) => Some(vec![crawler]),
        None => diff::compiled_crawlers(&old, &new)?,
    };
    if let (None, Some(crawlers)) = (&arguments.agent, &crawlers) {
        let names = crawlers.iter().map(|crawler| format!("'{crawler}'")).collect::<Vec<_>>().join(", ");
        say(&format!(
            "note: compared only for {names}: a bundle was compiled for them (compile it with --all-agents to compare every \
             crawler)"
        ));
    }
    for (path, side) in [(&arguments.old, &old), (&arguments.new, &new)] {
        let longer = side.longer_than_limit() as u64;
        if longer > 0 && !arguments.run.quiet {
            say(&format!("note: {}: {}", FileName::new(path), too_long(longer)));
        }
    }
    let incomplete = if output.appears_at_commit() { IncompleteInput::Refuse } else { IncompleteInput::Use };
    let job = DiffJob { incomplete, ..arguments.job(crawlers, &old, &new) };
    let urls = (!job.urls.is_empty()).then(|| diff::judge_urls(&job, &mut console)).transpose()?;
    let report = Report { urls, rules: diff::witnesses(&job)? };
    drop(console);
    let text = if arguments.json {
        serde_json::to_string(&report).expect("texts and numbers are JSON") + "\n"
    } else {
        View { styles: arguments.run.output.styles(), job: &job }.text(&report)
    };
    write_text(output, &text)?;
    if report.urls.as_ref().is_some_and(|urls| urls.errors.incomplete_inputs > 0) {
        return Ok(ExitCode::from(INCOMPLETE));
    }
    Ok(if report.is_changed() { ExitCode::from(CHANGE) } else { ExitCode::SUCCESS })
}

impl Report {
    fn is_changed(&self) -> bool {
        let WitnessReport { changed, only_old, only_new, .. } = self.rules;
        changed + only_old + only_new > 0 || self.urls.as_ref().is_some_and(|urls| urls.changed > 0)
    }
}

fn mistake(message: &str) -> anyhow::Error {
    usage_error(NAME, message)
}

impl DiffArguments {
    /// Are both sides a robots.txt, without regard to their site?
    fn are_files(&self) -> Result<bool, JobError> {
        let is_file = |path: &PathBuf| SourceHost::applies_to(std::slice::from_ref(path));
        Ok(self.reading.host.is_none() && is_file(&self.old)? && is_file(&self.new)?)
    }

    fn open(
        &self,
        path: &Path,
        crawler: Option<&Crawler>,
        console: &mut Console,
    ) -> Result<Policies, JobError> {
        let options = PolicyOptions {
            crawler: crawler.cloned(),
            dialect: self.dialect,
            host: self.reading.host.clone(),
            strictness: self.run.strictness(),
            incomplete: self.reading.incomplete(),
            captured_at: self.reading.captured_at(),
            parsing_limit: self.reading.parsing_limit.bytes(),
        };
        Policies::open(path, &options, console)
    }

    fn job<'p>(&self, crawlers: Option<Vec<Crawler>>, old: &'p Policies, new: &'p Policies) -> DiffJob<'p> {
        DiffJob {
            urls: self.urls.clone(),
            format: self.form.format,
            column: self.form.column.clone(),
            empty_streams: empty_streams([&self.run.output.to]),
            compared: if self.lines { Compared::Line } else { Compared::Verdict },
            shown: Shown { changes: self.changes, examples: self.limit, sites: self.sites },
            budget: self.budget.unwrap_or(if old.is_file() {
                FILE_BUDGET
            } else {
                CompareOptions::default().budget
            }),
            strictness: self.run.strictness(),
            ..DiffJob::new(old, new, crawlers)
        }
    }
}

/// Formats reports as text.
struct View<'j> {
    styles: Styles,
    job: &'j DiffJob<'j>,
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
        let mut last = None;
        for site in &report.rules.sites {
            if site.site.is_some() && site.site != last {
                let name = visible(site.site.as_deref().unwrap_or_default());
                let _ = writeln!(text, "\n{}", paint(self.styles.heading, name));
            }
            last.clone_from(&site.site);
            self.push_site(site, &mut text);
        }
        text
    }

    fn push_urls(&self, urls: &UrlReport, text: &mut String) {
        let UrlReport { lines, changed, unknown, invalid, change_count, changes, .. } = urls;
        let changed = paint(self.styles.heading, format_args!("{changed} change"));
        let crawler = match self.job.crawlers.as_deref() {
            Some([crawler]) => format!(" for {crawler}"),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "{}{crawler}: {changed}, {unknown} of unknown sites, {invalid} without a URL",
            number_of(*lines, "line")
        );
        for change in changes {
            let site = change.site.as_deref().map_or_else(String::new, |site| format!("{}: ", visible(site)));
            let names = names_of(&change.crawlers).map_or_else(String::new, |names| format!(" for {names}"));
            let _ = writeln!(text, "\n{site}{}{names}", number_of(change.urls, "URL"));
            self.push_answers(&change.old, &change.new, text);
            for example in &change.examples {
                let _ = writeln!(text, "    {}", visible(example));
            }
        }
        let left = change_count - changes.len() as u64;
        if left > 0 {
            let _ = writeln!(text, "\n{} left out (--changes shows more)", number_of(left, "more change"));
        }
    }

    fn push_answers(&self, old: &SideAnswer, new: &SideAnswer, text: &mut String) {
        for (name, answer) in [("old", old), ("new", new)] {
            let verdict =
                paint(self.styles.of_verdict(answer.verdict), format_args!("{:<8}", answer.verdict));
            let line = match (answer.line, &answer.rule) {
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
        let mut shown: Vec<_> = sites.iter().map(|site| &site.site).collect();
        shown.dedup();
        let left = changed + unproved - shown.len() as u64;
        if left > 0 {
            let _ = writeln!(text, "{} left out (--sites shows more)", number_of(left, "more site"));
        }
    }

    fn push_site(&self, site: &SiteWitnesses, text: &mut String) {
        if let Some(names) = names_of(&site.crawlers) {
            let _ = writeln!(text, "{}", paint(self.styles.heading, names));
        }
        let more = self.job.budget.max(1).saturating_mul(10);
        let whole = match (site.exhaustive, site.spent) {
            (true, _) => String::new(),
            (false, true) => format!(", not exhaustive (--budget {more} continues)"),
            (false, false) => ", not exhaustive".to_owned(),
        };
        let _ = match (site.pairs, site.exhaustive) {
            (0, true) => writeln!(text, "rules: proved equivalent for every URL"),
            (0, false) => writeln!(text, "rules: no difference found{whole}"),
            (1, _) => writeln!(text, "rules: 1 pair decides differently{whole}"),
            (pairs, _) => writeln!(text, "rules: {pairs} pairs decide differently{whole}"),
        };
        for witness in &site.witnesses {
            let _ = writeln!(text, "\n  {}", visible(&witness.url));
            let mut answers = String::new();
            self.push_answers(&witness.old, &witness.new, &mut answers);
            answers.lines().for_each(|line| {
                let _ = writeln!(text, "  {line}");
            });
        }
        let left = site.pairs - site.witnesses.len() as u64;
        if left > 0 {
            let _ = writeln!(text, "  {} left out (--limit shows more)", number_of(left, "more pair"));
        }
    }
}

/// The number of names that are shown for crawlers with the same rules.
const NAMES: usize = 10;

/// Formats the first names of crawlers with the same rules. Returns none if there are no names to show.
fn names_of(crawlers: &[String]) -> Option<String> {
    let (shown, left) = crawlers.split_at(crawlers.len().min(NAMES));
    let names = shown.iter().map(|name| visible(name).to_string()).collect::<Vec<_>>().join(", ");
    match left.len() {
        0 if names.is_empty() => None,
        0 => Some(names),
        left => Some(format!("{names} and {left} more")),
    }
}

fn number_of(count: u64, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {what}s") }
}
