//! Proves that a program has one access for every target that a pattern matches, without any URLs.
//!
//! The proof walks the rules and the pattern at once ([`product`](crate::product)). It leaves out every state from which
//! the pattern can no longer match, or from which all rules that can still decide have the expected access. The first
//! target that refutes the expectation is one of the shortest.

use bumpalo::Bump;
use robomata_protocol::semantics::Normalization;
use robomata_protocol::{Access, Dialect};

use crate::compare::{fresh_of, instances, rows_of};
use crate::decompile::{ProgramRule, Shape};
use crate::normal::{NormalForm, readings};
use crate::pattern::patterns_without_rules;
use crate::product::{Ending, Row, Visit, is_target, walk};
use crate::program::ProgramRef;
use crate::rank::Rank;
use crate::validate::LoadError;

/// The steps that are added to a budget for each byte of the patterns.
const STEPS_A_BYTE: u64 = 4;

/// The result of [`PatternProver::prove`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternProof {
    /// Every target that the pattern matches has the expected access.
    Proved,
    /// This target, in normal form, has the other access.
    Refuted(Vec<u8>),
    /// The budget was spent before the search ended.
    Spent,
}

/// The rules of a program, prepared for proofs.
#[derive(Clone, Debug)]
pub struct PatternProver {
    dialect: Dialect,
    rules: Vec<ProgramRule>,
    rows: Vec<Row>,
}

impl PatternProver {
    /// Prepares a program that was compiled for `dialect`.
    ///
    /// # Errors
    /// When the program was not made by a compiler ([`ProgramRef::rules`]).
    pub fn new(program: ProgramRef<'_>, dialect: Dialect) -> Result<Self, LoadError> {
        let rules = program.rules(dialect)?;
        Ok(PatternProver { dialect, rows: rows_of(&rules), rules })
    }

    /// Decides whether every target that `pattern` matches has this access. In `pattern`, `*` and a final `$` have their
    /// meaning of RFC 9309 in every dialect. `/robots.txt` counts only if the dialect does not always allow it.
    ///
    /// `budget` is in steps, like that of [`CompareOptions`](crate::CompareOptions).
    pub fn prove(&self, pattern: &[u8], access: Access, budget: u64) -> PatternProof {
        let shapes = shapes_of(pattern, self.dialect);
        let pattern_rows: Vec<Row> = (1..).zip(&shapes).map(|(rank, shape)| Row::new(rank, shape)).collect();
        let bytes = pattern.len() + self.rules.iter().map(|rule| rule.pattern.len()).sum::<usize>();
        let mut left = budget + STEPS_A_BYTE * bytes as u64;
        let mut refuting = None;
        let ending = walk([&self.rows, &pattern_rows], self.dialect, &mut left, |state, may_end, way| {
            let [rules, pattern] = &state.sides;
            let is_match = may_end && pattern.at_end(&pattern_rows) > 0;
            if is_match && self.access(rules.at_end(&self.rows)) != access {
                refuting = Some(way.text());
                return Visit::Stop;
            }
            let can_match = pattern.possible(&pattern_rows).any(|rank| rank > 0);
            let can_differ = || rules.possible(&self.rows).any(|rank| self.access(rank) != access);
            if can_match && can_differ() { Visit::On } else { Visit::Back }
        });
        match (refuting, ending) {
            (Some(text), _) => PatternProof::Refuted(text),
            (None, Ending::Whole) => PatternProof::Proved,
            (None, Ending::Spent | Ending::Stopped) => PatternProof::Spent,
        }
    }

    /// The access of a rule; without a rule, everything is allowed.
    fn access(&self, rank: Rank) -> Access {
        let index = self.rules.len().checked_sub(rank as usize);
        index.and_then(|index| self.rules.get(index)).map_or(Access::Allow, |rule| rule.access)
    }
}

/// Targets in normal form that `pattern` matches, a few. None if no target matches it, except perhaps `/robots.txt`.
pub fn instances_of_pattern(pattern: &[u8], dialect: Dialect) -> Vec<Vec<u8>> {
    let shapes = shapes_of(pattern, dialect);
    let fresh = fresh_of(&shapes);
    let texts = shapes.iter().flat_map(|shape| instances(shape, fresh, &[]));
    texts.filter(|text| is_target(text, dialect)).collect()
}

/// The pattern in the dialect's normal form: one shape for each of its readings.
fn shapes_of(pattern: &[u8], dialect: Dialect) -> Vec<Shape> {
    let has_readings = dialect.semantics().normalization == Normalization::WhereNoDelimiter;
    let written: Vec<Vec<u8>> = readings(pattern).take(if has_readings { 2 } else { 1 }).collect();
    let written: Vec<&[u8]> = written.iter().map(Vec::as_slice).collect();
    let arena = Bump::new();
    let patterns = patterns_without_rules(&written, NormalForm::of_patterns(dialect), &arena);
    let shapes = patterns.iter().map(|pattern| Shape {
        prefix: pattern.prefix.to_vec(),
        unanchored: pattern.unanchored.iter().map(|segment| segment.to_vec()).collect(),
        end: pattern.end,
    });
    shapes.collect()
}
