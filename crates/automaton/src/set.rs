//! Patterns without an order: a walk returns all that match, and the caller decides what they mean.
//!
//! If several vocabularies compare the same normal form of a URL, their patterns share one set, and so one walk.
//!
//! ```text
//! tag         1 byte   TAG
//! patterns    u32       how many
//! program     u32       bytes of the program
//! program               of the patterns' shapes; a rank represents a shape
//! firsts      u32 each, for rank 1 to the last one and one more: where its patterns begin in the next section
//! numbers     u32 each  of the patterns that can match, those of one rank are adjacent and ascending
//! ```

use std::fmt;

use robomata_protocol::Dialect;

use crate::decompile::ProgramRule;
use crate::int::{index_of, push_fixed, read_fixed, u32_of};
use crate::normal::NormalForm;
use crate::program::{Compiler, PreparedProgram, ProgramRef};
use crate::rank::Rank;
use crate::search::{Scratch, search_all};
use crate::validate::{LoadError, Validator, ensure};

const TAG: u8 = 0x80 | crate::program::VERSION;
const HEADER: usize = 9;
const NUMBER: usize = 4;

/// Patterns compiled into one program that reports which of them match.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PatternSet {
    bytes: Box<[u8]>,
}

/// A [`PatternSet`] in borrowed bytes, with its parts located.
#[derive(Clone, Copy, Debug)]
pub struct PatternSetRef<'s> {
    program: PreparedProgram<'s>,
    firsts: &'s [u8],
    numbers: &'s [u8],
    bytes: &'s [u8],
}

impl PatternSet {
    /// Compiles `patterns` as written, with `*` and a final `$`, in the normal form `form`. Each pattern must begin
    /// with `/` or `*`; others never match. Time and size are linear in their bytes.
    pub fn compile(patterns: &[&[u8]], form: NormalForm) -> Self {
        let mut compiler = Compiler::new();
        let (program, ranks) = compiler.compile_patterns(patterns, form);
        let shapes = program.rule_count();
        let mut firsts = vec![0_u32; shapes as usize + 2];
        for &rank in &ranks {
            firsts[rank as usize + 1] += 1;
        }
        // Patterns of rank 0 never match.
        firsts[1] = 0;
        for at in 1..firsts.len() {
            firsts[at] += firsts[at - 1];
        }
        let mut next = firsts.clone();
        let mut numbers = vec![0_u32; firsts[shapes as usize + 1] as usize];
        for (number, &rank) in (0..).zip(&ranks).filter(|&(_, &rank)| rank > 0) {
            numbers[next[rank as usize] as usize] = number;
            next[rank as usize] += 1;
        }
        let mut bytes = vec![TAG];
        push_fixed(&mut bytes, u32_of(patterns.len()), NUMBER);
        push_fixed(&mut bytes, u32_of(program.bytes().len()), NUMBER);
        bytes.extend_from_slice(program.bytes());
        for number in firsts[1..].iter().chain(&numbers) {
            push_fixed(&mut bytes, *number, NUMBER);
        }
        PatternSet { bytes: bytes.into() }
    }

    /// A borrowed view of the set.
    pub fn as_ref(&self) -> PatternSetRef<'_> {
        match PatternSetRef::find(&self.bytes) {
            Some(set) => set,
            None => unreachable!("a set is laid out when it is compiled"),
        }
    }

    /// The set's bytes, for storage.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for PatternSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PatternSet").field("patterns", &self.as_ref().len()).finish()
    }
}

impl<'s> PatternSetRef<'s> {
    /// The set in `bytes`.
    ///
    /// # Errors
    /// When a walk could read outside the bytes or not terminate: all of them are validated.
    pub fn from_bytes(bytes: &'s [u8], validator: &mut Validator) -> Result<Self, LoadError> {
        let program = Sections::find(bytes).map(|sections| sections.program);
        validator.validate(program.ok_or_else(|| LoadError::expected("a set of patterns"))?)?;
        let set = PatternSetRef::find(bytes)
            .ok_or_else(|| LoadError::expected("a set of patterns with numbers for its ranks"))?;
        set.validate()?;
        Ok(set)
    }

    /// The set in `bytes`, which have already been validated; `None` when they are not a set.
    #[inline]
    pub fn from_raw(bytes: &'s [u8]) -> Option<Self> {
        PatternSetRef::find(bytes)
    }

    fn find(bytes: &'s [u8]) -> Option<Self> {
        let Sections { program, tables } = Sections::find(bytes)?;
        let program = ProgramRef::find(program)?;
        let shapes = program.rule_count() as usize;
        let (firsts, numbers) = tables.split_at_checked((shapes + 1).checked_mul(NUMBER)?)?;
        Some(PatternSetRef { program: program.prepare(), firsts, numbers, bytes })
    }

    fn validate(&self) -> Result<(), LoadError> {
        let firsts: Vec<u32> = self.firsts.chunks_exact(NUMBER).map(|first| number_at(first, 0)).collect();
        let end = u32_of(self.numbers.len() / NUMBER);
        let ascend = firsts.first() == Some(&0) && firsts.is_sorted() && firsts.last() == Some(&end);
        ensure(ascend && self.numbers.len().is_multiple_of(NUMBER), "ascending places of a set's numbers")?;
        let exist = self.numbers.chunks_exact(NUMBER).all(|number| number_at(number, 0) < self.len());
        ensure(exist, "numbers of patterns that a set has")
    }

    /// The number of compiled patterns.
    pub fn len(&self) -> u32 {
        number_at(self.bytes, 1)
    }

    /// Whether the set has no patterns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The patterns' shapes, as rules of a program. Their ranks, lines and accesses have no meaning.
    ///
    /// # Errors
    /// When the set was not made by a compiler.
    pub fn shapes(&self, dialect: Dialect) -> Result<Vec<ProgramRule>, LoadError> {
        let program = Sections::find(self.bytes).and_then(|sections| ProgramRef::find(sections.program));
        program.ok_or_else(|| LoadError::expected("a set of patterns"))?.rules(dialect)
    }

    /// Calls `each` with the number of every pattern that matches `text`, a target in the normal form of the patterns:
    /// each once, in no particular order. Takes steps linear in the text and the patterns' segments, and allocates
    /// nothing once `scratch` has grown.
    #[inline]
    pub fn each_match(&self, text: &[u8], scratch: &mut Scratch, mut each: impl FnMut(u32)) {
        let mut ranks = std::mem::take(&mut scratch.ranks);
        ranks.clear();
        search_all(&self.program, text, scratch, &mut ranks);
        if ranks.len() > 1 {
            // A walk can find a rank in more than one way.
            ranks.sort_unstable();
            ranks.dedup();
        }
        for &rank in &ranks {
            for at in self.first(rank - 1)..self.first(rank) {
                each(number_at(self.numbers, at as usize * NUMBER));
            }
        }
        scratch.ranks = ranks;
    }

    /// The start of the numbers of the rank after `rank`.
    #[inline]
    fn first(&self, rank: Rank) -> u32 {
        number_at(self.firsts, rank as usize * NUMBER)
    }
}

/// The sections of a set's bytes.
struct Sections<'s> {
    program: &'s [u8],
    tables: &'s [u8],
}

impl<'s> Sections<'s> {
    fn find(bytes: &'s [u8]) -> Option<Self> {
        if *bytes.first()? != TAG || bytes.len() < HEADER {
            return None;
        }
        let length = number_at(bytes, 1 + NUMBER) as usize;
        let (program, tables) = bytes[HEADER..].split_at_checked(length)?;
        Some(Sections { program, tables })
    }
}

#[inline]
fn number_at(bytes: &[u8], at: usize) -> u32 {
    u32_of(index_of(read_fixed(bytes, at, NUMBER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(set: &PatternSet, text: &str) -> Vec<u32> {
        let (mut numbers, mut scratch) = (vec![], Scratch::new());
        set.as_ref().each_match(text.as_bytes(), &mut scratch, |number| numbers.push(number));
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn all_matches_are_reported_once_equal_shapes_too() {
        let patterns: [&[u8]; 8] = [b"/a", b"/a*", b"/A", b"*b$", b"/a/*b", b"/x", b"no", b"/a*b*$"];
        let set = PatternSet::compile(&patterns, NormalForm::Folded);
        assert_eq!(matches(&set, "/a/b"), [0, 1, 2, 3, 4, 7]);
        assert_eq!(matches(&set, "/a/bc"), [0, 1, 2, 4, 7]);
        assert_eq!(matches(&set, "/x"), [5]);
        assert_eq!(matches(&set, "/y"), [0_u32; 0]);
        assert_eq!(matches(&PatternSet::compile(&[], NormalForm::Rfc9309), "/"), [0_u32; 0]);
    }

    #[test]
    fn a_set_is_loaded_only_as_it_was_stored() {
        let patterns: Vec<String> = (0..80).map(|n| format!("/*{n}*a{}", n % 7)).collect();
        let patterns: Vec<&[u8]> = patterns.iter().map(String::as_bytes).collect();
        let set = PatternSet::compile(&patterns, NormalForm::Rfc9309);
        let mut validator = Validator::new();
        assert!(PatternSetRef::from_bytes(set.bytes(), &mut validator).is_ok());
        let mut scratch = Scratch::new();
        for at in 0..set.bytes().len() {
            assert!(PatternSetRef::from_bytes(&set.bytes()[..at], &mut validator).is_err(), "{at}");
            let mut bytes = set.bytes().to_vec();
            bytes[at] ^= 0x41;
            if let Ok(set) = PatternSetRef::from_bytes(&bytes, &mut validator) {
                set.each_match(b"/1/23/a4/a5", &mut scratch, |number| assert!(number < set.len()));
            }
        }
    }

    #[test]
    fn the_places_of_a_sets_numbers_begin_at_zero_and_ascend() {
        let patterns: [&[u8]; 3] = [b"/a", b"/b", b"/c"];
        let set = PatternSet::compile(&patterns, NormalForm::Rfc9309);
        let firsts = set.as_ref().firsts;
        let at = firsts.as_ptr().addr() - set.bytes().as_ptr().addr();
        for (forged, is_valid) in
            [([0_u32, 1, 2, 3], true), ([0, 2, 1, 3], false), ([1, 1, 2, 3], false), ([0, 1, 2, 2], false)]
        {
            let mut bytes = set.bytes().to_vec();
            bytes[at..at + firsts.len()].copy_from_slice(&forged.map(u32::to_le_bytes).concat());
            let loaded = PatternSetRef::from_bytes(&bytes, &mut Validator::new());
            assert_eq!(loaded.is_ok(), is_valid, "{forged:?}");
        }
    }

    #[test]
    fn the_numbers_of_a_set_are_those_of_its_patterns() {
        let patterns: [&[u8]; 3] = [b"/a", b"/b", b"/c"];
        let set = PatternSet::compile(&patterns, NormalForm::Rfc9309);
        for (number, is_valid) in [(2, true), (3, false), (u32::MAX, false)] {
            let mut bytes = set.bytes().to_vec();
            let last = bytes.len() - NUMBER;
            bytes[last..].copy_from_slice(&u32::to_le_bytes(number));
            let loaded = PatternSetRef::from_bytes(&bytes, &mut Validator::new());
            assert_eq!(loaded.is_ok(), is_valid, "{number}");
        }
    }

    #[test]
    fn nested_outputs_are_reported_once_however_often_they_end() {
        let patterns: Vec<String> = (1..400).map(|n| format!("*{}", "a".repeat(n))).collect();
        let patterns: Vec<&[u8]> = patterns.iter().map(String::as_bytes).collect();
        let set = PatternSet::compile(&patterns, NormalForm::Rfc9309);
        let text = format!("/{}", "a".repeat(2000));
        let mut scratch = Scratch::new();
        let mut count = 0;
        set.as_ref().each_match(text.as_bytes(), &mut scratch, |_| count += 1);
        assert_eq!(count, 399);
        assert!(scratch.ranks.capacity() < 4 * 399, "a rank is collected a few times at most");
    }

    #[test]
    fn a_set_of_no_patterns_is_empty() {
        let set = |patterns: &[&[u8]]| PatternSet::compile(patterns, NormalForm::Rfc9309);
        assert!(set(&[]).as_ref().is_empty());
        assert!(!set(&[b"/a"]).as_ref().is_empty() && !set(&[b"never"]).as_ref().is_empty());
    }
}
