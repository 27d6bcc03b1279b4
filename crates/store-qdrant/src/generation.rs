//! The generation that is current, and what is known of it.

use crate::{
    QdrantError,
    collections::Collections,
    counts::Counts,
    error::Result,
    meta::POINTER,
    points::SourceRecord,
    wire::{json, json_of, payload, record},
};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use types::{Holdings, MadeBy};

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
