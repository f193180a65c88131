//! Compares programs with a matcher that tries every placement, on patterns and texts with many matches.

use robomata_automaton::{Program, Scratch};
use robomata_policy::Policy;
use robomata_protocol::{Access, Crawler, Dialect, Verdict};
use robomata_syntax::Config;

/// Whether `pattern` matches a prefix of `text` (all of it when the pattern ends in `$`).
///
/// `reach[i]`: whether the pattern so far can end before `text[i]`.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (pattern, anchored) = match pattern {
        [rest @ .., b'$'] => (rest, true),
        _ => (pattern, false),
    };
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    for &symbol in pattern {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            next[at] = match symbol {
                b'*' => reach[at] || at > 0 && next[at - 1],
                byte => at > 0 && reach[at - 1] && text[at - 1] == byte,
            };
        }
        reach = next;
    }
    if anchored { reach[text.len()] } else { reach.contains(&true) }
}

/// The verdict from looking at every rule: most bytes, allow on a tie, the first line among equals.
fn slow_verdict(rules: &[(Access, Vec<u8>)], text: &[u8]) -> Verdict {
    let mut best: Option<(usize, Access, usize)> = None;
    for (number, (access, pattern)) in rules.iter().enumerate() {
        if pattern.is_empty() || !matches(pattern, text) {
            continue;
        }
        let better = best.is_none_or(|(bytes, other, _)| (pattern.len(), *access) > (bytes, other));
        if better {
            best = Some((pattern.len(), *access, number));
        }
    }
    best.map_or(Verdict::NO_RULE, |(_, access, number)| {
        Verdict::by_rule(access, u32::try_from(number).unwrap() + 2)
    })
}

fn program(rules: &[(Access, Vec<u8>)]) -> Program {
    program_in(Dialect::Rfc9309, rules)
}

fn program_in(dialect: Dialect, rules: &[(Access, Vec<u8>)]) -> Program {
    let mut file = b"User-agent: *\n".to_vec();
    for (access, pattern) in rules {
        file.extend_from_slice(access.as_str().as_bytes());
        file.extend_from_slice(b": ");
        file.extend_from_slice(pattern);
        file.push(b'\n');
    }
    let policy = Policy::new(&file, &Config::new(dialect));
    Program::compile(&policy.rules_for(&Crawler::new("x")))
}

fn random_pattern(random: &mut fastrand::Rng) -> Vec<u8> {
    const PIECES: [&str; 14] =
        ["a", "b", "ab", "aba", "aab", "/", "*", "*", "**", "a*", "$", "c", "/*", "*$"];
    let mut pattern = if random.u8(0..4) == 0 { String::new() } else { "/".to_owned() };
    for _ in 0..random.usize(0..7) {
        pattern.push_str(PIECES[random.usize(0..PIECES.len())]);
    }
    pattern.into_bytes()
}

fn random_text(random: &mut fastrand::Rng) -> Vec<u8> {
    let length = random.usize(0..14);
    std::iter::once(b'/').chain((0..length).map(|_| *random.choice(b"aaabbb/c$").unwrap())).collect()
}

#[test]
fn random_rules_decide_as_if_each_were_tried() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut scratch = Scratch::new();
    let mut decided = 0;
    for round in 0..4_000 {
        // Few rules become a list, many an automaton.
        let most = if round % 2 == 0 { 14 } else { 150 };
        let rules: Vec<(Access, Vec<u8>)> = (0..random.usize(1..most))
            .map(|_| {
                let access = if random.bool() { Access::Allow } else { Access::Disallow };
                (access, random_pattern(&mut random))
            })
            .collect();
        let program = program(&rules);
        for _ in 0..20 {
            let text = random_text(&mut random);
            let expected = slow_verdict(&rules, &text);
            let verdict = program.as_ref().verdict(&text, &mut scratch);
            assert_eq!(verdict, expected, "{} on {rules:?}\n{program:?}", text.escape_ascii());
            decided += usize::from(verdict.line > 0);
            let ranks = program.as_ref().matching_ranks(&text, &mut scratch);
            assert_eq!(ranks.is_empty(), verdict.line == 0);
        }
    }
    assert!(decided > 20_000, "only {decided} of 80,000 texts were decided by a rule");
}

/// Rules whose segments are followed as chains: with symbols of one byte and of two, and texts of several windows.
#[test]
fn random_rules_of_many_segments_decide_as_if_each_were_tried() {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    let mut scratch = Scratch::new();
    let word = |random: &mut fastrand::Rng, longest: usize| -> String {
        (0..random.usize(1..=longest)).map(|_| if random.bool() { 'a' } else { 'b' }).collect()
    };
    let (mut decided, mut of_chains) = (0, 0);
    for (rules, segments, longest, texts, bytes) in
        [(320, 12, 3, 60, 40), (320, 12, 3, 4, 5_000), (1_300, 60, 7, 3, 250), (320, 12, 6, 4, 2_100)]
    {
        let rules: Vec<(Access, Vec<u8>)> = (0..rules)
            .map(|number| {
                let mut pattern = ["", "/", "/a", "/ab"][number % 4].to_owned();
                for _ in 0..random.usize(segments / 2..=segments) {
                    pattern.push('*');
                    pattern.push_str(&word(&mut random, longest));
                }
                pattern.push_str(["", "$", "*", "*c"][number / 4 % 4]);
                (if random.bool() { Access::Allow } else { Access::Disallow }, pattern.into_bytes())
            })
            .collect();
        let program = program(&rules);
        let shown = format!("{program:?}");
        assert!(shown.contains("chains"));
        for _ in 0..texts {
            // Mostly letters that no segment has, so that chains go through several windows.
            let mut text = vec![if random.u8(0..4) == 0 { b'c' } else { b'd' }; bytes];
            let known = random.usize(20..60);
            for _ in 0..known {
                let word = word(&mut random, 12).into_bytes();
                let near = if random.bool() { bytes.min(2_048) } else { bytes };
                let at = random.usize(near / 2..near + near / 100).min(bytes - word.len());
                text[at..at + word.len()].copy_from_slice(&word);
            }
            let start = [&b"/"[..], b"/a", b"/ab", b"/b"][random.usize(0..4)];
            text[..start.len()].copy_from_slice(start);
            let expected = slow_verdict(&rules, &text);
            let verdict = program.as_ref().verdict(&text, &mut scratch);
            assert_eq!(verdict, expected, "{} on {rules:?}", text.escape_ascii());
            decided += 1;
            of_chains += usize::from(verdict.line > 0);
            let matching = rules.iter().filter(|(_, pattern)| matches(pattern, &text)).count();
            assert_eq!(program.as_ref().matching_ranks(&text, &mut scratch).len(), matching);
        }
    }
    assert!(of_chains > decided / 3, "only {of_chains} of {decided} texts were decided by a rule");
}

/// Koster 1996, 3.2.2: the first path that the text begins with, byte for byte.
#[test]
fn the_first_prefix_decides_under_koster1996() {
    const PIECES: [&[u8]; 10] = [b"a", b"b", b"ab", b"*", b"$", b"/", b"\xFF", b"\x01", b"?", b"a*a"];
    let mut random = fastrand::Rng::with_seed(19_961_115);
    let mut piece_by_piece = |most: usize| -> Vec<u8> {
        (0..random.usize(0..most)).flat_map(|_| PIECES[random.usize(0..PIECES.len())]).copied().collect()
    };
    let (mut scratch, mut decided) = (Scratch::new(), 0);
    for round in 0..2_000_usize {
        let rules: Vec<(Access, Vec<u8>)> = (0..1 + round % 60)
            .map(|number| {
                let access = if number % 3 == 0 { Access::Allow } else { Access::Disallow };
                (access, [b"/", piece_by_piece(6).as_slice()].concat())
            })
            .collect();
        let program = program_in(Dialect::Koster1996, &rules[1..]);
        for _ in 0..20 {
            let text = [b"/", piece_by_piece(9).as_slice()].concat();
            let first = rules[1..].iter().zip(2..).find(|((_, path), _)| text.starts_with(path));
            let expected =
                first.map_or(Verdict::NO_RULE, |(&(access, _), line)| Verdict::by_rule(access, line));
            let verdict = program.as_ref().verdict(&text, &mut scratch);
            assert_eq!(verdict, expected, "{} on {rules:?}\n{program:?}", text.escape_ascii());
            decided += usize::from(verdict.line > 0);
        }
    }
    assert!((10_000..39_000).contains(&decided), "{decided} of 40,000 texts were decided by a rule");
}

#[test]
fn a_segment_that_overlaps_its_predecessor_does_not_count() {
    let rules = [(Access::Disallow, b"*ab*bc".to_vec())];
    let program = program(&rules);
    let mut scratch = Scratch::new();
    for (text, line) in [("/abc", 0), ("/abbc", 2), ("/abxbc", 2), ("/ababc", 2), ("/bcab", 0)] {
        assert_eq!(program.as_ref().verdict(text.as_bytes(), &mut scratch).line, line, "{text}");
    }
}

/// Where the longest of many nested segments ends, all of them do: more than one word of bits has.
#[test]
fn any_of_many_nested_segments_is_found_where_all_of_them_end() {
    const SEGMENTS: usize = 200;
    let rule = |n: usize| (Access::Disallow, format!("/{n}/*{}a", "b".repeat(n)).into_bytes());
    let rules: Vec<_> = (1..SEGMENTS).map(rule).collect();
    let (program, mut scratch) = (program(&rules), Scratch::new());
    for n in 1..SEGMENTS {
        let text = format!("/{n}/{}a", "b".repeat(SEGMENTS)).into_bytes();
        let expected = Verdict::by_rule(Access::Disallow, u32::try_from(n).unwrap() + 1);
        assert_eq!(program.as_ref().verdict(&text, &mut scratch), expected, "{n}");
    }
}

#[test]
fn scratch_may_go_from_program_to_program() {
    let wide = program(&[(Access::Disallow, b"/*a*b*c*d*e$".to_vec())]);
    let narrow = program(&[(Access::Disallow, b"/x*y".to_vec())]);
    let mut scratch = Scratch::new();
    for _ in 0..3 {
        assert_eq!(wide.as_ref().verdict(b"/1a2b3c4d5e", &mut scratch).line, 2);
        assert_eq!(narrow.as_ref().verdict(b"/x1y", &mut scratch).line, 2);
        assert_eq!(narrow.as_ref().verdict(b"/y1x", &mut scratch).line, 0);
    }
}

#[test]
fn lists_at_their_limits_match_like_automata() {
    const FIRST: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._";
    let mut random = fastrand::Rng::with_seed(64);
    // The number of patterns, the bytes of their longest segments, and whether they still are a list.
    let cases = [
        (48, 32, true),
        (48, 33, false),
        (49, 32, false),
        (64, 8, true),
        (64, 9, false),
        (65, 1, false),
        (36, 64, true),
        (37, 64, false),
        (14, 255, true),
        (14, 256, false),
        (1, 255, true),
        (1, 256, false),
    ];
    let mut decided = 0;
    for (count, longest, is_list) in cases {
        let words: Vec<Vec<u8>> = (0..count)
            .map(|number| {
                let mut word: Vec<u8> = (0..longest).map(|_| b"aab~"[random.usize(0..4)]).collect();
                // All are different, so that none is left out.
                word[0] = FIRST[number];
                word
            })
            .collect();
        let rules: Vec<(Access, Vec<u8>)> = words
            .iter()
            .map(|word| {
                let before = ["/", "/a", ""][random.usize(0..3)].as_bytes();
                let after = ["", "$", "*b$", "*"][random.usize(0..4)].as_bytes();
                let access = if random.bool() { Access::Allow } else { Access::Disallow };
                (access, [before, b"*", word, after].concat())
            })
            .collect();
        let program = program(&rules);
        assert_eq!(format!("{program:?}").contains("a list of"), is_list, "{count} of {longest}");
        assert_eq!(Program::from_bytes(program.as_ref().bytes()).unwrap(), program);
        for _ in 0..200 {
            let mut text = ["/", "/a", "/b"][random.usize(0..3)].as_bytes().to_vec();
            for _ in 0..random.usize(0..4) {
                let mut word = words[random.usize(0..words.len())].clone();
                if random.bool() {
                    let at = random.usize(0..word.len());
                    word[at] = b"ab~"[random.usize(0..3)];
                }
                text.extend(word);
                text.extend(&b"ab~"[random.usize(0..4)..]);
            }
            let verdict = program.as_ref().verdict(&text, &mut Scratch::new());
            assert_eq!(verdict, slow_verdict(&rules, &text), "{} on {rules:?}", text.escape_ascii());
            decided += usize::from(verdict.line > 0);
        }
    }
    assert!((800..1_600).contains(&decided), "{decided} of {} texts", 200 * cases.len());
}

#[test]
fn a_text_that_is_not_a_target_matches_no_prefix() {
    let disallow = |patterns: &[&str]| {
        let rules: Vec<_> = patterns.iter().map(|p| (Access::Disallow, p.as_bytes().to_vec())).collect();
        program(&rules)
    };
    let many: Vec<String> = (0..80).map(|number| format!("/*x{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for patterns in [&["/", "/a"][..], &["/a", "/*b"], &many] {
        let program = disallow(patterns);
        for text in ["", "a", "ab", "x59"] {
            let verdict = program.as_ref().verdict(text.as_bytes(), &mut Scratch::new());
            let expected = patterns.iter().any(|p| p.strip_prefix("/*").is_some_and(|p| text.contains(p)));
            assert_eq!(verdict.line > 0, expected, "{text:?} against {patterns:?}");
        }
    }
}

/// Whether rules with these patterns become a program with chains. Such a program is loaded again.
fn has_chains(patterns: impl Iterator<Item = String>) -> bool {
    let rules: Vec<_> = patterns.map(|pattern| (Access::Disallow, pattern.into_bytes())).collect();
    let program = program(&rules);
    assert_eq!(Program::from_bytes(program.as_ref().bytes()).unwrap(), program);
    format!("{program:?}").contains("chains")
}

#[test]
fn chains_have_few_different_segments_unless_many_wait_nodes_are_saved() {
    let of_words = |patterns: usize, segments: usize, words: usize| {
        let word = move |n: usize| format!("*w{}", n % words);
        let pattern = move |first| (first..first + segments).map(word).collect();
        has_chains((0..patterns).map(pattern))
    };
    assert!(of_words(100, 30, 100));
    // 300 different segments, for at least 150 wait nodes each, or fewer.
    assert!(of_words(100, 451, 300));
    assert!(!of_words(100, 449, 300));
    // There are never more than 1,024.
    assert!(!of_words(300, 8, 4_000));
}

#[test]
fn a_chain_has_a_sufficient_share_of_wait_nodes_of_its_own() {
    // Five groups of 200 patterns, so that there are few different segments.
    let with_own = |own: usize| {
        let (shared, rest) = ("*a".repeat(60 - own), "*b".repeat(own - 1));
        has_chains((0..1_000).map(|n| format!("/{}{shared}*w{}{rest}", n / 200, n % 200)))
    };
    assert!(with_own(4));
    assert!(!with_own(3));
}

#[test]
fn a_pattern_of_one_segment_needs_no_wait_node() {
    let rules: Vec<_> = (0..70).map(|n| (Access::Disallow, format!("*x{n:02}").into_bytes())).collect();
    let text = format!("{:?}", program(&rules));
    assert!(text.contains("wait 0: root") && !text.contains("wait 1:"), "{text}");
}

/// The first segment of a chain may begin right after the prefix, and a later one may be the only one in its window.
#[test]
fn a_chain_may_begin_in_any_window() {
    let pattern = |n: usize| format!("/b*a{n:02}{}*r", "*q".repeat(40)).into_bytes();
    let rules: Vec<_> = (0..60).map(|n| (Access::Disallow, pattern(n))).collect();
    let (program, mut scratch) = (program(&rules), Scratch::new());
    assert!(format!("{program:?}").contains("chains"));
    for (before, after) in [(0, 0), (2_000, 0), (4_000, 2_500), (20_000, 5_000)] {
        let text = format!("/b{}a07{}{}r", "x".repeat(before), "q".repeat(40), "x".repeat(after));
        assert_eq!(program.as_ref().verdict(text.as_bytes(), &mut scratch).line, 2 + 7, "{before}, {after}");
    }
}

#[test]
fn a_program_is_empty_if_no_rule_can_match() {
    assert!(program(&[]).as_ref().is_empty());
    assert!(!program(&[(Access::Allow, b"/".to_vec())]).as_ref().is_empty());
}
