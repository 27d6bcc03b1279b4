//! Half-open byte ranges that serialise as `[start, end]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A half-open range of UTF-8 byte offsets into some text that the owner names.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "[usize; 2]", into = "[usize; 2]")]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte; never before `start`.
    pub end: usize,
}

impl Span {
    /// A span from `start` to `end`; an `end` before `start` is moved up to it.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }
    /// Length in bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }
    /// Whether nothing lies inside.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
    /// The same span as a range, to slice with.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
    /// The slice of `text` below this span, or `None` when it is out of bounds or cuts a character.
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.range())
    }
    /// Whether `other` lies wholly inside.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
    /// Whether the two share at least one byte.
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }
    /// This span moved left by `by` bytes.
    ///
    /// # Panics
    /// In debug builds when `by` exceeds `start`.
    #[must_use]
    pub fn shifted_left(self, by: usize) -> Self {
        Self { start: self.start - by, end: self.end - by }
    }
}

impl From<[usize; 2]> for Span {
    fn from([start, end]: [usize; 2]) -> Self {
        Self::new(start, end)
    }
}
impl From<Span> for [usize; 2] {
    fn from(s: Span) -> Self {
        [s.start, s.end]
    }
}
impl From<Range<usize>> for Span {
    fn from(r: Range<usize>) -> Self {
        Self::new(r.start, r.end)
    }
}
