//! A text whose tokens are counted once, for many counts of its parts.

use super::{count, count_piece, first_piece};
use std::ops::Range;

/// Parts shorter than this are counted as they are: looking for their ends would cost as much.
const SHORT: usize = 48;

/// Tokens of parts of a text: the same numbers as [`count`] gives, for little more than finding where a part begins and
/// ends. Sentences are counted for their own sake, for the chunk that they fill, and for the overlap.
#[derive(Debug)]
pub(crate) struct Counted<'a> {
    text: &'a str,
    range: Range<usize>,
    /// Where each piece of the range ends, in bytes of the text, and the tokens up to there.
    ends: Vec<(usize, usize)>,
}

impl<'a> Counted<'a> {
    /// Counts the part `range` of `text`. A range that is out of bounds or cuts a character is narrowed to one that is
    /// not.
    pub(crate) fn new(text: &'a str, range: Range<usize>) -> Self {
        let end = text.floor_char_boundary(range.end);
        let start = text.floor_char_boundary(range.start.min(end));
        let (mut at, mut tokens) = (start, 0);
        let mut ends = vec![(start, 0)];
        while let Some(piece) = first_piece(&text[at..end]) {
            at += piece.len();
            tokens += count_piece(piece);
            ends.push((at, tokens));
        }
        Self { text, range: start..end, ends }
    }

    /// Tokens of `range`, bytes into the text, taken alone. A range that is out of bounds or cuts a character has none.
    pub(crate) fn count(&self, range: Range<usize>) -> usize {
        let Some(part) = self.text.get(range.clone()) else {
            return 0;
        };
        // Pieces depend on what follows them only where the text ends, and in white space on where the run ends. So
        // those that end before the last character that is no white space are the same in the part and in the text.
        let solid = range.start + part.trim_end().len();
        if part.len() < SHORT || range.start < self.range.start || self.range.end < solid {
            return count(part);
        }
        let (mut at, mut tokens) = (range.start, 0);
        loop {
            let place = self.ends.partition_point(|(end, _)| *end < at);
            let Some(&(end, before)) = self.ends.get(place) else {
                return tokens + count(&self.text[at..range.end]);
            };
            if end == at {
                let last = self.ends.partition_point(|(end, _)| *end < solid);
                let Some(&(known, up_to)) = last.checked_sub(1).and_then(|i| self.ends.get(i)) else {
                    return tokens + count(&self.text[at..range.end]);
                };
                if known <= at {
                    return tokens + count(&self.text[at..range.end]);
                }
                return tokens + (up_to - before) + count(&self.text[known..range.end]);
            }
            // The part begins inside a piece: go on by its own pieces until both agree on where one ends.
            let Some(piece) = first_piece(&self.text[at..range.end]) else {
                return tokens;
            };
            tokens += count_piece(piece);
            at += piece.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agrees(text: &str, whole: Range<usize>, part: Range<usize>) {
        let counted = Counted::new(text, whole.clone());
        let want = text.get(part.clone()).map_or(0, count);
        assert_eq!(counted.count(part.clone()), want, "{part:?} of {whole:?} of {text:?}");
    }

    #[test]
    fn ends_that_cut_pieces_are_counted_as_they_stand() {
        let text = "A first sentence, of 1234567 words.  \n\n  And then a second one... \r\n with white   space at its end   \n";
        for start in 0..text.len() {
            for end in start..=text.len() {
                agrees(text, 0..text.len(), start..end);
            }
        }
        agrees("é and more than forty-eight bytes of common text, so that it counts", 0..400, 1..60);
        agrees("more than forty-eight bytes of common text, so that it really counts", 5..30, 2..60);
    }

    proptest! {
        #[test]
        fn parts_are_counted_as_if_alone(
            words in prop::collection::vec("([a-zA-Z']{1,9}|[0-9.,]{0,7}|\\s{0,3}|[ \n\r]{0,3}|\\PC{0,3})[ \n]?", 0..40),
            ends in prop::array::uniform4(0_usize..200),
        ) {
            let text = words.concat();
            let bounds: Vec<usize> = ends.iter().map(|e| text.floor_char_boundary((*e).min(text.len()))).collect();
            let order = |a: usize, b: usize| a.min(b)..a.max(b);
            agrees(&text, order(bounds[0], bounds[1]), order(bounds[2], bounds[3]));
            agrees(&text, 0..text.len(), order(bounds[2], bounds[3]));
        }
    }
}
