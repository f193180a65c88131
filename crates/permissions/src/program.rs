//! What a robots.txt states to one crawler about usages, in bytes (`crates/PERMISSIONS.md`, R4).
//!
//! ```text
//! tag         1 byte   TAG
//! lengths     u32 each  bytes of the rule set, of the field set and of the scopes; words of the tables
//! rule set              a set of patterns (see robomata-automaton): the conventional rules, and the vocabularies that
//!                       compare the same normal form; they share one walk
//! field set             a set of patterns: ACAP's, which fold case; absent if there are none
//! scopes                the scopes of patterns, consecutive, if their order does not suffice to compare them
//! tables      u32 each  see `tables`
//! ```
//!
//! The only qualifiers in the bytes are dates that end permissions; they are compared with the time of the query.

use std::fmt;

use robomata_automaton::{LoadError, PatternSet, PatternSetRef, ProgramRule, Scratch, Validator};
use robomata_policy::{Policy, TdmRep};
use robomata_protocol::{Access, Crawler, Dialect, Moment, Usage, Verdict};

use crate::answer::{Candidates, Matches, Matching};
use crate::compile::{compile_for, compile_tdmrep};
use crate::tables::{TableBuilder, Tables, u32_of};

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
        if cfg!(feature = "programs") { compile_for(policy, crawler, usage_query) } else { None }
    }

    /// The rules of a site's tdmrep.json, which are the same for every crawler. `None` when it says nothing.
    pub fn of_tdmrep(tdmrep: &TdmRep) -> Option<Self> {
        compile_tdmrep(tdmrep)
    }

    pub(crate) fn new(
        rules: &PatternSet,
        fields: Option<&PatternSet>,
        tables: &TableBuilder,
        usage: Usage,
    ) -> Self {
        let (fields, words) = (fields.map(PatternSet::bytes).unwrap_or_default(), tables.words(usage));
        let mut bytes = vec![TAG];
        for length in [rules.bytes().len(), fields.len(), tables.scopes().len(), words.len()] {
            bytes.extend_from_slice(&u32_of(length).to_le_bytes());
        }
        bytes.extend_from_slice(rules.bytes());
        bytes.extend_from_slice(fields);
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
    fields: Option<PatternSetRef<'p>>,
    tables: Tables<'p>,
    /// A build without programs has no value of this type, so the compiler leaves out what only reads them.
    #[cfg(not(feature = "programs"))]
    #[allow(dead_code, reason = "there is no such value")]
    none: std::convert::Infallible,
}

/// The scratch memory of a check. It belongs to the caller, so that a check allocates nothing once the memory has
/// grown.
#[derive(Clone, Debug, Default)]
pub struct StatementScratch {
    /// The time of the query: a permission that a date has ended no longer permits. `None`: dates are ignored.
    pub now: Option<Moment>,
    /// What the site's tdmrep.json says about mining the target; it is one of the vocabularies.
    pub tdmrep: Option<Access>,
    pub(crate) matches: Matches,
    /// For crawl, and for the usage.
    pub(crate) candidates: [Candidates; 2],
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
        let (lengths, _) = header[1..].as_chunks();
        let [rules, fields, scopes, words] =
            lengths.first_chunk::<LENGTHS>()?.map(|length| u32::from_le_bytes(length) as usize);
        let (rules, rest) = rest.split_at_checked(rules)?;
        let (fields, rest) = rest.split_at_checked(fields)?;
        let (scopes, rest) = rest.split_at_checked(scopes)?;
        let is_whole = rest.len() == words.checked_mul(4)?;
        Some(Sections { rules, fields, tables: Tables::find(scopes, is_whole.then_some(rest)?)? })
    }
}

impl<'p> StatementProgramRef<'p> {
    /// Checks that a query reads nothing outside `bytes`.
    ///
    /// # Errors
    /// When it could.
    pub fn validate(bytes: &'p [u8], validator: &mut Validator) -> Result<(), LoadError> {
        // Without their code, sites with such programs would have no answers.
        if cfg!(not(feature = "programs")) {
            return Err(LoadError::expected("no statement programs, because this build has no permissions"));
        }
        let sections =
            Sections::find(bytes).ok_or_else(|| LoadError::expected("complete statement programs"))?;
        let rules = PatternSetRef::from_bytes(sections.rules, validator)?;
        let fields = match sections.fields {
            [] => 0,
            fields => PatternSetRef::from_bytes(fields, validator)?.len(),
        };
        let is_valid = sections.tables.is_valid(rules.len(), fields);
        let expected = || LoadError::expected("statement programs whose tables agree with their patterns");
        is_valid.then_some(()).ok_or_else(expected)
    }

    /// The program in `bytes`, which have already been validated; `None` when they are not a statement program.
    #[cfg(feature = "programs")]
    pub fn from_raw(bytes: &'p [u8]) -> Option<Self> {
        let Sections { rules, fields, tables } = Sections::find(bytes)?;
        let fields = if fields.is_empty() { None } else { Some(PatternSetRef::from_raw(fields)?) };
        Some(StatementProgramRef { rules: PatternSetRef::from_raw(rules)?, fields, tables })
    }

    /// `None`: this build has no statement programs.
    #[cfg(not(feature = "programs"))]
    pub fn from_raw(_: &'p [u8]) -> Option<Self> {
        None
    }

    /// The shapes of all patterns ([`PatternSetRef::shapes`]). Case-insensitive patterns are in lower case.
    pub fn shapes(&self, dialect: Dialect) -> Vec<ProgramRule> {
        let sets = [Some(self.rules), self.fields];
        sets.iter().flatten().filter_map(|set| set.shapes(dialect).ok()).flatten().collect()
    }

    /// The verdict for `target`, which is in the normal form of RFC 9309, about crawl and the usage of the program
    /// together.
    pub fn verdict(
        &self,
        target: &[u8],
        scratch: &mut Scratch,
        statements: &mut StatementScratch,
    ) -> Verdict {
        let StatementScratch { now, tdmrep, matches, candidates } = statements;
        self.find_matches(target, scratch, matches);
        let matching = Matching { tables: self.tables, matches, now: *now };
        let usage = self.tables.usage();
        if usage == Usage::Crawl {
            matching.find(&[usage], candidates);
        } else {
            matching.find(&[Usage::Crawl, usage], candidates);
        }
        let [of_crawl, of_usage] = candidates;
        let crawl = match target == b"/robots.txt" {
            true => Verdict::ROBOTS_TXT,
            false => matching.crawl(of_crawl),
        };
        if usage == Usage::Crawl { crawl } else { matching.together(crawl, usage, *tdmrep, of_usage) }
    }

    /// What a program of [`StatementProgram::of_tdmrep`] says about mining `target`, which is in the normal form of RFC
    /// 9309. `None` when no rule matches.
    pub fn tdmrep(
        &self,
        target: &[u8],
        scratch: &mut Scratch,
        statements: &mut StatementScratch,
    ) -> Option<Access> {
        let StatementScratch { now, matches, .. } = statements;
        self.find_matches(target, scratch, matches);
        Matching { tables: self.tables, matches, now: *now }.tdmrep()
    }

    /// Finds the patterns that match `target`, which is in the normal form of RFC 9309.
    pub(crate) fn find_matches(&self, target: &[u8], scratch: &mut Scratch, matches: &mut Matches) {
        let Matches { rules, fields, sets, folded } = matches;
        rules.clear();
        self.rules.each_match(target, scratch, |number| rules.push(number));
        // Among the rules of one vocabulary, the last one decides.
        rules.sort_unstable();
        fields.clear();
        if let Some(set) = &self.fields {
            folded.clear();
            folded.extend_from_slice(target);
            folded.make_ascii_lowercase();
            set.each_match(folded, scratch, |number| fields.push(number));
        }
        sets.clear();
        for set in fields.iter().flat_map(|&pattern| self.tables.pattern(pattern).sets) {
            // Patterns that match are often those of one set.
            if sets.last() != Some(&set) {
                sets.push(set);
            }
        }
        sets.sort_unstable();
        sets.dedup();
    }

    pub(crate) fn tables(&self) -> Tables<'p> {
        self.tables
    }
}
