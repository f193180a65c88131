//! Memento in robots.txt: TimeGates for old versions, and the old versions themselves (`crates/PERMISSIONS.md`, M1 to
//! M5).

use robomata_protocol::{Access, Crawler, is_scheme};
use robomata_syntax::{DiagnosticKind, Key};

use crate::choose::{Choice, RuleSet};
use crate::extension::{Extension, Value};
use crate::policy::Policy;

/// A TimeGate and the resources that it has old versions of (M1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeGate<'t> {
    /// The location: an absolute http or https URL, or a path of this server, which begins with `/`.
    pub url: &'t str,
    /// The 1-based line of the `TimeGate` record.
    pub line: u32,
    /// The resources; never empty.
    pub archived: Vec<Archived<'t>>,
}

/// An `Archived` record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Archived<'t> {
    /// The resources.
    pub pattern: ArchivedPattern<'t>,
    /// The 1-based line of the record.
    pub line: u32,
}

/// The resources that a TimeGate has old versions of (M3). In both forms, `*` is any run and a final `$` is the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchivedPattern<'t> {
    /// A path pattern of this server, as written: it begins with `/` or `*`.
    Path(&'t [u8]),
    /// A pattern of absolute URIs, as written: it begins with a scheme and `://`.
    Uri(&'t [u8]),
}

/// The Mementos that a site announces: the URLs that the groups named `memento` allow (M5).
///
/// A URL is announced when an allow rule of [`Mementos::rules`] decides for it. Only crawlers that meet
/// [`Mementos::CONDITION`] may use the announcement.
#[derive(Clone, Debug)]
pub struct Mementos<'p> {
    rules: RuleSet<'p>,
}

impl<'p> Mementos<'p> {
    /// The name of groups about Mementos.
    pub const TOKEN: &'static str = "memento";

    /// The crawlers that may use the announcement. Outputs must include this text with it.
    pub const CONDITION: &'static str = "only for crawlers that keep Memento-Datetime sticky: a crawler that mirrors \
        a Memento at another URI keeps the header and its value, unless the mirroring changes the state of the resource";

    /// All rules of the groups; they decide whether a URL is announced.
    pub fn rules(&self) -> &RuleSet<'p> {
        &self.rules
    }

    /// The announced patterns, as written, with their lines, in file order. Never empty.
    pub fn patterns(&self) -> impl Iterator<Item = (&'p [u8], u32)> {
        let text = self.rules.policy().text();
        let announced = self.rules.rules().filter(|rule| rule.access == Access::Allow);
        announced.map(|rule| (rule.pattern.of(text), rule.line)).filter(|(pattern, _)| !pattern.is_empty())
    }
}

impl<'p> Policy<'p> {
    /// The announced Mementos, if there are any.
    pub fn mementos(&'p self) -> Option<Mementos<'p>> {
        let mementos = Mementos { rules: self.rules_for(&Crawler::new(Mementos::TOKEN)) };
        let is_own = matches!(mementos.rules.choice(), Choice::Own(_));
        (is_own && mementos.patterns().next().is_some()).then_some(mementos)
    }
}

impl<'t> ArchivedPattern<'t> {
    pub(crate) fn new(value: &'t [u8]) -> Option<Self> {
        if matches!(value.first(), Some(b'/' | b'*')) {
            return Some(ArchivedPattern::Path(value));
        }
        let scheme = value.windows(3).position(|bytes| bytes == b"://").map(|end| &value[..end])?;
        is_scheme(scheme).then_some(ArchivedPattern::Uri(value))
    }
}

impl Policy<'_> {
    /// The TimeGates that have old versions of at least one resource, in file order (M1 to M3).
    pub fn time_gates(&self) -> Vec<TimeGate<'_>> {
        let sets = self.sets().into_iter();
        sets.filter_map(Set::time_gate).filter(|gate| !gate.archived.is_empty()).collect()
    }

    /// The well-formed records that lack their counterpart (M2).
    pub(crate) fn lonely_records(&self) -> Vec<(&Extension, DiagnosticKind)> {
        let mut lonely = Vec::new();
        for set in self.sets() {
            match set.opening {
                Opening::Gate(record, _) if set.archived.is_empty() => {
                    lonely.push((record, DiagnosticKind::TimeGateWithoutArchived));
                }
                Opening::Gate(..) => {}
                Opening::Nothing => lonely.extend(
                    set.archived.iter().map(|&(record, _)| (record, DiagnosticKind::ArchivedWithoutTimeGate)),
                ),
            }
        }
        lonely
    }

    fn sets(&self) -> Vec<Set<'_>> {
        let mut sets = vec![Set { opening: Opening::Nothing, archived: Vec::new() }];
        for record in
            self.extensions.iter().filter(|record| matches!(record.key, Key::TimeGate | Key::Archived))
        {
            match record.read(self.text()) {
                Value::TimeGate(url) => {
                    sets.push(Set { opening: Opening::Gate(record, url), archived: Vec::new() });
                }
                Value::Archived(pattern) => {
                    let set = sets.last_mut().expect("the first set is there from the beginning");
                    set.archived.push((record, Archived { pattern, line: record.line }));
                }
                // A malformed TimeGate still ends the set before it.
                _ if record.key == Key::TimeGate => {
                    sets.push(Set { opening: Opening::Nothing, archived: Vec::new() });
                }
                _ => {}
            }
        }
        sets
    }
}

/// `Archived` records and the record before them.
struct Set<'p> {
    opening: Opening<'p>,
    archived: Vec<(&'p Extension, Archived<'p>)>,
}

enum Opening<'p> {
    /// No TimeGate, or a malformed one.
    Nothing,
    /// A TimeGate with this URL.
    Gate(&'p Extension, &'p str),
}

impl<'p> Set<'p> {
    fn time_gate(self) -> Option<TimeGate<'p>> {
        match self.opening {
            Opening::Gate(record, url) => {
                let archived = self.archived.into_iter().map(|(_, archived)| archived).collect();
                Some(TimeGate { url, line: record.line, archived })
            }
            Opening::Nothing => None,
        }
    }
}
