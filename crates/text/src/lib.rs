//! What every stage needs of language: sentences, folding, quotes, terms, numbers, entities.
//!
//! Ingest cuts papers into [`sentences`]; the index and the coverage of a question count [`terms`]; guardrails
//! and metrics ask whether a quote stands in a text ([`quote::find_quote`]) and whether an answer's numbers and
//! names do ([`entities::entities`], [`entities::Ground`]), and its links ([`addresses::addresses`]); support compares
//! [`numbers::quantities`]; the index collects the abbreviations that papers define ([`definitions::definitions`]);
//! prompts hold papers and questions as data ([`prompt_data::escape`]) and have room for so many tokens
//! ([`tokens::estimate`]). Written once here, so that all of them mean the same by a word, a number, a verbatim quote.
//!
//! This crate knows nothing of chunks, answers or models, does no I/O and keeps no state. Every function
//! takes any Unicode text, never fails and never panics, and takes time linear (or nearly so) in its length.
//! All spans are half-open ranges of UTF-8 bytes into the text that was given, on character boundaries.
//!
//! The methods are rules: Unicode NFKC for folding, the Snowball English stemmer (Porter 2001) for stems,
//! shape and word lists for everything else.
//!
//! ```
//! let text = "Steps rose by 12.5% (Orvella et al. 2021). VO2max did not change.";
//! let sentences: Vec<&str> = text::sentences(text).into_iter().map(|s| &text[s]).collect();
//! assert_eq!(sentences, ["Steps rose by 12.5% (Orvella et al. 2021).", "VO2max did not change."]);
//! let found = text::quote::find_quote(text, "“steps … did not change”").expect("both parts stand there");
//! assert_eq!(&text[found.parts[1].clone()], "did not change");
//! ```

mod abbreviations;
pub mod addresses;
mod chars;
pub mod definitions;
pub mod encoding;
pub mod entities;
mod everyday;
pub mod fold;
pub mod language;
pub mod numbers;
mod pattern;
pub mod prompt_data;
pub mod quote;
mod sentence;
mod stopwords;
mod symbols;
mod terms;
pub mod tokens;
pub mod windows;
mod word_list;

pub use chars::is_unspaced;
pub use everyday::is_everyday;
pub use language::{language, looks_english};
pub use pattern::Pattern;
pub use sentence::sentences;
pub use stopwords::{is_negation, is_stop_word};
pub use symbols::as_printed;
pub use terms::{
    Term, Word, folded_words, indexed_words, length_in_words, normal_form, one_line, plain_letters, stem,
    stems, terms, word_count, words,
};
pub use word_list::WordList;
