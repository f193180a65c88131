//! `robomata shard`: divides a bundle into several.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use robomata_engine::PolicySet;
use robomata_formats::Meter;
use robomata_jobs::{Done, Events as _, Progress, shard, start_threads};

use crate::console::{Console, number_of};

/// Divide a bundle among the machines of a cluster.
///
/// All sites of a host are in one shard, number floor(hash * N / 2^64). The hash is the XXH3-64 (seed 0) of the host
/// name in lower case and punycode, without scheme and port. This formula will not change, so other programs can divide
/// a frontier in the same way. The manifest, PREFIX-of-0000N.shards, holds the fingerprint of each shard. Programs open
/// all shards by the name PREFIX-*-of-0000N.bundle, and refuse a shard that does not match. A shard says in
/// its bytes which one it is. It does not open on its own, whatever its name is, because the sites of the other shards
/// would pass as unknown. `inspect` reads one under its own name, and `diff` the same shard of two bundles.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata shard policies.bundle --by host -n 16 -o policies
  $ robomata shard history.bundle --by host -n 64 -o history",
    after_help = "\
Exit codes:
  0  all shards are written
  2  a usage error, a damaged bundle or a shard, or an output that cannot be written (the shards before it are complete)

Example:
  $ robomata shard policies.bundle --by host -n 16 -o policies
  $ ls policies-*
  policies-00000-of-00016.bundle …  policies-of-00016.shards"
)]
pub(crate) struct ShardArguments {
    /// The bundle; the name may end in # and the expected fingerprint
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// The key that determines the shard
    #[arg(long, value_enum, default_value = "host")]
    by: By,
    /// The number of shards
    #[arg(short = 'n', long, value_name = "N")]
    shards: NonZeroU32,
    /// The prefix of the file names: PREFIX-00000-of-0000N.bundle
    #[arg(short = 'o', long, value_name = "PREFIX")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    Host,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &ShardArguments) -> anyhow::Result<ExitCode> {
    start_threads(None)?;
    let By::Host = arguments.by;
    let mut console = Console::with_progress();
    let bytes = Meter::of(&[PolicySet::split_pin(&arguments.bundle).0.to_owned()]);
    let (size, count) = (bytes.total().unwrap_or(0), u64::from(arguments.shards.get()));
    let mut shards = 0;
    shard::run(&arguments.bundle, arguments.shards, &arguments.output, |shard| {
        let written = shard.written;
        let (sites, written_bytes) = (number_of(written.sites, "site"), number_of(written.bytes, "byte"));
        console.say(&format!("{}: {sites}, {written_bytes}", shard.path.display()));
        shards += 1;
        // The shards together are larger than the bundle: each has its own copy of the shared parts.
        bytes.add((size * shards / count).saturating_sub(bytes.read()));
        console.progress(Progress { done: Done::Shards(shards), bytes: &bytes });
    })?;
    Ok(ExitCode::SUCCESS)
}
