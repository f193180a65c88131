//! What sub-commands share that write results: where they go, and how they are come by.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use robomata_formats::{Output, OutputError};
use robomata_jobs::{JobError, Strictness};

use crate::style::Styles;

/// Where results go.
#[derive(Args, Debug)]
pub(crate) struct OutputArguments {
    /// Write to FILE instead of standard output; compressed if it ends in .gz or .zst
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
}

/// Where results go, and how they are come by.
#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    /// End at the first bad input, with exit code 2
    #[arg(long)]
    pub(crate) strict: bool,
    /// Use N threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Is it standard input, or output?
pub(crate) fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes all of `output`, and puts it under its name.
pub(crate) fn write_text(mut output: Output, text: impl AsRef<[u8]>) -> Result<(), JobError> {
    output.write_all(text.as_ref()).map_err(OutputError::from)?;
    Ok(output.commit()?)
}

impl OutputArguments {
    pub(crate) fn open(&self) -> Result<Output, JobError> {
        Ok(self.to.as_deref().map_or_else(|| Ok(Output::stdout()), Output::create)?)
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.to.as_deref().is_none_or(is_stdio)
    }

    pub(crate) fn styles(&self) -> Styles {
        if self.is_stdout() { Styles::for_stdout() } else { Styles::plain() }
    }
}

impl RunArguments {
    pub(crate) fn strictness(&self) -> Strictness {
        crate::args::strictness(self.strict)
    }
}
