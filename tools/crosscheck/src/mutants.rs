//! Thousands of small changes of the engine, one by one, to see whether a test or [`night`](crate::night) notices each.
//!
//! * [`find`]: the places of a source file, and what they can be changed to.
//! * [`values`]: simple values of a type.
//! * [`judge`]: builds all changes at once, and runs the checks with one of them.
//! * [`results`]: what was found, in a file.
//!
//! One change is a *mutant*. It is named by its file, function and text, without a line, so that its name remains when
//! other code changes. A mutant that a check fails on is *caught*.

pub mod find;
pub mod judge;
pub mod results;
pub mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use self::find::{Choice, Form, Place};
use self::results::{Results, Row, Verdict};
use crate::planted::copy::{condition, read};

/// What is changed, as the start of a path, and the package that has it.
const CHANGED: [(&str, &str); 3] = [
    ("crates/automaton/src/", "robomata-automaton"),
    ("crates/policy/src/", "robomata-policy"),
    ("crates/permissions/src/decide.rs", "robomata-permissions"),
];
/// Files there that are only for tests, or for `Debug`.
const LEFT_OUT: [&str; 2] = ["/tests.rs", "/debug.rs"];
/// The list of mutants that need not be caught, from the root of the workspace.
const EXPLAINED: &str = "tools/crosscheck/mutants.tsv";

/// One change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its name.
    pub name: String,
    /// The file, from the root of the workspace.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The package that it is in.
    pub package: &'static str,
    place: usize,
    choice: usize,
}

/// All mutants. The number of one is its place in `mutants`.
#[derive(Debug)]
pub struct Mutants {
    /// The mutants, by file and place.
    pub mutants: Vec<Mutant>,
    files: BTreeMap<String, (String, Vec<Place>)>,
}

/// A text with mutants, and where the code of each is.
type Rewritten = (String, Vec<(Range<usize>, usize)>);

impl Mutants {
    /// Finds all mutants of the workspace.
    ///
    /// # Errors
    /// If a file cannot be read, or is no Rust.
    pub fn find(root: &Path) -> Result<Mutants> {
        let mut found = Mutants { mutants: Vec::new(), files: BTreeMap::new() };
        for (path, package) in CHANGED {
            for file in files(root, path)? {
                found.add(&file, package, read(root, &file)?).with_context(|| file.clone())?;
            }
        }
        Ok(found)
    }

    fn add(&mut self, file: &str, package: &'static str, text: String) -> Result<()> {
        let places = find::places(&text)?;
        let mut names: BTreeMap<String, u32> = BTreeMap::new();
        for (number, place) in places.iter().enumerate() {
            for (choice, Choice { change, .. }) in place.choices.iter().enumerate() {
                let short = file.trim_start_matches("crates/").replacen("/src/", "/", 1);
                let mut name = format!("{short} {}: {change}", place.function);
                let count = names.entry(name.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    name.push_str(&format!(" #{count}"));
                }
                let (file, line) = (file.to_owned(), place.line);
                self.mutants.push(Mutant { name, file, line, package, place: number, choice });
            }
        }
        self.files.insert(file.to_owned(), (text, places));
        Ok(())
    }

    /// The texts of all files, with all mutants but some. The numbers of the others remain.
    pub fn rewrite(&self, without: &BTreeSet<usize>) -> BTreeMap<String, Rewritten> {
        let mut numbers: BTreeMap<(&str, usize, usize), usize> = BTreeMap::new();
        for (number, mutant) in
            self.mutants.iter().enumerate().filter(|(number, _)| !without.contains(number))
        {
            numbers.insert((&mutant.file, mutant.place, mutant.choice), number);
        }
        self.files
            .iter()
            .map(|(file, (text, places))| {
                let number = |place, choice| numbers.get(&(file.as_str(), place, choice)).copied();
                (file.clone(), rewrite(text, places, number))
            })
            .collect()
    }
}

/// Writes all choices of the places that have a number next to the text that they replace.
fn rewrite(text: &str, places: &[Place], number: impl Fn(usize, usize) -> Option<usize>) -> Rewritten {
    enum Piece<'a> {
        Text(String),
        Choice(usize, &'a str),
    }
    // What is inserted, by place in the text. There, what ends comes before what starts, and inner places end first.
    let mut pieces: Vec<(usize, isize, Vec<Piece<'_>>)> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let choices: Vec<(usize, &str)> = (0..place.choices.len())
            .filter_map(|choice| Some((number(at, choice)?, place.choices[choice].with.as_str())))
            .collect();
        if choices.is_empty() {
            continue;
        }
        let order = isize::try_from(at + 1).unwrap_or(isize::MAX);
        let mut before = Vec::new();
        for (index, &(number, with)) in choices.iter().enumerate() {
            let condition = condition(number);
            let start = match (place.form, index) {
                (Form::Arm, _) => format!(" if !{condition}"),
                (Form::Iterator, _) => "Iterator::take(".to_owned(),
                (Form::Expression, 0) => format!("(if {condition} {{ "),
                (Form::Body, 0) => format!(" if {condition} {{ return "),
                (Form::Expression, _) => format!(" }} else if {condition} {{ "),
                (Form::Body, _) => format!("; }} else if {condition} {{ return "),
            };
            before.extend([Piece::Text(start), Piece::Choice(number, with)]);
        }
        match place.form {
            Form::Expression => {
                before.push(Piece::Text(" } else { ".to_owned()));
                pieces.push((place.range.end, -order, vec![Piece::Text(" })".to_owned())]));
            }
            Form::Iterator => {
                let empty = format!(", if {} {{ 0 }} else {{ usize::MAX }})", condition(choices[0].0));
                pieces.push((place.range.end, -order, vec![Piece::Text(empty)]));
            }
            Form::Body => before.push(Piece::Text("; }".to_owned())),
            Form::Arm => {}
        }
        pieces.push((place.range.start, order, before));
    }
    pieces.sort_by_key(|(at, order, _)| (*at, *order));
    let (mut out, mut branches, mut copied) = (String::new(), Vec::new(), 0);
    for (at, _, pieces) in pieces {
        out.push_str(&text[copied..at]);
        copied = at;
        for piece in pieces {
            let start = out.len();
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Choice(number, with) => {
                    out.push_str(with);
                    branches.push((start..out.len(), number));
                }
            }
        }
    }
    out.push_str(&text[copied..]);
    (out, branches)
}

/// The files below a path that are not left out, from the root of the workspace.
fn files(root: &Path, path: &str) -> Result<Vec<String>> {
    if path.ends_with(".rs") {
        return Ok(vec![path.to_owned()]);
    }
    let folder = root.join(path);
    let mut found = Vec::new();
    for entry in
        std::fs::read_dir(&folder).with_context(|| format!("{}: cannot be read", folder.display()))?
    {
        let entry = entry?;
        let name = format!("{path}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            found.extend(files(root, &format!("{name}/"))?);
        } else if name.ends_with(".rs") && !LEFT_OUT.iter().any(|end| name.ends_with(end)) {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads why some mutants need not be caught.
///
/// # Errors
/// If the list cannot be read.
pub fn explained(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut explained = BTreeMap::new();
    for (number, line) in (1..).zip(read(root, EXPLAINED)?.lines()) {
        let (name, why) =
            line.split_once('\t').with_context(|| format!("{EXPLAINED}:{number}: expected a tab"))?;
        let is_new = explained.insert(name.to_owned(), why.to_owned()).is_none();
        ensure!(is_new, "{EXPLAINED}:{number}: a second line for {name}");
    }
    Ok(explained)
}

/// What a run tries.
#[derive(Debug)]
pub struct Plan {
    /// No mutant begins after this time.
    pub time: Duration,
    /// Seconds of [`night`](crate::night) for each mutant.
    pub night: u64,
    /// Seed of the order.
    pub seed: u64,
    /// Only mutants whose name contains this text.
    pub only: String,
    /// Whether mutants that were neither caught nor explained are tried again.
    pub again: bool,
}

/// Tries mutants, and writes the results after each.
///
/// # Errors
/// If the copy of the workspace cannot be built, a check fails without a mutant, or the results cannot be written.
pub fn run(root: &Path, results: &Path, plan: &Plan) -> Result<Report> {
    let found = Mutants::find(root)?;
    let explained = explained(root)?;
    let mut results = Results::open(results)?;
    let verdict = |results: &Results, mutant: &Mutant| results.rows.get(&mutant.name).map(|row| row.verdict);
    let mut unbuildable: BTreeSet<usize> = (0..found.mutants.len())
        .filter(|&number| verdict(&results, &found.mutants[number]) == Some(Verdict::Unbuildable))
        .collect();
    let built = judge::build(root, &found, &mut unbuildable, plan.night)?;
    for number in unbuildable {
        let row = Row { verdict: Verdict::Unbuildable, by: String::new(), seconds: 0 };
        results.rows.insert(found.mutants[number].name.clone(), row);
    }
    results.write()?;
    // What is tried again comes first. The rest has a random order that does not depend on other mutants.
    let mut order: Vec<usize> = (0..found.mutants.len()).collect();
    order.sort_by_cached_key(|&number| {
        let name = &found.mutants[number].name;
        let mut hasher = DefaultHasher::new();
        (plan.seed, name).hash(&mut hasher);
        (!results.rows.contains_key(name), hasher.finish())
    });
    let start = Instant::now();
    for number in order {
        let mutant = &found.mutants[number];
        let is_wanted = match verdict(&results, mutant) {
            None => true,
            Some(Verdict::Missed | Verdict::Endless) => plan.again && !explained.contains_key(&mutant.name),
            Some(_) => false,
        };
        if !is_wanted || !mutant.name.contains(&plan.only) {
            continue;
        }
        if start.elapsed() >= plan.time {
            break;
        }
        let start = Instant::now();
        let (verdict, by) = built.judge(number, mutant)?;
        let seconds = start.elapsed().as_secs();
        eprintln!("{}\t{}\t{by}\t{seconds} s", verdict.as_str(), mutant.name);
        results.rows.insert(mutant.name.clone(), Row { verdict, by, seconds });
        results.write()?;
    }
    Ok(Report::new(&found, &results, &explained))
}

/// The counts of a file.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    all: usize,
    /// By [`Verdict`].
    verdicts: [usize; 4],
    explained: usize,
}

/// The counts of all runs.
#[derive(Debug)]
pub struct Report {
    files: BTreeMap<String, Counts>,
    missed: Vec<String>,
    /// Mutants that were missed, and need to be caught.
    pub unexplained: usize,
}

impl Report {
    fn new(found: &Mutants, results: &Results, explained: &BTreeMap<String, String>) -> Report {
        let mut report = Report { files: BTreeMap::new(), missed: Vec::new(), unexplained: 0 };
        for mutant in &found.mutants {
            let counts = report.files.entry(mutant.file.clone()).or_default();
            counts.all += 1;
            let Some(row) = results.rows.get(&mutant.name) else { continue };
            counts.verdicts[row.verdict as usize] += 1;
            if row.verdict != Verdict::Missed {
                continue;
            }
            if explained.contains_key(&mutant.name) {
                counts.explained += 1;
            } else {
                report.missed.push(format!("{}:{}\t{}", mutant.file, mutant.line, mutant.name));
            }
        }
        report.unexplained = report.missed.len();
        report
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for missed in &self.missed {
            writeln!(f, "MISSED\t{missed}")?;
        }
        writeln!(f, "file\tmutants\tunbuildable\ttried\tcaught\tendless\tmissed\texplained")?;
        let mut total = Counts::default();
        let row = |f: &mut fmt::Formatter<'_>, name: &str, counts: &Counts| {
            let [caught, endless, missed, unbuildable] = counts.verdicts;
            let (all, tried, explained) = (counts.all, caught + endless + missed, counts.explained);
            writeln!(f, "{name}\t{all}\t{unbuildable}\t{tried}\t{caught}\t{endless}\t{missed}\t{explained}")
        };
        for (file, counts) in &self.files {
            row(f, file, counts)?;
            total.all += counts.all;
            total.explained += counts.explained;
            total.verdicts.iter_mut().zip(counts.verdicts).for_each(|(sum, count)| *sum += count);
        }
        row(f, "all", &total)
    }
}

#[cfg(test)]
mod tests;
