//! Checks the index, and frees the space of what it no longer holds.

use crate::{
    collections::Collections,
    error::Result,
    generation::Generation,
    parts::Parts,
    points::{chunk_of, chunk_point, frequencies_of},
    wire::{between, live, text_of},
    writer::{ChunkWords, Writer},
};
use qdrant_client::qdrant::{Filter, PointId, RetrievedPoint, point_id::PointIdOptions};
use std::collections::BTreeMap;
use types::{Compacted, Damage, Removed, StoreUsage, Verified};

/// Sources of which a check reads all chunks.
const SAMPLE: usize = 32;

impl Collections {
    /// Compares what is stored with what was counted when it was written, and reads the chunks of some sources.
    pub(crate) async fn verify(&self) -> Result<Verified> {
        let current = self.current().await?;
        let next = current.as_ref().map_or(1, |current| current.number + 1);
        let parts = if self.exist().await? { Parts::of(self, next).await? } else { Parts::default() };
        let mut verified =
            Verified { version: current.as_ref().map(|current| current.number), ..Verified::default() };
        let missing = parts.missing();
        // A part of which all is in the index already may run again.
        if !missing.is_empty() && (parts.added > 0 || current.is_none()) {
            let damage = |part: &u32| Damage {
                file: format!("part {part}/{}", parts.of),
                reason: format!(
                    "it is missing, so what the others stored is not shown: run `pipeline ingest FOLDER --part {part}/{}`",
                    parts.of
                ),
            };
            verified.damages.extend(missing.iter().map(damage));
        }
        match current {
            Some(current) => self.check(&current, &mut verified).await?,
            None if parts.of == 0 => return Err(self.missing()),
            None => {}
        }
        Ok(verified)
    }

    async fn check(&self, current: &Generation, verified: &mut Verified) -> Result<()> {
        let (chunks, sources) = futures::try_join!(
            self.chunks.count(live(current.number, [])),
            self.sources.count(live(current.number, []))
        )?;
        let mut wrong = |what: String, reason: String| verified.damages.push(Damage { file: what, reason });
        for (what, stored, counted) in
            [("chunks", chunks, current.counts.chunks), ("sources", sources, current.counts.sources)]
        {
            if stored != counted {
                wrong(
                    format!("generation {}", current.number),
                    format!("{stored} of {counted} {what} are stored"),
                );
            }
        }
        let records = self.sources_of(current.number).await?;
        let step = records.len().div_ceil(SAMPLE).max(1);
        for record in records.iter().step_by(step) {
            let of = crate::wire::is("source", record.id().as_str());
            let names = ["chunk", "body", "frequencies", "sentences"];
            let points = self.chunks.all(live(current.number, [of]), &names, &[]).await?;
            if points.len() != record.counts.chunks {
                let reason = format!("{} of {} chunks are stored", points.len(), record.counts.chunks);
                wrong(record.id().to_string(), reason);
            }
            let title = record.meta.title.as_deref().unwrap_or_default();
            for point in &points {
                verified.files += 1;
                verified.bytes += point
                    .payload
                    .values()
                    .map(|value| value.as_str().map_or(8, |text| text.len() as u64))
                    .sum::<u64>();
                if let Err(reason) = same(point, title, &record.key, record.born) {
                    let id = text_of(&point.payload, "chunk").unwrap_or("a chunk");
                    wrong(id.to_owned(), reason);
                }
            }
        }
        Ok(())
    }

    /// What the store takes. A server does not tell how many bytes that are.
    pub(crate) async fn usage(&self) -> Result<StoreUsage> {
        let current = self.current().await?.ok_or_else(|| self.missing())?;
        let dead = Filter::must([between("died", None, Some(current.number as f64))]);
        let (dead_chunks, segments) = futures::try_join!(self.chunks.count(dead), self.chunks.segments())?;
        Ok(StoreUsage { bytes: BTreeMap::new(), graph: false, segments: segments as usize, dead_chunks })
    }
}

/// Whether the point of a chunk is what was written: its id says its content, its words are those of its text.
fn same(point: &RetrievedPoint, title: &str, key: &str, born: u64) -> std::result::Result<(), String> {
    let chunk = chunk_of(&point.payload).map_err(|error| error.to_string())?;
    let id = point.id.as_ref().and_then(|PointId { point_id_options }| point_id_options.as_ref());
    let wanted = chunk_point(&chunk.source_id, key, born, chunk.ordinal);
    if id != Some(&PointIdOptions::Uuid(wanted)) {
        return Err("its point is that of another chunk".to_owned());
    }
    let words = frequencies_of(&point.payload).map_err(|error| error.to_string())?;
    if words.lengths == ChunkWords::of(&chunk, title).lengths {
        Ok(())
    } else {
        Err("its words are not those of its text".to_owned())
    }
}

impl Writer {
    /// Deletes what the current generation does not hold. Readers of earlier ones lose it.
    pub(crate) async fn remove_dead(&mut self) -> Result<Compacted> {
        let mut done = Compacted::default();
        let collections = &self.collections;
        for (collection, what) in [(&collections.chunks, "chunks"), (&collections.sources, "sources")] {
            let dead = || Filter::must([between("died", None, Some(self.number() as f64))]);
            let count = collection.count(dead()).await?;
            if count > 0 {
                collection.delete(dead()).await?;
                done.removed
                    .push(Removed { name: format!("{count} {what} of earlier generations"), bytes: 0 });
            }
        }
        Ok(done)
    }
}
