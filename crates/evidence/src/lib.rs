//! Which sentences of a context answer the question, and whether any of them does.
//!
//! Runs after expansion, before the topic check and generation. [`rank`] measures each sentence
//! against the question ([`SentenceFeatures`]) and orders the sentences with a small model, gradient-boosted trees
//! fitted on labelled questions. Guardrails decide from the result whether to answer, and generators choose from it.
//!
//! No feature depends on which lists retrieval used, so that modes of retrieval can be compared.
//!
//! A [`types::Reader`], where set-up has made one, reads the sentences that may answer together with the question; another fit of
//! the models then takes what it says.
//!
//! This crate reads nothing but its arguments: it does not search, does not know how the context was found, calls no
//! language model and does no I/O. A sentence is identified by the index of its chunk in the context and its
//! index in the chunk.

mod answer;
mod asked;
mod features;
mod figure;
mod fitted;
mod form;
mod lead_in;
mod model;
mod rank;
mod study;
pub mod support;
mod trees;

pub use answer::{ANSWER_FEATURES, AnswerFeatures};
pub use asked::{AskedTerm, AskedTerms};
pub use features::{FEATURES, SentenceFeatures};
pub use figure::ASKED_FOR;
pub use form::{Form, announces, form, points_back};
pub use model::Measured;
pub use rank::{measure, rank};
pub use study::{chunks_stating, stated_number, study_cues};
pub use trees::{logistic, lowest_logit};
