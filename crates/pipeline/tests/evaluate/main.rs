//! `evaluate`: the answers of any system, scored in five dimensions.

#[path = "../common/mod.rs"]
mod common;

mod formats;
mod gates;
mod judged;
mod reference;
mod results;
