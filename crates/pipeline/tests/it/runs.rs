//! `runs`, `eval --name`, `--against` and `--repeat` through the binary.

mod compared;
mod exported;
mod listed;
mod rejudged;
mod world;
