//! Progress of embedding: texts done, of a total that becomes known while papers are chunked.

use super::build_plan::BuildPlan;
use crate::caches::Caches;
use types::{Reporter, Task};

/// The progress of embedding. Until all papers are chunked, the number of texts in the others is estimated from the
/// size of their documents.
pub(super) struct EmbedProgress {
    task: Box<dyn Task>,
    /// Papers that are begun, and all of them.
    papers: (usize, usize),
    /// Bytes of the documents of papers that are begun, and of the others.
    bytes: (u64, u64),
    /// Texts to embed in the papers that are begun.
    texts: u64,
}

impl EmbedProgress {
    /// The progress of building these sources. Unchanged ones have nothing to embed; with `same_embedder` neither have
    /// those whose chunks the index holds.
    pub(super) fn new(
        reporter: &dyn Reporter,
        builds: &[BuildPlan],
        caches: &Caches,
        same_embedder: bool,
    ) -> Self {
        let mut progress = Self {
            task: reporter.task("embedding", "texts", None),
            papers: (0, 0),
            bytes: (0, 0),
            texts: 0,
        };
        for build in builds.iter().filter(|build| !build.unchanged) {
            progress.papers.1 += 1;
            progress.bytes.1 += weight(build, caches, same_embedder);
        }
        progress
    }

    /// Records that a paper was chunked and `texts` of its texts are to be embedded.
    pub(super) fn begin(&mut self, build: &BuildPlan, texts: usize, caches: &Caches, same_embedder: bool) {
        let weight = weight(build, caches, same_embedder);
        self.papers.0 += 1;
        self.bytes = (self.bytes.0 + weight, self.bytes.1.saturating_sub(weight));
        self.texts += texts as u64;
        self.task
            .item(&format!("paper {} of {}", self.papers.0, self.papers.1));
        self.task.estimate(total(self.texts, self.bytes));
    }

    /// Records that `texts` more texts are embedded.
    pub(super) fn advance(&self, texts: usize) {
        self.task.advance(texts as u64);
    }
}

fn weight(build: &BuildPlan, caches: &Caches, same_embedder: bool) -> u64 {
    if build.same_chunks && same_embedder {
        return 0;
    }
    caches.document_bytes(&build.paper.hash)
}

/// The estimated number of all texts, when documents of `done` bytes have `texts` and documents of `left` bytes remain.
fn total(texts: u64, (done, left): (u64, u64)) -> u64 {
    match done {
        0 => texts,
        _ => texts + (u128::from(texts) * u128::from(left) / u128::from(done)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_estimated_until_it_is_known() {
        assert_eq!(total(100, (1_000, 9_000)), 1_000);
        assert_eq!(total(1_050, (10_000, 0)), 1_050);
        assert_eq!(total(0, (0, 0)), 0);
        // Papers without texts to embed say nothing of the others.
        assert_eq!(total(0, (500, 500)), 0);
        assert_eq!(total(u64::MAX / 4, (2, 2)), u64::MAX / 2 - 1);
    }
}
