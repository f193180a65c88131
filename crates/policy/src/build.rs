//! Builds groups from records.

use robomata_protocol::semantics::BlankLines;
use robomata_protocol::{Access, FetchOutcome, Span};
use robomata_syntax::{AcapOddity, Config, Diagnostic, DiagnosticKind, Key, Record, Sink, Text, read};

use crate::acap;
use crate::extension::{CleanParam, Extension, Value, is_of_group};
use crate::policy::{Group, Name, Policy, Rule};
use crate::{content_signal, content_usage};

/// A little less than the mean length of a rule's line in real files. The initial capacity for rules is based on it.
const BYTES_PER_RULE: usize = 32;

/// The limit of that capacity, so that a file of comments does not reserve memory for rules.
const MOST_RULES_FORESEEN: usize = 256;

pub(crate) fn policy<'a>(text: Text<'a>, config: &Config) -> Policy<'a> {
    build::<false>(text, config)
}

pub(crate) fn policy_with_diagnostics<'a>(text: Text<'a>, config: &Config) -> Policy<'a> {
    let mut policy = build::<true>(text, config);
    report_extensions(&mut policy);
    acap::report(&mut policy);
    policy.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    policy
}

fn build<'a, const DIAGNOSTICS: bool>(text: Text<'a>, config: &Config) -> Policy<'a> {
    let mut builder = Builder::<DIAGNOSTICS>::new(text.bytes(), config.dialect().semantics().blank_lines);
    read(&text, config, &mut builder);
    builder.end_of_file();
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

/// Collects groups from the records.
struct Builder<'t, const DIAGNOSTICS: bool> {
    position: Position,
    blank_lines: BlankLines,
    /// Whether a line says to ignore the conventional records (ACAP 1.0 part 1, 2.9.1). It may come after them, and counts
    /// only in a file with an ACAP record.
    ignores_conventional: bool,
    has_acap_record: bool,
    text: &'t [u8],
    /// All groups except the last one are closed: each one's ranges end where the next one's begin.
    groups: Vec<Group>,
    names: Vec<Name>,
    /// The first name of the run of user-agent records that a field of groups in the next record would apply to (V1).
    run: u32,
    /// Whether the next user-agent record begins a new run. A record of a group ends the run, even if it does not end
    /// the group.
    is_run_ended: bool,
    rules: Vec<Rule>,
    extensions: Vec<Extension>,
    diagnostics: Vec<Diagnostic>,
}

/// The position of the next record in the file. Only a rule ends a group's list of names (RFC 9309, 2.2.4): after it,
/// the next user-agent record begins another group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    /// Before the first group, or after a blank line that ended one.
    OutsideGroups,
    /// After an ACAP-crawler field, in the dialect that reads it: no group continues there, and only a user-agent
    /// record begins one (`crates/PERMISSIONS.md`, A4).
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

    #[inline]
    fn blank_line(&mut self) {
        if self.blank_lines == BlankLines::EndRecords {
            self.end_record();
        }
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

impl<'t, const DIAGNOSTICS: bool> Builder<'t, DIAGNOSTICS> {
    fn new(text: &'t [u8], blank_lines: BlankLines) -> Self {
        Builder {
            position: Position::OutsideGroups,
            blank_lines,
            ignores_conventional: false,
            has_acap_record: false,
            text,
            groups: Vec::new(),
            names: Vec::new(),
            run: 0,
            is_run_ended: false,
            rules: Vec::new(),
            extensions: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    #[inline]
    fn name(&mut self, record: &Record) {
        if self.position != Position::AmongNames {
            self.open_group(record);
        }
        if self.is_run_ended {
            self.run = count(&self.names);
            self.is_run_ended = false;
        }
        self.names.push(Name { line: record.line, value: record.value });
    }

    fn open_group(&mut self, record: &Record) {
        if DIAGNOSTICS && self.blank_lines == BlankLines::EndRecords && self.position == Position::AmongRules
        {
            self.report(record, DiagnosticKind::RecordNotSeparated);
        }
        if self.position == Position::OutsideGroups {
            // The capacity for rules is estimated from the bytes left.
            let rest = self.text.len() - record.value.range().end;
            self.rules.reserve((rest / BYTES_PER_RULE).min(MOST_RULES_FORESEEN));
        }
        self.close_group();
        let (names, rules) = (count(&self.names), count(&self.rules));
        self.groups.push(Group { names: (names, names), rules: (rules, rules) });
        self.is_run_ended = true;
        self.position = Position::AmongNames;
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
        if self.position >= Position::AmongNames {
            self.position = Position::AmongRules;
            self.rules.push(Rule { access, line: record.line, pattern: record.value });
        } else {
            self.report_void(record);
        }
    }

    /// Records of groups are not allowed at this position.
    fn report_void(&mut self, record: &Record) {
        if DIAGNOSTICS {
            let kind = match self.position {
                Position::InAcapRecords => DiagnosticKind::Acap(AcapOddity::ConventionalInRecord),
                _ if self.groups.is_empty() => DiagnosticKind::RuleBeforeGroup,
                _ => DiagnosticKind::RuleOutsideRecord,
            };
            self.report(record, kind);
        }
    }

    fn report(&mut self, record: &Record, kind: DiagnosticKind) {
        self.diagnostics.push(Diagnostic { line: record.line, span: record.written_key, kind });
    }

    /// Ends the group, so that a following rule belongs to no group. Names without rules keep a group of their own,
    /// which the choice of groups skips. This is a separate function because most dialects do not need it.
    #[cold]
    fn end_record(&mut self) {
        if DIAGNOSTICS
            && self.position == Position::AmongNames
            && let Some(name) = self.names.last()
        {
            let kind = DiagnosticKind::RecordWithoutRules;
            self.diagnostics.push(Diagnostic { line: name.line, span: name.value, kind });
        }
        self.position = Position::OutsideGroups;
    }

    /// The end of the file ends a group, like a blank line.
    fn end_of_file(&mut self) {
        self.blank_line();
        self.close_group();
        if self.ignores_conventional && self.has_acap_record {
            self.groups.clear();
            for extension in &mut self.extensions {
                (extension.group, extension.names) = (None, (0, 0));
            }
        }
    }

    fn extension(&mut self, record: &Record) {
        if record.key == Key::Acap {
            return self.acap_field(record);
        }
        if self.position == Position::InAcapRecords && is_of_group(record.key) {
            return self.report_void(record);
        }
        let group = match self.position {
            Position::OutsideGroups | Position::InAcapRecords => None,
            Position::AmongNames | Position::AmongRules => self.groups.len().checked_sub(1),
        };
        self.is_run_ended |= is_of_group(record.key);
        self.keep(record, group);
    }

    /// A field of ACAP belongs to no group. An ACAP-crawler field ends the group before it.
    fn acap_field(&mut self, record: &Record) {
        let key = record.written_key.of(self.text);
        if acap::begins_records(key) {
            self.position = Position::InAcapRecords;
            self.has_acap_record |= acap::names_crawler(record.value.of(self.text));
        } else {
            self.ignores_conventional |= acap::ignores_conventional(key);
        }
        self.keep(record, None);
    }

    fn keep(&mut self, record: &Record, group: Option<usize>) {
        self.extensions.push(Extension {
            line: record.line,
            key: record.key,
            written_key: record.written_key,
            value: record.value,
            group,
            names: if group.is_some() { (self.run, count(&self.names)) } else { (0, 0) },
        });
    }
}

/// The problems in the values of records that are not rules, with their positions.
fn report_extensions(policy: &mut Policy<'_>) {
    let mut found = Vec::new();
    for record in &policy.extensions {
        let mut report = |span, kind| found.push(Diagnostic { line: record.line, span, kind });
        if record.is_of_group() && record.group.is_none() {
            report(record.written_key, DiagnosticKind::RecordBeforeGroup(record.key));
        }
        report_value(record, policy.text.bytes(), &mut report);
    }
    let text = policy.text.bytes();
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
        _ if matches!(record.key, Key::Unknown | Key::Acap) || record.key.is_silent() => {}
        Value::Text(value)
            if record.key == Key::ContentUsage && content_usage::record_lacks_commas(value) =>
        {
            report(record.value, DiagnosticKind::MissingComma(record.key));
        }
        Value::Text(_) => report(record.value, DiagnosticKind::MalformedValue(record.key)),
        Value::ContentSignal(_) => {
            for item in content_signal::items(record.value.of(text), record.line) {
                match item {
                    Err(Span { start, end }) => {
                        let span = Span::new(record.value.start + start, record.value.start + end);
                        report(span, DiagnosticKind::MalformedItem(record.key));
                    }
                    Ok(item) if item.is_of_usage() => {
                        report(record.value, DiagnosticKind::LabelOfOtherKey(Key::ContentUsage));
                    }
                    Ok(_) => {}
                }
            }
        }
        Value::ContentUsage(content_usage::ContentUsage { items, .. }) => {
            for item in items {
                if item.usage().is_some() && item.preference == content_usage::Preference::Unknown {
                    report(record.value, DiagnosticKind::UnknownPreference(record.key));
                } else if item.is_of_signal() {
                    report(record.value, DiagnosticKind::LabelOfOtherKey(Key::ContentSignal));
                }
            }
        }
        Value::Pattern(pattern) => report_pattern(pattern, record.value, report),
        Value::CleanParam(CleanParam { path: Some(pattern), .. }) => {
            report_pattern(pattern, record.value, report);
        }
        _ => {}
    }
}

/// A pattern that matches no path, because no path begins like it (`crates/DIALECTS.md`, P2).
fn report_pattern(pattern: &[u8], span: Span, report: &mut impl FnMut(Span, DiagnosticKind)) {
    match pattern.first() {
        None | Some(b'/' | b'*') => {}
        Some(_) if pattern.windows(3).any(|bytes| bytes == b"://") => {
            report(span, DiagnosticKind::AbsoluteUrlPattern);
        }
        Some(_) => report(span, DiagnosticKind::PatternWithoutSlash),
    }
}

/// A file has fewer items than bytes, and those are counted in 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "texts are cut at limits::MAX_PARSING_LIMIT")]
fn count<T>(items: &[T]) -> u32 {
    items.len() as u32
}
