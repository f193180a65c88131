//! Standard error: messages, and progress on a terminal.

use std::io::{IsTerminal, Write};
use std::mem::{Discriminant, discriminant};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use robomata_engine::{Answer, Moment};
use robomata_formats::capture::RedirectCounts;
use robomata_formats::{BodyKind, FileName, Meter};
use robomata_jobs::{Divergence, Done, Events, InputProblem, JobError, ProblemKind, Progress};

use crate::output::Unwritten;

/// The exit code for usage errors, unreadable files, and bad input with `--strict`.
pub(crate) const FAILURE: u8 = 2;

/// The exit code for an input that ended early or could not be read to its end, and for a file that is not written, or a
/// judgement that is not complete, because standard output was closed.
pub(crate) const INCOMPLETE: u8 = 4;

/// Reports `error` and returns the exit code. A broken pipe on the output is no error of a command that only writes, and leaves
/// the judgement of one that `judges` incomplete.
pub(crate) fn exit_code_of(error: &anyhow::Error, judges: bool) -> ExitCode {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        let _ = usage.print();
        return ExitCode::from(FAILURE);
    }
    let job = error.downcast_ref::<JobError>();
    if job.is_some_and(JobError::is_broken_pipe) {
        return if judges { ExitCode::from(INCOMPLETE) } else { ExitCode::SUCCESS };
    }
    say(&format!("error: {error:#}"));
    let is_incomplete = error.is::<Unwritten>() || job.is_some_and(JobError::is_incomplete_input);
    ExitCode::from(if is_incomplete { INCOMPLETE } else { FAILURE })
}

/// Writes a line to standard error. Ignores failures: there is no other place to report them.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Shows the events of a job.
pub(crate) struct Console {
    bar: ProgressBar,
    shown: Option<Shown>,
}

/// The progress that is currently shown.
struct Shown {
    kind: Discriminant<Done>,
    bytes: Meter,
    since: Instant,
    /// The amount already done at `since`: a resumed run did not do this work itself.
    before: u64,
}

/// Formats a count with thousands separators and the plural of its noun: `1,033,236 URLs`.
pub(crate) fn number_of(count: u64, what: &str) -> String {
    counted(count, what, &format!("{what}s"))
}

/// Formats a count of what has these words for one and for several.
pub(crate) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{} {}", HumanCount(count), if count == 1 { one } else { several })
}

/// Formats the last line of a command, which divides `count` items of the kind `what` into parts.
pub(crate) fn closing_line(count: u64, what: &str, parts: &[Part<'_>]) -> String {
    format!("{}: {}", number_of(count, what), listed(parts))
}

/// Joins the parts of a closing line with commas.
pub(crate) fn listed(parts: &[Part<'_>]) -> String {
    let parts = parts.iter().filter(|part| part.count > 0 || part.is_always_said);
    let parts: Vec<String> = parts.map(|part| format!("{} {}", HumanCount(part.count), part.what)).collect();
    parts.join(", ")
}

/// A part of a closing line.
#[derive(Clone, Copy)]
pub(crate) struct Part<'w> {
    count: u64,
    what: &'w str,
    is_always_said: bool,
}

impl<'w> Part<'w> {
    /// A part that is shown even if its count is zero.
    pub(crate) fn always(count: u64, what: &'w str) -> Self {
        Part { count, what, is_always_said: true }
    }

    /// A part that is left out if its count is zero.
    pub(crate) fn some(count: u64, what: &'w str) -> Self {
        Part { count, what, is_always_said: false }
    }
}

impl Console {
    /// Shows messages only.
    pub(crate) fn quiet() -> Self {
        Console { bar: ProgressBar::hidden(), shown: None }
    }

    /// Shows messages; and also progress, unless `is_quiet`, if standard error is a terminal.
    pub(crate) fn new(is_quiet: bool) -> Self {
        if is_quiet { Console::quiet() } else { Console::with_progress() }
    }

    /// Shows messages; and also progress, if standard error is a terminal.
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

    /// Switches to this kind of progress and these inputs, and restarts the clock if they differ from the current ones.
    /// Returns the start time, and the amount already done at that time.
    fn turn_to(&mut self, Progress { done, bytes }: Progress<'_>) -> (Instant, u64) {
        let kind = discriminant(&done);
        if let Some(shown) = &self.shown
            && shown.kind == kind
            && shown.bytes.is(bytes)
        {
            return (shown.since, shown.before);
        }
        self.bar.set_message(message(done, 0, Duration::ZERO));
        // If some of the bytes come from a pipe, the total is unknown.
        match bytes.total() {
            Some(total) => {
                self.bar.set_length(total);
                self.bar.set_style(style(
                    "{spinner} {elapsed} {msg}, {percent}% of {total_bytes} ({bytes_per_sec}), {eta} left",
                ));
            }
            None => self.bar.set_style(style("{spinner} {elapsed} {msg}, {bytes} ({bytes_per_sec})")),
        }
        // Without this, the speed of the previous work would determine the time left.
        self.bar.reset();
        self.bar.set_position(bytes.read());
        self.bar.reset_eta();
        let (since, before) = (Instant::now(), amount(done));
        self.shown = Some(Shown { kind, bytes: bytes.clone(), since, before });
        (since, before)
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn amount(done: Done) -> u64 {
    match done {
        Done::Captures(count)
        | Done::Lines(count)
        | Done::Requests(count)
        | Done::Merged(count)
        | Done::Shards(count) => count,
    }
}

/// Formats the amount done and, after the first second, the rate. The rate excludes `before`, the amount that was done
/// before the clock started.
fn message(done: Done, before: u64, elapsed: Duration) -> String {
    let what = match done {
        Done::Captures(_) => "robots.txt read",
        Done::Lines(_) => "URLs checked",
        Done::Requests(_) => "log lines evaluated",
        Done::Merged(parts) => return format!("{} parts merged", HumanCount(parts)),
        Done::Shards(_) => "shards written",
    };
    let count = amount(done);
    if elapsed < Duration::from_secs(1) {
        return format!("{} {what}", HumanCount(count));
    }
    let per_second = u128::from(count.saturating_sub(before)) * 1000 / elapsed.as_millis();
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

    fn undated_captures(&mut self, sites: u64) {
        let sites = counted(sites, "site has", "sites have");
        self.say(&format!(
            "warning: {sites} several captures that differ, without a time or of the same second: the last one in the input counts (give each its own \"time\")"
        ));
    }

    fn latest_plausible_capture(&self) -> Option<Moment> {
        const DAY: Duration = Duration::from_secs(86_400);
        Some(Moment::from(SystemTime::now() + DAY))
    }

    fn implausible_captures(&mut self, captures: u64) {
        let captures = counted(
            captures,
            "capture is dated more than a day after now, and counts",
            "captures are dated more than a day after now, and count",
        );
        self.say(&format!("warning: {captures} as the newest (correct the \"time\")"));
    }

    fn implausible_sites(&mut self, sites: u64) {
        let sites = counted(sites, "site of a bundle has", "sites of bundles have");
        self.say(&format!(
            "warning: {sites} a capture that is dated more than a day after now and counts as the newest (compile the bundle again, with the correct \"time\")"
        ));
    }

    fn redirects(&mut self, counts: RedirectCounts) {
        let RedirectCounts { without_target, apart, distant, with_body } = counts;
        let number = |count| counted(count, "redirect leads", "redirects lead");
        if without_target > 0 {
            self.say(&format!(
                "warning: {} to a URL whose result is not in the same source: it is not followed (add a capture of each target to the source; a 304 is no result)",
                number(without_target)
            ));
        }
        if apart > 0 {
            self.say(&format!(
                "warning: {} in a loop of captures that are more than ten minutes apart: such a loop is not followed (capture targets together with their redirects)",
                number(apart)
            ));
        }
        if with_body > 0 {
            self.say(&format!(
                "warning: {} a body and no \"location\": the body does not count (a fetcher that follows redirects must record the status of the last response)",
                counted(with_body, "redirect or 304 has", "redirects or 304s have")
            ));
        }
        if distant > 0 {
            self.say(&format!(
                "warning: {} to a capture of more than a day before or after: its rules may have changed (capture targets together with their redirects)",
                number(distant)
            ));
        }
    }

    fn not_a_robots_file(&mut self, file: &FileName, kind: BodyKind) {
        let what = match kind {
            BodyKind::Html => "an HTML page",
            BodyKind::Xml => "XML",
            BodyKind::Json => "JSON",
            BodyKind::Binary => "binary data or UTF-16",
            BodyKind::Empty => "white space alone",
            _ => "text without a rule",
        };
        self.say(&format!(
            "warning: {file}: expected a robots.txt, found {what}: without rules, everything is allowed (check the file)"
        ));
    }

    fn rules_without_a_group(&mut self, file: &FileName, line: u32) {
        self.say(&format!(
            "warning: {file}:{line}: expected a group (User-agent) before the first rule: these rules count for no crawler, so everything is allowed (check the file)"
        ));
    }

    fn records_in_one_line(&mut self, file: &FileName) {
        self.say(&format!(
            "warning: {file}: expected a robots.txt, found its records in a single line: only the first one is read, so everything is allowed (restore its line ends)"
        ));
    }

    fn empty_files(&mut self, files: u64) {
        let files = counted(
            files,
            "file of a directory has no bytes: it counts",
            "files of directories have no bytes: they count",
        );
        self.say(&format!(
            "warning: {files} as an empty robots.txt, which allows everything (remove what a failed fetch left)"
        ));
    }

    fn progress(&mut self, progress: Progress<'_>) {
        if self.bar.is_hidden() {
            return;
        }
        let (since, before) = self.turn_to(progress);
        self.bar.set_message(message(progress.done, before, since.elapsed()));
        self.bar.set_position(progress.bytes.read());
    }

    fn divergence(&mut self, divergence: &Divergence) {
        let Divergence { site, url, crawler, engine, reference } = divergence;
        let site = site.as_deref().unwrap_or("no site");
        let (engine, reference) = (answer(*engine), answer(*reference));
        self.say(&format!(
            "divergence: {site}: {url}: for '{crawler}', the engine says {engine}, the reference {reference}"
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
        assert_eq!(message(Done::Lines(3_000_000), 0, second), "3,000,000 URLs checked (1,500,000/s)");
        assert_eq!(message(Done::Captures(1), 0, Duration::from_millis(999)), "1 robots.txt read");
        assert_eq!(message(Done::Merged(12), 0, second), "12 parts merged");
    }

    #[test]
    fn a_resumed_run_has_the_rate_of_what_it_does_itself() {
        let mut console = Console::quiet();
        let bytes = Meter::of_bytes(100);
        let (since, before) = console.turn_to(Progress { done: Done::Lines(2_000_000), bytes: &bytes });
        assert_eq!(before, 2_000_000);
        let later = console.turn_to(Progress { done: Done::Lines(3_000_000), bytes: &bytes });
        assert_eq!(later, (since, before));
        let message = message(Done::Lines(3_000_000), before, Duration::from_secs(2));
        assert_eq!(message, "3,000,000 URLs checked (500,000/s)");
    }

    #[test]
    fn closing_lines_leave_out_what_is_none() {
        let line = |invalid| {
            let parts = [
                Part::always(0, "allowed"),
                Part::always(1_033_235, "disallowed"),
                Part::some(invalid, "invalid"),
            ];
            closing_line(1_033_236, "URL", &parts)
        };
        assert_eq!(line(0), "1,033,236 URLs: 0 allowed, 1,033,235 disallowed");
        assert_eq!(line(1), "1,033,236 URLs: 0 allowed, 1,033,235 disallowed, 1 invalid");
    }

    #[test]
    fn progress_without_a_total_has_no_time_left() {
        let hidden = || Console::quiet();
        let mut console = hidden();
        let file = robomata_formats::Meter::of_bytes(100);
        console.turn_to(Progress { done: Done::Captures(1), bytes: &file });
        assert_eq!(console.bar.length(), Some(100));
        let mut console = hidden();
        let pipe = robomata_formats::Meter::of(&["-".into()]);
        let since = console.turn_to(Progress { done: Done::Captures(1), bytes: &pipe });
        assert_eq!(console.bar.length(), None);
        // The same kind of progress continues; another kind restarts.
        assert_eq!(console.turn_to(Progress { done: Done::Captures(2), bytes: &pipe }), since);
        assert_ne!(console.turn_to(Progress { done: Done::Lines(1), bytes: &pipe }), since);
    }
}
