//! A program as a drawing: its nodes and edges, and the nodes that a text visits. As text, it is Graphviz DOT.

use std::collections::{HashSet, VecDeque};
use std::fmt;

use robomata_protocol::Access;

use crate::chains::Chains;
use crate::decompile::{Segment, segments_of};
use crate::int::{Middle, Narrow, Wide, Width};
use crate::pattern::End;
use crate::pattern_list::PatternList;
use crate::prefix::Node;
use crate::program::{Parts, ProgramRef, UnanchoredPart};
use crate::rank::Rank;
use crate::unanchored::Unanchored;

/// A drawing of a program ([`ProgramRef::drawing`]). Its `Display` is Graphviz DOT: `dot -Tsvg` converts it to a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The nodes; those of prefixes come first, nearest to the beginning first.
    pub nodes: Vec<DrawnNode>,
    /// The edges between these nodes.
    pub edges: Vec<DrawnEdge>,
    /// The nodes that the text visits, in order.
    pub walk: Vec<VisitedNode>,
    /// Whether the drawing has all nodes and edges.
    pub is_complete: bool,
}

/// A node of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnNode {
    /// A name that no other node of the drawing has.
    pub id: String,
    /// What it stands for.
    pub kind: NodeKind,
    /// Text besides the rules; lines end with a line feed.
    pub label: String,
    /// The best rule that matches once a text has reached the node.
    pub rule: Option<DrawnRule>,
    /// The best rule that matches when a text ends at the node.
    pub end_rule: Option<DrawnRule>,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The beginning of the text.
    Begin,
    /// A node of the trie of prefixes.
    Prefix,
    /// A state of the automaton that finds segments anywhere.
    State,
    /// A place in patterns where the next segment is expected.
    Wait,
    /// A pattern of the list of patterns.
    Pattern,
    /// A pattern of very many segments.
    Chain,
}

impl NodeKind {
    /// `begin`, `prefix`, `state`, `wait`, `pattern` or `chain`.
    pub const fn as_str(self) -> &'static str {
        match self {
            NodeKind::Begin => "begin",
            NodeKind::Prefix => "prefix",
            NodeKind::State => "state",
            NodeKind::Wait => "wait",
            NodeKind::Pattern => "pattern",
            NodeKind::Chain => "chain",
        }
    }
}

/// A rule at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnRule {
    /// Its 1-based line.
    pub line: u32,
    /// Whether it allows or disallows.
    pub access: Access,
}

/// An edge of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnEdge {
    /// The id of the node where it begins.
    pub from: String,
    /// The id of the node where it ends.
    pub to: String,
    /// The bytes that it reads, or its segments. Bytes other than those of printable ASCII are escaped.
    pub label: String,
    /// How a text follows it.
    pub kind: EdgeKind,
}

/// How a text follows an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// By its next bytes.
    Bytes,
    /// By these segments, somewhere after the beginning of the edge.
    Segments,
    /// At once.
    Wakes,
    /// When no other edge of the node leads on.
    Fails,
}

impl EdgeKind {
    /// `bytes`, `segments`, `wakes` or `fails`.
    pub const fn as_str(self) -> &'static str {
        match self {
            EdgeKind::Bytes => "bytes",
            EdgeKind::Segments => "segments",
            EdgeKind::Wakes => "wakes",
            EdgeKind::Fails => "fails",
        }
    }
}

/// A node that a text visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitedNode {
    /// The id of the node.
    pub node: String,
    /// The number of bytes that were read before.
    pub position: usize,
}

impl ProgramRef<'_> {
    /// Draws the program with at most `most` nodes, and the way of `text`, a target in normal form, if there is one. The
    /// way stays in all patterns, also after a rule has matched that wins over the rest.
    pub fn drawing(self, text: Option<&[u8]>, most: usize) -> Drawing {
        let parts = self.parts();
        let drawing = Drawing { is_complete: true, ..Drawing::default() };
        let mut pen =
            Pen { parts: &parts, text, most, drawing, roots: vec![None; parts.unanchored.roots() as usize] };
        pen.prefixes();
        match parts.unanchored {
            UnanchoredPart::None => {}
            UnanchoredPart::PatternList { list, .. } => pen.list(&list),
            UnanchoredPart::SegmentAutomaton { counts, width, arrays } => {
                match width {
                    1 => pen.unanchored(&Unanchored::<Narrow>::new(counts, arrays)),
                    2 => pen.unanchored(&Unanchored::<Middle>::new(counts, arrays)),
                    _ => pen.unanchored(&Unanchored::<Wide>::new(counts, arrays)),
                }
                if let Some(chains) = Chains::after(&counts, width, arrays) {
                    pen.chains(&chains);
                }
            }
        }
        pen.finish()
    }
}

struct Pen<'d> {
    parts: &'d Parts<'d>,
    text: Option<&'d [u8]>,
    most: usize,
    drawing: Drawing,
    /// By root: the position at which the text wakes the patterns after its prefix.
    roots: Vec<Option<usize>>,
}

impl Pen<'_> {
    fn node(&mut self, id: String, kind: NodeKind, label: String, [rank, end_rank]: [Rank; 2]) {
        if self.drawing.nodes.len() >= self.most {
            self.drawing.is_complete = false;
            return;
        }
        let rule = |rank: Rank| {
            (rank > 0).then(|| {
                let (access, line) = self.parts.rule(rank);
                DrawnRule { line, access }
            })
        };
        let (rule, end_rule) = (rule(rank), rule(end_rank));
        self.drawing.nodes.push(DrawnNode { id, kind, label, rule, end_rule });
    }

    fn edge(&mut self, from: String, to: String, label: String, kind: EdgeKind) {
        // What leads out of nodes that are not drawn need not be remembered.
        if self.drawing.is_complete {
            self.drawing.edges.push(DrawnEdge { from, to, label, kind });
        }
    }

    fn visit(&mut self, node: String, position: usize) {
        self.drawing.walk.push(VisitedNode { node, position });
    }

    fn prefixes(&mut self) {
        let (parts, prefixes) = (self.parts, self.parts.prefix());
        if let Some(root) = self.roots.first_mut().filter(|_| self.text.is_some()) {
            *root = Some(0);
        }
        self.node("begin".to_owned(), NodeKind::Begin, String::new(), [0; 2]);
        if self.text.is_some() {
            self.visit("begin".to_owned(), 0);
        }
        // Each node with the position of the text there, if the text reaches it.
        let mut queue = VecDeque::from([("begin".to_owned(), None, parts.root, self.text.map(|_| 0))]);
        while let Some((from, byte, position, at)) = queue.pop_front() {
            let Some(node) = Node::read(prefixes, position).filter(|_| self.drawing.is_complete) else {
                continue;
            };
            let label: Vec<u8> = byte.into_iter().chain(node.label.iter().copied()).collect();
            let text = self.text.unwrap_or_default();
            let at = at.filter(|&at| text[at..].starts_with(&label)).map(|at| at + label.len());
            let id = format!("h{position}");
            self.node(id.clone(), NodeKind::Prefix, String::new(), [node.value.rank, node.value.end_rank]);
            self.edge(from, id.clone(), visible(&label), EdgeKind::Bytes);
            if let Some(at) = at {
                self.visit(id.clone(), at);
            }
            if node.value.wait > 0 {
                self.edge(id.clone(), wait_id(node.value.wait), String::new(), EdgeKind::Wakes);
                if let Some(root) = self.roots.get_mut(node.value.wait as usize) {
                    *root = at;
                }
            }
            queue.extend(node.children().map(|(byte, child)| (id.clone(), Some(byte), child, at)));
        }
    }

    /// Draws the roots of patterns that follow prefixes.
    fn root_nodes(&mut self, count: u32) {
        for root in 0..count {
            self.node(wait_id(root), NodeKind::Wait, format!("w{root}\n"), [0; 2]);
        }
        self.visit_roots();
    }

    fn visit_roots(&mut self) {
        for (root, at) in (0..).zip(self.roots.clone()) {
            if let Some(at) = at {
                self.visit(wait_id(root), at);
            }
        }
    }

    fn list(&mut self, list: &PatternList<'_>) {
        self.root_nodes(list.roots());
        for index in 0..list.len() {
            let root = (0..list.roots()).find(|&root| list.followers(root) >> index & 1 == 1);
            let (Some(root), Some(pattern)) = (root, list.pattern(index)) else { continue };
            let id = format!("p{index}");
            let segments: Vec<&[u8]> = pattern.segments().map(|segment| segment.bytes).collect();
            let stars: String = segments.iter().map(|segment| format!("*{}", visible(segment))).collect();
            let end = if pattern.end == End::Anchored { "$" } else { "" };
            self.node(id.clone(), NodeKind::Pattern, String::new(), [pattern.rank, 0]);
            self.edge(wait_id(root), id.clone(), stars + end, EdgeKind::Segments);
            let mut at = self.roots[root as usize];
            for (index, segment) in segments.iter().enumerate() {
                let end = if index + 1 < segments.len() { End::Open } else { pattern.end };
                at = at.and_then(|at| self.end_of(segment, end, at));
            }
            if let Some(at) = at {
                self.visit(id, at);
            }
        }
    }

    fn unanchored<W: Width>(&mut self, unanchored: &Unanchored<'_, W>) {
        let end_ranks = end_ranks(unanchored);
        for state in 0..unanchored.counts.states {
            if !self.drawing.is_complete {
                break;
            }
            let id = format!("s{state}");
            let (mut label, mut ranks) = (String::new(), [0; 2]);
            let number = unanchored.output_of(state);
            if number > 0 {
                let output = unanchored.output(number);
                ranks = [output.best, end_ranks[number as usize]];
                for (name, segment) in [("", output.waited), ("end: ", output.end_segment)] {
                    if segment > 0 {
                        label.push_str(&format!("{name}segment {segment}\n"));
                    }
                }
            }
            self.node(id.clone(), NodeKind::State, label, ranks);
            for child in unanchored.children(state) {
                let byte = visible(&[unanchored.byte(child)]);
                self.edge(id.clone(), format!("s{child}"), byte, EdgeKind::Bytes);
            }
            if unanchored.failure(state) > 0 {
                self.edge(id, format!("s{}", unanchored.failure(state)), String::new(), EdgeKind::Fails);
            }
        }
        let (starts, mut state) = (unanchored.starts(), 0);
        for (at, &byte) in self.text.unwrap_or_default().iter().enumerate() {
            state = unanchored.step(&starts, state, byte, || {});
            if state > 0 {
                self.visit(format!("s{state}"), at + 1);
            }
        }
        self.waits(unanchored);
    }

    fn waits<W: Width>(&mut self, unanchored: &Unanchored<'_, W>) {
        let counts = unanchored.counts;
        let segments = segments_of(unanchored, self.parts.rule_count);
        let mut reached = self.roots.clone();
        reached.resize(counts.waits as usize, None);
        self.visit_roots();
        for wait in 0..counts.waits {
            if !self.drawing.is_complete {
                break;
            }
            let id = wait_id(wait);
            self.node(id.clone(), NodeKind::Wait, format!("{id}\n"), [unanchored.wait_rank(wait), 0]);
            for child in unanchored.wait_children(wait) {
                let number = unanchored.wait_segment(child);
                self.edge(id.clone(), wait_id(child), format!("segment {number}"), EdgeKind::Segments);
                let at = reached[wait as usize].and_then(|at| self.end_of_segment(&segments, number, at));
                if let Some(at) = at {
                    reached[child as usize] = Some(at);
                    self.visit(wait_id(child), at);
                }
            }
        }
    }

    fn chains(&mut self, chains: &Chains<'_>) {
        let segments = segments_of(&chains.symbols(), self.parts.rule_count);
        for (number, chain) in chains.all().enumerate() {
            if !self.drawing.is_complete {
                break;
            }
            let id = format!("c{number}");
            let symbols = || chains.symbols_of(&chain).map(|symbol| symbol + 1);
            let label: String = symbols().map(|symbol| format!(" {symbol}")).collect();
            self.node(id.clone(), NodeKind::Chain, String::new(), [chain.rank, 0]);
            self.edge(wait_id(chain.root), id.clone(), format!("symbols{label}"), EdgeKind::Segments);
            let mut at = self.roots.get(chain.root as usize).copied().flatten();
            for symbol in symbols() {
                at = at.and_then(|at| self.end_of_segment(&segments, symbol, at));
            }
            if let Some(at) = at {
                self.visit(id, at);
            }
        }
    }

    fn end_of_segment(&self, segments: &[Option<Segment>], number: u32, from: usize) -> Option<usize> {
        let (bytes, end) = segments.get(number as usize)?.as_ref()?;
        self.end_of(bytes, *end, from)
    }

    /// The position where the text has first read `segment` after `from`.
    fn end_of(&self, segment: &[u8], end: End, from: usize) -> Option<usize> {
        let text = self.text?;
        let rest = text.get(from..)?;
        match end {
            End::Anchored => rest.ends_with(segment).then_some(text.len()),
            End::Open => Some(from + memchr::memmem::find(rest, segment)? + segment.len()),
        }
    }

    fn finish(self) -> Drawing {
        let mut drawing = self.drawing;
        if !drawing.is_complete {
            let drawn: HashSet<&str> = drawing.nodes.iter().map(|node| node.id.as_str()).collect();
            drawing.edges.retain(|edge| [&edge.from, &edge.to].iter().all(|&id| drawn.contains(id.as_str())));
            drawing.walk.retain(|visited| drawn.contains(visited.node.as_str()));
        }
        drawing.walk.sort_by_key(|visited| visited.position);
        drawing
    }
}

/// By output: the best rule that matches at the end of the text, of this output and of those of shorter segments.
fn end_ranks<W: Width>(unanchored: &Unanchored<'_, W>) -> Vec<Rank> {
    let mut ranks: Vec<Option<Rank>> = vec![None; unanchored.counts.outputs as usize + 1];
    ranks[0] = Some(0);
    let mut path = Vec::new();
    for mut number in 1..=unanchored.counts.outputs {
        while ranks[number as usize].is_none() {
            path.push(number);
            number = unanchored.output(number).next;
        }
        let mut best = ranks[number as usize].unwrap_or(0);
        while let Some(number) = path.pop() {
            best = best.max(unanchored.output(number).end_rank);
            ranks[number as usize] = Some(best);
        }
    }
    ranks.into_iter().flatten().collect()
}

fn wait_id(wait: u32) -> String {
    format!("w{wait}")
}

/// Printable ASCII as it is, and other bytes as `\xff`.
fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

/// Graphviz DOT.
impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "digraph program {{")?;
        writeln!(
            f,
            "  rankdir=LR; node [shape=circle, fontname=\"monospace\"]; edge [fontname=\"monospace\"];"
        )?;
        for DrawnNode { id, kind, label, rule, end_rule } in &self.nodes {
            let note = |prefix: &str, rule: &DrawnRule| {
                let sign = if rule.access == Access::Allow { '+' } else { '-' };
                format!("{prefix}{sign}{}\n", rule.line)
            };
            let notes = [rule.map(|rule| note("", &rule)), end_rule.map(|rule| note("end: ", &rule))];
            let rules: String = notes.into_iter().flatten().collect();
            let label = match kind {
                NodeKind::Wait => format!("{label}{rules}"),
                _ => format!("{rules}{label}"),
            };
            let shape = match kind {
                NodeKind::Begin => "point",
                NodeKind::Wait => "box",
                _ if label.is_empty() => "circle",
                _ => "doublecircle",
            };
            writeln!(f, "  {id} [shape={shape}, label=\"{}\"];", quoted(&label))?;
        }
        for DrawnEdge { from, to, label, kind } in &self.edges {
            match kind {
                EdgeKind::Bytes | EdgeKind::Segments => {
                    writeln!(f, "  {from} -> {to} [label=\"{}\"];", quoted(label))?;
                }
                EdgeKind::Wakes => writeln!(f, "  {from} -> {to} [style=dashed];")?,
                EdgeKind::Fails => writeln!(f, "  {from} -> {to} [style=dotted, constraint=false];")?,
            }
        }
        writeln!(f, "}}")
    }
}

/// A text within a quoted string of DOT.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
