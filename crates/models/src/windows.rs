//! Windows of a text that fit a model; see [`text::windows`].

use crate::{ModelsError, tokens::Tokens};
use text::windows::{CutError, TokenCounter};
use types::Span;

impl TokenCounter for Tokens {
    type Error = ModelsError;

    fn starts(&self, text: &str) -> Result<Vec<usize>, ModelsError> {
        self.starts(text)
    }
}

/// As [`text::windows::cut`], with spans and with the errors of this crate.
pub(crate) fn cut(
    tokens: &Tokens,
    text: &str,
    sentences: &[Span],
    max: usize,
    measure: impl Fn(&str) -> Result<usize, ModelsError>,
) -> Result<Vec<Span>, ModelsError> {
    let sentences: Vec<_> = sentences.iter().map(|span| span.range()).collect();
    let windows =
        text::windows::cut(tokens, text, &sentences, max, measure).map_err(|error| match error {
            CutError::NoRoom { tokens, max } => ModelsError::NoRoom { tokens, max_tokens: max },
            CutError::Sentences { index, span } => {
                ModelsError::Sentences { index, start: span.start, end: span.end, bytes: text.len() }
            }
            CutError::Tokenizer(error) => error,
        })?;
    Ok(windows.into_iter().map(Span::from).collect())
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
        assert!(matches!(broken(&[Span::new(1, 3)]), ModelsError::Sentences { index: 0, .. }));
        assert!(matches!(broken(&[Span::new(0, 99)]), ModelsError::Sentences { index: 0, .. }));
        let unordered = [Span::new(3, 6), Span::new(0, 2)];
        assert!(matches!(broken(&unordered), ModelsError::Sentences { index: 1, .. }));
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
