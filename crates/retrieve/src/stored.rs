//! What every store computes alike, so that the same papers have the same scores, words and abbreviations in each: BM25, which
//! words are read for one that is misspelt, which abbreviations a chunk defines, by which words a source is found.

mod abbreviations;
mod bm25;
mod source_words;
mod spelling;

pub use abbreviations::{defined_in, in_order};
pub use bm25::{Bm25, Lengths, norm};
pub use source_words::source_stems;
pub use spelling::{Misspelt, in_order as nearest_first};
