//! Searches for the rules and the URL that need the most steps.
//!
//! The search is evolutionary: it changes one specimen or crosses two, and keeps a result that needs more steps a check
//! than others of its kind. Kinds differ in the program's layout, in the number of rules and in their length, so the
//! current worst specimen does not displace a promising different one. The engine itself counts the steps
//! (`ProgramRef::steps`), so a run is the same on any machine. Every answer is also compared with the reference, and steps
//! and program with the bounds that are promised.

mod mutate;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use robomata_engine::automaton::{Program, Scratch};
use robomata_engine::{Config, Crawler, Dialect, Policy};
use robomata_testkit::hostile::{self, FAMILIES};
use robomata_testkit::{Case, Expect, Word};

use crate::engines::{one_site, reference};

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Seed; the same seed breeds the same specimens.
    pub seed: u64,
    /// Number of specimens to breed.
    pub count: u64,
    /// The search ends earlier after this time.
    pub time: Option<Duration>,
    /// Size of a file in bytes.
    pub file: usize,
}

/// The initial population.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// The known expensive families.
    Families,
    /// One harmless rule.
    OneRule,
}

/// Rules, and a URL path that may be slow to match against them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specimen {
    /// The patterns of the rules.
    pub patterns: Vec<Vec<u8>>,
    /// The path; it begins with `/`.
    pub url: Vec<u8>,
    /// The family of the specimen, or the name of the last change to its ancestors.
    pub name: String,
}

/// The cost of a specimen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Steps of a check per byte of the longest URL. A short URL that needs as many steps is no worse.
    pub steps: f64,
    /// Bytes of the program per byte of the file.
    pub size: f64,
    /// Nanoseconds of compiling per byte of the file. This is wall-clock time, shown for information only.
    pub compile: f64,
    /// Microseconds of a check: the minimum of several.
    pub check: f64,
    /// Size of the file in bytes.
    pub file: usize,
}

impl Cost {
    /// Whether a check or the program exceeds what the code map promises for any file of this size: n (log m + 4 +
    /// sqrt(2 S) / 64) + m + 3 w steps. A file has at most one segment, and one wait node, for every two bytes. A program
    /// has at most 12 bytes for each byte of its file, and 200.
    pub fn is_beyond_bounds(&self) -> bool {
        let (n, file) = (hostile::URL as f64, self.file as f64);
        let steps = n * (file.max(2.0).log2() + 4.0 + (2.0 * file).sqrt() / 64.0) + 2.0 * file;
        self.steps * n > steps || self.size * file > 12.0 * file + 200.0
    }
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The known families.
    pub families: Vec<(Specimen, Cost)>,
    /// The worst bred specimen of each kind, the worst first.
    pub worst: Vec<(Specimen, Cost)>,
    /// The specimen with the largest program relative to its file.
    pub largest: Option<(Specimen, Cost)>,
    /// The first specimen whose cost is beyond the bounds.
    pub excess: Option<(Specimen, Cost)>,
    /// Number of specimens bred.
    pub bred: u64,
    /// The first specimen where the engine contradicts the reference.
    pub divergence: Option<(Case, String)>,
}

/// A kind of specimens; different kinds do not compete. Layout of the program, and magnitudes of rules, length and
/// segments.
type Kind = (u8, u32, u32, u32);

/// Breeds specimens until a limit is reached.
pub fn run(limits: &Limits, beginning: Beginning) -> Outcome {
    let mut random = fastrand::Rng::with_seed(limits.seed);
    let mut scratch = Scratch::new();
    let mut found = Outcome::default();
    let mut kept: BTreeMap<Kind, (Specimen, f64)> = BTreeMap::new();
    for specimen in beginning.specimens(limits.file) {
        let (kind, cost) = judge(&specimen, &mut scratch);
        found.notice(&specimen, cost);
        found.families.push((specimen.clone(), cost));
        keep(&mut kept, kind, specimen, cost.steps);
    }
    let start = Instant::now();
    while found.bred < limits.count && limits.time.is_none_or(|time| start.elapsed() < time) {
        let specimen = breed(&kept, limits.file, &mut random);
        found.bred += 1;
        let (kind, cost) = judge(&specimen, &mut scratch);
        found.notice(&specimen, cost);
        if found.largest.as_ref().is_none_or(|(_, largest)| largest.size < cost.size) {
            found.largest = Some((specimen.clone(), cost));
        }
        // The reference is slow: it checks the whole URL of kept specimens, and only the beginning of the others.
        let is_kept = kept.get(&kind).is_none_or(|(_, steps)| *steps < cost.steps);
        let shown = if is_kept { specimen.url.len() } else { 60.min(specimen.url.len()) };
        found.divergence = divergence(&specimen, shown);
        if found.divergence.is_some() || found.excess.is_some() {
            break;
        }
        keep(&mut kept, kind, specimen, cost.steps);
    }
    found.worst = kept
        .into_values()
        .map(|(specimen, _)| specimen)
        .map(|s| (s.clone(), judge(&s, &mut scratch).1))
        .collect();
    found.worst.sort_by(|(_, a), (_, b)| b.steps.total_cmp(&a.steps));
    found
}

impl Beginning {
    fn specimens(self, file: usize) -> Vec<Specimen> {
        if self == Beginning::OneRule {
            return vec![Specimen {
                patterns: vec![b"/*ab".to_vec()],
                url: b"/ab".to_vec(),
                name: "one rule".into(),
            }];
        }
        let mut scratch = Scratch::new();
        FAMILIES
            .iter()
            .filter_map(|&(name, family)| worst_of(name, &family.patterns(file), &mut scratch))
            .collect()
    }
}

/// The known family with its worst URL, or `None` if the file is too small for a single rule.
fn worst_of(name: &str, patterns: &[String], scratch: &mut Scratch) -> Option<Specimen> {
    if patterns.is_empty() {
        return None;
    }
    let program = compile(&hostile::file(patterns));
    let steps = |path: &String, scratch: &mut Scratch| program.as_ref().steps(path.as_bytes(), scratch);
    let (_, url) = hostile::urls(patterns).into_iter().max_by_key(|(_, path)| steps(path, scratch))?;
    let patterns = patterns.iter().map(|pattern| pattern.clone().into_bytes()).collect();
    Some(Specimen { patterns, url: url.into_bytes(), name: name.to_owned() })
}

fn compile(file: &[u8]) -> Program {
    let policy = Policy::new(file, &Config::new(Dialect::Rfc9309));
    Program::compile(&policy.rules_for(&Crawler::new("FooBot")))
}

/// Returns a changed or crossed specimen within the size limit.
fn breed(kept: &BTreeMap<Kind, (Specimen, f64)>, file: usize, random: &mut fastrand::Rng) -> Specimen {
    let mut by_steps: Vec<&(Specimen, f64)> = kept.values().collect();
    by_steps.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    // The worst quarter has as many children as all the others together.
    let choose = |random: &mut fastrand::Rng| {
        let among = if random.bool() { by_steps.len().div_ceil(4) } else { by_steps.len() };
        &by_steps[random.usize(..among)].0
    };
    let mut specimen = choose(random).clone();
    let other = choose(random);
    for _ in 0..=random.usize(..3) {
        mutate::change(&mut specimen, other, file, random);
        mutate::fit(&mut specimen, file);
    }
    specimen
}

fn keep(kept: &mut BTreeMap<Kind, (Specimen, f64)>, kind: Kind, specimen: Specimen, steps: f64) {
    let slot = kept.entry(kind).or_insert_with(|| (specimen.clone(), steps));
    if slot.1 < steps {
        *slot = (specimen, steps);
    }
}

fn judge(specimen: &Specimen, scratch: &mut Scratch) -> (Kind, Cost) {
    let file = hostile::file(&specimen.patterns);
    let start = Instant::now();
    let program = compile(&file);
    let compile = start.elapsed().as_nanos() as f64 / file.len() as f64;
    let prepared = program.as_ref().prepare();
    let mut check = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        std::hint::black_box(prepared.verdict(&specimen.url, scratch));
        check = check.min(start.elapsed());
    }
    let steps = program.as_ref().steps(&specimen.url, scratch) as f64 / hostile::URL as f64;
    let bytes = program.as_ref().bytes();
    let size = bytes.len() as f64 / file.len() as f64;
    let stars = specimen.patterns.iter().flatten().filter(|&&byte| byte == b'*').count();
    let kind = (
        bytes[1] >> 2,
        specimen.patterns.len().max(1).ilog2() / 2,
        (file.len() / specimen.patterns.len().max(1)).max(1).ilog2() / 2,
        (stars / specimen.patterns.len().max(1)).max(1).ilog2() / 2,
    );
    (kind, Cost { steps, size, compile, check: check.as_secs_f64() * 1e6, file: file.len() })
}

/// Compares the engine with the reference on the first `shown` bytes of the URL.
fn divergence(specimen: &Specimen, shown: usize) -> Option<(Case, String)> {
    let case = Case {
        id: String::new(),
        section: "2.2.2".to_owned(),
        title: specimen.name.clone(),
        dialect: Dialect::Rfc9309,
        robots: hostile::file(&specimen.patterns),
        status: None,
        crawler: Crawler::new("FooBot"),
        url: [b"https://hostile.example", &specimen.url[..shown]].concat(),
        expect: Expect { word: Word::Allow, line: None },
        note: String::new(),
    };
    let (answer, expected) = (one_site(&case)?, reference(&case));
    (answer != expected).then(|| (case, format!("the engine says {answer:?}, the reference {expected:?}")))
}

impl Outcome {
    fn notice(&mut self, specimen: &Specimen, cost: Cost) {
        if cost.is_beyond_bounds() && self.excess.is_none() {
            self.excess = Some((specimen.clone(), cost));
        }
    }

    /// Writes the worst files and their URLs into `folder`.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let numbered = self.worst.iter().take(SHOWN).enumerate();
        let named = numbered.map(|(number, (specimen, _))| (format!("worst-{}", number + 1), specimen));
        let largest = self.largest.iter().map(|(specimen, _)| ("largest".to_owned(), specimen));
        let excess = self.excess.iter().map(|(specimen, _)| ("beyond-bounds".to_owned(), specimen));
        for (name, specimen) in named.chain(largest).chain(excess) {
            let write = |ending: &str, bytes: &[u8]| {
                let path = folder.join(format!("{name}.{ending}"));
                std::fs::write(&path, bytes).with_context(|| path.display().to_string())
            };
            write("robots.txt", &hostile::file(&specimen.patterns))?;
            write("url.txt", &[b"https://hostile.example", &specimen.url[..]].concat())?;
        }
        Ok(())
    }
}

/// Number of bred specimens to print.
const SHOWN: usize = 10;

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles =
            ["specimen", "steps/byte", "µs/URL", "size", "compile ns/byte", "file", "rules", "for example"];
        writeln!(f, "| {} |\n|---|---|---|---|---|---|---|---|", titles.join(" | "))?;
        let bred = self.worst.iter().take(SHOWN).map(|item| ("bred", item));
        let largest = self.largest.iter().map(|item| ("largest", item));
        let excess = self.excess.iter().map(|item| ("BEYOND BOUNDS", item));
        for (kind, (specimen, cost)) in
            self.families.iter().map(|item| ("known", item)).chain(bred).chain(largest).chain(excess)
        {
            let middle =
                specimen.patterns.get(specimen.patterns.len() / 2).map_or(&[][..], |pattern| pattern);
            writeln!(
                f,
                "| {kind}: {} | {:.1} | {:.1} | {:.2} | {:.0} | {} | {} | `{}` |",
                specimen.name,
                cost.steps,
                cost.check,
                cost.size,
                cost.compile,
                cost.file,
                specimen.patterns.len(),
                middle[..middle.len().min(24)].escape_ascii(),
            )?;
        }
        writeln!(f, "\n{} bred", self.bred)
    }
}
