//! The observer for explanations: it keeps the sources of everything that decides and of everything that loses.

use std::collections::HashSet;

use robomata_policy::acap::{Acap, QualifiersId};
use robomata_policy::{PageStatements, Says};
use robomata_protocol::{Conflict, ConflictRule, PermissionReason, Qualifier, Source};

use crate::compile::{FieldMember, TextOrder, qualifiers_in};
use crate::decide::{Candidate, Observer, StatementId};
use crate::page;
use crate::statements::Statements;

/// A decision, with the source of the first statement that decides and the qualifiers of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) says: Says<Vec<Qualifier>>,
    pub(crate) source: Source,
}

/// Collects the reasons for a decision.
pub(crate) struct Reasons<'s> {
    statements: &'s Statements,
    page: &'s PageStatements,
    /// Lost in the decision that is being made, each once.
    lost: Vec<(StatementId, ConflictRule)>,
    /// By number of the group: the rules by which it has lost. A field on a set of many patterns can lose by many of them.
    lost_groups: Vec<u32>,
    conflicts: Vec<Conflict>,
}

/// One statement of a candidate.
#[derive(Clone, Copy, Debug)]
struct Member<'s> {
    source: Source,
    order: TextOrder,
    qualifiers: Qualifiers<'s>,
}

/// The qualifiers of a statement, where they are stored.
#[derive(Clone, Copy, Debug)]
enum Qualifiers<'s> {
    None,
    OfPage(&'s [Qualifier]),
    OfField(QualifiersId),
}

impl<'s> Reasons<'s> {
    pub(crate) fn new(statements: &'s Statements, page: &'s PageStatements) -> Self {
        let lost_groups = vec![0; statements.groups.len()];
        Reasons { statements, page, lost: Vec::new(), lost_groups, conflicts: Vec::new() }
    }

    /// The statements of a candidate, in text order; at least one.
    fn members(&self, id: StatementId) -> impl Iterator<Item = Member<'s>> + use<'s> {
        let (one, fields): (_, &[FieldMember]) = match id {
            StatementId::Rule(number) => {
                let (source, order) = self.statements.rules[number as usize];
                (Some(Member { source, order, qualifiers: Qualifiers::None }), &[])
            }
            StatementId::Page(number) => {
                let statement = &self.page.acap[number as usize];
                let qualifiers = match &statement.says {
                    Says::Permitted(qualifiers) => Qualifiers::OfPage(qualifiers),
                    Says::Prohibited(_) => Qualifiers::None,
                };
                let source = statement.source;
                (Some(Member { source, order: page::order(source), qualifiers }), &[])
            }
            StatementId::Group(number) => (None, &self.statements.groups[number as usize].members),
        };
        let of_field = |field: &'s FieldMember| Member {
            source: field.source,
            order: field.order,
            qualifiers: field.qualifiers.map_or(Qualifiers::None, Qualifiers::OfField),
        };
        one.into_iter().chain(fields.iter().map(of_field))
    }

    /// The first statement of a candidate.
    fn first(&self, candidate: &Candidate) -> Option<Member<'s>> {
        self.members(candidate.statement).next()
    }

    /// Why a candidate prohibits; `None` when it permits.
    fn prohibition(&self, candidate: &Candidate) -> Option<PermissionReason> {
        let says = match candidate.statement {
            StatementId::Group(number) => self.statements.groups[number as usize].says(),
            StatementId::Page(number) => match self.page.acap[number as usize].says {
                Says::Permitted(_) => Says::Permitted(()),
                Says::Prohibited(reason) => Says::Prohibited(reason),
            },
            StatementId::Rule(_) if candidate.prohibits => Says::Prohibited(PermissionReason::Explicit),
            StatementId::Rule(_) => Says::Permitted(()),
        };
        if let Says::Prohibited(reason) = says { Some(reason) } else { None }
    }

    /// All of `candidates` have lost, whatever decides.
    pub(crate) fn all_lost(&mut self, candidates: &[Candidate], rule: ConflictRule) {
        candidates.iter().for_each(|candidate| self.lost(candidate, rule));
        self.decided(None);
    }

    /// The statement at `loser` has lost by `rule`.
    pub(crate) fn add(&mut self, loser: Option<Source>, rule: ConflictRule) {
        self.conflicts.extend(loser.map(|loser| Conflict { loser, rule }));
    }

    /// The decision has been made: its source is no conflict of itself.
    pub(crate) fn decided(&mut self, source: Option<Source>) {
        for (id, rule) in std::mem::take(&mut self.lost) {
            if let StatementId::Group(number) = id {
                self.lost_groups[number as usize] = 0;
            }
            let losers = self.members(id).map(|member| member.source).filter(|&loser| Some(loser) != source);
            self.conflicts.extend(losers.map(|loser| Conflict { loser, rule }));
        }
    }

    /// What lost in all decisions, in no particular order.
    pub(crate) fn into_conflicts(self) -> Vec<Conflict> {
        self.conflicts
    }
}

impl Observer for Reasons<'_> {
    type Decision = Decision;

    fn lost(&mut self, candidate: &Candidate, rule: ConflictRule) {
        if let StatementId::Group(number) = candidate.statement {
            let rules = &mut self.lost_groups[number as usize];
            if *rules & 1 << rule as u32 != 0 {
                return;
            }
            *rules |= 1 << rule as u32;
        }
        self.lost.push((candidate.statement, rule));
    }

    /// All qualifiers hold, and the first statement is the source.
    fn together(&mut self, deciding: &[Candidate]) -> Decision {
        // A group on a set of many patterns can decide by many of them.
        let mut deciding: Vec<&Candidate> = deciding.iter().collect();
        deciding.sort_unstable_by_key(|candidate| candidate.statement);
        deciding.dedup_by_key(|candidate| candidate.statement);
        let mut members: Vec<Member<'_>> =
            deciding.iter().flat_map(|candidate| self.members(candidate.statement)).collect();
        members.sort_by_key(|member| member.order);
        let first = deciding.iter().min_by_key(|candidate| self.first(candidate).map(|member| member.order));
        let says = match first.and_then(|candidate| self.prohibition(candidate)) {
            Some(reason) => Says::Prohibited(reason),
            None => {
                let acap = self.statements.acap();
                // Many fields can share one long list: the one of a local usage.
                let mut lists = HashSet::new();
                let is_new =
                    |member: &&Member<'_>| member.qualifiers.list().is_none_or(|list| lists.insert(list));
                let mut seen = HashSet::new();
                let all = members.iter().filter(is_new).flat_map(|member| member.qualifiers.iter(acap));
                Says::Permitted(all.filter(|&qualifier| seen.insert(qualifier)).cloned().collect())
            }
        };
        Decision { says, source: members[0].source }
    }

    fn undeterminable(&mut self, contradicting: &[Candidate]) -> Decision {
        let prohibitions = contradicting.iter().filter(|candidate| candidate.prohibits);
        let first =
            prohibitions.filter_map(|candidate| self.first(candidate)).min_by_key(|member| member.order);
        let Some(first) = first else {
            unreachable!("statements that contradict each other prohibit and permit")
        };
        Decision { says: Says::Prohibited(PermissionReason::Undeterminable), source: first.source }
    }
}

impl<'s> Qualifiers<'s> {
    /// The list, if other statements can share it.
    fn list(self) -> Option<QualifiersId> {
        if let Qualifiers::OfField(list) = self { Some(list) } else { None }
    }

    fn iter(self, acap: Option<&'s Acap>) -> impl Iterator<Item = &'s Qualifier> {
        let (of_page, of_field) = match self {
            Qualifiers::None => (&[][..], None),
            Qualifiers::OfPage(list) => (list, None),
            Qualifiers::OfField(list) => (&[][..], acap.zip(Some(list))),
        };
        of_page.iter().chain(of_field.into_iter().flat_map(|(acap, list)| qualifiers_in(acap, list)))
    }
}
