//! Standard error: messages, and progress where somebody watches.

use std::io::{IsTerminal, Write};
use std::mem::{Discriminant, discriminant};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use robomata::Answer;
use robomata_formats::Meter;
use robomata_jobs::{Divergence, Done, Events, InputProblem, JobError, ProblemKind, Progress};

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
    /// What is shown as progress, of which octets, and since when.
    shown: Option<(Discriminant<Done>, Meter, Instant)>,
}

impl Console {
    /// Messages alone.
    pub(crate) fn quiet() -> Self {
        Console { bar: ProgressBar::hidden(), shown: None }
    }

    /// Messages, and progress when standard error is a terminal.
    pub(crate) fn with_progress() -> Self {
        if !std::io::stderr().is_terminal() {
            return Console::quiet();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style("{spinner} {elapsed}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Console { bar, shown: None }
    }

    /// Writes a line to standard error, above the progress.
    pub(crate) fn say(&self, line: &str) {
        self.bar.suspend(|| say(line));
    }

    /// Shows progress of another kind than before, or of other inputs: its time begins now. Returns when it began.
    fn turn_to(&mut self, Progress { done, octets }: Progress<'_>) -> Instant {
        let kind = discriminant(&done);
        if let Some((shown, meter, since)) = &self.shown
            && *shown == kind
            && meter.is(octets)
        {
            return *since;
        }
        self.bar.set_message(message(done, Duration::ZERO));
        // Where some of the octets come by a pipe nobody knows how many are left.
        match octets.total() {
            Some(total) => {
                self.bar.set_length(total);
                self.bar.set_style(style(
                    "{spinner} {elapsed} {msg}, {percent}% of {total_bytes} ({bytes_per_sec}), {eta} left",
                ));
            }
            None => self.bar.set_style(style("{spinner} {elapsed} {msg}, {bytes} ({bytes_per_sec})")),
        }
        // Without this the time left would be reckoned by the speed of what was done before.
        self.bar.reset();
        let now = Instant::now();
        self.shown = Some((kind, octets.clone(), now));
        now
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// What has been done, and how much of it in a second as soon as that can be said.
fn message(done: Done, elapsed: Duration) -> String {
    let (count, what) = match done {
        Done::Captures(count) => (count, "robots.txt read"),
        Done::Lines(count) => (count, "URLs judged"),
        Done::Requests(count) => (count, "lines of logs judged"),
        Done::Merged(parts) => return format!("{} parts merged", HumanCount(parts)),
        Done::Shards(count) => (count, "shards written"),
    };
    if elapsed < Duration::from_secs(1) {
        return format!("{} {what}", HumanCount(count));
    }
    let per_second = u128::from(count) * 1000 / elapsed.as_millis();
    let per_second = HumanCount(u64::try_from(per_second).unwrap_or(u64::MAX));
    format!("{} {what} ({per_second}/s)", HumanCount(count))
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

    fn progress(&mut self, progress: Progress<'_>) {
        if self.bar.is_hidden() {
            return;
        }
        let since = self.turn_to(progress);
        self.bar.set_message(message(progress.done, since.elapsed()));
        self.bar.set_position(progress.octets.read());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_a_rate() {
        let second = Duration::from_millis(2000);
        assert_eq!(message(Done::Lines(3_000_000), second), "3,000,000 URLs judged (1,500,000/s)");
        assert_eq!(message(Done::Captures(1), Duration::from_millis(999)), "1 robots.txt read");
        assert_eq!(message(Done::Merged(12), second), "12 parts merged");
    }

    #[test]
    fn progress_without_a_total_has_no_time_left() {
        let hidden = || Console::quiet();
        let mut console = hidden();
        let file = robomata_formats::Meter::of_octets(100);
        console.turn_to(Progress { done: Done::Captures(1), octets: &file });
        assert_eq!(console.bar.length(), Some(100));
        let mut console = hidden();
        let pipe = robomata_formats::Meter::of(&["-".into()]);
        let since = console.turn_to(Progress { done: Done::Captures(1), octets: &pipe });
        assert_eq!(console.bar.length(), None);
        // The same goes on, another begins anew.
        assert_eq!(console.turn_to(Progress { done: Done::Captures(2), octets: &pipe }), since);
        assert_ne!(console.turn_to(Progress { done: Done::Lines(1), octets: &pipe }), since);
    }
}
