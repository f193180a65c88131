//! Runs the command, for a bounded time, with or without faults.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// No run may take longer.
const BOUND: Duration = Duration::from_secs(120);

/// How a program ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Ran {
    /// None if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) is_late: bool,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

/// A program that runs in a folder. Its outputs go to files next to the folder, because pipes would need threads.
pub(crate) struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
    started: Instant,
}

/// The program, the faults and the limits of a run.
pub(crate) struct Program {
    command: Command,
    out: PathBuf,
    err: PathBuf,
}

impl Program {
    /// `program` with the arguments of `line`, separated by spaces, in `folder`.
    pub(crate) fn new(program: &Path, line: &str, folder: &Path) -> Self {
        Self::of(Command::new(program), line, folder)
    }

    /// Like [`Program::new`], with a limit as `ulimit` takes it.
    pub(crate) fn within(program: &Path, line: &str, folder: &Path, limit: &str) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -c 0; ulimit {limit}; exec \"$0\" \"$@\"")]).arg(program);
        // Arenas of threads take address space, not memory.
        shell.env("MALLOC_ARENA_MAX", "1");
        Self::of(shell, line, folder)
    }

    fn of(mut command: Command, line: &str, folder: &Path) -> Self {
        command.args(line.split_ascii_whitespace()).current_dir(folder).stdin(Stdio::null());
        // Nothing of the user's is read or written.
        command
            .env("HOME", folder)
            .env("XDG_CACHE_HOME", folder.with_extension("cache"))
            .env("RUST_BACKTRACE", "0");
        let (out, err) = (folder.with_extension("out"), folder.with_extension("err"));
        Program { command, out, err }
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Gives the outputs other names, for a second program in the same folder.
    pub(crate) fn second(mut self) -> Self {
        (self.out, self.err) = (self.out.with_extension("out2"), self.err.with_extension("err2"));
        self
    }

    pub(crate) fn start(mut self) -> Result<Running> {
        self.command.stdout(File::create(&self.out)?).stderr(File::create(&self.err)?);
        let child = self.command.spawn().with_context(|| format!("{:?}", self.command.get_program()))?;
        Ok(Running { child, out: self.out, err: self.err, started: Instant::now() })
    }

    pub(crate) fn run(self) -> Result<Ran> {
        self.start()?.wait()
    }
}

impl Running {
    /// Waits until the program ends. Ends it when it takes too long.
    pub(crate) fn wait(self) -> Result<Ran> {
        self.wait_for(BOUND)
    }

    /// Kills the program after `time`, if it still runs.
    pub(crate) fn kill_after(self, time: Duration) -> Result<Ran> {
        self.wait_for(time).map(|ran| Ran { is_late: false, ..ran })
    }

    fn wait_for(mut self, time: Duration) -> Result<Ran> {
        let mut is_late = false;
        let mut pause = Duration::from_micros(300);
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if self.started.elapsed() >= time {
                is_late = true;
                self.child.kill()?;
                break self.child.wait()?;
            }
            sleep(pause.min(time.saturating_sub(self.started.elapsed())));
            pause = (pause * 2).min(Duration::from_millis(5));
        };
        let out = fs::read(&self.out)?;
        let err = String::from_utf8_lossy(&fs::read(&self.err)?).into_owned();
        Ok(Ran { code: status.code(), signal: signal(status), is_late, out, err })
    }

    /// Is it still running?
    pub(crate) fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }
}

fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}
