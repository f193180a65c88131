//! Drawings: what a text visits agrees with the verdict.

use std::collections::{BTreeSet, HashMap};

use robomata_automaton::{DrawnNode, NodeKind, Program, Scratch};
use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect};
use robomata_syntax::Config;

fn program(rules: &str) -> Program {
    program_in(Dialect::Rfc9309, rules)
}

fn program_in(dialect: Dialect, rules: &str) -> Program {
    let file = format!("User-agent: *\n{rules}");
    let policy = Policy::new(file.as_bytes(), &Config::new(dialect));
    Program::compile(&policy.rules_for(&Crawler::new("x")))
}

/// The lines of the rules at the nodes that `text` visits, if they match it.
fn lines(program: &Program, text: &[u8]) -> BTreeSet<u32> {
    let drawing = program.as_ref().drawing(Some(text), usize::MAX);
    assert!(drawing.is_complete);
    let nodes: HashMap<&str, &DrawnNode> =
        drawing.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    assert_eq!(nodes.len(), drawing.nodes.len(), "ids differ");
    for edge in &drawing.edges {
        assert!(nodes.contains_key(edge.from.as_str()) && nodes.contains_key(edge.to.as_str()), "{edge:?}");
    }
    assert!(drawing.walk.is_sorted_by_key(|visited| visited.position));
    let rules = drawing.walk.iter().flat_map(|visited| {
        let node = nodes[visited.node.as_str()];
        [node.rule, node.end_rule.filter(|_| visited.position == text.len())]
    });
    rules.flatten().map(|rule| rule.line).collect()
}

#[test]
fn the_deciding_rule_is_visited_and_every_visited_rule_matches() {
    const PIECES: [&str; 8] = ["a", "b", "ab", "ba", "/", "*", "a*", "$"];
    let (mut random, mut scratch) = (fastrand::Rng::with_seed(9), Scratch::new());
    let mut visited_kinds = [0; 6];
    for round in 0..300 {
        let mut rules = Vec::new();
        // A list holds a few patterns with stars, and an automaton all others.
        for number in 0..[5, 90][round % 2] {
            let mut rule =
                ["Allow: /", "Disallow: /", "Allow: *", "Disallow: *"][random.usize(0..4)].to_owned();
            for _ in 0..random.usize(0..6) {
                rule += PIECES[random.usize(0..PIECES.len())];
            }
            rules.push(if number < 60 {
                rule
            } else {
                format!("Disallow: /{}*c{number}*d", "a".repeat(number % 3))
            });
        }
        let whole = program(&rules.join("\n"));
        for _ in 0..20 {
            let mut text = b"/".to_vec();
            text.extend((0..random.usize(0..9)).map(|_| b"ab/x"[random.usize(0..4)]));
            let verdict = whole.as_ref().verdict(&text, &mut scratch);
            let visited = lines(&whole, &text);
            let context = || format!("{}\n{}", text.escape_ascii(), rules.join("\n"));
            assert!(
                verdict.line == 0 || visited.contains(&verdict.line),
                "{verdict:?} {visited:?} {}",
                context()
            );
            for line in visited {
                // A rule of its own: allow becomes disallow, so that a match is visible.
                let alone = rules[line as usize - 2].replacen("Allow", "Disallow", 1);
                let matches = program(&alone).as_ref().verdict(&text, &mut scratch).line == 2;
                assert!(matches, "line {line}: {}", context());
            }
            for kind in whole.as_ref().drawing(Some(&text), usize::MAX).nodes.iter().map(|node| node.kind) {
                visited_kinds[kind as usize] += 1;
            }
        }
    }
    let drawn = [NodeKind::Prefix, NodeKind::State, NodeKind::Wait, NodeKind::Pattern];
    assert!(drawn.iter().all(|&kind| visited_kinds[kind as usize] > 0), "{visited_kinds:?}");
}

#[test]
fn a_large_program_is_cut() {
    let rules: String = (0..3_000).map(|n| format!("Disallow: /{n}*x{n}\nDisallow: /y{n}\n")).collect();
    let large = program(&rules);
    let drawing = large.as_ref().drawing(Some(b"/7/x7"), 100);
    assert_eq!((drawing.nodes.len(), drawing.is_complete), (100, false));
    let ids: BTreeSet<&str> = drawing.nodes.iter().map(|node| node.id.as_str()).collect();
    assert!(
        drawing.edges.iter().all(|edge| ids.contains(edge.from.as_str()) && ids.contains(edge.to.as_str()))
    );
    assert!(drawing.walk.iter().all(|visited| ids.contains(visited.node.as_str())));
    let none = large.as_ref().drawing(None, 100);
    assert_eq!((none.walk.len(), none.nodes), (0, drawing.nodes));
}

#[test]
fn labels_are_quoted_in_dot() {
    let program = program_in(Dialect::Google, "Disallow: /\"\\\nAllow: /*\"$");
    let dot = program.as_ref().drawing(None, usize::MAX).to_string();
    assert!(dot.contains("label=\"/\\\"\\\\\"") && dot.contains("label=\"*\\\"$\""), "{dot}");
}

#[test]
fn states_name_the_segments_that_end_there() {
    // More segments than a pattern of a list has.
    let drawing = program("Disallow: /x*a*b*c*d*e*f*g*h*i$").as_ref().drawing(Some(b"/xa"), usize::MAX);
    let states = drawing.nodes.iter().filter(|node| node.kind == NodeKind::State);
    let labels: Vec<&str> = states.map(|state| state.label.as_str()).collect();
    let mut expected = vec![String::new()];
    expected.extend((1..=8).map(|number| format!("segment {number}\n")));
    expected.push("end: segment 9\n".to_owned());
    assert_eq!(labels, expected);
}

#[test]
fn a_text_visits_the_root_of_a_prefix_where_that_ends() {
    for rules in ["Disallow: /x*a", "Disallow: /x*a*b*c*d*e*f*g*h*i$"] {
        let drawing = program(rules).as_ref().drawing(Some(b"/xyz"), usize::MAX);
        let visited = |node: &str| {
            drawing.walk.iter().find(|visited| visited.node == node).map(|visited| visited.position)
        };
        assert_eq!((visited("w0"), visited("w1")), (Some(0), Some(2)), "{:?}", drawing.walk);
        // In the root state, no segment has begun.
        assert_eq!(visited("s0"), None);
    }
}

/// Of a list with more than eight patterns, a root has two bytes that say which patterns follow it.
#[test]
fn each_root_of_a_long_list_is_drawn_once() {
    let rules: String = (0..12).map(|n| format!("Disallow: /{}{n:02}*x\n", "long".repeat(20))).collect();
    let program = program(&rules);
    let drawing = program.as_ref().drawing(None, usize::MAX);
    let count = |kind: NodeKind| drawing.nodes.iter().filter(|node| node.kind == kind).count();
    // One root for each prefix, and the root of patterns without a prefix.
    assert_eq!((count(NodeKind::Pattern), count(NodeKind::Wait)), (12, 13));
    let text = format!("/{}07-x", "long".repeat(20));
    assert_eq!(lines(&program, text.as_bytes()), BTreeSet::from([9]));
}

#[test]
fn a_text_visits_the_chain_that_it_comes_to_the_end_of() {
    let rules: Vec<String> = (0..60).map(|n| format!("Disallow: /a{n:02}{}*r", "*q*s".repeat(20))).collect();
    let program = program(&rules.join("\n"));
    let text = |n: usize| format!("/a{n:02}{}r", "qs".repeat(20));
    for n in [0, 7, 59] {
        assert_eq!(lines(&program, text(n).as_bytes()), BTreeSet::from([2 + u32::try_from(n).unwrap()]));
    }
    assert!(lines(&program, text(60).as_bytes()).is_empty());
    let drawing = program.as_ref().drawing(None, usize::MAX);
    let chains = drawing.nodes.iter().filter(|node| node.kind == NodeKind::Chain).count();
    assert_eq!(chains, 60);
    // One symbol for each of the segments: q and s twenty times, and r.
    let labels = drawing.edges.iter().filter(|edge| edge.label.starts_with("symbols ")).map(|edge| {
        let symbols: BTreeSet<&str> = edge.label.split(' ').skip(1).collect();
        (edge.label.split(' ').count() - 1, symbols)
    });
    assert!(labels.into_iter().all(|found| found == (41, BTreeSet::from(["1", "2", "3"]))));
}
