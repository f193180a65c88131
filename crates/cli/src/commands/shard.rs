//! `robomata shard`: one bundle into several.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;

use clap::{Args, ValueEnum};
use robomata_formats::Meter;
use robomata_jobs::{Done, Events as _, Progress, shard};

use crate::console::Console;

/// Divide a bundle among the machines of a cluster.
///
/// All sites of a host are in one shard: the share of the XXH3-64 (seed 0) of the host's name, in lower case and punycode,
/// without scheme and port, in all hashes: floor(hash * N / 2^64). That never changes, so a frontier can be divided
/// likewise by any program. Shards are bundles like any other. Their manifest, PREFIX-of-0000N.shards, has the fingerprint
/// of each: who opens them by the name PREFIX-*-of-0000N.bundle refuses a shard of another day.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata shard policies.bundle --by host -n 16 -o policies
  $ robomata shard history.bundle --by host -n 64 -o history",
    after_help = "\
Exit codes:
  0  all shards are written
  2  a usage error, a damaged bundle, or an output that cannot be written: shards before it are whole

Example:
  $ robomata shard policies.bundle --by host -n 16 -o policies
  $ ls policies-*
  policies-00000-of-00016.bundle …  policies-of-00016.shards"
)]
pub(crate) struct ShardArguments {
    /// The bundle
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// What a shard is chosen by
    #[arg(long, value_enum, default_value = "host")]
    by: By,
    /// How many shards
    #[arg(short = 'n', long, value_name = "N")]
    shards: NonZeroU32,
    /// What the names of the files begin with: PREFIX-00000-of-0000N.bundle
    #[arg(short = 'o', long, value_name = "PREFIX")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    Host,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &ShardArguments) -> anyhow::Result<ExitCode> {
    let By::Host = arguments.by;
    let mut console = Console::with_progress();
    let bytes = Meter::of(slice::from_ref(&arguments.bundle));
    let (size, count) = (bytes.total().unwrap_or(0), u64::from(arguments.shards.get()));
    let mut shards = 0;
    shard::run(&arguments.bundle, arguments.shards, &arguments.output, |shard| {
        let written = shard.written;
        console.say(&format!("{}: {} sites, {} bytes", shard.path.display(), written.sites, written.bytes));
        shards += 1;
        // Shards together are larger than what they are made of: each has its own copy of what they share.
        bytes.add((size * shards / count).saturating_sub(bytes.read()));
        console.progress(Progress { done: Done::Shards(shards), bytes: &bytes });
    })?;
    Ok(ExitCode::SUCCESS)
}
