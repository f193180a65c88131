//! Compiled rule sets: a program is one sequence of bytes that can be walked in place.
//!
//! ```text
//! version     1 byte
//! widths      1 byte   bits 0-1: bytes of a rule (2, 4, 8); bits 2-3: the unanchored part is none, a list, an
//!                       automaton, or an automaton and chains; bits 4-5: bytes of an automaton's numbers;
//!                       bits 6-7: bytes of a count (1, 2, 4)
//! counts                rules, bytes of the prefix trie, position of its root;
//!                       with a list: best rank, roots;
//!                       with an automaton: states, outputs, segments, roots, wait nodes, best rank
//! prefixes              see `prefix`
//! rules       by rank, 2, 4 or 8 bytes each: line * 2 + (1 for allow)
//! unanchored            see `pattern_list` for a list, `unanchored` for an automaton, `chains` for those after it
//! ```
//!
//! A program has no pointers and no alignment, so a store or a mapped file can hold many consecutive programs.

use std::fmt;

use bumpalo::Bump;
use robomata_policy::RuleSet;
use robomata_protocol::{Access, Dialect, Verdict};

use crate::chains::Chains;
use crate::construct::{Buffers, Construction, Kind};
use crate::decompile::Shape;
use crate::int::{Middle, Wide, Width as _, index_of, push_fixed, read_fixed, u32_of, width_for};
use crate::normal::NormalForm;
use crate::pattern::{End, Pattern, patterns_without_rules};
use crate::pattern_list::{self, Candidates, PatternList};
use crate::prefix::Start;
use crate::rank::{Member, Rank, Ranking, access_of};
use crate::search::{Best, Scratch, Steps, search, search_all};
use crate::unanchored::Counts;
use crate::validate::{LoadError, validate};

pub(crate) const VERSION: u8 = 4;
const KIND_SHIFT: u8 = 2;
const WIDTH_SHIFT: u8 = 4;
const COUNT_WIDTH_SHIFT: u8 = 6;

/// The number of counts of every program, of one with a list, and of one with an automaton, without and with chains.
const COUNTS: [usize; 4] = [3, 5, 9, 9];

/// A compiled rule set that owns its bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Program {
    bytes: Box<[u8]>,
}

impl Program {
    /// Compiles `rules`. Every rule set compiles, in time and size linear in its patterns' bytes.
    pub fn compile(rules: &RuleSet<'_>) -> Self {
        Compiler::new().compile(rules).to_owned()
    }

    /// The program of no rules, which allows everything.
    pub fn without_rules(dialect: Dialect) -> Self {
        Compiler::new().compile_shapes(&[], dialect).to_owned()
    }

    /// A program of one rule, on line 1, that disallows everything.
    pub fn disallowing_all(dialect: Dialect) -> Self {
        let everything = Shape { prefix: b"/".to_vec(), unanchored: vec![], end: End::Open };
        Compiler::new().compile_shapes(&[(everything, Access::Disallow, 1)], dialect).to_owned()
    }

    /// Loads a program from bytes that [`ProgramRef::bytes`] returned, possibly in another process.
    ///
    /// # Errors
    /// When a walk could read outside the bytes or not terminate: all of them are validated.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        ProgramRef::from_bytes(bytes).map(ProgramRef::to_owned)
    }

    /// A borrowed view of the program.
    pub fn as_ref(&self) -> ProgramRef<'_> {
        ProgramRef { bytes: &self.bytes }
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

/// A larger arena is freed before the next policy: few policies need as much.
const KEPT: usize = 1 << 20;

/// Compiles programs, and reuses its memory.
///
/// The parts of a program are allocated in one arena, which is cleared when the next program is compiled. Most patterns
/// are slices of the policy's text, so they could not be kept in reused vectors. The output, which only grows, is in
/// such vectors. A warm compiler therefore allocates only for automata and for patterns that are not in normal form.
#[derive(Debug, Default)]
pub struct Compiler {
    arena: Bump,
    buffers: Buffers,
    bytes: Vec<u8>,
}

impl Compiler {
    /// A compiler without memory.
    pub fn new() -> Self {
        Compiler::default()
    }

    /// The program of `rules`. It borrows the compiler.
    pub fn compile(&mut self, rules: &RuleSet<'_>) -> ProgramRef<'_> {
        self.clear();
        let Compiler { arena, buffers, bytes } = self;
        write(Ranking::new(rules, arena), arena, buffers, bytes);
        ProgramRef { bytes }
    }

    /// The program of patterns without rules, and the rank of each of them, which is that of its shape; 0 if it can
    /// never match.
    pub(crate) fn compile_patterns(
        &mut self,
        written: &[&[u8]],
        form: NormalForm,
    ) -> (ProgramRef<'_>, Vec<Rank>) {
        self.clear();
        let Compiler { arena, buffers, bytes } = self;
        let patterns = patterns_without_rules(written, form, arena);
        // Patterns that can never match, because every text begins with a slash, are the same as under the standard.
        let ranking = Ranking::of(patterns, Dialect::default().semantics(), arena);
        let ranks = ranking.ranks();
        write(ranking, arena, buffers, bytes);
        (ProgramRef { bytes }, ranks)
    }

    /// The program of the shapes of `rules`, whose groups have these numbers; and its members, by shape and group.
    pub(crate) fn compile_union(
        &mut self,
        rules: &RuleSet<'_>,
        numbers: &[u32],
    ) -> (ProgramRef<'_>, Vec<Member>) {
        self.clear();
        let Compiler { arena, buffers, bytes } = self;
        let ranking = Ranking::new(rules, arena);
        let members = ranking.members(
            rules.policy().dialect().semantics().order,
            &groups_of(ranking.patterns, rules, numbers),
        );
        write(ranking, arena, buffers, bytes);
        (ProgramRef { bytes }, members)
    }

    /// The program of rules with these shapes, the worst first, each with its line. No two shapes are equal.
    pub(crate) fn compile_shapes(
        &mut self,
        rules: &[(Shape, Access, u32)],
        dialect: Dialect,
    ) -> ProgramRef<'_> {
        self.clear();
        let Compiler { arena, buffers, bytes } = self;
        let mut patterns = bumpalo::collections::Vec::with_capacity_in(rules.len(), arena);
        for (rank, (shape, access, line)) in (1..).zip(rules) {
            patterns.push(shape.ranked(rank, *access, *line, arena));
        }
        // As in a file.
        patterns.sort_unstable_by_key(|pattern| (pattern.line, pattern.rank));
        let ranking = Ranking::of_ranked(patterns.into_bump_slice(), dialect.semantics(), arena);
        write(ranking, arena, buffers, bytes);
        ProgramRef { bytes }
    }

    fn clear(&mut self) {
        if self.arena.allocated_bytes() > KEPT {
            self.arena = Bump::new();
        }
        self.arena.reset();
    }
}

/// By pattern of `rules`: the number of its group.
fn groups_of(patterns: &[Pattern<'_>], rules: &RuleSet<'_>, numbers: &[u32]) -> Vec<u32> {
    let last_line = |group| rules.policy().rules_of(group).last().map_or(0, |rule| rule.line);
    // Both are in the order of the file.
    let mut groups = rules.groups().iter().zip(numbers).map(|(&group, &number)| (last_line(group), number));
    let mut group = (0, 0);
    let number = |pattern: &Pattern<'_>| {
        while group.0 < pattern.line {
            let Some(next) = groups.next() else { break };
            group = next;
        }
        group.1
    };
    patterns.iter().map(number).collect()
}

/// Builds a program, and lays it out.
fn write<'a>(ranking: Ranking<'a>, arena: &'a Bump, buffers: &mut Buffers, out: &mut Vec<u8>) {
    let Construction { ranking, prefix_root, mut list, roots, kind } =
        Construction::new(ranking, arena, buffers);
    let Buffers { prefixes, unanchored, chains } = &*buffers;
    out.clear();
    let last_line = ranking.ranked().next_back().map_or(0, |pattern| pattern.line);
    let rule_width = match last_line {
        0..0x8000 => 2,
        0x8000..0x8000_0000 => 4,
        _ => 8_usize,
    };
    let rule_bits = crate::int::low_byte(rule_width.trailing_zeros() - 1);
    let (counts, width) = match kind {
        Kind::None | Kind::PatternList => (Counts::default(), 1),
        Kind::SegmentAutomaton | Kind::AutomatonAndChains => {
            let mut counts = unanchored.counts(roots);
            if kind == Kind::AutomatonAndChains {
                counts.best = counts.best.max(chains.best);
            }
            (counts, unanchored.width(&counts))
        }
    };
    let kind_bits = (kind as u8) << KIND_SHIFT | crate::int::low_byte(width.trailing_zeros()) << WIDTH_SHIFT;
    let mut numbers = [ranking.best, u32_of(prefixes.len()), prefix_root, 0, 0, 0, 0, 0, 0];
    match kind {
        Kind::None => {}
        Kind::PatternList => {
            let best = list.iter().map(|follower| follower.pattern.rank).max();
            numbers[3..5].copy_from_slice(&[best.unwrap_or(0), roots]);
        }
        Kind::SegmentAutomaton | Kind::AutomatonAndChains => {
            let Counts { states, outputs, segments, roots, waits, best } = counts;
            numbers[3..].copy_from_slice(&[states, outputs, segments, roots, waits, best]);
        }
    }
    let count_width = width_for(numbers.into_iter().max().unwrap_or(0));
    let count_bits = crate::int::low_byte(count_width.trailing_zeros()) << COUNT_WIDTH_SHIFT;
    out.extend_from_slice(&[VERSION, rule_bits | kind_bits | count_bits]);
    for number in &numbers[..COUNTS[kind as usize]] {
        push_fixed(out, *number, count_width);
    }
    out.extend_from_slice(prefixes);
    write_rules(&ranking, rule_width, out);
    match kind {
        Kind::None => {}
        Kind::PatternList => pattern_list::write(&mut list, roots, out),
        Kind::SegmentAutomaton => unanchored.write(out, width),
        Kind::AutomatonAndChains => {
            unanchored.write(out, width);
            chains.write(out);
        }
    }
    debug_assert_eq!(validate(out), Ok(()));
}

fn write_rules(ranking: &Ranking<'_>, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + width * ranking.best as usize, 0);
    let rules = &mut out[start..];
    for pattern in ranking.ranked() {
        let allow = u64::from(access_of(pattern) == Access::Allow);
        let rule = (u64::from(pattern.line) << 1 | allow).to_le_bytes();
        let item = &mut rules[(pattern.rank as usize - 1) * width..][..width];
        match item {
            [low, high] => [*low, *high] = [rule[0], rule[1]],
            item => item.copy_from_slice(&rule[..width]),
        }
    }
}

/// A compiled rule set in borrowed bytes: in a [`Program`], a store or a mapped file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProgramRef<'p> {
    bytes: &'p [u8],
}

/// The located parts of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'p> {
    /// The prefix trie and all bytes after it, so that whole blocks of it can be loaded.
    pub(crate) prefixes: &'p [u8],
    /// The length of the trie; the rules follow it.
    head_length: u32,
    pub(crate) root: usize,
    pub(crate) rule_count: u32,
    pub(crate) rule_width: u8,
    pub(crate) unanchored: UnanchoredPart<'p>,
}

/// The unanchored part of a program, not yet decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UnanchoredPart<'p> {
    None,
    PatternList {
        best: Rank,
        roots: u32,
        list: PatternList<'p>,
    },
    /// The chains, if there are any, are after the arrays.
    SegmentAutomaton {
        counts: Counts,
        width: u8,
        arrays: &'p [u8],
    },
}

impl UnanchoredPart<'_> {
    /// The number of roots that prefixes can activate.
    pub(crate) fn roots(&self) -> u32 {
        match self {
            UnanchoredPart::None => 1,
            UnanchoredPart::PatternList { roots, .. } => *roots,
            UnanchoredPart::SegmentAutomaton { counts, .. } => counts.roots,
        }
    }
}

impl<'p> Parts<'p> {
    /// Locates the parts; `None` when `bytes` are not a program of this version, or their length does not match their
    /// counts.
    #[inline]
    pub(crate) fn find(bytes: &'p [u8]) -> Option<Self> {
        let (&[VERSION, widths], rest) = bytes.split_first_chunk()? else { return None };
        let rule_width = 2 << (widths & 3);
        match widths >> KIND_SHIFT & 3 {
            0 => {
                let (counts, rest) = read_counts::<{ COUNTS[0] }>(rest, widths)?;
                let (parts, rest) = Parts::before_unanchored(counts, rule_width, rest)?;
                rest.is_empty().then_some(parts)
            }
            1 => {
                let ([rules, length, root, best, roots], rest) = read_counts::<{ COUNTS[1] }>(rest, widths)?;
                let (parts, rest) = Parts::before_unanchored([rules, length, root], rule_width, rest)?;
                let list = PatternList::find(rest, roots)?;
                Some(Parts { unanchored: UnanchoredPart::PatternList { best, roots, list }, ..parts })
            }
            kind => {
                let ([rules, length, root, states, outputs, segments, roots, waits, best], rest) =
                    read_counts::<{ COUNTS[2] }>(rest, widths)?;
                let (parts, arrays) = Parts::before_unanchored([rules, length, root], rule_width, rest)?;
                let counts = Counts { states, outputs, segments, roots, waits, best };
                let width = 1 << (widths >> WIDTH_SHIFT & 3);
                let chains = arrays.get(counts.bytes(width.into())?..)?;
                let fits = if kind == 2 { chains.is_empty() } else { Chains::find(chains).is_some() };
                let unanchored = UnanchoredPart::SegmentAutomaton { counts, width, arrays };
                fits.then_some(Parts { unanchored, ..parts })
            }
        }
    }

    /// The trie and the rules, and the bytes after them.
    #[inline(always)]
    fn before_unanchored(
        [rule_count, head_length, root]: [u32; 3],
        rule_width: u8,
        prefixes: &'p [u8],
    ) -> Option<(Self, &'p [u8])> {
        let rules = usize::from(rule_width).checked_mul(rule_count as usize)?;
        let rest = prefixes.get((head_length as usize).checked_add(rules)?..)?;
        let unanchored = UnanchoredPart::None;
        let root = root as usize;
        Some((Parts { prefixes, head_length, root, rule_count, rule_width, unanchored }, rest))
    }

    /// The prefix trie alone.
    pub(crate) fn prefix(&self) -> &'p [u8] {
        &self.prefixes[..self.head_length as usize]
    }

    /// The rules by rank.
    pub(crate) fn rules(&self) -> &'p [u8] {
        &self.prefixes[self.head_length as usize..][..self.rule_count as usize * usize::from(self.rule_width)]
    }

    /// The rule with `rank`, which is not 0.
    #[inline]
    pub(crate) fn rule(&self, rank: Rank) -> (Access, u32) {
        let width = usize::from(self.rule_width);
        let at = self.head_length as usize + (rank as usize - 1) * width;
        let number = match self.prefixes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(&two) if width == 2 => u64::from(u16::from_le_bytes(two)),
            _ => read_fixed(self.prefixes, at, width),
        };
        let access = if number & 1 == 1 { Access::Allow } else { Access::Disallow };
        (access, u32_of(index_of(number >> 1)))
    }
}

/// The first N counts in a program's header, and the bytes after them.
#[inline(always)]
fn read_counts<const N: usize>(bytes: &[u8], widths: u8) -> Option<([u32; N], &[u8])> {
    match widths >> COUNT_WIDTH_SHIFT {
        0 => {
            let (counts, rest) = bytes.split_first_chunk::<N>()?;
            Some((counts.map(u32::from), rest))
        }
        1 => {
            let (counts, rest) = bytes.split_at_checked(2 * N)?;
            Some((std::array::from_fn(|index| Middle::at(counts, index)), rest))
        }
        2 => {
            let (counts, rest) = bytes.split_at_checked(4 * N)?;
            Some((std::array::from_fn(|index| Wide::at(counts, index)), rest))
        }
        _ => None,
    }
}

/// A program whose parts have been located once, so that walks can begin immediately.
#[derive(Clone, Copy, Debug)]
pub struct PreparedProgram<'p> {
    pub(crate) parts: Parts<'p>,
    pub(crate) start: Start<'p>,
    /// The unanchored patterns of a list that every target can match.
    pub(crate) candidates: Candidates,
}

impl<'p> PreparedProgram<'p> {
    /// The program in `bytes`, which have been validated; `None` if they are something else.
    #[inline]
    pub fn find(bytes: &'p [u8]) -> Option<Self> {
        let parts = Parts::find(bytes)?;
        let start = Start::new(parts.prefixes, parts.root)?;
        let candidates = match parts.unanchored {
            UnanchoredPart::PatternList { list, .. } => list.followers(0),
            _ => 0,
        };
        Some(PreparedProgram { parts, start, candidates })
    }

    /// The rank of the deciding rule for `text` (0 when none matches), and the number of steps.
    pub(crate) fn rank_of(&self, text: &[u8], scratch: &mut Scratch) -> (Rank, u64) {
        let mut steps = Steps::default();
        search(self, text, scratch, &mut steps);
        (steps.best.0, steps.count)
    }

    /// Whether both are the same program at the same address. Equal programs at different addresses count as different.
    pub fn is_at(&self, other: &PreparedProgram<'_>) -> bool {
        std::ptr::eq(self.parts.prefixes, other.parts.prefixes)
    }

    /// Like [`ProgramRef::verdict`].
    #[inline]
    pub fn verdict(&self, text: &[u8], scratch: &mut Scratch) -> Verdict {
        let mut best = Best::default();
        search(self, text, scratch, &mut best);
        match best.0 {
            0 => Verdict::NO_RULE,
            rank => {
                let (access, line) = self.parts.rule(rank);
                Verdict::by_rule(access, line)
            }
        }
    }
}

impl<'p> ProgramRef<'p> {
    /// The program in `bytes`.
    ///
    /// # Errors
    /// When a walk could read outside the bytes or not terminate: all of them are validated.
    pub fn from_bytes(bytes: &'p [u8]) -> Result<Self, LoadError> {
        validate(bytes)?;
        Ok(ProgramRef { bytes })
    }

    /// The program in `bytes`, which have already been validated.
    pub fn from_raw(bytes: &'p [u8]) -> Self {
        ProgramRef { bytes }
    }

    /// The program in `bytes` that have been validated, or at least have the parts of a program.
    pub(crate) fn find(bytes: &'p [u8]) -> Option<Self> {
        PreparedProgram::find(bytes).map(|_| ProgramRef { bytes })
    }

    /// The program's bytes, for storage.
    pub fn bytes(self) -> &'p [u8] {
        self.bytes
    }

    /// A copy that owns its bytes.
    pub fn to_owned(self) -> Program {
        Program { bytes: self.bytes.into() }
    }

    /// Whether no rule can ever match.
    pub fn is_empty(self) -> bool {
        self.rule_count() == 0
    }

    /// The number of rules that can ever decide.
    pub fn rule_count(self) -> u32 {
        self.parts().rule_count
    }

    /// The verdict for `text`, a target (path and query, at least `/`) in the normal form of the dialect.
    ///
    /// Takes time linear in the text; see the crate's documentation for the bound. Allocates nothing once `scratch` has
    /// grown.
    #[inline]
    pub fn verdict(self, text: &[u8], scratch: &mut Scratch) -> Verdict {
        self.prepare().verdict(text, scratch)
    }

    /// The program with its parts located, for repeated walks.
    #[inline]
    pub fn prepare(self) -> PreparedProgram<'p> {
        match PreparedProgram::find(self.bytes) {
            Some(prepared) => prepared,
            None => unreachable!("a program is validated when it is made"),
        }
    }

    /// The ranks of all rules that match `text`, the best first; equal shapes count once (see [`crate::ranked_rules`]).
    pub fn matching_ranks(self, text: &[u8], scratch: &mut Scratch) -> Vec<Rank> {
        let mut ranks = Vec::new();
        search_all(&self.prepare(), text, scratch, &mut ranks);
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        ranks.dedup();
        ranks
    }

    /// The number of steps of a walk through `text`: the positions that it looks at for the first time or again, each a
    /// matter of nanoseconds. For tests that search for slow rules and texts.
    pub fn steps(self, text: &[u8], scratch: &mut Scratch) -> u64 {
        let mut steps = Steps::default();
        search(&self.prepare(), text, scratch, &mut steps);
        steps.count
    }

    /// Bytes are validated before they become a program, so its parts are always found.
    #[inline]
    pub(crate) fn parts(self) -> Parts<'p> {
        match Parts::find(self.bytes) {
            Some(parts) => parts,
            None => unreachable!("a program is validated when it is made"),
        }
    }
}
