//! Records into groups.

use robomata_protocol::{Access, FetchOutcome, Span};
use robomata_syntax::{Config, Diagnostic, DiagnosticKind, Key, Record, Sink, Text, read};

use crate::content_signal;
use crate::extension::{CleanParam, Extension, Value};
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
    report_extensions(&mut policy);
    policy.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    policy
}

fn build<'a, const DIAGNOSTICS: bool>(text: Text<'a>, config: &Config) -> Policy<'a> {
    let mut builder = Builder::<DIAGNOSTICS>::new(text.octets().len());
    read(&text, config, &mut builder);
    builder.close_group();
    Policy {
        dialect: config.dialect(),
        outcome: FetchOutcome::Success,
        text,
        groups: builder.groups,
        names: builder.names,
        rules: builder.rules,
        extensions: builder.extensions,
        diagnostics: builder.diagnostics,
    }
}

/// Collects groups while the records come.
struct Builder<const DIAGNOSTICS: bool> {
    place: Place,
    /// Octets of the text, from which the number of its rules is guessed.
    text_len: usize,
    /// All but the last one are closed: their ranges end where the next one's begin.
    groups: Vec<Group>,
    names: Vec<Name>,
    rules: Vec<Rule>,
    extensions: Vec<Extension>,
    diagnostics: Vec<Diagnostic>,
}

/// Where in the file the next record stands. Only a rule ends a group's list of names (RFC 9309, 2.2.4): the next
/// user-agent record then begins another group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    BeforeGroups,
    AmongNames,
    AmongRules,
}

impl<const DIAGNOSTICS: bool> Sink for Builder<DIAGNOSTICS> {
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

impl<const DIAGNOSTICS: bool> Builder<DIAGNOSTICS> {
    fn new(text_len: usize) -> Self {
        Builder {
            place: Place::BeforeGroups,
            text_len,
            groups: Vec::new(),
            names: Vec::new(),
            rules: Vec::new(),
            extensions: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    #[inline]
    fn name(&mut self, record: &Record) {
        if self.place != Place::AmongNames {
            self.open_group(record);
        }
        self.names.push(Name { line: record.line, value: record.value });
    }

    fn open_group(&mut self, record: &Record) {
        if self.place == Place::BeforeGroups {
            let rest = self.text_len - record.value.range().end;
            self.rules.reserve((rest / OCTETS_PER_RULE).min(MOST_RULES_FORESEEN));
        }
        self.close_group();
        let (names, rules) = (count(&self.names), count(&self.rules));
        self.groups.push(Group { names: (names, names), rules: (rules, rules) });
        self.place = Place::AmongNames;
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
        if self.place != Place::BeforeGroups {
            self.place = Place::AmongRules;
            self.rules.push(Rule { access, line: record.line, pattern: record.value });
        } else if DIAGNOSTICS {
            self.diagnostics.push(Diagnostic {
                line: record.line,
                span: record.written_key,
                kind: DiagnosticKind::RuleBeforeGroup,
            });
        }
    }

    fn extension(&mut self, record: &Record) {
        let group = self.groups.len().checked_sub(1);
        self.extensions.push(Extension {
            line: record.line,
            key: record.key,
            written_key: record.written_key,
            value: record.value,
            group,
        });
    }
}

/// What the values of records that are no rules have odd about them, and their places.
fn report_extensions(policy: &mut Policy<'_>) {
    let mut found = Vec::new();
    for record in &policy.extensions {
        let mut report = |span, kind| found.push(Diagnostic { line: record.line, span, kind });
        if record.is_of_group() && record.group.is_none() {
            report(record.written_key, DiagnosticKind::RecordBeforeGroup(record.key));
        }
        report_value(record, policy.text.octets(), &mut report);
    }
    let text = policy.text.octets();
    let with_star = policy
        .extensions
        .iter()
        .filter(|record| matches!(record.read(text), Value::CleanParam(params) if params.has_star()));
    let too_many = with_star
        .skip(CleanParam::MOST_WITH_STARS)
        .map(|record| (record, DiagnosticKind::TooManyRecords(record.key)));
    found.extend(policy.lonely_records().into_iter().chain(too_many).map(|(record, kind)| Diagnostic {
        line: record.line,
        span: record.written_key,
        kind,
    }));
    policy.diagnostics.append(&mut found);
}

fn report_value(record: &Extension, text: &[u8], report: &mut impl FnMut(Span, DiagnosticKind)) {
    match record.read(text) {
        _ if record.key == Key::Unknown => {}
        Value::Text(_) => report(record.value, DiagnosticKind::MalformedValue(record.key)),
        Value::ContentSignal(_) => {
            let items = content_signal::items(record.value.of(text), record.line);
            for Span { start, end } in items.filter_map(Result::err) {
                let span = Span::new(record.value.start + start, record.value.start + end);
                report(span, DiagnosticKind::MalformedItem(record.key));
            }
        }
        Value::Noindex(pattern) => report_pattern(pattern, record.value, report),
        Value::CleanParam(CleanParam { path: Some(pattern), .. }) => {
            report_pattern(pattern, record.value, report);
        }
        _ => {}
    }
}

/// A pattern that no path matches, because none begins like it (`crates/DIALECTS.md`, P2).
fn report_pattern(pattern: &[u8], span: Span, report: &mut impl FnMut(Span, DiagnosticKind)) {
    match pattern.first() {
        None | Some(b'/' | b'*') => {}
        Some(_) if pattern.windows(3).any(|octets| octets == b"://") => {
            report(span, DiagnosticKind::AbsoluteUrlPattern);
        }
        Some(_) => report(span, DiagnosticKind::PatternWithoutSlash),
    }
}

/// Items of a file are fewer than its octets, and those are counted in 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "texts are cut at limits::MAX_PARSING_LIMIT")]
fn count<T>(items: &[T]) -> u32 {
    items.len() as u32
}
