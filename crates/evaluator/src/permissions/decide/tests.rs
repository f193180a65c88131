//! Levels, scopes, and precedence on one scope, each tested separately.

use super::*;

fn level() -> Level {
    Level { explicit: true, on_page: false, purpose: false, named: false, depth: 0 }
}

fn candidate<'a>(line: u32, level: Level, permits: bool, scope: &'a [u8]) -> Candidate<'a> {
    of(Vocabulary::Acap, line, level, permits, scope)
}

fn rule<'a>(line: u32, permits: bool, scope: &'a [u8]) -> Candidate<'a> {
    of(Vocabulary::Robots, line, level(), permits, scope)
}

fn of<'a>(vocabulary: Vocabulary, line: u32, level: Level, permits: bool, scope: &'a [u8]) -> Candidate<'a> {
    let source = Source { vocabulary, place: Place::RobotsTxt, line };
    let order = TextOrder::in_robots_txt(line);
    let says = if permits { Says::Permitted(()) } else { Says::Prohibited(PermissionReason::Explicit) };
    let members = Members::One(Member { source, order, qualifiers: Qualifiers::OfPage(&[]) });
    Candidate { level, exact: true, says, scope: Some(Scope::from_bytes(scope)), members }
}

/// `+` permitted, `-` prohibited, `?` undeterminable; then the line; then the lines that lost, each with the rule.
fn summary(candidates: Vec<Candidate<'_>>) -> String {
    let Some(Decision { says, source, conflicts }) = decide(candidates) else { return "nothing".to_owned() };
    let sign = match says {
        Says::Permitted(_) => '+',
        Says::Prohibited(PermissionReason::Undeterminable) => '?',
        Says::Prohibited(_) => '-',
    };
    let conflicts = conflicts.iter().map(|Conflict { loser, rule }| format!(" {} {rule}", loser.line));
    format!("{sign}{}{}", source.line, conflicts.collect::<String>())
}

fn scope(pattern: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    Scope::push(pattern.as_bytes(), &mut bytes);
    bytes
}

#[test]
fn each_level_overrules_those_below_by_its_rule() {
    let root = scope("/");
    let lower = [
        (Level { explicit: false, ..level() }, "explicit-over-other"),
        (level(), "innermost-place"),
        (Level { purpose: false, ..level() }, "purpose-over-general"),
        (Level { named: false, ..level() }, "named-over-any"),
        (Level { depth: 0, ..level() }, "innermost-place"),
    ];
    let tops = [
        level(),
        Level { on_page: true, ..level() },
        Level { purpose: true, ..level() },
        Level { named: true, ..level() },
        Level { depth: 1, ..level() },
    ];
    for ((below, rule), top) in lower.into_iter().zip(tops) {
        let candidates = vec![candidate(1, below, true, &root), candidate(2, top, false, &root)];
        assert_eq!(summary(candidates), format!("-2 1 {rule}"));
    }
}

#[test]
fn a_higher_level_outweighs_all_lower_ones() {
    let root = scope("/");
    let weak = Level { explicit: true, on_page: false, purpose: false, named: false, depth: 0 };
    let strong = Level { explicit: false, on_page: true, purpose: true, named: true, depth: 9 };
    assert_eq!(
        summary(vec![candidate(1, weak, true, &root), candidate(2, strong, false, &root)]),
        "+1 2 explicit-over-other"
    );
    assert_eq!(summary(Vec::new()), "nothing");
}

#[test]
fn the_page_overrules_a_robots_txt_for_every_crawler() {
    let root = scope("/");
    let page = Level { on_page: true, ..level() };
    let file = Level { purpose: true, named: true, ..level() };
    let candidates = vec![candidate(1, file, true, &root), candidate(2, page, false, &root)];
    assert_eq!(summary(candidates), "-2 1 innermost-place");
}

#[test]
fn scopes_decide_before_a_derived_usage_does() {
    let present =
        |line, permits, bytes| Candidate { exact: false, ..candidate(line, level(), permits, bytes) };
    let derived = |line, permits, bytes| candidate(line, level(), permits, bytes);
    let (root, secret, star_a, star_b) = (scope("/"), scope("/secret/"), scope("/*a"), scope("/*b"));
    assert_eq!(summary(vec![derived(1, true, &root), present(2, false, &secret)]), "-2 1 narrowest-scope");
    assert_eq!(
        summary(vec![present(1, false, &secret), derived(2, true, &secret)]),
        "+2 1 derived-over-present"
    );
    // It loses only to a derived field on its own scope.
    assert_eq!(summary(vec![present(1, false, &star_a), derived(2, true, &star_b)]), "?1 2 narrowest-scope");
}

#[test]
fn the_narrowest_scope_decides_and_wider_ones_settle_nothing() {
    let on = |line, permits, bytes| candidate(line, level(), permits, bytes);
    let (root, a, ab, any, star_a, star_b, end) =
        (scope("/"), scope("/a"), scope("/ab"), scope("/*"), scope("/*a"), scope("/*b"), scope("/ab$"));
    assert_eq!(summary(vec![on(1, false, &root), on(2, true, &a)]), "+2 1 narrowest-scope");
    assert_eq!(
        summary(vec![on(1, true, &any), on(2, false, &ab), on(3, true, &a)]),
        "-2 1 narrowest-scope 3 narrowest-scope"
    );
    // A `$` is wider than any byte, but narrower than nothing.
    assert_eq!(summary(vec![on(1, true, &end), on(2, false, &ab)]), "+1 2 narrowest-scope");
    // Of two patterns with a star, neither is narrower: undeterminable, unless they agree.
    assert_eq!(
        summary(vec![on(1, true, &root), on(2, true, &star_a), on(3, false, &star_b)]),
        "?3 1 narrowest-scope 2 narrowest-scope"
    );
    assert_eq!(
        summary(vec![on(1, true, &root), on(2, true, &star_a), on(3, true, &star_b)]),
        "+2 1 narrowest-scope"
    );
    // A contradiction on one scope remains, regardless of wider fields.
    assert_eq!(
        summary(vec![on(1, true, &a), on(2, false, &a), on(3, false, &root)]),
        "?2 1 narrowest-scope 3 narrowest-scope"
    );
}

#[test]
fn on_one_scope_fields_overrule_rules_and_allow_wins_among_rules() {
    let (a, star_a, star_b) = (scope("/a"), scope("/*a"), scope("/*b"));
    assert_eq!(
        summary(vec![rule(1, true, &a), candidate(2, level(), false, &a)]),
        "-2 1 acap-over-conventional"
    );
    assert_eq!(summary(vec![rule(1, false, &a), rule(2, true, &a)]), "+2 1 narrowest-scope");
    let many = vec![rule(1, false, &star_a), rule(2, false, &star_b), candidate(3, level(), false, &star_a)];
    assert_eq!(summary(many), "-2 1 acap-over-conventional");
}

#[test]
fn the_narrowest_scopes_have_no_narrower_one() {
    let texts = ["/", "/a", "/ab", "/a*", "/*", "/*a", "/*b", "/ab$", "/a$", "*", "/b", "/%2A"];
    let bytes: Vec<Vec<u8>> = texts.iter().map(|text| scope(text)).collect();
    let scopes: Vec<Scope<'_>> = bytes.iter().map(|bytes| Scope::from_bytes(bytes)).collect();
    // For every subset, the trie's result must equal that of comparing all pairs.
    for subset in 0_u32..1 << texts.len() {
        let chosen: Vec<Scope<'_>> =
            (0..texts.len()).filter(|place| subset >> place & 1 == 1).map(|place| scopes[place]).collect();
        let expected: Vec<bool> = chosen
            .iter()
            .map(|&own| chosen.iter().all(|other| other.to(own) != robomata_automaton::ScopeOrder::Narrower))
            .collect();
        assert_eq!(narrowest(&chosen), expected, "{chosen:?}");
    }
}
