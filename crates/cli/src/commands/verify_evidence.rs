//! `robomata verify-evidence`: decides again, from captures, what evidence says.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, Args};
use robomata_engine::{Audience, Dialect, History, StoreKind};
use robomata_formats::Output;
use robomata_jobs::evidence::{VerifyJob, VerifyReport, verify};
use robomata_jobs::sources;
use robomata_jobs::{Share, Strictness, start_threads};

use crate::args::{SourceReading, usage_error};
use crate::console::{Console, Part, closing_line, say};
use crate::output::{is_stdin, write_text};
use crate::style::visible;

/// Verify the evidence of a filter with the captures of robots.txt files.
///
/// Reads what `filter --evidence` wrote. For each line, the robots.txt of the site at that time is compiled again from its
/// text, without a bundle, and decides again. Verdict, line, rule and the hash of the robots.txt have to be the same.
/// Evidence of a bundle (`filter --policies`) has no hash: such lines are verified only with --of-bundle, and counted.
/// The fingerprint of the policies is not verified: compare it with those of your bundles.
///
/// SOURCE is as for `filter`. All captures of a site count, not only the newest one.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common call:
  $ robomata verify-evidence evidence.jsonl.zst --robots robots.jsonl.zst",
    after_help = "\
Exit codes:
  0  every line in the sample is verified
  1  some lines are different, or their captures are missing; the first ones are listed
  2  a usage error, a file that cannot be opened, a line that is no evidence, or nothing to verify
  4  an input ends early or cannot be read to its end, or standard output is closed before the end

Examples:
  $ robomata filter --agent Googlebot --robots robots.jsonl.zst --evidence evidence.jsonl.zst \\
      urls.txt > allowed.txt
  $ robomata verify-evidence evidence.jsonl.zst --robots robots.jsonl.zst
  $ robomata verify-evidence evidence.jsonl.zst --robots robots.jsonl.zst --sample 0.01"
)]
pub(crate) struct VerifyEvidenceArguments {
    /// Files that `filter --evidence` wrote
    #[arg(value_name = "EVIDENCE", required = true)]
    evidence: Vec<PathBuf>,
    /// Captures of robots.txt files, as for `filter`; may be repeated
    #[arg(long, value_name = "SOURCE", required = true, action = ArgAction::Append)]
    robots: Vec<PathBuf>,
    #[command(flatten)]
    reading: SourceReading,
    /// Verify a sample of the URLs: a number from 0 to 1, or all. The same URLs are in the sample each time
    #[arg(long, value_name = "RATE|all", default_value = "all")]
    sample: Share,
    /// Accept lines without the hash of a robots.txt: the evidence is that of a bundle
    #[arg(long)]
    of_bundle: bool,
    /// List the first N lines that are not verified
    #[arg(long, value_name = "N", default_value_t = 10)]
    show: usize,
    /// Suppress progress, warnings and the last line of counts
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &VerifyEvidenceArguments) -> anyhow::Result<ExitCode> {
    start_threads(None)?;
    if arguments.evidence.iter().chain(&arguments.robots).filter(|path| is_stdin(path)).count() > 1 {
        let message = "standard input cannot be read twice: use '-' only once in EVIDENCE and --robots";
        return Err(usage_error("verify-evidence", message));
    }
    let mut console = Console::new(arguments.quiet);
    let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::default(), Audience::Everyone) };
    let options = arguments.reading.options(kind, Strictness::default());
    let captures = sources::load_bodies(&arguments.robots, &options, &mut console)?;
    let job = VerifyJob {
        evidence: arguments.evidence.clone(),
        captures: &captures,
        share: arguments.sample,
        of_bundle: arguments.of_bundle,
        shown: arguments.show,
    };
    let report = verify(&job)?;
    drop(console);
    if report.verified + report.different + report.missing == 0 {
        let why = match report.lines {
            0 => "the evidence has no lines (give the file that filter --evidence wrote)".to_owned(),
            lines => format!("none of its {lines} lines is in the sample (raise --sample)"),
        };
        anyhow::bail!("nothing was verified: {why}");
    }
    let mut list = String::new();
    for mismatch in &report.mismatches {
        let (url, reason) = (visible(&mismatch.url), visible(&mismatch.reason));
        list += &format!("{}:{}: {url}: {reason}\n", mismatch.file, mismatch.line);
    }
    write_text(Output::stdout(), list)?;
    if !arguments.quiet {
        say(&closing(&report));
    }
    Ok(if report.different + report.missing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn closing(report: &VerifyReport) -> String {
    let parts = [
        Part::always(report.verified, "verified"),
        Part::some(report.without_hash, "without a hash"),
        Part::some(report.different, "different"),
        Part::some(report.missing, "without a capture"),
    ];
    closing_line(report.lines, "line", &parts)
}
