//! Scores the requests in logs by the robots.txt that was in force at their time.
//!
//! ```text
//!  logs ─► blocks ─► many threads: lines ─► requests ─► their crawlers (agents) ─► their verdicts (judge)
//!                        └► in order: counts by crawler, site, day and rule (account) ─► report
//! ```
//!
//! [`agents::Agents`] finds the crawler of a User-Agent, and [`Judge`] judges a request. Requests come from
//! [`robomata_formats::log`]. Memory is bounded by the number of crawlers and sites that are counted separately, not by
//! the size of the logs.

mod account;
pub mod agents;
mod effective;
mod judge;
pub mod report;
mod requests;
mod rows;
mod rules;
pub mod table;
pub mod top;

use std::path::PathBuf;
use std::sync::Arc;

use robomata_engine::lifecycle::Terms;
use robomata_engine::{Crawler, Stores};
use robomata_formats::log::LogFormat;
use robomata_formats::{FileName, Frontier, InputError, Meter, Timestamp};

use self::account::{Account, Limits, text_of};
use self::agents::Agents;
pub use self::effective::{Evidence, TimeTravel};
pub use self::judge::{Decider, Judge, Judgement, VersionId};
use self::report::{LogFile, ScoreReport, Visitors};
use self::requests::{Formats, Found, Reader};
pub use self::rows::RequestsOutput;
use crate::bodies::Bodies;
use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::ordered::{Outcome, for_each_block, thread_count};
use crate::problem::{IncompleteInput, InputProblem, ProblemKind, ProblemLog, Strictness};
use crate::readable;

/// A scoring job: its logs, its policies and its options.
pub struct ScoreJob<'s> {
    /// The policies, preferably for every crawler and with all captures.
    pub stores: Stores<'s>,
    /// The texts of the policies; none for a bundle.
    pub bodies: Option<&'s Bodies>,
    /// The known crawlers.
    pub agents: Agents,
    /// The logs; `-` is standard input.
    pub logs: Vec<PathBuf>,
    /// The format of all logs; by default detected from the name and the first lines of each.
    pub format: Option<LogFormat>,
    /// The host of the requests, for logs without hosts.
    pub host: HostOfLog,
    /// The crawler that made the requests, for logs that do not record User-Agents.
    pub crawler: Option<Arc<Crawler>>,
    /// The captures that requests are judged by.
    pub travel: TimeTravel,
    /// The number of sites to list for each crawler.
    pub sites: usize,
    /// How to treat bad input.
    pub strictness: Strictness,
    /// How to treat a log that ends early.
    pub incomplete: IncompleteInput,
}

/// The host of requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostOfLog {
    /// The host, optionally with a port.
    pub host: Option<String>,
    /// The scheme, such as `http`; by default https, unless only the http site is known.
    pub scheme: Option<String>,
}

impl<'s> ScoreJob<'s> {
    /// A lenient job that judges by the captures of the requests' time and uses all cores.
    pub fn new(stores: impl Into<Stores<'s>>, agents: Agents, logs: Vec<PathBuf>) -> Self {
        ScoreJob {
            stores: stores.into(),
            bodies: None,
            agents,
            logs,
            format: None,
            host: HostOfLog::default(),
            crawler: None,
            travel: TimeTravel::InForce,
            sites: 100,
            strictness: Strictness::default(),
            incomplete: IncompleteInput::default(),
        }
    }
}

/// Judges the requests of all logs.
///
/// # Errors
/// When a log cannot be opened, and when none of the lines of all logs is in the format of its log. In a strict job, also
/// for the first bad input.
pub fn run(job: &ScoreJob<'_>, events: &mut dyn Events) -> Result<ScoreReport, JobError> {
    run_telling(job, None, events)
}

/// Like [`run`], but also writes every request of a crawler to `requests`, in the order of the logs. The caller commits
/// `requests`.
///
/// # Errors
/// Those of [`run`], and when the rows cannot be written.
pub fn run_telling(
    job: &ScoreJob<'_>,
    requests: Option<&mut RequestsOutput>,
    events: &mut dyn Events,
) -> Result<ScoreReport, JobError> {
    readable::require_files(&job.logs)?;
    let formats = Formats::new(job.format, job.logs.len());
    let options = requests.as_deref().map(RequestsOutput::options);
    let readers = (0..thread_count()).map(|_| Reader::new(job, &formats, options)).collect();
    let bytes = Meter::of(&job.logs);
    let frontier = Frontier::of_logs(&job.logs, job.format).with_meter(bytes.clone());
    let mut scoring = Scoring {
        log: ProblemLog::new(events, job.strictness).with_incomplete(job.incomplete),
        bytes,
        requests,
        account: Account::new(Limits::DEFAULT),
        report: ScoreReport {
            dialect: job.stores.any().dialect(),
            excused_days: effective::lifetime(Terms::from(job.stores.any().dialect())) / effective::DAY,
            ..ScoreReport::default()
        },
        span: None,
    };
    for_each_block(frontier, readers, Reader::read, |item| match item {
        Outcome::Error(error) => scoring.take_error(error),
        Outcome::Found(found, _) => scoring.take(found),
    })?;
    let mut report = scoring.close(job)?;
    report.formats = log_files(job, &formats);
    Ok(report)
}

fn log_files(job: &ScoreJob<'_>, formats: &Formats) -> Vec<LogFile> {
    let of = |(index, path): (usize, &PathBuf)| {
        let (format, detected) = formats.found(index)?;
        Some(LogFile { file: FileName::new(path).to_string(), format: format.as_str(), detected })
    };
    job.logs.iter().enumerate().filter_map(of).collect()
}

/// Collects the report.
struct Scoring<'e> {
    log: ProblemLog<'e>,
    bytes: Meter,
    requests: Option<&'e mut RequestsOutput>,
    account: Account,
    report: ScoreReport,
    span: Option<(Timestamp, Timestamp)>,
}

impl Scoring<'_> {
    fn take(&mut self, found: &mut Found) -> Result<(), JobError> {
        if let Some(failure) = found.failure.take() {
            return Err(failure);
        }
        for problem in found.problems.drain(..) {
            self.log.report(problem)?;
        }
        self.log.count(ProblemKind::LogLine, found.more_problems);
        if let (Some(first), Some(last)) = (found.first, found.last) {
            let (start, end) = self.span.unwrap_or((first, last));
            self.span = Some((start.min(first), end.max(last)));
        }
        let Visitors { crawlers, browsers, programs, without_user_agent } = &mut self.report.visitors;
        *crawlers += found.requests.len() as u64;
        *browsers += found.browsers;
        *without_user_agent += found.without_user_agent;
        self.report.of_given_crawler += found.of_given_crawler;
        self.report.lines += found.lines;
        self.report.asides += found.asides;
        self.report.blanks += found.blanks;
        if let (Some(requests), Some(rows)) = (&mut self.requests, found.rows.take()) {
            requests.write(&rows?)?;
        }
        *programs += self.account.take(found);
        let done = Done::Requests(self.report.lines);
        self.log.events.progress(Progress { done, bytes: &self.bytes });
        Ok(())
    }

    fn take_error(&mut self, error: InputError) -> Result<(), JobError> {
        if error.is_unopened() || (error.ends_file() && !error.is_incomplete()) {
            return Err(JobError::Input(error));
        }
        self.log.report(InputProblem::of_error(&error, ProblemKind::LogLine))?;
        self.report.lines += u64::from(!error.ends_file());
        Ok(())
    }

    fn close(self, job: &ScoreJob<'_>) -> Result<ScoreReport, JobError> {
        let Scoring { log, bytes: _, requests: _, account, mut report, span } = self;
        let hits = account.close(job.sites, &mut report);
        (report.robots_txt, report.more_robots_txt) = hits.close(job.bodies, report.dialect);
        report.errors = log.close();
        if report.lines == 0 && report.errors.incomplete_inputs == 0 {
            return Err(JobError::EmptyLogs);
        }
        if span.is_none() && report.asides == 0 && report.errors.malformed_log_lines > 0 {
            let format = job.format.map(LogFormat::as_str);
            return Err(JobError::NoRequest { lines: report.lines, format });
        }
        let Visitors { crawlers, browsers, programs, without_user_agent } = report.visitors;
        report.requests = crawlers + browsers + programs + without_user_agent;
        report.span = span.map(|(first, last)| (text_of(first), text_of(last)));
        Ok(report)
    }
}
