//! `judge` and its commands on invented rows.

mod labels;
mod lines;
mod rows;
