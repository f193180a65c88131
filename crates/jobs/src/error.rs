//! Errors that end a job without a result.

use std::io;
use std::path::{Path, PathBuf};

use robomata_engine::policy::BadHeaderLine;
use robomata_engine::{MergeError, OpenError, PolicySetError, UnsupportedQueryError};
use robomata_formats::log::LogFormat;
use robomata_formats::{BUNDLE, FileName, InputError, OutputError};
use robomata_lint::ExpectationError;

use crate::filter::ResumeError;
use crate::problem::{InputProblem, ProblemKind};

/// A job failed. It leaves no half-written output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A file could not be read at all.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A file could not be read completely, and the job needs all of it.
    #[error("{file}: cannot be read: {error}")]
    Read {
        /// The file.
        file: FileName,
        /// Why.
        error: io::Error,
    },
    /// A strict job met bad input, or any job an input that is another than was asked for.
    #[error("{0}")]
    Strict(InputProblem),
    /// An input ended early or could not be read completely, and the job needs all of it.
    #[error("{0}; the input is incomplete, and nothing was written (--partial uses what could be read)")]
    Incomplete(InputProblem),
    /// A source has no usable capture.
    #[error("{file}: no captures found; {why}")]
    NoCaptures {
        /// The source.
        file: FileName,
        /// What was found instead.
        why: String,
    },
    /// Several sources are a single robots.txt each, but only one host is given.
    #[error(
        "{one} and {other}: both look like a single robots.txt, and --host names one site (give one of them)"
    )]
    SeveralRobots {
        /// The first such source.
        one: FileName,
        /// The second such source.
        other: FileName,
    },
    /// A file is not the robots.txt of one site.
    #[error("{file}: expected the robots.txt of one site, found {found}")]
    NotOneRobots {
        /// The file.
        file: FileName,
        /// What was found.
        found: FoundInstead,
    },
    /// A file of headers has a line that is none.
    #[error("{file}:{}: {line} (give the headers as curl -D writes them)", line.line)]
    HeaderLine {
        /// The file.
        file: FileName,
        /// The line.
        line: BadHeaderLine,
    },
    /// Headers of a page have the status of another response.
    #[error(
        "{file}:{}: {line}: these are the headers of another response (fetch the page with curl -sfL -D headers.txt -o \
         page.html URL)", line.line
    )]
    OtherResponse {
        /// The file.
        file: FileName,
        /// The status line.
        line: BadHeaderLine,
    },
    /// A page begins with the head of its response.
    #[error(
        "{0}: expected a page, found a response with its status line (save them apart: curl -sfL -D headers.txt -o page.html \
         URL)"
    )]
    PageWithHead(FileName),
    /// A page is still compressed.
    #[error(
        "{file}: expected HTML, found data with the content coding {coding} (fetch the page with curl --compressed)"
    )]
    CodedPage {
        /// The page.
        file: FileName,
        /// The coding, quoted.
        coding: String,
    },
    /// A robots.txt or a page is shorter than its headers say.
    #[error(
        "{file}: expected {expected} bytes, as the Content-Length in {headers} says, found {found} (fetch it again)"
    )]
    CutBody {
        /// The robots.txt or the page.
        file: FileName,
        /// The file of its headers.
        headers: FileName,
        /// The length that they say.
        expected: u64,
        /// The length of the file.
        found: u64,
    },
    /// A file has no bytes, as after a fetch that failed, and nothing is known about its fetch.
    #[error("{file}: an empty {what}, or a fetch that failed? ({advice})")]
    EmptyFile {
        /// The file.
        file: FileName,
        /// What is expected, such as a page.
        what: &'static str,
        /// What to do if it is empty.
        advice: &'static str,
    },
    /// A host is given, but no source is a plain robots.txt.
    #[error("{0}: has captures of its own, so --host does not apply (leave it out)")]
    UnusedHost(FileName),
    /// A parsing limit is given, but every source is a bundle.
    #[error(
        "{0}: a bundle was compiled with its own limit of bytes (leave --max-robots-bytes out, or compile the bundle again)"
    )]
    UnusedLimit(FileName),
    /// A time of captures is given, but no source has captures.
    #[error(
        "{0}: --captured-at is the time of captures, and this is a bundle or one robots.txt (leave it out; compile a bundle \
         of captures without a time again with it)"
    )]
    UnusedTime(FileName),
    /// Captures without a time differ from dated ones of the same site.
    #[error(
        "{sites} {have} captures that differ and of which one has a time and the other none, such as {site}: which one is \
         newer is not known (name the time of the captures without one with --captured-at; compile bundles of such \
         captures again with it)",
        have = if *.sites == 1 { "site has" } else { "sites have" }
    )]
    UndatedCaptures {
        /// The first site.
        site: String,
        /// The number of sites.
        sites: u64,
    },
    /// A bundle among sources whose bodies are needed.
    #[error(
        "{0}: a bundle has no texts of robots.txt files, which this run needs (give captures; filter, pace and score read a \
         bundle with --policies)"
    )]
    NoBodies(FileName),
    /// A file of URLs ended early or could not be read completely. The partial result is not written as a complete one.
    #[error("{problem}; {}", match kept {
        None => "nothing was written (repair the file, then run the command again)".to_owned(),
        Some(kept) => format!(
            "earlier results are kept in {} (repair the file, then run the same command again)", kept.display()
        ),
    })]
    IncompleteUrls {
        /// The problem, with the file's name.
        problem: InputProblem,
        /// The partial output, if a later run can continue it.
        kept: Option<PathBuf>,
    },
    /// A file of expectations cannot be read.
    #[error("{file}{}: {}", match error.line { 0 => String::new(), line => format!(":{line}") }, error.message)]
    Expectations {
        /// The file.
        file: FileName,
        /// Where, and why.
        error: ExpectationError,
    },
    /// Expectations are about one robots.txt, but the input has captures.
    #[error("{0}: has captures, and --expect is about one robots.txt (give that file)")]
    ExpectationsOfCaptures(FileName),
    /// The output could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The policy bundle could not be opened.
    #[error(transparent)]
    Policies(#[from] PolicySetError),
    /// The policies cannot answer this query.
    #[error(transparent)]
    UnsupportedQueryError(#[from] UnsupportedQueryError),
    /// The output can hold only text, and a URL is not UTF-8. Its place, or the URL itself.
    #[error(
        "{0}: expected a URL in UTF-8: JSON, Parquet, evidence and explanations hold only text, and in this dialect %XX is \
         another URL (percent-encode the URL; filter without evidence and check also write text)"
    )]
    UnwritableUrl(String),
    /// The output consists of URL lines, which one crawler's verdicts select, but the job has several crawlers.
    #[error(
        "expected exactly one crawler: its verdicts select the URLs (for several crawlers, write verdicts)"
    )]
    OneCrawler,
    /// A file's columns differ from those of the files before it, and all rows go into one output.
    #[error("{file}: expected the same columns as in the files before it: all rows go into one Parquet file")]
    OtherColumns {
        /// The file.
        file: FileName,
    },
    /// A column of the input has the name of one of the columns that are added to it.
    #[error(
        "{file}: has a column '{name}' already, and verdicts would add another (rename it, or write .jsonl, where verdicts replace it)"
    )]
    TakenName {
        /// The file.
        file: FileName,
        /// The name of the column.
        name: String,
    },
    /// A run cannot be resumed.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// The output's name asks for a compressed bundle.
    #[error("{}: a bundle cannot be compressed (choose another file extension)", .0.display())]
    CompressedBundle(PathBuf),
    /// The output has the name of a shard, or of all shards.
    #[error("{}: a whole bundle cannot have the name of shards (choose another name, and divide the bundle with `robomata shard`)", .0.display())]
    ShardName(PathBuf),
    /// Another process is replacing the base bundle.
    #[error("{}: another process is updating this bundle (wait until it ends, then run the command again)", .0.display())]
    Busy(PathBuf),
    /// The base bundle, which the output replaces, changed during the run.
    #[error("{}: cannot be replaced: it changed during this run, and the change would be lost (run the command again)", .0.display())]
    BaseChanged(PathBuf),
    /// An output would replace the input.
    #[error("{}: the output is the input and would replace it (choose another name)", .0.display())]
    OutputIsInput(PathBuf),
    /// A temporary part or copy of a bundle could not be written to the output's directory.
    #[error("{}: cannot write a temporary file to its directory: {error}", of.display())]
    Part {
        /// The output.
        of: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Bundles could not be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// There are more shards than their files' names can number.
    #[error("expected at most {most} shards")]
    Shards {
        /// The most that the names can number.
        most: u32,
    },
    /// A log is in no known format.
    #[error(
        "{file}: unknown log format: its first lines match none of {}; the first line is {line} (use --format to name one)",
        log_formats()
    )]
    UnknownLogFormat {
        /// The log.
        file: FileName,
        /// The start of its first line, quoted and escaped.
        line: String,
    },
    /// No line of the logs is in the format of its log.
    #[error("no request found: {lines} lines were read, and none is {}", expected_request(*.format))]
    NoRequest {
        /// The number of lines read.
        lines: u64,
        /// The format, if it was given.
        format: Option<&'static str>,
    },
    /// There is no URL to judge.
    #[error("{0}: no URL, as after a command that failed (give URLs, one per line)")]
    NoUrls(FileName),
    /// Each of the first lines has more than a URL.
    #[error(
        "{0}: expected a URL on each line, found a blank within it (give the URLs alone: cut -d' ' -f1; in a URL, write %20)"
    )]
    MoreThanUrls(FileName),
    /// No URL could be compared.
    #[error("nothing was compared: {0}")]
    NothingCompared(String),
    /// The logs have no lines.
    #[error("no request found: the logs are empty (give logs with requests)")]
    EmptyLogs,
    /// No request of a crawler could be judged.
    #[error("nothing to score: none of {requests} requests of crawlers can be judged: {causes}")]
    NothingJudged {
        /// The number of crawlers' requests.
        requests: u64,
        /// The reasons, and what to do about them.
        causes: String,
    },
    /// No line of the logs is a request with a User-Agent.
    #[error("nothing to score: none of {lines} lines is a request with a User-Agent: {causes}")]
    NoVisitor {
        /// The number of lines, without blank ones and comments.
        lines: u64,
        /// What they are instead, and what to do about them.
        causes: String,
    },
    /// The threads could not be started.
    #[error("cannot start threads: {0} (raise the limits of processes and of memory)")]
    Threads(io::Error),
}

/// What none of the lines is, and what to do.
fn expected_request(format: Option<&str>) -> String {
    match format {
        Some(format) => format!("in the format {format} (leave out --format to detect it)"),
        None => "a request (the messages about bad lines say what is missing)".to_owned(),
    }
}

/// What was found where the robots.txt of one site was expected. Its `Display` also names a command for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FoundInstead {
    /// A bundle.
    #[error("{BUNDLE}")]
    Bundle,
    /// Captures of robots.txt files.
    #[error("captures (robomata filter --robots checks URLs with them)")]
    Captures,
    /// Another input: what it is, and what to do.
    #[error("{0}")]
    Other(&'static str),
}

fn log_formats() -> String {
    LogFormat::ALL.map(LogFormat::as_str).join(", ")
}

impl JobError {
    /// Did the reader of the output close it early, as `head` does?
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, JobError::Output(error) if error.is_broken_pipe())
    }

    /// Did an input end early, or could it not be read completely?
    pub fn is_incomplete_input(&self) -> bool {
        match self {
            JobError::Incomplete(_) | JobError::IncompleteUrls { .. } => true,
            JobError::Strict(problem) => problem.kind() == ProblemKind::Incomplete,
            _ => false,
        }
    }

    /// The bundle at `path` could not be opened.
    pub(crate) fn bundle(path: &Path, error: OpenError) -> Self {
        JobError::Policies(PolicySetError::Open { path: path.to_owned(), error })
    }

    pub(crate) fn output(error: io::Error) -> Self {
        JobError::Output(OutputError::from(error))
    }
}
