//! Decompiles programs to rules.
//!
//! The result contains every rule of the compiled rule set that can decide in the program: one for each shape (prefix,
//! segments, end), the best of the rules with that shape. The compiler drops rules that never match, and rules that
//! always lose to a rule of the same shape. A pattern that is only covered by several others together is still there.
//!
//! The result has each pattern as a robots.txt would write it, in its normal form. Stars without an effect are left
//! out, unless the order of the rules needs them, because they count as bytes (R1). A file of these rules, in the order
//! of their lines, therefore compiles into a program with the same answers. (Under `google`, an allow rule for an index
//! page becomes two rules, because it also applies to its directory.)

use std::fmt;

use bumpalo::Bump;
use robomata_protocol::semantics::{EmptyPattern, Normalization, PatternLength};
use robomata_protocol::{Access, Dialect, Semantics};

use crate::chains::Chains;
use crate::int::{Middle, Narrow, Wide, Width};
use crate::normal::{Part, hex_byte, is_decoded, is_read_by_part, push_encoded, push_verbatim_escape};
use crate::pattern::{End, Language, Pattern};
use crate::pattern_list::PatternList;
use crate::prefix::Node;
use crate::program::{Parts, ProgramRef, UnanchoredPart};
use crate::rank::Rank;
use crate::unanchored::Unanchored;
use crate::validate::{LoadError, ensure};

/// A rule of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProgramRule {
    /// The rank, from 1 on. Of several rules that match, the one with the largest rank decides.
    pub rank: u32,
    /// The 1-based line of the rule in its robots.txt.
    pub line: u32,
    /// Whether the rule allows or disallows.
    pub access: Access,
    /// The pattern as a robots.txt would write it, in its dialect's normal form. A `*` or `$` that is an ordinary byte
    /// is written so that it remains one.
    pub pattern: Vec<u8>,
    pub(crate) shape: Shape,
}

/// `Disallow: /private`; bytes beyond ASCII are shown as `%XX`. A control byte, which a pattern has only where it differs
/// from its `%XX`, is shown as `\u{1}`.
impl fmt::Display for ProgramRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.access == Access::Allow { "Allow: " } else { "Disallow: " })?;
        let mut rest = self.pattern.as_slice();
        while let Some((&byte, following)) = rest.split_first() {
            match byte {
                // An escape that has the same meaning in path and query when written in this way.
                b'%' if matches!(following, [b'%', b'3', b'2' | b'3', b'6' | b'B' | b'D' | b'F', ..]) => {
                    f.write_str("%")?;
                    rest = &following[2..];
                    continue;
                }
                b' '..=b'~' => write!(f, "{}", char::from(byte))?,
                byte if byte.is_ascii_control() => write!(f, "{}", char::from(byte).escape_unicode())?,
                _ => write!(f, "%{byte:02X}")?,
            }
            rest = following;
        }
        Ok(())
    }
}

/// The texts that a pattern matches: a prefix at the beginning of the text, segments after it, and an end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub(crate) prefix: Vec<u8>,
    pub(crate) unanchored: Vec<Vec<u8>>,
    pub(crate) end: End,
}

impl ProgramRef<'_> {
    /// Every rule that can ever decide, by rank, the best first. The patterns are written in `dialect`, which must be
    /// the one that the program was compiled for.
    ///
    /// Takes time linear in the bytes of the patterns.
    ///
    /// # Errors
    /// When the program was not made by a compiler: a rule occurs several times or not at all (walks are safe
    /// nevertheless), or its patterns have more than 256 MiB.
    pub fn rules(self, dialect: Dialect) -> Result<Vec<ProgramRule>, LoadError> {
        let parts = self.parts();
        let mut rules = Vec::with_capacity(parts.rule_count as usize);
        for (rank, shape) in (1..).zip(self.parts().shapes()?) {
            let (access, line) = parts.rule(rank);
            rules.push(ProgramRule { rank, line, access, pattern: vec![], shape });
        }
        write_patterns(&mut rules, dialect);
        rules.reverse();
        Ok(rules)
    }
}

impl Parts<'_> {
    /// The shapes of all rules, by rank, the worst first; fails like [`ProgramRef::rules`].
    pub(crate) fn shapes(&self) -> Result<Vec<Shape>, LoadError> {
        let mut found = ShapesByRank::new(self.rule_count);
        let roots = read_prefixes(self, &mut found)?;
        match self.unanchored {
            UnanchoredPart::None => {}
            UnanchoredPart::PatternList { list, .. } => read_list(&list, &roots, &mut found)?,
            UnanchoredPart::SegmentAutomaton { counts, width, arrays } => {
                match width {
                    1 => read_unanchored(&Unanchored::<Narrow>::new(counts, arrays), &roots, &mut found)?,
                    2 => read_unanchored(&Unanchored::<Middle>::new(counts, arrays), &roots, &mut found)?,
                    _ => read_unanchored(&Unanchored::<Wide>::new(counts, arrays), &roots, &mut found)?,
                }
                if let Some(chains) = Chains::after(&counts, width, arrays) {
                    read_chains(&chains, &roots, &mut found)?;
                }
            }
        }
        let shapes = found.shapes.into_iter();
        shapes.map(|shape| shape.ok_or_else(|| LoadError::expected(ONE_PLACE))).collect()
    }
}

const ONE_PLACE: &str = "each rule in one place";
const NOT_LAST: &str = "nothing after the end of a text";

/// More bytes than the patterns of a compiled program can have.
const MOST_BYTES: usize = 1 << 28;

/// Shapes by rank.
struct ShapesByRank {
    shapes: Vec<Option<Shape>>,
    /// The bytes that may still be read. Without this limit, a program that was not made by a compiler could cause
    /// endless reads of the same bytes.
    budget: usize,
}

impl ShapesByRank {
    fn new(rules: u32) -> Self {
        ShapesByRank { shapes: vec![None; rules as usize], budget: MOST_BYTES }
    }

    fn spend(&mut self, bytes: usize) -> Result<(), LoadError> {
        let left = self.budget.checked_sub(bytes + 1);
        self.budget = left.ok_or_else(|| LoadError::expected("patterns of at most 256 MiB"))?;
        Ok(())
    }

    /// Records a pattern if its rank is not 0.
    fn add(
        &mut self,
        rank: Rank,
        prefix: &[u8],
        unanchored: Vec<Vec<u8>>,
        end: End,
    ) -> Result<(), LoadError> {
        let Some(index) = (rank as usize).checked_sub(1) else { return Ok(()) };
        self.spend(prefix.len())?;
        let place = self.shapes.get_mut(index).filter(|place| place.is_none());
        let place = place.ok_or_else(|| LoadError::expected(ONE_PLACE))?;
        *place = Some(Shape { prefix: prefix.to_vec(), unanchored, end });
        Ok(())
    }
}

/// Records the patterns without unanchored segments; returns the prefixes of the roots of wait nodes.
fn read_prefixes(parts: &Parts<'_>, found: &mut ShapesByRank) -> Result<Vec<Vec<u8>>, LoadError> {
    let mut roots = vec![vec![]; parts.unanchored.roots() as usize];
    let mut prefix = Vec::new();
    // Uses a stack instead of recursion: sites control how deep prefixes nest.
    let mut stack = vec![(parts.root, 0, None)];
    while let Some((position, depth, byte)) = stack.pop() {
        let Some(node) = Node::read(parts.prefix(), position) else { continue };
        prefix.truncate(depth);
        prefix.extend(byte);
        prefix.extend_from_slice(node.label);
        found.spend(node.label.len())?;
        found.add(node.value.rank, &prefix, vec![], End::Open)?;
        found.add(node.value.end_rank, &prefix, vec![], End::Anchored)?;
        if let Some(root) = roots.get_mut(node.value.wait as usize).filter(|_| node.value.wait > 0) {
            found.spend(prefix.len())?;
            root.clone_from(&prefix);
        }
        stack.extend(node.children().map(|(byte, child)| (child, prefix.len(), Some(byte))));
    }
    Ok(roots)
}

/// Records the patterns of a list.
fn read_list(list: &PatternList<'_>, roots: &[Vec<u8>], found: &mut ShapesByRank) -> Result<(), LoadError> {
    for (root, prefix) in (0..).zip(roots) {
        for index in (0..list.len()).filter(|index| list.followers(root) >> index & 1 == 1) {
            let Some(pattern) = list.pattern(index) else { continue };
            ensure(pattern.from == prefix.len(), "patterns of a list after the prefixes that they follow")?;
            let segments: Vec<_> = pattern.segments().map(|segment| segment.bytes.to_vec()).collect();
            found.spend(segments.iter().map(Vec::len).sum())?;
            found.add(pattern.rank, prefix, segments, pattern.end)?;
        }
    }
    Ok(())
}

/// Records the patterns of an automaton.
fn read_unanchored<W: Width>(
    unanchored: &Unanchored<'_, W>,
    roots: &[Vec<u8>],
    found: &mut ShapesByRank,
) -> Result<(), LoadError> {
    let segments = read_states(unanchored, found)?;
    let counts = unanchored.counts;
    let mut parents = vec![0; counts.waits as usize];
    for wait in 0..counts.waits {
        unanchored.wait_children(wait).for_each(|child| parents[child as usize] = wait);
    }
    for wait in counts.roots..counts.waits {
        let rank = unanchored.wait_rank(wait);
        if rank == 0 {
            continue;
        }
        let (mut path, mut at, mut end) = (vec![], wait, End::Open);
        while at >= counts.roots {
            let (bytes, of_segment) = segment(&segments, unanchored.wait_segment(at), found)?;
            ensure(of_segment == End::Open || at == wait, NOT_LAST)?;
            if at == wait {
                end = of_segment;
            }
            path.push(bytes);
            at = parents[at as usize];
        }
        path.reverse();
        found.add(rank, &roots[at as usize], path, end)?;
    }
    Ok(())
}

/// Records the patterns of chains.
fn read_chains(chains: &Chains<'_>, roots: &[Vec<u8>], found: &mut ShapesByRank) -> Result<(), LoadError> {
    let symbols = read_states(&chains.symbols(), found)?;
    for chain in chains.all() {
        let (mut path, mut end) = (Vec::new(), End::Open);
        for symbol in chains.symbols_of(&chain) {
            ensure(end == End::Open, NOT_LAST)?;
            let (bytes, of_segment) = segment(&symbols, symbol + 1, found)?;
            path.push(bytes);
            end = of_segment;
        }
        found.add(chain.rank, &roots[chain.root as usize], path, end)?;
    }
    Ok(())
}

/// The bytes of a segment, and whether the text must end after it.
pub(crate) type Segment = (Vec<u8>, End);

/// The segments of an automaton, by their 1-based numbers; none if it was not made by a compiler.
pub(crate) fn segments_of<W: Width>(unanchored: &Unanchored<'_, W>, rule_count: u32) -> Vec<Option<Segment>> {
    read_states(unanchored, &mut ShapesByRank::new(rule_count)).unwrap_or_default()
}

/// The segment with a 1-based number.
fn segment(
    segments: &[Option<Segment>],
    number: u32,
    found: &mut ShapesByRank,
) -> Result<Segment, LoadError> {
    let segment = segments.get(number as usize).and_then(Option::as_ref);
    let (bytes, end) = segment.ok_or_else(|| LoadError::expected("the bytes of each segment"))?;
    found.spend(bytes.len())?;
    Ok((bytes.clone(), *end))
}

/// Records the patterns that consist of one segment, anywhere; returns the bytes of the segments that wait nodes wait
/// for, by their 1-based numbers.
fn read_states<W: Width>(
    unanchored: &Unanchored<'_, W>,
    found: &mut ShapesByRank,
) -> Result<Vec<Option<Segment>>, LoadError> {
    let counts = unanchored.counts;
    let mut segments = vec![None; counts.segments as usize + 1];
    let mut parents = vec![(0, 0_u32); counts.states as usize];
    for state in 0..counts.states {
        let depth = parents[state as usize].1 + 1;
        unanchored.children(state).for_each(|child| parents[child as usize] = (state, depth));
        let number = unanchored.output_of(state);
        if state == 0 || number == 0 || number == unanchored.output_of(unanchored.failure(state)) {
            // The output is that of the longest segment that ends here; no segment ends with this state itself.
            continue;
        }
        let output = unanchored.output(number);
        let length = parents[state as usize].1;
        found.spend(length as usize)?;
        let bytes = bytes_of(unanchored, &parents, state);
        found.add(output.rank, &[], vec![bytes.clone()], End::Open)?;
        found.add(output.end_rank, &[], vec![bytes.clone()], End::Anchored)?;
        for (segment, end) in [(output.waited, End::Open), (output.end_segment, End::Anchored)] {
            // The segment that is waited for can be a shorter one.
            if segment > 0 && unanchored.segment_length(segment) == length {
                segments[segment as usize] = Some((bytes.clone(), end));
            }
        }
    }
    Ok(segments)
}

/// The bytes on the path from the root to `state`; `parents` holds those of all states up to it.
fn bytes_of<W: Width>(unanchored: &Unanchored<'_, W>, parents: &[(u32, u32)], mut state: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parents[state as usize].1 as usize);
    while state > 0 {
        bytes.push(unanchored.byte(state));
        state = parents[state as usize].0;
    }
    bytes.reverse();
    bytes
}

/// Writes the patterns of rules in ascending rank, each with enough stars to rank above those before it.
///
/// Each pattern is as short as possible, so it is never longer than the one that the program was compiled from.
fn write_patterns(rules: &mut [ProgramRule], dialect: Dialect) {
    if Language::of(dialect) == Language::Prefixes {
        rules.iter_mut().for_each(|rule| rule.pattern = rule.shape.prefix());
        return;
    }
    let mut written = Vec::with_capacity(rules.len());
    let mut last = (0, Access::Disallow, 0);
    for rule in &*rules {
        let shortest = PatternSize::shortest(rule, dialect);
        let key = |bytes| (bytes, rule.access, u32::MAX - rule.line);
        let least = [shortest.bytes, last.0, last.0 + 1];
        let least = least.into_iter().filter(|&bytes| bytes >= shortest.bytes);
        // Without a star, the only way to write a pattern longer is a literal `$`, which adds two bytes.
        let odd = |bytes: usize| if rule.shape.is_of_one_length() { (bytes - shortest.bytes) % 2 } else { 0 };
        let least = least.map(|bytes| bytes + odd(bytes));
        let bytes = least.filter(|&bytes| key(bytes) >= last).min().unwrap_or(shortest.bytes);
        last = key(bytes);
        written.push(PatternSize { bytes, extra: bytes - shortest.bytes, ..shortest });
    }
    // Sites write `/*a` for `*a`: if there is room for one more byte, add the slash.
    let mut above = (usize::MAX, Access::Allow, u32::MAX);
    for (rule, written) in rules.iter_mut().zip(written).rev() {
        let key = |bytes| (bytes, rule.access, u32::MAX - rule.line);
        let has_room = key(written.bytes + 1) < above && written.extra == 0;
        let more = usize::from(has_room && rule.shape.may_begin_with_slash());
        above = key(written.bytes + more);
        rule.pattern = rule.shape.pattern(written.extra + more, written.needs_star, dialect);
    }
}

/// The data for writing a pattern.
struct PatternSize {
    /// The length that the order of rules compares.
    bytes: usize,
    /// Whether a star must come last.
    needs_star: bool,
    /// Additional bytes that do not change what it matches, nearly always stars.
    extra: usize,
}

impl PatternSize {
    /// The shortest pattern of a rule.
    fn shortest(rule: &ProgramRule, dialect: Dialect) -> Self {
        let Shape { prefix, unanchored, end } = &rule.shape;
        let allows_empty = dialect.semantics().empty_pattern == EmptyPattern::AllowsLast;
        let is_empty_path = allows_empty && rule.access == Access::Allow;
        let needs_star = *end == End::Open
            && match unanchored.last().unwrap_or(prefix)[..] {
                [] => !is_empty_path,
                // Without the star, this byte would be the end of the text, or be stripped.
                [.., last] => last.is_ascii_whitespace() || last == b'$',
            };
        let Semantics { normalization, pattern_length, .. } = *dialect.semantics();
        let are_literals = pattern_length == PatternLength::Literals;
        let length = |literal: &[u8]| match normalization {
            Normalization::EscapedPatterns => literal.len(),
            _ if are_literals => literal.len(),
            // A literal `*` is written `%2A`.
            _ => literal.len() + 2 * literal.iter().filter(|&&byte| byte == b'*').count(),
        };
        let star = usize::from(!are_literals);
        let segments = unanchored.iter().map(|segment| length(segment) + star).sum::<usize>();
        let ending = usize::from(needs_star || *end == End::Anchored || are_literals);
        PatternSize { bytes: length(prefix) + segments + ending, needs_star, extra: 0 }
    }
}

impl Shape {
    /// The shape as the pattern of a rule with this rank.
    pub(crate) fn ranked<'a>(&self, rank: Rank, access: Access, line: u32, arena: &'a Bump) -> Pattern<'a> {
        let copy = |bytes: &[u8]| -> &'a [u8] { arena.alloc_slice_copy(bytes) };
        let unanchored = arena.alloc_slice_fill_iter(self.unanchored.iter().map(|segment| copy(segment)));
        // The length no longer counts. An empty pattern would allow, regardless of the rule.
        Pattern { prefix: copy(&self.prefix), unanchored, bytes: 1, line, rank, access, end: self.end }
    }

    /// Whether it is of the form `*a`, which is equivalent to `/*a`.
    fn may_begin_with_slash(&self) -> bool {
        self.prefix.is_empty() && self.unanchored.first().is_some_and(|first| first.first() != Some(&b'/'))
    }

    /// Whether there is no position for a star that changes nothing.
    fn is_of_one_length(&self) -> bool {
        self.unanchored.is_empty() && self.end == End::Anchored
    }

    /// The pattern with `extra` bytes that do not change what it matches.
    fn pattern(&self, mut extra: usize, needs_star: bool, dialect: Dialect) -> Vec<u8> {
        let mut out = Vec::new();
        if extra > 0 && self.may_begin_with_slash() {
            out.push(b'/');
            extra -= 1;
        }
        let normalization = dialect.semantics().normalization;
        let mut literals = Literals { normalization, encoded_dollars: 0, part: Reading::Path };
        if self.is_of_one_length() {
            literals.encoded_dollars = extra / 2;
        }
        literals.push(&self.prefix, &mut out);
        for segment in &self.unanchored {
            out.extend(std::iter::repeat_n(b'*', extra + 1));
            extra = 0;
            literals.begin_segment();
            literals.push(segment, &mut out);
        }
        match self.end {
            End::Open => out.extend(std::iter::repeat_n(b'*', extra + usize::from(needs_star))),
            End::Anchored => out.push(b'$'),
        }
        out
    }

    /// The pattern in a dialect without special bytes: it is the beginning of a text.
    fn prefix(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for &byte in &self.prefix {
            if byte.is_ascii_graphic() && byte != b'#' {
                out.push(byte);
            } else {
                push_encoded(byte, &mut out);
            }
        }
        out
    }
}

/// Writes literals so that they are read as literals.
struct Literals {
    normalization: Normalization,
    /// The number of `$` to write as `%24`.
    encoded_dollars: usize,
    part: Reading,
}

/// How escapes are read at the current position of the pattern (N1).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Path,
    /// After a star and before any `?`.
    PathOrQuery,
    Query,
}

impl Literals {
    fn begin_segment(&mut self) {
        if self.part == Reading::Path {
            self.part = Reading::PathOrQuery;
        }
    }

    fn push(&mut self, mut literal: &[u8], out: &mut Vec<u8>) {
        if self.normalization == Normalization::EscapedPatterns {
            // Nothing is decoded, so all bytes represent themselves.
            return out.extend_from_slice(literal);
        }
        while let Some((&byte, rest)) = literal.split_first() {
            match byte {
                b'%' if self.would_change(literal) => {
                    push_verbatim_escape(literal, out);
                    literal = &literal[3..];
                    continue;
                }
                b'*' => push_encoded(byte, out),
                b'$' if self.encoded_dollars > 0 => {
                    self.encoded_dollars -= 1;
                    push_encoded(byte, out);
                }
                b'?' => {
                    self.part = Reading::Query;
                    out.push(byte);
                }
                byte => out.push(byte),
            }
            literal = rest;
        }
    }

    /// Whether `literal`, which begins with `%`, would be read as an escape with another normal form.
    fn would_change(&self, literal: &[u8]) -> bool {
        hex_byte(literal).is_some_and(|byte| {
            literal[1..3].iter().any(u8::is_ascii_lowercase)
                || match self.part {
                    Reading::Path => is_decoded(byte, Part::Path),
                    Reading::Query => is_decoded(byte, Part::Query),
                    Reading::PathOrQuery => is_read_by_part(byte) || is_decoded(byte, Part::Path),
                }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise, nodes without bytes that many others lead to could be read again and again.
    #[test]
    fn every_read_spends_the_budget() {
        let mut found = ShapesByRank::new(0);
        assert_eq!(found.spend(0), Ok(()));
        assert_eq!(found.spend(9), Ok(()));
        assert_eq!(found.budget, MOST_BYTES - 11);
        assert!(found.spend(MOST_BYTES - 11).is_err());
        assert_eq!(found.spend(MOST_BYTES - 12), Ok(()));
    }
}
