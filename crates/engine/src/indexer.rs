//! Builds an index from folders of papers and maintains it.
//!
//! [`Indexer::ingest`] scans the folders, plans what is new or has changed, reads, chunks and embeds those papers and
//! writes the next generation; [`Indexer::dry_run`] only reports what it would do. [`Indexer::stats`],
//! [`Indexer::verify`] and [`Indexer::compact`] inspect and tidy an index; [`Indexer::sources`], [`Indexer::source`]
//! and [`Indexer::remove`] list, show and remove its papers.
//!
//! Results of each stage are cached by everything that they depend on, so that a run repeats no work of an
//! earlier one, finished or killed.
//!
//! It answers no question, parses no format itself (`ingest` does) and stores nothing itself: it fills a
//! [`types::ManagedStore`], whichever that is. It reads no settings file: the caller gives it [`IndexerSettings`], and [`Resources`] for what is loaded or
//! started on demand.

mod cache;
mod error;
mod excluded;
mod failed;
mod indexed;
mod keys;
mod maintain;
mod resources;
mod update;
mod vectors;

pub use cache::CacheUsage;
pub use error::IndexerError;
pub use failed::FailedFile;
pub use maintain::{
    CompactReport, Doubtful, Finding, IndexStats, ManifestFile, ManifestPlace, MetadataChange, PrintedSource,
    Remarks, RemovedSources, SamePapers, SectionStats, Source, SourceDetails, SourceSection, SourceStats,
    Sources, UnreadFile, VerifyReport, can_write_manifest,
};
pub use resources::{Indexer, IndexerSettings, Resources, Unavailable};
pub use update::{
    Action, DryRun, Duplicate, Entry, Failure, IngestRequest, IngestSummary, OtherFiles, StageCount,
    StageCounts,
};
