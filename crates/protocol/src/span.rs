//! Positions in a robots.txt.

use std::ops::Range;

/// A half-open range of bytes of a robots.txt, from its start. Positions are 32-bit: see [`crate::limits`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Span {
    /// As `offset` and `length`.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut fields = serializer.serialize_struct("Span", 2)?;
        fields.serialize_field("offset", &self.start)?;
        fields.serialize_field("length", &self.len())?;
        fields.end()
    }
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The number of bytes covered.
    pub const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span is empty.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span as an index range.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The bytes of `text` that the span covers.
    pub fn of(self, text: &[u8]) -> &[u8] {
        &text[self.range()]
    }
}
