//! Segments in an order in which those that end in one place are found without going through them.
//!
//! Segments nest: where `aaa` ends, `aa` and `a` end, too. A place of the text may so end a thousand segments, and the
//! next place the same thousand again, though nobody waits for them any longer. So a walk must come from one *live*
//! segment to the next without touching those between.
//!
//! "The longest other segment that ends where this one ends" makes a forest of the segments. Each is divided into
//! **paths**: a path goes on with the child below which most segments lie, every other child begins a path of its own.
//! A path's segments are numbered one after the other, so that 64 of them are a word of bits, live or not, and the next
//! live one is found in a word at a time.
//!
//! ```text
//! a ── aa ── aaa ── aaaa     path 1 to 4, up 0
//!        └── baa ── cbaa     path 5 to 6, up 2
//! ```
//!
//! # Bound
//!
//! Who leaves a path upwards comes into a tree at least twice as large, since the path it enters went on elsewhere with
//! a child that is no smaller. Of m segments so at most log2(m) + 1 paths end in one place. The segments of one path
//! have different lengths and nest, so that k of them have at least k²/2 bytes: a path has at most sqrt(2 S) segments,
//! for S bytes of all segments, and all paths of one place together have no more either.

use crate::int::u32_of;
use crate::unanchored::Arrays;

/// The forest of segments, by segment number; 0 is none.
struct Forest {
    /// The longest other segment that ends in the same place.
    parent: Vec<u32>,
    /// The child that goes on with the path.
    heavy: Vec<u32>,
    /// All segments of the forest, parents before their children.
    order: Vec<u32>,
}

/// Gives `arrays`, otherwise complete, its final segment numbers, and what is known of their paths.
pub(crate) fn order_segments(arrays: &mut Arrays) {
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
    // What is asked at the text's end is on no path.
    for slot in new[1..].iter_mut().filter(|slot| **slot == 0) {
        *slot = number(0, 0);
    }
    for (index, top) in arrays.path_top.iter_mut().enumerate().filter(|(_, top)| **top == 0) {
        *top = u32_of(index) + 1;
    }
    renumber(arrays, &new);
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

/// Replaces every segment number by its `new` one.
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
