//! Records into groups.

use robomata_protocol::{Access, FetchOutcome};
use robomata_syntax::{AcapOddity, Config, Diagnostic, DiagnosticKind, Key, Record, Sink, Text, read};

use crate::acap;
use crate::extension::{Extension, Value};
use crate::policy::{Group, Name, Policy, Rule};

/// What a line with a rule takes in real files, a little less than its mean: room is made for so many rules at once.
const OCTETS_PER_RULE: usize = 32;

/// Room for more rules is made as they come, so that a file of comments does not claim any.
const MOST_RULES_FORESEEN: usize = 256;

pub(crate) fn policy<'a>(text: Text<'a>, config: &Config) -> Policy<'a> {
    build::<false>(text, config)
}

pub(crate) fn policy_with_diagnostics<'a>(text: Text<'a>, config: &Config) -> Policy<'a> {
    let mut policy = build::<true>(text, config);
    report_malformed_values(&mut policy);
    acap::report(&mut policy);
    policy.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    policy
}

fn build<'a, const DIAGNOSTICS: bool>(text: Text<'a>, config: &Config) -> Policy<'a> {
    let mut builder = Builder::<DIAGNOSTICS>::new(text.octets());
    read(&text, config, &mut builder);
    builder.close_group();
    Policy {
        dialect: config.dialect(),
        outcome: FetchOutcome::Success,
        groups: builder.groups,
        names: builder.names,
        rules: builder.rules,
        extensions: builder.extensions,
        diagnostics: builder.diagnostics,
        text,
    }
}

/// Collects groups while the records come.
struct Builder<'t, const DIAGNOSTICS: bool> {
    place: Place,
    text: &'t [u8],
    /// All but the last one are closed: their ranges end where the next one's begin.
    groups: Vec<Group>,
    names: Vec<Name>,
    rules: Vec<Rule>,
    extensions: Vec<Extension>,
    diagnostics: Vec<Diagnostic>,
}

/// Where in the file the next record stands. Only a rule ends a group's list of names (RFC 9309, 2.2.4): the next
/// user-agent record then begins another group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    BeforeGroups,
    /// Behind the first ACAP-crawler, in the dialect that reads it: no group goes on or begins there
    /// (`crates/PERMISSIONS.md`, A4).
    InAcapRecords,
    AmongNames,
    AmongRules,
}

impl<const DIAGNOSTICS: bool> Sink for Builder<'_, DIAGNOSTICS> {
    const DIAGNOSTICS: bool = DIAGNOSTICS;

    #[inline(always)]
    fn record(&mut self, record: Record) {
        match record.key {
            Key::UserAgent => self.name(&record),
            Key::Allow => self.rule(Access::Allow, &record),
            Key::Disallow => self.rule(Access::Disallow, &record),
            _ => self.extension(&record),
        }
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

impl<'t, const DIAGNOSTICS: bool> Builder<'t, DIAGNOSTICS> {
    fn new(text: &'t [u8]) -> Self {
        Builder {
            place: Place::BeforeGroups,
            text,
            groups: Vec::new(),
            names: Vec::new(),
            rules: Vec::new(),
            extensions: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    #[inline]
    fn name(&mut self, record: &Record) {
        if self.place != Place::AmongNames && self.open_group(record) == Opened::Void {
            return;
        }
        self.names.push(Name { line: record.line, value: record.value });
    }

    fn open_group(&mut self, record: &Record) -> Opened {
        if self.place == Place::InAcapRecords {
            self.report_void(record);
            return Opened::Void;
        }
        if self.place == Place::BeforeGroups {
            // How many rules there will be is guessed from the octets left.
            let rest = self.text.len() - record.value.range().end;
            self.rules.reserve((rest / OCTETS_PER_RULE).min(MOST_RULES_FORESEEN));
        }
        self.close_group();
        let (names, rules) = (count(&self.names), count(&self.rules));
        self.groups.push(Group { names: (names, names), rules: (rules, rules) });
        self.place = Place::AmongNames;
        Opened::Group
    }

    fn close_group(&mut self) {
        let (names, rules) = (count(&self.names), count(&self.rules));
        if let Some(group) = self.groups.last_mut() {
            group.names.1 = names;
            group.rules.1 = rules;
        }
    }

    #[inline]
    fn rule(&mut self, access: Access, record: &Record) {
        if self.place >= Place::AmongNames {
            self.place = Place::AmongRules;
            self.rules.push(Rule { access, line: record.line, pattern: record.value });
        } else {
            self.report_void(record);
        }
    }

    /// Where the record stands, no record of groups may.
    fn report_void(&mut self, record: &Record) {
        if DIAGNOSTICS {
            let kind = match self.place {
                Place::InAcapRecords => DiagnosticKind::Acap(AcapOddity::ConventionalInRecord),
                _ => DiagnosticKind::RuleBeforeGroup,
            };
            self.diagnostics.push(Diagnostic { line: record.line, span: record.written_key, kind });
        }
    }

    fn extension(&mut self, record: &Record) {
        if self.place == Place::InAcapRecords && is_of_groups(record.key) {
            return self.report_void(record);
        }
        if record.key == Key::Acap && acap::begins_records(record.written_key.of(self.text)) {
            self.place = Place::InAcapRecords;
        }
        // ACAP's fields belong to no group, nor does what stands behind them.
        let in_group = record.key != Key::Acap && self.place != Place::InAcapRecords;
        let group = if in_group { self.groups.len().checked_sub(1) } else { None };
        self.extensions.push(Extension {
            line: record.line,
            key: record.key,
            written_key: record.written_key,
            value: record.value,
            group,
        });
    }
}

/// What became of a user-agent record that cannot join the names before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    Group,
    Void,
}

/// Does such a record belong to the group that it stands in, and not to the file?
const fn is_of_groups(key: Key) -> bool {
    matches!(key, Key::CrawlDelay | Key::RequestRate | Key::VisitTime | Key::Noindex)
}

fn report_malformed_values(policy: &mut Policy<'_>) {
    let text = policy.text.octets();
    for extension in &policy.extensions {
        if !matches!(extension.key, Key::Unknown | Key::Acap)
            && matches!(extension.read(text), Value::Text(_))
        {
            policy.diagnostics.push(Diagnostic {
                line: extension.line,
                span: extension.value,
                kind: DiagnosticKind::MalformedValue(extension.key),
            });
        }
    }
}

/// Items of a file are fewer than its octets, and those are counted in 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "texts are cut at limits::MAX_PARSING_LIMIT")]
fn count<T>(items: &[T]) -> u32 {
    items.len() as u32
}
