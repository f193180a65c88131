//! `robomata man`: generates man pages from the `--help` texts.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use robomata_formats::Output;
use robomata_jobs::JobError;

use crate::args::{Arguments, usage_error};
use crate::output::write_text;

/// Generate man pages: print one, or write all of them.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata man filter | man -l -
  $ robomata man --to ~/.local/share/man/man1",
    after_help = "\
Examples:
  $ robomata man filter | man -l -
  $ robomata man --to ~/.local/share/man/man1"
)]
pub(crate) struct ManArguments {
    /// Print the page of this sub-command [default: the page of robomata]
    #[arg(value_name = "COMMAND", conflicts_with = "to")]
    command: Option<String>,
    /// Write the pages of all sub-commands to FOLDER: robomata.1, robomata-filter.1, …
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &ManArguments) -> anyhow::Result<ExitCode> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    match (&arguments.to, &arguments.command) {
        (Some(folder), _) => write_all(&command, folder)?,
        (None, Some(name)) => match command.find_subcommand(name) {
            Some(command) => print(command)?,
            None => return Err(usage_error("man", &format!("expected a sub-command, found '{name}'"))),
        },
        (None, None) => print(&command)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_all(command: &Command, folder: &Path) -> Result<(), JobError> {
    for command in std::iter::once(command).chain(command.get_subcommands()) {
        let page = Page::of(command);
        write_text(Output::create(&folder.join(format!("{}.1", page.name)))?, &page.text)?;
    }
    Ok(())
}

fn print(command: &Command) -> Result<(), JobError> {
    write_text(Output::stdout(), &Page::of(command).text)
}

/// A man page, in roff.
struct Page {
    name: String,
    text: Vec<u8>,
}

impl Page {
    fn of(command: &Command) -> Self {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        let mut text = Vec::new();
        let page = Man::new(command.clone());
        let rendered: io::Result<()> = page.render(&mut text);
        rendered.expect("memory takes any page");
        Page { name, text: with_tables(&text) }
    }
}

/// A page whose indented lines, which are tables and calls, are not filled.
fn with_tables(page: &[u8]) -> Vec<u8> {
    let (mut text, mut is_table) = (Vec::with_capacity(page.len()), false);
    for line in page.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b"  ") != is_table {
            is_table = !is_table;
            text.extend_from_slice(if is_table { b".nf\n" } else { b".fi\n" });
        }
        text.extend_from_slice(line);
    }
    text
}
