//! `crosscheck`: compares the engine with the reference.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use rayon::prelude::*;
use robomata_crosscheck::corpus::Corpus;
use robomata_crosscheck::fuzz::{Beginning, Limits};
use robomata_crosscheck::mutants::{self, Mutants};
use robomata_crosscheck::night::results::Kind;
use robomata_crosscheck::night::watch::Watch;
use robomata_crosscheck::night::{self, Divergence};
use robomata_crosscheck::planted::copy::Outcome as NightOutcome;
use robomata_crosscheck::planted::{self, Build};
use robomata_crosscheck::refresh::{Outcome, STRATEGIES, Strategy, World};
use robomata_crosscheck::score::Questions;
use robomata_crosscheck::score::history::History;
use robomata_crosscheck::score::requests::{Sources, Traffic};
use robomata_crosscheck::{blocks, corpus, costs, fuzz, generated, permissions, refresh_chart, score};
use robomata_engine::{Audience, Dialect, StoreKind};
use robomata_jobs::score::TimeTravel;
use robomata_testkit::case::{Case, Expect, to_toml};
use robomata_testkit::permission_case::{PermissionCase, PermissionFailure};

/// A unit of `night` that runs for so many seconds does not end. Usual ones take a tenth of a second.
const ENDLESS: u32 = 45;

/// Compares the engine with the reference. Exit codes: 0 they agree, 1 they differ, 2 an input could not be read.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Check questions generated from a seed: robots files with every oddity, URLs that nearly match.
    Generated {
        /// Seed; the same seed gives the same questions.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of questions.
        #[arg(long, default_value_t = 1_000_000)]
        count: u64,
        /// Also mutate the robots files of this corpus.
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// Write a divergence to this file as a conformance case.
        #[arg(long)]
        write: Option<PathBuf>,
    },
    /// Check blocks of generated URLs over many sites, in every way in which a bundle can be checked.
    Blocks {
        /// Seed; the same seed gives the same blocks.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of answers.
        #[arg(long, default_value_t = 200_000)]
        count: u64,
    },
    /// Check questions of all kinds, with many URLs for each file, and add the counts to a file.
    ///
    /// A run starts from the first unused seeds. A run that is killed loses only the units at hand.
    Night {
        /// The file with the counts of all runs.
        #[arg(long)]
        results: PathBuf,
        /// A corpus. Without one, no real files and no changes of them are checked.
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// Begin no more units after this many seconds.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Number of threads.
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// Write a divergence to this file as a conformance case.
        #[arg(long)]
        write: Option<PathBuf>,
    },
    /// Plant errors in a copy of the engine, one by one, and see whether `night` finds each.
    Planted {
        /// Seconds for each error.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// A corpus for `night`.
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// Only errors whose name contains this text.
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Change the engine in thousands of small ways, one by one, and see whether a test or `night` notices each.
    ///
    /// All changes are built at once, in a copy of the sources below `target/planted`. That takes minutes, and so does
    /// each change that nothing notices. Changes are tried in a random order, so those that were tried at any time are
    /// a sample of all. A run that is stopped resumes from its results.
    Mutants {
        /// The file with the results of all runs.
        #[arg(long)]
        results: PathBuf,
        /// Begin no more changes after this many seconds of trying.
        #[arg(long, default_value_t = 3600)]
        seconds: u64,
        /// Seconds of `night` for each change.
        #[arg(long, default_value_t = 10)]
        night: u64,
        /// Seed of the order.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Only changes whose name contains this text.
        #[arg(long, default_value = "")]
        only: String,
        /// Try changes again that were missed or did not end, but those that `mutants.tsv` explains.
        #[arg(long)]
        again: bool,
        /// Print the names of all changes, and try none.
        #[arg(long)]
        list: bool,
    },
    /// Run the commands on adversarial files, and compare their time and memory with the limits of SECURITY.md.
    Costs {
        /// The command.
        #[arg(long)]
        robomata: PathBuf,
        /// Size of a file in bytes.
        #[arg(long, default_value_t = 500 << 10)]
        bytes: usize,
        /// Only commands, or families of files, whose name contains this text.
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Search for rules and URLs that need the most steps a check, and compare them with the known expensive families.
    Fuzz {
        /// Seed; the same seed breeds the same specimens.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of specimens.
        #[arg(long, default_value_t = 1_000)]
        count: u64,
        /// Stop after this many seconds, even if specimens are left.
        #[arg(long)]
        seconds: Option<u64>,
        /// Size of a file in bytes.
        #[arg(long, default_value_t = 20_000)]
        bytes: usize,
        /// Start with one harmless rule instead of the known families.
        #[arg(long)]
        from_nothing: bool,
        /// Write the worst files and their URLs to this folder.
        #[arg(long)]
        to: Option<PathBuf>,
    },
    /// Check usage questions: robots files, pages and circumstances generated from a seed.
    Permissions {
        /// Seed; the same seed gives the same questions.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of questions.
        #[arg(long, default_value_t = 200_000)]
        count: u64,
        /// Check some URLs of this corpus instead.
        #[arg(long, conflicts_with_all = ["seed", "count"])]
        corpus: Option<PathBuf>,
    },
    /// Check every URL of a corpus (robots.jsonl.zst, urls.tsv.zst, google_verdicts.tsv.zst), or of a small one (sites/,
    /// urls.txt).
    Corpus {
        /// The corpus folder.
        folder: PathBuf,
        /// Write divergences to this file as conformance cases.
        #[arg(long)]
        write: Option<PathBuf>,
    },
    /// Score a log of generated requests to the hosts of a corpus, and evaluate every request again with the robots.txt
    /// in force at its time. The corpus has history_events.jsonl.zst, history_bodies.jsonl.zst, agents/ and
    /// urls.tsv.zst.
    Score {
        /// The corpus folder.
        folder: PathBuf,
        /// Seed; the same seed gives the same requests.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of requests; they are scored in every dialect.
        #[arg(long, default_value_t = 200_000)]
        count: usize,
    },
    /// Simulate crawlers that fetch robots.txt files again, over the histories of real hosts: outdated verdicts against
    /// saved fetches. The corpus has history_events.jsonl.zst, history_bodies.jsonl.zst and urls.tsv.zst.
    Refresh {
        /// The corpus folder.
        folder: PathBuf,
        /// Seed; the same seed places the changes at the same instants.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Draw the curves to this file as SVG.
        #[arg(long)]
        svg: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().what) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("crosscheck: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(what: What) -> Result<ExitCode> {
    match what {
        What::Generated { seed, count, corpus, write } => {
            let real =
                corpus.map(|folder| Corpus::load(&folder)).transpose()?.map_or(Vec::new(), |c| c.bodies);
            let found = generated::run(seed, count, &real);
            println!("{} questions checked", found.questions);
            report(found.divergence.as_slice(), write.as_deref())
        }
        What::Blocks { seed, count } => {
            let found = blocks::run(seed, count);
            println!("{} questions checked", found.questions);
            println!("{} divergences", found.divergence.iter().count());
            let Some(divergence) = found.divergence else { return Ok(ExitCode::SUCCESS) };
            println!("{divergence}");
            Ok(ExitCode::FAILURE)
        }
        What::Night { results, corpus, seconds, threads, write } => {
            let corpus = corpus.map(|folder| Corpus::load(&folder)).transpose()?;
            let needs_corpus = |kind: &Kind| matches!(kind, Kind::Bred | Kind::Real);
            let kinds: Vec<Kind> =
                Kind::ALL.into_iter().filter(|kind| corpus.is_some() || !needs_corpus(kind)).collect();
            let limits = night::Limits { time: Duration::from_secs(seconds), threads };
            let watch = Watch::start(ENDLESS, |kind, seed| {
                println!("seed {seed} of {}:\nno end after {ENDLESS} seconds", kind.as_str());
                // A thread cannot be stopped. The counts of all rounds before this one are written.
                std::process::exit(1);
            });
            let (results, divergence) = night::run(&results, &kinds, limits, |kind, seed| {
                watch.run(kind, seed, || night::compare(kind, seed, corpus.as_ref()))
            })?;
            print!("{results}");
            let total = results.total();
            println!("{} questions, {} answers compared", total.questions, total.answers);
            let Some((kind, seed, divergence)) = divergence else {
                println!("{} divergences", total.divergences);
                return Ok(ExitCode::SUCCESS);
            };
            println!("seed {seed} of {}:", kind.as_str());
            match divergence {
                Divergence::Answer(case, message) => report(&[(*case, message)], write.as_deref()),
                Divergence::Usage(case) => Ok(report_permissions(1, &[*case])),
                Divergence::Other(difference) => {
                    println!("{difference}");
                    Ok(ExitCode::FAILURE)
                }
            }
        }
        What::Planted { seconds, corpus, only } => run_planted(seconds, corpus.as_deref(), &only),
        What::Mutants { results, seconds, night, seed, only, again, list } => {
            if list {
                let found = Mutants::find(planted::workspace())?;
                found
                    .mutants
                    .iter()
                    .for_each(|mutant| println!("{}:{}\t{}", mutant.file, mutant.line, mutant.name));
                return Ok(ExitCode::SUCCESS);
            }
            let time = Duration::from_secs(seconds);
            run_mutants(&results, &mutants::Plan { time, night, seed, only, again })
        }
        What::Costs { robomata, bytes, only } => run_costs(&robomata, bytes, &only),
        What::Fuzz { seed, count, seconds, bytes, from_nothing, to } => {
            let limits = Limits { seed, count, time: seconds.map(Duration::from_secs), file: bytes };
            let beginning = if from_nothing { Beginning::OneRule } else { Beginning::Families };
            let found = fuzz::run(&limits, beginning);
            print!("{found}");
            if let Some(folder) = to {
                found.write(&folder)?;
            }
            let code = report(found.divergence.as_slice(), None)?;
            if found.excess.is_some() {
                println!("a specimen costs more than is promised");
                return Ok(ExitCode::FAILURE);
            }
            Ok(code)
        }
        What::Permissions { corpus: Some(folder), .. } => {
            let found = permissions::corpus::run(&Corpus::load(&folder)?);
            println!("{} questions checked", found.questions);
            Ok(report_permissions(found.divergences.len(), &found.divergences))
        }
        What::Permissions { seed, count, corpus: None } => {
            let found = permissions::generated::run(seed, count);
            println!("{} questions checked", found.questions);
            Ok(report_permissions(found.divergent, &found.divergences))
        }
        What::Corpus { folder, write } => {
            let corpus = Corpus::load(&folder)?;
            println!(
                "{} captures, {} distinct bodies, {} URLs",
                corpus.captures,
                corpus.bodies.len(),
                corpus.url_count()
            );
            let found = corpus::run(&corpus);
            println!("{} programs compiled, {} bytes", found.programs, found.program_bytes);
            println!("{} answers compared", found.comparisons);
            report(&found.divergences, write.as_deref())
        }
        What::Score { folder, seed, count } => run_score(&folder, seed, count),
        What::Refresh { folder, seed, svg } => {
            let world = World::load(&folder, seed)?;
            println!("{world}");
            let found: Vec<(Strategy, Outcome)> =
                STRATEGIES.into_par_iter().map(|strategy| (strategy, world.run(strategy))).collect();
            let daily = found[0].1;
            for (strategy, outcome) in &found {
                println!("{strategy}: {}", outcome.against(&daily));
            }
            svg.map_or(Ok(ExitCode::SUCCESS), |path| {
                refresh_chart::write(&found, &path).map(|()| ExitCode::SUCCESS)
            })
        }
    }
}

fn run_score(folder: &Path, seed: u64, count: usize) -> Result<ExitCode> {
    const SHOWN: usize = 20;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut history = History::load(folder)?;
    history.add_generated(&mut random);
    let [hosts, captures, without_rules, generated] = history.counts();
    println!(
        "{hosts} hosts ({} skipped), {captures} captures: {without_rules} without rules, {generated} generated",
        history.left_out
    );
    let sources = Sources::load(folder, &history, &mut random)?;
    println!("crawlers: {}", sources.names.join(", "));
    let agents =
        ["crawler-user-agents.json", "ai-robots-txt.json"].map(|name| folder.join("agents").join(name));
    let mut divergences = 0;
    for dialect in Dialect::ALL {
        if !StoreKind::new(dialect, Audience::Everyone).is_possible() {
            continue;
        }
        let traffic = Traffic::generated(&history, &sources.of(dialect), seed, count);
        let travel = TimeTravel::InForce;
        let found = score::run(&Questions {
            history: &history,
            traffic: &traffic,
            agents: &agents,
            dialect,
            travel,
        })?;
        println!("{dialect}: {found}, {} divergences", found.divergences.len());
        for divergence in found.divergences.iter().take(SHOWN) {
            println!("  {divergence}");
        }
        divergences += found.divergences.len();
    }
    println!("{divergences} divergences");
    Ok(if divergences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_costs(program: &Path, bytes: usize, only: &str) -> Result<ExitCode> {
    let program = program.canonicalize().with_context(|| program.display().to_string())?;
    let mut too_much = 0;
    println!("{}", costs::HEADER);
    costs::run(&program, bytes, only, |row| {
        println!("{row}");
        too_much += u32::from(row.is_too_much());
    })?;
    println!("{too_much} take more than {:?} or {} MiB", costs::MOST_TIME, costs::MOST_MEMORY >> 20);
    Ok(if too_much == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_planted(seconds: u64, corpus: Option<&Path>, only: &str) -> Result<ExitCode> {
    let root = planted::workspace();
    let errors = planted::list(root)?;
    let build = Build::new(root, &errors)?;
    // Without an error there is no difference, so each difference below comes from its error.
    let undisturbed = build.run(None, seconds, corpus)?;
    if !matches!(undisturbed, NightOutcome::Missed(_)) {
        println!("without any error: {undisturbed:?}");
        return Ok(ExitCode::FAILURE);
    }
    let (mut tried, mut missed, mut most) = (0, 0, 0);
    println!("part\terror\tfound by\tanswers");
    for (number, error) in errors.iter().enumerate().filter(|(_, error)| error.id.contains(only)) {
        let outcome = build.run(Some(number), seconds, corpus)?;
        let (by, answers) = match &outcome {
            NightOutcome::Found(kind, answers) => (kind.as_str(), *answers),
            NightOutcome::Crashed => ("crash", 0),
            NightOutcome::Endless => ("NO END", 0),
            NightOutcome::Missed(answers) => ("MISSED", *answers),
        };
        println!("{}\t{}\t{by}\t{answers}", error.part, error.id);
        tried += 1;
        // A run that does not end in time may only be slow, so it does not count as found.
        if matches!(outcome, NightOutcome::Missed(_) | NightOutcome::Endless) {
            missed += 1;
        } else {
            most = most.max(answers);
        }
    }
    println!("{} of {tried} found, after at most {most} answers", tried - missed);
    Ok(if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_mutants(results: &Path, plan: &mutants::Plan) -> Result<ExitCode> {
    let report = mutants::run(planted::workspace(), results, plan)?;
    print!("{report}");
    Ok(if report.unexplained == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report_permissions(count: impl Display, divergences: &[PermissionCase]) -> ExitCode {
    const SHOWN: usize = 8;
    println!("{count} divergences");
    for case in divergences.iter().take(SHOWN) {
        println!("\n{}", PermissionFailure { case: case.clone(), mismatches: Vec::new() });
        for difference in permissions::divergence(case) {
            println!("  {difference}");
        }
    }
    if divergences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report(divergences: &[(Case, String)], write: Option<&Path>) -> Result<ExitCode> {
    const SHOWN: usize = 20;
    println!("{} divergences", divergences.len());
    let mut file = String::from("spec = \"divergences\"\n");
    for (number, (case, message)) in divergences.iter().enumerate() {
        let expect = Expect::of(robomata_crosscheck::engines::reference(case));
        let text = to_toml(&Case { expect, ..case.clone() });
        if number < SHOWN {
            println!("\n# {message}\n{text}");
        }
        file.push_str(&format!("\n# {message}\n{text}"));
    }
    if let Some(path) = write
        && !divergences.is_empty()
    {
        std::fs::write(path, file).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(if divergences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
