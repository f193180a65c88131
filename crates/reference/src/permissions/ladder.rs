//! Which of the statements of ACAP and the conventional rules decides (A14, A15; part 1, 2.4.5; part 2, 2.2.8).

use robomata_protocol::{ConflictRule, PermissionReason, Qualifier, Source, Usage, Vocabulary};

use super::scope::{self, Scope};
use super::statement::{Address, Purpose, Says, Statement};
use super::voice::{Decision, Voice};

/// The steps of A14 after the first. The statements are all explicit, or all about `other`, in text order.
pub(crate) fn decide(usage: Usage, statements: Vec<Statement>) -> Voice {
    let mut voice = Voice::SILENT;
    let mut left = without_contradicted(statements, &mut voice);
    left = of_highest_level(usage, left, &mut voice);
    if !left.is_empty() {
        by_scope(usage, left, &mut voice);
    }
    // A further statement on the deciding line is not a conflict with it.
    if let Some(decided) = voice.decision.as_ref().and_then(|decision| decision.sources.first().copied()) {
        voice.conflicts.retain(|conflict| conflict.loser != decided);
    }
    voice
}

/// A17: where a field of ACAP and a "corresponding field within a conventional record have conflicting permissions for
/// the same specific pattern of resources, the field within the conventional record is to be ignored" (2.9.2),
/// whether the field addresses the crawler by its name or as any.
fn without_contradicted(statements: Vec<Statement>, voice: &mut Voice) -> Vec<Statement> {
    let contradicts = |field: &Statement, rule: &Statement| {
        !is_conventional(field)
            && field.says.is_permission() != rule.says.is_permission()
            && scope_of(field, rule) == Scope::Equal
    };
    let is_ignored = |statement: &Statement| {
        is_conventional(statement) && statements.iter().any(|field| contradicts(field, statement))
    };
    let kept = statements.iter().map(|statement| !is_ignored(statement)).collect();
    keep(statements, kept, ConflictRule::AcapOverConventional, voice)
}

/// The sources of statements, in order.
pub(crate) fn sources(statements: &[Statement]) -> Vec<Source> {
    statements.iter().map(|statement| statement.source).collect()
}

/// The criteria (2) to (5) of A14, the first of them first.
///
/// (2): "If a META Tag conflicts with a permission or prohibition field in a robots.txt file, the META Tag overrides the
/// field in the robots.txt file" (part 2, 2.2.8), regardless of the addressee and the purpose of either.
type Level = (bool, Purpose, Address, usize);

fn level_of(statement: &Statement) -> Level {
    (statement.is_of_page(), statement.purpose, statement.address, statement.depth)
}

/// The statements of the highest level, and the prohibitions of lower ones that nothing overrules, in text order.
fn of_highest_level(usage: Usage, statements: Vec<Statement>, voice: &mut Voice) -> Vec<Statement> {
    let Some(highest) = statements.iter().map(level_of).max() else {
        return statements;
    };
    let stays = |statement: &Statement| {
        level_of(statement) == highest
            || !statement.says.is_permission()
                && !statements.iter().any(|field| may_overrule(usage, field, statement))
    };
    let kept: Vec<bool> = statements.iter().map(stays).collect();
    let mut left = Vec::new();
    for (statement, is_kept) in statements.into_iter().zip(kept) {
        if is_kept {
            left.push(statement);
        } else {
            voice.overrule([statement.source], difference(level_of(&statement), highest));
        }
    }
    left
}

/// Whether the field is higher than the prohibition, and of the "same usage purposes (if any) and usage types" (2.2).
fn may_overrule(usage: Usage, field: &Statement, prohibition: &Statement) -> bool {
    let (of_page, purpose, address, _) = level_of(field);
    let (its_page, its_purpose, its_address, _) = level_of(prohibition);
    // A page "overrides the field in the robots.txt file", for every usage (part 2, 2.2.8).
    let is_of_usage = field.usage == usage || prohibition.usage != usage || of_page != its_page;
    let is_higher_by_purpose = of_page == its_page && purpose > its_purpose;
    level_of(field) > level_of(prohibition) && is_of_usage && !(is_higher_by_purpose && address < its_address)
}

/// The first criterion in which two levels differ.
fn difference(level: Level, highest: Level) -> ConflictRule {
    if level.0 == highest.0 && level.1 != highest.1 {
        ConflictRule::PurposeOverGeneral
    } else if level.0 == highest.0 && level.2 != highest.2 {
        ConflictRule::NamedOverAny
    } else {
        ConflictRule::InnermostPlace
    }
}

/// A15, among all that stays.
fn by_scope(usage: Usage, level: Vec<Statement>, voice: &mut Voice) {
    // "This step comes before the search for contradictions."
    let gives_way = |statement: &Statement| {
        statement.usage != usage
            && is_minimal(statement, &level)
            && level.iter().any(|other| other.usage == usage && scope_of(other, statement) == Scope::Equal)
    };
    let kept = level.iter().map(|statement| !gives_way(statement)).collect();
    let level = keep(level, kept, ConflictRule::DerivedOverPresent, voice);
    let is_narrowest = |statement: &Statement| {
        level.iter().all(|other| matches!(scope_of(statement, other), Scope::Equal | Scope::Narrower))
    };
    if level.iter().any(is_narrowest) {
        let narrowest = level.iter().map(is_narrowest).collect();
        return decide_together(keep(level, narrowest, ConflictRule::NarrowestScope, voice), voice);
    }
    if do_agree(&level) {
        // "When none is, all that no other is narrower than."
        let minimal = level.iter().map(|statement| is_minimal(statement, &level)).collect();
        return decide_together(keep(level, minimal, ConflictRule::NarrowestScope, voice), voice);
    }
    undeterminable(&level, voice);
}

/// Whether no statement of the level has a narrower scope.
fn is_minimal(statement: &Statement, level: &[Statement]) -> bool {
    !level.iter().any(|other| scope_of(other, statement) == Scope::Narrower)
}

/// Statements of narrowest scope. With equal scope, conventional rules give way to ACAP's fields (A17). Then all
/// statements hold together, or the deciding one cannot be determined.
fn decide_together(narrowest: Vec<Statement>, voice: &mut Voice) {
    let is_overruled = |statement: &Statement| {
        is_conventional(statement)
            && narrowest
                .iter()
                .any(|other| !is_conventional(other) && scope_of(other, statement) == Scope::Equal)
    };
    let kept = narrowest.iter().map(|statement| !is_overruled(statement)).collect();
    let mut left = keep(narrowest, kept, ConflictRule::AcapOverConventional, voice);
    if left.iter().all(is_conventional) && left.iter().any(|statement| statement.says.is_permission()) {
        // "Among conventional ones Allow wins" (A17).
        let allows = left.iter().map(|statement| statement.says.is_permission()).collect();
        left = keep(left, allows, ConflictRule::NarrowestScope, voice);
    }
    if do_agree(&left) {
        voice.decision = agreed(&left);
    } else {
        undeterminable(&left, voice);
    }
}

/// 2.4.5: "In the event that a crawler is unable to determine ... the usage is prohibited on that resource."
fn undeterminable(statements: &[Statement], voice: &mut Voice) {
    if let Some(first) = statements.iter().find(|statement| !statement.says.is_permission()) {
        let lost = sources(statements).into_iter().filter(|&source| source != first.source);
        voice.overrule(lost, ConflictRule::NarrowestScope);
        voice.decision = Some(Decision::prohibited(vec![first.source], PermissionReason::Undeterminable));
    }
}

/// The common decision of all of them; the first is reported.
fn agreed(statements: &[Statement]) -> Option<Decision> {
    let first = statements.first()?;
    Some(match &first.says {
        Says::Prohibited(reason) => Decision::prohibited(sources(statements), *reason),
        Says::Permitted(_) => Decision::permitted(sources(statements), all_qualifiers(statements)),
    })
}

fn all_qualifiers(statements: &[Statement]) -> Vec<Qualifier> {
    let mut all = Vec::new();
    for statement in statements {
        if let Says::Permitted(qualifiers) = &statement.says {
            all.extend(qualifiers.iter().cloned());
        }
    }
    all
}

fn do_agree(statements: &[Statement]) -> bool {
    let permissions = statements.iter().filter(|statement| statement.says.is_permission()).count();
    permissions == 0 || permissions == statements.len()
}

fn scope_of(statement: &Statement, other: &Statement) -> Scope {
    scope::compare(statement.scope.as_ref(), other.scope.as_ref())
}

fn is_conventional(statement: &Statement) -> bool {
    statement.source.vocabulary == Vocabulary::Robots
}

/// The marked statements; the others lose by `rule`.
fn keep(
    statements: Vec<Statement>,
    marks: Vec<bool>,
    rule: ConflictRule,
    voice: &mut Voice,
) -> Vec<Statement> {
    let mut kept = Vec::new();
    for (statement, is_kept) in statements.into_iter().zip(marks) {
        if is_kept {
            kept.push(statement);
        } else {
            voice.overrule([statement.source], rule);
        }
    }
    kept
}
