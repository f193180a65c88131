//! `robomata explain`: shows why URLs are allowed or disallowed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Args;
use robomata_engine::Conflict;
use robomata_engine::automaton::RankedRule;
use robomata_engine::protocol::Semantics;
use robomata_engine::protocol::lifecycle::Applies;
use robomata_engine::protocol::semantics::{Normalization, ParsingLimit};
use robomata_formats::{Output, OutputError};
use robomata_jobs::JobError;
use robomata_jobs::explain::{self, Account, Quoted};
use robomata_jobs::fetch::StandingReport;

use crate::args::Questions;
use crate::commands::check::{EXPECTED_URL, exit_code, write_json};
use crate::style::{Styles, paint, visible};

/// Show why URLs are allowed or disallowed.
///
/// For each URL: the verdict and its reason, the group that applies and why, the path and query (in koster1996, only
/// the path) as they were compared, and the relevant lines of the robots.txt. The deciding line and the runner-up are
/// marked. In acap, overruled lines are shown with the rule that overruled them.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata explain --agent GPTBot --robots robots.txt https://example.com/news
  $ robomata explain --agent GPTBot --robots robots.txt --status 503 --now 2026-11-22 /news",
    after_help = "\
Exit codes:
  0  all URLs are allowed
  1  some URL is disallowed, deferred or unknown
  2  a usage error, an unreadable file, or an invalid URL or none
  4  standard output is closed before the end

Example:
  $ robomata explain --agent Googlebot-Image,Googlebot --robots robots.txt \\
      https://example.com/private/a"
)]
pub(crate) struct ExplainArguments {
    #[command(flatten)]
    questions: Questions,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: ExplainArguments) -> anyhow::Result<ExitCode> {
    let json = arguments.questions.json;
    let (input, urls) = arguments.questions.read("explain")?;
    let mut output = Output::stdout();
    let view = View { styles: Styles::for_stdout(), crawler: input.crawler.to_string() };
    let tally = explain::run(input.question(), urls, |account, quote| {
        if json {
            return write_json(&mut output, account);
        }
        let text = view.text(account, quote);
        output.write_all(text.as_bytes()).map_err(|error| OutputError::from(error).into())
    })?;
    output.commit().map_err(JobError::from)?;
    Ok(exit_code(tally))
}

/// The number of matching rules, and of lines that open a group, that are quoted.
const QUOTED: usize = 12;

/// Formats accounts as text.
struct View {
    styles: Styles,
    crawler: String,
}

impl View {
    fn text(&self, account: &Account, quote: &Quoted<'_>) -> String {
        let mut text = paint(self.styles.heading, visible(&account.url));
        text.push('\n');
        let verdict = paint(self.styles.of_verdict(account.verdict), account.verdict);
        let _ = writeln!(text, "  {} {verdict}: {}", paint(self.styles.faint, "verdict "), why(account));
        if let Some(target) = &account.target {
            let is_read =
                account.standing.is_none_or(|report| matches!(report.standing.applies, Applies::Rules(_)));
            if is_read {
                self.field(&mut text, "group", &self.group(account));
                if let Some(limit) = account.exceeded_limit {
                    let read = match account.dialect.semantics().parsing_limit {
                        ParsingLimit::Option(_) => "only what is within it is read",
                        ParsingLimit::NoRulesBeyond(_) => "no rule counts",
                    };
                    let value = format!("the file is longer than {limit} bytes: {read}");
                    self.field(&mut text, "limit", &value);
                }
            }
            self.field(&mut text, "target", &format!("{target} ({})", compared(account)));
            if is_read {
                self.field(&mut text, "rules", &rules(account));
            }
            self.field(&mut text, "dialect", account.dialect.as_str());
            if let Some(standing) = &account.standing {
                self.standing(&mut text, standing);
            }
            let lacks = list_with(&account.lacks, account.omitted.get("lacks"));
            for (name, words) in [("with", list(&account.qualifiers)), ("lacks", lacks)] {
                if !words.is_empty() {
                    self.field(&mut text, name, &words);
                }
            }
            self.quote(&mut text, account, quote);
        }
        text.push('\n');
        text
    }

    fn field(&self, text: &mut String, name: &str, value: &str) {
        text.push_str(&format!("  {}", self.styles.field(format_args!("{name:<8}"), value)));
    }

    /// Adds what applies because of the fetch, until when, and why.
    fn standing(&self, text: &mut String, report: &StandingReport) {
        self.field(text, "standing", &format!("{}: {}", report.standing.applies, report.standing.why));
        self.field(text, "until", &until(report));
    }

    fn group(&self, account: &Account) -> String {
        let Account { group, .. } = account;
        let group = group.as_deref().unwrap_or("none");
        let crawler = &self.crawler;
        match account.group_reason {
            "own" => format!("{group}: the file has a group for {crawler}"),
            "any" => format!("{group}: no group names {crawler}, and this one is for every other crawler"),
            _ => format!("{group}: no group is for {crawler}, and none is for every other crawler"),
        }
    }

    /// Quotes the relevant lines, in the order of the file.
    fn quote(&self, text: &mut String, account: &Account, quote: &Quoted<'_>) {
        let mut notes: BTreeMap<u32, String> = BTreeMap::new();
        let group_lines = account.foremost_group_lines(QUOTED);
        notes.extend(group_lines.iter().map(|&line| (line, String::new())));
        let list_continues = "<- does not end the list of names: only a rule does (RFC 9309, 2.2.4)";
        notes.extend(account.joined_lines.iter().take(QUOTED).map(|&line| (line, list_continues.to_owned())));
        notes.extend(account.matching.iter().take(QUOTED).map(|rule| (rule.line, note(account, rule))));
        // A line can have several statements. It is shown as the one that decides.
        let overruled = account.conflicts.iter().filter(|conflict| conflict.loser.line != account.line);
        notes.extend(overruled.take(QUOTED).map(|Conflict { rule, loser }| {
            (loser.line, format!("<- overruled: {rule} ({})", loser.vocabulary))
        }));
        if account.line > 0 {
            // Rules already have notes.
            notes.entry(account.line).or_insert_with(|| "<- decides".to_owned());
        }
        if notes.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n  {}", paint(self.styles.faint, visible(&format!("{}:", quote.file()))));
        let quoted: Vec<(u32, String, String)> = notes
            .into_iter()
            .map(|(line, note)| (line, visible(&quote.line(line).unwrap_or_default()), visible(&note)))
            .collect();
        let width = quoted.iter().map(|(_, line, _)| line.chars().count()).max().unwrap_or(0).min(50);
        for (line, written, note) in quoted {
            let mark = if line == account.line { '>' } else { ' ' };
            let row = format!("  {mark} {line:>5} | {written:<width$}  {note}");
            let row = row.trim_end();
            if line == account.line {
                let _ = writeln!(text, "{}", paint(self.styles.of_verdict(account.verdict), row));
            } else {
                let _ = writeln!(text, "{row}");
            }
        }
        let left_out = |all: usize| all.saturating_sub(QUOTED);
        for (count, one, several) in [
            (
                account.whole(&account.group_lines, "group_lines") - group_lines.len(),
                "line that opens these groups",
                "lines that open these groups",
            ),
            (
                left_out(account.whole(&account.joined_lines, "joined_lines")),
                "line that does not end the list of names",
                "lines that do not end the list of names",
            ),
            (left_out(matching(account)), "matching rule of lower rank", "matching rules of lower rank"),
            (
                left_out(account.whole(&account.conflicts, "conflicts")),
                "overruled statement",
                "overruled statements",
            ),
        ] {
            if count > 0 {
                let what = if count == 1 { one } else { several };
                let _ = writeln!(text, "          ({count} more {what})");
            }
        }
    }
}

/// Did the outcome of the fetch decide, so that no robots.txt was read?
fn decided_by_fetch(account: &Account) -> bool {
    matches!(account.reason, "unavailable" | "unreachable" | "restricted" | "deferred" | "unknown")
}

/// Formats until when something applies, and when to fetch again.
pub(crate) fn until(StandingReport { standing, due }: &StandingReport) -> String {
    let until = standing.until.map_or_else(|| "the next fetch".to_owned(), |until| until.to_string());
    let due = if *due { ", which is due" } else { "" };
    format!("{until} (fetch the robots.txt again at {}{due})", standing.refetch)
}

/// Lists restrictions or facts.
pub(crate) fn list(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Lists items of which `more` are left out.
pub(crate) fn list_with(items: &[impl ToString], more: Option<&usize>) -> String {
    more.map_or_else(|| list(items), |more| format!("{}, and {more} more", list(items)))
}

/// Names the part of a URL that is compared, and its form.
fn compared(account: &Account) -> &'static str {
    let Semantics { normalization, compares_query, .. } = account.dialect.semantics();
    match (normalization, compares_query) {
        (Normalization::EscapedPatterns, _) => "path and query as given",
        (_, true) => "path and query in normal form",
        (_, false) => "the path alone, in normal form",
    }
}

/// Describes what decided.
fn why(account: &Account) -> String {
    match account.reason {
        _ if account.standing.is_some() && decided_by_fetch(account) => {
            "by the fetch of the robots.txt".to_owned()
        }
        "rule" => format!("line {} decides", account.line),
        "undeterminable" => {
            format!("fields of ACAP contradict each other: line {} prohibits (ACAP 1.0, 2.4.5)", account.line)
        }
        "no-rule" if account.group.is_none() => "the default, since no group applies".to_owned(),
        "no-rule" => "the default, since no rule of the group matches".to_owned(),
        "robots-txt" => "/robots.txt itself is always allowed (RFC 9309, 2.2.2)".to_owned(),
        "unavailable" => "the robots.txt is unavailable (RFC 9309, 2.3.1.3)".to_owned(),
        "unreachable" => "the robots.txt is unreachable (RFC 9309, 2.3.1.4)".to_owned(),
        "restricted" => "access to the robots.txt is restricted (Koster 1996, 3.1)".to_owned(),
        "deferred" => "the robots.txt is temporarily unavailable (Koster 1996, 3.1)".to_owned(),
        "uninterpretable" => {
            format!("line {} grants a permission that cannot be interpreted, so it prohibits", account.line)
        }
        "unknown" => {
            "the robots.txt was redirected, and the redirect was not followed (RFC 9309, 2.3.1.2)".to_owned()
        }
        _ => EXPECTED_URL.to_owned(),
    }
}

fn rules(account: &Account) -> String {
    format!("{} of {} match; best is {}", matching(account), account.rules, account.order)
}

/// The number of rules that match.
fn matching(account: &Account) -> usize {
    account.whole(&account.matching, "matching")
}

/// Describes the role of a matching rule in the decision.
fn note(account: &Account, rule: &RankedRule) -> String {
    let part = if account.winner.as_ref() == Some(rule) {
        "wins"
    } else if account.runner_up.as_ref() == Some(rule) {
        "runner-up"
    } else {
        "matches"
    };
    let bytes = if rule.length == 1 { "byte" } else { "bytes" };
    format!("<- {part}: {} ({} {bytes})", rule.pattern, rule.length)
}
