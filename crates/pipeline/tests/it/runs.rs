//! `runs`, `eval --name` and `--against` through the binary.

mod compared;
mod exported;
mod listed;
mod rejudged;
mod world;
