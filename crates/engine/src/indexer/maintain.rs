//! Maintains an index: what it holds, whether it is intact and up to date, freeing disk space, its list of papers.

mod compact;
mod sources;
mod stats;
mod verify;
mod write_manifest;

pub use compact::CompactReport;
pub use sources::{PrintedSource, RemovedSources, Source, SourceDetails, SourceSection, Sources};
pub use stats::{IndexStats, SectionStats, SourceStats};
pub use verify::{Finding, VerifyReport};
pub use write_manifest::{ManifestFile, can_write_manifest};
