//! The Robots-Tag header, a list of structured fields (draft-illyes-repext-03; RFC 9651; `crates/PERMISSIONS.md`, P16).

use std::convert::Infallible;

use robomata_protocol::{PageFacts, Place, Source, Vocabulary};
use sfv::visitor::{EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ListVisitor, ParameterVisitor};
use sfv::{BareItemFromInput, KeyRef, Parser};

use crate::conventional::begins_with_directive;
use crate::diagnostic::{PageDiagnostic, PageProblem};
use crate::joined::{JoinedHeaders, string_end};

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
    let Some(joined) = JoinedHeaders::new(facts, "robots-tag") else { return Vec::new() };
    let (text, first) = (joined.text(), joined.first());
    let source = Source { vocabulary: Vocabulary::RobotsMeta, place: Place::Header, line: first };
    let mut report = |problem| diagnostics.push(PageDiagnostic::new(source, problem, text));
    let value = with_lower_keys(text);
    let up_to_comma = |end: usize| {
        let last = joined.commas().iter().copied().rfind(|&comma| comma < end).unwrap_or(0);
        list(&value[..last])
    };
    let found = if text.len() > LIMIT {
        report(PageProblem::LongRobotsTag);
        up_to_comma(LIMIT)
    } else {
        list(&value).or_else(|| {
            report(PageProblem::InvalidRobotsTag);
            up_to_comma(text.len())
        })
    };
    let members = found.unwrap_or_default().into_iter().zip(joined.members());
    let members: Vec<Member> = members.map(|(member, (_, header))| Member { header, ..member }).collect();
    // The form of X-Robots-Tag.
    for Member { name, header, .. } in members.iter().filter(|member| member.directives.is_empty()) {
        if begins_with_directive(name) {
            let source = Source { line: *header, ..source };
            diagnostics.push(PageDiagnostic::new(source, PageProblem::DirectiveAsName, name));
        }
    }
    members
}

/// The list with the keys of parameters in lower case: directives have no case, but structured fields have no other keys.
fn with_lower_keys(text: &str) -> Vec<u8> {
    let mut value = text.as_bytes().to_vec();
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.*".contains(byte);
    let mut at = 0;
    while at < value.len() {
        match value[at] {
            b'"' => at = string_end(&value, at) + 1,
            b';' => {
                at += 1;
                at += value[at..].iter().take_while(|&&byte| byte == b' ').count();
                let end = at + value[at..].iter().take_while(|byte| is_of_key(byte)).count();
                value[at..end].make_ascii_lowercase();
                at = end;
            }
            _ => at += 1,
        }
    }
    value
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
        let mut member = self.0;
        if let Some(member) = &mut member {
            name.clone_into(&mut member.name);
        }
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
