//! Maintenance of an index: what it holds ([`stats`]), whether it is intact and up to date ([`verify`]), and freeing
//! disk space ([`compact`]).

mod compact;
mod stats;
mod verify;

pub use compact::{CompactReport, compact};
pub use stats::{IndexStats, SectionStats, SourceStats, stats};
pub use verify::{Finding, VerifyReport, verify};
