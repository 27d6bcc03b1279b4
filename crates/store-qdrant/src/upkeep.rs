//! Checks the index, and frees the space of what it no longer holds.

use crate::{
    collections::Collections,
    error::Result,
    frequencies::Frequencies,
    generation::Generation,
    parts::Parts,
    points::chunk_point,
    wire::{between, json_of, live, text_of, uuid_of},
    words::ChunkWords,
    writer::Writer,
};
use prost::Message;
use qdrant_client::qdrant::{Filter, RetrievedPoint};
use types::{Chunk, Compacted, Damage, Removed, StoreUsage, Verified};

/// Sources of which a check reads all chunks.
const SAMPLE: usize = 32;

impl Collections {
    /// Compares what is stored with what was counted when it was written, and reads the chunks of some sources.
    pub(crate) async fn verify(&self) -> Result<Verified> {
        let current = self.current().await?;
        let next = current.as_ref().map_or(1, |current| current.number + 1);
        let parts = if self.meta.exists().await? { Parts::of(self, next).await? } else { Parts::default() };
        let mut verified =
            Verified { version: current.as_ref().map(|current| current.number), ..Verified::default() };
        let missing = parts.missing();
        // A part of which all is in the index already may run again.
        if !missing.is_empty() && (parts.added > 0 || current.is_none()) {
            let damage = |part: &u32| Damage {
                file: format!("part {part}/{}", parts.of),
                reason: "it is missing, so what the others stored is not shown".to_owned(),
                hint: Some(format!("run `pipeline ingest FOLDER --part {part}/{}`", parts.of)),
            };
            verified.damages.extend(missing.iter().map(damage));
        } else if parts.of > 0 && missing.is_empty() && (parts.added > 0 || current.is_none()) {
            let reason = "all are stored, and the run that makes them an index did not end".to_owned();
            let hint = Some(format!("run `pipeline ingest FOLDER --part 1/{}`", parts.of));
            verified.damages.push(Damage { file: "parts".to_owned(), reason, hint });
        }
        match current {
            Some(current) => self.check(&current, &mut verified).await?,
            None if parts.of == 0 => return Err(self.missing()),
            None => {}
        }
        Ok(verified)
    }

    async fn check(&self, current: &Generation, verified: &mut Verified) -> Result<()> {
        let mut wrong =
            |file: String, reason: String| verified.damages.push(Damage { file, reason, hint: None });
        let (counts, all) = (current.counts, || live(current.number, []));
        for (collection, what, counted) in
            [(&self.chunks, "chunks", counts.chunks()), (&self.sources, "sources", counts.sources())]
        {
            let stored = collection.count(all()).await?;
            if stored != counted {
                let reason = format!("{stored} of {counted} {what} are stored");
                wrong(format!("generation {}", current.number), reason);
            }
        }
        let records = self.records(all()).await?;
        let step = records.len().div_ceil(SAMPLE).max(1);
        for record in records.iter().step_by(step) {
            let (source, names) = (record.id().as_str(), ["chunk", "body", "frequencies", "sentences"]);
            let points = self.chunks.all_with(current.number, ("source", &[source]), &names, false).await?;
            if points.len() != record.held.chunks {
                let reason = format!("{} of {} chunks are stored", points.len(), record.held.chunks);
                wrong(source.to_owned(), reason);
            }
            let title = record.held.meta.title.as_deref().unwrap_or_default();
            for point in &points {
                verified.files += 1;
                verified.bytes += point.payload.values().map(Message::encoded_len).sum::<usize>() as u64;
                if let Err(reason) = same(point, title, &record.held.key, record.born) {
                    wrong(text_of(&point.payload, "chunk").unwrap_or("a chunk").to_owned(), reason);
                }
            }
        }
        Ok(())
    }

    /// What the store takes. A server does not tell how many bytes that are; of its segments each shard has some.
    pub(crate) async fn usage(&self) -> Result<StoreUsage> {
        let current = self.current().await?.ok_or_else(|| self.missing())?;
        let dead = Filter::must([between("died", None, Some(current.number as f64))]);
        Ok(StoreUsage { dead_chunks: self.chunks.count(dead).await?, ..StoreUsage::default() })
    }
}

/// Whether the point of a chunk is what was written: its id says its content, its words are those of its text.
fn same(point: &RetrievedPoint, title: &str, key: &str, born: u64) -> std::result::Result<(), String> {
    let chunk = json_of::<Chunk>(&point.payload, "body").map_err(|error| error.to_string())?;
    let wanted = chunk_point(&chunk.source_id, key, born, chunk.ordinal);
    if uuid_of(point) != Some(&wanted) {
        return Err("its point is that of another chunk".to_owned());
    }
    let words = Frequencies::of_fields(&point.payload).map_err(|error| error.to_string())?;
    if words.lengths() == ChunkWords::of(&chunk, title).lengths {
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
