//! The prefix trie of a program: a radix trie over the segments that are anchored at the text's first byte.
//!
//! A node takes a few bytes. Its children precede it, and it refers to them by their distance. A builder that gets its
//! strings in order therefore writes each node once, when it leaves it. It needs neither recursion nor a second pass:
//!
//! ```text
//! flags       1 byte   what follows: see the constants
//! label       varint length, then the bytes after the one by which the parent chose this node
//! rank        varint    when RANK:  the best rule that matches once the text has reached this node
//! end rank    varint    when END:   the best rule that matches when the text ends here
//! wait        varint    when WAIT:  the wait node that becomes active here (see `unanchored`)
//! children    1 byte (count - 1) when there are MANY, then their first bytes in ascending order,
//!             then the distance of each from this node in bytes, in the width that the flags give
//! ```

use bumpalo::Bump;
use bumpalo::collections::Vec;

use crate::block::{BLOCK, Block, position};
use crate::int::{
    index_of, leading_bytes, push_fixed, push_varint, read_fixed, read_varint, u32_of, width_for,
};
use crate::rank::Rank;

const RANK: u8 = 1;
const END: u8 = 1 << 1;
const WAIT: u8 = 1 << 2;
/// The width of a child's distance, minus one, in two bits.
const WIDTH_SHIFT: u8 = 3;
/// The number of children in three bits; MANY means that a byte holds it.
const COUNT_SHIFT: u8 = 5;
const MANY: u8 = 7;

/// What a match of one anchored segment means. Zero in a field means nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrefixValue {
    pub(crate) rank: Rank,
    pub(crate) end_rank: Rank,
    pub(crate) wait: u32,
}

/// Writes the trie of segments, which come in ascending order.
pub(crate) struct PrefixBuilder<'a, 'o> {
    out: &'o mut std::vec::Vec<u8>,
    /// The last segment and its value. It is a leaf unless the next segment extends it.
    last: Option<(&'a [u8], PrefixValue)>,
    /// The nodes on the path to `last` that have children, the root first.
    open: Vec<'a, OpenNode>,
    /// First byte and position of finished nodes with open parents, in the order of the path.
    finished: Vec<'a, (u8, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct OpenNode {
    /// The number of bytes from the root to the end of the node's label.
    depth: usize,
    value: PrefixValue,
    /// The index of the node's first child in `finished`.
    children: usize,
}

impl<'a, 'o> PrefixBuilder<'a, 'o> {
    /// A builder that replaces `out` by its trie.
    pub(crate) fn new(out: &'o mut std::vec::Vec<u8>, arena: &'a Bump) -> Self {
        out.clear();
        PrefixBuilder { out, last: None, open: Vec::new_in(arena), finished: Vec::new_in(arena) }
    }

    /// Adds `segment`, which must be greater than the previous one. Segments without a value are left out.
    #[inline]
    pub(crate) fn push(&mut self, segment: &'a [u8], value: PrefixValue) {
        if value == PrefixValue::default() {
            return;
        }
        if let Some((last, last_value)) = self.last.replace((segment, value)) {
            debug_assert!(last < segment);
            let shared = shared_bytes(last, segment);
            if shared == last.len() {
                self.open(shared, last_value);
            } else {
                self.close(last, last_value, shared);
            }
        }
    }

    fn open(&mut self, depth: usize, value: PrefixValue) {
        self.open.push(OpenNode { depth, value, children: self.finished.len() });
    }

    /// Writes the leaf at the end of `last` and every node that ends after `depth`; then a node ends exactly at
    /// `depth`.
    fn close(&mut self, last: &[u8], value: PrefixValue, depth: usize) {
        match self.open.last() {
            Some(parent) if parent.depth >= depth => {
                let parent_depth = parent.depth;
                self.close_leaf(last, value, parent_depth);
                self.close_to(last, depth);
            }
            _ => {
                // The path forks within the leaf's label: a new node ends where the strings differ.
                self.open(depth, PrefixValue::default());
                self.close_leaf(last, value, depth);
            }
        }
    }

    #[inline]
    fn close_leaf(&mut self, last: &[u8], value: PrefixValue, parent_depth: usize) {
        let position = self.write_leaf(&last[parent_depth + 1..], value);
        self.finished.push((last[parent_depth], position));
    }

    /// Closes every node with children that ends after `depth`.
    fn close_to(&mut self, last: &[u8], depth: usize) {
        while let Some(&node) = self.open.last()
            && node.depth > depth
        {
            self.open.pop();
            let parent_depth = self.open.last().map_or(depth, |parent| parent.depth.max(depth));
            let position = self.write(node, &last[parent_depth + 1..node.depth]);
            if self.open.last().is_none_or(|parent| parent.depth < depth) {
                // The path forks within this node's label.
                self.open(depth, PrefixValue::default());
            }
            self.finished.push((last[parent_depth], position));
        }
    }

    /// Writes a node without children.
    #[inline]
    fn write_leaf(&mut self, label: &[u8], value: PrefixValue) -> u32 {
        let at = u32_of(self.out.len());
        write_label(self.out, value.flags(), label);
        value.write(self.out);
        at
    }

    /// Writes a node with children and removes them from `finished`.
    fn write(&mut self, node: OpenNode, label: &[u8]) -> u32 {
        let out = &mut *self.out;
        let at = u32_of(out.len());
        let children = &self.finished[node.children..];
        // The first child was written first.
        let farthest = children.first().map_or(0, |&(_, position)| at - position);
        let width = if farthest > 0xFF_FFFF || farthest <= 0xFFFF { width_for(farthest) } else { 3 };
        let width_bits = crate::int::low_byte(u32_of(width) - 1) << WIDTH_SHIFT;
        let count = u32_of(children.len());
        let count_bits = crate::int::low_byte(count.min(u32::from(MANY))) << COUNT_SHIFT;

        write_label(out, node.value.flags() | width_bits | count_bits, label);
        node.value.write(out);
        if count >= u32::from(MANY) {
            out.push(crate::int::low_byte(count - 1));
        }
        for &(byte, _) in children {
            out.push(byte);
        }
        for &(_, position) in children {
            push_fixed(out, at - position, width);
        }
        self.finished.truncate(node.children);
        at
    }

    /// Finishes the trie and returns the position of its root. Without segments, the root has no value.
    pub(crate) fn finish(mut self) -> u32 {
        let (last, value) = self.last.unwrap_or_default();
        let Some(&OpenNode { depth, .. }) = self.open.first() else { return self.write_leaf(last, value) };
        self.close(last, value, depth);
        let root = self.open[0];
        self.write(root, &last[..depth])
    }
}

#[inline]
fn write_label(out: &mut std::vec::Vec<u8>, flags: u8, label: &[u8]) {
    out.push(flags);
    push_varint(out, u32_of(label.len()));
    out.extend_from_slice(label);
}

impl PrefixValue {
    #[inline]
    fn flags(self) -> u8 {
        let set = |value: u32, flag: u8| if value > 0 { flag } else { 0 };
        set(self.rank, RANK) | set(self.end_rank, END) | set(self.wait, WAIT)
    }

    #[inline]
    fn write(self, out: &mut std::vec::Vec<u8>) {
        for value in [self.rank, self.end_rank, self.wait] {
            if value > 0 {
                push_varint(out, value);
            }
        }
    }
}

/// The length of the common prefix of `a` and `b`.
#[inline]
fn shared_bytes(a: &[u8], b: &[u8]) -> usize {
    let shortest = a.len().min(b.len());
    let (a, b) = (&a[..shortest], &b[..shortest]);
    let equal = |a: u64, b: u64| (a ^ b).leading_zeros() as usize / 8;
    let (Some(last_a), Some(last_b)) = (a.last_chunk(), b.last_chunk()) else {
        return equal(leading_bytes(a), leading_bytes(b)).min(shortest);
    };
    for (word, (a, b)) in a.as_chunks().0.iter().zip(b.as_chunks().0).enumerate() {
        if a != b {
            return 8 * word + equal(u64::from_be_bytes(*a), u64::from_be_bytes(*b));
        }
    }
    shortest - 8 + equal(u64::from_be_bytes(*last_a), u64::from_be_bytes(*last_b))
}

/// The beginning of a node, which is enough to decide whether a text continues through it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entrance<'p> {
    pub(crate) label: &'p [u8],
    position: u32,
    flags: u8,
    /// The trie after the label.
    remainder: &'p [u8],
}

/// A decoded node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'p> {
    pub(crate) label: &'p [u8],
    /// The first bytes of the children, ascending, then their distances, then the rest of the trie.
    links: &'p [u8],
    pub(crate) value: PrefixValue,
    position: u32,
    count: u16,
    width: u8,
}

impl<'p> Entrance<'p> {
    /// The node at `position`; `None` if no node begins there.
    #[inline(always)]
    pub(crate) fn read(trie: &'p [u8], position: usize) -> Option<Self> {
        let (&[flags, length], rest) = trie.get(position..)?.split_first_chunk()?;
        if length < 0x80 {
            let (label, remainder) = rest.split_at_checked(usize::from(length))?;
            return Some(Entrance { label, position: u32_of(position), flags, remainder });
        }
        Self::read_long(trie, position)
    }

    /// Like [`Self::read`], for a label of 128 bytes or more.
    #[cold]
    fn read_long(trie: &'p [u8], position: usize) -> Option<Self> {
        let mut at = position + 1;
        let length = read_varint(trie, &mut at)? as usize;
        let (label, remainder) = trie.get(at..)?.split_at_checked(length)?;
        Some(Entrance { label, position: u32_of(position), flags: trie[position], remainder })
    }

    /// The rest of the node; `None` if it is incomplete.
    #[inline]
    pub(crate) fn enter(self) -> Option<Node<'p>> {
        let Entrance { label, position, flags, mut remainder } = self;
        // Most nodes are only a fork, without a value.
        let mut value = PrefixValue::default();
        if flags & (RANK | END | WAIT) != 0 {
            value = PrefixValue::read(flags, &mut remainder)?;
        }
        let mut count = u16::from(flags >> COUNT_SHIFT);
        if count == u16::from(MANY) {
            let (byte, rest) = remainder.split_first()?;
            (count, remainder) = (u16::from(*byte) + 1, rest);
        }
        let width = (flags >> WIDTH_SHIFT & 3) + 1;
        let whole = remainder.len() >= usize::from(count) * usize::from(1 + width);
        whole.then_some(Node { label, links: remainder, value, position, count, width })
    }
}

impl PrefixValue {
    #[inline]
    fn read(flags: u8, rest: &mut &[u8]) -> Option<Self> {
        let mut at = 0;
        let mut number = |flag| if flags & flag == 0 { Some(0) } else { read_varint(rest, &mut at) };
        let value = PrefixValue { rank: number(RANK)?, end_rank: number(END)?, wait: number(WAIT)? };
        *rest = &rest[at..];
        Some(value)
    }
}

impl<'p> Node<'p> {
    /// The node at `position`; `None` if there is no complete node.
    #[inline]
    pub(crate) fn read(trie: &'p [u8], position: usize) -> Option<Self> {
        Entrance::read(trie, position)?.enter()
    }

    /// One past the node's last byte in `trie`.
    pub(crate) fn end(&self, trie: &[u8]) -> usize {
        trie.len() - self.links.len() + self.count() * usize::from(1 + self.width)
    }

    /// The child in `trie` that `byte` leads to.
    #[inline(always)]
    pub(crate) fn child(&self, trie: &'p [u8], byte: u8) -> Option<Entrance<'p>> {
        let index = match self.links.first_chunk() {
            Some(block) if self.count() <= BLOCK => {
                // The bytes after those of the children do not count.
                let among = (1u32 << self.count) - 1;
                let found = Block::new(block).equals(Block::splat(byte)).mask() & among;
                if found == 0 {
                    return None;
                }
                found.trailing_zeros() as usize
            }
            _ => position(&self.links[..self.count()], byte)?,
        };
        Entrance::read(trie, self.child_at(index))
    }

    #[inline]
    fn count(&self) -> usize {
        usize::from(self.count)
    }

    #[inline]
    fn child_at(&self, index: usize) -> usize {
        let width = usize::from(self.width);
        let distance = read_fixed(self.links, self.count() + index * width, width);
        // Validation rejects distances that lead out of the trie.
        (self.position as usize).wrapping_sub(index_of(distance))
    }

    /// The children's positions, with their first bytes.
    pub(crate) fn children(&self) -> impl Iterator<Item = (u8, usize)> {
        let bytes = &self.links[..self.count()];
        bytes.iter().enumerate().map(|(index, &byte)| (byte, self.child_at(index)))
    }
}

/// The position of a walk after the `/` that every target begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'p> {
    /// The rank of the empty prefix, which every target has. Patterns after it wait at root 0.
    pub(crate) empty_rank: Rank,
    /// The node that the walk enters after the rest of its label. `None` when no prefix begins with `/`.
    pub(crate) node: Option<Node<'p>>,
}

impl<'p> Start<'p> {
    /// Walks `/` from the root; `None` if there is no complete node.
    #[inline]
    pub(crate) fn new(trie: &'p [u8], root: usize) -> Option<Self> {
        let root = Node::read(trie, root)?;
        if let Some((first, label)) = root.label.split_first() {
            let node = (*first == b'/').then_some(Node { label, ..root });
            return Some(Start { empty_rank: 0, node });
        }
        let node = match root.child(trie, b'/') {
            Some(child) => Some(child.enter()?),
            None => None,
        };
        Some(Start { empty_rank: root.value.rank, node })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(trie: &[u8], root: u32, text: &[u8]) -> Option<Rank> {
        let mut entrance = Entrance::read(trie, root as usize)?;
        let mut rest = text;
        loop {
            let node = entrance.enter()?;
            rest = rest.strip_prefix(node.label)?;
            match rest {
                [] => return Some(node.value.rank).filter(|&rank| rank > 0),
                [byte, remainder @ ..] => {
                    entrance = node.child(trie, *byte)?;
                    rest = remainder;
                }
            }
        }
    }

    fn check(strings: &[&[u8]]) {
        let mut sorted = strings.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let (mut trie, arena) = (vec![], Bump::new());
        let mut builder = PrefixBuilder::new(&mut trie, &arena);
        for (index, string) in sorted.iter().enumerate() {
            builder.push(string, PrefixValue { rank: u32_of(index) + 1, ..PrefixValue::default() });
        }
        let root = builder.finish();
        for (index, string) in sorted.iter().enumerate() {
            assert_eq!(lookup(&trie, root, string), Some(u32_of(index) + 1), "{string:?} of {sorted:?}");
            let mut longer = string.to_vec();
            longer.push(b'~');
            assert_eq!(lookup(&trie, root, &longer), None);
        }
    }

    #[test]
    fn shared_bytes_are_counted_up_to_the_first_difference() {
        let text = [b'a'; 40];
        for length in 0..text.len() {
            for at in 0..=length {
                let mut other = text;
                other[at] = b'b';
                assert_eq!(shared_bytes(&text[..length], &other), at.min(length));
                assert_eq!(shared_bytes(&other, &text[..length]), at.min(length));
                assert_eq!(shared_bytes(&text[..at], &text[..length]), at);
            }
        }
    }

    #[test]
    fn distances_take_as_many_bytes_as_the_farthest_needs() {
        for (distance, width) in
            [(200, 1), (300, 2), (65_000, 2), (66_000, 3), (0xFF_0000, 3), (0x101_0000, 4)]
        {
            let (far, near) = ([b"/a", &*vec![b'x'; distance]].concat(), b"/b");
            let (mut trie, arena) = (vec![], Bump::new());
            let mut builder = PrefixBuilder::new(&mut trie, &arena);
            builder.push(&far, PrefixValue { rank: 1, ..PrefixValue::default() });
            builder.push(near, PrefixValue { rank: 2, ..PrefixValue::default() });
            let root = builder.finish();
            assert_eq!(Node::read(&trie, root as usize).unwrap().width, width, "{distance}");
            assert_eq!(
                [lookup(&trie, root, &far), lookup(&trie, root, near)],
                [Some(1), Some(2)],
                "{distance}"
            );
        }
    }

    #[test]
    fn strings_are_found_whatever_prefixes_they_share() {
        check(&[]);
        check(&[b""]);
        check(&[b"/"]);
        check(&[b"/a", b"/b"]);
        check(&[b"/", b"/a", b"/ab", b"/abc"]);
        check(&[b"", b"/abc/def", b"/abc/dex", b"/abd", b"/b"]);
        check(&[b"/aaaa/b", b"/aaaa", b"/aa/c", b"/aab", b"/aa"]);
        let many: std::vec::Vec<std::vec::Vec<u8>> =
            (0..=255u8).filter(|&o| o != b'~').map(|byte| vec![b'/', byte, byte]).collect();
        check(&many.iter().map(|string| &string[..]).collect::<std::vec::Vec<_>>());
    }
}
