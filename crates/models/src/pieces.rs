//! The reader's tokenizer: SentencePiece's unigram model, as its `tokenizer.json` describes it.
//!
//! The tokenizers library gives the same tokens (a test compares them), but takes a second to build its tree of 250,000
//! pieces, for which every `pipeline ask` would wait.

use crate::ModelsError;
use serde::Deserialize;
use std::{collections::HashMap, path::Path};
use unicode_normalization::UnicodeNormalization as _;

/// What an unknown character costs beyond the rarest piece.
const UNKNOWN_PENALTY: f64 = 10.0;

#[derive(Deserialize)]
struct File {
    added_tokens: Vec<Added>,
    model: Model,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: Box<str>,
}

#[derive(Deserialize)]
struct Model {
    unk_id: u32,
    vocab: Vec<(Box<str>, f64)>,
}

/// Splits a text into the pieces that are most likely together.
pub(crate) struct Pieces {
    /// The number and the log-probability of each.
    vocabulary: HashMap<Box<str>, (u32, f64)>,
    /// Characters of the longest.
    longest: usize,
    /// What an unknown character is, and its log-probability.
    unknown: (u32, f64),
    /// What begins and what ends a text.
    pub(crate) ends: [u32; 2],
}

impl Pieces {
    /// Reads the bytes of a `tokenizer.json`; `path` is for messages.
    pub(crate) fn from_bytes(source: &[u8], path: &Path) -> Result<Self, ModelsError> {
        let wrong = |reason: String| ModelsError::Tokenizer {
            path: path.to_owned(),
            reason,
        };
        let File { added_tokens, model } =
            serde_json::from_slice(source).map_err(|e| wrong(e.to_string()))?;
        let special = |name: &str| {
            let found = added_tokens.iter().find(|token| &*token.content == name);
            found
                .map(|token| token.id)
                .ok_or_else(|| wrong(format!("it has no token {name}")))
        };
        let least = model.vocab.iter().map(|(_, score)| *score).fold(0.0, f64::min);
        Ok(Self {
            longest: model
                .vocab
                .iter()
                .map(|(piece, _)| piece.chars().count())
                .max()
                .unwrap_or(0),
            unknown: (model.unk_id, least - UNKNOWN_PENALTY),
            ends: [special("<s>")?, special("</s>")?],
            vocabulary: (0..)
                .zip(model.vocab)
                .map(|(id, (piece, score))| (piece, (id, score)))
                .collect(),
        })
    }

    /// The pieces of `text`, at most `most`, without its ends.
    pub(crate) fn of(&self, text: &str, most: usize) -> Vec<u32> {
        let text: String = text.chars().filter_map(cleaned).nfkc().collect();
        let words = text.split_whitespace();
        words
            .flat_map(|word| self.of_word(&format!("\u{2581}{word}")))
            .take(most)
            .collect()
    }

    /// The pieces of a word: the best way to each character follows from the best ways to those before.
    fn of_word(&self, word: &str) -> Vec<u32> {
        let starts: Vec<usize> = word
            .char_indices()
            .map(|(at, _)| at)
            .chain([word.len()])
            .collect();
        let count = starts.len() - 1;
        // For each character, the score of the best way to what stands before it, its last piece and where that begins.
        let mut best: Vec<Option<(f64, u32, usize)>> = vec![None; count + 1];
        for from in 0..count {
            let before = best[from].map_or(0.0, |(score, ..)| score);
            let mut reach = |to: usize, id: u32, score: f64| {
                if best[to].is_none_or(|(known, ..)| before + score > known) {
                    best[to] = Some((before + score, id, from));
                }
            };
            let ends = from + 1..=count.min(from + self.longest);
            for to in ends {
                match self.vocabulary.get(&word[starts[from]..starts[to]]) {
                    Some(&(id, score)) => reach(to, id, score),
                    None if to == from + 1 => reach(to, self.unknown.0, self.unknown.1),
                    None => {}
                }
            }
        }
        let (mut pieces, mut at) = (Vec::new(), count);
        while let Some((_, id, from)) = best[at].filter(|_| at > 0) {
            // Unknown characters in a row are one piece.
            if id != self.unknown.0 || pieces.last() != Some(&id) {
                pieces.push(id);
            }
            at = from;
        }
        pieces.reverse();
        pieces
    }
}

/// A character as it is read; `None` for controls.
fn cleaned(c: char) -> Option<char> {
    match c {
        '\u{1}'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}' => None,
        '\t'
        | '\n'
        | '\u{c}'
        | '\r'
        | '\u{1680}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2581}'
        | '\u{feff}'
        | '\u{fffd}' => Some(' '),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_likely_pieces_are_taken_and_unknown_ones_joined() {
        let file = r#"{"added_tokens": [{"id": 1, "content": "<s>"}, {"id": 2, "content": "</s>"}],
            "model": {"unk_id": 0, "vocab": [["<unk>", 0.0], ["<s>", 0.0], ["</s>", 0.0], ["▁", -3.0], ["▁wal", -4.0],
            ["▁walk", -6.0], ["king", -2.0], ["ing", -3.0], ["k", -5.0]]}}"#;
        let pieces = Pieces::from_bytes(file.as_bytes(), Path::new("tokenizer.json")).expect("a tokenizer");
        assert_eq!(pieces.ends, [1, 2]);
        assert_eq!(pieces.of("walking\u{200b}walk \u{7f}ﬁ☃k", 9), [4, 6, 5, 3, 0, 8]);
        assert_eq!(pieces.of("walking walking", 3), [4, 6, 4]);
        let missing = Pieces::from_bytes(
            br#"{"added_tokens": [], "model": {"unk_id": 0, "vocab": []}}"#,
            Path::new("x"),
        );
        assert!(
            missing
                .err()
                .expect("refused")
                .to_string()
                .contains("no token <s>")
        );
    }

    /// As the tokenizers library splits them.
    #[test]
    fn texts_are_split_as_by_the_library() {
        let checkout = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.natives");
        let natives = std::env::var_os("PIPELINE_NATIVES").unwrap_or_else(|| checkout.into());
        let path = Path::new(&natives).join("reader/tokenizer.json");
        let Ok(source) = std::fs::read(&path) else {
            eprintln!("skipped texts_are_split_as_by_the_library: no {}", path.display());
            return;
        };
        let pieces = Pieces::from_bytes(&source, &path).expect("a tokenizer");
        let library = tokenizers::Tokenizer::from_bytes(&source).expect("a tokenizer");
        let others = [
            "",
            " \t",
            "Systolic blood pressure fell by 6\u{a0}mmHg (95% CI −9.1 to −2.7; p<0.001), i.e. 4.5×10⁹ cells/L.",
            "¿Cuántos adultos fueron asignados al azar? Übergrößenträger, fu\u{308}nfzig; ﬁbre Ⅰ",
            "кровяное давление 血圧を測る क्षेत्र 🏃\u{200d}♂\u{fe0f}🏃 \u{e000}\u{e001}x",
            "a\u{1}b\u{200b}c\u{feff}d ¨ 𝕏 e\u{8f}f\u{9f}g",
        ];
        for text in include_str!("pieces.rs").lines().chain(others) {
            // Names of special tokens are text like any other here.
            if !text.contains("<s>") && !text.contains("</s>") && !text.contains("<unk>") {
                let expected = library.encode_fast(text, false).expect("encodes");
                assert_eq!(pieces.of(text, usize::MAX), expected.get_ids(), "{text:?}");
            }
        }
    }
}
