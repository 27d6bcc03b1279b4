//! `judge`, its subcommands and `judge-report` on invented rows.

#[path = "../common/mod.rs"]
mod common;

mod labels;
mod lines;
mod report;
mod rows;
