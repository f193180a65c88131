//! Runs the programs as processes that do not outlive their test.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The maximum time of every wait, with a margin for slow machines.
const PATIENCE: Duration = Duration::from_secs(300);

/// The time without a heartbeat after which the scheduler considers an executor lost. Heartbeats come every second.
const EXECUTOR_TIMEOUT: &str = "8";

/// A running program. It is killed when this value is dropped.
pub(crate) struct Process {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Process {
    /// Starts `program` in `folder`. Its output goes to `name.out` and `name.err` in the folder.
    pub(crate) fn start(program: &str, arguments: &[&str], folder: &Path, name: &str) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        let [stdout, stderr] = ["out", "err"].map(|ending| folder.join(format!("{name}.{ending}")));
        let child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .env("RUST_LOG", "info")
            .stdin(Stdio::null())
            .stdout(File::create(&stdout).unwrap())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        Process { child, stdout, stderr }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn stdout(&self) -> String {
        std::fs::read_to_string(&self.stdout).unwrap()
    }

    /// Returns its standard error.
    pub(crate) fn stderr(&self) -> String {
        std::fs::read_to_string(&self.stderr).unwrap()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Kills it with SIGKILL, to simulate a machine that fails.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGTERM.
    pub(crate) fn ask_to_end(&self) {
        self.signal("TERM");
    }

    /// Stops it until [`Process::go_on`], to simulate a machine that is slow.
    pub(crate) fn pause(&self) {
        self.signal("STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, signal: &str) {
        // The shell's built-in `kill`: not every system has the program.
        let arguments = ["-c", "kill -s \"$0\" \"$1\"", signal, &self.pid().to_string()];
        assert!(Command::new("bash").args(arguments).status().unwrap().success());
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return status,
                None if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(20)),
                None => panic!("{}: it does not end: {}", self.stderr.display(), self.stderr()),
            }
        }
    }

    /// Waits for a line of output and returns the output.
    fn line(&mut self) -> String {
        eventually("a line", || {
            assert!(self.is_running() || !self.stdout().is_empty(), "it ended: {}", self.stderr());
            self.stdout().split_once('\n').map(|(line, _)| line.to_owned())
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls `look` until it returns a value.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Some(seen) => return seen,
            None if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            None => panic!("waited for {what} in vain"),
        }
    }
}

/// A scheduler with executors. Only one exists at a time, because each has several processes that need a processor.
pub(crate) struct Cluster {
    folder: PathBuf,
    scheduler: Process,
    pub(crate) executors: Vec<Process>,
    address: SocketAddr,
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

impl Cluster {
    /// Starts a scheduler, and one executor for each list of additional arguments. The scheduler, each executor and the
    /// clients run in separate subfolders of `folder`.
    pub(crate) fn start(folder: &Path, executors: &[&[&str]]) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (scheduler, address) = scheduler(folder, 0);
        let mut cluster =
            Cluster { folder: folder.to_owned(), scheduler, executors: vec![], address, _turn: turn };
        executors.iter().for_each(|more| cluster.start_executor(more));
        cluster
    }

    fn start_executor(&mut self, more: &[&str]) {
        self.executors.push(self.executor(self.executors.len(), more));
    }

    fn executor(&self, index: usize, more: &[&str]) -> Process {
        let name = format!("executor-{index}");
        let scheduler = self.address.to_string();
        let arguments =
            [&["--scheduler", &scheduler, "--heartbeat", "1", "--work-dir", "work"], more].concat();
        let program = env!("CARGO_BIN_EXE_robomata-executor");
        let mut executor = Process::start(program, &arguments, &self.folder.join(&name), &name);
        assert!(executor.line().starts_with("results at 127.0.0.1:"));
        executor
    }

    /// Starts an executor again after its process ended, at the same port and with the results in its folder.
    pub(crate) fn restart_executor(&mut self, index: usize, more: &[&str]) {
        let port = self.executors[index].stdout().trim_end().rsplit(':').next().unwrap().to_owned();
        self.executors[index] = self.executor(index, &[&["--port", &port], more].concat());
    }

    /// Starts a query on the cluster. Each file is a separate task.
    pub(crate) fn ask(&self, tables: &str, query: &str) -> Process {
        let address = self.address.to_string();
        let arguments =
            ["--scheduler", &address, "--partitions", "24", "--table", tables, "--format", "csv", query];
        Process::start(env!("CARGO_BIN_EXE_robomata-sql"), &arguments, &self.folder.join("client"), "client")
    }

    /// Returns the answer of the cluster.
    pub(crate) fn answer(&self, tables: &str, query: &str) -> String {
        answer_of(self.ask(tables, query))
    }

    /// Returns the error message of a query that fails on the cluster.
    pub(crate) fn refusal(&self, tables: &str, query: &str) -> String {
        outcome_of(self.ask(tables, query)).expect_err(query)
    }

    /// Returns the folder in which this executor keeps its results.
    pub(crate) fn work_dir(&self, executor: usize) -> PathBuf {
        self.folder.join(format!("executor-{executor}")).join("work")
    }

    /// Kills the scheduler with SIGKILL and starts another one at its address.
    pub(crate) fn replace_scheduler(&mut self) {
        self.scheduler.kill();
        (self.scheduler, _) = scheduler(&self.folder, self.address.port());
    }

    pub(crate) fn scheduler(&mut self) -> &mut Process {
        &mut self.scheduler
    }
}

/// Starts a scheduler at `port`; 0 chooses a free one.
fn scheduler(folder: &Path, port: u16) -> (Process, SocketAddr) {
    let arguments = ["--port", &port.to_string(), "--executor-timeout", EXECUTOR_TIMEOUT];
    let program = env!("CARGO_BIN_EXE_robomata-scheduler");
    let mut scheduler = Process::start(program, &arguments, &folder.join("scheduler"), "scheduler");
    let address = scheduler.line().strip_prefix("listening at ").unwrap().parse().unwrap();
    (scheduler, address)
}

/// Returns the answer of a single process.
pub(crate) fn embedded(folder: &Path, tables: &str, query: &str) -> String {
    let arguments = ["--table", tables, "--format", "csv", query];
    answer_of(Process::start(env!("CARGO_BIN_EXE_robomata-sql"), &arguments, folder, "embedded"))
}

/// Returns the complete output of a client.
pub(crate) fn answer_of(client: Process) -> String {
    outcome_of(client).unwrap()
}

/// Returns the complete output of a client, or its error message.
pub(crate) fn outcome_of(mut client: Process) -> Result<String, String> {
    if client.wait().success() {
        return Ok(client.stdout());
    }
    let said = client.stderr();
    Err(said[said.find("error: ").unwrap()..].to_owned())
}
