//! Engines in other languages: a script that answers over standard input and output, one line of JSON each way.
//!
//! The script measures the time itself, so communication between the processes is not included.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Asked, Engine};
use crate::corpus::{Corpus, Form, Questions};

/// A script in `runners/`.
#[derive(Debug)]
pub(crate) struct Runner {
    script: &'static str,
    agent: &'static str,
    process: Option<Process>,
    /// The questions that the script has received, identified by the address of their first byte.
    sent: Option<(Asked, usize, usize)>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// The answer of a script; the request determines which fields are set.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reply {
    error: Option<String>,
    version: Option<String>,
    seconds: f64,
    allowed: usize,
    letters: String,
}

/// Python's Protego.
pub(crate) fn protego(agent: &'static str) -> Runner {
    Runner { script: "protego_runner.py", agent, process: None, sent: None }
}

impl Runner {
    /// The version of the library. The error says what is missing.
    pub(crate) fn version(&mut self) -> Result<String> {
        self.ask(&json!({ "verb": "version" }))?.version.context("expected a version")
    }

    fn ask(&mut self, message: &Value) -> Result<Reply> {
        let Process { input, output, .. } = match &mut self.process {
            Some(process) => process,
            none => none.insert(start(self.script)?),
        };
        writeln!(input, "{message}")?;
        input.flush()?;
        let mut line = String::new();
        output.read_line(&mut line)?;
        ensure!(!line.is_empty(), "{} ended without an answer", self.script);
        let reply: Reply =
            serde_json::from_str(&line).with_context(|| format!("{} replied {line}", self.script))?;
        match reply.error {
            Some(error) => bail!("{}: {error}", self.script),
            None => Ok(reply),
        }
    }

    /// Sends the questions to the script, unless it has them.
    fn send(&mut self, asked: Asked, questions: &Questions) -> Result<()> {
        let urls = questions.of(Form::Url);
        let sent = (asked, urls.as_ptr() as usize, urls.len());
        if self.sent != Some(sent) {
            let bodies = (asked == Asked::Prepared).then_some(&questions.bodies);
            self.ask(&json!({ "verb": "questions", "urls": urls, "bodies": bodies }))?;
            self.sent = Some(sent);
        }
        Ok(())
    }
}

fn start(script: &str) -> Result<Process> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "runners", script].iter().collect();
    let mut child = Command::new("python3")
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("python3 cannot be started")?;
    let input = child.stdin.take().context("no standard input")?;
    let output = BufReader::new(child.stdout.take().context("no standard output")?);
    Ok(Process { child, input, output })
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended by itself. Either way nothing remains to be done.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Bodies travel as text in which each byte is one character.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

impl Engine for Runner {
    fn compile(&mut self, bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        let bodies: Vec<String> = bodies.iter().map(|body| latin1(body)).collect();
        let reply = self.ask(&json!({ "verb": "compile", "bodies": bodies }))?;
        Ok(Some(Duration::from_secs_f64(reply.seconds)))
    }

    fn prepare(&mut self, corpus: &Corpus) -> Result<()> {
        let bodies: Vec<String> = corpus.bodies.iter().map(|body| latin1(body)).collect();
        let sites: Vec<(&str, u32)> = (corpus.sites.iter())
            .filter_map(|&(site, body)| Some((str::from_utf8(site).ok()?, body)))
            .collect();
        let agent = self.agent;
        self.ask(&json!({ "verb": "prepare", "agent": agent, "bodies": bodies, "sites": sites }))?;
        self.sent = None;
        Ok(())
    }

    fn ways(&self) -> &'static [Asked] {
        &[Asked::Url, Asked::Prepared]
    }

    fn letters(&mut self, asked: Asked, questions: &Questions) -> Result<Vec<u8>> {
        self.send(asked, questions)?;
        Ok(self.ask(&json!({ "verb": "letters" }))?.letters.into_bytes())
    }

    fn check(&mut self, asked: Asked, questions: &Questions) -> Result<(Duration, usize)> {
        self.send(asked, questions)?;
        let reply = self.ask(&json!({ "verb": "check" }))?;
        Ok((Duration::from_secs_f64(reply.seconds), reply.allowed))
    }
}
