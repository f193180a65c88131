//! One robots.txt.

use std::ops::Range;

use robomata_protocol::lifecycle::Applies;
use robomata_protocol::{Dialect, FetchOutcome, FetchStatus, Span};
use robomata_syntax::{AgentName, Config, Diagnostic, DiagnosticKind, Key, Text, agent_name};

use crate::extension::Extension;
use crate::fetch::outcome;

/// A site's robots.txt: groups of rules, extensions, and the outcome of the fetch.
#[derive(Clone, Debug)]
pub struct Policy<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) outcome: FetchOutcome,
    pub(crate) text: Text<'a>,
    pub(crate) groups: Vec<Group>,
    pub(crate) names: Vec<Name>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) extensions: Vec<Extension>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// One or more names and the rules that follow them (RFC 9309, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    pub(crate) names: (u32, u32),
    pub(crate) rules: (u32, u32),
}

/// A user-agent record of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The 1-based line of the record.
    pub line: u32,
    /// The record's whole value, as written.
    pub value: Span,
}

/// An allow or disallow record of a group (RFC 9309, section 2.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Whether it allows or disallows the URLs that it matches.
    pub access: robomata_protocol::Access,
    /// The 1-based line of the record.
    pub line: u32,
    /// The path pattern as written. May be empty.
    pub pattern: Span,
}

impl<'a> Policy<'a> {
    /// The policy of a successfully fetched `file`. Accepts any bytes, and does not collect diagnostics.
    pub fn new(file: &'a [u8], config: &Config) -> Self {
        crate::build::policy(Text::new(file, config), config)
    }

    /// Like [`Policy::new`], with the default configuration of the dialect.
    pub fn in_dialect(file: &'a [u8], dialect: Dialect) -> Self {
        Policy::new(file, &Config::new(dialect))
    }

    /// Like [`Policy::new`], with [`Policy::diagnostics`].
    pub fn with_diagnostics(file: &'a [u8], config: &Config) -> Self {
        crate::build::policy_with_diagnostics(Text::new(file, config), config)
    }

    /// The policy of a capture. `status` is the result of its fetch; the body is only read after a success (RFC 9309,
    /// 2.3.1; `crates/DIALECTS.md`, F1).
    pub fn fetched(file: &'a [u8], status: Option<FetchStatus>, config: &Config) -> Self {
        match outcome(status, config.dialect()) {
            FetchOutcome::Success => Policy::new(file, config),
            other => Policy { outcome: other, ..Policy::new(b"", config) },
        }
    }

    /// The policy of a standing ([`lifecycle::standing`](crate::lifecycle::standing)). `file` is the robots.txt whose
    /// rules apply; it is only read if rules apply.
    pub fn applying(applies: Applies, file: &'a [u8], config: &Config) -> Self {
        let outcome = match applies {
            Applies::Rules(_) => return Policy::new(file, config),
            Applies::Unrestricted => FetchOutcome::Unavailable,
            Applies::Restricted => config.dialect().semantics().restricted,
            Applies::Deferred => FetchOutcome::Deferred,
            Applies::Unknown => FetchOutcome::Redirected,
        };
        Policy { outcome, ..Policy::new(b"", config) }
    }

    /// The policy with a copy of its text.
    pub fn into_owned(self) -> Policy<'static> {
        Policy {
            dialect: self.dialect,
            outcome: self.outcome,
            text: self.text.into_owned(),
            groups: self.groups,
            names: self.names,
            rules: self.rules,
            extensions: self.extensions,
            diagnostics: self.diagnostics,
        }
    }

    /// The dialect of the policy.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The outcome of the fetch. The rules apply only after a success.
    pub fn outcome(&self) -> FetchOutcome {
        self.outcome
    }

    /// The bytes that spans refer to.
    pub fn text(&self) -> &[u8] {
        self.text.bytes()
    }

    /// The groups in file order, not merged.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The names of a group, in file order.
    pub fn names_of(&self, group: &Group) -> &[Name] {
        &self.names[range(group.names)]
    }

    /// The crawler that a name of a group names.
    pub fn agent_of(&self, name: &Name) -> AgentName<'_> {
        agent_name(name.value.of(self.text()), self.dialect)
    }

    /// The rules of a group, in file order.
    pub fn rules_of(&self, group: &Group) -> &[Rule] {
        &self.rules[range(group.rules)]
    }

    /// The records that are not rules, in file order.
    pub fn extensions(&self) -> &[Extension] {
        &self.extensions
    }

    /// Is the file something else than a robots.txt: does it say something, but no line is a group, a rule or a known field?
    /// Rules outside groups count only in a policy that was created by [`Policy::with_diagnostics`].
    pub fn is_not_robots(&self) -> bool {
        let has_void_rules =
            || self.diagnostics.iter().any(|diagnostic| diagnostic.kind == DiagnosticKind::RuleBeforeGroup);
        let has_records = !self.groups.is_empty()
            || self.extensions.iter().any(|field| field.key != Key::Unknown)
            || has_void_rules();
        let says_nothing =
            |line: &[u8]| line.trim_ascii().is_empty() || line.trim_ascii_start().starts_with(b"#");
        let mut lines = self.text().split(|byte| matches!(byte, b'\n' | b'\r'));
        !has_records && !lines.all(says_nothing)
    }

    /// Reads the file again, and returns the problems in it. `config` is the one with which the policy was read.
    pub fn diagnose(&self, config: &Config) -> Vec<Diagnostic> {
        crate::build::policy_with_diagnostics(self.text.borrowed(), config).diagnostics
    }

    /// The problems in the file, by line. Always empty unless the policy was created by [`Policy::with_diagnostics`].
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

pub(crate) fn range((start, end): (u32, u32)) -> Range<usize> {
    start as usize..end as usize
}
