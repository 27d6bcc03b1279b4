//! Nearest windows of a question, exactly or by a graph.

mod codes;
mod graph;
mod top;
mod windows;

pub(crate) use codes::{CodeRow, QueryCode, encode};
pub(crate) use graph::{Graph, build_graph};
pub(crate) use top::{Top, top};
pub(crate) use windows::WindowTable;
