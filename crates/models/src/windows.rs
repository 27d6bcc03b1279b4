//! Cutting a text into windows that fit a model.
//!
//! Whole sentences are packed greedily. How many fit is first estimated from one encoding of the whole text,
//! then every window is measured as the model will see it, prefix and special tokens included: tokenizers
//! are not additive, so an estimate alone could let a window overflow.

use crate::{ModelsError, tokens::Tokens};
use std::ops::Range;
use types::Span;

/// Cuts `text` into windows whose measure is at most `max`. `measure` counts the tokens of a window together
/// with everything that is repeated beside it.
///
/// A window spans whole `sentences` (of `text`, ordered); only a sentence that alone exceeds `max` is cut,
/// between words where a word ends in the latter half of the piece, else between tokens. Without sentences
/// the whole text counts as one. Windows are in order and do not overlap; together they cover every byte of
/// every sentence.
pub(crate) fn cut(
    tokens: &Tokens,
    text: &str,
    sentences: &[Span],
    max: usize,
    measure: impl Fn(&str) -> Result<usize, ModelsError>,
) -> Result<Vec<Span>, ModelsError> {
    let units = units(text, sentences)?;
    let (Some(head), Some(tail)) = (units.first(), units.last()) else {
        return Ok(Vec::new());
    };
    // Most texts that are asked about are single sentences, which fit.
    let whole = head.start..tail.end;
    if measure(&text[whole.clone()])? <= max {
        return Ok(vec![Span::from(whole)]);
    }
    let repeated = measure("")?;
    if repeated >= max {
        return Err(ModelsError::NoRoom {
            tokens: repeated,
            max_tokens: max,
        });
    }
    let room = max - repeated;
    let starts = tokens.starts(text)?;
    let before = |at: usize| starts.partition_point(|&s| s < at);

    let mut windows = Vec::new();
    let mut first = 0;
    while first < units.len() {
        let begin = units[first].start;
        let mut last = first;
        while last + 1 < units.len() && before(units[last + 1].end) - before(begin) <= room {
            last += 1;
        }
        while last > first && measure(&text[begin..units[last].end])? > max {
            last -= 1;
        }
        let window = begin..units[last].end;
        if last == first && measure(&text[window.clone()])? > max {
            cut_sentence(text, window, &starts, (room, max), &measure, &mut windows)?;
        } else {
            windows.push(Span::from(window));
        }
        first = last + 1;
    }
    Ok(windows)
}

/// The sentences as ranges, checked; the trimmed text when there are none.
fn units(text: &str, sentences: &[Span]) -> Result<Vec<Range<usize>>, ModelsError> {
    let mut units: Vec<Range<usize>> = Vec::with_capacity(sentences.len());
    for (index, span) in sentences.iter().enumerate() {
        let reached = units.last().map_or(0, |u| u.end);
        if span.slice(text).is_none() || span.start < reached {
            return Err(ModelsError::Sentences {
                index,
                start: span.start,
                end: span.end,
                bytes: text.len(),
            });
        }
        if !span.is_empty() {
            units.push(span.range());
        }
    }
    if sentences.is_empty() && !text.trim().is_empty() {
        let start = text.len() - text.trim_start().len();
        units.push(start..text.trim_end().len());
    }
    Ok(units)
}

/// Cuts one sentence that does not fit into consecutive pieces that do.
fn cut_sentence(
    text: &str,
    sentence: Range<usize>,
    starts: &[usize],
    (room, max): (usize, usize),
    measure: &impl Fn(&str) -> Result<usize, ModelsError>,
    windows: &mut Vec<Span>,
) -> Result<(), ModelsError> {
    let mut begin = sentence.start;
    while begin < sentence.end {
        let first_char = begin + text[begin..].chars().next().map_or(1, char::len_utf8);
        let next_token = starts.partition_point(|&s| s < begin);
        let mut take = room;
        let end = loop {
            let end = match starts.get(next_token + take) {
                Some(&at) if at < sentence.end => word_end(text, begin, at.max(first_char)),
                _ => sentence.end,
            };
            let over = measure(&text[begin..end])?.saturating_sub(max);
            if over == 0 {
                break end;
            }
            if take > over {
                take -= over;
            } else if take > 1 {
                take = 1;
            } else {
                break shrink(text, begin..end, max, measure)?;
            }
        };
        windows.push(Span::new(begin, end));
        begin = end;
    }
    Ok(())
}

/// Where to cut so that no word is torn: behind the last white space before `at`, or `at` itself when `at`
/// is between words already or the word is longer than half of the piece.
fn word_end(text: &str, begin: usize, at: usize) -> usize {
    let piece = &text[begin..at];
    let between = piece.ends_with(char::is_whitespace) || text[at..].starts_with(char::is_whitespace);
    if between {
        return at;
    }
    let behind = piece
        .char_indices()
        .rev()
        .take_while(|&(i, _)| i >= piece.len() / 2)
        .find(|&(_, c)| c.is_whitespace())
        .map(|(i, c)| begin + i + c.len_utf8());
    behind.unwrap_or(at)
}

/// The last resort: one token's text, taken alone, makes more tokens than fit. Halves it until it fits.
fn shrink(
    text: &str,
    piece: Range<usize>,
    max: usize,
    measure: &impl Fn(&str) -> Result<usize, ModelsError>,
) -> Result<usize, ModelsError> {
    let first_char = piece.start + text[piece.clone()].chars().next().map_or(1, char::len_utf8);
    let mut end = piece.end;
    loop {
        let tokens = measure(&text[piece.start..end])?;
        if tokens <= max {
            return Ok(end);
        }
        if end <= first_char {
            return Err(ModelsError::NoRoom {
                tokens,
                max_tokens: max,
            });
        }
        end = text
            .floor_char_boundary(piece.start + (end - piece.start) / 2)
            .max(first_char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::fixture;
    use proptest::prelude::*;

    fn windows(text: &str, sentences: &[Span], max: usize) -> Result<Vec<Span>, ModelsError> {
        let tokens = fixture::tokens();
        cut(&tokens, text, sentences, max, |w| tokens.count(w))
    }

    #[test]
    fn whole_sentences_are_packed() {
        // Two special tokens; each sentence has four.
        let text = "The heart rate. The heart rate. The heart rate.";
        let sentences = [Span::new(0, 15), Span::new(16, 31), Span::new(32, 47)];
        let check = |max: usize, want: &[[usize; 2]]| {
            let want: Vec<Span> = want.iter().map(|&w| Span::from(w)).collect();
            assert_eq!(windows(text, &sentences, max).expect("cuts"), want, "{max}");
        };
        check(14, &[[0, 47]]);
        check(13, &[[0, 31], [32, 47]]);
        check(6, &[[0, 15], [16, 31], [32, 47]]);
        // The sentences no longer fit: they are cut between words.
        check(4, &[[0, 10], [10, 15], [16, 26], [26, 31], [32, 42], [42, 47]]);
    }

    #[test]
    fn edges() {
        assert_eq!(windows("", &[], 8).expect("cuts"), []);
        assert_eq!(windows(" \n ", &[], 8).expect("cuts"), []);
        assert_eq!(windows(" the ", &[], 8).expect("cuts"), [Span::new(1, 4)]);
        // A word of six letters in windows of three tokens is cut inside.
        let pieces = windows("xyzxyz", &[], 5).expect("cuts");
        assert_eq!(pieces, [Span::new(0, 3), Span::new(3, 6)]);
        assert!(matches!(windows("the", &[], 2), Err(ModelsError::NoRoom { .. })));
        let broken = |spans: &[Span]| windows("é the", spans, 8).expect_err("refused");
        assert!(matches!(
            broken(&[Span::new(1, 3)]),
            ModelsError::Sentences { index: 0, .. }
        ));
        assert!(matches!(
            broken(&[Span::new(0, 99)]),
            ModelsError::Sentences { index: 0, .. }
        ));
        let unordered = [Span::new(3, 6), Span::new(0, 2)];
        assert!(matches!(
            broken(&unordered),
            ModelsError::Sentences { index: 1, .. }
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn windows_are_ordered_fit_and_cover_every_sentence(
            parts in prop::collection::vec("[a-z☃é.]{1,9}( [a-z日]{1,8}){0,6}", 1..8),
            gap in "[ \n]{1,3}",
            max in 3_usize..40,
        ) {
            let mut text = String::new();
            let mut sentences = Vec::new();
            for part in &parts {
                let start = text.len();
                text.push_str(part);
                sentences.push(Span::new(start, text.len()));
                text.push_str(&gap);
            }
            let tokens = fixture::tokens();
            let windows = windows(&text, &sentences, max).expect("cuts");
            let mut reached = 0;
            for w in &windows {
                prop_assert!(w.start >= reached && !w.is_empty());
                reached = w.end;
                let inside = w.slice(&text).expect("on character boundaries");
                prop_assert!(tokens.count(inside).expect("counts") <= max);
            }
            for (at, _) in text.char_indices() {
                let in_sentence = sentences.iter().any(|s| s.start <= at && at < s.end);
                let in_window = windows.iter().any(|w| w.start <= at && at < w.end);
                prop_assert!(in_window || !in_sentence, "byte {} is lost", at);
            }
        }
    }
}
