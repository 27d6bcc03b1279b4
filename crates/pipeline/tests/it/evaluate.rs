//! `evaluate`: the answers of any system, scored in five dimensions.

mod formats;
mod gates;
mod judged;
mod reference;
mod results;
