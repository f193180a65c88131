//! robomata's unanchored matching on a stock automaton: all segments of all rules in one `aho-corasick` contiguous NFA,
//! searched with overlaps. Prefixes follow a BEGIN and last segments precede an END.
//!
//! BEGIN and END are bytes above 0x7F, which no normal form contains. The comparison shows the benefit of the compact
//! layout, the trie of prefixes and the resolved priorities. The code aims at correctness and simplicity.

use std::collections::HashMap;
use std::hint::black_box;

use aho_corasick::automaton::{Automaton, OverlappingState};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, Input, MatchKind};
use robomata_engine::{Access, Config, Crawler, Dialect, Policy};

use super::Library;
use super::rules::{Pattern, ranked};
use crate::corpus::Form;

const BEGIN: u8 = 0xFE;
const END: u8 = 0xFF;

pub(super) struct Segments {
    crawler: Crawler,
    config: Config,
    walk: Walk,
    text: Vec<u8>,
}

impl Segments {
    pub(super) fn new(crawler: &Crawler) -> Self {
        let config = Config::new(Dialect::Rfc9309);
        Segments { crawler: crawler.clone(), config, walk: Walk::default(), text: Vec::new() }
    }
}

/// The rules of one file.
pub(super) struct Ready {
    /// `None` if there is no rule.
    automaton: Option<NFA>,
    tree: Tree,
    access: Vec<Access>,
}

/// The patterns as paths of segments that share their prefixes. Node 0 is the root.
struct Tree {
    nodes: Vec<Node>,
    /// By segment: the child of the root that it leads to, or 0.
    first: Vec<u32>,
    lengths: Vec<u32>,
}

#[derive(Default)]
struct Node {
    /// The segment that leads here.
    segment: u32,
    /// 1-based rank of the pattern that ends here, or 0.
    rank: u32,
    children: Vec<u32>,
}

impl Library for Segments {
    type Ready = Ready;

    const FORM: Form = Form::Target;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        let patterns = ranked(body, &self.crawler, &self.config);
        let (tree, strings) = Tree::of(&patterns);
        let automaton = match strings.is_empty() {
            true => None,
            false => Some(NFA::builder().match_kind(MatchKind::Standard).build(&strings).ok()?),
        };
        Some(Ready { automaton, tree, access: patterns.iter().map(|pattern| pattern.access).collect() })
    }

    fn parse(&mut self, body: &'static [u8]) {
        black_box(Policy::new(body, &self.config));
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        let Some(automaton) = &ready.automaton else { return true };
        if question == "/robots.txt" {
            return true;
        }
        self.text.clear();
        self.text.push(BEGIN);
        self.text.extend_from_slice(question.as_bytes());
        self.text.push(END);
        match self.walk.best(automaton, &ready.tree, &self.text) {
            0 => true,
            rank => ready.access[rank as usize - 1] == Access::Allow,
        }
    }
}

impl Tree {
    /// Builds the tree of the patterns, and the strings of its segments.
    fn of(patterns: &[Pattern]) -> (Self, Vec<Vec<u8>>) {
        let mut segment_of: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut child_of: HashMap<(u32, u32), u32> = HashMap::new();
        let mut nodes = vec![Node::default()];
        for (rank, pattern) in (1..).zip(patterns) {
            let mut at = 0;
            for string in strings(pattern) {
                let next = u32::try_from(segment_of.len()).expect("few segments");
                let segment = *segment_of.entry(string).or_insert(next);
                at = *child_of.entry((at, segment)).or_insert_with(|| {
                    let child = u32::try_from(nodes.len()).expect("few nodes");
                    nodes[at as usize].children.push(child);
                    nodes.push(Node { segment, ..Node::default() });
                    child
                });
            }
            nodes[at as usize].rank = rank;
        }
        let mut strings = vec![Vec::new(); segment_of.len()];
        for (string, segment) in segment_of {
            strings[segment as usize] = string;
        }
        let mut first = vec![0; strings.len()];
        for &child in &nodes[0].children {
            first[nodes[child as usize].segment as usize] = child;
        }
        let lengths =
            strings.iter().map(|string| u32::try_from(string.len()).expect("short segments")).collect();
        (Tree { nodes, first, lengths }, strings)
    }
}

/// The segments of a pattern with BEGIN and END.
fn strings(pattern: &Pattern) -> Vec<Vec<u8>> {
    let mut strings = Vec::new();
    if !pattern.head.is_empty() || pattern.floating.is_empty() {
        strings.push([&[BEGIN], pattern.head.as_slice()].concat());
    }
    strings.extend(pattern.floating.iter().cloned());
    if pattern.is_anchored
        && let Some(last) = strings.last_mut()
    {
        last.push(END);
    }
    strings
}

/// The state of a walk.
#[derive(Default)]
struct Walk {
    /// By segment: the nodes that wait for it, each with the position where its parent ended, in the order in which
    /// they began to wait; and the number of nodes that have moved on.
    waiting: Vec<(Vec<(u32, u32)>, usize)>,
    /// Segments with waiting nodes, cleared after the walk.
    used: Vec<u32>,
    /// By segment: whether its child of the root has been reached.
    is_reached: Vec<bool>,
    reached: Vec<u32>,
    best: u32,
}

impl Walk {
    /// The best rank of the patterns that match `text`.
    fn best(&mut self, automaton: &NFA, tree: &Tree, text: &[u8]) -> u32 {
        self.begin(tree.lengths.len());
        let mut state = OverlappingState::start();
        let input = Input::new(text).anchored(Anchored::No);
        while automaton.try_find_overlapping(&input, &mut state).is_ok()
            && let Some(found) = state.get_match()
        {
            let end = u32::try_from(found.end()).expect("short texts");
            self.seen(tree, found.pattern().as_u32(), end);
        }
        self.best
    }

    fn begin(&mut self, segments: usize) {
        for segment in self.used.drain(..) {
            let (queue, gone) = &mut self.waiting[segment as usize];
            queue.clear();
            *gone = 0;
        }
        for segment in self.reached.drain(..) {
            self.is_reached[segment as usize] = false;
        }
        if self.waiting.len() < segments {
            self.waiting.resize_with(segments, Default::default);
            self.is_reached.resize(segments, false);
        }
        self.best = 0;
    }

    /// Handles a match of `segment` that ends at `end`: the nodes that have waited for it since its start, or longer,
    /// move on.
    fn seen(&mut self, tree: &Tree, segment: u32, end: u32) {
        let first = tree.first[segment as usize];
        if first > 0 && !self.is_reached[segment as usize] {
            self.is_reached[segment as usize] = true;
            self.reached.push(segment);
            self.activate(tree, first, end);
        }
        let start = end - tree.lengths[segment as usize];
        loop {
            let (queue, gone) = &mut self.waiting[segment as usize];
            match queue.get(*gone) {
                Some(&(node, since)) if since <= start => {
                    *gone += 1;
                    self.activate(tree, node, end);
                }
                _ => return,
            }
        }
    }

    fn activate(&mut self, tree: &Tree, node: u32, end: u32) {
        let node = &tree.nodes[node as usize];
        self.best = self.best.max(node.rank);
        for &child in &node.children {
            let segment = tree.nodes[child as usize].segment;
            let (queue, _) = &mut self.waiting[segment as usize];
            if queue.is_empty() {
                self.used.push(segment);
            }
            queue.push((child, end));
        }
    }
}
