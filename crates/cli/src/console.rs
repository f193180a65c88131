//! Standard error: messages, and progress where somebody watches.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use robomata::Answer;
use robomata_jobs::{Divergence, Events, InputProblem, JobError, ProblemKind, Progress};

/// Usage errors, unreadable files, bad input where none is accepted.
pub(crate) const FAILURE: u8 = 2;

/// How a command that failed ends: quietly when only the reader of its output has gone.
pub(crate) fn exit_code_of(error: &anyhow::Error) -> ExitCode {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        let _ = usage.print();
        return ExitCode::from(FAILURE);
    }
    if error.downcast_ref::<JobError>().is_some_and(JobError::is_broken_pipe) {
        return ExitCode::SUCCESS;
    }
    say(&format!("error: {error:#}"));
    ExitCode::from(FAILURE)
}

/// Writes a line to standard error. When even that fails there is nobody left to tell.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Shows what a job tells.
pub(crate) struct Console {
    bar: ProgressBar,
}

impl Console {
    /// Messages alone.
    pub(crate) fn quiet() -> Self {
        Console { bar: ProgressBar::hidden() }
    }

    /// Messages, and progress when standard error is a terminal.
    pub(crate) fn with_progress() -> Self {
        if !std::io::stderr().is_terminal() {
            return Console::quiet();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {human_pos} {msg} ({per_sec})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Console { bar }
    }

    fn say(&self, line: &str) {
        self.bar.suspend(|| say(line));
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Events for Console {
    fn bad_input(&mut self, problem: &InputProblem) {
        self.say(&format!("warning: {problem}"));
    }

    fn more_bad_input(&mut self, kind: ProblemKind, count: u64) {
        self.say(&format!("warning: {count} more {} are not listed", kind.plural()));
    }

    fn progress(&mut self, progress: Progress) {
        let (position, message) = match progress {
            Progress::Captures(count) => (count, "robots.txt read"),
            Progress::Lines(count) => (count, "URLs judged"),
        };
        self.bar.set_message(message);
        self.bar.set_position(position);
    }

    fn divergence(&mut self, divergence: &Divergence) {
        let Divergence { site, url, crawler, engine, reference } = divergence;
        let site = site.as_deref().unwrap_or("no site");
        let (engine, reference) = (answer(*engine), answer(*reference));
        self.say(&format!(
            "divergence: {site}: {url}: for '{crawler}' the engine says {engine}, the reference {reference}"
        ));
    }
}

fn answer(answer: Answer) -> String {
    match answer.line() {
        0 => answer.as_str().to_owned(),
        line => format!("{answer} by line {line}", answer = answer.as_str()),
    }
}
