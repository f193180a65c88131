//! Proves that a program has one access for every target that a pattern matches, without any URLs.
//!
//! The proof walks the rules and the pattern at once ([`product`](crate::product)). It leaves out every state from which
//! the pattern can no longer match, or from which all rules that can still decide have the expected access. The first
//! target that refutes the expectation is one of the shortest.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use bumpalo::Bump;
use robomata_protocol::semantics::Normalization;
use robomata_protocol::{Access, Dialect};

use crate::compare::{fresh_of, instances, path_of, rows_of};
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
    /// The highest-ranking ones first.
    rules: Vec<ProgramRule>,
    /// The index of the first rule on each line.
    by_line: HashMap<u32, usize>,
    rows: Vec<Row>,
    /// The indices of the rows, ordered by their prefixes.
    by_prefix: Vec<usize>,
    /// The lengths of the prefixes, each once, ascending.
    lengths: BTreeSet<usize>,
    /// The bytes of all patterns.
    bytes: usize,
}

impl PatternProver {
    /// Prepares a program that was compiled for `dialect`.
    ///
    /// # Errors
    /// When the program was not made by a compiler ([`ProgramRef::rules`]).
    pub fn new(program: ProgramRef<'_>, dialect: Dialect) -> Result<Self, LoadError> {
        let rules = program.rules(dialect)?;
        let rows = rows_of(&rules);
        let mut by_prefix: Vec<usize> = (0..rows.len()).collect();
        by_prefix.sort_by_key(|&row| rows[row].prefix());
        let lengths = rows.iter().map(|row| row.prefix().len()).collect();
        let bytes = rules.iter().map(|rule| rule.pattern.len()).sum();
        let by_line = rules.iter().enumerate().rev().map(|(index, rule)| (rule.line, index)).collect();
        Ok(PatternProver { dialect, rules, by_line, rows, by_prefix, lengths, bytes })
    }

    /// The rows that can match a text that begins with the prefix of one of `shapes`, in their order. The others can be
    /// thousands, and every step of a walk would look at them.
    fn rows_near(&self, shapes: &[Shape]) -> Vec<Row> {
        let from = |prefix: &[u8]| {
            let start = self.by_prefix.partition_point(|&row| self.rows[row].prefix() < prefix);
            self.by_prefix[start..].iter().copied()
        };
        let mut near = BTreeSet::new();
        for Shape { prefix, .. } in shapes {
            for &length in self.lengths.range(..prefix.len()) {
                let shorter = &prefix[..length];
                near.extend(from(shorter).take_while(|&row| self.rows[row].prefix() == shorter));
            }
            near.extend(from(prefix).take_while(|&row| self.rows[row].prefix().starts_with(prefix)));
        }
        near.into_iter().map(|row| self.rows[row].clone()).collect()
    }

    /// The best of the rules on a line, as text.
    pub fn rule(&self, line: u32) -> Option<String> {
        self.by_line.get(&line).map(|&rule| self.rules[rule].to_string())
    }

    /// Decides whether every target that `pattern` matches has this access. In `pattern`, `*` and a final `$` have their
    /// meaning of RFC 9309 in every dialect, and its other bytes are compared like those of a URL. `/robots.txt` counts
    /// only if the dialect does not always allow it.
    ///
    /// `budget` is in steps, like that of [`CompareOptions`](crate::CompareOptions).
    pub fn prove(&self, pattern: &[u8], access: Access, budget: u64) -> PatternProof {
        let shapes = shapes_of(pattern, self.dialect);
        let pattern_rows: Vec<Row> = (1..).zip(&shapes).map(|(rank, shape)| Row::new(rank, shape)).collect();
        let rows = self.rows_near(&shapes);
        let mut left = budget + STEPS_A_BYTE * (pattern.len() + self.bytes) as u64;
        let mut refuting = None;
        let ending = walk([&rows, &pattern_rows], self.dialect, &mut left, |state, may_end, way| {
            let [rules, pattern] = &state.sides;
            let is_match = may_end && pattern.at_end(&pattern_rows) > 0;
            if is_match && self.access(rules.at_end(&rows)) != access {
                refuting = Some(way.text());
                return Visit::Stop;
            }
            let can_match = pattern.possible(&pattern_rows).any(|rank| rank > 0);
            let can_differ = || rules.possible(&rows).any(|rank| self.access(rank) != access);
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

/// A URL, from its path on, that `pattern` matches and that has this target in normal form, one of
/// [`instances_of_pattern`] or of [`PatternProof::Refuted`].
pub fn url_of_pattern(target: &[u8], pattern: &[u8], dialect: Dialect) -> Vec<u8> {
    let mut url = path_of(target, dialect);
    let (_, rest) = compared(pattern, dialect);
    let rest = rest.strip_suffix(b"$").unwrap_or(rest);
    let mut query = rest.iter().copied().filter(|&byte| byte != b'*').peekable();
    // The first star matches the rest of the path, the `?` and nothing else.
    if query.peek().is_some_and(|&first| first != b'?') {
        url.push(b'?');
    }
    url.extend(query);
    url
}

/// The pattern in the normal form of the dialect's URLs: one shape for each of its readings.
fn shapes_of(pattern: &[u8], dialect: Dialect) -> Vec<Shape> {
    let (pattern, _) = compared(pattern, dialect);
    let has_readings = dialect.semantics().normalization == Normalization::WhereNoDelimiter;
    let written: Vec<Vec<u8>> = readings(&pattern).take(if has_readings { 2 } else { 1 }).collect();
    let written: Vec<&[u8]> = written.iter().map(Vec::as_slice).collect();
    let arena = Bump::new();
    let patterns = patterns_without_rules(&written, NormalForm::of_urls(dialect), &arena);
    let shapes = patterns.iter().map(|pattern| Shape {
        prefix: pattern.prefix.to_vec(),
        unanchored: pattern.unanchored.iter().map(|segment| segment.to_vec()).collect(),
        end: pattern.end,
    });
    shapes.collect()
}

/// The pattern of what the dialect compares of the URLs that `pattern` matches, and the rest of `pattern`. Where queries
/// are not compared, the path ends at the first `?`, which any star may match.
fn compared(pattern: &[u8], dialect: Dialect) -> (Cow<'_, [u8]>, &[u8]) {
    if dialect.semantics().compares_query {
        return (pattern.into(), b"");
    }
    let Some(end) = pattern.iter().position(|byte| matches!(byte, b'?' | b'*')) else {
        return (pattern.into(), b"");
    };
    let (path, rest) = pattern.split_at(end);
    let mark = if rest[0] == b'?' { b"$" } else { b"*" };
    ([path, mark].concat().into(), rest)
}

#[cfg(test)]
mod tests {
    use robomata_policy::Policy;
    use robomata_protocol::Crawler;
    use robomata_syntax::Config;

    use super::*;
    use crate::Program;

    #[test]
    fn a_proof_walks_only_rules_that_can_match_what_the_pattern_matches() {
        let numbered: String = (0..1_000).map(|n| format!("Disallow: /{n}\n")).collect();
        let file =
            format!("User-agent: *\n{numbered}Disallow: /*x\nDisallow: *y\nDisallow: /\nDisallow: /70/a");
        let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Rfc9309));
        let program = Program::compile(&policy.rules_for(&Crawler::new("x")));
        let prover = PatternProver::new(program.as_ref(), Dialect::Rfc9309).unwrap();
        let near = |pattern: &str| prover.rows_near(&shapes_of(pattern.as_bytes(), Dialect::Rfc9309)).len();
        // `/`, `/*x` and `*y`, and with a shorter or a longer beginning.
        assert_eq!(near("/70*"), 3 + 2 + 10 + 1);
        assert_eq!(near("/70/*b"), 3 + 2 + 1);
        assert_eq!(near("/z*"), 3);
        assert_eq!(near("/*z"), 1_004);
    }
}
