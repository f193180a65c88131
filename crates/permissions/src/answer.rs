//! The statements of a program that match a target, and what they say about a usage.

use robomata_automaton::Level;
use robomata_protocol::{Access, ConflictRule, Moment, Reason, Usage, Verdict, Vocabulary};

use crate::acap::relation;
use crate::compile::{in_content_usage, is_training};
use crate::conditions::DAY;
use crate::decide::{Candidate, Observer, StatementId, Winner, access, decide};
use crate::tables::{Group, Rule, RuleKind, Tables};

/// The patterns of a program that match a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matches {
    /// Numbers in the rule set, ascending.
    pub(crate) rules: Vec<u32>,
    /// Numbers in the field set.
    pub(crate) fields: Vec<u32>,
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
}

impl Candidates {
    pub(crate) fn clear(&mut self) {
        self.explicit.clear();
        self.others.clear();
    }

    pub(crate) fn push(&mut self, candidate: Candidate) {
        let list = if candidate.level.has(Level::EXPLICIT) { &mut self.explicit } else { &mut self.others };
        list.push(candidate);
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
        let Candidates { explicit, others } = candidates;
        if !explicit.is_empty() {
            self.find_rules(explicit, &mut Winner);
        } else if let Some((_, rule)) = self.deciding_rule() {
            return by_line(rule.meaning.prohibits(), rule.line);
        }
        let decided = self.decide(explicit, &mut Winner);
        decided.or_else(|| self.decide(others, &mut Winner)).unwrap_or(Verdict::NO_RULE)
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
        for &pattern in &self.matches.fields {
            let (scope, groups) = self.tables.pattern(pattern);
            for number in groups {
                let Group { meaning, line, end } = self.tables.group(number);
                for (&usage, candidates) in usages.iter().zip(&mut *candidates) {
                    let Some((is_explicit, is_exact)) = relation(meaning.usage(), usage) else { continue };
                    let is_over = |Moment(now): Moment| now >= i64::from(end) * DAY;
                    candidates.push(Candidate {
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
                    });
                }
            }
        }
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
    /// same scope lose (A17). Sorts `explicit`, since both lists can be as long as a file.
    pub(crate) fn find_rules<O: Observer>(&self, explicit: &mut Vec<Candidate>, observer: &mut O) {
        let key = |candidate: &Candidate| (candidate.scope, candidate.prohibits);
        explicit.sort_unstable_by_key(key);
        let fields = explicit.len();
        for rule in self.rules() {
            let contrary = (rule.scope, !rule.prohibits);
            match explicit[..fields].binary_search_by_key(&contrary, key) {
                Ok(_) => observer.lost(&rule, ConflictRule::AcapOverConventional),
                Err(_) => explicit.push(rule),
            }
        }
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
