//! Interprets a page for one crawler.

use std::collections::HashSet;

use robomata_policy::acap::{AgentName, crawler_name, own_name as own_acap_name};
use robomata_policy::{Address, PageStatements};
use robomata_protocol::{Crawler, License, PageFacts, Place, Source, Vocabulary};

use crate::conventional::{Directives, In, Piece, Pieces, Terms};
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
    /// Interprets `facts` for `crawler`. Never fails: problems become diagnostics.
    pub fn new(facts: &PageFacts, crawler: &Crawler) -> Self {
        let mut diagnostics = Vec::new();
        let members = robots_tag::members(facts, &mut diagnostics);
        let name = own_name(facts, &members, crawler);
        let acap_name = acap_name(facts, crawler);
        let names = crawler.tokens().iter().map(|token| cut(token.as_str()));
        let mut directives = Directives::new(Terms::of(names));
        let mut reader = acap::Reader {
            version: acap::version(&facts.metas),
            statements: Vec::new(),
            local: Vec::new(),
            diagnostics: &mut diagnostics,
        };
        for meta in &facts.metas {
            let words = acap::words(&meta.content);
            let address = match words {
                Some(_) => acap_address(&meta.name, acap_name),
                None => address(&meta.name, name),
            };
            let Some(address) = address else { continue };
            match words {
                Some(words) => reader.meta(&words, address, meta.line),
                None => {
                    let place = Place::Meta;
                    let source = Source { vocabulary: Vocabulary::RobotsMeta, place, line: meta.line };
                    for piece in Pieces::new(&meta.content, In::Meta) {
                        if let Piece::Word(word) = piece {
                            directives.add(&word, address, source, reader.diagnostics);
                        }
                    }
                }
            }
        }
        for (place, element) in (0..).zip(&facts.elements) {
            reader.element(place, element);
        }
        let (version, acap, local) = (reader.version, reader.statements, reader.local);
        add_headers(facts, &members, name, &mut directives, &mut diagnostics);
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

/// Adds the statements of the X-Robots-Tag and Robots-Tag headers (rows P11 and P16), in the order of the headers.
fn add_headers(
    facts: &PageFacts,
    members: &[Member],
    name: Option<&str>,
    directives: &mut Directives,
    diagnostics: &mut Vec<PageDiagnostic>,
) {
    let source = |line| Source { vocabulary: Vocabulary::RobotsMeta, place: Place::Header, line };
    let mut members = members.iter().peekable();
    let mut add_members =
        |before: u32, directives: &mut Directives, diagnostics: &mut Vec<PageDiagnostic>| {
            while let Some(member) = members.next_if(|member| member.header < before) {
                let Some(address) = header_address(&member.name, name) else { continue };
                for parameter in &member.directives {
                    directives.add_parameter(parameter, address, source(member.header), diagnostics);
                }
            }
        };
    for (line, value) in headers::named(facts, X_ROBOTS_TAG) {
        add_members(line, directives, diagnostics);
        let mut to = Some(Address::Any);
        for piece in Pieces::new(value, In::Header) {
            match (piece, to) {
                (Piece::Address(written), _) => to = header_address(written, name),
                (Piece::Word(word), Some(address)) => {
                    directives.add(&word, address, source(line), diagnostics);
                }
                (Piece::Word(_), None) => {}
            }
        }
    }
    add_members(u32::MAX, directives, diagnostics);
}

/// The first of the crawler's tokens that a META tag or a header of the page names (row P1).
fn own_name<'c>(facts: &PageFacts, members: &[Member], crawler: &'c Crawler) -> Option<&'c str> {
    let in_headers = headers::named(facts, X_ROBOTS_TAG)
        .flat_map(|(_, value)| Pieces::new(value, In::Header))
        .filter_map(|piece| match piece {
            Piece::Address(name) => Some(name),
            Piece::Word(_) => None,
        });
    let named: HashSet<String> = facts
        .metas
        .iter()
        .map(|meta| meta.name.as_str())
        .chain(in_headers)
        .chain(members.iter().map(|member| member.name.as_str()))
        .map(|name| cut(name).to_ascii_lowercase())
        .collect();
    let mut tokens = crawler.tokens().iter().map(|token| cut(token.as_str()));
    tokens.find(|token| !token.is_empty() && named.contains(&token.to_ascii_lowercase()))
}

/// The first of the crawler's tokens that equals the name of a META tag without a version, for ACAP statements (row P1).
fn acap_name<'c>(facts: &PageFacts, crawler: &'c Crawler) -> Option<&'c [u8]> {
    let named: HashSet<Vec<u8>> = facts
        .metas
        .iter()
        .filter_map(|meta| match crawler_name(meta.name.trim_ascii().as_bytes()) {
            AgentName::Named(name) => Some(name.to_ascii_lowercase()),
            AgentName::Any => None,
        })
        .collect();
    let mut tokens = crawler.tokens().iter().map(own_acap_name);
    tokens.find(|token| !token.is_empty() && named.contains(&token.to_ascii_lowercase()))
}

/// [`address`] for ACAP statements.
fn acap_address(written: &str, name: Option<&[u8]>) -> Option<Address> {
    let written = written.trim_ascii();
    if written.eq_ignore_ascii_case("robots") {
        return Some(Address::Any);
    }
    let AgentName::Named(written) = crawler_name(written.as_bytes()) else { return None };
    name.filter(|name| name.eq_ignore_ascii_case(written)).map(|_| Address::Named)
}

/// The address of a statement written for `written`: any crawler, or the crawler called `name`. None if it is for
/// another crawler.
fn address(written: &str, name: Option<&str>) -> Option<Address> {
    if written.trim_ascii().eq_ignore_ascii_case("robots") {
        return Some(Address::Any);
    }
    name.filter(|name| name.eq_ignore_ascii_case(cut(written))).map(|_| Address::Named)
}

/// [`address`] for headers, in which `*` is any crawler, too.
fn header_address(written: &str, name: Option<&str>) -> Option<Address> {
    if written.trim_ascii() == "*" { Some(Address::Any) } else { address(written, name) }
}

/// The part of a name that is compared outside ACAP: the leading bytes that a product token may contain (row P1).
fn cut(name: &str) -> &str {
    let name = name.trim_ascii();
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    &name[..name.find(|c| !is_of_token(c)).unwrap_or(name.len())]
}
