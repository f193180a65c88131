//! Finds where two programs answer differently, without any URLs.
//!
//! The comparison walks both lists of rules at once ([`product`](crate::product)). It stops at every state where the
//! answers cannot differ any more: all rules that could decide have the same effect on both sides, or both sides are at
//! the same positions of the same patterns in the same order. Unchanged rules therefore cost little. If the walk ends
//! within its budget, its result is complete. Otherwise, the comparison tries texts built from the patterns. Every text
//! is checked with both programs before it is returned.

use std::collections::{BTreeMap, HashMap, HashSet};

use robomata_protocol::semantics::Normalization;
use robomata_protocol::{Access, Dialect};

use crate::decompile::{ProgramRule, Shape};
use crate::int::u32_of;
use crate::pattern::End;
use crate::product::{Ending, Row, Side, State, Visit, Way, fresh_byte, is_target, walk};
use crate::program::{PreparedProgram, ProgramRef};
use crate::rank::Rank;
use crate::search::Scratch;
use crate::validate::LoadError;

/// What counts as a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Difference {
    /// Different verdicts.
    #[default]
    Verdict,
    /// Also the same verdict from rules on different lines.
    Line,
}

/// Options of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct CompareOptions {
    /// What counts as a difference.
    pub difference: Difference,
    /// The budget in steps: one step for each position in a pattern that the walk looks at, which takes a few dozen
    /// nanoseconds. Another 4 steps are added for each byte of the patterns.
    pub budget: u64,
    /// The maximum number of pairs of deciding rules in the result.
    pub most: usize,
}

impl Default for CompareOptions {
    /// Verdicts, half a million steps, a thousand pairs.
    fn default() -> Self {
        CompareOptions { difference: Difference::Verdict, budget: 500_000, most: 1_000 }
    }
}

/// The steps that are added to a budget for each byte of the patterns.
const STEPS_AN_BYTE: u64 = 4;

/// The differences between two programs.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// A text for each pair of different deciding rules, the shortest texts first.
    pub witnesses: Vec<Witness>,
    /// Whether the result is complete. If so, an empty list proves that the programs give the same answers for all
    /// targets.
    pub is_exhaustive: bool,
}

/// A text for which two programs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// A path and query in normal form; [`path_of`] converts it to the form of a URL.
    pub text: Vec<u8>,
    /// The deciding rule of the old program, by its index in the list of rules; `None` when no rule matches.
    pub old: Option<usize>,
    /// The deciding rule of the new program.
    pub new: Option<usize>,
}

/// Compares two programs that were compiled for `dialect`. Their rules come from [`ProgramRef::rules`].
///
/// Takes time linear in the rules' bytes, with a constant that depends on the budget.
pub fn compare(
    old: (ProgramRef<'_>, &[ProgramRule]),
    new: (ProgramRef<'_>, &[ProgramRule]),
    dialect: Dialect,
    options: &CompareOptions,
) -> Comparison {
    let sides = [old.1, new.1];
    if same_rules(sides, options.difference) {
        return Comparison { witnesses: vec![], is_exhaustive: true };
    }
    let rows = sides.map(rows_of);
    let bytes: usize = sides.iter().flat_map(|rules| rules.iter()).map(|rule| rule.pattern.len()).sum();
    let budget = options.budget + STEPS_AN_BYTE * bytes as u64;
    let mut left = budget;
    let mut search = Search::new(sides, [old.0, new.0], options);
    let ending = walk([&rows[0], &rows[1]], dialect, &mut left, |state, may_end, way| {
        search.visit(state, [&rows[0], &rows[1]], may_end, &way)
    });
    if ending == Ending::Spent {
        search.try_instances(dialect, budget);
    }
    let mut witnesses: Vec<Witness> = search.found.into_values().collect();
    witnesses.sort_by(|a, b| (a.text.len(), &a.text).cmp(&(b.text.len(), &b.text)));
    Comparison { witnesses, is_exhaustive: ending == Ending::Whole }
}

/// Compares two programs without their lists of rules.
///
/// # Errors
/// When one of the programs was not made by a compiler ([`ProgramRef::rules`]).
pub fn compare_programs(
    old: ProgramRef<'_>,
    new: ProgramRef<'_>,
    dialect: Dialect,
    options: &CompareOptions,
) -> Result<Comparison, LoadError> {
    let (old_rules, new_rules) = (old.rules(dialect)?, new.rules(dialect)?);
    Ok(compare((old, &old_rules), (new, &new_rules), dialect, options))
}

/// Texts that match `rules`, a few for each rule, built from their patterns. They serve as test inputs for comparisons
/// of more than rules. Rules that match in any case may be in lower case, with their escapes.
pub fn instances_of(rules: &[ProgramRule], dialect: Dialect) -> Vec<Vec<u8>> {
    let fresh = fresh_of(rules.iter().map(|rule| &rule.shape));
    let texts = rules.iter().flat_map(|rule| instances(&rule.shape, fresh, &[]));
    let targets = texts.map(|mut text| {
        if !is_target(&text, dialect) {
            raise_escapes(&mut text);
        }
        text
    });
    targets.filter(|text| is_target(text, dialect)).collect()
}

/// Writes the hex digits of escapes in upper case.
fn raise_escapes(text: &mut [u8]) {
    for at in 0..text.len() {
        if let [b'%', digits @ ..] = &mut text[at..]
            && let Some(digits) = digits.first_chunk_mut::<2>()
            && digits.iter().all(u8::is_ascii_hexdigit)
        {
            digits.make_ascii_uppercase();
        }
    }
}

/// The URL form of a target: bytes that the normal form decodes and URLs cannot contain are encoded again.
pub fn path_of(text: &[u8], dialect: Dialect) -> Vec<u8> {
    let mut path = Vec::with_capacity(text.len());
    for &byte in text {
        // In this form, `%` begins an escape that the form itself has produced.
        let is_odd = !byte.is_ascii_graphic() || matches!(byte, b'?' | b'#');
        if dialect.semantics().normalization == Normalization::Decoded && is_odd {
            crate::normal::push_encoded(byte, &mut path);
        } else {
            path.push(byte);
        }
    }
    path
}

/// Rows by ascending rank; rules come by descending rank.
pub(crate) fn rows_of(rules: &[ProgramRule]) -> Vec<Row> {
    rules.iter().rev().map(|rule| Row::new(rule.rank, &rule.shape)).collect()
}

fn same_rules([old, new]: [&[ProgramRule]; 2], difference: Difference) -> bool {
    let same = |old: &ProgramRule, new: &ProgramRule| {
        let is_same_line = difference == Difference::Verdict || old.line == new.line;
        is_same_line && old.access == new.access && old.shape == new.shape
    };
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same(old, new))
}

/// A number for a class of rules: two rules, one of each side, are equivalent when their numbers are equal.
type Kind = u32;

/// The results so far, and the data for the search.
struct Search<'p> {
    rules: [&'p [ProgramRule]; 2],
    programs: [PreparedProgram<'p>; 2],
    difference: Difference,
    most: usize,
    /// By side and rank: access, line if it counts, shape.
    kinds: [Vec<Kind>; 2],
    /// By side and rank: only the shape, starting at 1.
    shapes: [Vec<Kind>; 2],
    scratch: Scratch,
    found: BTreeMap<(Rank, Rank), Witness>,
}

/// A rule that may decide, the number of its shape (0 if it has already matched), and the positions of a text in it.
struct Outcome<'s> {
    rank: Rank,
    shape: Kind,
    places: &'s [(u32, u32)],
}

impl Outcome<'_> {
    /// Whether `chosen` can decide on the other side, among `others`, when this rule decides on its side. A rule of the
    /// same shape at the same positions matches exactly when this one does, so no worse rule can decide there.
    fn allows(&self, others: &[Outcome<'_>], chosen: &Outcome<'_>) -> bool {
        let places = || self.places.iter().map(|&(_, at)| at);
        let is_twin = |other: &&Outcome<'_>| {
            self.shape > 0 && other.shape == self.shape && other.places.iter().map(|&(_, at)| at).eq(places())
        };
        others.iter().find(is_twin).is_none_or(|twin| chosen.rank >= twin.rank)
    }
}

/// Larger numbers of pairs are not checked one by one.
const FEW_PAIRS: usize = 256;

impl<'p> Search<'p> {
    fn new(rules: [&'p [ProgramRule]; 2], programs: [ProgramRef<'p>; 2], options: &CompareOptions) -> Self {
        let mut numbers: HashMap<(Access, u32, &Shape), Kind> = HashMap::new();
        let kinds = rules.map(|rules| {
            let mut kinds = vec![0; rules.len() + 1];
            for rule in rules {
                let line = if options.difference == Difference::Line { rule.line } else { 0 };
                let next = u32_of(numbers.len()) + 1;
                kinds[rule.rank as usize] = *numbers.entry((rule.access, line, &rule.shape)).or_insert(next);
            }
            kinds
        });
        let mut shape_numbers: HashMap<&Shape, Kind> = HashMap::new();
        let shapes = rules.map(|rules| {
            let mut shapes = vec![0; rules.len() + 1];
            for rule in rules {
                let next = u32_of(shape_numbers.len()) + 1;
                shapes[rule.rank as usize] = *shape_numbers.entry(&rule.shape).or_insert(next);
            }
            shapes
        });
        Search {
            rules,
            programs: programs.map(ProgramRef::prepare),
            difference: options.difference,
            most: options.most,
            kinds,
            shapes,
            scratch: Scratch::new(),
            found: BTreeMap::new(),
        }
    }

    fn visit(&mut self, state: &State<2>, rows: [&[Row]; 2], may_end: bool, way: &Way<'_>) -> Visit {
        let [old, new] = &state.sides;
        if may_end {
            let pair = (old.at_end(rows[0]), new.at_end(rows[1]));
            if self.differ(pair) && !self.found.contains_key(&pair) {
                self.add(way.text());
                if self.found.len() >= self.most {
                    return Visit::Stop;
                }
            }
        }
        if self.can_differ(old, new, rows) && !self.go_on_alike(old, new, rows) {
            Visit::On
        } else {
            Visit::Back
        }
    }

    fn rule(&self, side: usize, rank: Rank) -> Option<&'p ProgramRule> {
        let index = self.rules[side].len().checked_sub(rank as usize)?;
        self.rules[side].get(index)
    }

    /// The compared properties of a rule. No match is an allow without a line.
    fn compared(&self, side: usize, rank: Rank) -> (Access, u32) {
        let rule = self.rule(side, rank);
        let line = if self.difference == Difference::Line { rule.map_or(0, |rule| rule.line) } else { 0 };
        (rule.map_or(Access::Allow, |rule| rule.access), line)
    }

    fn differ(&self, (old, new): (Rank, Rank)) -> bool {
        self.compared(0, old) != self.compared(1, new)
    }

    /// Whether a continuation from here can have a pair of answers that is not known yet.
    fn can_differ(&self, old: &Side, new: &Side, rows: [&[Row]; 2]) -> bool {
        let first = self.compared(0, old.best);
        let is_other =
            |side: usize, of: &Side| of.possible(rows[side]).any(|rank| self.compared(side, rank) != first);
        if !is_other(0, old) && !is_other(1, new) {
            return false;
        }
        let (old, new) = (self.outcomes(0, old, rows[0]), self.outcomes(1, new, rows[1]));
        if old.len() * new.len() > FEW_PAIRS {
            return true;
        }
        old.iter().any(|old_one| {
            let is_news = |new_one: &&Outcome<'_>| {
                let pair = (old_one.rank, new_one.rank);
                self.differ(pair) && !self.found.contains_key(&pair)
            };
            let may_be =
                |new_one: &Outcome<'_>| old_one.allows(&new, new_one) && new_one.allows(&old, old_one);
            new.iter().filter(is_news).any(may_be)
        })
    }

    /// The rules that can decide for a continuation from here: the one that has matched, and those with a position.
    fn outcomes<'s>(&self, side: usize, of: &'s Side, rows: &[Row]) -> Vec<Outcome<'s>> {
        let open = of.places.chunk_by(|a, b| a.0 == b.0).map(|places| {
            let rank = rows[places[0].0 as usize].rank();
            Outcome { rank, shape: self.shapes[side][rank as usize], places }
        });
        std::iter::once(Outcome { rank: of.best, shape: 0, places: &[] }).chain(open).collect()
    }

    /// Whether both sides are at the same positions of the same patterns, in the same order.
    fn go_on_alike(&self, old: &Side, new: &Side, rows: [&[Row]; 2]) -> bool {
        let kinds = |side: usize| {
            let places = &[old, new][side].places;
            places
                .iter()
                .map(move |&(row, at)| (self.kinds[side][rows[side][row as usize].rank() as usize], at))
        };
        self.compared(0, old.best) == self.compared(1, new.best) && kinds(0).eq(kinds(1))
    }

    /// Records a text, if the programs really differ for it and its pair of rules is new; returns the number of steps.
    fn add(&mut self, text: Vec<u8>) -> u64 {
        let Search { programs, scratch, .. } = self;
        let [(old, steps), (new, more)] = programs.each_ref().map(|program| program.rank_of(&text, scratch));
        if self.differ((old, new)) {
            let place = |side: usize, rank: Rank| {
                self.rules[side].len().checked_sub(rank as usize).filter(|_| rank > 0)
            };
            let witness = Witness { old: place(0, old), new: place(1, new), text };
            self.found.entry((old, new)).or_insert(witness);
        }
        steps + more
    }

    /// Tries texts built from the patterns, within a budget of program steps. It starts with the patterns that only one
    /// side has, without the tails of other patterns, and ends with all patterns and tails.
    fn try_instances(&mut self, dialect: Dialect, mut budget: u64) {
        let sides = self.rules;
        let all = || sides.into_iter().flatten();
        let fresh = fresh_of(all().map(|rule| &rule.shape));
        let tails = all().filter_map(|rule| rule.shape.unanchored.last().map(Vec::as_slice));
        let tails: Vec<&[u8]> = tails.take(TAILS).collect();
        let kinds: [HashSet<Kind>; 2] = self.kinds.each_ref().map(|kinds| kinds.iter().copied().collect());
        for (is_shared, tails) in [(false, &[][..]), (true, &[]), (false, &tails), (true, &tails)] {
            for (side, rules) in sides.into_iter().enumerate() {
                for rule in rules {
                    let kind = self.kinds[side][rule.rank as usize];
                    if kinds[1 - side].contains(&kind) != is_shared {
                        continue;
                    }
                    for text in instances(&rule.shape, fresh, tails) {
                        let steps =
                            text.len() as u64 + if is_target(&text, dialect) { self.add(text) } else { 0 };
                        let Some(left) = budget.checked_sub(steps) else { return };
                        budget = left;
                        if self.found.len() >= self.most {
                            return;
                        }
                    }
                }
            }
        }
    }
}

/// The number of tails that are tried after each pattern.
const TAILS: usize = 16;

/// A byte that no pattern contains, if there is one.
pub(crate) fn fresh_of<'s>(shapes: impl IntoIterator<Item = &'s Shape>) -> Option<u8> {
    let mut is_there = [false; 256];
    for shape in shapes {
        for &byte in shape.unanchored.iter().chain([&shape.prefix]).flatten() {
            is_there[usize::from(byte)] = true;
        }
    }
    fresh_byte(|byte| is_there[usize::from(byte)])
}

/// Texts that a pattern matches: with nothing or a fresh byte for its stars and after it, and with the tail of another
/// pattern.
pub(crate) fn instances(shape: &Shape, fresh: Option<u8>, tails: &[&[u8]]) -> Vec<Vec<u8>> {
    let with = |filling: &[u8]| {
        let mut text = shape.prefix.clone();
        if text.is_empty() {
            let begins = shape.unanchored.first().is_some_and(|first| first.first() == Some(&b'/'));
            text.extend_from_slice(if begins && filling.is_empty() { b"" } else { b"/" });
        }
        for segment in &shape.unanchored {
            text.extend_from_slice(filling);
            text.extend_from_slice(segment);
        }
        text
    };
    let fresh = fresh.unwrap_or(b'x');
    let mut texts = vec![with(b""), with(&[fresh])];
    // Some escapes only occur in a query.
    if shape.unanchored.iter().any(|segment| segment.contains(&b'%')) {
        texts.push(with(&[b'?', fresh]));
    }
    if shape.end == End::Open {
        let with_tail = |tail: &[u8]| [with(b"").as_slice(), tail].concat();
        texts.push(with_tail(&[fresh]));
        texts.push(with_tail(&[b'/', fresh]));
        texts.extend(tails.iter().map(|tail| with_tail(tail)));
    }
    texts
}
