//! How much each stage did, and how much it found done.

use retrieve::Manifest;
use serde::Serialize;

/// One stage of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageTally {
    /// Made in this run.
    pub done: u64,
    /// Made before and used again.
    pub reused: u64,
}

impl StageTally {
    /// Both together.
    pub fn total(self) -> u64 {
        self.done + self.reused
    }

    fn of_total(&mut self, total: usize) {
        self.reused = (total as u64).saturating_sub(self.done);
    }
}

/// The stages of a run, over all that the index holds now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stages {
    /// Documents read.
    pub parse: StageTally,
    /// Documents cut into chunks.
    pub chunk: StageTally,
    /// Texts embedded: windows and sentences.
    pub embed: StageTally,
}

impl Stages {
    /// Fills in what was reused: everything in the index that was not made now.
    pub(super) fn settle(&mut self, manifest: &Manifest) {
        let counts = manifest.counts;
        self.parse.of_total(counts.sources);
        self.chunk.of_total(counts.sources);
        self.embed.of_total(counts.windows + counts.sentences);
    }
}
