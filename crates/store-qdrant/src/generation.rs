//! The generation that is current, and what is known of it.

use crate::{
    QdrantError,
    collections::Collections,
    error::Result,
    meta::POINTER,
    points::SourceRecord,
    wire::{json, json_of, payload, record},
};
use retrieve::stored::Lengths;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use types::{HeldSource, Holdings, MadeBy, digest::digest_of_parts};

/// Version of what the points hold.
pub(crate) const FORMAT: u32 = 2;

/// A generation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Generation {
    format: u32,
    pub(crate) number: u64,
    pub(crate) made_by: MadeBy,
    pub(crate) counts: Counts,
    /// The average lengths that all weights are made with.
    pub(crate) averages: [f32; 2],
    /// Which of [`crate::collections::WORDS`] holds the weights.
    pub(crate) words: usize,
    /// What an occurrence in a title counts in the weights.
    pub(crate) title_weight: f32,
    /// Seconds since 1970.
    since: u64,
}

impl Generation {
    /// A generation of these contents that becomes current now; its weights are those of none.
    pub(crate) fn new(number: u64, made_by: MadeBy, counts: Counts, title_weight: f32) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { format: FORMAT, number, made_by, counts, averages: [0.0; 2], words: 0, title_weight, since }
    }

    /// What it holds, given its sources.
    pub(crate) fn holdings(&self, sources: &[SourceRecord]) -> Holdings {
        Holdings {
            version: self.number,
            made_by: self.made_by.clone(),
            sources: sources.iter().map(|source| source.held.clone()).collect(),
            since: Some(UNIX_EPOCH + Duration::from_secs(self.since)),
        }
    }
}

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

impl Collections {
    /// The current generation; `None` if nothing was ever committed.
    pub(crate) async fn current(&self) -> Result<Option<Generation>> {
        // It is the last collection that is made.
        if !self.meta.exists().await? {
            return Ok(None);
        }
        let Some(point) = self.meta.get(vec![POINTER.into()]).await?.pop() else {
            return Ok(None);
        };
        let found: serde_json::Value = json_of(&point.payload, "record")?;
        let version = found.get("format").and_then(serde_json::Value::as_u64);
        if version != Some(u64::from(FORMAT)) {
            return Err(QdrantError::Format {
                collection: self.settings.collection.clone(),
                url: self.client.url.to_string(),
                reason: format!("it has format {version:?}, and this program reads {FORMAT}"),
            });
        }
        json_of(&point.payload, "record").map(Some)
    }

    /// Makes a generation current.
    pub(crate) async fn switch(&self, generation: &Generation) -> Result<()> {
        let fields = payload([("kind", "pointer".into()), ("record", json(generation))]);
        self.meta.upsert(vec![record(POINTER, fields)]).await
    }
}
