//! The Robots-Tag header, a list of structured fields (draft-illyes-repext-03; RFC 9651; `crates/PERMISSIONS.md`, P16).

use std::convert::Infallible;

use robomata_protocol::{PageFacts, Place, Source, Vocabulary};
use sfv::visitor::{EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ListVisitor, ParameterVisitor};
use sfv::{BareItemFromInput, KeyRef, Parser};

use crate::diagnostic::{PageDiagnostic, PageProblem};
use crate::headers;

/// The number of bytes of all Robots-Tag headers together that are read. The draft requires 8 KiB.
const LIMIT: usize = 64 << 10;

/// Directives for a crawler.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Member {
    /// The name as written; empty if the member names no crawler.
    pub(crate) name: String,
    /// The directives, each once.
    pub(crate) directives: Vec<(String, Value)>,
    /// The number of the header in which the member begins.
    pub(crate) header: u32,
}

/// The value of a directive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// No value, or true.
    True,
    /// The directive is not given.
    False,
    /// An integer, or the text of a token or string.
    Text(String),
    /// A date, in seconds since 1970.
    Date(i64),
    /// Of a type that no directive has.
    Other,
}

/// The members of all Robots-Tag headers, which form one list.
pub(crate) fn members(facts: &PageFacts, diagnostics: &mut Vec<PageDiagnostic>) -> Vec<Member> {
    let (mut whole, mut starts) = (String::new(), Vec::new());
    for (number, value) in headers::named(facts, "robots-tag") {
        if !starts.is_empty() {
            whole.push_str(", ");
        }
        starts.push((whole.len(), number));
        whole.push_str(value);
    }
    let Some(&(_, first)) = starts.first() else { return Vec::new() };
    let source = Source { vocabulary: Vocabulary::RobotsMeta, place: Place::Header, line: first };
    let mut report = |problem| diagnostics.push(PageDiagnostic::new(source, problem, &whole));
    let commas = commas(whole.as_bytes());
    let last_comma = |end: usize| commas.iter().copied().rfind(|&comma| comma < end).unwrap_or(0);
    let found = if whole.len() > LIMIT {
        report(PageProblem::LongRobotsTag);
        list(&whole.as_bytes()[..last_comma(LIMIT)])
    } else {
        list(whole.as_bytes()).or_else(|| {
            report(PageProblem::InvalidRobotsTag);
            list(&whole.as_bytes()[..last_comma(whole.len())])
        })
    };
    // Of a list, the members are what its commas separate.
    let begins = std::iter::once(0)
        .chain(commas.iter().map(|comma| comma + 1))
        .map(|at| at + whole.as_bytes()[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count());
    let header_at =
        |at: usize| starts.iter().rfind(|&&(start, _)| start <= at).map_or(first, |&(_, number)| number);
    found
        .unwrap_or_default()
        .into_iter()
        .zip(begins)
        .map(|(member, at)| Member { header: header_at(at), ..member })
        .collect()
}

/// The positions of the commas outside of strings.
fn commas(value: &[u8]) -> Vec<usize> {
    let (mut commas, mut at) = (Vec::new(), 0);
    while at < value.len() {
        match value[at] {
            b',' => commas.push(at),
            b'"' => at = string_end(value, at),
            _ => {}
        }
        at += 1;
    }
    commas
}

/// The position of the quote that ends the string at `start`, or the end of the value. Display strings, which begin
/// with `%`, have no escapes.
fn string_end(value: &[u8], start: usize) -> usize {
    let has_escapes = start == 0 || value[start - 1] != b'%';
    let mut at = start + 1;
    while at < value.len() && value[at] != b'"' {
        at += if has_escapes && value[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// The members of a list, with empty names for what is not a token or a string; `None` if the value is no list.
fn list(value: &[u8]) -> Option<Vec<Member>> {
    Parser::new(value).parse_list_with_visitor(Members(Vec::new())).ok()
}

struct Members(Vec<Member>);

impl<'d> ListVisitor<'d> for Members {
    type Out = Vec<Member>;
    type Error = Infallible;

    fn entry(&mut self) -> Result<impl EntryVisitor<'d>, Infallible> {
        self.0.push(Member::default());
        Ok(Entry(self.0.last_mut()))
    }

    fn finish(self) -> Result<Vec<Member>, Infallible> {
        Ok(self.0)
    }
}

struct Entry<'m>(Option<&'m mut Member>);

impl<'d> EntryVisitor<'d> for Entry<'_> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'d>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'d>, Infallible> {
        Ok(Ignored)
    }
}

impl<'d> ItemVisitor<'d> for Entry<'_> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        self,
        item: BareItemFromInput<'d>,
    ) -> Result<impl ParameterVisitor<'d, Out = ()>, Infallible> {
        let name = match &item {
            BareItemFromInput::Token(token) => token.as_str(),
            BareItemFromInput::String(string) => string.as_str(),
            _ => "",
        };
        let member = self.0.map(|member| {
            name.clone_into(&mut member.name);
            member
        });
        Ok(Directives(member))
    }
}

struct Directives<'m>(Option<&'m mut Member>);

impl<'d> ParameterVisitor<'d> for Directives<'_> {
    type Out = ();
    type Error = Infallible;

    /// The last value of a key counts.
    fn parameter(&mut self, key: &'d KeyRef, value: BareItemFromInput<'d>) -> Result<(), Infallible> {
        let value = match value {
            BareItemFromInput::Boolean(true) => Value::True,
            BareItemFromInput::Boolean(false) => Value::False,
            BareItemFromInput::Integer(integer) => Value::Text(integer.to_string()),
            BareItemFromInput::Token(token) => Value::Text(token.as_str().to_owned()),
            BareItemFromInput::String(string) => Value::Text(string.as_str().to_owned()),
            BareItemFromInput::Date(date) => Value::Date(i64::from(date.unix_seconds())),
            BareItemFromInput::Decimal(_)
            | BareItemFromInput::ByteSequence(_)
            | BareItemFromInput::DisplayString(_) => Value::Other,
        };
        if let Some(member) = &mut self.0 {
            member.directives.retain(|(name, _)| name != key.as_str());
            member.directives.push((key.as_str().to_owned(), value));
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Infallible> {
        Ok(())
    }
}
