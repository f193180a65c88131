//! Which of the matching statements decides, without the reasons.

use std::collections::HashSet;

use robomata_automaton::{Scope, ScopeOrder, narrowest};
use robomata_protocol::{Access, Moment, Reason, Verdict};

use crate::days::DAY;
use crate::program::by_line;
use crate::tables::{ANY, EXACT, EXPLICIT, FOR_NAMED, Rule, RuleKind, Tables};

/// The scratch memory of a check. It belongs to the caller, so that a check allocates nothing once the memory has
/// grown.
#[derive(Clone, Debug, Default)]
pub struct StatementScratch {
    /// Numbers of the rules that match.
    pub(super) rules: Vec<u32>,
    /// Numbers of the fields' patterns that match.
    pub(super) fields: Vec<u32>,
    /// The target in lower case.
    pub(super) folded: Vec<u8>,
    /// The time of the query: a permission that a date has ended no longer permits. `None`: dates are ignored.
    pub now: Option<Moment>,
    candidates: Vec<Candidate>,
}

/// A match with a statement about the usage in question.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    level: u8,
    prohibits: bool,
    /// It is a conventional rule, not an ACAP field.
    conventional: bool,
    line: u32,
    /// A date has ended the permission.
    has_ended: bool,
    /// The pattern's number, in the rule set if conventional, otherwise in the field set.
    pattern: u32,
}

/// The usages in a query, by their index in a group's levels.
const CRAWL: usize = 0;
const USAGE: usize = 1;

/// The parts of a statement program that match a target.
pub(super) struct UsageMatches<'p, 's> {
    tables: &'p Tables<'p>,
    rules: &'s [u32],
    fields: &'s [u32],
    candidates: &'s mut Vec<Candidate>,
    now: Option<Moment>,
}

impl<'p, 's> UsageMatches<'p, 's> {
    pub(super) fn new(tables: &'p Tables<'p>, scratch: &'s mut StatementScratch) -> Self {
        let StatementScratch { rules, fields, candidates, now, .. } = scratch;
        // Among the rules of one vocabulary, the last one decides.
        rules.sort_unstable();
        UsageMatches { tables, rules, fields, candidates, now: *now }
    }

    /// The verdict about crawl (A17, A18).
    pub(super) fn crawl(&mut self) -> Verdict {
        self.find(CRAWL, |level| level & EXPLICIT != 0);
        if !self.candidates.is_empty() {
            self.find_rules();
            return self.decide();
        }
        let best = self.last(|kind| matches!(kind, RuleKind::Allow | RuleKind::Disallow));
        if let Some(rule) = best {
            return by_line(access(rule.kind == RuleKind::Disallow), rule.line, Reason::Rule);
        }
        self.find(CRAWL, |_| true);
        if self.candidates.is_empty() { Verdict::NO_RULE } else { self.decide() }
    }

    /// The verdict about crawl (which is `crawl`) and the usage together (R4).
    pub(super) fn together(&mut self, crawl: Verdict) -> Verdict {
        self.find(USAGE, |level| level & EXPLICIT != 0);
        let acap = if self.candidates.is_empty() { None } else { Some(self.decide()) };
        let noindex = self.last(|kind| kind == RuleKind::Noindex).map(|rule| (true, rule.line));
        // It applies only to what may be crawled (V4).
        let usage = if crawl.access == Access::Allow { self.content_usage() } else { None };
        let others = [noindex, self.tables.signal().map(|(yes, line)| (!yes, line)), usage];
        let mut said = acap
            .into_iter()
            .chain(others.into_iter().flatten().map(|(no, line)| by_line(access(no), line, Reason::Rule)));
        let first = said.next();
        let prohibition = first.into_iter().chain(said).find(|verdict| verdict.access == Access::Disallow);
        let verdict = match (prohibition, first) {
            (Some(verdict), _) | (None, Some(verdict)) => Some(verdict),
            (None, None) => self.other(),
        };
        match verdict {
            Some(verdict) if verdict.access == Access::Disallow || crawl.access == Access::Allow => verdict,
            _ => crawl,
        }
    }

    /// ACAP's verdict about the usage as one of the others.
    fn other(&mut self) -> Option<Verdict> {
        self.find(USAGE, |_| true);
        if self.candidates.is_empty() { None } else { Some(self.decide()) }
    }

    /// The statement of the most specific Content-Usage records about the usage, and its line (V3).
    fn content_usage(&self) -> Option<(bool, u32)> {
        let is_record = |kind| matches!(kind, RuleKind::UsageYes | RuleKind::UsageNo | RuleKind::UsageSilent);
        let record = self.last(is_record)?;
        match record.kind {
            RuleKind::UsageSilent => None,
            kind => Some((kind == RuleKind::UsageNo, record.line)),
        }
    }

    /// The deciding rule of a kind among those that match.
    fn last(&self, is_wanted: impl Fn(RuleKind) -> bool) -> Option<Rule<'p>> {
        self.rules.iter().rev().map(|&number| self.tables.rule(number)).find(|rule| is_wanted(rule.kind))
    }

    /// Finds the fields with a statement about a usage on a level that `is_wanted`.
    fn find(&mut self, usage: usize, is_wanted: impl Fn(u8) -> bool) {
        self.candidates.clear();
        for &pattern in self.fields {
            for group in self.tables.pattern(pattern).1 {
                let level = group.levels[usage];
                if level > 0 && is_wanted(level) {
                    let is_over = |Moment(now): Moment| now >= i64::from(group.end) * DAY;
                    self.candidates.push(Candidate {
                        level,
                        prohibits: group.prohibits,
                        conventional: false,
                        line: group.line,
                        has_ended: group.end > 0 && self.now.is_some_and(is_over),
                        pattern,
                    });
                }
            }
        }
    }

    /// Adds the conventional rules that match, as fields about crawl, except those that a field on the same scope
    /// contradicts (A17).
    fn find_rules(&mut self) {
        let fields = self.candidates.len();
        for &pattern in self.rules {
            let Rule { kind, named, line, .. } = self.tables.rule(pattern);
            if matches!(kind, RuleKind::Allow | RuleKind::Disallow) {
                let level = EXPLICIT | EXACT | ANY | if named { FOR_NAMED } else { 0 };
                let prohibits = kind == RuleKind::Disallow;
                let rule =
                    Candidate { level, prohibits, conventional: true, line, has_ended: false, pattern };
                let overrules = |field: &Candidate| {
                    field.prohibits != prohibits
                        && self.scope(field).to(self.scope(&rule)) == ScopeOrder::Equal
                };
                if !self.candidates[..fields].iter().any(overrules) {
                    self.candidates.push(rule);
                }
            }
        }
    }

    /// Decides among the candidates; there is at least one (A14, A15).
    fn decide(&mut self) -> Verdict {
        let top = self.candidates.iter().map(Candidate::rank).max().unwrap_or(ANY);
        self.candidates.retain(|candidate| candidate.rank() == top);
        let Some(scope) = self.narrowest() else { return self.on_several_scopes() };
        self.on_one_scope(scope)
    }

    /// Decides when no scope is narrower than or equal to every other one. This is rare enough to allocate.
    fn on_several_scopes(&self) -> Verdict {
        let scopes: Vec<Scope<'_>> = self.candidates.iter().map(|candidate| self.scope(candidate)).collect();
        let stays = narrowest(&scopes);
        let all = || self.candidates.iter().zip(&scopes).zip(&stays);
        let exact = all().filter(|((candidate, _), stays)| **stays && candidate.is_exact());
        let of_exact: HashSet<Scope<'_>> = exact.map(|((_, scope), _)| *scope).collect();
        let is_left = |candidate: &Candidate, scope: &Scope<'_>, stays: bool| {
            !stays || candidate.is_exact() || !of_exact.contains(scope)
        };
        let left = || all().filter(|((candidate, scope), stays)| is_left(candidate, scope, **stays));
        if !agree(left().map(|((candidate, _), _)| candidate)) {
            return undeterminable(left().map(|((candidate, _), _)| candidate));
        }
        let narrow = || left().filter(|(_, stays)| **stays).map(|(both, _)| both);
        let of_acap = narrow().filter(|(candidate, _)| !candidate.conventional);
        let of_acap: HashSet<Scope<'_>> = of_acap.map(|(_, scope)| *scope).collect();
        let deciding = narrow().filter(|(one, scope)| !one.conventional || !of_acap.contains(scope));
        together(deciding.map(|(candidate, _)| candidate))
    }

    /// The scope that is narrower than or equal to every other one.
    fn narrowest(&self) -> Option<Scope<'p>> {
        let mut scopes = self.candidates.iter().map(|candidate| self.scope(candidate));
        let mut narrowest = scopes.next()?;
        for scope in scopes {
            // A scope that is narrower than all others is narrower than every scope it meets, so the loop never drops
            // it.
            if scope.to(narrowest) == ScopeOrder::Narrower {
                narrowest = scope;
            }
        }
        let mut scopes = self.candidates.iter().map(|candidate| self.scope(candidate));
        let reaches = |scope| matches!(narrowest.to(scope), ScopeOrder::Equal | ScopeOrder::Narrower);
        scopes.all(reaches).then_some(narrowest)
    }

    /// On one scope, candidates of ACAP overrule conventional ones; among conventional ones, Allow wins (A17).
    fn on_one_scope(&self, scope: Scope<'_>) -> Verdict {
        let of_scope = || {
            self.candidates.iter().filter(|candidate| self.scope(candidate).to(scope) == ScopeOrder::Equal)
        };
        // A field about a derived usage overrules one about `present` (A14, 7).
        let is_exact = of_scope().any(Candidate::is_exact);
        let equal = || of_scope().filter(|candidate| candidate.is_exact() == is_exact);
        let is_acap = |candidate: &&Candidate| !candidate.conventional;
        if equal().any(|candidate| is_acap(&candidate)) {
            let fields = || equal().filter(is_acap);
            return if agree(fields()) { together(fields()) } else { undeterminable(fields()) };
        }
        let permits = equal().any(|candidate| !candidate.prohibits);
        first(equal().filter(|candidate| candidate.prohibits != permits), Reason::Rule)
    }

    fn scope(&self, candidate: &Candidate) -> Scope<'p> {
        Scope::from_bytes(match candidate.conventional {
            true => self.tables.rule(candidate.pattern).scope,
            false => self.tables.pattern(candidate.pattern).0,
        })
    }
}

impl Candidate {
    /// Its level, without whether it is exact.
    fn rank(&self) -> u8 {
        self.level & !EXACT
    }

    fn is_exact(&self) -> bool {
        self.level & EXACT != 0
    }
}

fn agree<'c>(mut candidates: impl Iterator<Item = &'c Candidate>) -> bool {
    let first = candidates.next().map(|candidate| candidate.prohibits);
    candidates.all(|candidate| Some(candidate.prohibits) == first)
}

/// The verdict of candidates that agree, with the line of the first one. It does not permit if a date has ended one of
/// them.
fn together<'c>(candidates: impl Iterator<Item = &'c Candidate> + Clone) -> Verdict {
    let has_ended = candidates.clone().any(|candidate| candidate.has_ended);
    let verdict = first(candidates, Reason::Rule);
    if has_ended { Verdict { access: Access::Disallow, ..verdict } } else { verdict }
}

/// The verdict of the first of several candidates that agree.
fn first<'c>(candidates: impl Iterator<Item = &'c Candidate>, reason: Reason) -> Verdict {
    let first = candidates.min_by_key(|candidate| candidate.line);
    first.map_or(Verdict::NO_RULE, |first| by_line(access(first.prohibits), first.line, reason))
}

/// Candidates that contradict each other prohibit; the first prohibition is reported.
fn undeterminable<'c>(candidates: impl Iterator<Item = &'c Candidate>) -> Verdict {
    first(candidates.filter(|candidate| candidate.prohibits), Reason::Undeterminable)
}

fn access(prohibits: bool) -> Access {
    if prohibits { Access::Disallow } else { Access::Allow }
}
