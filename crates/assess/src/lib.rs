//! Scores rows of answers that any system wrote ([`rows::AnswerRow`]): each metric is a value, n/a with the name of the
//! missing field, or an error. It does not answer questions or load models; systems and judges are handed in.
//!
//! [`dimensions`] are the five dimensions of a judge. [`metrics::score`] scores a row, [`summary::summarise`] turns scored rows into means with intervals, rates, a band and
//! recommendations, and [`controls`] shows which damage to an answer moves which metric. [`experiment`] asks a system of the
//! caller's own and scores what it answers.
//!
//! ```
//! use assess::{Limits, metrics::{Tools, score}};
//! use rows::{AnswerRow, Passage};
//!
//! let row = AnswerRow {
//!     question: Some("How does walking affect blood pressure?".into()),
//!     answer: Some("Walking lowered blood pressure by 6 mmHg.".into()),
//!     passages: Some(vec![Passage { text: "In both arms, walking lowered blood pressure by 6 mmHg.".into(), ..Passage::default() }]),
//!     ..AnswerRow::default()
//! };
//! let (limits, judge) = (Limits::default(), support::LexicalSupport::new());
//! let scored = score(&row, &Tools { support: &judge, limits: &limits });
//! assert_eq!(scored.get("faithfulness").and_then(eval::Score::get), Some(1.0));
//! assert!(scored.get("context_recall").is_some_and(|score| score.get().is_none()), "no label, no recall");
//! ```

pub mod controls;
pub mod dimensions;
mod error;
pub mod experiment;
mod limits;
pub mod metrics;
pub mod summary;

pub use error::AssessError;
pub use limits::Limits;
