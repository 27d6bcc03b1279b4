//! The generation that is current, and what is known of it.

use crate::{
    QdrantError,
    collections::Collections,
    counts::Counts,
    error::Result,
    meta::{POINTER, record_point},
    wire::{json, json_of, number_id},
};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use types::{Holdings, MadeBy};

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
