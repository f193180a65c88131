//! Sorts texts of several parts, seven bytes at a time.
//!
//! The texts are patterns and their segments. Many have common prefixes, some of thousands of bytes, so comparisons of
//! whole texts would read the common bytes again and again. This sort compares numbers instead: seven bytes, and in the
//! lowest byte how many of them there are. Texts with equal numbers form a *run*, which gets another round with the
//! next seven bytes, or with the next part if a part has ended. Each byte is read once, and each number is sorted once.
//! The work is linear in the bytes that distinguish the texts, apart from the logarithm for sorting numbers.

use std::cmp::Ordering;

use bumpalo::Bump;
use bumpalo::collections::Vec;

use crate::int::leading_bytes;

/// One part of a text, in sort order: a text that has ended comes before one that continues, and `$` comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part<'t> {
    /// Nothing. As any part other than the first, it ends the text.
    Nothing,
    /// These bytes.
    Bytes(&'t [u8]),
    /// A `$`.
    Anchor,
}

/// Texts that can be sorted.
pub(crate) trait Texts {
    /// The part of a text with this number, from 0 on. Parts after the text's end are never requested.
    fn part(&self, text: u32, number: usize) -> Part<'_>;
}

/// One of the texts that are sorted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    key: u64,
    pub(crate) text: u32,
    /// After sorting: whether it is the same text as the previous item.
    pub(crate) repeats: bool,
}

impl Item {
    pub(crate) fn new(text: u32) -> Self {
        Item { key: 0, text, repeats: false }
    }
}

/// The number of bytes in a key; its lowest byte describes the rest.
const CHUNK: usize = 7;
/// In the lowest byte of a key: the part continues. Smaller values: the number of its bytes in the chunk, plus one.
const GOES_ON: u64 = CHUNK as u64 + 2;
/// The key of [`Part::Nothing`].
const NOTHING: u64 = 0;
/// The key of [`Part::Anchor`].
const ANCHOR: u64 = u64::MAX;

/// Shorter runs are sorted by comparison, which reads fewer bytes than the keys would.
const FEW: usize = 3;

/// Items that are equal in every part before `part`, and in the first `depth` bytes of that one.
struct Run {
    from: usize,
    to: usize,
    part: usize,
    depth: usize,
}

/// Sorts `items` by their texts, and marks those that repeat the previous one.
pub(crate) fn sort(items: &mut [Item], texts: &(impl Texts + ?Sized), arena: &Bump) {
    let mut runs = Vec::new_in(arena);
    let mut next = Some(Run { from: 0, to: items.len(), part: 0, depth: 0 });
    while let Some(Run { from, to, part, depth }) = next {
        let run = &mut items[from..to];
        if run.len() <= FEW {
            compare_all(run, texts, part, depth);
        } else {
            for item in &mut *run {
                item.key = key(texts.part(item.text, part), depth);
            }
            run.sort_unstable_by_key(|item| item.key);
            divide(run, from, part, depth, &mut runs);
        }
        next = runs.pop();
    }
}

/// Finds the runs in a sorted run.
fn divide(sorted: &mut [Item], mut from: usize, part: usize, depth: usize, runs: &mut Vec<'_, Run>) {
    for equal in sorted.chunk_by_mut(|a, b| a.key == b.key) {
        let to = from + equal.len();
        if equal.len() > 1 {
            match equal[0].key {
                NOTHING | ANCHOR if part > 0 => equal[1..].iter_mut().for_each(|item| item.repeats = true),
                key if key & 0xFF == GOES_ON => runs.push(Run { from, to, part, depth: depth + CHUNK }),
                _ => runs.push(Run { from, to, part: part + 1, depth: 0 }),
            }
        }
        from = to;
    }
}

/// The next bytes of `part`, from `depth` on, as a number with the same sort order.
#[inline]
fn key(part: Part<'_>, depth: usize) -> u64 {
    match part {
        Part::Nothing => NOTHING,
        Part::Anchor => ANCHOR,
        Part::Bytes(bytes) => {
            let rest = &bytes[depth..];
            leading_bytes(rest) & !0xFF | (rest.len() as u64 + 1).min(GOES_ON)
        }
    }
}

/// Sorts and marks a run by comparing its texts.
fn compare_all(run: &mut [Item], texts: &(impl Texts + ?Sized), part: usize, depth: usize) {
    run.sort_unstable_by(|a, b| compare(a.text, b.text, texts, part, depth));
    for at in 1..run.len() {
        run[at].repeats = compare(run[at - 1].text, run[at].text, texts, part, depth) == Ordering::Equal;
    }
}

fn compare(a: u32, b: u32, texts: &(impl Texts + ?Sized), mut part: usize, mut depth: usize) -> Ordering {
    loop {
        let remaining = |text| match texts.part(text, part) {
            Part::Bytes(bytes) => Part::Bytes(&bytes[depth..]),
            other => other,
        };
        let (one, other) = (remaining(a), remaining(b));
        if one != other {
            return one.cmp(&other);
        }
        if part > 0 && !matches!(one, Part::Bytes(_)) {
            return Ordering::Equal;
        }
        part += 1;
        depth = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts, and whether a `$` ends them.
    type Text = (std::vec::Vec<&'static [u8]>, bool);

    impl Texts for std::vec::Vec<Text> {
        fn part(&self, text: u32, number: usize) -> Part<'_> {
            let (parts, is_anchored) = &self[text as usize];
            match parts.get(number) {
                Some([]) if number == 0 => Part::Nothing,
                Some(bytes) => Part::Bytes(bytes),
                None if *is_anchored => Part::Anchor,
                None => Part::Nothing,
            }
        }
    }

    fn text(random: &mut fastrand::Rng) -> Text {
        const BYTES: &[u8] = b"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\0aaaaaaa\0\0aaaaaaa\xFFaaaaaab";
        let mut part = || {
            let start = random.usize(0..BYTES.len());
            &BYTES[start..random.usize(start + 1..=BYTES.len())]
        };
        let mut parts = vec![part()];
        parts.extend((0..2).map(|_| part()));
        parts.truncate(random.usize(1..=3));
        if random.u8(..) < 20 {
            parts[0] = b"";
        }
        (parts, random.bool())
    }

    #[test]
    fn any_texts_are_sorted_and_repetitions_marked() {
        let mut random = fastrand::Rng::with_seed(9309);
        for count in (0..40).cycle().take(2_000) {
            let texts: std::vec::Vec<Text> = (0..count).map(|_| text(&mut random)).collect();
            let mut items: std::vec::Vec<Item> = (0..count).map(Item::new).collect();
            sort(&mut items, &texts, &Bump::new());
            for pair in items.windows(2) {
                let order = compare(pair[0].text, pair[1].text, &texts, 0, 0);
                let expected = if pair[1].repeats { Ordering::Equal } else { Ordering::Less };
                assert_eq!(order, expected, "{:?}", pair.iter().map(|item| &texts[item.text as usize]));
            }
        }
    }
}
