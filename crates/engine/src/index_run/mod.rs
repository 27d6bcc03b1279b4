//! Looking after an index: what it holds ([`stats`]), whether it is whole and up to date ([`verify`]), and giving
//! room back ([`compact`]).

mod compact;
mod stats;
mod verify;

pub use compact::{CompactReport, compact};
pub use stats::{IndexStats, SectionStats, SourceStats, stats};
pub use verify::{Finding, VerifyReport, verify};
