//! Which of several statements about a usage decides (`crates/PERMISSIONS.md`, A14 to A17, P4, P5).
//!
//! Statements are ordered by their [`Level`]. Among those on the highest level, and the prohibitions that they do not
//! overrule, scopes decide ([`Scope`]). The order of both is defined by the automaton. An [`Observer`] learns what loses
//! and what decides.

use robomata_automaton::{Level, Scope, ScopeOrder, narrowest};
use robomata_protocol::{Access, ConflictRule, Reason, Verdict};

use crate::tables::Tables;

/// A statement that matches the URL and covers the usage. A group of fields counts as one: its fields have the same
/// resource, level and meaning, so they win or lose together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) level: Level,
    /// The position of its scope in the program's order of scopes.
    pub(crate) scope: u32,
    pub(crate) statement: StatementId,
    /// The line of the statement, or of the first one of a group.
    pub(crate) line: u32,
    pub(crate) prohibits: bool,
    /// It is about the usage itself, not about `present` for a derived usage (A14, 7).
    pub(crate) is_exact: bool,
    /// A date has ended the permission.
    pub(crate) has_ended: bool,
    /// Another candidate has a narrower scope.
    pub(crate) is_wider: bool,
}

/// A statement, by its number in the program or on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum StatementId {
    /// A conventional rule.
    Rule(u32),
    /// A group of ACAP fields.
    Group(u32),
    /// An ACAP statement of the page.
    Page(u32),
}

impl Candidate {
    fn is_rule(&self) -> bool {
        matches!(self.statement, StatementId::Rule(_))
    }
}

/// The scope of statements of a page. It is never compared with others, since their level is their own.
pub(crate) const PAGE: u32 = u32::MAX;

/// Receives the course of a decision. The one for bulk keeps only what decides; the one for explanations keeps
/// everything.
pub(crate) trait Observer {
    /// What the observer keeps of a decision.
    type Decision;

    /// Whether all it keeps is what the candidates say, so that it does not matter which of those that agree decides.
    const AGREEMENT_SUFFICES: bool = false;

    /// The candidate has lost by `rule`.
    fn lost(&mut self, candidate: &Candidate, rule: ConflictRule);

    /// The candidates decide together; they agree, and there is at least one.
    fn together(&mut self, deciding: &[Candidate]) -> Self::Decision;

    /// The candidates contradict each other, so the first prohibition decides.
    fn undeterminable(&mut self, contradicting: &[Candidate]) -> Self::Decision;
}

/// Keeps the verdict alone. It reads candidates of a robots.txt alone, whose order is that of their lines.
#[derive(Debug)]
pub(crate) struct Winner;

impl Observer for Winner {
    type Decision = Verdict;

    #[inline]
    fn lost(&mut self, _: &Candidate, _: ConflictRule) {}

    /// The line of the first one. They do not permit if a date has ended one of them.
    #[inline]
    fn together(&mut self, deciding: &[Candidate]) -> Verdict {
        let prohibits = deciding.iter().any(|candidate| candidate.prohibits || candidate.has_ended);
        let line = deciding.iter().map(|candidate| candidate.line).min().unwrap_or(0);
        Verdict { access: access(prohibits), line, reason: Reason::Rule }
    }

    fn undeterminable(&mut self, contradicting: &[Candidate]) -> Verdict {
        let prohibitions = contradicting.iter().filter(|candidate| candidate.prohibits);
        let line = prohibitions.map(|candidate| candidate.line).min().unwrap_or(0);
        Verdict { access: Access::Disallow, line, reason: Reason::Undeterminable }
    }
}

/// Keeps alone whether the decision prohibits.
#[derive(Debug)]
pub(crate) struct Prohibits;

impl Observer for Prohibits {
    type Decision = bool;
    const AGREEMENT_SUFFICES: bool = true;

    fn lost(&mut self, _: &Candidate, _: ConflictRule) {}

    fn together(&mut self, deciding: &[Candidate]) -> bool {
        Winner.together(deciding).access == Access::Disallow
    }

    fn undeterminable(&mut self, _: &[Candidate]) -> bool {
        true
    }
}

pub(crate) const fn access(prohibits: bool) -> Access {
    if prohibits { Access::Disallow } else { Access::Allow }
}

/// Decides among `candidates`, whose scopes are in `tables`; `None` when there are none.
pub(crate) fn decide<O: Observer>(
    candidates: &mut Vec<Candidate>,
    tables: &Tables<'_>,
    observer: &mut O,
) -> Option<O::Decision> {
    if let [_] = candidates[..] {
        return Some(observer.together(candidates));
    }
    if candidates.is_empty() {
        return None;
    }
    let levels = Levels::of(candidates.iter());
    candidates.retain(|candidate| {
        let rule = levels.loses_by(candidate);
        if let Some(rule) = rule {
            observer.lost(candidate, rule);
        }
        rule.is_none()
    });
    Some(match one_narrowest(candidates, tables) {
        Some(scope) => on_one_scope(candidates, scope, observer),
        None => on_several_scopes(candidates, tables, observer),
    })
}

/// The levels of candidates that decide which other ones lose by their level (A14, 2 to 5). Either all candidates are
/// about the usage (or `present` for it), or all about `other`.
pub(crate) struct Levels {
    /// The highest level, and the highest one of those that are not for the purpose and any crawler. If the first one does
    /// not overrule a prohibition, the second one may.
    all: [Level; 2],
    /// The same of the candidates about the usage itself.
    exact: [Level; 2],
}

impl Levels {
    pub(crate) fn of<'c>(candidates: impl Iterator<Item = &'c Candidate>) -> Self {
        let mut levels = Levels { all: [Level::default(); 2], exact: [Level::default(); 2] };
        for candidate in candidates {
            let level = candidate.level;
            let raise = |[highest, other]: &mut [Level; 2]| {
                *highest = level.max(*highest);
                if !level.is_for_purpose_of_any() {
                    *other = level.max(*other);
                }
            };
            raise(&mut levels.all);
            if candidate.is_exact {
                raise(&mut levels.exact);
            }
        }
        levels
    }

    /// The rule by which a candidate loses; `None` if it stays. A permission stays on the highest level alone. A prohibition
    /// stays unless it is overruled, which one of a derived usage is not by a statement about `present` in the same place. A
    /// page overrules files for every usage.
    pub(crate) fn loses_by(&self, candidate: &Candidate) -> Option<ConflictRule> {
        let [top, _] = self.all;
        if candidate.level == top {
            return None;
        }
        if !candidate.prohibits {
            return Some(candidate.level.loses_by(top));
        }
        let is_by_page = top.has(Level::ON_PAGE) && !candidate.level.has(Level::ON_PAGE);
        let others = if candidate.is_exact && !is_by_page { self.exact } else { self.all };
        let is_overruled = others.into_iter().any(|level| level.overrules(candidate.level));
        is_overruled.then(|| candidate.level.loses_by(top))
    }
}

/// Keeps the candidates for which `stays` holds. The others lose by `rule`.
fn keep<O: Observer>(
    candidates: &mut Vec<Candidate>,
    observer: &mut O,
    rule: ConflictRule,
    stays: impl Fn(&Candidate) -> bool,
) {
    candidates.retain(|candidate| {
        let stays = stays(candidate);
        if !stays {
            observer.lost(candidate, rule);
        }
        stays
    });
}

/// The position of the scope that is narrower than or equal to every other one. There is at least one candidate.
fn one_narrowest(candidates: &[Candidate], tables: &Tables<'_>) -> Option<u32> {
    let last = candidates.iter().map(|candidate| candidate.scope).max()?;
    let is_narrower =
        |scope: u32| scope == last || tables.scope(last).to(tables.scope(scope)) == ScopeOrder::Narrower;
    let suffices = tables.is_chain() || candidates.iter().all(|candidate| is_narrower(candidate.scope));
    suffices.then_some(last)
}

/// On one scope, a field about a derived usage overrules one about `present` (A14, 7), fields of ACAP overrule
/// conventional rules, and among conventional rules, Allow wins (A17; RFC 9309, 2.2.2).
fn on_one_scope<O: Observer>(candidates: &mut Vec<Candidate>, scope: u32, observer: &mut O) -> O::Decision {
    keep(candidates, observer, ConflictRule::NarrowestScope, |candidate| candidate.scope == scope);
    if candidates.iter().any(|candidate| candidate.is_exact) {
        keep(candidates, observer, ConflictRule::DerivedOverPresent, |candidate| candidate.is_exact);
    }
    if candidates.iter().any(|candidate| !candidate.is_rule()) {
        keep(candidates, observer, ConflictRule::AcapOverConventional, |candidate| !candidate.is_rule());
    } else if !agree(candidates) {
        keep(candidates, observer, ConflictRule::NarrowestScope, |candidate| !candidate.prohibits);
    }
    if agree(candidates) { observer.together(candidates) } else { undeterminable(candidates, observer) }
}

/// Decides when no scope is narrower than or equal to every other one. This is rare enough to allocate.
fn on_several_scopes<O: Observer>(
    candidates: &mut Vec<Candidate>,
    tables: &Tables<'_>,
    observer: &mut O,
) -> O::Decision {
    // Of candidates that are all about the usage itself, none overrules another before they have to agree.
    if candidates.iter().all(|candidate| candidate.is_exact) {
        match agree(candidates) {
            false => return undeterminable(candidates, observer),
            true if O::AGREEMENT_SUFFICES => return observer.together(candidates),
            true => {}
        }
    }
    find_wider(candidates, tables);
    let exact = Scopes::of(candidates, |candidate| candidate.is_exact && !candidate.is_wider);
    keep(candidates, observer, ConflictRule::DerivedOverPresent, |candidate| {
        candidate.is_wider || candidate.is_exact || !exact.contains(candidate.scope)
    });
    if !agree(candidates) {
        return undeterminable(candidates, observer);
    }
    keep(candidates, observer, ConflictRule::NarrowestScope, |candidate| !candidate.is_wider);
    let of_acap = Scopes::of(candidates, |candidate| !candidate.is_rule());
    keep(candidates, observer, ConflictRule::AcapOverConventional, |candidate| {
        !candidate.is_rule() || !of_acap.contains(candidate.scope)
    });
    observer.together(candidates)
}

/// Finds the candidates for which another one has a narrower scope.
fn find_wider(candidates: &mut [Candidate], tables: &Tables<'_>) {
    let all = Scopes::of(candidates, |_| true);
    let positions: Vec<u32> =
        (0..).zip(&all.0).filter_map(|(position, &is_in)| is_in.then_some(position)).collect();
    let scopes: Vec<Scope<'_>> = positions.iter().map(|&position| tables.scope(position)).collect();
    let mut wider = all;
    for (&position, stays) in positions.iter().zip(narrowest(&scopes)) {
        wider.0[position as usize] = !stays;
    }
    candidates.iter_mut().for_each(|candidate| candidate.is_wider = wider.contains(candidate.scope));
}

/// A set of scopes, by position. There can be as many candidates as a file has bytes, so nothing is hashed.
struct Scopes(Vec<bool>);

impl Scopes {
    /// The scopes of the candidates that are `wanted`.
    fn of(candidates: &[Candidate], wanted: impl Fn(&Candidate) -> bool) -> Self {
        let last = candidates.iter().map(|candidate| candidate.scope as usize).max();
        let mut scopes = vec![false; last.map_or(0, |last| last + 1)];
        for candidate in candidates.iter().filter(|&candidate| wanted(candidate)) {
            scopes[candidate.scope as usize] = true;
        }
        Scopes(scopes)
    }

    fn contains(&self, scope: u32) -> bool {
        self.0.get(scope as usize).is_some_and(|&is_in| is_in)
    }
}

fn agree(candidates: &[Candidate]) -> bool {
    candidates.iter().all(|candidate| candidate.prohibits == candidates[0].prohibits)
}

fn undeterminable<O: Observer>(candidates: &[Candidate], observer: &mut O) -> O::Decision {
    for candidate in candidates {
        observer.lost(candidate, ConflictRule::NarrowestScope);
    }
    observer.undeterminable(candidates)
}

#[cfg(test)]
mod tests;
