//! Many short lists in one allocation.

/// Lists of items with consecutive numbers. Items are added to the open list; closing it returns its number.
#[derive(Clone, Debug)]
pub(super) struct Lists<T> {
    items: Vec<T>,
    /// The end of each closed list.
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Lists<T> {
    /// Appends `item` to the open list.
    pub(super) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Closes the open list; the next one is empty.
    ///
    /// There are fewer lists than bytes they are read from, and the reader limits those to 32 bits.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the bytes read are at most limits::MAX_PARSING_LIMIT"
    )]
    pub(super) fn close(&mut self) -> u32 {
        self.ends.push(self.items.len());
        (self.ends.len() - 1) as u32
    }

    /// The items of a closed list.
    pub(super) fn list(&self, number: u32) -> &[T] {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[at]]
    }

    /// Adds a whole list. No other list may be open.
    pub(super) fn add(&mut self, items: impl IntoIterator<Item = T>) -> u32 {
        self.items.extend(items);
        self.close()
    }
}
