//! Scores rows of answers that any system wrote ([`rows::AnswerRow`]): each metric is a value, n/a with the name of the
//! missing field, or an error. It does not read files, answer questions or load models; judges are handed in.
