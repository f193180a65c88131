//! Interprets a page for one crawler.

use std::collections::{BTreeSet, HashSet};

use robomata_policy::acap::{AgentName, crawler_name, own_name as own_acap_name};
use robomata_policy::{Address, PageStatements};
use robomata_protocol::{Crawler, Dialect, License, MetaTag, PageFacts, Place, Source, Vocabulary};

use crate::conventional::{Addressee, Directives, In, Piece, Pieces, Terms, usual_separators};
use crate::diagnostic::PageDiagnostic;
use crate::robots_tag::{self, Member};
use crate::{acap, headers, links};

const X_ROBOTS_TAG: &str = "x-robots-tag";

/// A page and its headers, interpreted for one crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageReading {
    /// The statements by vocabulary, before conflicts between them are resolved.
    pub says: PageStatements,
    /// The ACAP version of the page (part 2, 2.2.7).
    pub version: AcapVersion,
    /// The licences that the headers and the page name, in this order (V6).
    pub licenses: Vec<License>,
    /// The problems found.
    pub diagnostics: Vec<PageDiagnostic>,
}

/// A version of ACAP: `major.minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AcapVersion {
    /// Versions with different major numbers share no features.
    pub major: u32,
    /// A version includes the features of all earlier minor versions.
    pub minor: u32,
}

impl Default for AcapVersion {
    /// 1.0, the version of a page without a version tag (part 2, 2.2.7).
    fn default() -> Self {
        AcapVersion { major: 1, minor: 0 }
    }
}

impl PageReading {
    /// Interprets `facts` for `crawler`, as in `dialect`: others than `acap` do not read ACAP. Never fails: problems become
    /// diagnostics.
    pub fn new(facts: &PageFacts, crawler: &Crawler, dialect: Dialect) -> Self {
        let reads_acap = dialect.semantics().reads_acap;
        let mut diagnostics = Vec::new();
        let members = robots_tag::members(facts, &mut diagnostics);
        let names: Vec<&str> = crawler.tokens().iter().map(|token| cut(token.as_str())).collect();
        let words_of = |meta: &MetaTag| reads_acap.then(|| acap::words(&meta.content)).flatten();
        let acap_words: Vec<_> = facts.metas.iter().map(words_of).collect();
        let acap_name = acap_name(facts, &acap_words, crawler);
        let mut directives = Directives::new(Terms::of(&names));
        let mut reader = acap::Reader {
            version: acap::version(acap_words.iter().flatten()),
            statements: Vec::new(),
            local: Vec::new(),
            diagnostics: &mut diagnostics,
        };
        for (meta, words) in facts.metas.iter().zip(&acap_words) {
            // Each name of a list counts as if it had a tag of its own.
            let written = meta.name.split(',');
            let Some(words) = words else {
                let addressees: BTreeSet<Addressee> =
                    written.filter_map(|name| addressee_of_tag(name, &names)).collect();
                let source =
                    Source { vocabulary: Vocabulary::RobotsMeta, place: Place::Meta, line: meta.line };
                let content = meta.content.strip_suffix('/').unwrap_or(&meta.content);
                read_for_each(addressees, &mut reader, |reader, addressee| {
                    for piece in Pieces::new(&usual_separators(content), In::Meta) {
                        if let Piece::Word(word) = piece {
                            directives.add(&word, addressee, source, reader.diagnostics);
                        }
                    }
                });
                continue;
            };
            let addresses: BTreeSet<Address> =
                written.filter_map(|name| acap_address(name, acap_name)).collect();
            read_for_each(addresses, &mut reader, |reader, address| reader.meta(words, address, meta.line));
        }
        let elements = if reads_acap { &facts.elements[..] } else { &[] };
        for (place, element) in (0..).zip(elements) {
            reader.element(place, element);
        }
        let (version, acap, local) = (reader.version, reader.statements, reader.local);
        add_headers(facts, &members, &names, &mut directives, &mut diagnostics);
        let says = PageStatements {
            acap,
            local,
            robots_meta: directives.into_statements(),
            content_signal: headers::content_signal(facts, &mut diagnostics),
            content_usage: headers::content_usage(facts, &mut diagnostics),
            tdm: headers::tdm(facts, &mut diagnostics),
            parents: facts.elements.iter().map(|element| element.parent).collect(),
        };
        PageReading { says, version, licenses: links::licenses(facts), diagnostics }
    }
}

/// Reads a META tag for each of the crawlers that it names. Its problems are reported once.
fn read_for_each<'d, A>(
    addressed: BTreeSet<A>,
    reader: &mut acap::Reader<'d>,
    mut read: impl FnMut(&mut acap::Reader<'d>, A),
) {
    for (number, crawler) in addressed.into_iter().enumerate() {
        let known = reader.diagnostics.len();
        read(reader, crawler);
        if number > 0 {
            reader.diagnostics.truncate(known);
        }
    }
}

/// Adds the statements of the X-Robots-Tag and Robots-Tag headers (rows P11 and P16), in the order of the headers.
fn add_headers(
    facts: &PageFacts,
    members: &[Member],
    names: &[&str],
    directives: &mut Directives,
    diagnostics: &mut Vec<PageDiagnostic>,
) {
    let source = |line| Source { vocabulary: Vocabulary::RobotsMeta, place: Place::Header, line };
    let mut members = members.iter().peekable();
    let mut add_members =
        |before: u32, directives: &mut Directives, diagnostics: &mut Vec<PageDiagnostic>| {
            while let Some(member) = members.next_if(|member| member.header < before) {
                let Some(addressee) = addressee(&member.name, names) else { continue };
                for parameter in &member.directives {
                    directives.add_parameter(parameter, addressee, source(member.header), diagnostics);
                }
            }
        };
    for (line, value) in headers::named(facts, X_ROBOTS_TAG) {
        add_members(line, directives, diagnostics);
        let mut to = Some(Addressee::Any);
        for piece in Pieces::new(&usual_separators(&value), In::Header) {
            match (piece, to) {
                (Piece::Address(written), _) => to = addressee(written, names),
                (Piece::Word(word), Some(addressee)) => {
                    directives.add(&word, addressee, source(line), diagnostics);
                }
                (Piece::Word(_), None) => {}
            }
        }
    }
    add_members(u32::MAX, directives, diagnostics);
}

/// The first of the crawler's tokens that some META tag with ACAP content names, without a version (row P1). `words` are
/// those of each META tag.
fn acap_name<'c>(facts: &PageFacts, words: &[Option<Vec<String>>], crawler: &'c Crawler) -> Option<&'c [u8]> {
    let of_acap = facts.metas.iter().zip(words).filter(|(_, words)| words.is_some());
    let named: HashSet<Vec<u8>> = of_acap
        .flat_map(|(meta, _)| meta.name.split(','))
        .filter_map(|name| match crawler_name(name.trim_ascii().as_bytes()) {
            AgentName::Named(name) => Some(name.to_ascii_lowercase()),
            AgentName::Any => None,
        })
        .collect();
    let mut tokens = crawler.tokens().iter().map(own_acap_name);
    tokens.find(|token| !token.is_empty() && named.contains(&token.to_ascii_lowercase()))
}

/// The address of an ACAP statement written for `written`: any crawler, or the crawler called `name`. None if it is for
/// another crawler.
fn acap_address(written: &str, name: Option<&[u8]>) -> Option<Address> {
    let written = match crawler_name(written.trim_ascii().as_bytes()) {
        AgentName::Any => return Some(Address::Any),
        AgentName::Named(written) if written.eq_ignore_ascii_case(b"robots") => return Some(Address::Any),
        AgentName::Named(written) => written,
    };
    name.filter(|name| name.eq_ignore_ascii_case(written)).map(|_| Address::Named)
}

/// The addressee of a META tag for `written`. What follows a star and white space does not count (G2).
fn addressee_of_tag(written: &str, names: &[&str]) -> Option<Addressee> {
    match crawler_name(written.trim_ascii().as_bytes()) {
        AgentName::Any => Some(Addressee::Any),
        AgentName::Named(_) => addressee(written, names),
    }
}

/// The addressee of a directive written for `written`: any crawler, or the crawler with these `names`. None if it is for
/// another crawler.
fn addressee(written: &str, names: &[&str]) -> Option<Addressee> {
    if written.trim_ascii() == "*" {
        return Some(Addressee::Any);
    }
    let written = Some(cut(written)).filter(|written| !written.is_empty())?;
    if written.eq_ignore_ascii_case("robots") {
        return Some(Addressee::Any);
    }
    names.iter().position(|name| name.eq_ignore_ascii_case(written)).map(Addressee::Named)
}

/// The part of a name that is compared outside ACAP: the leading bytes that a product token may contain (row P1).
fn cut(name: &str) -> &str {
    let name = name.trim_ascii();
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    &name[..name.find(|c| !is_of_token(c)).unwrap_or(name.len())]
}
