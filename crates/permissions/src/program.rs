//! A site's policy for one crawler about crawl and one more usage, in bytes, for stores (`crates/PERMISSIONS.md`, R4).
//!
//! Most sites make no statement about usages: for them, a [`Program`](robomata_automaton::Program) of the conventional
//! rules decides. The others have a statement program: the patterns of all statements about the usage, and their meanings.
//!
//! ```text
//! tag         1 byte   TAG
//! lengths     u32 each  bytes of the rule set, of the field set and of the scopes; words of the tables
//! rule set              a set of patterns (see robomata-automaton): the conventional rules, and the vocabularies that
//!                       compare the same normal form; they share one walk
//! field set             a set of patterns: ACAP's, which fold case
//! scopes                the scopes of patterns, consecutive
//! tables      u32 each  see `tables`
//! ```
//!
//! The only qualifiers that take part are dates that end permissions; they are compared with the time of the query. For
//! the other qualifiers, and for pages, see the crate `robomata-evaluator`.

use std::fmt;

use robomata_automaton::{LoadError, PatternSetRef, ProgramRule, Scratch, Validator};
use robomata_protocol::{Access, Dialect, Reason, Usage, Verdict};

use crate::decide::{StatementScratch, UsageMatches};
use crate::tables::{self, Tables};

/// The first byte of a statement program; programs and sets have other first bytes.
pub(crate) const TAG: u8 = 0xC3;
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
    pub(crate) bytes: Box<[u8]>,
}

impl StatementProgram {
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
        Some(Sections { rules, fields, tables: Tables { scopes, words: is_whole.then_some(words)? } })
    }
}

impl<'p> StatementProgramRef<'p> {
    /// The program in `bytes`.
    ///
    /// # Errors
    /// When a query could read outside the bytes.
    pub fn validate(bytes: &'p [u8], validator: &mut Validator) -> Result<(), LoadError> {
        let sections =
            Sections::find(bytes).ok_or_else(|| LoadError::expected("complete statement programs"))?;
        let rules = PatternSetRef::from_bytes(sections.rules, validator)?;
        let fields = PatternSetRef::from_bytes(sections.fields, validator)?;
        sections
            .tables
            .is_valid(rules.len(), fields.len())
            .then_some(())
            .ok_or_else(|| LoadError::expected("statement programs whose tables agree with their patterns"))
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

    /// The verdict for `target`, which is in the normal form of RFC 9309.
    pub fn verdict(&self, target: &[u8], scratch: &mut Scratch, usage: &mut StatementScratch) -> Verdict {
        let StatementScratch { rules, fields, folded, .. } = usage;
        rules.clear();
        self.rules.each_match(target, scratch, |number| rules.push(number));
        fields.clear();
        if !self.fields.is_empty() {
            folded.clear();
            folded.extend(target.iter().map(u8::to_ascii_lowercase));
            self.fields.each_match(folded, scratch, |number| fields.push(number));
        }
        let mut matches = UsageMatches::new(&self.tables, usage);
        let crawl = if target == b"/robots.txt" { Verdict::ROBOTS_TXT } else { matches.crawl() };
        if self.tables.is_crawl_alone() {
            return crawl;
        }
        matches.together(crawl)
    }
}

/// A verdict of the rule or field on `line`.
pub(crate) const fn by_line(access: Access, line: u32, reason: Reason) -> Verdict {
    Verdict { access, line, reason }
}
