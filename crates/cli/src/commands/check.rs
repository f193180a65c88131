//! `robomata check`: checks URLs against one robots.txt.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use robomata_engine::{Config, Crawler, FetchStatus, Moment};
use robomata_formats::{Output, OutputError};
use robomata_jobs::check::{self, Checked};
use robomata_jobs::fetch::Fetch;
use robomata_jobs::filter::Tally;
use robomata_jobs::{JobError, RobotsFile, SiteQuestion, Urls};
use serde::Serialize;

use crate::args::{Questions, crawler, note_if_longer, usage_error};
use crate::console::{Console, FAILURE, counted, say};
use crate::fetch::FetchArguments;
use crate::output::is_stdin;
use crate::style::visible;

/// Check URLs against one robots.txt.
///
/// Prints one line per URL, in the order given: the verdict, a tab, and the URL. The verdict is 'allow', 'disallow',
/// 'defer' (the robots.txt is temporarily unavailable) or 'unknown' (--status is a redirect). A URL is absolute (with
/// any scheme and any valid host) or begins with '/' but not with '//', and contains no control characters; blanks
/// around it are removed. For anything else the verdict is 'invalid'. The JSON fields are url, verdict, line, rule,
/// group and dialect.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata check --agent GPTBot --robots robots.txt https://example.com/news
  $ curl -sLD headers -o robots.txt https://example.com/robots.txt &&
      robomata check --agent GPTBot --robots robots.txt --robots-headers headers /news",
    after_help = "\
Exit codes:
  0  all URLs are allowed
  1  some URL is disallowed, deferred or unknown
  2  a usage error, an unreadable file, an invalid URL or none, or another input or no bytes instead
     of a robots.txt
  4  standard output is closed before the end

Example:
  $ robomata check --agent Googlebot-Image,Googlebot --robots robots.txt \\
      https://example.com/private/a /b
  disallow\thttps://example.com/private/a
  allow\t/b"
)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    questions: Questions,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: CheckArguments) -> anyhow::Result<ExitCode> {
    let json = arguments.questions.json;
    let (input, urls) = arguments.questions.read("check")?;
    let mut output = Output::stdout();
    let mut first_invalid = None;
    let tally = check::run(input.question(), urls, |url, checked| {
        if checked.verdict == "invalid" {
            first_invalid.get_or_insert_with(|| visible(&checked.url));
        }
        if json {
            checked.require_text(url)?;
            write_json(&mut output, checked)
        } else {
            write_line(&mut output, url, checked)
        }
    })?;
    output.commit().map_err(JobError::from)?;
    if let Some(url) = first_invalid {
        let count = tally.invalid;
        say(&format!(
            "warning: {}, such as {url}: {EXPECTED_URL}",
            counted(count, "URL is invalid", "URLs are invalid")
        ));
    }
    Ok(exit_code(tally))
}

/// What a URL is to be.
pub(crate) const EXPECTED_URL: &str =
    "expected an absolute URL with a valid host, or a path that begins with a single '/'";

/// One robots.txt and a crawler, read from the arguments.
pub(crate) struct CheckInput {
    pub(crate) crawler: Crawler,
    pub(crate) config: Config,
    pub(crate) robots: RobotsFile,
    pub(crate) fetch: Option<Fetch>,
    now: Moment,
}

impl CheckInput {
    /// Reads `robots` and the URLs for sub-command `name`. `inputs` are all files that are read, except the URLs.
    pub(crate) fn read<'f>(
        name: &str,
        (agent, config): (&str, Config),
        robots: &Path,
        fetch: &FetchArguments,
        inputs: impl Iterator<Item = &'f PathBuf>,
        urls: Vec<OsString>,
    ) -> anyhow::Result<(Self, Urls)> {
        let crawler = crawler(name, agent, config.dialect())?;
        let urls = urls_or_stdin(name, inputs, urls)?;
        let robots = RobotsFile::read_robots(robots)?;
        let now = fetch.now();
        let fetch = fetch.read(name, &robots, &config)?;
        // What came with another status is not read.
        if fetch.as_ref().is_none_or(|fetch| matches!(fetch.status, FetchStatus::Code(200..=299))) {
            robots.report_kind(&config, &mut Console::quiet());
        }
        note_if_longer(&robots, &config);
        Ok((CheckInput { crawler, config, robots, fetch, now }, urls))
    }

    pub(crate) fn question(&self) -> SiteQuestion<'_> {
        SiteQuestion {
            robots: &self.robots,
            fetch: self.fetch.as_ref(),
            crawler: &self.crawler,
            config: self.config,
            now: Some(self.now),
        }
    }
}

impl Questions {
    /// Reads the robots.txt and the URLs.
    pub(crate) fn read(self, name: &str) -> anyhow::Result<(CheckInput, Urls)> {
        let Questions { site, fetch, urls, json: _ } = self;
        let inputs = fetch.inputs().chain([&site.robots]);
        CheckInput::read(name, (&site.agent, site.config()), &site.robots, &fetch, inputs, urls)
    }
}

/// Returns the URLs of the command line, else those on standard input. Standard input can be one of `files` or the
/// URLs, but not both.
fn urls_or_stdin<'f>(
    name: &str,
    files: impl Iterator<Item = &'f PathBuf>,
    urls: Vec<OsString>,
) -> anyhow::Result<Urls> {
    match files.filter(|path| is_stdin(path)).count() {
        0 | 1 if !urls.is_empty() => {
            Ok(Urls::Given(urls.into_iter().map(OsString::into_encoded_bytes).collect()))
        }
        0 => Ok(Urls::Lines(PathBuf::from("-"))),
        1 => {
            let message = "standard input cannot be both the robots.txt (--robots -) and the URLs (give the URLs as arguments)";
            Err(usage_error(name, message))
        }
        _ => Err(usage_error(name, "standard input can be one file only: use '-' only once")),
    }
}

/// Returns the exit code for the verdicts.
pub(crate) fn exit_code(tally: Tally) -> ExitCode {
    ExitCode::from(match tally {
        Tally { invalid: 1.., .. } => FAILURE,
        Tally { disallow: 1.., .. } | Tally { defer: 1.., .. } | Tally { unknown: 1.., .. } => 1,
        _ => 0,
    })
}

/// Writes `value` as a line of JSON.
pub(crate) fn write_json(output: &mut Output, value: &impl Serialize) -> Result<(), JobError> {
    let mut line = serde_json::to_vec(value).expect("texts and numbers are JSON");
    line.push(b'\n');
    output.write_all(&line).map_err(|error| OutputError::from(error).into())
}

fn write_line(output: &mut Output, url: &[u8], checked: &Checked<'_>) -> Result<(), JobError> {
    // Only an invalid URL can contain control characters, for example the end of a line.
    let shown = (checked.verdict == "invalid").then(|| visible(&checked.url));
    let url = shown.as_ref().map_or(url, |shown| shown.as_bytes());
    [checked.verdict.as_bytes(), b"\t", url, b"\n"]
        .into_iter()
        .try_for_each(|part| output.write_all(part))
        .map_err(|error| OutputError::from(error).into())
}
