//! The statements of a program that match a target, and what they say about a usage.

use robomata_automaton::Level;
use robomata_protocol::{Access, ConflictRule, Moment, Reason, Usage, Verdict, Vocabulary};

use crate::acap::relation;
use crate::compile::{in_content_usage, is_training};
use crate::conditions::DAY;
use crate::decide::{Candidate, Levels, Observer, Prohibits, StatementId, Winner, access, decide};
use crate::tables::{FieldPattern, Group, Rule, RuleKind, Tables};

/// The patterns of a program that match a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matches {
    /// Numbers in the rule set, ascending.
    pub(crate) rules: Vec<u32>,
    /// Numbers in the field set.
    pub(crate) fields: Vec<u32>,
    /// The resource sets with one of these fields' patterns, each once, ascending.
    pub(crate) sets: Vec<u32>,
    /// The target in lower case.
    pub(crate) folded: Vec<u8>,
}

/// The statements of ACAP about a usage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// About the usage itself, or about `present` for a derived usage.
    pub(crate) explicit: Vec<Candidate>,
    /// About the usage as one of the others (A18).
    pub(crate) others: Vec<Candidate>,
    /// Of each resource set that matches, the candidates that can decide: see [`Candidates::push_set`].
    of_sets: Vec<Candidate>,
    /// Where those of each set end.
    set_ends: Vec<usize>,
    /// What the fields about crawl itself say: scopes, and whether they prohibit. Only if there are rules, too.
    said: Vec<(u32, bool)>,
    /// Of each resource set that matches: whether a field about crawl permits, and whether one prohibits.
    said_of_sets: Vec<[bool; 2]>,
}

impl Candidates {
    pub(crate) fn clear(&mut self) {
        self.explicit.clear();
        self.others.clear();
        self.of_sets.clear();
        self.set_ends.clear();
    }

    pub(crate) fn push(&mut self, candidate: Candidate) {
        let list = if candidate.level.has(Level::EXPLICIT) { &mut self.explicit } else { &mut self.others };
        list.push(candidate);
    }

    /// Adds the groups on a resource set. Those that no other group on it overrules by its level can decide, by the scope
    /// of each pattern of the set that matches. The others lose, so each of them counts once: a file can have thousands of
    /// patterns in a set, and dozens of groups on it.
    fn push_set(&mut self, groups: impl Iterator<Item = Candidate>) {
        let start = self.of_sets.len();
        self.of_sets.extend(groups);
        let is_explicit = |candidate: &Candidate| candidate.level.has(Level::EXPLICIT);
        let of_set = &self.of_sets[start..];
        let levels = [false, true]
            .map(|explicit| Levels::of(of_set.iter().filter(|candidate| is_explicit(candidate) == explicit)));
        let mut end = start;
        for index in start..self.of_sets.len() {
            let candidate = self.of_sets[index];
            if levels[usize::from(is_explicit(&candidate))].loses_by(&candidate).is_none() {
                self.of_sets[end] = candidate;
                end += 1;
            } else {
                self.push(candidate);
            }
        }
        self.of_sets.truncate(end);
        self.set_ends.push(end);
    }

    /// Adds the candidates of a resource set, by its index among those that match, for a pattern with this scope.
    fn push_pattern_of_set(&mut self, index: usize, scope: u32) {
        let start = index.checked_sub(1).map_or(0, |before| self.set_ends[before]);
        for at in start..self.set_ends[index] {
            self.push(Candidate { scope, ..self.of_sets[at] });
        }
    }
}

/// The statements of a program that match a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matching<'p, 'm> {
    pub(crate) tables: Tables<'p>,
    pub(crate) matches: &'m Matches,
    pub(crate) now: Option<Moment>,
}

impl Matching<'_, '_> {
    /// The verdict about crawl (A17, A18), for which there are these candidates.
    pub(crate) fn crawl(&self, candidates: &mut Candidates) -> Verdict {
        let decided = self.crawl_by(candidates, &mut Winner);
        decided.unwrap_or_else(|rule| {
            rule.map_or(Verdict::NO_RULE, |rule| by_line(rule.meaning.prohibits(), rule.line))
        })
    }

    /// Whether crawl is prohibited.
    pub(crate) fn prohibits_crawl(&self, candidates: &mut Candidates) -> bool {
        let decided = self.crawl_by(candidates, &mut Prohibits);
        decided.unwrap_or_else(|rule| rule.is_some_and(|rule| rule.meaning.prohibits()))
    }

    /// The decision about crawl. Without candidates, the conventional rule that decides, if there is one.
    fn crawl_by<O: Observer>(
        &self,
        candidates: &mut Candidates,
        observer: &mut O,
    ) -> Result<O::Decision, Option<Rule>> {
        if !candidates.explicit.is_empty() {
            self.find_rules(candidates, observer);
        } else if let Some((_, rule)) = self.deciding_rule() {
            return Err(Some(rule));
        }
        let decided = self.decide(&mut candidates.explicit, observer);
        decided.or_else(|| self.decide(&mut candidates.others, observer)).ok_or(None)
    }

    /// The verdict about crawl (which is `crawl`) and `usage` together (R4), for which there are these candidates.
    /// `tdmrep` is what the site's tdmrep.json says.
    pub(crate) fn together(
        &self,
        crawl: Verdict,
        usage: Usage,
        tdmrep: Option<Access>,
        candidates: &mut Candidates,
    ) -> Verdict {
        let mut verdict = self.decide(&mut candidates.explicit, &mut Winner);
        let vocabularies = self.vocabularies(usage, crawl.access == Access::Allow).into_iter().flatten();
        let of_lines = vocabularies.map(|(_, prohibits, line)| by_line(prohibits, line));
        let of_file = tdmrep.filter(|_| usage == Usage::Tdm).map(Verdict::by_tdmrep);
        for said in of_lines.chain(of_file) {
            // The most restrictive one decides, and of those the first (R2).
            if verdict.is_none_or(|best| said.access < best.access) {
                verdict = Some(said);
            }
        }
        let verdict = verdict.or_else(|| self.decide(&mut candidates.others, &mut Winner));
        match verdict {
            Some(verdict) if verdict.access == Access::Disallow || crawl.access == Access::Allow => verdict,
            _ => crawl,
        }
    }

    /// Decides among `candidates`; `None` when there are none.
    pub(crate) fn decide<O: Observer>(
        &self,
        candidates: &mut Vec<Candidate>,
        observer: &mut O,
    ) -> Option<O::Decision> {
        decide(candidates, &self.tables, observer)
    }

    /// Finds the fields with a statement about each of `usages`.
    pub(crate) fn find(&self, usages: &[Usage], candidates: &mut [Candidates]) {
        candidates.iter_mut().for_each(Candidates::clear);
        for (&usage, candidates) in usages.iter().zip(&mut *candidates) {
            for &set in &self.matches.sets {
                let groups = self.tables.groups_on(set);
                // Each pattern has its own scope.
                candidates.push_set(groups.filter_map(|group| self.candidate(group, usage, 0)));
            }
        }
        for &pattern in &self.matches.fields {
            let FieldPattern { scope, groups, sets } = self.tables.pattern(pattern);
            for group in groups {
                for (&usage, candidates) in usages.iter().zip(&mut *candidates) {
                    if let Some(candidate) = self.candidate(group, usage, scope) {
                        candidates.push(candidate);
                    }
                }
            }
            for index in sets.filter_map(|set| self.matches.sets.binary_search(&set).ok()) {
                for (_, candidates) in usages.iter().zip(&mut *candidates) {
                    candidates.push_pattern_of_set(index, scope);
                }
            }
        }
    }

    /// A group of fields, as a statement about `usage` by a pattern with this scope.
    #[inline]
    fn candidate(&self, number: u32, usage: Usage, scope: u32) -> Option<Candidate> {
        let Group { meaning, line, end } = self.tables.group(number);
        let (is_explicit, is_exact) = relation(meaning.usage(), usage)?;
        let is_over = |Moment(now): Moment| now >= i64::from(end) * DAY;
        Some(Candidate {
            level: Level::default()
                .with(Level::EXPLICIT, is_explicit)
                .with(Level::FOR_PURPOSE, meaning.is_for_purpose())
                .with(Level::NAMED, meaning.is_named()),
            scope,
            statement: StatementId::Group(number),
            line,
            prohibits: meaning.prohibits(),
            is_exact,
            has_ended: end > 0 && self.now.is_some_and(is_over),
            is_wider: false,
        })
    }

    /// The conventional rules that match, as fields about crawl.
    pub(crate) fn rules(&self) -> impl Iterator<Item = Candidate> {
        self.rules_of(RuleKind::Conventional).map(|(number, rule)| Candidate {
            level: Level::EXPLICIT.with(Level::NAMED, rule.meaning.is_named()),
            scope: rule.scope,
            statement: StatementId::Rule(number),
            line: rule.line,
            prohibits: rule.meaning.prohibits(),
            is_exact: true,
            has_ended: false,
            is_wider: false,
        })
    }

    /// Adds the conventional rules that match, as fields about crawl. Those that a field of a file contradicts on the
    /// same scope lose, whatever the field's level (A17). Both lists can be as long as a file.
    pub(crate) fn find_rules<O: Observer>(&self, candidates: &mut Candidates, observer: &mut O) {
        if self.deciding_rule().is_none() {
            return;
        }
        self.find_said(candidates);
        let Candidates { explicit, said, .. } = candidates;
        for rule in self.rules() {
            match said.binary_search(&(rule.scope, !rule.prohibits)) {
                Ok(_) => observer.lost(&rule, ConflictRule::AcapOverConventional),
                Err(_) => explicit.push(rule),
            }
        }
    }

    /// Finds what the fields about crawl itself say, sorted.
    fn find_said(&self, Candidates { said, said_of_sets, .. }: &mut Candidates) {
        said.clear();
        said_of_sets.clear();
        let prohibits = |group: u32| {
            let meaning = self.tables.group(group).meaning;
            (meaning.usage() == Usage::Crawl).then(|| meaning.prohibits())
        };
        // The groups on a set say at most two things, however many there are.
        let of_set = |set: u32| {
            let mut says = [false; 2];
            let groups = self.tables.groups_on(set).filter_map(prohibits);
            groups.for_each(|prohibits| says[usize::from(prohibits)] = true);
            says
        };
        said_of_sets.extend(self.matches.sets.iter().map(|&set| of_set(set)));
        for &pattern in &self.matches.fields {
            let FieldPattern { scope, groups, sets } = self.tables.pattern(pattern);
            said.extend(groups.filter_map(prohibits).map(|prohibits| (scope, prohibits)));
            for index in sets.filter_map(|set| self.matches.sets.binary_search(&set).ok()) {
                let says = [false, true].into_iter().zip(said_of_sets[index]).filter(|(_, is_said)| *is_said);
                said.extend(says.map(|(prohibits, _)| (scope, prohibits)));
            }
        }
        said.sort_unstable();
    }

    /// The conventional rule that decides on its own (R1, R2), and its number.
    pub(crate) fn deciding_rule(&self) -> Option<(u32, Rule)> {
        self.rules_of(RuleKind::Conventional).next()
    }

    /// What the vocabularies of the robots.txt other than ACAP say about `usage`, in the order of [`Vocabulary`]: whether
    /// it is prohibited, and the line.
    pub(crate) fn vocabularies(&self, usage: Usage, may_crawl: bool) -> [Option<(Vocabulary, bool, u32)>; 4] {
        let noindex = (usage == Usage::Index).then(|| self.rules_of(RuleKind::Noindex).next()).flatten();
        let training = is_training(usage).then(|| self.rules_of(RuleKind::AiControl).next()).flatten();
        let signal = self.tables.signal(usage);
        // In a robots.txt, it applies only to what may be crawled (V4).
        let content_usage = if may_crawl { self.content_usage(in_content_usage(usage)) } else { None };
        [
            noindex.map(|(_, rule)| (Vocabulary::Noindex, true, rule.line)),
            training.map(|(_, rule)| (Vocabulary::AiControl, rule.meaning.prohibits(), rule.line)),
            signal.map(|(prohibits, line)| (Vocabulary::ContentSignal, prohibits, line)),
            content_usage.map(|rule| (Vocabulary::ContentUsage, rule.meaning.prohibits(), rule.line)),
        ]
    }

    /// The number of the deciding rule of tdmrep.json (T2), even if it says nothing (T1).
    pub(crate) fn tdm_rule(&self) -> Option<u32> {
        self.rules_of(RuleKind::TdmRep).next().map(|(_, rule)| rule.line)
    }

    /// What the deciding rule of tdmrep.json says.
    pub(crate) fn tdmrep(&self) -> Option<Access> {
        let (_, rule) = self.rules_of(RuleKind::TdmRep).next()?;
        (!rule.meaning.is_silent()).then(|| access(rule.meaning.prohibits()))
    }

    /// The statement of the most specific Content-Usage records about `usage` (V3).
    fn content_usage(&self, usage: Usage) -> Option<Rule> {
        let mut records = self.rules_of(RuleKind::ContentUsage).map(|(_, rule)| rule);
        records.find(|rule| rule.meaning.usage() == usage).filter(|rule| !rule.meaning.is_silent())
    }

    /// The matching rules of a kind, the deciding one first. Rules are numbered by kind.
    fn rules_of(&self, kind: RuleKind) -> impl Iterator<Item = (u32, Rule)> {
        let rules = self.matches.rules.iter().rev().map(|&number| (number, self.tables.rule(number)));
        rules
            .skip_while(move |(_, rule)| rule.meaning.kind() > kind)
            .take_while(move |(_, rule)| rule.meaning.kind() == kind)
    }
}

/// The verdict of the rule or record on `line`.
const fn by_line(prohibits: bool, line: u32) -> Verdict {
    Verdict { access: access(prohibits), line, reason: Reason::Rule }
}
