//! `judge`, its subcommands and `judge-report` on invented rows.

mod labels;
mod lines;
mod report;
mod rows;
