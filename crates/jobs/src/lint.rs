//! Lints robots.txt files and captures of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use robomata_engine::Dialect;
use robomata_formats::{Capture, CaptureSite, FileName, Origin, Resource, capture};
use robomata_lint::{Expectations, LintOptions, LintReport, LintReports, lint, lint_expecting};

use crate::error::JobError;
use crate::problem::InputProblem;
use crate::quotes::shortened;
use crate::robots_file::RobotsFile;

/// A robots.txt and its findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintedFile {
    /// The file's name; for a capture among others, its site, of which at most 500 characters.
    pub name: String,
    /// The findings. Captures that share a body share them, unless they are about the host.
    pub report: Arc<LintReport>,
}

/// Reads a file of expectations about files in `dialect`.
///
/// # Errors
/// When the file cannot be read completely, when one of its lines cannot be read, and when it has no expectation.
pub fn read_expectations(path: &Path, dialect: Dialect) -> Result<Expectations, JobError> {
    let file = RobotsFile::read(path)?;
    let expectations = Expectations::parse(file.bytes(), dialect);
    expectations.map_err(|error| JobError::Expectations { file: file.name().clone(), error })
}

/// Lints `paths`: robots.txt files, plain or compressed, and collections of captures. Passes each robots.txt, or the error
/// of each input that cannot be read, to `each`.
///
/// The host of a capture replaces that of `options`. Expectations are about single files: with them, captures are an
/// error.
///
/// # Errors
/// Those of `each`.
pub fn run(
    paths: &[PathBuf],
    options: &LintOptions,
    expectations: Option<&Expectations>,
    each: &mut dyn FnMut(Result<LintedFile, JobError>) -> Result<(), JobError>,
) -> Result<(), JobError> {
    for path in paths {
        match capture::holds_captures(path) {
            Ok(true) if expectations.is_some() => {
                each(Err(JobError::ExpectationsOfCaptures(FileName::new(path))))?;
            }
            Ok(true) => lint_captures(path, options, each)?,
            Ok(false) => each(lint_file(path, options, expectations))?,
            Err(error) => each(Err(error.into()))?,
        }
    }
    Ok(())
}

fn lint_file(
    path: &Path,
    options: &LintOptions,
    expectations: Option<&Expectations>,
) -> Result<LintedFile, JobError> {
    let file = RobotsFile::read_robots(path)?;
    file.require_bytes(RobotsFile::ADVICE_ON_EMPTY)?;
    let name = if file.name().is_stdin() { "standard-input".to_owned() } else { path.display().to_string() };
    let report = match expectations {
        Some(expectations) => lint_expecting(file.bytes(), options, expectations),
        None => lint(file.bytes(), options),
    };
    Ok(LintedFile { name, report: Arc::new(report) })
}

fn lint_captures(
    path: &Path,
    options: &LintOptions,
    each: &mut dyn FnMut(Result<LintedFile, JobError>) -> Result<(), JobError>,
) -> Result<(), JobError> {
    // Captures whose redirects lead to one capture share its body. They follow each other.
    let mut last: Option<(Arc<[u8]>, LintReports)> = None;
    for capture in capture::captures(path) {
        if let Some(problem) = capture.as_ref().ok().and_then(InputProblem::of_unreadable) {
            each(Err(JobError::Strict(problem)))?;
            continue;
        }
        match capture {
            // The body of a failed fetch is not a robots.txt.
            Ok(capture) if capture.is_failed() || capture.resource != Resource::RobotsTxt => {}
            Ok(capture) => {
                let (CaptureSite::Host(host) | CaptureSite::Url(host)) = &capture.site;
                let shared = last.take().filter(|(body, _)| Arc::ptr_eq(body, &capture.body));
                let linted = || (Arc::clone(&capture.body), LintReports::new(&capture.body, options));
                let (_, reports) = last.insert(shared.unwrap_or_else(linted));
                each(Ok(LintedFile { name: name_of(&capture), report: reports.on(Some(host)) }))?;
            }
            Err(error) => each(Err(error.into()))?,
        }
    }
    Ok(())
}

/// A capture's name in outputs. In a file of many captures, line numbers count the lines of one capture, so the name is
/// its site.
fn name_of(capture: &Capture) -> String {
    match (&capture.origin, &capture.site) {
        (Origin { file, line: None }, _) => file.to_string(),
        // It is written with each finding.
        (_, CaptureSite::Host(name) | CaptureSite::Url(name)) => shortened(name),
    }
}
