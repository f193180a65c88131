//! Turns blocks of a log into judged requests; one reader for each thread.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use robomata_engine::{Crawler, Moment, Target, UrlParts, requestable};
use robomata_formats::log::{
    Aside, LogEntry, LogFormat, LogLine, LogReader, LogRows, Malformed, Precision, SAMPLE, detect,
};
use robomata_formats::urls::as_text;
use robomata_formats::{FileName, FrontierBlock, FrontierContent, FrontierFormat, OutputError, Timestamp};

use super::agents::{Agents, Visitor, program_name};
use super::effective::EffectivePolicy;
use super::judge::{Decider, Judge, Judgement, VersionId, is_robots_txt};
use super::rows::{RequestRows, RowOptions};
use super::{HostOfLog, ScoreJob};
use crate::error::JobError;
use crate::problem::{InputProblem, NAMED, ProblemKind};
use crate::row_file::RowBlock;
use crate::urls::{is_text_enough, site_of};

/// A request of a crawler.
pub(super) struct Request {
    /// Its product token and those that it falls back to, in lower case: they have no case (RFC 9309, section 2.2.1).
    pub(super) crawler: Arc<str>,
    /// The same as its User-Agent spells them.
    pub(super) spelling: Arc<str>,
    /// None if the URL is not absolute, or if its site is too long.
    pub(super) site: Option<Arc<str>>,
    pub(super) time: Timestamp,
    pub(super) precision: Precision,
    /// The HTTP status, or a crawler's own code.
    pub(super) status: Option<i32>,
    /// The path without its query; very long paths are cut.
    pub(super) path: Box<str>,
    /// None when its method does not count.
    pub(super) judgement: Option<Judgement>,
    /// The rule that decided. For requests that are not violations, only if there is no text to look it up in.
    pub(super) rule: Option<Arc<str>>,
    /// The URL of a violation; none if no text can stand for it, as another URL might be allowed.
    pub(super) url: Option<Box<str>>,
    pub(super) delay: Delay,
    pub(super) refused: bool,
    /// The index of the log.
    pub(super) file: usize,
    /// Is the log in time order, so that the previous request is known?
    pub(super) is_in_order: bool,
}

impl Request {
    /// The line that decided; none if nothing was requested.
    pub(super) fn decider(&self) -> Option<Decider> {
        if self.refused { None } else { self.judgement?.decider() }
    }

    /// The verdict as a word.
    pub(super) fn verdict(&self) -> &'static str {
        match self.judgement {
            _ if self.refused => "refused",
            None => "other-method",
            Some(judgement) => judgement.as_str(),
        }
    }
}

/// The delay that a site requests of a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delay {
    NotKnown,
    None,
    Asked(Duration),
}

/// The result for a block.
#[derive(Default)]
pub(super) struct Found {
    pub(super) lines: u64,
    pub(super) asides: u64,
    /// Blank lines, comments and repeated headers.
    pub(super) blanks: u64,
    pub(super) browsers: u64,
    /// The requests of other programs by name, and the first User-Agent of each.
    pub(super) programs: BTreeMap<Box<str>, (u64, Box<str>)>,
    pub(super) without_user_agent: u64,
    /// The requests of the job's crawler, which the log does not name.
    pub(super) of_given_crawler: u64,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    pub(super) requests: Vec<Request>,
    pub(super) problems: Vec<InputProblem>,
    pub(super) more_problems: u64,
    /// The requests as rows, if they are written.
    pub(super) rows: Option<Result<RowBlock, OutputError>>,
    /// Why the log cannot be read: it has no known format, or a column twice.
    pub(super) failure: Option<JobError>,
}

/// The formats of the logs. The thread with the first block of a file detects its format.
#[derive(Debug)]
pub(super) struct Formats {
    given: Option<LogFormat>,
    /// The formats by file; none if the first lines are in no known format.
    heads: Vec<OnceLock<Option<Head>>>,
}

/// The facts from the first lines of a log.
#[derive(Debug)]
struct Head {
    reader: LogReader,
    /// The number of lines in the format, and of lines that were tested; none if the format was given or has no lines.
    detected: Option<(usize, usize)>,
}

impl Formats {
    pub(super) fn new(given: Option<LogFormat>, files: usize) -> Self {
        Formats { given, heads: (0..files).map(|_| OnceLock::new()).collect() }
    }

    /// The reader of the log of `block`; none if its first lines are in no known format.
    fn of(&self, block: &FrontierBlock) -> Option<&LogReader> {
        let head = self.heads.get(block.end.file)?;
        // Blocks are taken in order, so some thread has the first block of the file, or has processed it.
        let head = if block.is_first { head.get_or_init(|| self.head(block)) } else { head.wait() };
        head.as_ref().map(|head| &head.reader)
    }

    fn head(&self, first: &FrontierBlock) -> Option<Head> {
        let lines = first.urls().map(|line| line.line).take(10 * SAMPLE);
        let of_file = match first.format {
            FrontierFormat::Parquet => Some(LogFormat::Parquet),
            FrontierFormat::Warc => Some(LogFormat::Warc),
            _ => self.given,
        };
        match of_file {
            Some(format) => Some(Head { reader: LogReader::new(format, lines), detected: None }),
            None => {
                let detection = detect(lines)?;
                let detected = Some((detection.read, detection.tried));
                Some(Head { reader: detection.reader, detected })
            }
        }
    }

    /// The format of a file and its evidence, for files that were read.
    pub(super) fn found(&self, file: usize) -> Option<(LogFormat, Option<(usize, usize)>)> {
        let head = self.heads.get(file)?.get()?.as_ref()?;
        Some((head.reader.format(), head.detected))
    }
}

/// The log of a block's requests.
#[derive(Clone, Copy)]
struct Source {
    format: LogFormat,
    /// Its index.
    file: usize,
    is_in_order: bool,
}

/// Reads and judges the requests of blocks.
pub(super) struct Reader<'j> {
    job: &'j ScoreJob<'j>,
    formats: &'j Formats,
    agents: Agents,
    judge: Judge<'j>,
    /// The names of crawlers and sites, each stored once.
    names: HashMap<Box<str>, Arc<str>>,
    /// Delays by crawler, site, and version of the text.
    delays: HashMap<(Arc<str>, Arc<str>, usize), Option<Duration>>,
    /// The options for writing single requests.
    options: Option<RowOptions>,
    rows: Option<RequestRows>,
}

/// The most names and delays that are remembered; after that, all are forgotten. The names of crawlers and sites are
/// short.
const REMEMBERED: usize = 1 << 16;

/// The most bytes of a URL, path or User-Agent that are kept as an example.
const EXAMPLE: usize = 500;

impl<'j> Reader<'j> {
    pub(super) fn new(job: &'j ScoreJob<'j>, formats: &'j Formats, options: Option<RowOptions>) -> Self {
        Reader {
            job,
            formats,
            agents: job.agents.clone(),
            judge: Judge::new(job.stores, job.travel),
            names: HashMap::new(),
            delays: HashMap::new(),
            options,
            rows: None,
        }
    }

    pub(super) fn read(&mut self, block: &FrontierBlock, found: &mut Found) {
        *found = Found::default();
        self.rows = self.options.map(|options| RequestRows::new(&block.file, options));
        self.read_all(block, found);
        found.rows = self.rows.take().map(RequestRows::into_block);
    }

    fn read_all(&mut self, block: &FrontierBlock, found: &mut Found) {
        let Some(reader) = self.formats.of(block) else {
            let is_text = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
            let line = block.urls().map(|line| line.line).find(is_text).map(shown);
            found.failure = line.map(|line| JobError::UnknownLogFormat { file: block.file.clone(), line });
            found.lines += block.len();
            return;
        };
        if let Err(error) = reader.check_header(&block.file) {
            found.failure = Some(JobError::Input(error));
            return;
        }
        let mut source =
            Source { format: reader.format(), file: block.end.file, is_in_order: reader.is_in_order() };
        match &block.content {
            FrontierContent::Lines(lines) => {
                for (number, line) in lines.block.numbered_lines() {
                    self.take(reader.read(line), number, source, &block.file, found);
                }
            }
            FrontierContent::Rows(rows) => {
                let entries = LogRows::new(rows);
                source.is_in_order &= entries.is_in_order();
                for (number, index) in (rows.rows_before() + 1..).zip(0..rows.len()) {
                    self.take(entries.read(index), number, source, &block.file, found);
                }
            }
        }
    }

    /// Adds the entry on the line (or row) with that number.
    fn take(
        &mut self,
        line: Result<LogLine<'_>, Malformed>,
        number: u64,
        source: Source,
        file: &FileName,
        found: &mut Found,
    ) {
        found.lines += 1;
        match line {
            Err(error) => found.malformed(file, number, &error.to_string()),
            Ok(LogLine::Aside(Aside::Blank)) => found.blanks += 1,
            Ok(LogLine::Aside(_)) => found.asides += 1,
            Ok(LogLine::Entry(entry)) => self.add(&entry, source, number, found),
        }
    }

    fn add(&mut self, entry: &LogEntry<'_>, source: Source, number: u64, found: &mut Found) {
        found.first = Some(found.first.map_or(entry.time, |first| first.min(entry.time)));
        found.last = Some(found.last.map_or(entry.time, |last| last.max(entry.time)));
        let visitor = match (&self.job.crawler, entry.agent.as_deref()) {
            (Some(crawler), None) if !entry.has_agent => {
                found.of_given_crawler += 1;
                Visitor::Crawler(Arc::clone(crawler))
            }
            (None, None) if source.format.is_of_crawler() => {
                Visitor::Crawler(Arc::new(Crawler::new(source.format.as_str())))
            }
            (_, agent) => self.agents.visitor(agent),
        };
        match visitor {
            Visitor::Crawler(crawler) => {
                let (mut request, url) = self.request(entry, &crawler);
                (request.file, request.is_in_order) = (source.file, source.is_in_order);
                if let Some(rows) = &mut self.rows {
                    let url = Some(&*url).filter(|url| is_text_enough(url, self.judge.dialect()));
                    rows.push(number, entry, &request, url);
                }
                found.requests.push(request);
            }
            Visitor::Browser => found.browsers += 1,
            Visitor::Program => {
                let agent = entry.agent.as_deref().unwrap_or_default();
                let example = || (0, text_of(agent));
                found.programs.entry(program_name(agent).into()).or_insert_with(example).0 += 1;
            }
            Visitor::WithoutUserAgent => found.without_user_agent += 1,
        }
    }

    /// The request and its URL.
    fn request(&mut self, entry: &LogEntry<'_>, crawler: &Crawler) -> (Request, Vec<u8>) {
        let now = Moment::from_seconds(entry.time.seconds());
        let counts = matches!(&*entry.method, b"GET" | b"HEAD" | b"POST");
        let (url, judgement) = self.judge(entry, crawler, now);
        let spelling = crawler.to_string();
        let name = self.name(&spelling.to_ascii_lowercase());
        let site = site_of(&url).map(|site| self.name(&site.to_string()));
        let mut request = Request {
            crawler: name,
            spelling: self.name(&spelling),
            site,
            time: entry.time,
            precision: entry.precision,
            status: entry.status,
            path: text_of(path_of(&url)),
            judgement: counts.then_some(judgement),
            rule: None,
            url: None,
            delay: Delay::NotKnown,
            refused: entry.refused,
            file: 0,
            is_in_order: true,
        };
        let is_violation = matches!(request.judgement, Some(Judgement::Disallowed { .. }));
        if let Some(Decider { version: Some(VersionId { number, .. }), line: line @ 1.. }) = request.decider()
            && request.site.is_some()
            && (is_violation || self.job.bodies.is_none())
        {
            request.rule = self.judge.rule(crawler, &url, number, line);
        }
        request.url = (is_violation && is_text_enough(&url, self.judge.dialect())).then(|| text_of(&url));
        request.delay = self.delay(&request, crawler, &url, now);
        (request, url)
    }

    /// The requested URL and its verdict. If neither the log nor the job has the scheme, it is https, unless only the
    /// http site is known. A client chooses the target, and perhaps host and scheme, so none of them may change what the
    /// others mean.
    fn judge(&mut self, entry: &LogEntry<'_>, crawler: &Crawler, now: Moment) -> (Vec<u8>, Judgement) {
        let invalid = || (entry.target.to_vec(), Judgement::Invalid);
        // As in `filter`: what a client requests instead is not known.
        let Some(target) = requestable(&entry.target) else { return invalid() };
        if target.windows(3).any(|three| three == b"://") && !target.starts_with(b"/") {
            let judgement = self.judge.judge(crawler, target, now);
            return (target.to_vec(), judgement);
        }
        // RFC 9112, section 3.2: every other target of a page begins with a slash.
        if !target.starts_with(b"/") {
            return invalid();
        }
        let HostOfLog { host, scheme } = &self.job.host;
        let host = entry.host.as_deref().or(host.as_deref().map(str::as_bytes)).unwrap_or_default();
        if host.is_empty() {
            let judgement = if is_robots_txt(target, self.judge.dialect()) {
                Judgement::RobotsTxt
            } else {
                Judgement::NoHost
            };
            return (target.to_vec(), judgement);
        }
        let scheme = entry.scheme.as_deref().or(scheme.as_deref().map(str::as_bytes));
        let parts =
            UrlParts { scheme: scheme.unwrap_or_default(), host, path: target, ..UrlParts::default() };
        if !parts.fit() {
            return invalid();
        }
        let url = |scheme: &[u8]| [scheme, b"://", host, target].concat();
        if let Some(scheme) = scheme {
            let url = url(scheme);
            let judgement = self.judge.judge(crawler, &url, now);
            return (url, judgement);
        }
        let (secure, plain) = (url(b"https"), url(b"http"));
        let is_plain = !self.judge.knows(&secure) && self.judge.knows(&plain);
        let url = if is_plain { plain } else { secure };
        let judgement = self.judge.judge(crawler, &url, now);
        (url, judgement)
    }

    /// The shortest delay that the site requested of the crawler at that time, or during the lifetime of a copy before.
    fn delay(&mut self, request: &Request, crawler: &Crawler, url: &[u8], now: Moment) -> Delay {
        let version = request.decider().and_then(|decider| decider.version);
        let (Some(VersionId { number, .. }), Some(site)) = (version, &request.site) else {
            return Delay::NotKnown;
        };
        let mut delay_of = |judge: &mut Judge<'_>, number| {
            if self.delays.len() >= REMEMBERED {
                self.delays.clear();
            }
            let key = (Arc::clone(&request.crawler), Arc::clone(site), number);
            *self.delays.entry(key).or_insert_with(|| judge.crawl_delay(crawler, url, number))
        };
        let Some(mut asked) = delay_of(&mut self.judge, number) else { return Delay::None };
        for earlier in self.judge.in_grace(crawler, url, now) {
            let earlier = match earlier {
                EffectivePolicy::Version(number) => delay_of(&mut self.judge, number),
                EffectivePolicy::Unrestricted => None,
                EffectivePolicy::Restricted | EffectivePolicy::Deferred => continue,
                EffectivePolicy::SiteUnknown | EffectivePolicy::BeforeFirst | EffectivePolicy::Unknown => {
                    return Delay::NotKnown;
                }
            };
            let Some(earlier) = earlier else { return Delay::None };
            asked = asked.min(earlier);
        }
        Delay::Asked(asked)
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(name) = self.names.get(text) {
            return Arc::clone(name);
        }
        if self.names.len() >= REMEMBERED {
            self.names.clear();
        }
        let name: Arc<str> = Arc::from(text);
        self.names.insert(text.into(), Arc::clone(&name));
        name
    }
}

/// The path of a URL, or of a target without a host, without query and fragment; another text as a whole.
fn path_of(url: &[u8]) -> &[u8] {
    let path = Target::new(url).map_or(url, |target| target.path());
    if path.is_empty() { b"/" } else { path }
}

/// The beginning of a text from a log.
fn text_of(bytes: &[u8]) -> Box<str> {
    as_text(&bytes[..bytes.len().min(EXAMPLE)]).into()
}

/// The beginning of a line, for a message.
fn shown(line: &[u8]) -> String {
    /// The most characters that are shown.
    const LENGTH: usize = 60;
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * LENGTH)]);
    let cut = if line.len() > LENGTH { "…" } else { "" };
    let start: String = text.trim_end().chars().take(LENGTH).collect();
    format!("\"{}{cut}\"", start.escape_debug())
}

impl Found {
    fn malformed(&mut self, file: &FileName, line: u64, expected: &str) {
        if (self.problems.len() as u64) < NAMED {
            self.problems.push(InputProblem::at_line(ProblemKind::LogLine, file, Some(line), expected));
        } else {
            self.more_problems += 1;
        }
    }
}
