//! Reads fields into records (ACAP part 1, section 2.3; rows A3 to A7 and A13).

use std::collections::{HashMap, HashSet};

use robomata_protocol::{Place, Qualifier, Source, Span, Vocabulary, limits};
use robomata_syntax::{AcapOddity, AgentName, Key as RecordKey, has_odd_bytes};

use super::define::Definitions;
use super::key::{Key, crawler_name, first_word, names_crawler};
use super::{
    Acap, AcapDiagnostic, Action, Addressees, PatternId, PurposesId, QualifiersId, Record, Reference,
    ReferencedFile, Request, version::version,
};
use crate::extension::Extension;
use crate::policy::Policy;

/// See [`Acap::read`].
pub(super) fn read(policy: &Policy<'_>, referenced: &[ReferencedFile<'_>]) -> Option<Acap> {
    // Only a dialect that reads ACAP has its fields.
    if !cfg!(feature = "acap") || fields_of(policy).next().is_none() {
        return None;
    }
    let mut said = Statements::new(readable(policy, referenced));
    said.acap.version = version(policy.text());
    let definitions = FileReader::read(&mut said, policy, Place::RobotsTxt, Definitions::default());
    said.acap.local_usages = definitions.local_usages();
    for file in said.acap.files() {
        let referenced = Policy::in_dialect(referenced[file as usize].bytes, policy.dialect());
        FileReader::read(&mut said, &referenced, Place::Referenced(file), Definitions::under(&definitions));
    }
    Some(said.acap)
}

fn fields_of<'p>(policy: &'p Policy<'_>) -> impl Iterator<Item = &'p Extension> {
    policy.extensions().iter().filter(|extension| extension.key == RecordKey::Acap)
}

/// The supplied files by their locators; of two with the same locator, the first one. Files that would make the texts
/// longer than 32 bits can count are ignored.
fn readable(policy: &Policy<'_>, referenced: &[ReferencedFile<'_>]) -> HashMap<String, u32> {
    // The decoded text can be longer than the file.
    const GROWTH: usize = 2;
    let mut bytes = policy.text().len();
    let mut files = HashMap::new();
    for (number, file) in (0..).zip(referenced) {
        bytes = bytes.saturating_add(file.bytes.len().saturating_mul(GROWTH));
        if bytes > limits::MAX_PARSING_LIMIT {
            break;
        }
        files.entry(file.locator.to_owned()).or_insert(number);
    }
    files
}

/// The statements of all texts so far.
pub(super) struct Statements {
    pub(super) acap: Acap,
    /// The index of each qualifier among those of `acap`.
    pub(super) interned: HashMap<Qualifier, u32>,
    files: HashMap<String, u32>,
}

impl Statements {
    fn new(files: HashMap<String, u32>) -> Self {
        let mut acap = Acap::default();
        // The first list is the empty one.
        acap.qualifier_lists.close();
        Statements { acap, interned: HashMap::new(), files }
    }

    /// The empty list.
    pub(super) fn unqualified(&self) -> QualifiersId {
        QualifiersId(0)
    }

    /// The list of all qualifiers of these lists, each once.
    pub(super) fn merged(&mut self, lists: &[QualifiersId]) -> QualifiersId {
        let mut seen = HashSet::new();
        let all = &mut self.acap.qualifier_lists;
        for list in lists {
            for at in 0..all.list(list.0).len() {
                let qualifier = all.list(list.0)[at];
                if seen.insert(qualifier) {
                    all.push(qualifier);
                }
            }
        }
        QualifiersId(all.close())
    }

    /// The list of these qualifiers, which are all different.
    pub(super) fn list_of(&mut self, qualifiers: Vec<Qualifier>) -> QualifiersId {
        if qualifiers.is_empty() {
            return self.unqualified();
        }
        for qualifier in qualifiers {
            let known = &mut self.acap.qualifiers;
            // There are fewer qualifiers than bytes, which are counted in 32 bits.
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let number = *self.interned.entry(qualifier).or_insert_with_key(|qualifier| {
                known.push(qualifier.clone());
                next
            });
            self.acap.qualifier_lists.push(number);
        }
        QualifiersId(self.acap.qualifier_lists.close())
    }
}

/// The position of the next field in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    BeforeRecords,
    /// After an ACAP-crawler field.
    AmongCrawlers,
    /// After other fields of a record, outside its sub-records.
    General,
    /// In a record that refers to a file.
    InReference,
    /// After the purposes that open a sub-record.
    AmongPurposes,
    /// After permissions or prohibitions of a sub-record.
    InSubRecord(PurposesId),
}

/// Reads the fields of one text.
pub(super) struct FileReader<'r, 'd> {
    pub(super) said: &'r mut Statements,
    pub(super) definitions: Definitions<'d>,
    text: &'r [u8],
    place: Place,
    /// Whether some record of the text is for some crawler.
    has_record: bool,
    at: At,
    /// Whether the open record contains `*`, and the positions of the names that this makes void.
    has_star: bool,
    names: Vec<(u32, Span)>,
}

impl<'r, 'd> FileReader<'r, 'd> {
    /// Reads the file of `policy`; returns its definitions.
    fn read(
        said: &'r mut Statements,
        policy: &'r Policy<'_>,
        place: Place,
        definitions: Definitions<'d>,
    ) -> Definitions<'d> {
        let first = said.acap.diagnostics.len();
        let mut reader = FileReader {
            said,
            definitions,
            text: policy.text(),
            place,
            has_record: fields_of(policy).any(|field| {
                Key::of(field.written_key.of(policy.text())) == Key::Crawler
                    && names_crawler(field.value.of(policy.text()))
            }),
            at: At::BeforeRecords,
            has_star: false,
            names: Vec::new(),
        };
        for field in fields_of(policy) {
            reader.field(field);
        }
        reader.close_record();
        reader.said.acap.diagnostics[first..].sort_by_key(|diagnostic| diagnostic.line);
        reader.definitions
    }

    fn field(&mut self, field: &Extension) {
        let value = field.value.of(self.text);
        match Key::of(field.written_key.of(self.text)) {
            Key::IgnoreConventional => self.ignore_conventional(field),
            Key::Crawler => self.crawler(field, value),
            Key::Unknown => self.report(field, AcapOddity::UnknownField),
            key if key.is_definition() => self.definition(key, field, value),
            _ if self.at == At::BeforeRecords => self.report(field, AcapOddity::OutsideRecord),
            _ if self.at == At::InReference => self.report(field, AcapOddity::BesideReference),
            Key::Reference => self.reference(field, value),
            Key::Purpose => self.purpose(field, value),
            Key::Request(action) => self.request(field, action, value),
            Key::Allow(usage) => {
                let purposes = self.enter_statement();
                self.permission(field, usage, value, purposes);
            }
            Key::Disallow(usage) => {
                let purposes = self.enter_statement();
                self.prohibition(field, usage, value, purposes);
            }
            _ => {}
        }
    }

    /// Section 2.9.1; only a robots.txt with ACAP records decides (rows A7 and A17).
    fn ignore_conventional(&mut self, field: &Extension) {
        match self.place {
            Place::RobotsTxt if self.has_record => self.said.acap.ignores_conventional = true,
            Place::RobotsTxt => self.report(field, AcapOddity::IgnoreWithoutRecord),
            _ => self.report(field, AcapOddity::IgnoreInReferencedFile),
        }
    }

    /// An ACAP-crawler field joins those before it, or begins a record (2.3). A void one does so too; otherwise the
    /// fields after it would apply to the crawlers of the previous record.
    fn crawler(&mut self, field: &Extension, value: &[u8]) {
        if self.at != At::AmongCrawlers {
            self.close_record();
            self.open_record();
        }
        match crawler_name(value) {
            AgentName::Any => self.has_star = true,
            AgentName::Named(b"") => self.report(field, AcapOddity::NoName),
            AgentName::Named(name) => {
                if has_odd_bytes(name) {
                    self.report(field, AcapOddity::OddName);
                }
                self.names.push((field.line, field.value));
                let name = self.text_of(name);
                self.said.acap.names.push(name);
            }
        }
    }

    fn open_record(&mut self) {
        let acap = &mut self.said.acap;
        let (fields, requests) = (acap.fields.len(), acap.requests.len());
        acap.records.push(Record {
            file: if let Place::Referenced(file) = self.place { Some(file) } else { None },
            addressees: Addressees::Any,
            fields: fields..fields,
            requests: requests..requests,
            reference: None,
        });
        self.at = At::AmongCrawlers;
    }

    fn close_record(&mut self) {
        if self.at == At::BeforeRecords {
            return;
        }
        self.close_purposes();
        let acap = &mut self.said.acap;
        let (fields, requests) = (acap.fields.len(), acap.requests.len());
        let names = acap.names.close();
        if let Some(record) = acap.records.last_mut() {
            record.addressees = if self.has_star { Addressees::Any } else { Addressees::Named(names) };
            record.fields.end = fields;
            record.requests.end = requests;
        }
        let names = std::mem::take(&mut self.names);
        if std::mem::take(&mut self.has_star) {
            for (line, span) in names {
                self.report_at(line, span, AcapOddity::NameBesideStar);
            }
        }
    }

    /// Section 2.3.2.
    fn reference(&mut self, field: &Extension, value: &[u8]) {
        let was_at = self.at;
        self.leave_crawlers();
        let (locator, rest) = first_word(value);
        let locator = &String::from_utf8_lossy(locator);
        if self.place != Place::RobotsTxt {
            self.report(field, AcapOddity::NestedReference);
        } else if was_at != At::AmongCrawlers {
            self.report(field, AcapOddity::MisplacedReference);
        } else if locator.is_empty() {
            self.report(field, AcapOddity::NoValue);
        } else {
            self.report_rest(field, rest);
            self.at = At::InReference;
            self.refer(field.line, locator);
        }
    }

    fn refer(&mut self, line: u32, locator: &str) {
        let acap = &mut self.said.acap;
        let file = self.said.files.get(locator).copied();
        if let Some(record) = acap.records.last_mut() {
            record.reference = Some(acap.references.len());
        }
        acap.references.push(Reference { locator: locator.to_owned(), line, file });
    }

    /// Section 2.3.3. A field without a pattern still belongs to a sub-record, but matches no purpose.
    fn purpose(&mut self, field: &Extension, value: &[u8]) {
        // The previous list of purposes is closed: a permission or prohibition follows it.
        self.at = At::AmongPurposes;
        let (purpose, rest) = first_word(value);
        if purpose.is_empty() {
            return self.report(field, AcapOddity::NoValue);
        }
        self.report_rest(field, rest);
        let purpose = self.text_of(purpose);
        self.said.acap.purposes.push(purpose);
    }

    /// Section 2.6.
    fn request(&mut self, field: &Extension, action: &[u8], value: &[u8]) {
        self.leave_crawlers();
        let action = [Action::TakeDown, Action::Recrawl]
            .into_iter()
            .find(|own| own.as_str().as_bytes().eq_ignore_ascii_case(action));
        let (path, rest) = first_word(value);
        match action {
            _ if self.at != At::General => self.report(field, AcapOddity::RequestForPurpose),
            None => self.report(field, AcapOddity::UnknownAction),
            Some(_) if path.is_empty() => self.report(field, AcapOddity::NoValue),
            Some(action) => {
                self.report_rest(field, rest);
                let path = self.rooted(field, path, b"/");
                let source = self.source(field);
                self.said.acap.requests.push(Request { action, path, source });
            }
        }
    }

    /// Handles a permission or prohibition, even a void one; returns its purposes.
    fn enter_statement(&mut self) -> Option<PurposesId> {
        self.leave_crawlers();
        self.close_purposes();
        if let At::InSubRecord(purposes) = self.at { Some(purposes) } else { None }
    }

    fn leave_crawlers(&mut self) {
        if self.at == At::AmongCrawlers {
            self.at = At::General;
        }
    }

    fn close_purposes(&mut self) {
        if self.at == At::AmongPurposes {
            self.at = At::InSubRecord(PurposesId(self.said.acap.purposes.close()));
        }
    }

    /// Stores a path or pattern, with a `/` in front unless it begins with one of `firsts` (row A8).
    pub(super) fn rooted(&mut self, field: &Extension, path: &[u8], firsts: &[u8]) -> PatternId {
        let slash: &[u8] = if path.first().is_some_and(|first| firsts.contains(first)) { b"" } else { b"/" };
        if !slash.is_empty() {
            self.report(field, AcapOddity::RelativePattern);
        }
        PatternId(self.said.acap.texts.add(slash.iter().chain(path).copied()))
    }

    fn text_of(&mut self, bytes: &[u8]) -> PatternId {
        PatternId(self.said.acap.texts.add(bytes.iter().copied()))
    }

    pub(super) fn is_before_records(&self) -> bool {
        self.at == At::BeforeRecords
    }

    pub(super) fn source(&self, field: &Extension) -> Source {
        Source { vocabulary: Vocabulary::Acap, place: self.place, line: field.line }
    }

    /// Reports a problem in the field's value; if it has none, in its key.
    pub(super) fn report(&mut self, field: &Extension, kind: AcapOddity) {
        let span = if field.value.is_empty() { field.written_key } else { field.value };
        self.report_at(field.line, span, kind);
    }

    /// Reports words after a value that is one word.
    fn report_rest(&mut self, field: &Extension, rest: &[u8]) {
        if !rest.is_empty() {
            self.report(field, AcapOddity::TextBehindValue);
        }
    }

    fn report_at(&mut self, line: u32, span: Span, kind: AcapOddity) {
        let diagnostic = AcapDiagnostic { place: self.place, line, span, kind };
        self.said.acap.diagnostics.push(diagnostic);
    }
}
