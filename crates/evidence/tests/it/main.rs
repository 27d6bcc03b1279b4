//! The sentences of hand-made contexts, measured and ranked: see [`corpus`].

mod asked;
mod corpus;
mod features;
mod properties;
mod ranking;
mod study;
