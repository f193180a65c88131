//! Human-readable forms of programs: text (`Debug`) and a drawing (Graphviz DOT).

use std::fmt::{self, Display};

use robomata_protocol::Access;

use crate::chains::{Chain, Chains};
use crate::int::{Middle, Narrow, Wide, Width};
use crate::pattern::End;
use crate::pattern_list::{ListPattern, PatternList};
use crate::prefix::Node;
use crate::program::{Parts, ProgramRef, UnanchoredPart};
use crate::rank::Rank;
use crate::unanchored::Unanchored;

impl fmt::Debug for ProgramRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts();
        writeln!(f, "program of {} bytes, {} rules", self.bytes().len(), parts.rule_count)?;
        for rank in (1..=parts.rule_count).rev() {
            let (access, line) = parts.rule(rank);
            writeln!(f, "  rank {rank}: {access}, line {line}")?;
        }
        writeln!(f, "prefixes, {} bytes", parts.prefix().len())?;
        text_of_prefixes(f, &parts)?;
        match parts.unanchored {
            UnanchoredPart::None => Ok(()),
            UnanchoredPart::PatternList { list, .. } => text_of_list(f, &list),
            UnanchoredPart::SegmentAutomaton { counts, width, arrays } => {
                match width {
                    1 => text_of_unanchored(f, &Unanchored::<Narrow>::new(counts, arrays)),
                    2 => text_of_unanchored(f, &Unanchored::<Middle>::new(counts, arrays)),
                    _ => text_of_unanchored(f, &Unanchored::<Wide>::new(counts, arrays)),
                }?;
                match Chains::after(&counts, width, arrays) {
                    None => Ok(()),
                    Some(chains) => text_of_chains(f, &chains),
                }
            }
        }
    }
}

fn text_of_prefixes(f: &mut fmt::Formatter<'_>, parts: &Parts<'_>) -> fmt::Result {
    // Uses a stack instead of recursion: sites control how deep prefixes nest.
    let mut stack = vec![(parts.root, None, 1)];
    while let Some((position, byte, depth)) = stack.pop() {
        let Some(node) = Node::read(parts.prefix(), position) else { continue };
        let label: Vec<u8> = byte.into_iter().chain(node.label.iter().copied()).collect();
        write!(f, "{:indent$}\"{}\"", "", label.escape_ascii(), indent = depth * 2)?;
        for (name, value) in
            [("rank", node.value.rank), ("at the end rank", node.value.end_rank), ("wakes", node.value.wait)]
        {
            if value > 0 {
                write!(f, ", {name} {value}")?;
            }
        }
        writeln!(f)?;
        let mut children: Vec<_> =
            node.children().map(|(byte, child)| (child, Some(byte), depth + 1)).collect();
        children.reverse();
        stack.extend(children);
    }
    Ok(())
}

/// A pattern of a list without its prefix: `*a*b$`.
fn text_of_pattern(pattern: &ListPattern<'_>) -> String {
    let mut text = String::new();
    for segment in pattern.segments() {
        text.push_str(&format!("*{}", segment.bytes.escape_ascii()));
    }
    if pattern.end == End::Anchored {
        text.push('$');
    }
    text
}

/// The patterns of a list by descending rank, each with the root that it follows.
fn patterns_of_list<'p>(list: &PatternList<'p>) -> impl Iterator<Item = (u32, ListPattern<'p>)> {
    let list = *list;
    (0..list.len()).filter_map(move |index| {
        let root = (0..list.roots()).find(|&root| list.followers(root) >> index & 1 == 1)?;
        Some((root, list.pattern(index)?))
    })
}

fn text_of_list(f: &mut fmt::Formatter<'_>, list: &PatternList<'_>) -> fmt::Result {
    write!(f, "unanchored, a list of {} patterns, probes", list.len())?;
    for probe in list.probes() {
        write!(f, " \"{}\"", probe.escape_ascii())?;
    }
    writeln!(f)?;
    for (root, pattern) in patterns_of_list(list) {
        write!(f, "  rank {}: ", pattern.rank)?;
        if root > 0 {
            write!(f, "woken {root}, from {}: ", pattern.from)?;
        }
        writeln!(f, "{}", text_of_pattern(&pattern))?;
    }
    Ok(())
}

fn dot_of_list(f: &mut fmt::Formatter<'_>, parts: &Parts<'_>, list: &PatternList<'_>) -> fmt::Result {
    writeln!(f, "  w0 [shape=box, label=\"w0\"];")?;
    for (index, (root, pattern)) in patterns_of_list(list).enumerate() {
        let note = rule_note(parts, "", pattern.rank);
        writeln!(f, "  p{index} [shape=doublecircle, label=\"{note}\"];")?;
        writeln!(f, "  w{root} -> p{index} [label=\"{}\"];", quoted(text_of_pattern(&pattern).as_bytes()))?;
    }
    Ok(())
}

fn text_of_unanchored<W: Width>(f: &mut fmt::Formatter<'_>, unanchored: &Unanchored<'_, W>) -> fmt::Result {
    let counts = unanchored.counts;
    writeln!(f, "unanchored, {} states", counts.states)?;
    for state in 0..counts.states {
        write!(f, "  state {state}:")?;
        for child in unanchored.children(state) {
            write!(f, " '{}' {child}", [unanchored.byte(child)].escape_ascii())?;
        }
        if state > 0 {
            write!(f, ", fails to {}", unanchored.failure(state))?;
        }
        match unanchored.output_of(state) {
            0 => writeln!(f)?,
            number => writeln!(f, ", output {number}")?,
        }
    }
    for number in 1..=counts.outputs {
        let output = unanchored.output(number);
        write!(f, "  output {number}:")?;
        for (name, value) in [
            ("rank", output.rank),
            ("best", output.best),
            ("at the end rank", output.end_rank),
            ("longest segment", output.waited),
            ("at the end segment", output.end_segment),
            ("then output", output.next),
        ] {
            if value > 0 {
                write!(f, " {name} {value}")?;
            }
        }
        writeln!(f)?;
    }
    for segment in 1..=counts.segments {
        let (top, up) = (unanchored.path_top(segment), unanchored.path_up(segment));
        writeln!(f, "  segment {segment}: path from {top}, then {up}")?;
    }
    for wait in 0..counts.waits {
        write!(f, "  wait {wait}:")?;
        match unanchored.wait_segment(wait) {
            0 => write!(f, " root")?,
            segment => write!(f, " for segment {segment}")?,
        }
        if unanchored.wait_rank(wait) > 0 {
            write!(f, ", rank {}", unanchored.wait_rank(wait))?;
        }
        for child in unanchored.wait_children(wait) {
            write!(f, ", then {child}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}

fn text_of_chains(f: &mut fmt::Formatter<'_>, chains: &Chains<'_>) -> fmt::Result {
    writeln!(f, "chains, with the segments of this automaton:")?;
    text_of_unanchored(f, &chains.symbols())?;
    for chain in chains.all() {
        writeln!(
            f,
            "  rank {}: woken {}: segments{}",
            chain.rank,
            chain.root,
            text_of_chain(chains, &chain)
        )?;
    }
    Ok(())
}

/// The numbers of a chain's segments.
fn text_of_chain<'p>(chains: &Chains<'p>, chain: &Chain<'p>) -> String {
    chains.symbols_of(chain).map(|symbol| format!(" {}", symbol + 1)).collect()
}

fn dot_of_chains(f: &mut fmt::Formatter<'_>, parts: &Parts<'_>, chains: &Chains<'_>) -> fmt::Result {
    for (number, chain) in chains.all().enumerate() {
        let note = rule_note(parts, "", chain.rank);
        writeln!(f, "  c{number} [shape=doublecircle, label=\"{note}\"];")?;
        writeln!(f, "  w{} -> c{number} [label=\"symbols{}\"];", chain.root, text_of_chain(chains, &chain))?;
    }
    Ok(())
}

/// A program as a drawing: `dot -Tsvg` converts it to a picture.
#[derive(Clone, Copy, Debug)]
pub struct Dot<'p>(pub ProgramRef<'p>);

impl Display for Dot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.parts();
        writeln!(f, "digraph program {{")?;
        writeln!(
            f,
            "  rankdir=LR; node [shape=circle, fontname=\"monospace\"]; edge [fontname=\"monospace\"];"
        )?;
        dot_of_prefixes(f, &parts)?;
        match parts.unanchored {
            UnanchoredPart::None => {}
            UnanchoredPart::PatternList { list, .. } => dot_of_list(f, &parts, &list)?,
            UnanchoredPart::SegmentAutomaton { counts, width, arrays } => {
                match width {
                    1 => dot_of_unanchored(f, &parts, &Unanchored::<Narrow>::new(counts, arrays))?,
                    2 => dot_of_unanchored(f, &parts, &Unanchored::<Middle>::new(counts, arrays))?,
                    _ => dot_of_unanchored(f, &parts, &Unanchored::<Wide>::new(counts, arrays))?,
                }
                if let Some(chains) = Chains::after(&counts, width, arrays) {
                    dot_of_chains(f, &parts, &chains)?;
                }
            }
        }
        writeln!(f, "}}")
    }
}

fn dot_of_prefixes(f: &mut fmt::Formatter<'_>, parts: &Parts<'_>) -> fmt::Result {
    writeln!(f, "  begin [shape=point]; begin -> h{} [label=\"{}\"];", parts.root, {
        Node::read(parts.prefix(), parts.root).map_or_else(String::new, |node| quoted(node.label))
    })?;
    let mut stack = vec![parts.root];
    while let Some(position) = stack.pop() {
        let Some(node) = Node::read(parts.prefix(), position) else { continue };
        let notes = [rule_note(parts, "", node.value.rank), rule_note(parts, "end: ", node.value.end_rank)];
        let shape = if notes.iter().all(String::is_empty) { "circle" } else { "doublecircle" };
        writeln!(f, "  h{position} [shape={shape}, label=\"{}\"];", notes.concat())?;
        if node.value.wait > 0 {
            writeln!(f, "  h{position} -> w{} [style=dashed];", node.value.wait)?;
        }
        for (byte, child) in node.children() {
            let mut label = vec![byte];
            label.extend(Node::read(parts.prefix(), child).map_or(&[][..], |node| node.label));
            writeln!(f, "  h{position} -> h{child} [label=\"{}\"];", quoted(&label))?;
            stack.push(child);
        }
    }
    Ok(())
}

fn dot_of_unanchored<W: Width>(
    f: &mut fmt::Formatter<'_>,
    parts: &Parts<'_>,
    unanchored: &Unanchored<'_, W>,
) -> fmt::Result {
    for state in 0..unanchored.counts.states {
        let mut notes = String::new();
        let mut shape = "circle";
        let number = unanchored.output_of(state);
        if number > 0 {
            let output = unanchored.output(number);
            notes = [
                rule_note(parts, "", output.best),
                rule_note(parts, "end: ", output.end_rank),
                segment_note("", output.waited),
                segment_note("end: ", output.end_segment),
            ]
            .concat();
            shape = "doublecircle";
        }
        writeln!(f, "  s{state} [shape={shape}, label=\"{notes}\"];")?;
        for child in unanchored.children(state) {
            writeln!(f, "  s{state} -> s{child} [label=\"{}\"];", quoted(&[unanchored.byte(child)]))?;
        }
        if unanchored.failure(state) > 0 {
            writeln!(f, "  s{state} -> s{} [style=dotted, constraint=false];", unanchored.failure(state))?;
        }
    }
    for wait in 0..unanchored.counts.waits {
        let note = rule_note(parts, "", unanchored.wait_rank(wait));
        writeln!(f, "  w{wait} [shape=box, label=\"w{wait}\\n{note}\"];")?;
        for child in unanchored.wait_children(wait) {
            let segment = unanchored.wait_segment(child);
            writeln!(f, "  w{wait} -> w{child} [label=\"segment {segment}\"];")?;
        }
    }
    Ok(())
}

fn rule_note(parts: &Parts<'_>, prefix: &str, rank: Rank) -> String {
    if rank == 0 {
        return String::new();
    }
    let (access, line) = parts.rule(rank);
    let sign = if access == Access::Allow { '+' } else { '-' };
    format!("{prefix}{sign}{line}\\n")
}

fn segment_note(prefix: &str, segment: u32) -> String {
    if segment == 0 { String::new() } else { format!("{prefix}segment {segment}\\n") }
}

/// Bytes within a quoted string of DOT.
fn quoted(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().replace('\\', "\\\\").replace('"', "\\\"")
}
