//! Differences and idle rules, compared with all texts over a small alphabet.

use std::collections::BTreeSet;

use robomata_automaton::{
    CompareOptions, Difference, IdleRule, PatternProof, PatternProver, Program, Scratch, compare_programs,
    idle_rules, instances_of, instances_of_pattern, path_of,
};
use robomata_policy::Policy;
use robomata_protocol::{Access, Crawler, Dialect, Verdict};
use robomata_syntax::Config;

fn program(rules: &str, dialect: Dialect) -> Program {
    let file = format!("User-agent: *\n{rules}");
    Program::compile(&Policy::new(file.as_bytes(), &Config::new(dialect)).rules_for(&Crawler::new("x")))
}

/// The witnesses as `text: old line, new line`, and whether the result is exhaustive.
fn compared(old: &str, new: &str, dialect: Dialect, difference: Difference) -> (Vec<String>, bool) {
    let (old, new) = (program(old, dialect), program(new, dialect));
    let rules = [&old, &new].map(|program| program.as_ref().rules(dialect).unwrap());
    let options = CompareOptions { difference, ..CompareOptions::default() };
    let found = compare_programs(old.as_ref(), new.as_ref(), dialect, &options).unwrap();
    let mut scratch = Scratch::new();
    let told = found.witnesses.iter().map(|witness| {
        let line = |side: usize, place: Option<usize>| place.map_or(0, |place| rules[side][place].line);
        let lines = [line(0, witness.old), line(1, witness.new)];
        let verdicts = [&old, &new].map(|program| program.as_ref().verdict(&witness.text, &mut scratch));
        assert_eq!(verdicts.map(|verdict| verdict.line), lines);
        assert!(difference == Difference::Line || verdicts[0].access != verdicts[1].access);
        let path = path_of(&witness.text, dialect);
        format!("{}: {}, {}", path.escape_ascii(), lines[0], lines[1])
    });
    (told.collect(), found.is_exhaustive)
}

fn verdicts(old: &str, new: &str) -> Vec<String> {
    let (witnesses, is_exhaustive) = compared(old, new, Dialect::Rfc9309, Difference::Verdict);
    assert!(is_exhaustive);
    witnesses
}

#[test]
fn a_shortest_text_is_found_for_each_pair_of_rules() {
    assert_eq!(verdicts("Disallow: /a", "Disallow: /ab"), ["/a: 2, 0"]);
    assert_eq!(verdicts("Disallow: /a", "Disallow: /*b$"), ["/a: 2, 0", "/b: 0, 2"]);
    assert_eq!(verdicts("Disallow: /", "Disallow: /\nAllow: /*.css$"), ["/.css: 2, 3"]);
    assert_eq!(verdicts("Disallow: /x\nDisallow: /yy", "Allow: /"), ["/x: 2, 2", "/yy: 3, 2"]);
    // Only a byte that no pattern waits for shows this one.
    assert_eq!(verdicts("Disallow: /a\nAllow: /a$\nAllow: /ax", "Allow: /a"), ["/az: 2, 2"]);
}

/// In the path, `%26` is `&`. In the query, it is not, and a query begins with a `?` that no pattern contains.
#[test]
fn texts_with_a_query_are_tried_if_a_pattern_has_an_escape() {
    assert_eq!(verdicts("Disallow: /*%26", "Disallow: /*&"), ["/?%26: 2, 0"]);
}

/// `%c` is no escape, and stays as it is. With `B` after it, it would be one.
#[test]
fn no_text_has_an_escape_that_the_normal_form_writes_otherwise() {
    assert_eq!(verdicts("Disallow: /%*cB", ""), ["/%?cB: 2, 0"]);
}

/// A star stands for nothing, and for a byte that no pattern has.
#[test]
fn instances_fill_stars_with_a_byte_of_no_pattern() {
    let program = program("Disallow: /a*z*x$", Dialect::Rfc9309);
    let rules = program.as_ref().rules(Dialect::Rfc9309).unwrap();
    let texts: BTreeSet<Vec<u8>> = instances_of(&rules, Dialect::Rfc9309).into_iter().collect();
    assert!(texts.contains(&b"/azx"[..]) && texts.contains(&b"/aqzqx"[..]), "{texts:?}");
}

#[test]
fn equivalent_programs_are_proved_equivalent() {
    for (old, new) in [
        ("Disallow: /a", "Disallow: /a*"),
        ("Disallow: /a\nDisallow: /ab", "Disallow: /a"),
        ("Disallow: /\nAllow: /a", "Allow: /a\nDisallow: /*"),
        ("Disallow: /*a*b\nDisallow: /*a", "Disallow: /*a"),
        ("Disallow: /%41", "Disallow: /A"),
        // The only texts that the second line matches are not normal forms.
        ("Disallow: /b", "Disallow: /b\nDisallow: /%%341"),
        ("Allow: /robots.txt$\nDisallow: /", "Disallow: /"),
    ] {
        assert_eq!(verdicts(old, new), Vec::<String>::new(), "{old} and {new}");
        assert_eq!(verdicts(new, old), Vec::<String>::new(), "{new} and {old}");
    }
}

#[test]
fn other_lines_count_on_request() {
    let (old, new) = ("Disallow: /a\nDisallow: /b", "Disallow: /b\nDisallow: /a");
    assert_eq!(verdicts(old, new), Vec::<String>::new());
    let lines = compared(old, new, Dialect::Rfc9309, Difference::Line);
    assert_eq!(lines, (vec!["/a: 2, 3".to_owned(), "/b: 3, 2".to_owned()], true));
    // The same rule on another line.
    let lines = |old, new| compared(old, new, Dialect::Rfc9309, Difference::Line);
    assert_eq!(lines("Disallow: /a", "\nDisallow: /a"), (vec!["/a: 2, 3".to_owned()], true));
    assert_eq!(lines("\nDisallow: /a", "\nDisallow: /a"), (vec![], true));
}

#[test]
fn texts_are_what_a_dialect_compares() {
    let of = |dialect, old, new| compared(old, new, dialect, Difference::Verdict);
    let one = |text: &str| (vec![text.to_owned()], true);
    assert_eq!(of(Dialect::Koster1996, "Disallow: /a%3Fb", ""), one("/a%3Fb: 2, 0"));
    assert_eq!(of(Dialect::Koster1996, "Disallow: /%2f", ""), one("/%2F: 2, 0"));
    assert_eq!(of(Dialect::Google, "Disallow: /%41", "Disallow: /%4"), one("/%4: 0, 2"));
    assert_eq!(of(Dialect::Rfc9309, "Disallow: /\u{e9}", ""), one("/%C3%A9: 2, 0"));
    assert_eq!(of(Dialect::Google, "Disallow: /*%26%2F", ""), one("/%26%2F: 2, 0"));
    // An encoded delimiter remains one: `/` in the path, `&` in the query.
    assert_eq!(of(Dialect::Rfc9309, "Disallow: /%2F", ""), one("/%2F: 2, 0"));
    assert_eq!(of(Dialect::Rfc9309, "Disallow: /?%26", ""), one("/?%26: 2, 0"));
    assert_eq!(of(Dialect::Rfc9309, "Disallow: /??%26", ""), one("/??%26: 2, 0"));
    assert_eq!(of(Dialect::Rfc9309, "Disallow: /*%26", "Disallow: /*?*%26"), one("/&: 2, 0"));
}

#[test]
fn an_incomplete_comparison_says_so_and_tries_the_patterns() {
    // So many places in so many patterns at once that no budget is enough.
    let many = |letter: char| {
        (0..300)
            .map(|n| format!("Disallow: /*{n}*{letter}*{n}\nAllow: /*{n}*{n}*{letter}\n"))
            .collect::<String>()
    };
    let (old, new) = (program(&many('a'), Dialect::Rfc9309), program(&many('b'), Dialect::Rfc9309));
    let options = CompareOptions { budget: 100_000, ..CompareOptions::default() };
    let found = compare_programs(old.as_ref(), new.as_ref(), Dialect::Rfc9309, &options).unwrap();
    assert_eq!((found.is_exhaustive, found.witnesses.is_empty()), (false, false));
}

/// Besides the budget, there are some steps for each byte, so that long patterns are compared whole.
#[test]
fn a_comparison_has_some_steps_for_each_byte() {
    let long = "a".repeat(1_000);
    let (old, new) = (format!("Disallow: /{long}"), format!("Disallow: /{long}\nAllow: /{long}b"));
    let [old, new] = [old, new].map(|rules| program(&rules, Dialect::Rfc9309));
    let options = CompareOptions { budget: 12_000, ..CompareOptions::default() };
    let found = compare_programs(old.as_ref(), new.as_ref(), Dialect::Rfc9309, &options).unwrap();
    assert_eq!((found.is_exhaustive, found.witnesses.len()), (true, 1));
}

/// A comparison that ends before it finds a difference tries the patterns of one side, the best rule first.
#[test]
fn the_best_rule_of_one_side_is_tried_first() {
    let long = |letter: &str, count: usize| format!("Disallow: /*{}\n", letter.repeat(count));
    let options = CompareOptions { budget: 0, most: 1, ..CompareOptions::default() };
    let place_tried = |old: String, new: String| {
        let [old, new] = [old, new].map(|rules| program(&rules, Dialect::Rfc9309));
        let found = compare_programs(old.as_ref(), new.as_ref(), Dialect::Rfc9309, &options).unwrap();
        let places = found.witnesses.iter().map(|witness| (witness.old, witness.new)).collect::<Vec<_>>();
        (found.is_exhaustive, places)
    };
    let old = long("a", 42) + &long("b", 41);
    assert_eq!(place_tried(old.clone(), long("c", 50)), (false, vec![(Some(0), None)]));
    assert_eq!(place_tried(old + &long("c", 50), long("c", 50)), (false, vec![(Some(1), None)]));
}

fn random_rules(random: &mut fastrand::Rng) -> String {
    const PIECES: [&str; 9] = ["a", "b", "ab", "ba", "/", "*", "*", "a*", "$"];
    let mut rules = String::new();
    for _ in 0..random.usize(1..7) {
        rules += ["Allow: /", "Disallow: /", "Allow: *", "Disallow: *"][random.usize(0..4)];
        for _ in 0..random.usize(0..5) {
            rules += PIECES[random.usize(0..PIECES.len())];
        }
        rules += "\n";
    }
    rules
}

/// All texts of up to six bytes over those of the patterns and one more.
fn texts() -> Vec<Vec<u8>> {
    let mut texts = vec![b"/".to_vec()];
    let mut from = 0;
    for _ in 0..5 {
        let to = texts.len();
        for index in from..to {
            let text = texts[index].clone();
            texts.extend(b"ab/x$".iter().map(|&byte| [text.as_slice(), &[byte]].concat()));
        }
        from = to;
    }
    texts
}

#[test]
fn random_programs_differ_exactly_where_a_text_shows_it() {
    let (texts, mut random, mut scratch) = (texts(), fastrand::Rng::with_seed(5), Scratch::new());
    let mut differences = 0;
    for round in 0..500 {
        let old = random_rules(&mut random);
        // Real changes leave most rules unchanged.
        let more = random_rules(&mut random);
        let new = match round % 4 {
            0 => more,
            1 => old.clone() + more.lines().next().unwrap_or_default(),
            2 => old.lines().skip(1).map(|line| format!("{line}\n")).collect(),
            _ => old.replacen("Disallow", "Allow", 1),
        };
        let (witnesses, is_exhaustive) = compared(&old, &new, Dialect::Rfc9309, Difference::Verdict);
        assert!(is_exhaustive);
        let programs = [&old, &new].map(|rules| program(rules, Dialect::Rfc9309));
        let expected: BTreeSet<(u32, u32)> = texts
            .iter()
            .map(|text| programs.each_ref().map(|program| program.as_ref().verdict(text, &mut scratch)))
            .filter(|[old, new]| old.access != new.access)
            .map(|[old, new]: [Verdict; 2]| (old.line, new.line))
            .collect();
        let found = witnesses.iter().map(|witness| {
            let lines = witness.rsplit_once(": ").unwrap().1.split_once(", ").unwrap();
            (lines.0.parse().unwrap(), lines.1.parse().unwrap())
        });
        let found: BTreeSet<(u32, u32)> = found.collect();
        assert!(found.is_superset(&expected), "{old}\n{new}\n{found:?}\n{expected:?}");
        differences += expected.len();
    }
    assert!(differences > 300, "{differences}");
}

#[test]
fn random_idle_rules_decide_for_no_text_and_no_other_rule_is_idle() {
    let (texts, mut random, mut scratch) = (texts(), fastrand::Rng::with_seed(6), Scratch::new());
    let mut idle_seen = 0;
    for _ in 0..400 {
        let rules = random_rules(&mut random);
        let program = program(&rules, Dialect::Rfc9309);
        let listed = program.as_ref().rules(Dialect::Rfc9309).unwrap();
        let idle = idle_rules(program.as_ref(), &listed, Dialect::Rfc9309);
        let deciding: BTreeSet<u32> =
            texts.iter().map(|text| program.as_ref().verdict(text, &mut scratch).line).collect();
        for rule in &idle {
            let line = listed[rule.rule].line;
            assert!(!deciding.contains(&line), "line {line} of\n{rules}");
            assert!(!rule.winners.is_empty() && rule.winners.iter().all(|&winner| winner < rule.rule));
        }
        // Patterns are so short that a text of six bytes is enough for each.
        for (index, rule) in listed.iter().enumerate() {
            let is_idle = idle.iter().any(|idle| idle.rule == index);
            assert!(is_idle || deciding.contains(&rule.line) || rule.pattern.len() > 6, "{rule} of\n{rules}");
        }
        idle_seen += idle.len();
    }
    assert!(idle_seen > 40, "{idle_seen} idle rules");
}

fn idle(rules: &str) -> Vec<String> {
    idle_in(Dialect::Rfc9309, rules)
}

fn idle_in(dialect: Dialect, rules: &str) -> Vec<String> {
    let program = program(rules, dialect);
    let listed = program.as_ref().rules(dialect).unwrap();
    let idle = idle_rules(program.as_ref(), &listed, dialect);
    let line = |place: usize| listed[place].line;
    let by = |idle: &IdleRule| idle.winners.iter().map(|&place| line(place)).collect::<Vec<_>>();
    idle.iter().map(|idle| format!("{} by {:?}", line(idle.rule), by(idle))).collect()
}

#[test]
fn the_rule_that_always_wins_is_named() {
    assert_eq!(idle("Disallow: /a\nAllow: /*"), ["2 by [3]"]);
    assert_eq!(idle("Disallow: /a\nDisallow: /abc"), Vec::<String>::new());
    assert_eq!(idle("Disallow: /ab\nAllow: /***a"), ["2 by [3]"]);
    assert_eq!(idle("Allow: /a*b*c\nDisallow: /a*c"), Vec::<String>::new());
    assert_eq!(idle("Disallow: */a\nDisallow: /*/a"), Vec::<String>::new());
    assert_eq!(idle("Disallow: */a\nDisallow: /*/a\nDisallow: /a***"), ["2 by [3, 4]"]);
    assert_eq!(idle("Disallow: /robots.txt$"), ["2 by []"]);
    assert_eq!(idle("Disallow: /a$\nAllow: /a*\nAllow: /*"), ["2 by [3]"]);
    let program = program("Disallow: /a", Dialect::Rfc9309);
    assert_eq!(program.as_ref().rules(Dialect::Rfc9309).unwrap()[0].access, Access::Disallow);
}

/// The work for an adversarial file ends within seconds.
/// What follows a pattern is tried as a byte that no pattern has, even if patterns have odd ones.
#[test]
fn patterns_with_control_bytes_leave_other_rules_their_texts() {
    assert_eq!(idle("Allow: /a\nDisallow: /a*\u{1}"), Vec::<String>::new());
    let rules = "Allow: /a%00\nDisallow: /a";
    assert_eq!(idle_in(Dialect::Koster1996, rules), Vec::<String>::new());
}

#[test]
fn hostile_files_spend_the_budget_and_no_more() {
    let families: [Vec<String>; 4] = [
        (0..7_000).map(|n| format!("Disallow: /*a*b*{n}\n")).collect(),
        (0..8_000).map(|n| format!("Disallow: /*{n}$\n")).collect(),
        (1..400).map(|n| format!("Disallow: *{}*X\n", "a".repeat(n))).collect(),
        (0..5_000).map(|n| format!("Disallow: /a/long/head/{n}\n")).collect(),
    ];
    for family in families {
        let rules = family.concat();
        let changed = rules.replacen("Disallow", "Allow", 1).replace('X', "Y");
        let programs = [&rules, &changed].map(|rules| program(rules, Dialect::Rfc9309));
        let options = CompareOptions::default();
        let found =
            compare_programs(programs[0].as_ref(), programs[1].as_ref(), Dialect::Rfc9309, &options).unwrap();
        assert!(!found.witnesses.is_empty());
        let listed = programs[0].as_ref().rules(Dialect::Rfc9309).unwrap();
        idle_rules(programs[0].as_ref(), &listed, Dialect::Rfc9309);
    }
}

#[test]
fn instances_of_a_pattern_are_what_it_matches() {
    let instances = |pattern: &str| {
        let instances = instances_of_pattern(pattern.as_bytes(), Dialect::Rfc9309);
        instances.into_iter().map(|text| String::from_utf8(text).unwrap()).collect::<BTreeSet<_>>()
    };
    for (pattern, expected) in [
        ("/a*b", ["/ab", "/axb", "/abx", "/ab/x"].as_slice()),
        ("/a*b$", &["/ab", "/axb"]),
        ("/x*b$", &["/xb", "/xzb"]),
        ("*/b", &["/b", "/x/b", "/bx", "/b/x"]),
        ("*b$", &["/b", "/xb"]),
        // In the path, `%26` is `&`.
        ("/*%26", &["/&", "/x&", "/&x", "/&/x", "/?x%26"]),
        ("/a?*%26$", &["/a?%26", "/a?x%26", "/a??x%26"]),
    ] {
        let expected = expected.iter().map(ToString::to_string).collect();
        assert_eq!(instances(pattern), expected, "{pattern}");
    }
}

#[test]
fn a_proof_has_a_budget_and_some_steps_for_each_byte() {
    let prove = |rules: &str, pattern: &str, budget: u64| {
        let program = program(rules, Dialect::Rfc9309);
        let prover = PatternProver::new(program.as_ref(), Dialect::Rfc9309).unwrap();
        prover.prove(pattern.as_bytes(), Access::Disallow, budget)
    };
    assert_eq!(prove("Disallow: /a", "/aaaaaa", 0), PatternProof::Proved);
    let long = format!("/{}", "a".repeat(40));
    assert_eq!(prove(&format!("Disallow: {long}"), &long, 64), PatternProof::Spent);
    assert_eq!(prove(&format!("Disallow: {long}"), &long, 10_000), PatternProof::Proved);
}

#[test]
fn random_proofs_hold_for_all_texts_and_refutations_are_shortest() {
    let (texts, mut random, mut scratch) = (texts(), fastrand::Rng::with_seed(7), Scratch::new());
    let [mut proved, mut refuted] = [0; 2];
    for _ in 0..1_500 {
        let rules = random_rules(&mut random);
        let line = random_rules(&mut random).lines().next().unwrap().to_owned();
        let pattern = line.rsplit_once(": ").unwrap().1;
        let access = if random.bool() { Access::Allow } else { Access::Disallow };
        let [program, matcher] =
            [&rules, &format!("Disallow: {pattern}")].map(|rules| program(rules, Dialect::Rfc9309));
        let prover = PatternProver::new(program.as_ref(), Dialect::Rfc9309).unwrap();
        let refutes = |text: &&Vec<u8>, scratch: &mut Scratch| {
            let is_match = matcher.as_ref().verdict(text, scratch).access == Access::Disallow;
            is_match && program.as_ref().verdict(text, scratch).access != access
        };
        let shortest = texts.iter().filter(|text| refutes(text, &mut scratch)).map(Vec::len).min();
        match prover.prove(pattern.as_bytes(), access, 500_000) {
            PatternProof::Proved => {
                assert_eq!(shortest, None, "{pattern} {access}\n{rules}");
                proved += 1;
            }
            PatternProof::Refuted(text) => {
                assert!(refutes(&&text, &mut scratch), "{pattern} {access}\n{rules}");
                assert!(
                    shortest.is_none_or(|shortest| text.len() == shortest),
                    "{pattern} {access}\n{rules}"
                );
                refuted += 1;
            }
            PatternProof::Spent => panic!("{pattern} {access}\n{rules}"),
        }
    }
    assert!(proved > 300 && refuted > 300, "{proved} proved, {refuted} refuted");
}
