//! How far embedding is: texts that are done, of a total that becomes known while papers are cut.

use super::{caches::Caches, making::Work};
use types::{Reporter, Task};

/// The progress of embedding. Until all papers are cut, the number of texts in the others is estimated from the size of
/// their documents.
pub(super) struct Course {
    task: Box<dyn Task>,
    /// Papers that are begun, and all.
    papers: (usize, usize),
    /// Bytes of the documents of papers that are begun, and of the others.
    bytes: (u64, u64),
    /// Texts to embed in the papers that are begun.
    texts: u64,
}

impl Course {
    /// The course of a run over these sources, of which the unchanged ones cost nothing. With `same_embedder` neither do
    /// those of which the index holds the chunks.
    pub(super) fn new(reporter: &dyn Reporter, work: &[&Work], caches: &Caches, same_embedder: bool) -> Self {
        let mut course = Self {
            task: reporter.task("embedding", "texts", None),
            papers: (0, 0),
            bytes: (0, 0),
            texts: 0,
        };
        for work in work.iter().filter(|work| !work.unchanged) {
            course.papers.1 += 1;
            course.bytes.1 += weight(work, caches, same_embedder);
        }
        course
    }

    /// A paper is cut: so many of its texts are to be embedded.
    pub(super) fn begin(&mut self, work: &Work, texts: usize, caches: &Caches, same_embedder: bool) {
        let weight = weight(work, caches, same_embedder);
        self.papers.0 += 1;
        self.bytes = (self.bytes.0 + weight, self.bytes.1.saturating_sub(weight));
        self.texts += texts as u64;
        self.task
            .item(&format!("paper {} of {}", self.papers.0, self.papers.1));
        self.task.estimate(total(self.texts, self.bytes));
    }

    /// So many texts are embedded.
    pub(super) fn advance(&self, texts: usize) {
        self.task.advance(texts as u64);
    }
}

fn weight(work: &Work, caches: &Caches, same_embedder: bool) -> u64 {
    if work.cut && same_embedder {
        return 0;
    }
    caches.document_bytes(&work.paper.hash)
}

/// All texts, when `texts` are in documents of `seen` bytes and `left` bytes remain.
fn total(texts: u64, (seen, left): (u64, u64)) -> u64 {
    match seen {
        0 => texts,
        _ => texts + (u128::from(texts) * u128::from(left) / u128::from(seen)) as u64,
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
        // Papers that cost nothing so far say nothing of the others.
        assert_eq!(total(0, (500, 500)), 0);
        assert_eq!(total(u64::MAX / 4, (2, 2)), u64::MAX / 2 - 1);
    }
}
