//! The form of programs for people, as text (`Debug`). [`drawing`](crate::drawing) has the other one.

use std::fmt;

use crate::chains::{Chain, Chains};
use crate::int::{Middle, Narrow, Wide, Width};
use crate::pattern::End;
use crate::pattern_list::{ListPattern, PatternList};
use crate::prefix::Node;
use crate::program::{Parts, ProgramRef, UnanchoredPart};
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
