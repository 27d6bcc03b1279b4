//! The binary with a language model: a fake server answers, refuses, hangs and lies. Settings come from a TOML file.

mod answers;
mod checked;
mod cost;
mod doctor;
mod failing;
mod named;
mod rejudged;
mod reranking;
mod secrets;
#[cfg(unix)]
mod stopping;
mod streaming;
#[cfg(unix)]
mod sweep;
mod verified;
mod world;
