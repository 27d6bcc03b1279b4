//! Scores rows of answers that any system wrote ([`rows::AnswerRow`]).
//!
//! Each metric is a value, n/a with the name of the missing field, or an error. This crate does not read files, answer
//! questions or load models; judges are handed in.
