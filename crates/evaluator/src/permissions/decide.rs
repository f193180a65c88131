//! Which of several statements about a usage decides (`crates/PERMISSIONS.md`, A14 to A17, P4, P5).
//!
//! Statements are ordered by their [`Level`]; on the highest level, scopes decide. The automaton defines how scopes
//! compare ([`Scope`]).

use std::collections::HashSet;

use robomata_automaton::{Scope, narrowest};
use robomata_policy::Says;
use robomata_policy::acap::{Acap, QualifiersId};
use robomata_protocol::{Conflict, ConflictRule, PermissionReason, Place, Qualifier, Source, Vocabulary};

/// How specific a statement is for the query, most important first (A14, 1 to 5). Scopes take precedence over whether
/// it is about the usage itself or about `present`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level {
    /// It is about the usage itself, or about `present` for a derived usage; not about `other`.
    pub(crate) explicit: bool,
    /// It is on the page, not in a robots.txt.
    pub(crate) on_page: bool,
    /// It applies to the purpose, not to any purpose.
    pub(crate) purpose: bool,
    /// It addresses the crawler by name.
    pub(crate) named: bool,
    /// The position on the page: 0 in a META tag, more in an element, growing inwards.
    pub(crate) depth: u32,
}

/// The rules by which statements of a lower level lose.
const LEVEL_RULES: [ConflictRule; 4] = [
    ConflictRule::ExplicitOverOther,
    ConflictRule::PurposeOverGeneral,
    ConflictRule::NamedOverAny,
    ConflictRule::InnermostPlace,
];

impl Level {
    /// The rule by which a statement of this level loses to one of a higher level.
    fn loses_by(self, top: Level) -> ConflictRule {
        if self.explicit != top.explicit {
            ConflictRule::ExplicitOverOther
        } else if self.on_page != top.on_page {
            ConflictRule::InnermostPlace
        } else if self.purpose != top.purpose {
            ConflictRule::PurposeOverGeneral
        } else if self.named != top.named {
            ConflictRule::NamedOverAny
        } else {
            ConflictRule::InnermostPlace
        }
    }
}

/// A statement that matches the URL and covers the usage. One candidate can stand for several statements with the same
/// resource, level and meaning, which win or lose together.
#[derive(Clone, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) level: Level,
    /// It is about the usage itself, not about `present` for a derived usage (A14, 7).
    pub(crate) exact: bool,
    pub(crate) says: Says<()>,
    /// `None`: the page alone, the narrowest scope of all.
    pub(crate) scope: Option<Scope<'a>>,
    /// The statements, in text order; at least one.
    pub(crate) members: Members<'a>,
}

/// The statements of a [`Candidate`]. They are not copied: a field on a set of many patterns can be a candidate by each
/// of the patterns, and one set can have many fields.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Members<'a> {
    One(Member<'a>),
    Fields(&'a Acap, &'a [FieldMember]),
}

/// One statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    pub(crate) source: Source,
    pub(crate) order: TextOrder,
    pub(crate) qualifiers: Qualifiers<'a>,
}

/// One of several fields with the same statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldMember {
    pub(crate) source: Source,
    pub(crate) order: TextOrder,
    pub(crate) qualifiers: Option<QualifiersId>,
}

/// The qualifiers of a statement, where they are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Qualifiers<'a> {
    OfPage(&'a [Qualifier]),
    OfField(&'a Acap, Option<QualifiersId>),
}

impl<'a> Members<'a> {
    fn first(self) -> Member<'a> {
        match self {
            Members::One(member) => member,
            Members::Fields(acap, fields) => fields[0].of(acap),
        }
    }

    fn each(self, mut found: impl FnMut(Member<'a>)) {
        match self {
            Members::One(member) => found(member),
            Members::Fields(acap, fields) => fields.iter().for_each(|field| found(field.of(acap))),
        }
    }

    /// Candidates that share fields have the same identity.
    fn identity(self) -> Option<*const FieldMember> {
        if let Members::Fields(_, fields) = self { Some(fields.as_ptr()) } else { None }
    }
}

impl FieldMember {
    fn of(self, acap: &Acap) -> Member<'_> {
        let FieldMember { source, order, qualifiers } = self;
        Member { source, order, qualifiers: Qualifiers::OfField(acap, qualifiers) }
    }
}

impl<'a> Qualifiers<'a> {
    fn iter(self) -> impl Iterator<Item = &'a Qualifier> {
        let (of_page, of_field) = match self {
            Qualifiers::OfPage(list) => (list, None),
            Qualifiers::OfField(acap, list) => (&[][..], list.map(|list| acap.qualifiers(list))),
        };
        of_page.iter().chain(of_field.into_iter().flatten())
    }
}

/// The statements of all candidates. Each one occurs once, even if it is a candidate by several patterns of a set.
pub(crate) fn statements<'c, 'a: 'c>(
    candidates: impl IntoIterator<Item = &'c Candidate<'a>>,
) -> Vec<Member<'a>> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for candidate in candidates {
        if candidate.members.identity().is_none_or(|identity| seen.insert(identity)) {
            candidate.members.each(|member| all.push(member));
        }
    }
    all
}

/// All statements of the candidates lose by `rule`.
pub(crate) fn lost<'c, 'a: 'c>(
    candidates: impl IntoIterator<Item = &'c Candidate<'a>>,
    rule: ConflictRule,
) -> Vec<Conflict> {
    statements(candidates).into_iter().map(|member| Conflict { loser: member.source, rule }).collect()
}

/// The position of a statement in the order of the texts: the robots.txt, the files it refers to in the order of the
/// references, META tags, elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextOrder {
    text: u32,
    line: u32,
}

impl TextOrder {
    /// On a line of the robots.txt.
    pub(crate) const fn in_robots_txt(line: u32) -> Self {
        TextOrder { text: 0, line }
    }

    /// On a line of the referenced file with the reading index `file`, from 0.
    pub(crate) const fn in_file(file: u32, line: u32) -> Self {
        TextOrder { text: file.saturating_add(1), line }
    }

    /// On a page.
    pub(crate) const fn on_page(source: Source) -> Self {
        match source.place {
            Place::Element(element) => TextOrder { text: u32::MAX, line: element },
            _ => TextOrder { text: u32::MAX - 1, line: source.line },
        }
    }
}

/// A decision and its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) says: Says<Vec<Qualifier>>,
    pub(crate) source: Source,
    pub(crate) conflicts: Vec<Conflict>,
}

impl<'a> Candidate<'a> {
    fn permits(&self) -> bool {
        matches!(self.says, Says::Permitted(()))
    }

    fn is_conventional(&self) -> bool {
        self.first().source.vocabulary == Vocabulary::Robots
    }

    fn first(&self) -> Member<'a> {
        self.members.first()
    }

    fn scope(&self) -> Scope<'a> {
        // The page alone has a level of its own, so it is never compared with a wider scope.
        self.scope.unwrap_or_default()
    }
}

/// The decision of `candidates`; `None` when there are none. Each candidate has a member.
pub(crate) fn decide(mut candidates: Vec<Candidate<'_>>) -> Option<Decision> {
    let top = candidates.iter().map(|candidate| candidate.level).max()?;
    candidates.sort_by_key(|candidate| candidate.first().order);
    let mut conflicts = Vec::new();
    let (left, below): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| candidate.level == top);
    // Shared statements all have the same level.
    for rule in LEVEL_RULES {
        conflicts.extend(lost(below.iter().filter(|candidate| candidate.level.loses_by(top) == rule), rule));
    }
    let candidates = left;
    let verdict = on_one_level(candidates, &mut conflicts);
    conflicts.retain(|conflict| conflict.loser != verdict.source);
    conflicts.sort_unstable_by_key(|conflict| (conflict.rule, conflict.loser));
    // A field on a set is a candidate once for each pattern that matches; it can lose only once.
    conflicts.dedup();
    Some(Decision { conflicts, ..verdict })
}

/// Decides among candidates of one level, which are in text order.
fn on_one_level<'a>(candidates: Vec<Candidate<'a>>, conflicts: &mut Vec<Conflict>) -> Decision {
    let scopes: Vec<Scope<'_>> = candidates.iter().map(Candidate::scope).collect();
    let narrowest = narrowest(&scopes);
    // If all candidates without a narrower one have the same scope, that scope is comparable to every other one and
    // narrower.
    let mut kept = scopes.iter().zip(&narrowest).filter(|&(_, &stays)| stays).map(|(scope, _)| scope);
    let first = kept.next();
    let is_one_scope = kept.all(|scope| Some(scope) == first);
    let (deciding, wider) = part(candidates, &narrowest);
    let exact = deciding.iter().filter(|candidate| candidate.exact);
    let of_exact: HashSet<Option<Scope<'a>>> = exact.map(|candidate| candidate.scope).collect();
    let (general, deciding): (Vec<_>, Vec<_>) =
        deciding.into_iter().partition(|candidate| !candidate.exact && of_exact.contains(&candidate.scope));
    conflicts.extend(lost(&general, ConflictRule::DerivedOverPresent));
    if !is_one_scope && !agree(deciding.iter().chain(&wider)) {
        let all: Vec<_> = deciding.into_iter().chain(wider).collect();
        return undeterminable(&all, conflicts);
    }
    conflicts.extend(lost(&wider, ConflictRule::NarrowestScope));
    let deciding = without_overruled_rules(deciding, conflicts);
    if agree(&deciding) { together(&deciding) } else { undeterminable(&deciding, conflicts) }
}

/// On one scope, candidates of ACAP overrule conventional ones. Among conventional candidates that contradict each
/// other, Allow wins (A17; RFC 9309, 2.2.2).
fn without_overruled_rules<'a>(
    deciding: Vec<Candidate<'a>>,
    conflicts: &mut Vec<Conflict>,
) -> Vec<Candidate<'a>> {
    let of_acap = deciding.iter().filter(|candidate| !candidate.is_conventional());
    let scopes: HashSet<Option<Scope<'a>>> = of_acap.map(|candidate| candidate.scope).collect();
    let (overruled, left): (Vec<_>, Vec<_>) = deciding
        .into_iter()
        .partition(|candidate| candidate.is_conventional() && scopes.contains(&candidate.scope));
    conflicts.extend(lost(&overruled, ConflictRule::AcapOverConventional));
    if agree(&left) || !left.iter().all(Candidate::is_conventional) {
        return left;
    }
    let (allowing, others): (Vec<_>, Vec<_>) = left.into_iter().partition(Candidate::permits);
    conflicts.extend(lost(&others, ConflictRule::NarrowestScope));
    allowing
}

fn agree<'c, 'a: 'c>(candidates: impl IntoIterator<Item = &'c Candidate<'a>>) -> bool {
    let mut candidates = candidates.into_iter();
    let first = candidates.next().map(Candidate::permits);
    candidates.all(|candidate| Some(candidate.permits()) == first)
}

fn part<'a>(candidates: Vec<Candidate<'a>>, stays: &[bool]) -> (Vec<Candidate<'a>>, Vec<Candidate<'a>>) {
    let (kept, lost): (Vec<_>, Vec<_>) = candidates.into_iter().zip(stays).partition(|&(_, &stays)| stays);
    let bare = |list: Vec<(Candidate<'a>, &bool)>| list.into_iter().map(|(candidate, _)| candidate).collect();
    (bare(kept), bare(lost))
}

/// The decision of candidates that agree: the line of the first one, and all qualifiers.
fn together(deciding: &[Candidate<'_>]) -> Decision {
    let mut members = statements(deciding);
    members.sort_by_key(|member| member.order);
    let first = members[0];
    let said_first = deciding.iter().min_by_key(|candidate| candidate.first().order);
    let says = match said_first.map_or(Says::Permitted(()), |candidate| candidate.says) {
        Says::Prohibited(reason) => Says::Prohibited(reason),
        Says::Permitted(()) => {
            let mut seen = HashSet::new();
            let all = members.iter().flat_map(|member| member.qualifiers.iter());
            Says::Permitted(all.filter(|&qualifier| seen.insert(qualifier)).cloned().collect())
        }
    };
    Decision { says, source: first.source, conflicts: Vec::new() }
}

/// Candidates that contradict each other prohibit; the first prohibition is the source.
fn undeterminable(candidates: &[Candidate<'_>], conflicts: &mut Vec<Conflict>) -> Decision {
    let prohibitions = candidates.iter().filter(|candidate| !candidate.permits());
    let first = statements(prohibitions).into_iter().min_by_key(|member| member.order);
    let source = first.unwrap_or_else(|| candidates[0].first()).source;
    conflicts.extend(lost(candidates, ConflictRule::NarrowestScope));
    Decision { says: Says::Prohibited(PermissionReason::Undeterminable), source, conflicts: Vec::new() }
}

#[cfg(test)]
mod tests;
