//! Finds why two dialects give different answers, from the lines of the robots.txt.

use std::cell::RefCell;
use std::collections::HashMap;

use robomata_engine::policy::{Rule, outcome};
use robomata_engine::protocol::Semantics;
use robomata_engine::protocol::semantics::{BlankLines, RepeatedGroups, RuleOrder};
use robomata_engine::syntax::{Key, Lines};
use robomata_engine::{
    Access, Answer, Config, Crawler, Dialect, FetchOutcome, FetchStatus, Policy, Reason, SitePolicy,
};

use crate::bodies::KeptBody;
use crate::quotes::{MOST_BYTES_QUOTED, quoted_line, shortened};

/// The cause of a difference between two dialects. Sections are rows of `crates/DIALECTS.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The dialects treat the fetch result differently (F1).
    Fetch,
    /// Only one of them always allows /robots.txt (U3).
    RobotsTxt,
    /// ACAP fields decide, or override conventional lines, in only one of them.
    Acap,
    /// One of them follows no rule of so long a file (L1).
    TooLong,
    /// The line is a rule in only one of them, or another rule, or its group has names in only one of them (L1 to L8, K1).
    Reading,
    /// The line belongs to no group in one of them, because a blank line precedes it (D1, D2).
    Record,
    /// They choose different groups (G2 to G7).
    Group,
    /// `*` and `$` are ordinary bytes in one of them (P1).
    Wildcard,
    /// One of them ignores the query (U1).
    Query,
    /// In one of them an allow rule for an index page also applies to its folder (R3).
    IndexPage,
    /// They compare the URL or the pattern in different forms: percent-encoding, or the beginning of the path (N1, U1).
    Form,
    /// The first match decides in one of them, the longest match in the other (R1).
    Order,
    /// They count the bytes of patterns differently (R1).
    Length,
    /// An empty rule determines the line in one of them (P3).
    EmptyRule,
    /// The lines do not show the cause.
    Other,
}

impl Cause {
    /// The cause's name in every output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Cause::Fetch => "fetch",
            Cause::RobotsTxt => "robots-txt",
            Cause::Acap => "acap",
            Cause::TooLong => "too-long",
            Cause::Reading => "reading",
            Cause::Record => "record",
            Cause::Group => "group",
            Cause::Wildcard => "wildcard",
            Cause::Query => "query",
            Cause::IndexPage => "index-page",
            Cause::Form => "form",
            Cause::Order => "order",
            Cause::Length => "length",
            Cause::EmptyRule => "empty-rule",
            Cause::Other => "other",
        }
    }
}

robomata_engine::protocol::display_as_name!(Cause);
robomata_engine::protocol::serialize_as_text!(Cause);

/// A cause and its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) cause: Cause,
    /// The line that causes the difference; 0 when there is none.
    pub(super) line: u32,
    /// The dialect in which the line has no effect; none when the cause concerns both dialects.
    pub(super) without: Option<Dialect>,
}

/// One robots.txt, read in one dialect for a crawler.
pub(super) struct Reading<'p> {
    dialect: Dialect,
    policy: &'p Policy<'p>,
    lines: Lines<'p>,
    status: Option<FetchStatus>,
    redirects: u8,
    outcome: FetchOutcome,
    group: Option<String>,
    /// The lines of the rules that the crawler must obey, ascending.
    obeyed: Vec<u32>,
    /// All rules, by line.
    rules: Vec<Rule>,
    /// The lines of the names of groups, ascending.
    names: Vec<u32>,
    /// The lines of fields of ACAP, ascending.
    acap: Vec<u32>,
    /// Rules of other readings, each compiled alone in this dialect, by their dialect and line. The cache keeps
    /// repeated checks of a long line cheap.
    foreign: RefCell<HashMap<(Dialect, u32), SitePolicy>>,
    /// Whether lines of other readings are rules in this dialect.
    foreign_rules: RefCell<HashMap<(Dialect, u32), bool>>,
}

impl<'p> Reading<'p> {
    pub(super) fn new(policy: &'p Policy<'p>, kept: &KeptBody, crawler: &Crawler) -> Self {
        let set = policy.rules_for(crawler);
        let all = policy.groups().iter().flat_map(|group| policy.rules_of(group));
        let names = policy.groups().iter().flat_map(|group| policy.names_of(group));
        let acap = policy.extensions().iter().filter(|extension| extension.key == Key::Acap);
        Reading {
            dialect: policy.dialect(),
            policy,
            lines: Lines::new(policy.text()),
            status: kept.status,
            redirects: kept.redirects,
            outcome: outcome(kept.status_in(policy.dialect()), policy.dialect()),
            group: set.name(crawler),
            obeyed: set.rules().map(|rule| rule.line).collect(),
            rules: all.copied().collect(),
            names: names.map(|name| name.line).collect(),
            acap: acap.map(|extension| extension.line).collect(),
            foreign: RefCell::default(),
            foreign_rules: RefCell::default(),
        }
    }

    /// The name of the group that applies.
    pub(super) fn group(&self) -> Option<String> {
        self.group.as_deref().map(shortened)
    }

    /// A line as written, without the white space around it.
    pub(super) fn quote(&self, line: u32) -> Option<String> {
        quoted_line(&self.lines, line)
    }

    /// Does the dialect read ACAP, and does the file have ACAP fields?
    fn has_acap_fields(&self) -> bool {
        self.semantics().reads_acap && !self.acap.is_empty()
    }

    fn semantics(&self) -> &'static Semantics {
        self.dialect.semantics()
    }

    fn obeys(&self, line: u32) -> bool {
        self.obeyed.binary_search(&line).is_ok()
    }

    /// The access and pattern of the rule on `line`.
    fn rule(&self, line: u32) -> Option<(Access, &'p [u8])> {
        let index = self.rules.binary_search_by_key(&line, |rule| rule.line).ok()?;
        let Rule { access, pattern, .. } = self.rules[index];
        Some((access, pattern.of(self.policy.text())))
    }

    /// Whether a blank line ends the group of `line` of `other` in this dialect, which reads the line, and the last name
    /// above it.
    fn ends_group_of(&self, line: u32, other: &Reading<'_>) -> bool {
        let above = other.names.partition_point(|&name| name < line);
        let last = other.names[..above].last();
        self.semantics().blank_lines == BlankLines::EndRecords
            && last.is_some_and(|name| self.names.binary_search(name).is_ok())
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Is `line` of `other` a rule in this dialect when it is in a group?
    fn reads(&self, line: u32, other: &Reading<'_>) -> bool {
        *self.foreign_rules.borrow_mut().entry((other.dialect, line)).or_insert_with(|| {
            let text = other.lines.bytes(line).unwrap_or_default();
            if self.lines.bytes(line).is_some_and(|own| own != text) {
                // Only one of them decodes the file.
                return false;
            }
            let file = [b"User-agent: *\n", text].concat();
            let policy = Policy::new(&file, &Config::new(self.dialect));
            policy.groups().iter().any(|group| !policy.rules_of(group).is_empty())
        })
    }

    /// Does the rule on `line` of `other` match `url` in this dialect? None when there is no rule.
    fn matches(&self, line: u32, other: &Reading<'_>, url: &[u8]) -> Option<bool> {
        let (access, pattern) = other.rule(line)?;
        let mut foreign = self.foreign.borrow_mut();
        let alone = foreign.entry((other.dialect, line)).or_insert_with(|| {
            let file = [b"User-agent: *\n", key_of(access).as_bytes(), pattern].concat();
            let policy = Policy::new(&file, &Config::new(self.dialect));
            SitePolicy::new(&policy, &Crawler::new("any"))
        });
        Some(alone.check(url).line() > 0)
    }
}

impl Found {
    /// The cause as a sentence about the dialects of `a` and `b`.
    pub(super) fn sentence(&self, a: &Reading<'_>, b: &Reading<'_>) -> String {
        let line = self.line;
        let (one, other) = match self.without {
            Some(without) if without == a.dialect => (b, a),
            _ => (a, b),
        };
        let with = one.dialect;
        let without = other.dialect;
        match self.cause {
            Cause::Fetch => {
                let (with_means, without_means) = (meaning(one.outcome), meaning(other.outcome));
                let status = match (one.status, one.redirects) {
                    (Some(FetchStatus::Code(code)), 0) => format!("status {code}"),
                    (Some(FetchStatus::Code(code)), 1) => format!("status {code} after 1 redirect"),
                    (Some(FetchStatus::Code(code)), more) => format!("status {code} after {more} redirects"),
                    (Some(FetchStatus::TooManyRedirects), _) => "redirects without end".to_owned(),
                    _ => "no answer".to_owned(),
                };
                format!("{status} means {with_means} under {with}, {without_means} under {without}")
            }
            Cause::RobotsTxt => {
                format!("/robots.txt itself is always allowed under {with}, not under {without}")
            }
            Cause::Acap if self.without.is_some() => {
                let effect = match other.rule(line) {
                    Some(_) => "end the list of names that includes the crawler, above",
                    None => "override",
                };
                format!("the file's ACAP fields {effect} line {line} under {without}")
            }
            Cause::Acap if line == 0 => {
                let reader = if one.semantics().reads_acap { with } else { without };
                format!("only {reader} reads the file's ACAP fields")
            }
            Cause::Acap => format!("line {line} is an ACAP field, which no other dialect reads"),
            Cause::TooLong => format!("{without} follows no rule of a file of this length"),
            Cause::Reading if line > other.lines.count() => {
                format!("line {line} is behind what {without} reads of the file")
            }
            Cause::Reading => match other.rule(line) {
                Some((access, pattern)) => {
                    let beginning = &pattern[..pattern.len().min(MOST_BYTES_QUOTED)];
                    let rule = format!("{}{}", key_of(access), String::from_utf8_lossy(beginning));
                    format!("line {line} is another rule under {without}: '{}'", shortened(&rule))
                }
                None if other.reads(line, one) => format!("line {line} belongs to no group under {without}"),
                None => format!("line {line} is not a rule under {without}"),
            },
            Cause::Record => format!("under {without} a blank line ends the group before line {line}"),
            Cause::Group => group_sentence(line, one, other),
            Cause::Wildcard => {
                let literal = if one.semantics().wildcards { without } else { with };
                format!("'*' and '$' of line {line} are ordinary bytes under {literal}")
            }
            Cause::Query => format!("line {line} matches the query, which {without} ignores"),
            Cause::IndexPage => {
                format!("line {line} names an index page and also applies to its folder under {with}")
            }
            Cause::Form => format!("{without} compares the URL and line {line} in another form"),
            Cause::Order if other.semantics().order == RuleOrder::FirstLine => {
                first_decides(line, without, with)
            }
            Cause::Order => first_decides(line, with, without),
            Cause::Length => format!("{with} and {without} count the bytes of patterns differently"),
            Cause::EmptyRule => format!("line {line} is empty and is not a rule under {without}"),
            Cause::Other => "the lines do not show the cause".to_owned(),
        }
    }
}

/// The sentence about a line that only `one` obeys, although `other` has it in a group, too.
fn group_sentence(line: u32, one: &Reading<'_>, other: &Reading<'_>) -> String {
    let (with, without) = (one.dialect, other.dialect);
    let named = |reading: &Reading<'_>| reading.group().map_or("none".to_owned(), |name| format!("'{name}'"));
    let (chosen, others) = (named(one), named(other));
    let reason = if chosen != others {
        format!("{with} chooses {chosen}, {without} chooses {others}")
    } else if other.semantics().repeated_groups == RepeatedGroups::First {
        format!("only the first group for {others} counts")
    } else {
        format!("only {with} merges these groups")
    };
    format!("line {line} is in a group that {without} does not choose: {reason}")
}

/// The text before the pattern of a rule.
fn key_of(access: Access) -> &'static str {
    if access == Access::Allow { "Allow: " } else { "Disallow: " }
}

fn first_decides(line: u32, first: Dialect, longest: Dialect) -> String {
    format!("the first match, line {line}, decides under {first}, the longest match under {longest}")
}

fn meaning(outcome: FetchOutcome) -> &'static str {
    match outcome {
        FetchOutcome::Success => "that the rules hold",
        FetchOutcome::Redirected => "that nothing is known",
        FetchOutcome::Unavailable => "that all is allowed",
        FetchOutcome::Unreachable | FetchOutcome::Restricted => "that all is disallowed",
        FetchOutcome::Deferred => "that all is deferred",
    }
}

/// The cause of the different answers of `a` and `b` about `url`.
pub(super) fn find(a: (&Reading<'_>, Answer), b: (&Reading<'_>, Answer), url: &[u8]) -> Found {
    if let Some(without) = exempts(a, b) {
        return Found { cause: Cause::RobotsTxt, line: 0, without: Some(without) };
    }
    if a.0.outcome != b.0.outcome {
        return Found { cause: Cause::Fetch, line: 0, without: None };
    }
    let one_sided = acap(a)
        .or_else(|| acap(b))
        .or_else(|| missing(a, b.0))
        .or_else(|| missing(b, a.0))
        .or_else(|| other_rule(a, b.0, url))
        .or_else(|| other_rule(b, a.0, url))
        .or_else(|| unmatched(a, b.0, url))
        .or_else(|| unmatched(b, a.0, url));
    one_sided.unwrap_or_else(|| by_order(a, b))
}

/// The cause when both dialects have both rules, and both rules match.
fn by_order(a: (&Reading<'_>, Answer), b: (&Reading<'_>, Answer)) -> Found {
    let lines = [a.1.line(), b.1.line()];
    let are_rules = lines[0] != lines[1] && !lines.contains(&0);
    let both = |cause, line| Found { cause, line, without: None };
    if are_rules && a.0.semantics().order != b.0.semantics().order {
        both(Cause::Order, lines[0].min(lines[1]))
    } else if only_acap_differs(a.0, b.0) || only_acap_differs(b.0, a.0) {
        both(Cause::Acap, 0)
    } else if are_rules {
        both(Cause::Length, lines[0])
    } else {
        both(Cause::Other, 0)
    }
}

/// Is ACAP the only difference?
fn only_acap_differs(acap: &Reading<'_>, other: &Reading<'_>) -> bool {
    acap.has_acap_fields() && Semantics { reads_acap: false, ..*acap.semantics() } == *other.semantics()
}

/// The dialect that does not always allow /robots.txt, if the other one does.
fn exempts(a: (&Reading<'_>, Answer), b: (&Reading<'_>, Answer)) -> Option<Dialect> {
    let exempt = |answer| matches!(answer, Answer::Verdict(verdict) if verdict.reason == Reason::RobotsTxt);
    match (exempt(a.1), exempt(b.1)) {
        (true, false) => Some(b.0.dialect),
        (false, true) => Some(a.0.dialect),
        _ => None,
    }
}

/// The cause when a field of ACAP decided.
fn acap((reading, answer): (&Reading<'_>, Answer)) -> Option<Found> {
    let decides = reading.semantics().reads_acap && reading.acap.binary_search(&answer.line()).is_ok();
    decides.then(|| Found { cause: Cause::Acap, line: answer.line(), without: None })
}

/// The cause when the rule that decided is not among the rules that the crawler obeys in the `other` dialect.
fn missing((reading, answer): (&Reading<'_>, Answer), other: &Reading<'_>) -> Option<Found> {
    let line = answer.line();
    if line == 0 || other.obeys(line) {
        return None;
    }
    let cause = if other.policy.text().is_empty() {
        Cause::TooLong
    } else if other.rule(line).is_some() {
        // A dialect that merges groups obeys the line, unless fields of ACAP end the list of names.
        let is_merged = other.semantics().repeated_groups == RepeatedGroups::Merged;
        if other.has_acap_fields() && is_merged && reading.group == other.group {
            Cause::Acap
        } else {
            Cause::Group
        }
    } else if !other.reads(line, reading) || line > other.lines.count() {
        Cause::Reading
    } else if other.has_acap_fields() {
        Cause::Acap
    } else if other.ends_group_of(line, reading) {
        Cause::Record
    } else {
        Cause::Reading
    };
    Some(Found { cause, line, without: Some(other.dialect) })
}

/// The cause when the line that decided is another rule in the `other` dialect, with another effect.
fn other_rule((reading, answer): (&Reading<'_>, Answer), other: &Reading<'_>, url: &[u8]) -> Option<Found> {
    let line = answer.line();
    let (decided, read) = (reading.rule(line)?, other.rule(line)?);
    let differs =
        decided.0 != read.0 || decided.1 != read.1 && other.matches(line, other, url) == Some(false);
    differs.then_some(Found { cause: Cause::Reading, line, without: Some(other.dialect) })
}

/// The cause when the rule that decided does not match in the `other` dialect.
fn unmatched((reading, answer): (&Reading<'_>, Answer), other: &Reading<'_>, url: &[u8]) -> Option<Found> {
    let line = answer.line();
    if other.matches(line, reading, url)? {
        return None;
    }
    let (access, pattern) = reading.rule(line)?;
    let one_is_literal = reading.semantics().wildcards != other.semantics().wildcards;
    let cause = if pattern.is_empty() {
        Cause::EmptyRule
    } else if one_is_literal && (pattern.contains(&b'*') || pattern.ends_with(b"$")) {
        Cause::Wildcard
    } else if !other.semantics().compares_query && before_fragment(url).contains(&b'?') {
        Cause::Query
    } else if reading.semantics().index_pages && access == Access::Allow && names_index(pattern) {
        Cause::IndexPage
    } else {
        Cause::Form
    };
    Some(Found { cause, line, without: Some(other.dialect) })
}

fn before_fragment(url: &[u8]) -> &[u8] {
    url.split(|&byte| byte == b'#').next().unwrap_or_default()
}

/// Does the last segment of the pattern begin like the name of an index page (R3)?
fn names_index(pattern: &[u8]) -> bool {
    let last = pattern.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    last.starts_with(b"index.htm")
}
