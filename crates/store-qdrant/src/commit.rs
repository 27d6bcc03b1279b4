//! Makes what was uploaded a generation.

use crate::{
    QdrantError,
    client::Writes,
    collections::{Collection, Collections, PAGE, VALUES, WORDS},
    counts::Counts,
    error::Result,
    frequencies::Frequencies,
    generation::Generation,
    meta::{Changes, apply},
    points::{SourceRecord, chunk_point, source_point},
    wire::{equals, is_any, live, number, payload, uuid_of},
    words::count_words,
    writer::{Next, Writer},
};
use qdrant_client::qdrant::{Filter, PointVectors, Vector, Vectors};
use retrieve::stored::Bm25;
use std::collections::{BTreeSet, HashMap, HashSet};
use types::SourceId;

/// How far the averages of a generation may be from those that its weights are made with.
const TOLERANCE: f32 = 0.01;

impl Next<'_> {
    /// Stores what is left, and makes the next generation current, or what was added a part of it.
    pub(crate) async fn commit(mut self) -> Result<()> {
        if self.broken {
            return Err(QdrantError::Broken { generation: self.number });
        }
        self.upload.finish().await?;
        let Self { writer, number, kept, added, .. } = self;
        // Sources that an earlier writer of this generation stored, and this one did not add.
        let sources = &writer.collections.sources;
        for left in writer.collections.records(writer.own(number)).await? {
            if added.get(left.id()) != Some(&left.held.key) {
                sources.delete(vec![source_point(left.id(), &left.held.key, number)]).await?;
            }
        }
        writer.check_lease()?;
        match writer.part {
            None => writer.publish(number, &kept).await?,
            Some(part) => {
                let Some(kept) = writer.store_part(part, number, &kept, added.len()).await? else {
                    return Ok(());
                };
                let published = writer.publish(number, &kept).await;
                writer.lease = None;
                published?;
            }
        }
        writer.refresh().await
    }
}

impl Writer {
    /// Makes generation `next` of the sources that are kept and of those that were born in it.
    pub(crate) async fn publish(&mut self, next: u64, kept: &BTreeSet<SourceId>) -> Result<()> {
        let collections = self.collections.clone();
        let born = collections.records(Filter::must([equals("born", next)])).await?;
        sweep(&collections, next, &born).await?;
        // One that changed between the runs of two parts may be kept by one and added by the other.
        let added: HashSet<&SourceId> = born.iter().map(SourceRecord::id).collect();
        if added.len() < born.len() {
            let reason = "its parts read a paper in two states";
            return Err(QdrantError::damaged(format!("generation {next}"), reason));
        }
        let stays = |id: &SourceId| kept.contains(id) && !added.contains(id);
        let removed: Vec<&SourceRecord> = self.sources.iter().filter(|source| !stays(source.id())).collect();
        let is_same = born.is_empty() && removed.is_empty() && !self.has_other_weights();
        if self.part.is_some() && self.current.is_some() && is_same {
            return self.forget_parts([]).await;
        }
        // The same content at other paths: its chunks stay.
        let same: HashSet<(&SourceId, u64)> = born.iter().map(|source| (source.id(), source.born)).collect();
        let is_gone = |source: &&&SourceRecord| !same.contains(&(source.id(), source.born));
        let gone: Vec<&SourceRecord> = removed.iter().filter(is_gone).copied().collect();
        let before = self.current.as_ref().map_or_else(Counts::default, |current| current.counts);
        let counts = removed.iter().fold(before, |counts, source| counts.without(source.counts));
        let counts = born.iter().fold(counts, |counts, source| counts.and(source.counts));
        let mut changes = Changes::new();
        count_words(&collections, self.number(), &gone, -1, &mut changes).await?;
        die(&collections.chunks, next, &gone).await?;
        die(&collections.sources, next, &removed).await?;
        let new: Vec<&SourceRecord> = born.iter().filter(|source| source.born == next).collect();
        count_words(&collections, next, &new, 1, &mut changes).await?;
        let title_weight = collections.settings.title_weight;
        let mut generation = Generation::new(next, self.made_by.clone(), counts, title_weight);
        self.weigh(&mut generation).await?;
        apply(&collections.meta, changes, self.number(), next).await?;
        self.check_lease()?;
        collections.switch(&generation).await?;
        self.forget_parts([]).await
    }

    /// Decides with which averages the words of a generation are weighed, and writes the weights of all its chunks if they are
    /// others than those of the current generation.
    async fn weigh(&self, generation: &mut Generation) -> Result<()> {
        let exact = generation.counts.lengths.averages();
        let near = |own: f32, other: f32| (own - other).abs() <= TOLERANCE * own;
        if let Some(current) = &self.current
            && !self.has_other_weights()
            && current.averages.iter().zip(exact).all(|(own, exact)| near(*own, exact))
        {
            (generation.averages, generation.words) = (current.averages, current.words);
            return Ok(());
        }
        generation.averages = exact;
        generation.words = self.current.as_ref().map_or(0, |current| (current.words + 1) % WORDS.len());
        write_weights(&self.collections, generation).await
    }
}

/// Writes the weights of all chunks of a generation, in the vector that it uses.
async fn write_weights(collections: &Collections, generation: &Generation) -> Result<()> {
    let (bm25, chunks) = (Bm25::new(generation.title_weight), &collections.chunks);
    let mut writes = Writes::new(&collections.client);
    let sources = collections.records(live(generation.number, [])).await?;
    for sources in sources.chunks(VALUES) {
        let ids: Vec<&str> = sources.iter().map(|source| source.id().as_str()).collect();
        let found = chunks.all_with(generation.number, ("source", &ids), &["frequencies"], false).await?;
        for page in found.chunks(PAGE) {
            let mut points = Vec::with_capacity(page.len());
            for point in page {
                let weights = Frequencies::of_fields(&point.payload)?.weights(bm25, generation.averages);
                let weights = HashMap::from([(WORDS[generation.words].to_owned(), Vector::from(weights))]);
                points.push(PointVectors { id: point.id.clone(), vectors: Some(Vectors::from(weights)) });
            }
            let chunks = chunks.clone();
            writes.push(async move { chunks.update_vectors(points).await }).await?;
        }
    }
    writes.finish().await
}

/// Marks the points of sources of the generation before `next` as dead from it on.
async fn die(collection: &Collection, next: u64, sources: &[&SourceRecord]) -> Result<()> {
    for sources in sources.chunks(VALUES) {
        let of = is_any("source", sources.iter().map(|source| source.id().as_str()));
        collection.set(live(next - 1, [of]), payload([("died", number(next))])).await?;
    }
    Ok(())
}

/// Removes chunks that were born in `next` and belong to none of its sources: a writer was killed before it had stored the
/// source, whose file is gone meanwhile.
async fn sweep(collections: &Collections, next: u64, born: &[SourceRecord]) -> Result<()> {
    let of_next = || Filter::must([equals("born", next)]);
    let own: Vec<&SourceRecord> = born.iter().filter(|source| source.born == next).collect();
    let chunks: usize = own.iter().map(|source| source.counts.chunks()).sum();
    let stored = collections.chunks.count(of_next()).await?;
    if stored == chunks {
        return Ok(());
    }
    let points = own.iter().flat_map(|source| {
        let ordinals = 0..source.counts.chunks() as u32;
        ordinals.map(|ordinal| chunk_point(source.id(), &source.held.key, next, ordinal))
    });
    let known: HashSet<String> = points.collect();
    let found = collections.chunks.all(of_next(), &[], false).await?;
    let stray: Vec<&str> = found.iter().filter_map(uuid_of).filter(|id| !known.contains(*id)).collect();
    if stored - stray.len() < chunks {
        let reason = format!("{} of {chunks} chunks are stored", stored - stray.len());
        return Err(QdrantError::damaged(format!("generation {next}"), reason));
    }
    for ids in stray.chunks(PAGE) {
        collections.chunks.delete(ids.to_vec()).await?;
    }
    Ok(())
}
