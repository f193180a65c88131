//! Command-line arguments that several sub-commands share.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use robomata_engine::protocol::lifecycle::Moment;
use robomata_engine::protocol::limits;
use robomata_engine::{
    Config, Crawler, Dialect, FetchStatus, NamedCrawler, PolicySet, PolicySetError, StoreKind, Usage,
    UsageQuery, VerifiedBundles, read_crawler,
};
use robomata_formats::{FileName, NoParquet, Timestamp, require_parquet};
use robomata_jobs::sources::{LoadOptions, SourceCounts, SourceHost};
use robomata_jobs::{IncompleteInput, JobError, RobotsFile, RowForm, Strictness};

use crate::commands::{
    check, compare, compile, completions, debug, diff, explain, filter, inspect, lint, man, pace,
    permissions, plan, score, shard, sql, verify_evidence,
};
use crate::console::{number_of, say};
use crate::fetch::{FetchArguments, moment};

/// Evaluates robots.txt files: which URLs may a crawler fetch? For one URL, or for billions.
#[derive(Debug, Parser)]
#[command(
    name = "robomata",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Every sub-command has its own --help, with examples and exit codes.

Example:
  $ printf 'User-agent: *\\nDisallow: /x\\n' | robomata check --agent ExampleBot --robots - /x/y
  disallow\t/x/y"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// Parses the arguments of the process. `sql` is listed only if its program is installed.
    pub(crate) fn of_command_line() -> Self {
        let command = Self::command().mut_subcommand("sql", |sql| sql.hide(sql::program().is_none()));
        Self::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
    }
}

// The variants have no doc comments of their own: clap takes those of their arguments.
/// The sub-commands. Each has its own file in `commands`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::CheckArguments),
    Explain(explain::ExplainArguments),
    Permissions(permissions::PermissionsArguments),
    Filter(filter::FilterArguments),
    VerifyEvidence(verify_evidence::VerifyEvidenceArguments),
    Compile(compile::CompileArguments),
    Inspect(inspect::InspectArguments),
    Shard(shard::ShardArguments),
    Pace(pace::PaceArguments),
    Score(score::ScoreArguments),
    Plan(plan::PlanArguments),
    #[command(name = "compare", visible_alias = "dissent")]
    Compare(compare::CompareArguments),
    #[command(name = "diff", visible_alias = "blast-radius")]
    Diff(diff::DiffArguments),
    Lint(lint::LintArguments),
    #[cfg(feature = "playground")]
    Playground(crate::commands::playground::PlaygroundArguments),
    Debug(debug::DebugArguments),
    Sql(sql::SqlArguments),
    Completions(completions::CompletionsArguments),
    Man(man::ManArguments),
}

/// One robots.txt and one crawler.
#[derive(Args, Debug)]
pub(crate) struct OneSite {
    /// The crawler's product token, followed by the tokens it falls back to, separated by commas
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    pub(crate) agent: String,
    /// The robots.txt, plain or compressed (gzip, zstd); - is standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) robots: PathBuf,
    /// The dialect for parsing and matching the robots.txt
    #[arg(long, value_parser = dialect_parser(), default_value = Dialect::Rfc9309.as_str())]
    pub(crate) dialect: Dialect,
    #[command(flatten)]
    parsing_limit: ParsingLimit,
}

impl OneSite {
    /// Returns how the robots.txt is read.
    pub(crate) fn config(&self) -> Config {
        self.parsing_limit.config(self.dialect)
    }

    /// Returns the crawler given with `--agent` to sub-command `name`.
    pub(crate) fn crawler(&self, name: &str) -> anyhow::Result<Crawler> {
        crawler(name, &self.agent, self.dialect)
    }
}

/// One robots.txt and the URLs to check against it.
#[derive(Args, Debug)]
pub(crate) struct Questions {
    #[command(flatten)]
    pub(crate) site: OneSite,
    /// Print one JSON object per line instead of text; long lines of the robots.txt are cut after 500 characters, and
    /// long lists after 100 entries
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fetch: FetchArguments,
    /// The URLs; if none are given, they are read from standard input, one per line
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<OsString>,
}

/// Sources of robots.txt files for many sites.
#[derive(Args, Debug)]
pub(crate) struct SourceArguments {
    /// Captures of robots.txt files: a WARC, Parquet, TSV or JSON Lines file, or a directory (files named by host, or
    /// HOST/robots.txt), or one robots.txt with --host; may be repeated
    #[arg(long, value_name = "SOURCE")]
    pub(crate) robots: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: SourceReading,
}

/// How sources are read.
#[derive(Args, Debug)]
pub(crate) struct SourceReading {
    /// The site of a SOURCE that is a plain robots.txt: a host (its http and its https site, both on the port if one is
    /// given) or a URL (only the site with this scheme, host and port). Other SOURCEs name their own sites. At least
    /// one SOURCE must be a plain robots.txt (except in score, where the logs may need the host)
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<SourceHost>,
    /// The time of captures without one, such as those of a directory or of a plain robots.txt. Without it, one that
    /// differs from a dated capture of its site is an error
    #[arg(long, value_name = "TIME")]
    captured_at: Option<Timestamp>,
    /// If a SOURCE ends early, use the part that can be read instead of failing with exit code 4
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    pub(crate) parsing_limit: ParsingLimit,
}

impl SourceReading {
    /// Options for loading sources into a store of this kind.
    pub(crate) fn options(&self, kind: StoreKind, strictness: Strictness) -> LoadOptions {
        LoadOptions {
            strictness,
            host: self.host.clone(),
            incomplete: self.incomplete(),
            captured_at: self.captured_at(),
            parsing_limit: self.parsing_limit.bytes(),
            ..LoadOptions::new(kind)
        }
    }

    /// Returns the time of captures without one.
    pub(crate) fn captured_at(&self) -> Option<Moment> {
        self.captured_at.map(moment)
    }

    /// Returns what happens if a source ends early.
    pub(crate) fn incomplete(&self) -> IncompleteInput {
        if self.partial { IncompleteInput::Use } else { IncompleteInput::Refuse }
    }
}

/// How much of each robots.txt is read.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ParsingLimit {
    /// Read at most BYTES of each robots.txt, at least 512000; of a longer one, the lines that are complete within them
    /// count [default: 4 MiB, but no limit in the dialect google, whose crawlers read 512000]. The dialect yandex has a
    /// limit of its own
    #[arg(long, value_name = "BYTES", value_parser = parsing_limit)]
    max_robots_bytes: Option<usize>,
}

fn parsing_limit(text: &str) -> Result<usize, String> {
    let bytes = text.parse().map_err(|_| "expected a number of bytes".to_owned())?;
    limits::parsing_limit(bytes).map_err(|error| error.to_string())
}

/// Counts the robots.txt files that are longer than the parsing limit.
pub(crate) fn too_long(files: u64) -> String {
    format!("{} longer than the parsing limit", number_of(files, "robots.txt file"))
}

/// The end of a closing line: the number of robots.txt files that are longer than the parsing limit.
pub(crate) fn of_too_long(files: u64) -> String {
    if files == 0 { String::new() } else { format!("; {}", too_long(files)) }
}

/// The end of a closing line: the numbers of captures that are not a robots.txt, and of those that are too long.
pub(crate) fn of_captures(counts: &SourceCounts) -> String {
    let not_robots = match counts.not_robots {
        none if none.total() == 0 => String::new(),
        some => format!("; not a robots.txt: {some}"),
    };
    not_robots + &of_too_long(counts.too_long)
}

/// Prints a note if `robots` has more bytes than are read.
pub(crate) fn note_if_longer(robots: &RobotsFile, config: &Config) {
    if robots.is_longer_than(config) {
        let (name, limit) = (robots.name(), config.parsing_limit());
        say(&format!("note: {name}: longer than the parsing limit of {limit} bytes"));
    }
}

impl ParsingLimit {
    pub(crate) fn bytes(self) -> Option<usize> {
        self.max_robots_bytes
    }

    /// Returns how a robots.txt in `dialect` is read.
    pub(crate) fn config(self, dialect: Dialect) -> Config {
        Config::new(dialect).with_parsing_limit(self.max_robots_bytes)
    }

    /// Checks that robots.txt files are read, not only a bundle.
    pub(crate) fn require_no_bundle(self, bundle: Option<&Path>) -> Result<(), JobError> {
        match (self.max_robots_bytes, bundle) {
            (Some(_), Some(bundle)) => Err(JobError::UnusedLimit(FileName::new(bundle))),
            _ => Ok(()),
        }
    }
}

/// How a bundle is opened.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct BundleReading {
    /// Validate all of the bundle. By default its checksums are always compared, but its structure is validated only
    /// when its file was changed or replaced since the last time; ~/.cache/robomata remembers that
    #[arg(long)]
    verify: bool,
}

impl BundleReading {
    /// Checks for sub-command `name` that a bundle is given if it is to be validated. clap does not require an argument that
    /// is in conflict with another one.
    pub(crate) fn require_bundle(self, name: &str, bundle: Option<&Path>) -> anyhow::Result<()> {
        match bundle {
            None if self.verify => Err(usage_error(name, "--verify applies to --policies (leave it out)")),
            _ => Ok(()),
        }
    }

    /// Opens the bundle called `name`.
    pub(crate) fn open(self, name: &Path) -> Result<PolicySet, PolicySetError> {
        let folder = if self.verify { None } else { cache_folder() };
        let verified = folder.and_then(|folder| VerifiedBundles::in_folder(&folder.join("verified")).ok());
        PolicySet::open_unless_verified(name, verified)
    }
}

/// The folder for files that may be removed at any time.
fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("robomata"))
}

/// The usage to evaluate in addition to crawling.
#[derive(Args, Clone, Debug)]
pub(crate) struct UsageArguments {
    /// Also require permission for this usage: a URL passes if both crawling and the usage are permitted. A usage that
    /// the site does not mention is permitted. One of crawl, follow, index, preserve, present, snippet
    /// (present-snippet), …, search, ai-input, ai-train, tdm, other
    #[arg(long, value_name = "USAGE")]
    usage: Option<Usage>,
    /// The purpose of the usage, a name or URI, for sites that distinguish purposes (ACAP-usage-purpose)
    #[arg(long, value_name = "PURPOSE", requires = "usage")]
    purpose: Option<String>,
}

impl UsageArguments {
    pub(crate) fn usage_query(&self) -> UsageQuery {
        UsageQuery { usage: self.usage.unwrap_or(Usage::Crawl), purpose: self.purpose.clone() }
    }

    /// Returns the dialect in which sub-command `name` reads sources. If a usage (even crawl) or a purpose is given,
    /// the default is ACAP, which extends RFC 9309.
    pub(crate) fn dialect(&self, name: &str, requested: Option<Dialect>) -> anyhow::Result<Dialect> {
        if self.usage_query() == UsageQuery::default() {
            let default = if self.usage.is_some() { Dialect::Acap } else { Dialect::default() };
            return Ok(requested.unwrap_or(default));
        }
        match requested.unwrap_or(Dialect::Acap) {
            dialect @ (Dialect::Acap | Dialect::Rfc9309) => Ok(dialect),
            other => {
                let message = format!(
                    "dialect '{other}' supports only crawl: --usage and --purpose require --dialect acap or rfc9309"
                );
                Err(usage_error(name, &message))
            }
        }
    }
}

/// Returns the crawler given with `--agent` to sub-command `name`, in `dialect`. If the interpretation is not obvious,
/// prints a note on standard error.
pub(crate) fn crawler(name: &str, agent: &str, dialect: Dialect) -> anyhow::Result<Crawler> {
    let NamedCrawler { crawler, note } =
        read_crawler(agent, dialect).map_err(|error| usage_error(name, &format!("--agent: {error}")))?;
    print_note(note);
    Ok(crawler)
}

fn print_note(note: Option<String>) {
    if let Some(note) = note {
        say(&format!("note: --agent: {note}"));
    }
}

/// Like [`crawler`], in each of `dialects`. All dialects that accept a name read the same crawler.
pub(crate) fn crawler_of_all(name: &str, agent: &str, dialects: &[Dialect]) -> anyhow::Result<Crawler> {
    let mut notes = Vec::new();
    for &dialect in dialects {
        let refused = |error| usage_error(name, &format!("--agent, in dialect {dialect}: {error}"));
        let note = read_crawler(agent, dialect).map_err(refused)?.note;
        notes.extend(note.filter(|note| !notes.contains(note)));
    }
    notes.into_iter().for_each(|note| print_note(Some(note)));
    crawler_of_any(name, agent, dialects)
}

/// Like [`crawler`], in the first of `dialects` that accepts the name, and without a note: which of them applies is not
/// known yet.
pub(crate) fn crawler_of_any(name: &str, agent: &str, dialects: &[Dialect]) -> anyhow::Result<Crawler> {
    let accepted = dialects.iter().find_map(|&dialect| read_crawler(agent, dialect).ok());
    let first = dialects.first().copied().unwrap_or_default();
    accepted.map_or_else(|| crawler(name, agent, first), |named| Ok(named.crawler))
}

/// Returns the crawlers given with several `--agent` options; see [`crawler`].
pub(crate) fn crawlers(name: &str, agents: &[String], dialect: Dialect) -> anyhow::Result<Vec<Crawler>> {
    agents.iter().map(|agent| crawler(name, agent, dialect)).collect()
}

/// Parses a dialect's name; help texts list the names.
pub(crate) fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::as_str)).try_map(|name| name.parse::<Dialect>())
}

/// Parses the outcome of a fetch: an HTTP status code, `network-failure` (no response) or `too-many-redirects`.
pub(crate) fn fetch_status(text: &str) -> Result<FetchStatus, String> {
    match text {
        "network-failure" => return Ok(FetchStatus::NetworkFailure),
        "too-many-redirects" => return Ok(FetchStatus::TooManyRedirects),
        _ => {}
    }
    let status = text.parse().ok().and_then(FetchStatus::of_code);
    status.ok_or_else(|| "expected an HTTP status code, network-failure or too-many-redirects".to_owned())
}

/// Converts `--strict` for jobs.
pub(crate) fn strictness(strict: bool) -> Strictness {
    if strict { Strictness::Strict } else { Strictness::Lenient }
}

/// Checks that this build has Parquet if an argument requires it.
pub(crate) fn require_parquet_for(is_required: bool) -> Result<(), NoParquet> {
    if is_required { require_parquet() } else { Ok(()) }
}

/// Checks that an output of rows can be Parquet, if it is: this build has Parquet, and the name asks for no compression
/// of the file as a whole.
pub(crate) fn require_parquet_output(is_parquet: bool, to: Option<&Path>) -> Result<(), String> {
    if !is_parquet {
        return Ok(());
    }
    require_parquet().map_err(|error| error.to_string())?;
    match to {
        Some(to) if is_compressed(to) => {
            Err("Parquet is compressed internally (remove .gz or .zst from the name in --to)".to_owned())
        }
        _ => Ok(()),
    }
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        extension.eq_ignore_ascii_case("gz") || extension.eq_ignore_ascii_case("zst")
    })
}

/// Parses the name of an output that is Parquet if `is_parquet` returns so.
pub(crate) fn output_parser(is_parquet: fn(&Path) -> bool) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| require_parquet_for(is_parquet(&path)).map(|()| path))
}

/// Parses the name of a table, which determines its format.
pub(crate) fn table_parser() -> impl TypedValueParser<Value = PathBuf> {
    output_parser(is_parquet).try_map(|path| require_table_name(&path, "").map(|()| path))
}

/// Checks that the name of a table promises no other format. `other` is another way to get the table.
pub(crate) fn require_table_name(path: &Path, other: &str) -> Result<(), String> {
    match RowForm::other_of_name(path) {
        Some(promised) => Err(format!(
            "{}: a table is tsv, jsonl or parquet, not {promised} (choose another name{other})",
            path.display()
        )),
        None => Ok(()),
    }
}

/// Returns whether the name of a file of rows makes it Parquet.
pub(crate) fn is_parquet(path: &Path) -> bool {
    RowForm::of_name(path) == RowForm::Parquet
}

/// Parses a duration in seconds, such as `90m`: a whole number and a unit.
pub(crate) fn duration(text: &str) -> Result<i64, String> {
    const UNITS: [(char, i64); 4] = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400)];
    let parsed = UNITS.iter().find_map(|&(unit, seconds)| {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(i64::from(number) * seconds)
    });
    parsed.ok_or_else(|| "expected a whole number and a unit, such as 90s, 30m, 24h or 7d".to_owned())
}

/// Creates a usage error of sub-command `name` that clap cannot detect by itself.
pub(crate) fn usage_error(name: &str, message: &str) -> anyhow::Error {
    let mut command = Arguments::command();
    command.build();
    let command = command.find_subcommand_mut(name).expect("named by the sub-command itself");
    command.error(clap::error::ErrorKind::ArgumentConflict, message).into()
}
