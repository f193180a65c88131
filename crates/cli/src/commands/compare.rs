//! `robomata compare`: reports where dialects disagree.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{ArgAction, ArgGroup, Args};
use robomata_engine::{Crawler, Dialect, StoreKind};
use robomata_jobs::IncompleteInput;
use robomata_jobs::compare::{
    self, CauseCount, CompareCounts, CompareJob, CompareReport, CompareStats, Compared, DialectAnswer,
    Difference, Listing, PairCount, Shown, SiteDifferences,
};
use robomata_jobs::sources::{self, DialectStores, Keep, LoadOptions};

use crate::args::{SourceArguments, crawler_of_all, dialect_parser, of_captures, usage_error};
use crate::console::{self, INCOMPLETE, Part, closing_line, say};
use crate::frontier::FrontierArguments;
use crate::output::{report_unwritten, require_written, write_text};
use crate::style::{Styles, paint, visible};

/// Show where dialects disagree, and why.
///
/// Evaluates every URL in several dialects. The report starts with counts: by cause (a URL may have several), by pair
/// of dialects, and by the two answers. Then it lists the sites with disagreements, those with the most such URLs
/// first. For each site it shows the first URLs with every dialect's answer and the line that decided. Where the lines
/// show it, it also explains why a dialect differs from the first one.
///
/// SOURCE and URLS are as for `filter`. The policies of all dialects and the captured files are in memory at the same
/// time. Memory use depends on the number of sites, not on the number of URLs.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("rules").args(["robots"]).required(true)), before_help = "\
Common calls:
  $ robomata compare --agent Googlebot --robots robots.jsonl.zst urls.txt.gz
  $ robomata compare --agent Googlebot --dialect rfc9309 --dialect google --robots sites/ urls.txt",
    after_help = "\
Causes, by their names in JSON:
  fetch       the status of the fetch means different things
  robots-txt  /robots.txt itself is always allowed in one dialect
  acap        ACAP fields decide, or void conventional lines
  too-long    one dialect follows no rule of so long a file
  reading     the line, or its group, is read in only one dialect (misspelt, without a colon, behind the limit), or
              differently
  record      a blank line ended the line's group
  group       another group is chosen for the crawler
  wildcard    '*' and '$' are ordinary bytes in one dialect
  query       one dialect ignores the query
  index-page  an Allow rule for an index page also applies to its folder
  form        URL and pattern are compared in a different form (percent-encoding)
  order       first match or longest match
  length      the bytes of patterns are counted differently
  empty-rule  an empty rule counts as the deciding line in one dialect
  other       the lines do not show the cause

Bad input is reported on standard error and counted; the run continues. With --strict the first bad input ends the run. \
A file given with --to is written completely or not at all.

Exit codes:
  0  all dialects agree
  1  dialects disagree about some URL
  2  a usage error, a file that cannot be opened, no URL in the first 1,000 lines, no URL of a site with a robots.txt, or
     bad input with --strict
  4  an input ends early or cannot be read to its end (--partial accepts an incomplete SOURCE), or standard output is closed
     before the end

Examples:
  $ robomata compare --agent Googlebot --robots robots.jsonl.zst urls.txt.gz
  $ robomata compare --agent Googlebot --dialect rfc9309 --dialect google --robots sites/ --json \\
      urls.txt | head")]
pub(crate) struct CompareArguments {
    /// The crawler's product token, followed by the tokens it falls back to, separated by commas
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    agent: String,
    #[command(flatten)]
    sources: SourceArguments,
    /// A dialect to compare; give at least two. The others are compared with the first [default: all]
    #[arg(long, value_parser = dialect_parser(), action = ArgAction::Append)]
    dialect: Vec<Dialect>,
    /// Also count it as a difference if a different line decides with the same verdict
    #[arg(long)]
    lines: bool,
    /// Show N URLs of each site
    #[arg(long, value_name = "N", default_value_t = Shown::default().examples)]
    limit: usize,
    /// Show N sites
    #[arg(long, value_name = "N", default_value_t = Shown::default().sites)]
    sites: usize,
    /// Instead of text, print one JSON object for every URL that dialects disagree about, in input order: url, site,
    /// answers (by dialect: verdict, line, rule, group), causes (dialects, cause, line, text)
    #[arg(long, conflicts_with_all = ["limit", "sites"])]
    json: bool,
    #[command(flatten)]
    frontier: FrontierArguments,
}

/// Runs the sub-command.
pub(crate) fn run(mut arguments: CompareArguments) -> anyhow::Result<ExitCode> {
    arguments.frontier.run.threads.apply()?;
    arguments.complete();
    arguments.validate()?;
    let crawler = crawler_of_all(NAME, &arguments.agent, &arguments.dialect)?;
    arguments.frontier.require_files(&arguments.sources.robots)?;
    let output = arguments.frontier.run.output.open()?;
    let stats = arguments.frontier.stats()?;

    let mut console = arguments.frontier.console(arguments.json);
    let dialect_stores = sources::load_panel(
        &arguments.sources.robots,
        &arguments.dialect,
        &arguments.load_options(&crawler),
        &mut console,
    )?;
    let mut job = arguments.job(&dialect_stores, &crawler);
    if output.appears_at_commit() {
        job.incomplete = IncompleteInput::Refuse;
    }
    let report = if arguments.json {
        let report = compare::run(&job, Some(Listing { output, form: &push_json }), &mut console);
        drop(console);
        report
    } else {
        let report = compare::run(&job, None, &mut console)?;
        drop(console);
        write_text(output, arguments.view(&crawler).text(&report)).map(|()| report)
    };
    let report = require_written(report.map_err(Into::into), &arguments.frontier.stats)?;
    if report.errors.incomplete_inputs > 0 {
        report_unwritten(&arguments.frontier.stats);
    }
    if let Some(stats) = stats {
        stats.write(&CompareStats::new(&dialect_stores, &crawler, &report), &report.errors)?;
    }
    let CompareCounts { lines, alike, different, unknown, invalid, differing_sites, .. } = report.counts;
    if !arguments.frontier.run.quiet {
        let differently = format!("answered differently on {}", console::number_of(differing_sites, "site"));
        let parts = [
            Part::always(different, &differently),
            Part::always(alike, "alike"),
            Part::some(unknown, "of sites without a robots.txt"),
            Part::some(invalid, "invalid"),
        ];
        say(&(closing_line(lines, "URL", &parts) + &of_captures(&dialect_stores.counts)));
    }
    if report.errors.incomplete_inputs > 0 {
        return Ok(ExitCode::from(INCOMPLETE));
    }
    Ok(if different > 0 { ExitCode::from(DIFFERENCES) } else { ExitCode::SUCCESS })
}

const NAME: &str = "compare";

/// The exit code of a run in which dialects disagree.
const DIFFERENCES: u8 = 1;

fn push_json(difference: &Difference, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, difference).expect("texts and numbers are JSON");
    out.push(b'\n');
}

impl CompareArguments {
    /// Fills in defaults.
    fn complete(&mut self) {
        self.frontier.complete();
        if self.dialect.is_empty() {
            self.dialect.extend(Dialect::ALL);
        }
    }

    /// Validates combinations of arguments.
    fn validate(&self) -> anyhow::Result<()> {
        let mistake = |message| Err(usage_error(NAME, message));
        let is_repeated = |(index, dialect)| self.dialect[..index].contains(dialect);
        if self.dialect.len() < 2 || self.dialect.iter().enumerate().any(is_repeated) {
            return mistake(
                "dialects are compared with each other: --dialect requires at least two different values",
            );
        }
        self.frontier.validate(NAME, &self.sources.robots, &[])
    }

    fn load_options(&self, crawler: &Crawler) -> LoadOptions {
        let kind = StoreKind::new(Dialect::default(), vec![crawler.clone()]);
        let strictness = self.frontier.run.strictness();
        LoadOptions { keep: Keep::Bodies, ..self.sources.reading.options(kind, strictness) }
    }

    fn job<'s>(&self, dialect_stores: &'s DialectStores, crawler: &Crawler) -> CompareJob<'s> {
        let mut job = CompareJob::new(dialect_stores, crawler.clone(), self.frontier.urls.clone());
        job.format = self.frontier.form.format;
        job.column = self.frontier.form.column.clone();
        job.empty_streams = self.frontier.empty_streams(&None);
        job.compared = if self.lines { Compared::Line } else { Compared::Verdict };
        job.shown = if self.json {
            Shown { sites: 0, examples: 0 }
        } else {
            Shown { sites: self.sites, examples: self.limit }
        };
        job.strictness = self.frontier.run.strictness();
        job
    }

    fn view(&self, crawler: &Crawler) -> View {
        View { styles: self.frontier.run.output.styles(), crawler: crawler.to_string() }
    }
}

/// Formats reports as text.
struct View {
    styles: Styles,
    crawler: String,
}

impl View {
    fn text(&self, report: &CompareReport) -> String {
        let mut text = self.summary(&report.counts);
        self.push_causes(&report.counts.causes, &mut text);
        for pair in &report.counts.pairs {
            push_pair(pair, &mut text);
        }
        for site in &report.sites {
            self.push_site(site, &mut text);
        }
        let sites_left = report.counts.differing_sites - report.sites.len() as u64;
        if sites_left > 0 {
            let shown: u64 = report.sites.iter().map(|site| site.urls).sum();
            let urls = number_of(report.counts.different - shown, "URL");
            let sites = number_of(sites_left, "more site");
            let _ = writeln!(text, "\n{sites} with {urls} left out (--sites shows more)");
        }
        text
    }

    fn summary(&self, counts: &CompareCounts) -> String {
        let CompareCounts { lines, alike, different, unknown, invalid, differing_sites, .. } = counts;
        let differing =
            format!("{different} answered differently on {}", number_of(*differing_sites, "site"));
        let lines = number_of(*lines, "line");
        let crawler = &self.crawler;
        let differing = paint(self.styles.heading, differing);
        format!(
            "{lines} for {crawler}: {differing}, {alike} answered alike, {unknown} of unknown sites, {invalid} without a URL\n\n"
        )
    }

    fn push_causes(&self, causes: &[CauseCount], text: &mut String) {
        if causes.is_empty() {
            return;
        }
        let _ = writeln!(text, "{}", paint(self.styles.heading, "by cause"));
        for CauseCount { cause, urls } in causes {
            let _ = writeln!(text, "  {urls:>10}  {cause}");
        }
        text.push('\n');
    }

    fn push_site(&self, site: &SiteDifferences, text: &mut String) {
        let heading = format!("{}: {}", visible(&site.site), number_of(site.urls, "URL"));
        let _ = writeln!(text, "\n{}", paint(self.styles.heading, heading));
        for example in &site.examples {
            self.push_example(example, text);
        }
        let left = site.urls - site.no_texts - site.examples.len() as u64;
        if left > 0 {
            let _ = writeln!(text, "  {} left out (--limit shows more)", number_of(left, "more URL"));
        }
        if site.no_texts > 0 {
            let urls = number_of(site.no_texts, "more URL");
            let _ =
                writeln!(text, "  {urls} left out: not UTF-8, and in a compared dialect %XX is another URL");
        }
    }

    /// Dialects with the same verdict by the same line share a row.
    fn push_example(&self, example: &Difference, text: &mut String) {
        let _ = writeln!(text, "  {}", visible(&example.url));
        let mut rows: Vec<Row> = Vec::new();
        for answer in &example.answers {
            let row = Row::of(answer);
            match rows.iter_mut().find(|other| (other.verdict, &other.line) == (row.verdict, &row.line)) {
                Some(other) => {
                    other.dialects.push_str(", ");
                    other.dialects.push_str(&row.dialects);
                }
                None => rows.push(row),
            }
        }
        let width = rows.iter().map(|row| row.dialects.len()).max().unwrap_or(0);
        for Row { dialects, verdict, line } in rows {
            let verdict = paint(self.styles.of_verdict(verdict), format_args!("{verdict:<8}"));
            let _ = writeln!(text, "    {verdict}  {dialects:<width$}  {line}");
        }
        let mut shown: Vec<&str> = Vec::new();
        for cause in &example.causes {
            if !shown.contains(&&*cause.text) {
                shown.push(&cause.text);
                let _ = writeln!(text, "    {}", paint(self.styles.faint, &cause.text));
            }
        }
    }
}

/// An answer that one or several dialects give.
struct Row {
    dialects: String,
    verdict: &'static str,
    line: String,
}

impl Row {
    fn of(answer: &DialectAnswer) -> Self {
        let line = match &answer.rule {
            Some(rule) => format!("line {}: {}", answer.line, visible(rule)),
            None => "no line".to_owned(),
        };
        Row { dialects: answer.dialect.to_string(), verdict: answer.verdict, line }
    }
}

fn push_pair(pair: &PairCount, text: &mut String) {
    let PairCount { dialects: [one, other], urls, kinds, other_lines } = pair;
    let lines = match other_lines {
        0 => String::new(),
        _ => format!("; by different lines they agree about {}", number_of(*other_lines, "URL")),
    };
    let _ = match urls {
        0 => writeln!(text, "{one} and {other} agree{lines}"),
        _ => writeln!(text, "{one} and {other} differ about {}{lines}", number_of(*urls, "URL")),
    };
    for kind in kinds {
        let [left, right] = kind.answers;
        let _ = writeln!(text, "  {:>10}  {one} {left}, {other} {right}", kind.urls);
    }
}

fn number_of(count: u64, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {what}s") }
}
