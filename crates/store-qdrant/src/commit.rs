//! Makes what was uploaded a generation.

use crate::{
    QdrantError,
    collections::{Collections, WORDS},
    counts::Counts,
    error::Result,
    generation::Generation,
    meta::{Changes, apply},
    parts::AllParts,
    points::{SourceRecord, chunk_of, chunk_point, frequencies_of, named_vectors, source_point, sparse},
    wire::{NEVER, between, equals, is_any, live, number, payload, uuid_id},
    writer::{ChunkWords, Next, Writer, changes_of},
};
use qdrant_client::qdrant::{Condition, Filter, PointId, PointVectors, point_id::PointIdOptions};
use retrieve::stored::Bm25;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tokio::task::JoinSet;
use types::SourceId;

/// How far the averages of a generation may be from those that its weights are made with.
const TOLERANCE: f32 = 0.01;
/// Sources in one filter.
const IDS: usize = 200;
/// Requests under way.
const REQUESTS: usize = 4;

impl Next<'_> {
    /// Stores what is left, and makes the next generation current, or what was added a part of it.
    pub(crate) async fn commit(mut self) -> Result<()> {
        if self.broken {
            return Err(QdrantError::Broken { generation: self.number });
        }
        self.upload.finish().await?;
        self.remove_left().await?;
        let Self { writer, number, kept, added, changes, .. } = self;
        if let Some(lease) = &writer.lease {
            lease.check()?;
        }
        match writer.part {
            None => writer.publish(number, &kept, changes).await?,
            Some(part) => {
                let stored = writer.store_part(part, number, &kept, added.len(), changes).await?;
                let Some(AllParts { kept, changes, lease }) = stored else {
                    return Ok(());
                };
                writer.publish(number, &kept, changes).await?;
                drop(lease);
            }
        }
        writer.refresh().await
    }

    /// Removes the sources that an earlier writer of this generation stored and this one did not add.
    async fn remove_left(&self) -> Result<()> {
        for (id, key) in self.found.keys().filter(|(id, key)| self.added.get(id) != Some(key)) {
            let point = uuid_id(source_point(id, key, self.number));
            self.writer.collections.sources.delete(vec![point]).await?;
        }
        Ok(())
    }
}

impl Writer {
    /// Makes generation `next` of the sources that are kept and of those that were born in it.
    pub(crate) async fn publish(
        &mut self,
        next: u64,
        kept: &BTreeSet<SourceId>,
        mut changes: Changes,
    ) -> Result<()> {
        let collections = self.collections.clone();
        let mut born = Vec::new();
        for point in collections.sources.all(Filter::must([equals("born", next)]), &["record"], &[]).await? {
            born.push(SourceRecord::of_fields(&point.payload)?);
        }
        sweep(&collections, next, &born).await?;
        let removed: Vec<&SourceRecord> =
            self.sources.iter().filter(|source| !kept.contains(source.id())).collect();
        if self.part.is_some()
            && born.is_empty()
            && removed.is_empty()
            && !self.has_other_weights()
            && self.current.is_some()
        {
            return self.forget_parts().await;
        }
        // The same content at other paths: its chunks stay.
        let same: HashSet<(&SourceId, u64)> = born.iter().map(|source| (source.id(), source.born)).collect();
        let gone: Vec<&SourceRecord> =
            removed.iter().copied().filter(|source| !same.contains(&(source.id(), source.born))).collect();
        let before = self.current.as_ref().map_or_else(Counts::default, |current| current.counts);
        let counts = removed.iter().fold(before, |counts, source| counts.without(source.counts));
        let counts = born.iter().fold(counts, |counts, source| counts.and(source.counts));
        for sources in gone.chunks(IDS) {
            take_words(&collections, next, sources, &mut changes).await?;
            die(&collections.chunks, next, sources).await?;
        }
        for sources in removed.chunks(IDS) {
            die(&collections.sources, next, sources).await?;
        }
        let mut generation = Generation::new(next, self.made_by.clone(), counts);
        self.weigh(&mut generation).await?;
        apply(&collections.meta, changes, self.number(), next).await?;
        if let Some(lease) = &self.lease {
            lease.check()?;
        }
        collections.switch(&generation).await?;
        self.forget_parts().await
    }

    /// Decides with which averages the words of a generation are weighed, and writes the weights of all its chunks if they are
    /// others than those of the current generation.
    async fn weigh(&self, generation: &mut Generation) -> Result<()> {
        let exact = generation.counts.lengths.averages();
        generation.title_weight = self.collections.settings.title_weight;
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
    let bm25 = Bm25::new(generation.title_weight);
    let mut requests: JoinSet<Result<()>> = JoinSet::new();
    let mut pages = collections.chunks.pages(live(generation.number, []), &["frequencies"], &[]);
    while let Some(page) = pages.next().await? {
        let mut points = Vec::with_capacity(page.len());
        for point in page {
            let weights = frequencies_of(&point.payload)?.weights(bm25, generation.averages);
            let vectors = HashMap::from([(WORDS[generation.words].to_owned(), sparse(weights))]);
            points.push(PointVectors { id: point.id, vectors: Some(named_vectors(vectors)) });
        }
        if points.is_empty() {
            continue;
        }
        let chunks = collections.chunks.clone();
        requests.spawn_on(async move { chunks.update_vectors(points).await }, collections.client.runtime());
        if requests.len() >= REQUESTS {
            done(requests.join_next().await)?;
        }
    }
    while let Some(request) = requests.join_next().await {
        done(Some(request))?;
    }
    Ok(())
}

fn done(request: Option<std::result::Result<Result<()>, tokio::task::JoinError>>) -> Result<()> {
    match request {
        None => Ok(()),
        Some(Ok(outcome)) => outcome,
        Some(Err(error)) => Err(QdrantError::damaged("an upload", error.to_string())),
    }
}

/// The points of sources that were there before `next`.
fn before(next: u64, sources: &[&SourceRecord]) -> [Condition; 3] {
    [
        is_any("source", sources.iter().map(|source| source.id().as_str())),
        between("born", None, Some(next as f64 - 1.0)),
        equals("died", NEVER),
    ]
}

/// Marks points of sources as dead from `next` on.
async fn die(
    collection: &crate::collections::Collection,
    next: u64,
    sources: &[&SourceRecord],
) -> Result<()> {
    collection.set(Filter::must(before(next, sources)), payload([("died", number(next))])).await
}

/// Takes the words of sources from the counts.
async fn take_words(
    collections: &Collections,
    next: u64,
    sources: &[&SourceRecord],
    changes: &mut Changes,
) -> Result<()> {
    let titles: HashMap<&str, &str> = sources
        .iter()
        .map(|source| (source.id().as_str(), source.meta.title.as_deref().unwrap_or_default()))
        .collect();
    let mut words: BTreeMap<SourceId, Vec<ChunkWords>> = BTreeMap::new();
    let take = |page: Vec<qdrant_client::qdrant::RetrievedPoint>| {
        for point in page {
            let chunk = chunk_of(&point.payload)?;
            let title = titles.get(chunk.source_id.as_str()).copied().unwrap_or_default();
            words.entry(chunk.source_id.clone()).or_default().push(ChunkWords::of(&chunk, title));
        }
        Ok(true)
    };
    collections.chunks.scroll(Filter::must(before(next, sources)), &["body"], &[], take).await?;
    for words in words.values() {
        changes_of(words, -1, changes);
    }
    Ok(())
}

/// Removes chunks that were born in `next` and belong to none of its sources: a writer was killed before it had stored the
/// source, whose file is gone meanwhile.
async fn sweep(collections: &Collections, next: u64, born: &[SourceRecord]) -> Result<()> {
    let of_next = || Filter::must([equals("born", next)]);
    let own: Vec<&SourceRecord> = born.iter().filter(|source| source.born == next).collect();
    let chunks: usize = own.iter().map(|source| source.counts.chunks).sum();
    let stored = collections.chunks.count(of_next()).await?;
    if stored == chunks {
        return Ok(());
    }
    let points = own.iter().flat_map(|source| {
        let ordinals = 0..source.counts.chunks as u32;
        ordinals.map(|ordinal| chunk_point(source.id(), &source.key, next, ordinal))
    });
    let known: HashSet<String> = points.collect();
    let mut stray: Vec<PointId> = Vec::new();
    for point in collections.chunks.all(of_next(), &[], &[]).await? {
        if let Some(PointId { point_id_options: Some(PointIdOptions::Uuid(id)) }) = point.id
            && !known.contains(&id)
        {
            stray.push(uuid_id(id));
        }
    }
    if stored - stray.len() < chunks {
        let reason = format!("{} of {chunks} chunks are stored", stored - stray.len());
        return Err(QdrantError::damaged(format!("generation {next}"), reason));
    }
    for ids in stray.chunks(IDS) {
        collections.chunks.delete(ids.to_vec()).await?;
    }
    Ok(())
}
