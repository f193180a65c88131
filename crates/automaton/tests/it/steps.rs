//! Counts the steps of walks: shortcuts that change no answer still have to save steps.

use robomata_automaton::{Program, Scratch};
use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect};
use robomata_syntax::Config;

fn compile(patterns: impl IntoIterator<Item = String>) -> Program {
    let lines: String = patterns.into_iter().map(|pattern| format!("Disallow: {pattern}\n")).collect();
    let file = format!("User-agent: *\n{lines}");
    let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Rfc9309));
    Program::compile(&policy.rules_for(&Crawler::new("x")))
}

fn steps(program: &Program, text: &str) -> u64 {
    program.as_ref().steps(text.as_bytes(), &mut Scratch::new())
}

#[test]
fn one_missing_probe_excludes_every_pattern_of_a_list_that_needs_it() {
    let program = compile((0..20).map(|n| format!("/*~x{n}")));
    assert!(format!("{program:?}").contains("a list of 20 patterns"));
    assert_eq!(steps(&program, "/a/longer/path/without/the/probe"), 1);
}

#[test]
fn a_list_is_not_searched_after_a_prefix_with_a_better_rank() {
    let list_is_worse = compile(["/abcdef", "*~x"].map(str::to_owned));
    assert_eq!(steps(&list_is_worse, "/abcdef/~x"), 1);
    // A probe, the pattern, and one comparison.
    let list_is_better = compile(["/a", "*~xyz"].map(str::to_owned));
    assert_eq!(steps(&list_is_better, "/abcdef/~xyz"), 1 + 4);
}

/// The bound of a walk, without chains: see the crate's documentation.
fn bound(text: usize, segments: &[String], waits: usize) -> u64 {
    let count = segments.len();
    let bytes: usize = segments.iter().map(String::len).sum();
    let on_paths = (2 * bytes).isqrt() / 64;
    (text * (count.ilog2() as usize + 1 + 4 + on_paths + 1) + count + 3 * waits) as u64
}

#[test]
fn few_paths_of_nested_segments_end_at_one_position() {
    // The longest path is in the middle of its siblings, whatever their order.
    let segments: Vec<String> =
        (1..=100).flat_map(|n| ["a", "b", "c"].map(|first| first.to_owned() + &"b".repeat(n))).collect();
    let program = compile(segments.iter().map(|segment| format!("/*{segment}*X")));
    let text = format!("/{}", "b".repeat(1_000));
    let (steps, most) = (steps(&program, &text), bound(text.len(), &segments, 2 * segments.len() + 1));
    assert!((1_000..=most).contains(&steps), "{steps} of at most {most} steps");
}

#[test]
fn a_chain_is_visited_only_where_the_segment_ends_that_it_waits_for() {
    const CHAINS: usize = 60;
    let program = compile((0..CHAINS).map(|n| format!("/*a{n:02}{}", "*q".repeat(40))));
    assert!(format!("{program:?}").contains("chains"));
    // Every chain waits for `q`. Nothing ends in the second half, which takes about eight windows.
    let words: String = (0..CHAINS).map(|n| format!("a{n:02}")).collect();
    let text = |length| format!("/{words}{}", "x".repeat(length));
    let more = steps(&program, &text(32_000)) - steps(&program, &text(16_000));
    let (windows, symbols) = (9, CHAINS as u64 + 1);
    assert!((symbols..=windows * symbols).contains(&more), "{more} steps");
}
