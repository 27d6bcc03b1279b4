//! The run log: one JSON object a line, appended by any number of processes, never rewritten. A line has every field of its
//! record, whatever other lines have; only the texts of its passages are beside the log ([`types::run_log`]). Its last key
//! is its checksum ([`types::sealed`]).
//!
//! [`append`] writes a record; [`LogIndex`] reads a log; [`RunHeader`] is what the
//! first record of a run says of the whole run; [`earlier`] reads logs of the earlier system.

pub mod earlier;
mod header;
mod index;
mod lost;
mod problems;
mod resolve;
mod writer;

pub use crate::error::RunError;
pub use header::RunHeader;
pub use index::{LogIndex, LogRecord, LogRun, RunReader};
pub use lost::LONGEST_NAME;
pub(crate) use problems::unreadable;
pub use resolve::{LATEST, check_name, resolve};
pub use writer::append;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod whole_tests;
