//! Rows of answers that any system wrote, in the file formats that such systems use: a question, an answer, the passages
//! that it was written from, and what is known about the right answer.
//!
//! It reads files into [`AnswerRow`]. It scores nothing and asks no model.

mod row;

pub use row::{AnswerRow, Cited, Expected, GoldQuote, Passage};
