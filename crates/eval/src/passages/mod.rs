//! Whether retrieval brings the passage that answers a question, over whole papers.
//!
//! [`load_questions`] reads questions whose answers have an offset into their article; [`GoldSpans`] maps these
//! answers to the text that was indexed; [`ScoredQuestion`] says which [`Measure`]s a system reached. Nothing here
//! knows how passages are found.
//!
//! A chunk *holds* an answer if it covers at least half of the answer's bytes in the text of the same document.
//! Answers are spans that annotators marked, often part of a sentence; chunks end at sentence ends and overlap, so
//! that nearly every answer lies wholly in some chunk. The same words elsewhere in the paper do not count: the
//! annotator's place decides. With several answers to a question, one is enough.

mod gold;
mod halves;
mod measure;
mod questions;

pub use gold::{GoldSpans, NotLocated};
pub use halves::second_half;
pub use measure::{Measure, ScoredQuestion, Seen, parse_gate};
pub use questions::{GoldAnswer, PassageQuestion, load_questions};
