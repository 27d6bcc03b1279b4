//! The run log: one JSON object a line, appended by any number of processes, never rewritten. The last key of a line is its
//! checksum ([`types::sealed`]).
//!
//! [`append`] writes a single record whole, [`RunWriter`] those of a run in a small form, in which each text stands once;
//! [`LogIndex`] reads a log of any size without holding it in memory, and gives whole records; [`RunHeader`] is what the
//! first record of a run says of the whole run; [`earlier`] reads logs of the earlier system.

mod damage;
pub mod earlier;
mod header;
mod index;
mod problems;
mod repeated;
mod resolve;
mod texts;
mod writer;

pub use crate::error::RunError;
pub use damage::LONGEST_NAME;
pub(crate) use damage::left_out;
pub use header::RunHeader;
pub use index::{LogIndex, LogRecord, LogRun, RunReader};
pub use resolve::{LATEST, check_name, resolve};
pub use writer::{RunWriter, append};

#[cfg(test)]
mod packed_tests;
#[cfg(test)]
mod tests;
