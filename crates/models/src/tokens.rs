//! The model's tokenizer, used to count: never pads, never truncates.

use crate::ModelsError;
use fastembed::TokenizerFiles;
use std::path::Path;
use tokenizers::Tokenizer;

/// Names of the padding token, tried in order when the tokenizer does not say which it is.
const PADDING_TOKENS: [&str; 4] = ["[PAD]", "<pad>", "<|padding|>", "<|endoftext|>"];

/// Counts tokens as the model will see them.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    padding: (String, u32),
    source: Vec<u8>,
}

impl Tokens {
    /// Reads the bytes of a `tokenizer.json`; `path` is for messages. Truncation and padding that the file
    /// carries are dropped (MiniLM's pads to 128 and cuts at 128).
    pub(crate) fn from_bytes(source: Vec<u8>, path: &Path) -> Result<Self, ModelsError> {
        let wrong = |reason: String| ModelsError::Tokenizer { path: path.to_owned(), reason };
        let mut tokenizer = Tokenizer::from_bytes(&source).map_err(|e| wrong(e.to_string()))?;
        let padding = tokenizer
            .get_padding()
            .map(|p| (p.pad_token.clone(), p.pad_id))
            .or_else(|| {
                PADDING_TOKENS.iter().find_map(|t| Some(((*t).to_owned(), tokenizer.token_to_id(t)?)))
            })
            .ok_or_else(|| wrong(format!("no padding token; tried {}", PADDING_TOKENS.join(", "))))?;
        tokenizer.with_padding(None).with_truncation(None).map_err(|e| wrong(e.to_string()))?;
        Ok(Self { tokenizer, padding, source })
    }

    /// The bytes that it was read from.
    pub(crate) fn source(&self) -> &[u8] {
        &self.source
    }

    /// The same tokenizer as fastembed wants it: the bytes, and what its other files would say.
    pub(crate) fn files(&self, max_tokens: usize) -> TokenizerFiles {
        let (token, id) = &self.padding;
        TokenizerFiles {
            tokenizer_file: self.source.clone(),
            config_file: serde_json::json!({ "pad_token_id": id }).to_string().into_bytes(),
            special_tokens_map_file: b"{}".to_vec(),
            tokenizer_config_file: serde_json::json!({ "model_max_length": max_tokens, "pad_token": token })
                .to_string()
                .into_bytes(),
        }
    }

    /// Tokens of `text`, special tokens included.
    pub(crate) fn count(&self, text: &str) -> Result<usize, ModelsError> {
        self.tokenizer.encode_fast(text, true).map(|e| e.len()).map_err(|e| tokenize_error(text.len(), &*e))
    }

    /// Whether the vocabulary holds the whole word.
    pub(crate) fn has(&self, word: &str) -> bool {
        let encoded = self.tokenizer.encode(word, false);
        encoded.is_ok_and(|tokens| match tokens.get_tokens() {
            // A token that stands for an unknown word spells another text.
            [only] => only.trim_start_matches(['▁', 'Ġ']).eq_ignore_ascii_case(word),
            _ => false,
        })
    }

    /// Tokens of two texts encoded as a pair, special tokens included.
    pub(crate) fn count_pair(&self, first: &str, second: &str) -> Result<usize, ModelsError> {
        Ok(self.encode_pair(first, second)?.len())
    }

    /// The tokens of two texts encoded as a pair, special tokens included, without their places.
    pub(crate) fn encode_pair(&self, first: &str, second: &str) -> Result<tokenizers::Encoding, ModelsError> {
        self.tokenizer
            .encode_fast((first, second), true)
            .map_err(|e| tokenize_error(first.len() + second.len(), &*e))
    }

    /// The tokens of `text`, special tokens included, with their places in bytes.
    pub(crate) fn encode(&self, text: &str) -> Result<tokenizers::Encoding, ModelsError> {
        self.tokenizer.encode(text, true).map_err(|e| tokenize_error(text.len(), &*e))
    }

    /// The first tokens of `text`, at most `most`, without special ones.
    pub(crate) fn first(&self, text: &str, most: usize) -> Result<Vec<u32>, ModelsError> {
        let encoded = self.tokenizer.encode_fast(text, false);
        let encoded = encoded.map_err(|e| tokenize_error(text.len(), &*e))?;
        Ok(encoded.get_ids().iter().copied().take(most).collect())
    }

    /// The number of a token of the vocabulary.
    pub(crate) fn id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// As [`Self::encode`], without the places.
    pub(crate) fn encode_fast(&self, text: &str) -> Result<tokenizers::Encoding, ModelsError> {
        self.tokenizer.encode_fast(text, true).map_err(|e| tokenize_error(text.len(), &*e))
    }

    /// The byte at which each token of `text` begins, ascending, special tokens left out. Several tokens may
    /// begin at one byte (a character spelt in bytes).
    pub(crate) fn starts(&self, text: &str) -> Result<Vec<usize>, ModelsError> {
        let encoding = self.tokenizer.encode(text, false).map_err(|e| tokenize_error(text.len(), &*e))?;
        let mut reached = 0;
        Ok(encoding
            .get_offsets()
            .iter()
            .map(|&(start, _)| {
                reached = text.floor_char_boundary(start).max(reached);
                reached
            })
            .collect())
    }
}

fn tokenize_error(bytes: usize, error: &(dyn std::error::Error + Send + Sync)) -> ModelsError {
    ModelsError::Tokenize { bytes, reason: error.to_string() }
}

#[cfg(test)]
pub(crate) mod fixture {
    use super::*;

    /// A WordPiece tokenizer with BERT's special tokens and every ASCII letter and digit, alone and as a
    /// continuation: an unknown word falls apart into its letters. Like MiniLM's, it carries a truncation
    /// and a padding that must not be honoured.
    pub(crate) fn tokens() -> Tokens {
        let mut vocabulary = serde_json::Map::new();
        let mut add = |token: String| {
            let id = vocabulary.len();
            vocabulary.insert(token, id.into());
        };
        for token in ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "heart", "rate", "the", "##s", ".", ","] {
            add(token.to_owned());
        }
        for c in ('a'..='z').chain('0'..='9') {
            add(c.to_string());
            if c != 's' {
                add(format!("##{c}"));
            }
        }
        let special = |id: u32, content: &str| {
            serde_json::json!({"id": id, "content": content, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true})
        };
        let json = serde_json::json!({
            "version": "1.0",
            "truncation": {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0},
            "padding": {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null,
                "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
            "added_tokens": [special(0, "[PAD]"), special(1, "[UNK]"), special(2, "[CLS]"), special(3, "[SEP]")],
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
            "decoder": null,
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": vocabulary},
        });
        Tokens::from_bytes(json.to_string().into_bytes(), Path::new("tokenizer.json")).expect("a tokenizer")
    }

    #[test]
    fn counts_include_special_tokens_and_ignore_truncation() {
        let tokens = tokens();
        let check = |text: &str, want: usize| assert_eq!(tokens.count(text).expect("counts"), want, "{text}");
        check("", 2);
        check("the heart rates.", 7);
        check("the the the the the the the the the the", 12);
        check("☃ [SEP]", 4);
        assert_eq!(tokens.count_pair("heart", "rate").expect("counts"), 5);
        assert!(tokens.has("heart") && tokens.has("Heart") && !tokens.has("hearts") && !tokens.has("☃"));
    }

    #[test]
    fn starts_are_bytes_of_the_original_text() {
        let starts = |text: &str| tokens().starts(text).expect("encodes");
        assert_eq!(starts("  The É rates"), [2, 6, 9, 13]);
        assert_eq!(starts(""), [0_usize; 0]);
    }

    #[test]
    fn what_is_no_tokenizer_is_refused() {
        let error = Tokens::from_bytes(b"{}".to_vec(), Path::new("x.json")).err().expect("refused");
        assert!(error.to_string().contains("x.json"), "{error}");
    }
}
