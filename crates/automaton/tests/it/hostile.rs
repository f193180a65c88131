//! Adversarial inputs: size stays linear, and no bytes make a load or a walk panic.

use robomata_automaton::{Program, Scratch, ranked_rules};
use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect};
use robomata_syntax::Config;

fn compile(patterns: impl IntoIterator<Item = String>) -> (Program, usize) {
    let mut file = String::from("User-agent: *\n");
    for pattern in patterns {
        file.push_str(&format!("Disallow: {pattern}\n"));
    }
    let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Rfc9309));
    (Program::compile(&policy.rules_for(&Crawler::new("x"))), file.len())
}

/// The families of the design notes, about 100 KB each.
fn families() -> Vec<(&'static str, Vec<String>)> {
    let nested = |length: usize| format!("*{}*X", "a".repeat(length));
    // All words of nine letters over four, in counting order: every combination of prefixes and tails.
    let word = |mut n: usize| -> String {
        let letters = (0..9).map(|_| {
            let letter = ["a", "b", "c", "d"][n % 4];
            n /= 4;
            letter
        });
        letters.collect()
    };
    vec![
        ("/*a*b*N", (0..7_000).map(|n| format!("/*a*b*{n}")).collect()),
        ("stars", (0..7).map(|n| format!("/{}{n}", "*".repeat(16_000))).collect()),
        ("*a thirty times", vec![format!("/{}*b", "*a".repeat(30))]),
        ("nested", (1..440).map(nested).collect()),
        ("one head", (0..5_000).map(|n| format!("/a/long/head/{n}")).collect()),
        ("words", (0..8_000).map(|n| format!("*{}", word(n * 31))).collect()),
        ("ends", (0..8_000).map(|n| format!("/*{n}$")).collect()),
        ("one byte apart", (0..300).map(|n| format!("/{}", "a".repeat(n))).collect()),
    ]
}

#[test]
fn programs_stay_linear_in_their_rules() {
    for (family, patterns) in families() {
        let (program, file) = compile(patterns);
        let bytes = program.as_ref().bytes().len();
        assert!(bytes < 12 * file + 200, "{family}: a program of {bytes} bytes for a file of {file}");
    }
}

#[test]
fn twice_the_rules_are_at_most_about_twice_the_program() {
    for (family, patterns) in families() {
        let half = compile(patterns[..patterns.len() / 2].iter().cloned()).0.as_ref().bytes().len();
        let whole = compile(patterns).0.as_ref().bytes().len();
        // Numbers sometimes need the next width, so a program can grow a little faster than its rules.
        assert!(whole < 5 * half + 500, "{family}: {half} bytes, then {whole}");
    }
}

#[test]
fn corrupt_bytes_are_rejected_or_walk_safely() {
    let pattern_list = ["/a", "/ab$", "/a*b", "*c*d", "*.gif$", "/x*y*z$", "/x*y", "*dd", "/b/c/d", "/b/c/e"];
    let more =
        ["*c*e", "/a*c", "/a*d", "*.g$", "/x*z", "*cc*c", "*ddd", "/b*d*c", "/b*d*d", "*zy", "*yz", "*x$"];
    let all: Vec<u8> = (1..=255).collect();
    damage(&compile(pattern_list.map(str::to_owned)).0, &all);
    let patterns = || pattern_list.into_iter().chain(more).map(str::to_owned);
    damage(&compile(patterns().chain((0..60).map(|n| format!("/{n}*q")))).0, &all);
    let long = |n: usize| format!("/{n}{}$", "*c*d*cd".repeat(12 + n / 10));
    let chains = compile(patterns().chain((0..60).map(long))).0;
    assert!(format!("{chains:?}").contains("chains"));
    damage(&chains, &[1, 2, 0x80, 0xFF]);
}

#[test]
fn children_of_a_state_ascend() {
    let patterns = (b'Q'..=b'Z').map(|letter| format!("/*{}x", char::from(letter)));
    let program = compile(patterns.chain((0..60).map(|n| format!("/{n}*q")))).0;
    assert!(format!("{program:?}").contains("unanchored"));
    let mut bytes = program.as_ref().bytes().to_vec();
    let at = bytes.windows(10).position(|window| window == b"QRSTUVWXYZ").unwrap();
    for children in [b"RQSTUVWXYZ", b"QQSTUVWXYZ", b"QRSTUVWXZY"] {
        bytes[at..at + 10].copy_from_slice(children);
        assert!(Program::from_bytes(&bytes).is_err(), "{}", children.escape_ascii());
    }
    bytes[at..at + 10].copy_from_slice(b"QRSTUVWXYZ");
    assert_eq!(Program::from_bytes(&bytes).unwrap(), program);
}

#[test]
fn rules_without_a_line_are_refused() {
    // Lines of more than 15 bits: each rule has four bytes.
    let file = format!("User-agent: *\n{}Disallow: /a\nAllow: /b\n", "\n".repeat(40_000));
    let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Rfc9309));
    let program = Program::compile(&policy.rules_for(&Crawler::new("x")));
    for item in [2 * 40_002u32, 2 * 40_003 + 1] {
        let mut bytes = program.as_ref().bytes().to_vec();
        let at = bytes.windows(4).position(|window| window == item.to_le_bytes()).unwrap();
        for without in [0u32, 1] {
            bytes[at..at + 4].copy_from_slice(&without.to_le_bytes());
            assert!(Program::from_bytes(&bytes).is_err(), "{without} for {item}");
        }
    }
}

fn damage(program: &Program, changes: &[u8]) {
    let bytes = program.as_ref().bytes();
    assert_eq!(Program::from_bytes(bytes).unwrap(), *program);
    for length in 0..bytes.len() {
        assert!(Program::from_bytes(&bytes[..length]).is_err(), "cut to {length}");
    }
    let texts: [&[u8]; 5] = [b"/", b"/abcddd.gif", b"/xyzyzyz", b"/b/c/d/e", b"/ccccdddddxyz.gif"];
    let mut scratch = Scratch::new();
    let mut damaged = bytes.to_vec();
    let mut loaded = 0;
    for at in 0..bytes.len() {
        for &change in changes {
            damaged[at] = bytes[at] ^ change;
            if let Ok(program) = Program::from_bytes(&damaged) {
                loaded += 1;
                for text in texts {
                    program.as_ref().verdict(text, &mut scratch);
                    program.as_ref().matching_ranks(text, &mut scratch);
                }
            }
        }
        damaged[at] = bytes[at];
    }
    assert!(loaded > 0, "some changes, to labels or lines, leave a program");
}

#[test]
fn a_list_without_patterns_is_refused() {
    // Found by fuzzing. The list begins with the number of its patterns, 0: the first one was looked up outside the bytes.
    let forged = [
        4, 4, 1, 5, 0, 1, 2, 4, 2, 98, 0, 0, 98, 0, 0, 98, 0, 0, 0, 1, 4, 0, 1, 3, 0, 1, 0, 1, 31, 0, 0, 1,
        31, 0, 1, 2, 3, 1, 46, 47, 67, 103,
    ];
    assert!(Program::from_bytes(&forged).is_err());
}

#[test]
fn programs_are_readable_as_text_and_as_a_drawing() {
    let file = b"User-agent: *\nDisallow: /a*b\nAllow: /ab$\nDisallow: *.gif$";
    let policy = Policy::new(file, &Config::new(Dialect::Rfc9309));
    let rules = policy.rules_for(&Crawler::new("x"));
    let program = Program::compile(&rules);
    let text = format!("{program:?}");
    for part in
        ["3 rules", "rank 3: disallow, line 4", "\"/a\", wakes 1", "at the end rank 2", "rank 3: *.gif$"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let many = compile((0..80).map(|n| format!("/a*b{n}*c"))).0;
    let text = format!("{many:?}");
    assert!(text.contains("state 0:"), "more patterns than a list takes are an automaton");
    assert!(
        text.contains("longest segment") && !text.contains("rank 0"),
        "what is missing is not in\n{text}"
    );
    let failing = compile((0..60).flat_map(|n| [format!("/*a{n}b"), format!("/*b{n}")])).0;
    let drawing = failing.as_ref().drawing(None, usize::MAX).to_string();
    let fails: Vec<&str> = drawing.lines().filter(|line| line.contains("style=dotted")).collect();
    let to_the_root = fails.iter().filter(|line| line.contains("-> s0 ")).count();
    assert!(!fails.is_empty() && to_the_root == 0, "what fails to the root is not drawn\n{drawing}");
    for program in [&program, &many] {
        let drawing = program.as_ref().drawing(None, usize::MAX).to_string();
        assert!(drawing.starts_with("digraph program {") && drawing.trim_end().ends_with('}'));
    }
    let patterns: Vec<String> = ranked_rules(&rules).into_iter().map(|rule| rule.pattern).collect();
    assert_eq!(patterns, ["*.gif$", "/ab$", "/a*b"]);
}
