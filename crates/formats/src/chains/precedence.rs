//! Finds the captures that wait although a later one takes precedence.

use std::collections::HashMap;

use crate::time::Timestamp;

/// The newest capture of each URL and second for which one waits.
#[derive(Default)]
pub(super) struct Precedence {
    newest: HashMap<(u64, Option<i64>), Newest>,
}

struct Newest {
    /// The number of the newest capture.
    number: u64,
    /// The number of captures that wait.
    waiting: usize,
}

impl Precedence {
    /// Lets the capture `number` of `url` wait.
    pub(super) fn wait(&mut self, url: u64, number: u64, time: Option<Timestamp>) {
        let newest = self.newest.entry(key(url, time)).or_insert(Newest { number, waiting: 0 });
        newest.number = newest.number.max(number);
        newest.waiting += 1;
    }

    /// Records the capture `number` of `url`.
    pub(super) fn precede(&mut self, url: u64, number: u64, time: Option<Timestamp>) {
        if let Some(newest) = self.newest.get_mut(&key(url, time)) {
            newest.number = newest.number.max(number);
        }
    }

    /// Ends the waiting of the capture `number` of `url`. Returns false if a later one takes precedence.
    pub(super) fn release(&mut self, url: u64, number: u64, time: Option<Timestamp>) -> bool {
        let key = key(url, time);
        let Some(newest) = self.newest.get_mut(&key) else { return true };
        let is_newest = newest.number <= number;
        newest.waiting -= 1;
        if newest.waiting == 0 {
            self.newest.remove(&key);
        }
        is_newest
    }
}

/// Captures are compared by the second, as in a store.
fn key(url: u64, time: Option<Timestamp>) -> (u64, Option<i64>) {
    (url, time.map(Timestamp::seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_second_takes_precedence_while_one_waits() {
        let time = |text: &str| Some(text.parse::<Timestamp>().unwrap());
        let (early, late) = (time("2026-01-01T00:00:00.1Z"), time("2026-01-01T00:00:00.9Z"));
        let mut precedence = Precedence::default();
        precedence.wait(1, 1, early);
        precedence.wait(2, 1, early);
        precedence.wait(1, 2, None);
        precedence.precede(1, 3, late);
        // A later capture of another second does not hide the one before.
        precedence.precede(1, 4, time("2026-01-01T00:00:01Z"));
        assert!(!precedence.release(1, 1, early));
        assert!(precedence.release(2, 1, early), "another URL");
        assert!(precedence.release(1, 2, None), "without a time");
        assert!(precedence.newest.is_empty(), "nothing waits");
    }
}
