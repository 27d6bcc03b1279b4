//! Rows of answers that any system wrote, in the file formats that such systems use: a question, an answer, the passages
//! that it was written from, and what is known about the right answer.
//!
//! [`read()`] reads a file into [`Sample`]s, whatever its [`Format`]. [`Lookup`] and [`join_qrels`] add what other files know of the
//! questions. All wrong lines of a file are reported together, each with its number; ids keep their case.
//!
//! It scores nothing, asks no model and opens no file: it is given text.
//!
//! ```
//! let text = r#"{"user_input": "How far?", "response": "Two miles.", "retrieved_contexts": ["They walked two miles."]}"#;
//! let set = eval::rows::read("answers.jsonl", text, &eval::rows::ReadOptions::default())?;
//! assert_eq!(set.format, eval::rows::Format::Ragas);
//! assert_eq!(set.rows[0].answer.as_deref(), Some("Two miles."));
//! # Ok::<(), eval::rows::RowsError>(())
//! ```

mod error;
mod field_map;
mod format;
mod literal;
mod lookup;
mod questions;
mod read;
mod reader;
mod record;
mod run_log;
mod scan;
mod trec;
mod value;

pub use crate::{Cited, Expected, GoldQuote, Passage, Sample};
pub use error::RowsError;
pub use field_map::FieldMap;
pub use format::Format;
pub use lookup::{Joined, Lookup, LookupKind};
pub use questions::{foreign_questions, questions};
pub use read::{ReadOptions, RowSet, decode, read};
pub use record::Container;
pub use scan::clean;
pub use trec::join_qrels;
pub use types::Problem;
