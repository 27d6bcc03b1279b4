//! How much each stage did, and how much it could reuse.

use retrieve::Manifest;
use serde::Serialize;

/// One stage of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageCount {
    /// Made in this run.
    pub done: u64,
    /// Made before and used again.
    pub reused: u64,
}

impl StageCount {
    /// Both together.
    pub fn total(self) -> u64 {
        self.done + self.reused
    }

    fn set_total(&mut self, total: usize) {
        self.reused = (total as u64).saturating_sub(self.done);
    }
}

/// The stages of a run, over everything that the index holds now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageCounts {
    /// Documents read.
    pub parse: StageCount,
    /// Documents split into chunks.
    pub chunk: StageCount,
    /// Texts embedded: windows and sentences.
    pub embed: StageCount,
}

impl StageCounts {
    /// Fills in what was reused: everything in the index that was not made in this run.
    pub(super) fn count_reused(&mut self, manifest: &Manifest) {
        let counts = manifest.counts;
        self.parse.set_total(counts.sources);
        self.chunk.set_total(counts.sources);
        self.embed.set_total(counts.windows + counts.sentences);
    }
}
