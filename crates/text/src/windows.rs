//! Cutting a text into windows that fit a model.
//!
//! Whole sentences are packed greedily. How many fit is first estimated from one encoding of the whole text,
//! then every window is measured as the model will see it, prefix and special tokens included: tokenizers
//! are not additive, so an estimate alone could let a window overflow.

use std::ops::Range;

/// A tokenizer that only counts.
pub trait TokenCounter {
    /// Why a text cannot be counted.
    type Error;

    /// The byte at which each token of `text` begins, ascending, special tokens left out.
    ///
    /// # Errors
    /// When the tokenizer fails.
    fn starts(&self, text: &str) -> Result<Vec<usize>, Self::Error>;
}

/// Why a text cannot be cut into windows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum CutError<E> {
    /// Nothing fits beside what is repeated in each window.
    NoRoom { tokens: usize, max: usize },
    /// Sentence spans do not describe the text.
    Sentences { index: usize, span: Range<usize> },
    /// The tokenizer failed.
    Tokenizer(E),
}

impl<E> From<E> for CutError<E> {
    fn from(error: E) -> Self {
        Self::Tokenizer(error)
    }
}

/// Cuts `text` into windows whose measure is at most `max`. `measure` counts the tokens of a window together
/// with everything that is repeated beside it.
///
/// A window spans whole `sentences` (of `text`, ordered); only a sentence that alone exceeds `max` is cut,
/// between words where a word ends in the latter half of the piece, else between tokens. Without sentences
/// the whole text counts as one. Windows are in order and do not overlap; together they cover every byte of
/// every sentence.
///
/// # Errors
/// When nothing fits beside what is repeated, when `sentences` are not ordered ranges of `text` on character
/// boundaries, or when the tokenizer fails.
pub fn cut<T: TokenCounter>(
    tokens: &T,
    text: &str,
    sentences: &[Range<usize>],
    max: usize,
    measure: impl Fn(&str) -> Result<usize, T::Error>,
) -> Result<Vec<Range<usize>>, CutError<T::Error>> {
    let units = units(text, sentences)?;
    let (Some(head), Some(tail)) = (units.first(), units.last()) else {
        return Ok(Vec::new());
    };
    // Most texts that are asked about are single sentences, which fit.
    let whole = head.start..tail.end;
    if measure(&text[whole.clone()])? <= max {
        return Ok(vec![whole]);
    }
    let repeated = measure("")?;
    if repeated >= max {
        return Err(CutError::NoRoom { tokens: repeated, max });
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
            windows.push(window);
        }
        first = last + 1;
    }
    Ok(windows)
}

/// The sentences as ranges, checked; the trimmed text when there are none.
fn units<E>(text: &str, sentences: &[Range<usize>]) -> Result<Vec<Range<usize>>, CutError<E>> {
    let mut units: Vec<Range<usize>> = Vec::with_capacity(sentences.len());
    for (index, span) in sentences.iter().enumerate() {
        let reached = units.last().map_or(0, |u| u.end);
        if text.get(span.clone()).is_none() || span.start < reached {
            return Err(CutError::Sentences { index, span: span.clone() });
        }
        if !span.is_empty() {
            units.push(span.clone());
        }
    }
    if sentences.is_empty() && !text.trim().is_empty() {
        let start = text.len() - text.trim_start().len();
        units.push(start..text.trim_end().len());
    }
    Ok(units)
}

/// Cuts one sentence that does not fit into consecutive pieces that do.
fn cut_sentence<E>(
    text: &str,
    sentence: Range<usize>,
    starts: &[usize],
    (room, max): (usize, usize),
    measure: &impl Fn(&str) -> Result<usize, E>,
    windows: &mut Vec<Range<usize>>,
) -> Result<(), CutError<E>> {
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
        windows.push(begin..end);
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
fn shrink<E>(
    text: &str,
    piece: Range<usize>,
    max: usize,
    measure: &impl Fn(&str) -> Result<usize, E>,
) -> Result<usize, CutError<E>> {
    let first_char = piece.start + text[piece.clone()].chars().next().map_or(1, char::len_utf8);
    let mut end = piece.end;
    loop {
        let tokens = measure(&text[piece.start..end])?;
        if tokens <= max {
            return Ok(end);
        }
        if end <= first_char {
            return Err(CutError::NoRoom { tokens, max });
        }
        end = text.floor_char_boundary(piece.start + (end - piece.start) / 2).max(first_char);
    }
}
