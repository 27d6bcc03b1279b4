//! What is counted of sources and generations.

use retrieve::stored::Lengths;
use serde::{Deserialize, Serialize};
use types::{HeldSource, digest::digest_of_parts};

/// What a generation holds, or a change of that. Counts of parts add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    sources: u64,
    pub(crate) lengths: Lengths,
    /// The sum of the hashes of all keys.
    identity: u64,
}

impl Counts {
    /// Those of one source, with these lengths of its chunks.
    pub(crate) fn of_source(source: &HeldSource, lengths: Lengths) -> Self {
        let digest = digest_of_parts(&[source.source_id().as_str().as_bytes(), source.key.as_bytes()]);
        let identity = u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"));
        Self { sources: 1, lengths, identity }
    }

    /// What both hold.
    pub(crate) fn and(self, other: Self) -> Self {
        self.each(other, u64::wrapping_add)
    }

    /// What is left of these without others, which are part of them.
    pub(crate) fn without(self, other: Self) -> Self {
        self.each(other, u64::wrapping_sub)
    }

    fn each(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        let (own, more) = (self.lengths, other.lengths);
        Self {
            sources: of(self.sources, other.sources),
            lengths: Lengths {
                words: [0, 1].map(|field| of(own.words[field], more.words[field])),
                chunks: of(own.chunks, more.chunks),
                titled: of(own.titled, more.titled),
            },
            identity: of(self.identity, other.identity),
        }
    }

    pub(crate) fn sources(&self) -> usize {
        self.sources as usize
    }

    pub(crate) fn chunks(&self) -> usize {
        self.lengths.chunks as usize
    }

    /// Names the content.
    pub(crate) fn identity(&self) -> String {
        format!("{:016x}", self.identity)
    }
}
