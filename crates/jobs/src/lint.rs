//! Lints robots.txt files and captures of them.

use std::path::{Path, PathBuf};

use robomata_formats::{Capture, CaptureSite, Origin, Resource, capture};
use robomata_lint::{LintOptions, LintReport, lint};

use crate::error::JobError;
use crate::robots_file::RobotsFile;

/// A robots.txt and its findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintedFile {
    /// The file's name; for a capture among others, its site.
    pub name: String,
    /// The findings.
    pub report: LintReport,
}

/// Lints `paths`: robots.txt files, plain or compressed, and collections of captures. Passes each robots.txt, or the error
/// of each input that cannot be read, to `each`.
///
/// The host of a capture replaces that of `options`.
///
/// # Errors
/// Those of `each`.
pub fn run(
    paths: &[PathBuf],
    options: &LintOptions,
    each: &mut dyn FnMut(Result<LintedFile, JobError>) -> Result<(), JobError>,
) -> Result<(), JobError> {
    for path in paths {
        match capture::holds_captures(path) {
            Ok(true) => lint_captures(path, options, each)?,
            Ok(false) => each(lint_file(path, options))?,
            Err(error) => each(Err(error.into()))?,
        }
    }
    Ok(())
}

fn lint_file(path: &Path, options: &LintOptions) -> Result<LintedFile, JobError> {
    let file = RobotsFile::read(path)?;
    let name = if file.name().is_stdin() { "standard-input".to_owned() } else { path.display().to_string() };
    Ok(LintedFile { name, report: lint(file.bytes(), options) })
}

fn lint_captures(
    path: &Path,
    options: &LintOptions,
    each: &mut dyn FnMut(Result<LintedFile, JobError>) -> Result<(), JobError>,
) -> Result<(), JobError> {
    let mut options = options.clone();
    for capture in capture::captures(path) {
        match capture {
            // The body of a failed fetch is not a robots.txt.
            Ok(capture) if capture.is_failed() || capture.resource != Resource::RobotsTxt => {}
            Ok(capture) => {
                let (CaptureSite::Host(host) | CaptureSite::Url(host)) = &capture.site;
                options.host = Some(host.clone());
                each(Ok(LintedFile { name: name_of(&capture), report: lint(&capture.body, &options) }))?;
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
        (_, CaptureSite::Host(name) | CaptureSite::Url(name)) => name.clone(),
    }
}
