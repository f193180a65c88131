//! The statement of one vocabulary about one usage, and the combination of several into one answer (R1, R2).

use robomata_protocol::{
    Conflict, ConflictRule, MissingFact, Permission, PermissionAnswer, PermissionReason, Qualifier, Source,
    Usage,
};

use super::qualifiers::without_duplicates;

/// The statement of one vocabulary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Voice {
    /// The decision; `None` if the vocabulary is silent.
    pub(crate) decision: Option<Decision>,
    /// The statements that it overruled itself.
    pub(crate) conflicts: Vec<Conflict>,
}

/// A permission or a prohibition.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) permission: Permission,
    pub(crate) reason: PermissionReason,
    /// All sources that share the decision; the first is reported. Empty if the end of a fetch decides.
    pub(crate) sources: Vec<Source>,
    pub(crate) qualifiers: Vec<Qualifier>,
    pub(crate) lacks: Vec<MissingFact>,
}

impl Decision {
    pub(crate) fn permitted(sources: Vec<Source>, qualifiers: Vec<Qualifier>) -> Decision {
        Decision {
            permission: Permission::Permitted,
            reason: PermissionReason::Explicit,
            sources,
            qualifiers: without_duplicates(qualifiers),
            lacks: Vec::new(),
        }
    }

    /// A prohibition has no lacks, and no qualifiers but the terms of TDMRep.
    pub(crate) fn prohibited(sources: Vec<Source>, reason: PermissionReason) -> Decision {
        Decision {
            permission: Permission::Prohibited,
            reason,
            sources,
            qualifiers: Vec::new(),
            lacks: Vec::new(),
        }
    }

    pub(crate) fn is_prohibition(&self) -> bool {
        self.permission == Permission::Prohibited
    }
}

impl Voice {
    pub(crate) const SILENT: Voice = Voice { decision: None, conflicts: Vec::new() };

    pub(crate) fn of(decision: Decision) -> Voice {
        Voice { decision: Some(decision), conflicts: Vec::new() }
    }

    /// Records that the losers lose by this rule.
    pub(crate) fn overrule(&mut self, losers: impl IntoIterator<Item = Source>, rule: ConflictRule) {
        self.conflicts.extend(losers.into_iter().map(|loser| Conflict { loser, rule }));
    }
}

/// R2: combines several voices, in the order of `Vocabulary`, into one answer.
pub(crate) fn answer(usage: Usage, voices: Vec<Voice>) -> PermissionAnswer {
    let mut conflicts = Vec::new();
    let mut decisions = Vec::new();
    for voice in voices {
        conflicts.extend(voice.conflicts);
        decisions.extend(voice.decision);
    }
    let mut answer = PermissionAnswer::unspecified(usage);
    if let Some(first) = decisions.iter().position(Decision::is_prohibition) {
        let prohibition = decisions.remove(first);
        // R2: of several prohibitions, the first in the order of `Vocabulary` is reported. The others are conflicts.
        for loser in decisions.into_iter().filter_map(|decision| decision.sources.into_iter().next()) {
            conflicts.push(Conflict { loser, rule: ConflictRule::MostRestrictive });
        }
        answer.permission = prohibition.permission;
        answer.reason = prohibition.reason;
        answer.source = prohibition.sources.first().copied();
        answer.qualifiers = prohibition.qualifiers;
    } else if let Some(first) = decisions.first() {
        answer.permission = first.permission;
        answer.reason = first.reason;
        answer.source = first.sources.first().copied();
        // "Permitted by several: all qualifiers hold."
        answer.qualifiers =
            without_duplicates(decisions.iter().flat_map(|decision| decision.qualifiers.clone()).collect());
        answer.lacks = sorted_lacks(decisions.into_iter().flat_map(|decision| decision.lacks).collect());
    }
    answer.conflicts = sorted_conflicts(conflicts, answer.source);
    answer
}

/// Sorts lacks and removes duplicates.
pub(crate) fn sorted_lacks(mut lacks: Vec<MissingFact>) -> Vec<MissingFact> {
    lacks.sort();
    lacks.dedup();
    lacks
}

/// Sorts conflicts by rule and loser, and removes duplicates. The deciding source is not a loser.
fn sorted_conflicts(mut conflicts: Vec<Conflict>, decided: Option<Source>) -> Vec<Conflict> {
    conflicts.retain(|conflict| Some(conflict.loser) != decided);
    conflicts.sort_by_key(|conflict| (conflict.rule, conflict.loser));
    conflicts.dedup();
    conflicts
}
