//! What is counted of sources and generations.

use retrieve::stored::Lengths;
use serde::{Deserialize, Serialize};
use types::{SourceId, digest::digest_of_parts};

/// What a generation holds, or a change of that. Counts of parts add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) sources: usize,
    pub(crate) chunks: usize,
    pub(crate) windows: usize,
    pub(crate) lengths: Lengths,
    /// The sum of the hashes of all keys.
    identity: u64,
}

impl Counts {
    /// Those of one source, given the lengths of its chunks.
    pub(crate) fn of_source(
        id: &SourceId,
        key: &str,
        windows: usize,
        chunks: impl Iterator<Item = [u32; 2]>,
    ) -> Self {
        let mut lengths = Lengths::default();
        chunks.for_each(|chunk| lengths.add(chunk));
        Self { sources: 1, chunks: lengths.chunks as usize, windows, lengths, identity: hash(id, key) }
    }

    /// What both hold.
    pub(crate) fn and(self, other: Self) -> Self {
        let (own, more) = (self.lengths, other.lengths);
        Self {
            sources: self.sources + other.sources,
            chunks: self.chunks + other.chunks,
            windows: self.windows + other.windows,
            identity: self.identity.wrapping_add(other.identity),
            lengths: Lengths {
                words: [own.words[0] + more.words[0], own.words[1] + more.words[1]],
                chunks: own.chunks + more.chunks,
                titled: own.titled + more.titled,
            },
        }
    }

    /// What is left of these without others, which are part of them.
    pub(crate) fn without(self, other: Self) -> Self {
        let (own, less) = (self.lengths, other.lengths);
        Self {
            sources: self.sources.saturating_sub(other.sources),
            chunks: self.chunks.saturating_sub(other.chunks),
            windows: self.windows.saturating_sub(other.windows),
            identity: self.identity.wrapping_sub(other.identity),
            lengths: Lengths {
                words: [0, 1].map(|field| own.words[field].saturating_sub(less.words[field])),
                chunks: own.chunks.saturating_sub(less.chunks),
                titled: own.titled.saturating_sub(less.titled),
            },
        }
    }

    /// Names the content.
    pub(crate) fn identity(&self) -> String {
        format!("{:016x}", self.identity)
    }
}

fn hash(id: &SourceId, key: &str) -> u64 {
    let digest = digest_of_parts(&[id.as_str().as_bytes(), key.as_bytes()]);
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}
