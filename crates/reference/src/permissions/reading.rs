//! The meaning of a site's robots.txt, and of the files that it references, for one crawler (A3 to A13, A17).

use robomata_protocol::{
    Access, Crawler, Dialect, FetchOutcome, PermissionReason, Place, Reason, Source, Usage, Vocabulary,
};

use super::Site;
use super::acap::{self, AcapFile, Addressed, Definitions, File, Record, RecordField};
use super::scope::Pattern;
use super::statement::{Address, Purpose, Says, Statement};
use super::tdm;
use crate::decide;
use crate::fields::{self, Field, Key};
use crate::groups::{self, Name, Spoken};
use crate::lines;
use crate::matching;
use crate::normal::Symbol;
use crate::outcome;
use crate::rules::{self, Rule, WrittenRule};

/// A site's statements to one crawler, before a URL is known.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) dialect: Dialect,
    pub(crate) outcome: FetchOutcome,
    /// Every field of the file, for fields that belong to the file.
    pub(crate) fields: Vec<Field>,
    /// The groups that apply to the crawler.
    pub(crate) spoken: Spoken,
    /// The groups of referenced files that apply to it (A7): only their rules count.
    referenced: Vec<(Place, Spoken)>,
    /// The usages that the robots.txt defines (A12).
    pub(crate) definitions: Definitions,
    resolved: Vec<ResolvedField>,
    /// Action, resource as written, line (A13).
    pub(crate) requests: Vec<(&'static str, Vec<u8>, Source)>,
    /// Locators of files that were not supplied (A7).
    pub(crate) missing: Vec<String>,
    /// What tdmrep.json says (T1, T6).
    pub(crate) tdmrep: tdm::File,
}

/// An ACAP field, resolved.
#[derive(Clone, Debug)]
struct ResolvedField {
    patterns: Vec<Pattern>,
    says: Vec<(Usage, Says)>,
    address: Address,
    purposes: Option<Vec<Vec<u8>>>,
    source: Source,
}

impl Reading {
    /// Reads the site's files.
    pub(crate) fn new(site: &Site<'_>, crawler: &Crawler) -> Reading {
        Reading::within(site, crawler, lines::default_limit(site.dialect))
    }

    /// Like [`Reading::new`], with another parsing limit (L1).
    pub(crate) fn within(site: &Site<'_>, crawler: &Crawler, parsing_limit: usize) -> Reading {
        let outcome = outcome::of(site.status, site.dialect);
        // The body of any other response is not a robots.txt (RFC 9309, 2.3.1).
        let robots = if outcome == FetchOutcome::Success { site.robots } else { b"" };
        let fields = fields::fields_within(robots, site.dialect, parsing_limit);
        let conventional = conventional(&fields, is_conventional_ignored(&fields));
        let mut reading = Reading {
            dialect: site.dialect,
            outcome,
            spoken: groups::spoken_to(&conventional, crawler, site.dialect),
            fields,
            referenced: Vec::new(),
            definitions: Definitions::default(),
            resolved: Vec::new(),
            requests: Vec::new(),
            missing: Vec::new(),
            tdmrep: tdm::File::of(site.tdmrep, site.tdmrep_status, site.dialect),
        };
        if site.dialect == Dialect::Acap {
            reading.read_acap(site, crawler);
        }
        reading
    }

    fn read_acap(&mut self, site: &Site<'_>, crawler: &Crawler) {
        let main = acap::read(&self.fields, &Definitions::default(), File::RobotsTxt);
        let referenced = |locator: &str| {
            let at = site.referenced.iter().position(|(own, _)| *own == locator)?;
            let fields = fields::fields(site.referenced[at].1, site.dialect);
            let file = acap::read(&fields, &main.definitions, File::Referenced);
            Some((at, file, fields))
        };
        let own = name_of(crawler, &main, &referenced);
        for record in &main.records {
            self.read_record(record, &main.definitions, own.as_ref(), Place::RobotsTxt);
        }
        // A7: "files stand in the order in which they are referred to first", by any record.
        let mut locators: Vec<&str> = Vec::new();
        for locator in main.records.iter().filter_map(|record| record.reference.as_deref()) {
            if !locators.contains(&locator) {
                locators.push(locator);
            }
        }
        let is_referred_to = |locator: &str| {
            let mut referring =
                main.records.iter().filter(|record| record.reference.as_deref() == Some(locator));
            referring.any(|record| record.addressed(own.as_ref()) != Addressed::Nobody)
        };
        for locator in locators.into_iter().filter(|locator| is_referred_to(locator)) {
            match referenced(locator) {
                Some((at, file, fields)) => {
                    let place = Place::Referenced(u32::try_from(at).unwrap_or(u32::MAX));
                    for record in &file.records {
                        self.read_record(record, &file.definitions, own.as_ref(), place);
                    }
                    // "Permissions in robots.txt format (generally using ACAP extensions) that are to be read and applied
                    // in conjunction with the permissions in the file" that refers to it (2.3.2).
                    let is_ignored =
                        is_conventional_ignored(&self.fields) || is_conventional_ignored(&fields);
                    let spoken = groups::spoken_to(&conventional(&fields, is_ignored), crawler, site.dialect);
                    self.referenced.push((place, spoken));
                }
                None => self.missing.push(locator.to_owned()),
            }
        }
        self.definitions = main.definitions;
    }

    /// The rules that apply to the crawler, of the robots.txt and of referenced files, with the address of their
    /// groups.
    fn all_rules(&self) -> Vec<(&Field, Access, Address, Source)> {
        let files = [(Place::RobotsTxt, &self.spoken)];
        let files = files.into_iter().chain(self.referenced.iter().map(|(place, spoken)| (*place, spoken)));
        let mut rules = Vec::new();
        for (place, spoken) in files {
            for field in &spoken.fields {
                if let Key::Rule(access) = field.key {
                    let source = Source { vocabulary: Vocabulary::Robots, place, line: field.line };
                    rules.push((field, access, spoken.address, source));
                }
            }
        }
        rules
    }

    /// The number of a referenced file in the order of A7.
    pub(crate) fn order_of(&self, place: Place) -> usize {
        let at = self.referenced.iter().position(|(own, _)| *own == place);
        at.unwrap_or(self.referenced.len())
    }

    /// The verdict of the conventional rules alone about `target`: R1 and R2 over the rules of all files.
    pub(crate) fn conventional_verdict(&self, target: &[Symbol]) -> Option<(Access, Source)> {
        let all = self.all_rules();
        // Lines of two files may be the same, so each rule has its number in place of its line.
        let numbered = (1_u32..).zip(&all);
        let written =
            numbered.map(|(line, &(field, access, ..))| WrittenRule { access, pattern: &field.value, line });
        let rules = rules::rules(&written.collect::<Vec<_>>(), self.dialect);
        let verdict = decide::verdict(&rules, target, self.dialect);
        let (.., source) = all.get(usize::try_from(verdict.line).ok()?.checked_sub(1)?)?;
        (verdict.reason == Reason::Rule).then_some((verdict.access, *source))
    }

    fn read_record(&mut self, record: &Record, definitions: &Definitions, own: Option<&Name>, place: Place) {
        let address = match record.addressed(own) {
            Addressed::Nobody => return,
            Addressed::Any => Address::Any,
            Addressed::Named => Address::Named,
        };
        for field in &record.fields {
            let source = Source { vocabulary: Vocabulary::Acap, place, line: field.line };
            if let Some((action, resource)) = field.request() {
                self.requests.push((action, resource, source));
            } else {
                self.resolved.push(resolve(field, definitions, address, source));
            }
        }
    }

    /// The ACAP statements about the URL, in text order. `folded` is the URL's target in A8's normal form.
    pub(crate) fn statements(&self, folded: &[Symbol], purpose: Option<&str>) -> Vec<Statement> {
        let mut statements = Vec::new();
        for field in &self.resolved {
            let Some(purpose) = purpose_of(field.purposes.as_deref(), purpose) else {
                continue;
            };
            for pattern in field.patterns.iter().filter(|pattern| pattern.matches(folded)) {
                for (usage, says) in &field.says {
                    statements.push(Statement {
                        usage: *usage,
                        says: says.clone(),
                        address: field.address,
                        purpose,
                        depth: 0,
                        scope: Some(pattern.clone()),
                        source: field.source,
                    });
                }
            }
        }
        statements
    }

    /// A17: the conventional rules that match `target`, as statements about crawl.
    pub(crate) fn conventional_statements(&self, target: &[Symbol]) -> Vec<Statement> {
        let mut statements = Vec::new();
        for (field, access, address, source) in self.all_rules() {
            let rules = rules_of(field, access, self.dialect);
            let is_match = |rule: &Rule| matching::matches(&rule.pattern, target, &mut Vec::new());
            if !field.value.is_empty() && rules.iter().any(is_match) {
                statements.push(Statement {
                    usage: Usage::Crawl,
                    says: match access {
                        Access::Allow => Says::Permitted(Vec::new()),
                        Access::Disallow => Says::Prohibited(PermissionReason::Explicit),
                    },
                    address,
                    purpose: Purpose::General,
                    depth: 0,
                    scope: Some(Pattern::new(&field.value)),
                    source,
                });
            }
        }
        statements
    }

    /// The rules of the robots.txt that apply to the crawler, ready for evaluation under the dialect.
    pub(crate) fn rules(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        for field in &self.spoken.fields {
            if let Key::Rule(access) = field.key {
                rules.extend(rules_of(field, access, self.dialect));
            }
        }
        rules
    }
}

fn rules_of(field: &Field, access: Access, dialect: Dialect) -> Vec<Rule> {
    rules::rules(&[WrittenRule { access, pattern: &field.value, line: field.line }], dialect)
}

/// 2.9.1, in a file that "contains ACAP records" (2.9): `ACAP-records = 1*ACAP-record` (section 3).
fn is_conventional_ignored(fields: &[Field]) -> bool {
    let begins_record =
        |field: &Field| field.key.is_acap("crawler") && groups::acap_name(&field.value).is_of_crawlers();
    fields.iter().any(|field| field.key.is_acap("ignore-conventional-records"))
        && fields.iter().any(begins_record)
}

/// A4: the fields of groups, and those that begin a record of ACAP.
fn conventional(fields: &[Field], is_ignored: bool) -> Vec<Field> {
    let counts = |field: &&Field| {
        field.key.is_of_groups() || field.key == Key::BlankLine || field.key.is_acap("crawler")
    };
    let fields = if is_ignored { &[] } else { fields };
    fields.iter().filter(counts).cloned().collect()
}

/// A5 and A7: the first of the crawler's tokens that a record names, in the file or in a supplied file that it
/// references.
fn name_of(
    crawler: &Crawler,
    main: &AcapFile,
    referenced: &impl Fn(&str) -> Option<(usize, AcapFile, Vec<Field>)>,
) -> Option<Name> {
    let mut records = main.records.clone();
    for locator in main.records.iter().filter_map(|record| record.reference.as_deref()) {
        if let Some((_, file, _)) = referenced(locator) {
            records.extend(file.records);
        }
    }
    groups::acap_tokens(crawler).into_iter().find(|token| records.iter().any(|record| record.names(token)))
}

fn resolve(
    field: &RecordField,
    definitions: &Definitions,
    address: Address,
    source: Source,
) -> ResolvedField {
    ResolvedField {
        patterns: field.patterns(definitions).iter().map(|pattern| Pattern::new(pattern)).collect(),
        says: field.says(definitions),
        address,
        purposes: field.purposes.clone(),
        source,
    }
}

/// A6: the purpose for which a field with these patterns applies, or `None` if it does not apply.
pub(crate) fn purpose_of(patterns: Option<&[Vec<u8>]>, purpose: Option<&str>) -> Option<Purpose> {
    match (patterns, purpose) {
        (None, _) => Some(Purpose::General),
        (Some(_), None) => None,
        (Some(patterns), Some(purpose)) => {
            patterns.iter().any(|pattern| is_purpose(pattern, purpose)).then_some(Purpose::Asked)
        }
    }
}

/// A6: matches the pattern against the whole purpose, ignoring case; a `$` at the end has no effect.
fn is_purpose(pattern: &[u8], purpose: &str) -> bool {
    if pattern.is_empty() {
        return false;
    }
    let pattern = pattern.strip_suffix(b"$").unwrap_or(pattern).to_ascii_lowercase();
    let mut symbols: Vec<Symbol> = Vec::new();
    for byte in pattern {
        symbols.push(if byte == b'*' { Symbol::AnyRun } else { Symbol::Byte(byte) });
    }
    symbols.push(Symbol::End);
    let purpose: Vec<Symbol> = purpose.to_ascii_lowercase().bytes().map(Symbol::Byte).collect();
    matching::matches(&symbols, &purpose, &mut Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Part 1, 2.3.3.
    #[test]
    fn purposes_are_compared_whole_and_without_case() {
        assert!(is_purpose(b"news", "News"));
        assert!(is_purpose(b"news$", "news"));
        assert!(!is_purpose(b"news", "newsletter"));
        assert!(is_purpose(b"http://news.search.*/*", "http://news.search.example/uk"));
        assert!(!is_purpose(b"", ""));
    }
}
