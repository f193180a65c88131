//! `robomata inspect`: verifies a bundle and shows its contents.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use robomata_engine::{Moment, Version};
use robomata_formats::Output;
use robomata_jobs::bundle;
use robomata_jobs::inspect::{self, Inspection, ProgramShare, SiteInspection};
use robomata_jobs::start_threads;

use crate::args::usage_error;
use crate::console::number_of;
use crate::output::write_text;

/// Verify a bundle and show its contents.
///
/// Reads the whole bundle: the checksum, every program and every site.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata inspect policies.bundle
  $ robomata inspect history.bundle --site https://example.com/",
    after_help = "\
Exit codes:
  0  the bundle is valid
  1  the site of --site is not in the bundle
  2  a usage error, an unreadable file, or a damaged bundle

Examples:
  $ robomata inspect policies.bundle
  $ robomata inspect history.bundle --site https://example.com/"
)]
pub(crate) struct InspectArguments {
    /// The bundle; the name may end in # and the expected fingerprint
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// Show only the site of URL, with its versions
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// List the N largest programs and the N programs that most sites share
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &InspectArguments) -> anyhow::Result<ExitCode> {
    start_threads(None)?;
    let store = bundle::open(&arguments.bundle)?;
    let Some(url) = &arguments.site else {
        let inspection = inspect::inspect(&store, arguments.top);
        write_text(
            Output::stdout(),
            if arguments.json { json(&inspection) } else { text(&arguments.bundle, &inspection) },
        )?;
        return Ok(ExitCode::SUCCESS);
    };
    let found = inspect::inspect_site(&store, url);
    let found = found.map_err(|error| usage_error("inspect", &format!("--site: {error}, found {url:?}")))?;
    let Some(site) = found else {
        write_text(
            Output::stdout(),
            if arguments.json { "null\n".to_owned() } else { format!("{url}: unknown\n") },
        )?;
        return Ok(ExitCode::FAILURE);
    };
    write_text(Output::stdout(), if arguments.json { json(&site) } else { text_of_site(&site) })?;
    Ok(ExitCode::SUCCESS)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON") + "\n"
}

fn text(bundle: &Path, inspection: &Inspection) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<13}{value}");
    };
    let Inspection { sections, outcomes, .. } = inspection;
    let parts = &sections.parts;
    let crawlers = match inspection.crawlers.as_slice() {
        [] => "every crawler".to_owned(),
        crawlers => crawlers.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    };
    let purpose = inspection.purpose.as_ref().map(|purpose| format!(" for {purpose}")).unwrap_or_default();
    row("for", format!("{crawlers}, {}, {}{purpose}", inspection.dialect, inspection.usage));
    if let Some(shard) = inspection.shard {
        row("part", format!("{shard}: without the sites of the others"));
    }
    row("bytes", format!("{}, checksum and programs verified", inspection.bytes));
    row("fingerprint", inspection.fingerprint.clone());
    row(
        "sections",
        format!(
            "header {}, slots {}, sites {}, index {}, programs {}, schedules {}, tdmreps {}, bodies {}",
            sections.header,
            parts.slots,
            parts.sites,
            parts.index,
            parts.programs,
            parts.schedules,
            parts.tdmreps,
            parts.bodies
        ),
    );
    row(
        "sites",
        format!(
            "{}: rules {}, unavailable {}, disallowed {}, deferred {}, redirected {}",
            inspection.sites,
            outcomes.rules,
            outcomes.unavailable,
            outcomes.disallowed,
            outcomes.deferred,
            outcomes.redirected
        ),
    );
    if inspection.tdmreps > 0 {
        row("mining", format!("{} with a tdmrep.json", number_of(inspection.tdmreps as u64, "site")));
    }
    if let Some(most) = inspection.most_versions.as_ref().filter(|most| most.count > 1) {
        row("versions", format!("{}, at most {} ({})", inspection.versions, most.count, most.site));
    }
    if let Some((first, last)) = &inspection.captured {
        row("captured", format!("{first} to {last}"));
    }
    row("programs", format!("{}, used {}", inspection.programs, number_of(inspection.program_uses, "time")));
    row("bodies", format!("{} known", inspection.bodies));
    let mut programs = |name: &str, programs: &[ProgramShare]| {
        for (at, program) in programs.iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let bytes = number_of(program.bytes as u64, "byte");
            let uses = number_of(u64::from(program.uses), "time");
            row(name, format!("{bytes}, used {uses}: {}", program.site));
        }
    };
    programs("shared", &inspection.most_shared);
    programs("largest", &inspection.largest);
    format!("{}\n{out}", bundle.display())
}

fn text_of_site(site: &SiteInspection) -> String {
    let mut out = format!("{}\n", site.site);
    for (versions, of) in [(&site.versions, ""), (&site.tdmreps, " (tdmrep.json)")] {
        for version in versions {
            let time =
                |time: Option<Moment>| time.map_or("at no known time".to_owned(), |time| time.to_string());
            let Version { first, last, outcome } = *version;
            let _ = if first == last {
                writeln!(out, "  {}  {outcome}{of}", time(first))
            } else {
                writeln!(out, "  {} to {}  {outcome}{of}", time(first), time(last))
            };
        }
    }
    out
}
