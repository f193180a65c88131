//! Captures of robots.txt into a policy bundle.

use std::io::Write;
use std::path::{Path, PathBuf};

use robomata_formats::Output;

use crate::error::JobError;
use crate::events::Events;
use crate::problem::ErrorCounts;
use crate::sources::{LoadOptions, load};

/// What a bundle holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileReport {
    /// Sites whose policy it holds.
    pub sites: usize,
    /// Different programs.
    pub programs: usize,
    /// Octets of the file.
    pub octets: usize,
    /// What could not be used of the sources.
    pub errors: ErrorCounts,
}

/// Compiles the captures of `sources` into a bundle at `to`, which is written whole or not at all.
///
/// # Errors
/// Those of [`load`], and when the bundle cannot be written.
pub fn run(
    sources: &[PathBuf],
    options: &LoadOptions,
    to: &Path,
    events: &mut dyn Events,
) -> Result<CompileReport, JobError> {
    let compressed = |ending: &str| to.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    if compressed("gz") || compressed("zst") {
        return Err(JobError::CompressedBundle(to.to_owned()));
    }
    // First of all, lest the work be done for a directory that cannot be written.
    let mut output = Output::create(to)?;
    let loaded = load(sources, options, events)?;
    output.write_all(loaded.store.octets()).map_err(JobError::output)?;
    output.commit()?;
    Ok(CompileReport {
        sites: loaded.store.site_count(),
        programs: loaded.store.program_count(),
        octets: loaded.store.octets().len(),
        errors: loaded.counts.errors,
    })
}
