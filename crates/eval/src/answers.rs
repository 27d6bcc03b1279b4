//! Where the answers to questions with labelled evidence are lost, and how well an answer knows that it is right.
//!
//! A question has *gold items*: spans or quotes that answer it. A sentence shows an item if the two share at least half
//! of the shorter one. [`ScoredAnswer`] has what one system did with one question: whether candidates, kept passages
//! and context contain a gold sentence, how early, how early the ranking of sentences has one, and what the answer shows.
//! [`Decisions`] counts answers and refusals, [`crate::Reliability`] compares the stated probability with what came true,
//! and [`calibration`] chooses cut-offs for both.
//!
//! [`load_questions`] reads questions whose answers have an offset into their article, and [`locate`] maps these answers to
//! the text that was indexed.

pub mod calibration;
mod measure;
mod place;
mod questions;

pub use measure::{AnswerMeasure, Decision, Decisions, ScoredAnswer, Seen, shares, shows};
pub use place::locate;
pub use questions::{ArticleQuestion, GoldAnswer, load_questions};
