//! What a robots.txt states to one crawler about usages, in bytes (`crates/PERMISSIONS.md`, R4).
//!
//! ```text
//! tag         1 byte   TAG
//! lengths     u32 each  bytes of the rule set, of the field set and of the scopes; words of the tables
//! rule set              a set of patterns (see robomata-automaton): the conventional rules, and the vocabularies that
//!                       compare the same normal form; they share one walk
//! field set             a set of patterns: ACAP's, which fold case
//! scopes                the scopes of patterns, consecutive, if their order does not suffice to compare them
//! tables      u32 each  see `tables`
//! ```
//!
//! The only qualifiers in the bytes are dates that end permissions; they are compared with the time of the query.

use std::fmt;

use robomata_automaton::{LoadError, PatternSet, PatternSetRef, ProgramRule, Scratch, Validator};
use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect, Moment, Usage, Verdict};

use crate::answer::{Candidates, Matches, Matching};
use crate::compile::compile_for;
use crate::tables::{self, TableBuilder, Tables, u32_of};

/// The first byte of a statement program; programs and sets have other first bytes.
const TAG: u8 = 0xC4;
const LENGTHS: usize = 4;
const HEADER: usize = 1 + 4 * LENGTHS;

/// The usages that a store answers about: crawl, or crawl together with another usage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UsageQuery {
    /// The usage.
    pub usage: Usage,
    /// The purpose of the usage (ACAP 1.0 part 1, section 2.3.3).
    pub purpose: Option<String>,
}

impl Default for UsageQuery {
    /// Crawl, for any purpose.
    fn default() -> Self {
        UsageQuery { usage: Usage::Crawl, purpose: None }
    }
}

impl fmt::Display for UsageQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.purpose {
            Some(purpose) => write!(f, "{} for '{purpose}'", self.usage),
            None => write!(f, "{}", self.usage),
        }
    }
}

/// A compiled statement program that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StatementProgram {
    bytes: Box<[u8]>,
}

impl StatementProgram {
    /// The statements of `policy` to `crawler` about crawl and the usage of the query, for its purpose. `None` when the
    /// conventional rules alone decide.
    pub fn compile(policy: &Policy<'_>, crawler: &Crawler, usage_query: &UsageQuery) -> Option<Self> {
        compile_for(policy, crawler, usage_query)
    }

    pub(crate) fn new(rules: &PatternSet, fields: &PatternSet, tables: &TableBuilder, usage: Usage) -> Self {
        let words = tables.words(usage);
        let mut bytes = vec![TAG];
        for length in [rules.bytes().len(), fields.bytes().len(), tables.scopes().len(), words.len()] {
            bytes.extend_from_slice(&u32_of(length).to_le_bytes());
        }
        bytes.extend_from_slice(rules.bytes());
        bytes.extend_from_slice(fields.bytes());
        bytes.extend_from_slice(tables.scopes());
        bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
        StatementProgram { bytes: bytes.into() }
    }

    /// The program in `bytes`, which have already been validated.
    pub fn from_raw(bytes: &[u8]) -> Self {
        StatementProgram { bytes: bytes.into() }
    }

    /// Its bytes, for storage.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A statement program in borrowed bytes, with its sections located.
#[derive(Clone, Copy, Debug)]
pub struct StatementProgramRef<'p> {
    rules: PatternSetRef<'p>,
    fields: PatternSetRef<'p>,
    tables: Tables<'p>,
}

/// The scratch memory of a check. It belongs to the caller, so that a check allocates nothing once the memory has
/// grown.
#[derive(Clone, Debug, Default)]
pub struct StatementScratch {
    /// The time of the query: a permission that a date has ended no longer permits. `None`: dates are ignored.
    pub now: Option<Moment>,
    pub(crate) matches: Matches,
    pub(crate) candidates: Candidates,
}

/// Whether the tag in `bytes` is that of a statement program.
#[inline]
pub fn is_statement_program(bytes: &[u8]) -> bool {
    bytes.first() == Some(&TAG)
}

struct Sections<'p> {
    rules: &'p [u8],
    fields: &'p [u8],
    tables: Tables<'p>,
}

impl<'p> Sections<'p> {
    fn find(bytes: &'p [u8]) -> Option<Self> {
        let (header, rest) = bytes.split_at_checked(HEADER)?;
        if header[0] != TAG {
            return None;
        }
        let mut lengths = header[1..].chunks_exact(4).map(|number| tables::word(number) as usize);
        let mut next = || lengths.next();
        let (rules, rest) = rest.split_at_checked(next()?)?;
        let (fields, rest) = rest.split_at_checked(next()?)?;
        let (scopes, words) = rest.split_at_checked(next()?)?;
        let is_whole = words.len() == next()?.checked_mul(4)?;
        Some(Sections { rules, fields, tables: Tables::find(scopes, is_whole.then_some(words)?)? })
    }
}

impl<'p> StatementProgramRef<'p> {
    /// Checks that a query reads nothing outside `bytes`.
    ///
    /// # Errors
    /// When it could.
    pub fn validate(bytes: &'p [u8], validator: &mut Validator) -> Result<(), LoadError> {
        let sections =
            Sections::find(bytes).ok_or_else(|| LoadError::expected("complete statement programs"))?;
        let rules = PatternSetRef::from_bytes(sections.rules, validator)?;
        let fields = PatternSetRef::from_bytes(sections.fields, validator)?;
        let is_valid = sections.tables.is_valid(rules.len(), fields.len());
        let expected = || LoadError::expected("statement programs whose tables agree with their patterns");
        is_valid.then_some(()).ok_or_else(expected)
    }

    /// The program in `bytes`, which have already been validated; `None` when they are not a statement program.
    pub fn from_raw(bytes: &'p [u8]) -> Option<Self> {
        let Sections { rules, fields, tables } = Sections::find(bytes)?;
        let (rules, fields) = (PatternSetRef::from_raw(rules)?, PatternSetRef::from_raw(fields)?);
        Some(StatementProgramRef { rules, fields, tables })
    }

    /// The shapes of all patterns ([`PatternSetRef::shapes`]). Case-insensitive patterns are in lower case.
    pub fn shapes(&self, dialect: Dialect) -> Vec<ProgramRule> {
        let sets = [self.rules, self.fields];
        sets.iter().filter_map(|set| set.shapes(dialect).ok()).flatten().collect()
    }

    /// The verdict for `target`, which is in the normal form of RFC 9309, about crawl and the usage of the program
    /// together.
    pub fn verdict(
        &self,
        target: &[u8],
        scratch: &mut Scratch,
        statements: &mut StatementScratch,
    ) -> Verdict {
        let StatementScratch { now, matches, candidates } = statements;
        self.find_matches(target, scratch, matches);
        let matching = Matching { tables: self.tables, matches, now: *now };
        let crawl = match target == b"/robots.txt" {
            true => Verdict::ROBOTS_TXT,
            false => matching.crawl(candidates),
        };
        match self.tables.usage() {
            Usage::Crawl => crawl,
            usage => matching.together(crawl, usage, candidates),
        }
    }

    /// Finds the patterns that match `target`, which is in the normal form of RFC 9309.
    pub(crate) fn find_matches(&self, target: &[u8], scratch: &mut Scratch, matches: &mut Matches) {
        let Matches { rules, fields, folded } = matches;
        rules.clear();
        self.rules.each_match(target, scratch, |number| rules.push(number));
        // Among the rules of one vocabulary, the last one decides.
        rules.sort_unstable();
        fields.clear();
        if !self.fields.is_empty() {
            folded.clear();
            folded.extend(target.iter().map(u8::to_ascii_lowercase));
            self.fields.each_match(folded, scratch, |number| fields.push(number));
        }
    }

    pub(crate) fn tables(&self) -> Tables<'p> {
        self.tables
    }
}
