//! The stage as a whole, on a hand-made corpus: see [`corpus`].

mod corpus;
mod extractive;
mod language_model;
mod promise;
mod revision;
mod script;
mod select_only;
mod selection;
mod tables;
