//! The ACAP statements of a robots.txt and of the files it refers to (ACAP 1.0, part 1; `crates/PERMISSIONS.md`, rows
//! A1 to A13).
//!
//! This module only reads: it finds records, defines and looks up names, checks qualifiers, and turns everything that
//! cannot be interpreted into a prohibition (A11). Another crate decides which field applies to a URL (A14 to A21).
//!
//! The reader expands nothing that a site could make large. A field on a set refers to the set, a permission of a
//! composite usage becomes one field for each distinct usage in it, and fields share their qualifiers. Time and memory
//! are linear in the bytes read.
//!
//! Where the grammar of section 3 is faulty, the table of errata in `crates/PERMISSIONS.md` states the interpretation.
//!
//! ```
//! use robomata_policy::acap::{Acap, Resources};
//! use robomata_policy::{Address, Policy};
//! use robomata_protocol::{Crawler, Dialect, Usage};
//! use robomata_syntax::Config;
//!
//! let file = b"ACAP-crawler: FooBot\nACAP-allow-index: /news/ time-limit=3-days";
//! let policy = Policy::new(file, &Config::new(Dialect::Acap));
//! let acap = Acap::read(&policy, &[]).unwrap();
//! let fields = acap.fields_for(&Crawler::new("FooBot"));
//! assert_eq!((fields[0].address, fields[0].field.usage), (Address::Named, Usage::Index));
//! let Resources::Pattern(pattern) = fields[0].field.resources else { unreachable!() };
//! assert_eq!(acap.pattern(pattern), b"/news/");
//! ```

mod define;
mod key;
mod lists;
mod permit;
mod qualifier;
mod reader;
mod version;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use robomata_protocol::{Crawler, Place, Qualifier, Source, Span, Usage};
use robomata_syntax::{AcapOddity, Diagnostic, DiagnosticKind};

use crate::policy::Policy;
use crate::statement::{Address, Says};

pub(crate) use key::{begins_records, ignores_conventional, names_crawler};
pub use key::{crawler_name, own_name};
use lists::Lists;
pub use qualifier::{QualifierError, QualifierFault, Valid, qualifiers, usage};
pub use robomata_syntax::AgentName;

/// The ACAP statements of a robots.txt and of the files it refers to. It owns all its data.
#[derive(Clone, Debug, Default)]
pub struct Acap {
    version: Option<String>,
    ignores_conventional: bool,
    records: Vec<Record>,
    fields: Vec<Field>,
    requests: Vec<Request>,
    references: Vec<Reference>,
    /// Patterns, purposes, names and paths, by their ids.
    texts: Lists<u8>,
    /// The names of each record that names crawlers.
    names: Lists<PatternId>,
    sets: Lists<PatternId>,
    purposes: Lists<PatternId>,
    /// Each qualifier once; lists of qualifiers share them.
    qualifiers: Vec<Qualifier>,
    qualifier_lists: Lists<u32>,
    /// The local usages that the robots.txt defines, by name in lower case: the numbers of their definitions' lists.
    local_usages: HashMap<Vec<u8>, u32>,
    /// The definitions of local usages: each usage at most once in a list.
    parts: Lists<(Usage, Says<QualifiersId>)>,
    diagnostics: Vec<AcapDiagnostic>,
}

/// A file that an `ACAP-permissions-reference` names, as fetched by the caller (row A7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferencedFile<'a> {
    /// The locator, as written in the reference.
    pub locator: &'a str,
    /// The file's bytes.
    pub bytes: &'a [u8],
}

/// A field, and how its record addresses the crawler in question.
#[derive(Clone, Copy, Debug)]
pub struct AddressedField<'a> {
    /// By name, or as any crawler.
    pub address: Address,
    /// The field.
    pub field: &'a Field,
}

/// A permission or prohibition of one usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The usage; one of those that ACAP defines.
    pub usage: Usage,
    /// Whether it permits or prohibits; for a permission, the id of its qualifiers.
    pub says: Says<QualifiersId>,
    /// The purposes of its sub-record; `None` for a general field.
    pub purposes: Option<PurposesId>,
    /// The resources it applies to.
    pub resources: Resources,
    /// Where the field is.
    pub source: Source,
}

/// The resources that a field applies to (section 2.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resources {
    /// Those that the pattern matches.
    Pattern(PatternId),
    /// Those that one of the patterns of the set matches.
    Set(SetId),
}

/// A path pattern of an [`Acap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(u32);

/// A resource set of an [`Acap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetId(u32);

/// The purposes of a sub-record of an [`Acap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PurposesId(u32);

/// A list of qualifiers of an [`Acap`]. Fields that share a list share its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QualifiersId(u32);

/// A request to act on one resource soon (section 2.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionRequest<'a> {
    /// The requested action.
    pub action: Action,
    /// The resource: a path as written, not a pattern; it begins with `/`.
    pub path: &'a [u8],
    /// Where the request is.
    pub source: Source,
}

/// Actions that can be requested (section 2.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// To erase copies and index entries (2.6.1).
    TakeDown,
    /// To crawl again (2.6.2).
    Recrawl,
}

/// An `ACAP-permissions-reference` of the robots.txt (section 2.3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Reference {
    /// The file's locator as written: a path of the same server, or a URI.
    pub locator: String,
    /// The 1-based line of the field.
    pub line: u32,
    /// The file's index among the supplied files; `None` if it was not supplied. Serialized as `supplied`: whether it was.
    #[cfg_attr(feature = "serde", serde(rename = "supplied", serialize_with = "is_some"))]
    pub file: Option<u32>,
}

#[cfg(feature = "serde")]
fn is_some<S: serde::Serializer>(file: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(file.is_some())
}

/// A problem in the ACAP statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcapDiagnostic {
    /// The text: the robots.txt or a referenced file.
    pub place: Place,
    /// The 1-based line.
    pub line: u32,
    /// The bytes in question, in that text.
    pub span: Span,
    /// The kind of problem.
    pub kind: AcapOddity,
}

/// An ACAP record (section 2.3). Those of the robots.txt come first.
#[derive(Clone, Debug)]
struct Record {
    /// The referenced file that contains it, by its index among the supplied files; `None` for the robots.txt.
    file: Option<u32>,
    addressees: Addressees,
    fields: Range<usize>,
    requests: Range<usize>,
    /// An index into the references.
    reference: Option<usize>,
}

/// The crawlers that a record addresses (row A5).
#[derive(Clone, Copy, Debug)]
enum Addressees {
    Any,
    /// A list of names.
    Named(u32),
}

#[derive(Clone, Copy, Debug)]
struct Request {
    action: Action,
    path: PatternId,
    source: Source,
}

impl Acap {
    /// Reads the file of `policy`, and those of the `referenced` files that it refers to.
    ///
    /// Returns `None` when the policy's dialect is not [`Dialect::Acap`](robomata_protocol::Dialect::Acap) or the file
    /// has no ACAP line: then only its conventional records apply. The reader accepts any bytes; [`Acap::diagnostics`]
    /// lists the problems.
    pub fn read(policy: &Policy<'_>, referenced: &[ReferencedFile<'_>]) -> Option<Acap> {
        reader::read(policy, referenced)
    }

    /// The names of all crawlers that records address, without versions (row A5); a name can occur several times.
    pub fn crawlers(&self) -> impl Iterator<Item = &[u8]> {
        let names = |record: &Record| match record.addressees {
            Addressees::Any => None,
            Addressees::Named(names) => Some(names),
        };
        let lists = self.records.iter().filter_map(names);
        lists.flat_map(|list| self.names.list(list)).map(|&id| self.pattern(id))
    }

    /// The fields of every record that addresses `crawler` (rows A5 and A7), in text order; those of referenced files
    /// come after those of the robots.txt.
    pub fn fields_for(&self, crawler: &Crawler) -> Vec<AddressedField<'_>> {
        let mut found = Vec::new();
        for (record, address) in self.records_for(crawler) {
            let fields = self.fields[record.fields.clone()].iter();
            found.extend(fields.map(|field| AddressedField { address, field }));
        }
        found
    }

    /// The action requests of every record that addresses `crawler` (row A13).
    pub fn requests_for(&self, crawler: &Crawler) -> Vec<ActionRequest<'_>> {
        let mut found = Vec::new();
        for (record, _) in self.records_for(crawler) {
            let requests = self.requests[record.requests.clone()].iter();
            found.extend(requests.map(|&Request { action, path, source }| ActionRequest {
                action,
                path: self.pattern(path),
                source,
            }));
        }
        found
    }

    /// The locators of the files that `crawler` must also read but that were not supplied, each once (row A7).
    pub fn missing_references(&self, crawler: &Crawler) -> Vec<&str> {
        let mut seen = HashSet::new();
        self.records_for(crawler)
            .into_iter()
            .filter_map(|(record, _)| Some(&self.references[record.reference?]))
            .filter(|reference| reference.file.is_none())
            .map(|reference| reference.locator.as_str())
            .filter(|&locator| seen.insert(locator))
            .collect()
    }

    /// The supplied files that `crawler` must also read, by their indices among the supplied files, in reading order
    /// (row A7).
    pub fn files_for(&self, crawler: &Crawler) -> Vec<u32> {
        let records = self.records_for(crawler).into_iter();
        let read: HashSet<u32> =
            records.filter_map(|(record, _)| self.references[record.reference?].file).collect();
        self.files().into_iter().filter(|file| read.contains(file)).collect()
    }

    /// The supplied files that any record refers to, in reading order: by the first reference to each (row A7).
    pub fn files(&self) -> Vec<u32> {
        let mut seen = HashSet::new();
        let files = self.references.iter().filter_map(|reference| reference.file);
        files.filter(|&file| seen.insert(file)).collect()
    }

    /// All valid references of the robots.txt, in file order, so that the caller can fetch their files.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Whether the file says to ignore the conventional records (section 2.9.1), and has an ACAP record.
    pub fn ignores_conventional(&self) -> bool {
        self.ignores_conventional
    }

    /// The version of ACAP that the file states (section 2.9.3). It has no effect on decisions.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// A pattern as written, with a `/` in front if it begins with neither `/` nor `*` (row A8).
    pub fn pattern(&self, id: PatternId) -> &[u8] {
        self.texts.list(id.0)
    }

    /// The patterns of a resource set, in the order of its definition.
    pub fn set(&self, id: SetId) -> &[PatternId] {
        self.sets.list(id.0)
    }

    /// The purpose patterns of a sub-record, as written. One of them has to match (row A6); without a pattern, no
    /// purpose matches.
    pub fn purpose_patterns(&self, id: PurposesId) -> impl Iterator<Item = &[u8]> {
        self.purposes.list(id.0).iter().map(|&pattern| self.pattern(pattern))
    }

    /// The qualifiers of a permission, each once, in text order; empty when it is unqualified.
    ///
    /// The list is not a slice of qualifiers: composite usages share their merged qualifiers instead of copying them,
    /// because a site could make the copies large.
    pub fn qualifiers(&self, id: QualifiersId) -> impl ExactSizeIterator<Item = &Qualifier> {
        self.qualifier_lists.list(id.0).iter().map(|&qualifier| &self.qualifiers[qualifier as usize])
    }

    /// The definition of the local usage with this name in the robots.txt itself (row A12).
    pub(crate) fn local_usage(&self, name: &[u8]) -> Option<&[(Usage, Says<QualifiersId>)]> {
        Some(self.parts.list(*self.local_usages.get(&name.to_ascii_lowercase())?))
    }

    /// `says`, with the qualifiers themselves.
    pub(crate) fn with_qualifiers(&self, says: Says<QualifiersId>) -> Says<Vec<Qualifier>> {
        match says {
            Says::Permitted(list) => Says::Permitted(self.qualifiers(list).cloned().collect()),
            Says::Prohibited(reason) => Says::Prohibited(reason),
        }
    }

    /// The problems, in the order of the texts.
    pub fn diagnostics(&self) -> &[AcapDiagnostic] {
        &self.diagnostics
    }

    /// The records that address `crawler`, in text order, with the kind of address.
    fn records_for(&self, crawler: &Crawler) -> Vec<(&Record, Address)> {
        let name = self.name_of(crawler);
        // The records of a file follow those that refer to it.
        let mut readable = HashSet::new();
        let mut found = Vec::new();
        for record in &self.records {
            if record.file.is_some_and(|file| !readable.contains(&file)) {
                continue;
            }
            if let Some(address) = self.address(record, name) {
                readable.extend(record.reference.and_then(|at| self.references[at].file));
                found.push((record, address));
            }
        }
        found
    }

    /// The first of the crawler's tokens that a record names (row A5).
    fn name_of<'c>(&self, crawler: &'c Crawler) -> Option<&'c [u8]> {
        let tokens = crawler.tokens().iter().map(own_name);
        tokens.filter(|token| !token.is_empty()).find(|token| {
            self.records.iter().any(|record| self.address(record, Some(token)) == Some(Address::Named))
        })
    }

    fn address(&self, record: &Record, name: Option<&[u8]>) -> Option<Address> {
        match record.addressees {
            Addressees::Any => Some(Address::Any),
            Addressees::Named(names) => {
                let is_own =
                    |&id: &PatternId| self.texts.list(id.0).eq_ignore_ascii_case(name.unwrap_or_default());
                let named = name.is_some() && self.names.list(names).iter().any(is_own);
                named.then_some(Address::Named)
            }
        }
    }
}

impl Policy<'_> {
    /// The version of ACAP that a comment of the file states, even if the file has no ACAP lines (row A2). `None` under
    /// a dialect that does not read ACAP.
    pub fn acap_version(&self) -> Option<String> {
        if self.dialect.semantics().reads_acap { version::version(self.text()) } else { None }
    }
}

/// Reports the problems in the ACAP fields to a policy that collects diagnostics.
pub(crate) fn report(policy: &mut Policy<'_>) {
    let Some(acap) = Acap::read(policy, &[]) else { return };
    let found = acap.diagnostics.iter();
    policy.diagnostics.extend(found.map(|&AcapDiagnostic { line, span, kind, .. }| Diagnostic {
        line,
        span,
        kind: DiagnosticKind::Acap(kind),
    }));
}

impl Action {
    /// The action's name as ACAP writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Action::TakeDown => "take-down",
            Action::Recrawl => "re-crawl",
        }
    }
}

robomata_protocol::display_as_name!(Action);
#[cfg(feature = "serde")]
robomata_protocol::serialize_as_text!(Action);

impl fmt::Display for AcapDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.kind)
    }
}
