//! Stores the newest bodies of a source, which other captures may take.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of bytes of stored bodies. Older ones are found in another reading of the source.
const MAX_BYTES: usize = 64 << 20;

/// The cost of a body in addition to its bytes, so that the number of empty bodies is bounded as well.
const ENTRY: usize = 512;

/// The body of a capture, or why its result cannot be read, with file and line.
pub(crate) type Content = Result<Arc<[u8]>, Box<str>>;

/// The newest bodies of a source, by the numbers of their captures.
#[derive(Default)]
pub(crate) struct Bodies {
    by_number: BTreeMap<u64, Content>,
    bytes: usize,
}

impl Bodies {
    /// Stores the body of the capture `number`.
    pub(crate) fn keep(&mut self, number: u64, body: &Content) {
        self.bytes += bytes_of(body);
        // Each reading of the source may have the same body.
        if let Some(before) = self.by_number.insert(number, body.clone()) {
            self.bytes -= bytes_of(&before);
        }
        while self.bytes > MAX_BYTES
            && let Some((_, oldest)) = self.by_number.pop_first()
        {
            self.bytes -= bytes_of(&oldest);
        }
    }

    /// The body of the capture `number`, if stored.
    pub(crate) fn get(&self, number: u64) -> Option<Content> {
        self.by_number.get(&number).cloned()
    }
}

fn bytes_of(body: &Content) -> usize {
    ENTRY + body.as_ref().map_or_else(|why| why.len(), |body| body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_bodies_are_stored_within_their_limit() {
        let mut bodies = Bodies::default();
        let long: Content = Ok(vec![0; MAX_BYTES / 3].into());
        (1..=3).for_each(|number| bodies.keep(number, &long));
        assert_eq!([1, 2, 3].map(|number| bodies.get(number).is_some()), [false, true, true]);
        (1..=9).for_each(|_| bodies.keep(3, &long));
        assert!(bodies.get(2).is_some(), "a body counts once, however often it is read");
        bodies.keep(4, &Err("x".repeat(MAX_BYTES).into()));
        assert!(bodies.by_number.is_empty() && bodies.bytes == 0);
        (0..).take(MAX_BYTES / ENTRY + 1).for_each(|number| bodies.keep(number, &Ok(Arc::default())));
        assert!(bodies.get(0).is_none() && bodies.get(1).is_some());
    }
}
