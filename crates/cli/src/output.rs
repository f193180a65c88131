//! Arguments of sub-commands that write results.

use std::fmt;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use robomata_formats::{Output, OutputError, directories_with, target_of};
use robomata_jobs::{JobError, RowForm, Strictness, start_threads};

use crate::args::{require_table_name, usage_error};
use crate::console::say;
use crate::style::Styles;

/// The destination of results.
#[derive(Args, Debug)]
pub(crate) struct OutputArguments {
    /// Write to FILE instead of standard output; compressed if its name ends in .gz or .zst
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
}

/// The destination of results, and options of the run.
#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    /// Stop at the first bad input, with exit code 2
    #[arg(long)]
    pub(crate) strict: bool,
    /// Do not print progress or the closing line on standard error; print only warnings and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgument,
}

/// The format of a table.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct TableArguments {
    /// The format of the table [default: by the name of --to, otherwise tsv]
    #[arg(long, value_name = "FORM", value_enum)]
    output_format: Option<TableFormat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableFormat {
    Tsv,
    Jsonl,
    Parquet,
}

impl TableArguments {
    /// Returns the format: the one that the user chose, else the one that matches the output's name.
    pub(crate) fn form(self, output: &OutputArguments) -> RowForm {
        match self.output_format {
            Some(TableFormat::Tsv) => RowForm::Tsv,
            Some(TableFormat::Jsonl) => RowForm::JsonLines,
            Some(TableFormat::Parquet) => RowForm::Parquet,
            None => output.to.as_deref().map_or(RowForm::Tsv, RowForm::of_name),
        }
    }

    /// Checks that the name of the output promises the format that it gets, unless the user chose that.
    pub(crate) fn require_name(self, output: &OutputArguments) -> Result<(), String> {
        match (self.output_format, &output.to) {
            (None, Some(to)) => require_table_name(to, ", or give --output-format"),
            _ => Ok(()),
        }
    }
}

/// The number of threads.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ThreadsArgument {
    /// Use N threads, at most 1024 [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
}

/// The most threads: starting more takes longer than what they could save.
const MOST_THREADS: usize = 1024;

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().filter(|number: &NonZeroUsize| number.get() <= MOST_THREADS);
    number.ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}"))
}

impl ThreadsArgument {
    /// Starts the threads of the process.
    pub(crate) fn apply(self) -> Result<(), JobError> {
        start_threads(self.threads)
    }
}

/// Is an input or output called `-`, standard input or output?
pub(crate) fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Is an input standard input, also by another name, such as `/dev/stdin`? If a file was opened as standard input, other
/// names open it again, from its beginning.
pub(crate) fn is_stdin(path: &Path) -> bool {
    is_stdio(path)
        || (!path.is_file()
            && Identity::of(path).is_some_and(|id| Identity::of(Path::new(STDIN)) == Some(id)))
}

/// A name of standard input.
const STDIN: &str = "/dev/stdin";

/// Refuses outputs of sub-command `name` that would replace one of its inputs: the same file, even by a different path,
/// or a file that is read in a directory that is an input. A file that the shell opened as standard input is an input,
/// too. Accepts standard output, devices and pipes, which cannot be replaced. Also refuses two outputs that are the same
/// file.
pub(crate) fn refuse_inputs<'p>(
    name: &str,
    outputs: impl IntoIterator<Item = &'p Path>,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> anyhow::Result<()> {
    let mut inputs: Vec<&Path> = inputs.into_iter().filter(|input| !is_stdio(input)).collect();
    let stdin = Path::new(STDIN);
    if stdin.is_file() {
        inputs.push(stdin);
    }
    let outputs: Vec<&Path> = outputs.into_iter().filter(|output| !is_stdio(output)).collect();
    for (index, output) in outputs.iter().enumerate() {
        if outputs[..index].iter().any(|other| is_same_output(output, other)) {
            let message = format!("{}: two outputs are this file (choose another name)", output.display());
            return Err(usage_error(name, &message));
        }
        let Some(file) = FileId::of(output).filter(|id| !id.is_directory) else { continue };
        let path = output.canonicalize().ok();
        let paths = path.as_deref().into_iter().chain([*output]);
        let folders: Vec<FileId> = paths.flat_map(directories_with).filter_map(FileId::of).collect();
        for input in &inputs {
            let Some(id) = FileId::of(input) else { continue };
            if id == file || folders.contains(&id) {
                let (output, input) = (output.display(), input.display());
                let what = if id.is_directory { "is in the input folder" } else { "is the input" };
                let message =
                    format!("{output}: the output {what} {input} and would replace it (choose another name)");
                return Err(usage_error(name, &message));
            }
        }
    }
    Ok(())
}

/// Standard output was closed by its reader, as `head` does, before this file could be written.
#[derive(Debug)]
pub(crate) struct Unwritten(PathBuf);

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.0.display();
        write!(f, "{file}: not written: standard output was closed before the end (write it to a file: --to)")
    }
}

impl std::error::Error for Unwritten {}

/// Replaces the error that standard output was closed, which is no failure, if one of `files` is not written because of
/// it.
pub(crate) fn require_written<'p, T>(
    result: anyhow::Result<T>,
    files: impl IntoIterator<Item = &'p PathBuf>,
) -> anyhow::Result<T> {
    result.map_err(|error| {
        let is_closed = error.downcast_ref::<JobError>().is_some_and(JobError::is_broken_pipe);
        let file = files.into_iter().find(|file| is_closed && !is_stdio(file));
        file.map_or(error, |file| Unwritten(file.clone()).into())
    })
}

/// Warns that `files` are not written, because an input ended early.
pub(crate) fn report_unwritten<'p>(files: impl IntoIterator<Item = &'p PathBuf>) {
    // The bytes of others are already visible.
    let is_kept = |file: &&PathBuf| !is_stdio(file) && (file.is_file() || !file.exists());
    for file in files.into_iter().filter(is_kept) {
        let file = file.display();
        say(&format!(
            "warning: {file}: not written: an input ended early (repair it and run the command again)"
        ));
    }
}

/// Are two outputs the same file, even by different paths or links? It may not exist yet.
fn is_same_output(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let path = target_of(path).ok()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some((FileId::of(folder.unwrap_or(Path::new(".")))?, path.file_name()?.to_owned()))
    };
    match FileId::of(one) {
        Some(file) => FileId::of(other) == Some(file),
        None => !one.exists() && place(one).is_some_and(|one| place(other) == Some(one)),
    }
}

/// The identity of what a path leads to, independent of the path.
#[derive(PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    inode: (u64, u64),
    #[cfg(not(unix))]
    path: PathBuf,
}

impl Identity {
    /// Identifies something that exists.
    fn of(path: &Path) -> Option<Self> {
        Some(Identity {
            #[cfg(unix)]
            inode: {
                let metadata = path.metadata().ok()?;
                (
                    std::os::unix::fs::MetadataExt::dev(&metadata),
                    std::os::unix::fs::MetadataExt::ino(&metadata),
                )
            },
            #[cfg(not(unix))]
            path: path.canonicalize().ok()?,
        })
    }
}

/// The identity of a file or directory.
#[derive(PartialEq, Eq)]
struct FileId {
    identity: Identity,
    is_directory: bool,
}

impl FileId {
    /// Identifies an existing file or directory. Returns none for a device or pipe, which cannot be replaced.
    fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok().filter(|metadata| metadata.is_file() || metadata.is_dir())?;
        Some(FileId { identity: Identity::of(path)?, is_directory: metadata.is_dir() })
    }
}

/// Writes `text` to `output` and commits it.
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
