//! An order of segments in which a walk finds the relevant ones among those that end at a position, without visiting
//! all of them.
//!
//! Segments nest: where `aaa` ends, `aa` and `a` end as well. A position of the text can therefore end a thousand
//! segments, and the next position the same thousand again, even if no pattern waits for them any longer. A walk must
//! get from one *live* segment to the next without touching those between them.
//!
//! "The longest other segment that ends where this one ends" defines a forest of the segments. Heavy-path decomposition
//! divides each tree into **paths**: a path continues with the child that has the most segments below it, and every
//! other child begins a path of its own. The segments of a path have consecutive numbers. A word of bits covers 64 of
//! them, live or not, and one operation finds the next live one in a word.
//!
//! ```text
//! a ── aa ── aaa ── aaaa     path 1 to 4, up 0
//!        └── baa ── cbaa     path 5 to 6, up 2
//! ```
//!
//! # Bound
//!
//! Each step from one path up to the next reaches a tree that is at least twice as large, because that path continues
//! with a child that is at least as large. Of m segments, at most log2(m) + 1 paths end at one position. The segments
//! of one path have different lengths and nest, so k of them have at least k²/2 bytes. A path therefore has at most
//! sqrt(2 S) segments, for S bytes of all segments, and all paths of one position together have no more either.

use crate::int::u32_of;
use crate::unanchored::Arrays;

/// The forest of segments, by segment number; 0 is none.
struct Forest {
    /// The longest other segment that ends at the same position.
    parent: Vec<u32>,
    /// The child that continues the path.
    heavy: Vec<u32>,
    /// All segments of the forest, parents before their children.
    order: Vec<u32>,
}

/// Assigns the final segment numbers in `arrays`, which are otherwise complete, and adds the data about their paths.
/// Returns the final number for each earlier one.
pub(crate) fn order_segments(arrays: &mut Arrays) -> Vec<u32> {
    let forest = Forest::of(arrays);
    let count = forest.parent.len();
    let mut new = vec![0; count];
    let mut next = 1;
    arrays.path_top = Vec::with_capacity(count - 1);
    arrays.path_up = Vec::with_capacity(count - 1);
    let mut number = |top: u32, up: u32| {
        arrays.path_top.push(top);
        arrays.path_up.push(up);
        next += 1;
        next - 1
    };
    for &top in &forest.order {
        let parent = forest.parent[top as usize];
        if forest.heavy[parent as usize] == top {
            continue;
        }
        let up = new[parent as usize];
        let first = number(0, up);
        new[top as usize] = first;
        let mut segment = forest.heavy[top as usize];
        while segment > 0 {
            new[segment as usize] = number(first, up);
            segment = forest.heavy[segment as usize];
        }
    }
    // Segments that are checked at the end of the text are on no path.
    for slot in new[1..].iter_mut().filter(|slot| **slot == 0) {
        *slot = number(0, 0);
    }
    for (index, top) in arrays.path_top.iter_mut().enumerate().filter(|(_, top)| **top == 0) {
        *top = u32_of(index) + 1;
    }
    renumber(arrays, &new);
    new
}

impl Forest {
    fn of(arrays: &Arrays) -> Self {
        let count = arrays.segment_length.len() + 1;
        let mut forest = Forest { parent: vec![0; count], heavy: vec![0; count], order: Vec::new() };
        // Shorter outputs have smaller numbers, so parents come first.
        for output in &arrays.outputs {
            let below = output.next.checked_sub(1).map_or(0, |index| arrays.outputs[index as usize].waited);
            if output.waited != below {
                forest.parent[output.waited as usize] = below;
                forest.order.push(output.waited);
            }
        }
        forest.choose_heavy();
        forest
    }

    fn choose_heavy(&mut self) {
        let mut size = vec![1u32; self.parent.len()];
        for &segment in self.order.iter().rev() {
            let parent = self.parent[segment as usize] as usize;
            if parent > 0 {
                size[parent] += size[segment as usize];
                let heavy = &mut self.heavy[parent];
                if *heavy == 0 || size[*heavy as usize] < size[segment as usize] {
                    *heavy = segment;
                }
            }
        }
    }
}

/// Replaces every segment number by its number in `new`.
fn renumber(arrays: &mut Arrays, new: &[u32]) {
    for output in &mut arrays.outputs {
        output.waited = new[output.waited as usize];
        output.end_segment = new[output.end_segment as usize];
    }
    for segment in &mut arrays.wait_segment {
        *segment = new[*segment as usize];
    }
    let moved = |old: &[u32]| {
        let mut ordered = vec![0; old.len()];
        for (&item, &number) in old.iter().zip(&new[1..]) {
            ordered[number as usize - 1] = item;
        }
        ordered
    };
    arrays.segment_length = moved(&arrays.segment_length);
    arrays.root_child = moved(&arrays.root_child);
}
