//! Begins the next generation, and merges all segments into one.

use crate::{
    Generation, IndexError, IndexWriter,
    base::BaseGeneration,
    disk::{KeepOlder, clear_leftovers, generations, next_number, prune, read_pointer},
};
use types::{Compacted, SourceId};

impl IndexWriter {
    /// Starts the next generation, empty, after removing what an abandoned one left. Do not call it for a run that
    /// would change nothing.
    ///
    /// # Errors
    /// When files cannot be made.
    pub fn begin(&mut self) -> Result<Generation<'_>, IndexError> {
        let current = |own: &Self| own.manifest().map(|manifest| manifest.generation);
        // From the disk: a commit may have switched and then failed to open what it switched to.
        let pointed = read_pointer(&self.root).ok().flatten();
        if current(self) != pointed.map(|pointer| pointer.number) {
            (self.current, _) = BaseGeneration::open(&self.root)?;
        }
        clear_leftovers(&self.root, current(self), &self.steps)?;
        let number = next_number(&self.root)?;
        Ok(Generation::new(self, number))
    }

    /// Merges all segments into one without removed sources, as a new generation. Then removes every other generation
    /// that no reader has open. It can be stopped at any time: the index stays intact, and the next writer or compaction
    /// removes the rest.
    ///
    /// # Errors
    /// When the current generation is damaged: an older one may be the only one that is intact, so none is removed. When a
    /// folder cannot be written or removed.
    pub fn compact(&mut self) -> Result<Compacted, IndexError> {
        self.check()?;
        let mut done = Compacted { removed: std::mem::take(&mut self.cleared), in_use: Vec::new() };
        let Some(manifest) = self.manifest() else {
            return Ok(done);
        };
        let mut current = manifest.generation;
        if manifest.segments.len() > 1 || manifest.segments.iter().any(|segment| segment.dead_sources > 0) {
            let sources: Vec<SourceId> = manifest.sources.iter().map(|s| s.source_id().clone()).collect();
            let graph = manifest.graph;
            let mut generation = self.begin()?.with_graph(graph);
            for source in &sources {
                generation.keep(source)?;
            }
            current = generation.commit_merged()?;
        }
        let older = prune(&self.root, current, KeepOlder::Nothing, &self.steps)?;
        done.removed.extend(older);
        let numbers = generations(&self.root)?;
        done.in_use = numbers.into_iter().filter(|n| *n != current).collect();
        Ok(done)
    }
}
