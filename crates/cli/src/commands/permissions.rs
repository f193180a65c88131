//! `robomata permissions`: reports the usages of URLs that the site and the page permit.

mod view;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;
use robomata_engine::{Circumstances, Dialect, PageFacts, Part};
use robomata_formats::{Output, OutputError, Timestamp};
use robomata_jobs::permissions::{self, PermissionsJob, read_page};
use robomata_jobs::{JobError, RobotsFile};

use crate::args::{ParsingLimit, dialect_parser, usage_error};
use crate::commands::check::{CheckInput, write_json};
use crate::console::FAILURE;
use crate::fetch::{FetchArguments, moment};
use crate::style::Styles;
use view::View;

const NAME: &str = "permissions";

/// Show which usages of URLs are permitted: crawling, indexing, presenting, preserving, AI training and others.
///
/// Sites state permissions in several vocabularies: ACAP, Allow and Disallow, Noindex, DisallowAITraining,
/// Content-Signal, Content-Usage, licences and TimeGates in robots.txt; TDMRep in tdmrep.json; robots META tags, TDMRep,
/// ACAP META tags and classes, and links to licences in pages; X-Robots-Tag, Robots-Tag, Content-Signal, Content-Usage,
/// TDMRep and links to licences in headers. This command reads all of them and reports one answer for each usage: permitted
/// (with restrictions), prohibited, deferred, or not mentioned. Each answer names the line that decided and the lines
/// that it overruled. If an answer depends on a missing fact (the time, a referenced file), the fact is named, and an
/// option supplies it.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata permissions --agent GPTBot --robots robots.txt https://example.com/news
  $ robomata permissions --agent GPTBot --robots robots.txt --page page.html --headers headers /news",
    after_help = "\
Exit codes:
  0  done, whether usages are permitted or not
  2  a usage error, an unreadable file, or an invalid URL or none

Examples:
  $ robomata permissions --agent ExampleBot --robots robots.txt https://example.com/news/1
  https://example.com/news/1
    crawl  permitted   robots.txt:2: Allow: /
    index  permitted   robots.txt:7: ACAP-allow-index: /news/ time-limit=3-days
             with      time-limit=3-days
             lacks     first-use
             over      robots.txt:6 by narrowest-scope: ACAP-disallow-index: /
    nothing is said about: follow, preserve, present, search, ai-input, ai-train, tdm, ...

A page with its headers, as curl saves them:
  $ curl -sfL -D headers -o page.html https://example.com/news/1
  $ robomata permissions --agent ExampleBot --robots robots.txt --page page.html --headers headers \\
      --now 2026-11-22 --json https://example.com/news/1 | jq '.usages[] | select(.usage == \"ai-train\")'"
)]
pub(crate) struct PermissionsArguments {
    /// The crawler's product token, followed by the tokens it falls back to, separated by commas
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    agent: String,
    /// The robots.txt, plain or compressed (gzip, zstd); - is standard input
    #[arg(long, value_name = "FILE|-")]
    robots: PathBuf,
    /// The dialect for parsing and matching the robots.txt; only acap reads ACAP fields, and it reads everything else
    /// like rfc9309
    #[arg(long, value_parser = dialect_parser(), default_value = Dialect::Acap.as_str())]
    dialect: Dialect,
    #[command(flatten)]
    parsing_limit: ParsingLimit,
    /// A file that the robots.txt refers to (ACAP-permissions-reference), with the locator written there
    #[arg(long = "reference", value_name = "LOCATOR=FILE")]
    references: Vec<Reference>,
    /// The site's /.well-known/tdmrep.json
    #[arg(long, value_name = "FILE|-")]
    tdmrep: Option<PathBuf>,
    /// The HTML page at the URLs
    #[arg(long, value_name = "FILE|-")]
    page: Option<PathBuf>,
    /// The headers of the page's response, one per line, as curl -D writes them. The status of their status line must be that of
    /// a page, 200 to 299 but not 206; an empty page needs one
    #[arg(long, value_name = "FILE|-")]
    headers: Option<PathBuf>,
    /// The purpose of the usage: a name agreed between crawler and site (ACAP)
    #[arg(long, value_name = "NAME")]
    purpose: Option<String>,
    /// The part of the page: all of it, the rest that no element with an ACAP class covers, or an element by its
    /// number, from 1 on
    #[arg(long, value_name = "page|rest|N", default_value = "page", value_parser = part)]
    part: Part,
    /// When the resource was first used in this way
    #[arg(long, value_name = "TIME")]
    first_use: Option<Timestamp>,
    /// When the resource was last crawled
    #[arg(long, value_name = "TIME")]
    last_crawl: Option<Timestamp>,
    /// Print one JSON object per URL instead of text; the first one also has what the site says about every URL. Long lines of
    /// texts are cut after 500 characters, and lists of missing facts, overruled statements, requests, time gates, licences, labels,
    /// elements and oddities after 100 entries
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fetch: FetchArguments,
    /// The URLs; if none are given, they are read from standard input, one per line
    #[arg(value_name = "URL")]
    urls: Vec<OsString>,
}

/// A file that the robots.txt refers to.
#[derive(Clone, Debug)]
struct Reference {
    locator: String,
    file: PathBuf,
}

impl FromStr for Reference {
    type Err = &'static str;

    /// The file's name follows the last `=`: a locator may contain `=` in its query.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.rsplit_once('=') {
            Some((locator, file)) if !locator.is_empty() && !file.is_empty() => {
                Ok(Reference { locator: locator.to_owned(), file: PathBuf::from(file) })
            }
            _ => Err("expected LOCATOR=FILE"),
        }
    }
}

/// Runs the sub-command.
pub(crate) fn run(mut arguments: PermissionsArguments) -> anyhow::Result<ExitCode> {
    let urls = std::mem::take(&mut arguments.urls);
    let config = arguments.parsing_limit.config(arguments.dialect);
    let (input, urls) = CheckInput::read(
        NAME,
        (&arguments.agent, config),
        &arguments.robots,
        &arguments.fetch,
        arguments.inputs(),
        urls,
    )?;
    let CheckInput { crawler, robots, fetch, .. } = input;
    let referenced = arguments.referenced()?;
    let tdmrep = arguments.tdmrep.as_deref().map(read_tdmrep).transpose()?;
    let page = read_page(arguments.page.as_deref(), arguments.headers.as_deref())?;
    require_part(arguments.part, &page)?;
    let job = PermissionsJob {
        fetch: fetch.as_ref(),
        referenced: &referenced,
        tdmrep: tdmrep.as_ref(),
        page,
        config,
        circumstances: arguments.circumstances(),
        ..PermissionsJob::new(&robots, crawler)
    };
    let mut output = Output::stdout();
    let file = fetch.as_ref().map_or(&robots, |fetch| fetch.file_in_force(&robots, arguments.dialect));
    let view = View { styles: Styles::for_stdout(), file: file.name() };
    let report = permissions::run(&job, urls, |permissions| {
        if arguments.json {
            write_json(&mut output, permissions)
        } else {
            write(&mut output, &view.url(permissions))
        }
    })?;
    if !arguments.json {
        write(&mut output, &view.site(&report.site))?;
    }
    output.commit().map_err(JobError::from)?;
    Ok(ExitCode::from(if report.invalid > 0 { FAILURE } else { 0 }))
}

fn read_tdmrep(path: &Path) -> Result<RobotsFile, JobError> {
    RobotsFile::read_statements(path, "tdmrep.json", "if the site has none, omit --tdmrep")
}

impl PermissionsArguments {
    /// Returns all files that are read, except the URLs.
    fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [Some(&self.robots), self.tdmrep.as_ref(), self.page.as_ref(), self.headers.as_ref()];
        let referenced = self.references.iter().map(|reference| &reference.file);
        files.into_iter().flatten().chain(referenced).chain(self.fetch.inputs())
    }

    fn referenced(&self) -> Result<Vec<(String, RobotsFile)>, JobError> {
        let read = |reference: &Reference| {
            let advice = "if it is empty, add a comment to it, such as # No rules";
            let file = RobotsFile::read_statements(&reference.file, "file", advice)?;
            Ok((reference.locator.clone(), file))
        };
        self.references.iter().map(read).collect()
    }

    fn circumstances(&self) -> Circumstances {
        Circumstances {
            purpose: self.purpose.clone(),
            part: self.part,
            now: Some(self.fetch.now()),
            first_use: self.first_use.map(moment),
            last_crawl: self.last_crawl.map(moment),
        }
    }
}

fn part(text: &str) -> Result<Part, &'static str> {
    match text {
        "page" => Ok(Part::Page),
        "rest" => Ok(Part::Rest),
        number => {
            let number = number.parse().ok().and_then(|number: u32| number.checked_sub(1));
            number.map(Part::Element).ok_or("expected page, rest, or the number of an element, from 1 on")
        }
    }
}

/// Checks that the page has the part.
fn require_part(part: Part, page: &PageFacts) -> anyhow::Result<()> {
    match part {
        Part::Element(number) if number as usize >= page.elements.len() => {
            let message = format!(
                "there is no element {}: the page has {} with a class of ACAP, numbered from 1",
                number + 1,
                page.elements.len()
            );
            Err(usage_error(NAME, &message))
        }
        _ => Ok(()),
    }
}

fn write(output: &mut Output, text: &str) -> Result<(), JobError> {
    output.write_all(text.as_bytes()).map_err(|error| OutputError::from(error).into())
}
