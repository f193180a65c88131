//! Runs the command like a user.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

/// The command's binary.
pub(crate) const ROBOMATA: &str = env!("CARGO_BIN_EXE_robomata");

/// A folder in which commands run.
pub(crate) struct Folder(tempfile::TempDir);

/// The result of a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Writes a file, compressed according to its name.
    pub(crate) fn write_compressed(&self, name: &str, text: impl AsRef<[u8]>) {
        let mut output = robomata_formats::Output::create(&self.path(name)).unwrap();
        output.write_all(text.as_ref()).unwrap();
        output.commit().unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names(self.0.path())
    }

    /// Runs `robomata` in the folder `inner` as an unprivileged user, because root may read and write everything.
    /// Returns none, with a message, if no other user is available.
    #[cfg(unix)]
    pub(crate) fn run_as_nobody(&self, inner: &str, line: &str) -> Option<Ran> {
        // The other user must be able to run the command.
        let command = self.path("robomata-of-all");
        if !command.exists() {
            std::fs::copy(ROBOMATA, &command).unwrap();
            self.set_mode("", 0o755);
        }
        let ran = Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(command)
            .args(line.split_ascii_whitespace())
            .current_dir(self.path(inner))
            .stdin(Stdio::null())
            .output();
        let Some(ran) = ran.ok().filter(|ran| !ran.stderr.starts_with(b"setpriv")) else {
            eprintln!("skipped: the test cannot run as another user here");
            return None;
        };
        Some(Ran::from(ran))
    }

    /// Sets the permissions of a file or folder.
    #[cfg(unix)]
    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(self.path(name), permissions).unwrap();
    }

    /// Runs `robomata` with the arguments of `line`, separated by spaces.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_with_input(line, "")
    }

    pub(crate) fn run_with_input(&self, line: &str, input: impl AsRef<[u8]>) -> Ran {
        self.run_arguments(&line.split_ascii_whitespace().collect::<Vec<_>>(), input.as_ref())
    }

    pub(crate) fn run_arguments(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = Command::new(ROBOMATA);
        command.args(arguments);
        run(&mut command, self.0.path(), input)
    }

    /// Runs a line of bash with `robomata` in the PATH.
    pub(crate) fn bash(&self, line: &str) -> Ran {
        let mut command = Command::new("bash");
        let folder = Path::new(ROBOMATA).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        command.args(["-c", line]).env("PATH", path);
        run(&mut command, self.0.path(), b"")
    }
}

/// A file system of a few kilobytes in its own folder. It is unmounted when this value is dropped.
#[cfg(unix)]
pub(crate) struct SmallDisk(PathBuf);

#[cfg(unix)]
impl SmallDisk {
    /// Creates one. Returns none, with a message, if mounting is not permitted.
    pub(crate) fn mount(folder: PathBuf, size: &str) -> Option<Self> {
        std::fs::create_dir(&folder).unwrap();
        let size = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&folder).output();
        if !mounted.is_ok_and(|mounted| mounted.status.success()) {
            eprintln!("skipped: no file system can be mounted here");
            return None;
        }
        Some(SmallDisk(folder))
    }

    /// Changes its size.
    pub(crate) fn resize(&self, size: &str) {
        let size = format!("remount,size={size}");
        assert!(Command::new("mount").args(["-o", &size]).arg(&self.0).status().unwrap().success());
    }

    /// Fills it completely.
    pub(crate) fn fill(&self) {
        let mut file = std::fs::File::create(self.0.join("filler")).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.0)
    }
}

#[cfg(unix)]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// The names of all files, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn run(command: &mut Command, folder: &Path, input: &[u8]) -> Ran {
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = thread::spawn(move || {
        // A command that does not read its input closes it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran::from(output)
}

impl From<Output> for Ran {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran { code: status.code(), out: text(stdout), err: text(stderr) }
    }
}

pub(crate) const ROBOTS: &str = "\
User-agent: *
Disallow: /private   # keep out
Allow: /private/press

User-agent: FooBot
Disallow: /foo
";

pub(crate) const SOURCE: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /private\n\nUser-agent: B\nDisallow: /b"}
{"url": "https://gone.example/robots.txt", "status": 404}
{"url": "https://down.example/robots.txt", "status": 503}
"#;

pub(crate) const URLS: &str = "https://a.example/private?x\r\nhttps://other.example/\nnonsense\nhttps://a.example/b\nhttp://gone.example\n";

/// A WARC record with a response: the page `body` at `url`.
pub(crate) fn record(url: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
    let length = block.len();
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}
