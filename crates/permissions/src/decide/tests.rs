//! Levels, scopes, and precedence on one scope, each tested separately.

use robomata_protocol::Usage;

use super::*;
use crate::acap::scope_of;
use crate::tables::TableBuilder;

/// A statement with the pattern of its scope.
struct Said {
    candidate: Candidate,
    pattern: &'static str,
}

fn on(line: u32, permits: bool, pattern: &'static str) -> Said {
    at(line, Level::EXPLICIT, permits, pattern)
}

fn at(line: u32, level: Level, permits: bool, pattern: &'static str) -> Said {
    let candidate = Candidate {
        level,
        scope: 0,
        statement: StatementId::Group(line),
        line,
        prohibits: !permits,
        is_exact: true,
        has_ended: false,
        is_wider: false,
    };
    Said { candidate, pattern }
}

fn rule(line: u32, permits: bool, pattern: &'static str) -> Said {
    let Said { candidate, pattern } = on(line, permits, pattern);
    Said { candidate: Candidate { statement: StatementId::Rule(line), ..candidate }, pattern }
}

fn of_present(line: u32, permits: bool, pattern: &'static str) -> Said {
    let Said { candidate, pattern } = on(line, permits, pattern);
    Said { candidate: Candidate { is_exact: false, ..candidate }, pattern }
}

/// Keeps the lines that lost, and asks the observer for bulk for the verdict.
#[derive(Default)]
struct Course {
    lost: Vec<(ConflictRule, u32)>,
}

impl Observer for Course {
    type Decision = Verdict;

    fn lost(&mut self, candidate: &Candidate, rule: ConflictRule) {
        self.lost.push((rule, candidate.line));
    }

    fn together(&mut self, deciding: &[Candidate]) -> Verdict {
        Winner.together(deciding)
    }

    fn undeterminable(&mut self, contradicting: &[Candidate]) -> Verdict {
        Winner.undeterminable(contradicting)
    }
}

/// `+` permitted, `-` prohibited, `?` undeterminable; then the line; then the lines that lost, each with the rule.
fn summary(said: Vec<Said>) -> String {
    let scopes: Vec<Box<[u8]>> = said.iter().map(|said| scope_of(said.pattern.as_bytes())).collect();
    let scopes: Vec<Scope<'_>> = scopes.iter().map(|scope| Scope::from_bytes(scope)).collect();
    let mut builder = TableBuilder::default();
    let scopes = builder.push_scopes(&scopes);
    let words: Vec<u8> = builder.words(Usage::Crawl).into_iter().flat_map(u32::to_le_bytes).collect();
    let tables = Tables::find(builder.scopes(), &words).unwrap();
    let candidates = said.into_iter().zip(scopes);
    let mut candidates = candidates.map(|(said, scope)| Candidate { scope, ..said.candidate }).collect();
    let mut course = Course::default();
    let Some(verdict) = decide(&mut candidates, &tables, &mut course) else { return "nothing".to_owned() };
    let sign = match (verdict.reason, verdict.access) {
        (Reason::Undeterminable, _) => '?',
        (_, Access::Allow) => '+',
        (_, Access::Disallow) => '-',
    };
    course.lost.sort_unstable();
    let lost = course.lost.iter().filter(|(_, line)| *line != verdict.line);
    let lost = lost.map(|(rule, line)| format!(" {line} {rule}"));
    format!("{sign}{}{}", verdict.line, lost.collect::<String>())
}

#[test]
fn each_level_overrules_those_below_by_its_rule() {
    let level = Level::EXPLICIT;
    let tops = [
        (Level::default(), level, "explicit-over-other"),
        (level, level.with(Level::ON_PAGE, true), "innermost-place"),
        (level, level.with(Level::FOR_PURPOSE, true), "purpose-over-general"),
        (level, level.with(Level::NAMED, true), "named-over-any"),
        (level, level.with(Level::at_depth(1), true), "innermost-place"),
    ];
    for (below, top, rule) in tops {
        let said = vec![at(1, below, true, "/"), at(2, top, false, "/")];
        assert_eq!(summary(said), format!("-2 1 {rule}"));
    }
}

#[test]
fn a_higher_level_outweighs_all_lower_ones() {
    let parts = [Level::ON_PAGE, Level::FOR_PURPOSE, Level::NAMED, Level::at_depth(9)];
    let strong = parts.into_iter().fold(Level::default(), |level, part| level.with(part, true));
    let said = vec![at(1, Level::EXPLICIT, true, "/"), at(2, strong, false, "/")];
    assert_eq!(summary(said), "+1 2 explicit-over-other");
    assert_eq!(summary(Vec::new()), "nothing");
}

#[test]
fn the_page_overrules_a_robots_txt_for_every_crawler() {
    let page = Level::EXPLICIT.with(Level::ON_PAGE, true);
    let file = Level::EXPLICIT.with(Level::FOR_PURPOSE, true).with(Level::NAMED, true);
    assert_eq!(summary(vec![at(1, file, true, "/"), at(2, page, false, "/")]), "-2 1 innermost-place");
}

#[test]
fn scopes_decide_before_a_derived_usage_does() {
    assert_eq!(summary(vec![on(1, true, "/"), of_present(2, false, "/secret/")]), "-2 1 narrowest-scope");
    assert_eq!(
        summary(vec![of_present(1, false, "/secret/"), on(2, true, "/secret/")]),
        "+2 1 derived-over-present"
    );
    // It loses only to a derived field on its own scope.
    assert_eq!(summary(vec![of_present(1, false, "/*a"), on(2, true, "/*b")]), "?1 2 narrowest-scope");
}

#[test]
fn the_narrowest_scope_decides_and_wider_ones_settle_nothing() {
    assert_eq!(summary(vec![on(1, false, "/"), on(2, true, "/a")]), "+2 1 narrowest-scope");
    assert_eq!(
        summary(vec![on(1, true, "/*"), on(2, false, "/ab"), on(3, true, "/a")]),
        "-2 1 narrowest-scope 3 narrowest-scope"
    );
    // A `$` is wider than any byte, but narrower than nothing.
    assert_eq!(summary(vec![on(1, true, "/ab$"), on(2, false, "/ab")]), "+1 2 narrowest-scope");
    // Of two patterns with a star, neither is narrower: undeterminable, unless they agree.
    assert_eq!(
        summary(vec![on(1, true, "/"), on(2, true, "/*a"), on(3, false, "/*b")]),
        "?3 1 narrowest-scope 2 narrowest-scope"
    );
    assert_eq!(
        summary(vec![on(1, true, "/"), on(2, true, "/*a"), on(3, true, "/*b")]),
        "+2 1 narrowest-scope"
    );
    // A contradiction on one scope remains, regardless of wider fields.
    assert_eq!(
        summary(vec![on(1, true, "/a"), on(2, false, "/a"), on(3, false, "/")]),
        "?2 1 narrowest-scope 3 narrowest-scope"
    );
}

#[test]
fn on_one_scope_fields_overrule_rules_and_allow_wins_among_rules() {
    assert_eq!(summary(vec![rule(1, true, "/a"), on(2, false, "/a")]), "-2 1 acap-over-conventional");
    assert_eq!(summary(vec![rule(1, false, "/a"), rule(2, true, "/a")]), "+2 1 narrowest-scope");
    let many = vec![rule(1, false, "/*a"), rule(2, false, "/*b"), on(3, false, "/*a")];
    assert_eq!(summary(many), "-2 1 acap-over-conventional");
}

#[test]
fn a_prohibition_that_is_not_overruled_stays() {
    let [any, named] = [false, true].map(|holds| Level::EXPLICIT.with(Level::NAMED, holds));
    let purpose = any.with(Level::FOR_PURPOSE, true);
    let present = |line, level, permits, pattern| {
        let Said { candidate, pattern } = at(line, level, permits, pattern);
        Said { candidate: Candidate { is_exact: false, ..candidate }, pattern }
    };
    assert_eq!(
        summary(vec![at(1, any, false, "/"), present(2, named, true, "/")]),
        "-1 2 derived-over-present"
    );
    assert_eq!(
        summary(vec![at(1, any, true, "/a"), at(2, any, false, "/"), present(3, named, true, "/")]),
        "-2 3 derived-over-present 1 named-over-any"
    );
    assert_eq!(summary(vec![at(1, named, false, "/"), at(2, purpose, true, "/")]), "?1 2 narrowest-scope");
    // What is overruled loses by the criterion of the highest level.
    let both = purpose.with(Level::NAMED, true);
    let said = vec![at(1, named, false, "/"), at(2, purpose, true, "/"), at(3, both, true, "/")];
    assert_eq!(summary(said), "+3 1 purpose-over-general 2 named-over-any");
    // The highest does not overrule it, another one does.
    let inner = named.with(Level::at_depth(1), true);
    let said = vec![at(1, named, false, "/"), at(2, purpose, true, "/"), at(3, inner, true, "/")];
    assert_eq!(summary(said), "+2 1 purpose-over-general 3 purpose-over-general");
}
