//! `robomata debug`: prints every stage of the compilation of one robots.txt.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use robomata_engine::Crawler;
use robomata_formats::{Output, OutputError};
use robomata_jobs::{JobError, RobotsFile, debug};

use crate::args::{OneSite, note_if_longer};
use crate::console::Console;
use crate::output::refuse_inputs;

/// Print every stage of the compilation of one robots.txt, from records to the automaton.
///
/// In order: records, diagnostics, groups, the group chosen for the crawler, extensions with their types, rules with
/// their ranks, the compiled program as text, and the program as a graph in Graphviz DOT.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata debug --agent Googlebot --robots robots.txt
  $ robomata debug --agent Googlebot --robots robots.txt --dot - | dot -Tsvg > program.svg",
    after_help = "\
Exit codes:
  0  done
  2  a usage error, an unreadable file, or no bytes instead of a robots.txt

Example:
  $ robomata debug --agent Googlebot --robots robots.txt --dot - | dot -Tsvg > program.svg"
)]
pub(crate) struct DebugArguments {
    #[command(flatten)]
    site: OneSite,
    /// Also write the graph to FILE; with - print only the graph
    #[arg(long, value_name = "FILE|-")]
    dot: Option<PathBuf>,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &DebugArguments) -> anyhow::Result<ExitCode> {
    refuse_inputs("debug", arguments.dot.as_deref(), [&*arguments.site.robots])?;
    let crawler = arguments.site.crawler("debug")?;
    let robots = RobotsFile::read_robots(&arguments.site.robots)?;
    robots.require_bytes(RobotsFile::ADVICE_ON_EMPTY)?;
    robots.report_kind(&arguments.site.config(), &mut Console::quiet());
    note_if_longer(&robots, &arguments.site.config());
    let only_drawing = arguments.dot.as_deref().is_some_and(|path| path.as_os_str() == "-");
    if let Some(path) = &arguments.dot {
        draw(&arguments.site, &crawler, &robots, path)?;
    }
    if !only_drawing {
        print(&arguments.site, &crawler, &robots)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn draw(site: &OneSite, crawler: &Crawler, robots: &RobotsFile, path: &Path) -> Result<(), JobError> {
    let mut output = Output::create(path)?;
    debug::write_dot(&mut output, robots, crawler, &site.config()).map_err(OutputError::from)?;
    Ok(output.commit()?)
}

fn print(site: &OneSite, crawler: &Crawler, robots: &RobotsFile) -> Result<(), JobError> {
    let mut output = Output::stdout();
    debug::write(&mut output, robots, crawler, &site.config()).map_err(OutputError::from)?;
    Ok(output.commit()?)
}
