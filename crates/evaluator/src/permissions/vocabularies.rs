//! What today's fields of a robots.txt say about usages, compiled for one crawler (`crates/PERMISSIONS.md`, V, M).
//!
//! All patterns here compare the normal form of RFC 9309, so they share one walk, with the conventional rules where ACAP
//! needs to know which of those match.

use robomata_automaton::{NormalForm, PatternSet, Scope, Scratch, Specificity};
use robomata_policy::{Choice, ContentUsage, Noindex, Policy, Preference, Says, SignalValue};
use robomata_protocol::{Access, Crawler, PermissionReason, Place, Qualifier, Source, Usage, Vocabulary};

use super::acap::scope_of;
use super::decide::{Candidate, Level, Member, Members, Qualifiers, TextOrder};

/// The vocabularies of one robots.txt for one crawler.
#[derive(Debug)]
pub(crate) struct Vocabularies {
    set: PatternSet,
    /// By number of a pattern of the set.
    entries: Vec<Entry>,
    /// Usages of which a Content-Signal speaks.
    signals: Vec<(Usage, Says<()>, u32)>,
}

/// What a pattern of the set is about.
#[derive(Debug)]
enum Entry {
    /// A conventional rule, of the crawler's own groups or of those for any.
    Rule {
        access: Access,
        line: u32,
        named: bool,
        scope: Box<[u8]>,
    },
    Noindex {
        line: u32,
        specificity: Specificity,
    },
    /// A Content-Usage record, with what it says of each usage.
    Usages {
        line: u32,
        specificity: Specificity,
        says: Vec<(Usage, Says<()>)>,
    },
}

/// What the set's patterns that match a URL are about.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    numbers: Vec<u32>,
}

/// Are conventional rules asked for one by one?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// Each that matches: ACAP's fields are compared with them (A17).
    Each,
    /// No: a program of their own decides.
    Apart,
}

impl Vocabularies {
    pub(crate) fn new(policy: &Policy<'_>, crawler: &Crawler, rules: Rules) -> Self {
        let mut patterns: Vec<Vec<u8>> = Vec::new();
        let mut entries = Vec::new();
        if rules == Rules::Each {
            let rules = policy.rules_for(crawler);
            let named = matches!(rules.choice(), Choice::Own(_));
            for rule in rules.rules() {
                let pattern = rule.pattern.of(policy.text());
                let (access, line) = (rule.access, rule.line);
                entries.push(Entry::Rule { access, line, named, scope: scope_of(pattern) });
                patterns.push(pattern.to_vec());
            }
        }
        for Noindex { pattern, line } in policy.noindex(crawler) {
            entries.push(Entry::Noindex { line, specificity: specificity(pattern) });
            patterns.push(pattern.to_vec());
        }
        for record in policy.content_usage(crawler) {
            let says = says_of(&record);
            let ContentUsage { pattern, line, .. } = record;
            entries.push(Entry::Usages { line, specificity: specificity(pattern), says });
            // The empty pattern is the whole site.
            patterns.push(if pattern.is_empty() { b"/".to_vec() } else { pattern.to_vec() });
        }
        let patterns: Vec<&[u8]> = patterns.iter().map(Vec::as_slice).collect();
        let signals = policy.content_signal(crawler);
        let signals = signals.items.iter().filter_map(|item| {
            let says = match item.value {
                SignalValue::Yes => Says::Permitted(()),
                SignalValue::No => Says::Prohibited(PermissionReason::Said),
            };
            Some((item.usage()?, says, item.line))
        });
        Vocabularies {
            set: PatternSet::compile(&patterns, NormalForm::Rfc9309),
            entries,
            signals: signals.collect(),
        }
    }

    /// What matches `text`, a target in the normal form of RFC 9309.
    pub(crate) fn matching(&self, text: &[u8], scratch: &mut Scratch) -> Matching {
        let mut numbers = Vec::new();
        if !self.entries.is_empty() {
            self.set.as_ref().each_match(text, scratch, |number| numbers.push(number));
        }
        // In the order of the text, of each kind.
        numbers.sort_unstable();
        Matching { numbers }
    }

    fn entries<'s>(&'s self, matching: &'s Matching) -> impl Iterator<Item = &'s Entry> {
        matching.numbers.iter().map(|&number| &self.entries[number as usize])
    }

    /// The conventional rules that match, as fields about crawl.
    pub(crate) fn candidates<'s>(&'s self, matching: &Matching, out: &mut Vec<Candidate<'s>>) {
        for &number in &matching.numbers {
            let Entry::Rule { access, line, named, scope } = &self.entries[number as usize] else { continue };
            let says = match access {
                Access::Allow => Says::Permitted(()),
                Access::Disallow => Says::Prohibited(PermissionReason::Said),
            };
            let level = Level { explicit: true, purpose: false, exact: true, named: *named, place: 0 };
            let source = source(Vocabulary::Robots, *line);
            let order = TextOrder::in_robots_txt(*line);
            out.push(Candidate {
                level,
                says,
                scope: Some(Scope::from_octets(scope)),
                members: Members::One(Member { source, order, qualifiers: Qualifiers::OfPage(&[]) }),
            });
        }
    }

    /// What each vocabulary says about `usage`, in the order of [`Vocabulary`].
    pub(crate) fn about(&self, matching: &Matching, usage: Usage) -> Vec<(Says<Vec<Qualifier>>, Source)> {
        let noindex = if usage == Usage::Index { self.noindex(matching) } else { None };
        let prohibited = Says::Prohibited(PermissionReason::Said);
        let noindex = noindex.map(|line| (prohibited, source(Vocabulary::Noindex, line)));
        let signal = self.signals.iter().find(|signal| signal.0 == usage);
        let signal = signal.map(|&(_, says, line)| (says, source(Vocabulary::ContentSignal, line)));
        let content_usage = self.content_usage(matching, usage);
        let content_usage = content_usage.map(|(says, line)| (says, source(Vocabulary::ContentUsage, line)));
        [noindex, signal, content_usage]
            .into_iter()
            .flatten()
            .map(|(says, source)| (owned(says), source))
            .collect()
    }

    /// The line of the noindex record that decides (V8).
    fn noindex(&self, matching: &Matching) -> Option<u32> {
        let records = self.entries(matching).filter_map(|entry| match entry {
            Entry::Noindex { line, specificity } => Some((*specificity, *line)),
            _ => None,
        });
        records.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, line)| line)
    }

    /// What the most specific Content-Usage records say about `usage` (V3): of equal ones the most restrictive.
    fn content_usage(&self, matching: &Matching, usage: Usage) -> Option<(Says<()>, u32)> {
        let records = || {
            self.entries(matching).filter_map(|entry| match entry {
                Entry::Usages { line, specificity, says } => Some((*specificity, *line, says)),
                _ => None,
            })
        };
        let most = records().map(|(specificity, ..)| specificity).max()?;
        let said: Vec<(Says<()>, u32)> = records()
            .filter(|(specificity, ..)| *specificity == most)
            .filter_map(|(_, line, says)| {
                let says = says.iter().find(|(about, _)| *about == usage)?.1;
                Some((says, line))
            })
            .collect();
        let prohibition = said.iter().find(|(says, _)| matches!(says, Says::Prohibited(_)));
        prohibition.or(said.first()).copied()
    }
}

fn owned(says: Says<()>) -> Says<Vec<Qualifier>> {
    match says {
        Says::Permitted(()) => Says::Permitted(Vec::new()),
        Says::Prohibited(reason) => Says::Prohibited(reason),
    }
}

fn specificity(pattern: &[u8]) -> Specificity {
    Specificity::of(pattern, NormalForm::Rfc9309)
}

fn source(vocabulary: Vocabulary, line: u32) -> Source {
    Source { vocabulary, place: Place::RobotsTxt, line }
}

fn says_of(record: &ContentUsage<'_>) -> Vec<(Usage, Says<()>)> {
    let said = record.items.iter().filter_map(|item| {
        let says = match item.preference {
            Preference::Yes => Says::Permitted(()),
            Preference::No => Says::Prohibited(PermissionReason::Said),
            Preference::Unknown => return None,
        };
        Some((item.usage()?, says))
    });
    said.collect()
}
