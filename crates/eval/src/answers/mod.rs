//! Where the answers to questions with labelled evidence are lost, and how well an answer knows that it is right.
//!
//! A question has *gold items*: spans or quotes that answer it. A sentence shows an item if the two share at least half
//! of the shorter one. [`ScoredAnswer`] holds what one system did with one question: whether candidates, kept passages
//! and context contain a gold sentence, how early the ranking of sentences has one, and what the answer shows of them.
//! [`Decisions`] counts answers and refusals, [`crate::Reliability`] compares the stated probability with what came true,
//! and [`calibration`] chooses cut-offs for both.

pub mod calibration;
mod decisions;
mod gold;
mod measure;

pub use decisions::{Decision, Decisions};
pub use gold::{shares, shows};
pub use measure::{AnswerMeasure, ScoredAnswer, Seen, parse_gate};
