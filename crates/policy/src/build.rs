//! Records into groups.

use robomata_protocol::{Access, FetchOutcome};
use robomata_syntax::{Config, Diagnostic, DiagnosticKind, Key, Record, Sink, Text, read};

use crate::extension::{Extension, Value};
use crate::policy::{Group, Name, Policy, Rule};

pub(crate) fn policy<'a>(text: Text<'a>, config: &Config) -> Policy<'a> {
    build::<false>(text, config)
}

pub(crate) fn policy_with_diagnostics<'a>(text: Text<'a>, config: &Config) -> Policy<'a> {
    let mut policy = build::<true>(text, config);
    report_malformed_values(&mut policy);
    policy.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    policy
}

fn build<'a, const DIAGNOSTICS: bool>(text: Text<'a>, config: &Config) -> Policy<'a> {
    let mut builder = Builder::<DIAGNOSTICS>::default();
    read(&text, config, &mut builder);
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
///
/// Only a rule ends a group's list of names (RFC 9309, 2.2.4): the next user-agent record then begins another group.
#[derive(Default)]
struct Builder<const DIAGNOSTICS: bool> {
    groups: Vec<Group>,
    names: Vec<Name>,
    rules: Vec<Rule>,
    extensions: Vec<Extension>,
    diagnostics: Vec<Diagnostic>,
}

impl<const DIAGNOSTICS: bool> Sink for Builder<DIAGNOSTICS> {
    const DIAGNOSTICS: bool = DIAGNOSTICS;

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
    fn name(&mut self, record: &Record) {
        let (names, rules) = (count(&self.names), count(&self.rules));
        self.names.push(Name { line: record.line, value: record.value });
        match self.groups.last_mut() {
            Some(group) if group.rules.0 == group.rules.1 => group.names.1 += 1,
            _ => self.groups.push(Group { names: (names, names + 1), rules: (rules, rules) }),
        }
    }

    fn rule(&mut self, access: Access, record: &Record) {
        match self.groups.last_mut() {
            Some(group) => {
                group.rules.1 += 1;
                self.rules.push(Rule { access, line: record.line, pattern: record.value });
            }
            None if DIAGNOSTICS => self.diagnostics.push(Diagnostic {
                line: record.line,
                span: record.written_key,
                kind: DiagnosticKind::RuleBeforeGroup,
            }),
            None => {}
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

fn report_malformed_values(policy: &mut Policy<'_>) {
    let text = policy.text.octets();
    for extension in &policy.extensions {
        if extension.key != Key::Unknown && matches!(extension.read(text), Value::Text(_)) {
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
