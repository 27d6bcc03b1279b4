//! `score`: the answers of any system, scored in five dimensions.

mod formats;
mod gates;
pub(crate) mod judged;
mod reference;
mod results;
