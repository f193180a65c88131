//! What sub-commands share that write results: where they go, and how they are come by.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use robomata_formats::{Output, OutputError};
use robomata_jobs::{JobError, Strictness};

use crate::args::usage_error;
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
    /// Print no progress and no closing line on standard error; warnings and errors remain
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Use N threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Is it standard input, or output?
pub(crate) fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses outputs of sub-command `name` that would replace one of its inputs: the same file, by whatever path, or a file in
/// a directory that is an input. A file that the shell opened as standard input is an input, too. Only files can be replaced,
/// so standard output, devices and pipes may be anything. Two outputs of one name are refused as well.
pub(crate) fn refuse_inputs<'p>(
    name: &str,
    outputs: impl IntoIterator<Item = &'p Path>,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> anyhow::Result<()> {
    let mut inputs: Vec<&Path> = inputs.into_iter().filter(|input| !is_stdio(input)).collect();
    let stdin = Path::new("/dev/stdin");
    if stdin.is_file() {
        inputs.push(stdin);
    }
    let outputs: Vec<&Path> = outputs.into_iter().filter(|output| !is_stdio(output)).collect();
    for (index, output) in outputs.iter().enumerate() {
        if outputs[..index].contains(output) && output.metadata().map_or(true, |metadata| metadata.is_file())
        {
            let message = format!("{}: two outputs go to one file (choose another name)", output.display());
            return Err(usage_error(name, &message));
        }
        let Some(file) = Place::of(output).filter(|place| !place.is_directory) else { continue };
        let folder = output.canonicalize().ok().and_then(|path| Place::of(path.parent()?));
        for input in &inputs {
            let Some(place) = Place::of(input) else { continue };
            if place == file || (place.is_directory && Some(&place) == folder.as_ref()) {
                let (output, input) = (output.display(), input.display());
                let what = if place.is_directory { "lies in the input" } else { "is the input" };
                let message = format!(
                    "{output}: the output {what} {input}, and would replace it (choose another name)"
                );
                return Err(usage_error(name, &message));
            }
        }
    }
    Ok(())
}

/// What tells a file or directory from others, whatever path leads to it.
#[derive(PartialEq, Eq)]
struct Place {
    #[cfg(unix)]
    inode: (u64, u64),
    #[cfg(not(unix))]
    path: PathBuf,
    is_directory: bool,
}

impl Place {
    /// That of an existing file or directory; none of a device or pipe, which cannot be replaced.
    fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok().filter(|metadata| metadata.is_file() || metadata.is_dir())?;
        Some(Place {
            #[cfg(unix)]
            inode: (
                std::os::unix::fs::MetadataExt::dev(&metadata),
                std::os::unix::fs::MetadataExt::ino(&metadata),
            ),
            #[cfg(not(unix))]
            path: path.canonicalize().ok()?,
            is_directory: metadata.is_dir(),
        })
    }
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
