//! What the current fields of a robots.txt state about usages, compiled for one crawler (`crates/PERMISSIONS.md`, V,
//! M).
//!
//! All patterns here compare the normal form of RFC 9309, so they share one walk. That includes the conventional rules,
//! if ACAP needs to know which of them match.

use robomata_automaton::{NormalForm, PatternSet, Scope, Scratch, Specificity, readings};
use robomata_permissions::scope_of;
use robomata_policy::{Choice, ContentUsage, Noindex, Policy, Preference, Says, SignalValue};
use robomata_protocol::{Access, Crawler, PermissionReason, Place, Qualifier, Source, Usage, Vocabulary};

use super::decide::{Candidate, Level, Member, Members, Qualifiers, TextOrder};

/// The vocabularies of one robots.txt for one crawler.
#[derive(Debug)]
pub(crate) struct Vocabularies {
    set: PatternSet,
    /// By index of the pattern in the set.
    entries: Vec<Entry>,
    /// Usages in Content-Signal records.
    signals: Vec<(Usage, Says<()>, u32)>,
}

/// The record that a pattern of the set belongs to.
#[derive(Debug)]
enum Entry {
    /// A conventional rule, from the crawler's own groups or from those for any crawler.
    Rule(Rule),
    Noindex {
        line: u32,
        specificity: Specificity,
    },
    /// A Content-Usage record with its statements about each usage.
    Usages {
        line: u32,
        specificity: Specificity,
        says: Vec<(Usage, Says<()>)>,
    },
}

/// A conventional rule of the robots.txt or of a file it refers to.
#[derive(Clone, Debug)]
struct Rule {
    access: Access,
    source: Source,
    order: TextOrder,
    /// It is from one of the crawler's own groups.
    named: bool,
    specificity: Specificity,
    scope: Box<[u8]>,
}

/// The text that conventional rules come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RulesOf<'p> {
    pub(crate) policy: &'p Policy<'p>,
    /// The index of the referenced file among the supplied files, and its index in reading order; `None` for the
    /// robots.txt.
    pub(crate) file: Option<(u32, u32)>,
}

impl RulesOf<'_> {
    fn source(self, line: u32) -> (Source, TextOrder) {
        let (place, order) = match self.file {
            None => (Place::RobotsTxt, TextOrder::in_robots_txt(line)),
            Some((file, number)) => (Place::Referenced(file), TextOrder::in_file(number, line)),
        };
        (Source { vocabulary: Vocabulary::Robots, place, line }, order)
    }
}

/// The patterns of the set that match a URL.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    numbers: Vec<u32>,
}

impl Vocabularies {
    /// Compiles the vocabularies of `policy`, and `rules`: the rules that ACAP's fields are compared with one by one
    /// (A17).
    pub(crate) fn new(policy: &Policy<'_>, crawler: &Crawler, rules: &[RulesOf<'_>]) -> Self {
        let mut patterns: Vec<Vec<u8>> = Vec::new();
        let mut entries = Vec::new();
        let mut push = |pattern: &[u8], entry: &dyn Fn(Specificity) -> Entry| {
            for reading in readings(pattern) {
                entries.push(entry(specificity(&reading)));
                patterns.push(reading);
            }
        };
        for &of in rules {
            let rules = of.policy.rules_for(crawler);
            let named = matches!(rules.choice(), Choice::Own(_));
            for rule in rules.rules() {
                let pattern = rule.pattern.of(of.policy.text());
                let (access, (source, order)) = (rule.access, of.source(rule.line));
                push(pattern, &|specificity| {
                    let scope = scope_of(pattern);
                    Entry::Rule(Rule { access, source, order, named, specificity, scope })
                });
            }
        }
        for Noindex { pattern, line } in policy.noindex(crawler) {
            push(pattern, &|specificity| Entry::Noindex { line, specificity });
        }
        for record in policy.content_usage(crawler) {
            let says = says_of(&record);
            let ContentUsage { pattern, line, .. } = record;
            // The empty pattern matches the whole site, and is less specific than `/`.
            let is_empty = pattern.is_empty();
            push(if is_empty { b"/" } else { pattern }, &|own| {
                let specificity = if is_empty { specificity(b"") } else { own };
                Entry::Usages { line, specificity, says: says.clone() }
            });
        }
        let patterns: Vec<&[u8]> = patterns.iter().map(Vec::as_slice).collect();
        let signals = policy.content_signal(crawler);
        let signals = signals.items.iter().filter_map(|item| {
            let says = match item.value {
                SignalValue::Yes => Says::Permitted(()),
                SignalValue::No => Says::Prohibited(PermissionReason::Explicit),
            };
            Some((item.usage()?, says, item.line))
        });
        Vocabularies {
            set: PatternSet::compile(&patterns, NormalForm::Rfc9309),
            entries,
            signals: signals.collect(),
        }
    }

    /// The patterns that match `text`, a target in the normal form of RFC 9309.
    pub(crate) fn matching(&self, text: &[u8], scratch: &mut Scratch) -> Matching {
        let mut numbers = Vec::new();
        if !self.entries.is_empty() {
            self.set.as_ref().each_match(text, scratch, |number| numbers.push(number));
        }
        // In text order within each kind.
        numbers.sort_unstable();
        Matching { numbers }
    }

    fn entries<'s>(&'s self, matching: &'s Matching) -> impl Iterator<Item = &'s Entry> {
        matching.numbers.iter().map(|&number| &self.entries[number as usize])
    }

    fn rules<'s>(&'s self, matching: &'s Matching) -> impl Iterator<Item = &'s Rule> {
        self.entries(matching).filter_map(|entry| match entry {
            Entry::Rule(rule) => Some(rule),
            _ => None,
        })
    }

    /// The conventional rules that match, as fields about crawl.
    pub(crate) fn candidates<'s>(&'s self, matching: &'s Matching) -> impl Iterator<Item = Candidate<'s>> {
        self.rules(matching).map(|rule| {
            let Rule { source, order, named, .. } = *rule;
            let says = match rule.access {
                Access::Allow => Says::Permitted(()),
                Access::Disallow => Says::Prohibited(PermissionReason::Explicit),
            };
            Candidate {
                level: Level { explicit: true, on_page: false, purpose: false, named, depth: 0 },
                exact: true,
                says,
                scope: Some(Scope::from_bytes(&rule.scope)),
                members: Members::One(Member { source, order, qualifiers: Qualifiers::OfPage(&[]) }),
            }
        })
    }

    /// The conventional rule that decides on its own (R1, R2), if the rules come from several files.
    pub(crate) fn deciding_rule(&self, matching: &Matching) -> Option<(Access, Source)> {
        let best = |rule: &&Rule| (rule.specificity, rule.access, std::cmp::Reverse(rule.order));
        self.rules(matching).max_by_key(best).map(|rule| (rule.access, rule.source))
    }

    /// The statement of each vocabulary about `usage`, in the order of [`Vocabulary`].
    pub(crate) fn about(&self, matching: &Matching, usage: Usage) -> Vec<(Says<Vec<Qualifier>>, Source)> {
        let noindex = if usage == Usage::Index { self.noindex(matching) } else { None };
        let prohibited = Says::Prohibited(PermissionReason::Explicit);
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

    /// The line of the deciding noindex record (V8).
    fn noindex(&self, matching: &Matching) -> Option<u32> {
        let records = self.entries(matching).filter_map(|entry| match entry {
            Entry::Noindex { line, specificity } => Some((*specificity, *line)),
            _ => None,
        });
        records.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, line)| line)
    }

    /// The statement of the most specific Content-Usage records about `usage` (V3): among equally specific ones, the
    /// most restrictive.
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
            Preference::No => Says::Prohibited(PermissionReason::Explicit),
            Preference::Unknown => return None,
        };
        Some((item.usage()?, says))
    });
    said.collect()
}
