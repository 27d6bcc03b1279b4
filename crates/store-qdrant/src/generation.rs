//! The generation that is current, and what is known of it.

use crate::{
    QdrantError,
    collections::Collections,
    error::Result,
    meta::{POINTER, record_point},
    wire::{json, json_of, number_id},
};
use retrieve::stored::Lengths;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use types::{Holdings, MadeBy, SourceId, digest::digest_of_parts};

/// Version of what the points hold.
pub(crate) const FORMAT: u32 = 1;

/// A generation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Generation {
    pub(crate) format: u32,
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

impl Generation {
    /// A generation of these contents that becomes current now.
    pub(crate) fn new(number: u64, made_by: MadeBy, counts: Counts) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self {
            format: FORMAT,
            number,
            made_by,
            counts,
            averages: [0.0; 2],
            words: 0,
            title_weight: 0.0,
            since,
        }
    }

    /// What it holds, given its sources.
    pub(crate) fn holdings(&self, sources: &[crate::points::SourceRecord]) -> Holdings {
        Holdings {
            version: self.number,
            made_by: self.made_by.clone(),
            sources: sources.iter().map(crate::points::SourceRecord::held).collect(),
            since: Some(UNIX_EPOCH + Duration::from_secs(self.since)),
        }
    }
}

impl Collections {
    /// The current generation; `None` if nothing was ever committed.
    pub(crate) async fn current(&self) -> Result<Option<Generation>> {
        if !self.exist().await? {
            return Ok(None);
        }
        let Some(point) = self.meta.get(vec![number_id(POINTER)]).await?.pop() else {
            return Ok(None);
        };
        let format = |reason: String| QdrantError::Format {
            collection: self.settings.collection.clone(),
            url: self.client.url().to_owned(),
            reason,
        };
        let found: serde_json::Value = json_of(&point.payload, "record")?;
        let version = found.get("format").and_then(serde_json::Value::as_u64);
        if version != Some(u64::from(FORMAT)) {
            return Err(format(format!("it has format {version:?}, and this program reads {FORMAT}")));
        }
        json_of(&point.payload, "record").map(Some)
    }

    /// Makes a generation current.
    pub(crate) async fn switch(&self, generation: &Generation) -> Result<()> {
        self.meta
            .upsert(vec![record_point(
                POINTER,
                [("kind", crate::wire::text("pointer")), ("record", json(generation))],
            )])
            .await
    }

    /// The sources of a generation, by id.
    pub(crate) async fn sources_of(&self, generation: u64) -> Result<Vec<crate::points::SourceRecord>> {
        let mut found = Vec::new();
        self.sources
            .scroll(crate::wire::live(generation, []), &["record"], &[], |page| {
                for point in page {
                    found.push(crate::points::SourceRecord::of_fields(&point.payload)?);
                }
                Ok(true)
            })
            .await?;
        found.sort_by(|one, other| one.id().cmp(other.id()));
        Ok(found)
    }
}
