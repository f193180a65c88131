//! Decompiled rules: their form, and that they compile into the same answers.

use std::collections::BTreeSet;

use robomata_automaton::{Program, Scratch, ranked_rules};
use robomata_policy::Policy;
use robomata_protocol::{Access, Crawler, Dialect};
use robomata_syntax::Config;

fn program(file: &[u8], dialect: Dialect) -> Program {
    Program::compile(&Policy::new(file, &Config::new(dialect)).rules_for(&Crawler::new("x")))
}

/// The rules as `Disallow: /private`, the best first.
fn rules(file: &str, dialect: Dialect) -> Vec<String> {
    let program = program(file.as_bytes(), dialect);
    let rules = program.as_ref().rules(dialect).unwrap();
    assert!(rules.iter().rev().map(|rule| rule.rank).eq(1..=program.as_ref().rule_count()));
    rules.iter().map(ToString::to_string).collect()
}

#[test]
fn a_rule_comes_back_in_its_normal_form() {
    let file = "User-agent: *\nDisallow: /%7Ejoe\nAllow: /*.gif$\nDisallow: /a%2A%24$\nDisallow: /b$c\nAllow: /xz*\nDisallow: /*y";
    let expected = [
        // An encoded `%2A` or `%24` counts as three.
        "Disallow: /a%2A$$",
        "Allow: *.gif$",
        "Disallow: /~joe",
        "Allow: /xz*",
        "Disallow: /b$c",
        "Disallow: /*y",
    ];
    assert_eq!(rules(file, Dialect::Rfc9309), expected);
}

/// An empty Disallow allows where it has an effect (P3).
#[test]
fn rules_in_their_order_have_the_access_of_the_program() {
    let file = b"User-agent: *\nDisallow:\nDisallow: /a\nDisallow: $";
    for (dialect, expected) in [
        (Dialect::Google, [(3, Access::Disallow), (4, Access::Disallow), (2, Access::Allow)]),
        (Dialect::Yandex, [(3, Access::Disallow), (2, Access::Allow), (4, Access::Disallow)]),
    ] {
        let policy = Policy::new(file, &Config::new(dialect));
        let ranked = ranked_rules(&policy.rules_for(&Crawler::new("x")));
        let found: Vec<(u32, Access)> = ranked.iter().map(|rule| (rule.line, rule.access)).collect();
        assert_eq!(found, expected, "{dialect}");
        for rule in program(file, dialect).as_ref().rules(dialect).unwrap() {
            assert!(found.contains(&(rule.line, rule.access)), "{dialect}: {rule}");
        }
    }
}

/// In the dialect google, a byte and its %XX are different patterns.
#[test]
fn control_characters_of_rules_are_shown_apart_from_their_escapes() {
    let file = "User-agent: *\nDisallow: /a\u{1}b\nDisallow: /a%01b\nDisallow: /\u{7f}";
    let expected = ["Disallow: /a%01b", "Disallow: /a\\u{1}b", "Disallow: /\\u{7f}"];
    assert_eq!(rules(file, Dialect::Google), expected);
    let expected = ["Disallow: /a%01b", "Disallow: /a%01b", "Disallow: /%7F"];
    assert_eq!(rules(file, Dialect::Koster1996)[..], expected[1..]);
    assert_eq!(rules(file, Dialect::Rfc9309)[..], expected[1..]);
}

#[test]
fn each_reading_comes_back_as_a_rule_of_its_own() {
    let file = "User-agent: *\nDisallow: /c/*%2b\nDisallow: /*%2Fx?y%3D";
    let found = program(file.as_bytes(), Dialect::Rfc9309);
    let rules = found.as_ref().rules(Dialect::Rfc9309).unwrap();
    let shown: Vec<String> = rules.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["Disallow: /*%2Fx?y%3D", "Disallow: *?*/x?y%3D", "Disallow: /c/*%2B", "Disallow: /c/*+"]
    );
    assert_eq!(rules[2].pattern, b"/c/*%%32B");
    // In this dialect nothing is decoded, so there is one reading, whatever the star matches.
    let google = program(file.as_bytes(), Dialect::Google);
    assert_eq!(google.as_ref().rules(Dialect::Google).unwrap().len(), 2);
}

#[test]
fn equal_lengths_keep_the_order_of_their_lines_however_large() {
    // Both match `/ab`. The second was written with four bytes, so it decides: with three, the line before it would.
    let file = format!("User-agent: *\n{}Disallow: /ab\nDisallow: /a**\n", "\n".repeat(100_000));
    let found = program(file.as_bytes(), Dialect::Rfc9309);
    let rules = found.as_ref().rules(Dialect::Rfc9309).unwrap();
    let patterns: Vec<(&[u8], u32)> = rules.iter().map(|rule| (&*rule.pattern, rule.line)).collect();
    assert_eq!(patterns, [(&b"/a**"[..], 100_003), (b"/ab", 100_002)]);
}

#[test]
fn a_percent_sign_before_hex_digits_remains_one() {
    // The normal forms are `%aab`, `%61` and `%26` in the path: none of them may be read as an escape.
    let file = "User-agent: *\nDisallow: *%%61ab\nDisallow: /%%361\nDisallow: /%%326\nAllow: /";
    let found = program(file.as_bytes(), Dialect::Acap);
    let rules = found.as_ref().rules(Dialect::Acap).unwrap();
    let patterns: Vec<String> =
        rules.iter().map(|rule| String::from_utf8(rule.pattern.clone()).unwrap()).collect();
    assert_eq!(patterns, ["/*%%61ab", "/%%361", "/%%326", "/"]);
}

#[test]
fn rules_that_never_decide_because_of_their_shape_are_dropped() {
    let file = "User-agent: *\nDisallow: /a\nAllow: /a\nAllow: /a\nDisallow:\nDisallow: b\nDisallow: /%61\nDisallow: /ab";
    assert_eq!(rules(file, Dialect::Rfc9309), ["Disallow: /ab", "Allow: /a"]);
}

#[test]
fn stars_that_the_order_needs_come_back() {
    let file = "User-agent: *\nDisallow: /abc\nAllow: /a*****\nAllow: /*****d$";
    assert_eq!(rules(file, Dialect::Rfc9309), ["Allow: /**d$", "Allow: /a**", "Disallow: /abc"]);
}

#[test]
fn dollars_are_encoded_where_the_order_needs_bytes_and_there_is_no_star() {
    let patterns = |file: &str| -> Vec<String> {
        let program = program(file.as_bytes(), Dialect::Rfc9309);
        let rules = program.as_ref().rules(Dialect::Rfc9309).unwrap();
        rules.iter().map(|rule| String::from_utf8(rule.pattern.clone()).unwrap()).collect()
    };
    // Of 9 and 8 bytes. An encoding adds two: of 5, 7 and 9 bytes, only the last is more than the 7 of `*x*$*$*`.
    let file = "User-agent: *\nDisallow: /x%24%24$\nAllow: /*x*$*$*";
    assert_eq!(patterns(file), ["/x%24%24$", "/*x*$*$*"]);
    // Of 6 and 8 bytes, the second is enough.
    let file = "User-agent: *\nDisallow: /x%24%24%24$\nAllow: /*x*$*$*";
    assert_eq!(patterns(file), ["/x%24$$$", "*x*$*$*"]);
}

#[test]
fn a_dialect_writes_its_own_ordinary_bytes() {
    let file = "User-agent: *\nDisallow: /a*b$\nDisallow: /%2A$x\nDisallow: /%2f%%e9%20";
    assert_eq!(
        rules(file, Dialect::Google),
        ["Disallow: /%2F%%E9%20", "Disallow: /%2A$x", "Disallow: /a*b$"]
    );
    assert_eq!(
        rules(file, Dialect::Koster1996),
        ["Disallow: /a*b$", "Disallow: /*$x", "Disallow: /%2F%25%E9%20"]
    );
    let index = "User-agent: *\nAllow: /d/index.html\nDisallow: /";
    assert_eq!(rules(index, Dialect::Google), ["Allow: /d/index.html", "Allow: /d/$", "Disallow: /"]);
}

fn random_pattern(random: &mut fastrand::Rng) -> Vec<u8> {
    const PIECES: [&str; 26] = [
        "a", "b", "ab", "aba", "aab", "/", "*", "*", "**", "a*", "$", "c", "/*", "*$", "%2A", "%24", "%e9",
        " *", "%", "%2f", "?", "%2B", "+", "%%61", "%%361", "%%326",
    ];
    let mut pattern = if random.u8(0..4) == 0 { String::new() } else { "/".to_owned() };
    for _ in 0..random.usize(0..7) {
        pattern.push_str(PIECES[random.usize(0..PIECES.len())]);
    }
    pattern.into_bytes()
}

fn random_text(random: &mut fastrand::Rng) -> Vec<u8> {
    const PIECES: [&[u8]; 17] = [
        b"a", b"a", b"b", b"/", b"c", b"$", b"*", b" ", b"%E9", b"%", b"?", b"%2B", b"%2F", b"+", b"%aa",
        b"%61", b"%26",
    ];
    let length = random.usize(0..14);
    let pieces = (0..length).flat_map(|_| PIECES[random.usize(0..PIECES.len())].iter().copied());
    std::iter::once(b'/').chain(pieces).collect()
}

#[test]
fn decompiled_rules_compile_into_the_same_answers() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let (mut scratch, mut decided) = (Scratch::new(), BTreeSet::new());
    for round in 0..4_000 {
        let dialect = Dialect::ALL[round % Dialect::ALL.len()];
        // Few rules become a list, many an automaton.
        let most = if round % 3 == 0 { 150 } else { 14 };
        let mut file = b"User-agent: *\n".to_vec();
        for _ in 0..random.usize(1..most) {
            file.extend_from_slice(if random.bool() { b"Allow: " } else { b"Disallow: " });
            file.extend_from_slice(&random_pattern(&mut random));
            file.push(b'\n');
        }
        let first = program(&file, dialect);
        let mut rules = first.as_ref().rules(dialect).unwrap();
        rules.sort_by_key(|rule| rule.line);
        let mut again = b"User-agent: *\n".to_vec();
        for rule in &rules {
            let key: &[u8] = if rule.access == Access::Allow { b"Allow: " } else { b"Disallow: " };
            again.extend([key, &rule.pattern, b"\n"].concat());
        }
        let second = program(&again, dialect);
        for _ in 0..20 {
            let text = random_text(&mut random);
            let expected = first.as_ref().verdict(&text, &mut scratch);
            let found = second.as_ref().verdict(&text, &mut scratch);
            let line = if found.line == 0 { 0 } else { rules[found.line as usize - 2].line };
            assert_eq!(
                (found.access, line),
                (expected.access, expected.line),
                "{dialect}: {} on\n{}\nread back as\n{}",
                text.escape_ascii(),
                String::from_utf8_lossy(&file),
                String::from_utf8_lossy(&again)
            );
            if line > 0 {
                decided.insert((round, line));
            }
        }
    }
    assert!(decided.len() > 5_000, "only {} rules decided", decided.len());
}

#[test]
fn corrupt_bytes_give_rules_or_an_error_and_no_panic() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut loaded, mut refused) = (0, 0);
    for round in 0..60 {
        let mut file = b"User-agent: *\n".to_vec();
        for _ in 0..if round % 2 == 0 { 12 } else { 90 } {
            file.extend([b"Disallow: ".as_slice(), &random_pattern(&mut random), b"\n"].concat());
        }
        let bytes = program(&file, Dialect::Rfc9309).as_ref().bytes().to_vec();
        for _ in 0..300 {
            let mut bytes = bytes.clone();
            let at = random.usize(0..bytes.len());
            bytes[at] ^= 1 << random.u8(0..8);
            let Ok(program) = Program::from_bytes(&bytes) else { continue };
            loaded += 1;
            refused += usize::from(program.as_ref().rules(Dialect::Rfc9309).is_err());
        }
    }
    assert!(loaded > 1_000 && refused > 100, "{loaded} loaded, {refused} of them refused");
}

#[test]
fn an_encoded_delimiter_after_a_star_is_written_so_that_only_the_path_has_it() {
    let patterns = |file: &str| {
        let found = program(file.as_bytes(), Dialect::Rfc9309);
        let rules = found.as_ref().rules(Dialect::Rfc9309).unwrap();
        rules.into_iter().map(|rule| String::from_utf8(rule.pattern).unwrap()).collect::<Vec<_>>()
    };
    // In a query, `%2F` is `/`, so it would be read in two ways after a star.
    assert_eq!(patterns("User-agent: *\nDisallow: /x*%2F"), ["/x*%%32F", "/x*?*/"]);
    assert_eq!(patterns("User-agent: *\nDisallow: /x?*%26"), ["/x?*%26"]);
    assert_eq!(patterns("User-agent: *\nDisallow: /%2F"), ["/%2F"]);
}

#[test]
fn a_slash_is_added_where_the_rule_before_leaves_room() {
    let file = "User-agent: *\nDisallow: /*aaa\nDisallow: /*bb";
    assert_eq!(rules(file, Dialect::Rfc9309), ["Disallow: /*aaa", "Disallow: /*bb"]);
    // With the slash, both are as long, and the first line decides, however far down it is.
    let far = format!("User-agent: *\n{}Disallow: /aaa\nDisallow: /*bb", "\n".repeat(100_000));
    assert_eq!(rules(&far, Dialect::Rfc9309), ["Disallow: /aaa", "Disallow: /*bb"]);
}

/// Many long patterns that share no wait nodes are chains.
#[test]
fn chains_come_back_as_their_patterns() {
    let pattern = |n: usize| {
        let end = if n.is_multiple_of(2) { "$" } else { "" };
        format!("Disallow: /{n}{}{end}", "*c*d*cd".repeat(12 + n / 10))
    };
    let lines: BTreeSet<String> = (10..70).map(pattern).collect();
    let file = format!("User-agent: *\n{}", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    assert_eq!(rules(&file, Dialect::Rfc9309).into_iter().collect::<BTreeSet<_>>(), lines);
}
