//! `runs`, `eval --name`, `--against` and `--repeat` through the binary.

#[path = "../common/mod.rs"]
mod common;
mod compared;
mod exported;
mod listed;
mod rejudged;
mod world;
