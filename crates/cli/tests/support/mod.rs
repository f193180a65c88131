//! Runs the command as a user does.

#![allow(dead_code, unreachable_pub, reason = "no test uses all of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

/// The command's binary.
pub const ROBOMATA: &str = env!("CARGO_BIN_EXE_robomata");

/// A folder in which commands run.
pub struct Folder(tempfile::TempDir);

/// What a command left.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `robomata` with the arguments of `line`, which spaces separate.
    pub fn run(&self, line: &str) -> Ran {
        self.run_with_input(line, "")
    }

    pub fn run_with_input(&self, line: &str, input: impl AsRef<[u8]>) -> Ran {
        self.run_arguments(&line.split_ascii_whitespace().collect::<Vec<_>>(), input.as_ref())
    }

    pub fn run_arguments(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = Command::new(ROBOMATA);
        command.args(arguments);
        run(&mut command, self.0.path(), input)
    }

    /// Runs a line of bash; `robomata` is found.
    pub fn bash(&self, line: &str) -> Ran {
        let mut command = Command::new("bash");
        let folder = Path::new(ROBOMATA).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        command.args(["-c", line]).env("PATH", path);
        run(&mut command, self.0.path(), b"")
    }
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
        // A command that does not want its input closes it.
        let _ = stdin.write_all(&input);
    });
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |octets: Vec<u8>| String::from_utf8_lossy(&octets).into_owned();
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

pub const ROBOTS: &str = "\
User-agent: *
Disallow: /private   # keep out
Allow: /private/press

User-agent: FooBot
Disallow: /foo
";

pub const SOURCE: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /private\n\nUser-agent: B\nDisallow: /b"}
{"url": "https://gone.example/robots.txt", "status": 404}
{"url": "https://down.example/robots.txt", "status": 503}
"#;

pub const URLS: &str = "https://a.example/private?x\r\nhttps://other.example/\nnonsense\nhttps://a.example/b\nhttp://gone.example\n";
