//! Writes the index: sources are uploaded while they are added, and become visible together.

use crate::{
    QdrantError,
    client::{Writes, block_on},
    collections::{Collections, WORDS},
    error::Result,
    frequencies::Frequencies,
    generation::Generation,
    lease::{Lease, Right},
    meta::{Item, ensure, take_back},
    points::{SourceRecord, chunk_points},
    wire::{NEVER, between, equals, live, number, payload},
    words::ChunkWords,
};
use prost::Message as _;
use qdrant_client::qdrant::{Filter, PointStruct, Vector};
use retrieve::stored::Bm25;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use types::{Compacted, Holdings, MadeBy, NewVersion, Part, SourceEntry, SourceId, StoreError, StoreWriter};

/// Bytes of a request: a server refuses large ones.
const REQUEST: usize = 3 << 20;
/// Sources that are sent in one request.
const SOURCES: usize = 64;

/// The one writer of an index, or of a part of it.
pub(crate) struct Writer {
    pub(crate) collections: Collections,
    pub(crate) made_by: MadeBy,
    pub(crate) current: Option<Generation>,
    /// The sources of the current generation, by id.
    pub(crate) sources: Vec<SourceRecord>,
    pub(crate) note: Option<String>,
    /// The part that it writes; `None` for the whole index.
    pub(crate) part: Option<Part>,
    /// Given back when a part is stored.
    pub(crate) lease: Option<Lease>,
    /// The numbers of stems that were seen.
    numbers: HashMap<String, u32>,
}

impl Writer {
    pub(crate) async fn open(
        collections: Collections,
        made_by: Option<MadeBy>,
        part: Option<Part>,
    ) -> Result<Self> {
        let is_new = collections.current().await?.is_none();
        match &made_by {
            Some(made_by) if is_new => collections.create(made_by.dimension).await?,
            None if is_new => return Err(collections.missing()),
            _ => {}
        }
        let (current, sources, numbers) = (None, Vec::new(), HashMap::new());
        let made_here = made_by.clone().unwrap_or_default();
        let mut writer = Self {
            collections,
            made_by: made_here,
            current,
            sources,
            note: None,
            part,
            lease: None,
            numbers,
        };
        writer.take_lease().await?;
        writer.refresh().await?;
        if let (None, Some(current)) = (made_by, &writer.current) {
            writer.made_by = current.made_by.clone();
        }
        Ok(writer)
    }

    async fn take_lease(&mut self) -> Result<()> {
        if self.lease.is_none() {
            let right = self.part.map_or(Right::All, |part| Right::Part(part.number));
            self.lease = Some(Lease::take(&self.collections, right).await?);
        }
        Ok(())
    }

    /// Reads the current generation anew.
    pub(crate) async fn refresh(&mut self) -> Result<()> {
        self.current = self.collections.current().await?;
        self.sources = match &self.current {
            Some(current) => self.collections.records(live(current.number, [])).await?,
            None => Vec::new(),
        };
        Ok(())
    }

    /// The source of the current generation with this id.
    fn held(&self, id: &SourceId) -> Option<&SourceRecord> {
        self.sources.binary_search_by(|source| source.id().cmp(id)).ok().map(|at| &self.sources[at])
    }

    /// # Errors
    /// When another writer took the lease.
    pub(crate) fn check_lease(&self) -> Result<()> {
        self.lease.as_ref().map_or(Ok(()), Lease::check)
    }

    fn has_same_embedder(&self) -> bool {
        self.current.as_ref().is_some_and(|current| {
            let made = &current.made_by;
            made.embedder_id == self.made_by.embedder_id && made.dimension == self.made_by.dimension
        })
    }

    /// Whether the current weights count titles otherwise than the settings say.
    pub(crate) fn has_other_weights(&self) -> bool {
        let wanted = self.collections.settings.title_weight;
        self.current.as_ref().is_some_and(|current| (current.title_weight - wanted).abs() > f32::EPSILON)
    }

    /// The number of the current generation, 0 before the first one.
    pub(crate) fn number(&self) -> u64 {
        self.current.as_ref().map_or(0, |current| current.number)
    }

    /// The points of generation `next` that are this writer's.
    pub(crate) fn own(&self, next: u64) -> Filter {
        let part = self.part.map(|part| equals("part", part.number));
        Filter::must([equals("born", next)].into_iter().chain(part))
    }

    async fn start(&mut self) -> Result<Next<'_>> {
        self.take_lease().await?;
        let next = self.number() + 1;
        match self.part {
            None => {
                revive(&self.collections, self.number()).await?;
                take_back(&self.collections.meta, self.number()).await?;
                self.forget_parts([]).await?;
            }
            Some(part) => self.begin_part(part, next).await?,
        }
        let found = self.collections.records(self.own(next)).await?;
        Ok(Next {
            upload: Upload::new(self.collections.clone()),
            writer: self,
            number: next,
            found: found.into_iter().map(|record| (record.id().clone(), record.held.key)).collect(),
            kept: BTreeSet::new(),
            added: BTreeMap::new(),
            broken: false,
        })
    }

    /// The words of chunks, by the numbers of their stems.
    async fn frequencies(&mut self, words: &[ChunkWords]) -> Result<Vec<Frequencies>> {
        let stems = words.iter().flat_map(|words| words.stems.keys());
        let new: BTreeSet<&String> = stems.filter(|stem| !self.numbers.contains_key(*stem)).collect();
        let new: Vec<Item> = new.into_iter().map(|stem| Item::Stem(stem.clone())).collect();
        for (item, (slot, _)) in new.iter().zip(ensure(&self.collections.meta, &new).await?) {
            if let (Item::Stem(stem), Ok(number)) = (item, u32::try_from(slot)) {
                self.numbers.insert(stem.clone(), number);
            }
        }
        let of = |words: &ChunkWords| {
            let terms = words.stems.iter().map(|(stem, counts)| (self.numbers[stem.as_str()], *counts));
            Frequencies::new(words.lengths, terms.collect())
        };
        Ok(words.iter().map(of).collect())
    }
}

/// Takes back the deaths of a generation after `current`, which was never finished.
pub(crate) async fn revive(collections: &Collections, current: u64) -> Result<()> {
    for collection in [&collections.chunks, &collections.sources] {
        let dying = between("died", Some(current as f64 + 1.0), Some(NEVER as f64 - 1.0));
        collection.set(Filter::must([dying]), payload([("died", number(NEVER))])).await?;
    }
    Ok(())
}

impl StoreWriter for Writer {
    fn holdings(&self) -> Option<Holdings> {
        self.current.as_ref().map(|current| current.holdings(&self.sources))
    }

    fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    fn check(&self) -> std::result::Result<(), StoreError> {
        Ok(self.check_lease()?)
    }

    fn can_keep(&self) -> bool {
        self.has_same_embedder()
    }

    fn must_rewrite(&self) -> bool {
        // A part has to say that it is stored, whatever it holds.
        self.part.is_some() || self.has_other_weights()
    }

    fn begin(&mut self) -> std::result::Result<Box<dyn NewVersion + '_>, StoreError> {
        Ok(Box::new(block_on(self.start())?))
    }

    fn compact(&mut self) -> std::result::Result<Compacted, StoreError> {
        Ok(block_on(self.remove_dead())?)
    }
}

/// The next generation.
pub(crate) struct Next<'w> {
    pub(crate) writer: &'w mut Writer,
    pub(crate) number: u64,
    /// Sources that an earlier writer of this generation stored whole, with their keys.
    pub(crate) found: BTreeSet<(SourceId, String)>,
    pub(crate) kept: BTreeSet<SourceId>,
    /// The sources that were added, with their keys.
    pub(crate) added: BTreeMap<SourceId, String>,
    pub(crate) upload: Upload,
    pub(crate) broken: bool,
}

impl Next<'_> {
    fn check_new(&self, id: &SourceId) -> Result<()> {
        if self.kept.contains(id) || self.added.contains_key(id) {
            return Err(QdrantError::source(id, "it came twice"));
        }
        Ok(())
    }

    async fn add_one(&mut self, entry: SourceEntry) -> Result<()> {
        let id = entry.meta.source_id.clone();
        self.check_new(&id)?;
        let checked = entry.check(self.writer.made_by.dimension);
        checked.map_err(|reason| QdrantError::source(&id, reason))?;
        self.writer.check_lease()?;
        // Until it is stored whole, the generation must not become current.
        let was_broken = std::mem::replace(&mut self.broken, true);
        let part = self.writer.part.map_or(0, |part| part.number);
        let title = entry.meta.title.as_deref().unwrap_or_default();
        let words: Vec<ChunkWords> = entry.chunks.iter().map(|chunk| ChunkWords::of(chunk, title)).collect();
        let frequencies = self.writer.frequencies(&words).await?;
        let held = self.writer.held(&id).filter(|_| self.writer.has_same_embedder());
        let same = held.filter(|held| held.held.key == entry.key);
        let record = SourceRecord::new(&entry, &frequencies, same.map_or(self.number, |held| held.born));
        if same.is_none() && !self.found.contains(&(id.clone(), entry.key.clone())) {
            // Like those of the current generation; of a first one, they are written at the end.
            let like = self.writer.current.as_ref().filter(|current| current.averages[0] > 0.0);
            let weights = |words: &Frequencies| {
                let bm25 = |like: &Generation| Bm25::new(like.title_weight);
                like.map(|like| (WORDS[like.words], Vector::from(words.weights(bm25(like), like.averages))))
            };
            for point in chunk_points(&entry, &frequencies, self.number, weights)? {
                self.upload.push(point).await?;
            }
        }
        self.upload.push_source(record.point(self.number, part)).await?;
        self.added.insert(id, entry.key);
        self.broken = was_broken;
        Ok(())
    }
}

impl NewVersion for Next<'_> {
    fn keep(&mut self, sources: &[SourceId]) -> std::result::Result<(), StoreError> {
        for id in sources {
            self.check_new(id)?;
            if self.writer.held(id).is_none() {
                let reason = "it is to be kept, and the current generation does not hold it";
                return Err(QdrantError::source(id, reason).into());
            }
            if !self.writer.has_same_embedder() {
                let stored = self.writer.current.as_ref().map(|current| current.made_by.embedder_id.clone());
                let asked = self.writer.made_by.embedder_id.clone();
                return Err(QdrantError::Embedder { stored: stored.unwrap_or_default(), asked }.into());
            }
            self.kept.insert(id.clone());
        }
        Ok(())
    }

    fn add(&mut self, source: SourceEntry) -> std::result::Result<(), StoreError> {
        Ok(block_on(self.add_one(source))?)
    }

    fn commit(self: Box<Self>) -> std::result::Result<(), StoreError> {
        Ok(block_on(Next::commit(*self))?)
    }
}

/// Points on their way to the server: large requests, few at a time. The point of a source is sent when its chunks are
/// stored: a source that is there is there whole.
pub(crate) struct Upload {
    collections: Collections,
    chunks: Vec<PointStruct>,
    bytes: usize,
    sources: Vec<PointStruct>,
    writes: Writes,
}

impl Upload {
    fn new(collections: Collections) -> Self {
        let writes = Writes::new(&collections.client);
        Self { collections, chunks: Vec::new(), bytes: 0, sources: Vec::new(), writes }
    }

    async fn push(&mut self, chunk: PointStruct) -> Result<()> {
        let bytes = chunk.encoded_len();
        if self.bytes + bytes > REQUEST {
            self.send().await?;
        }
        self.bytes += bytes;
        self.chunks.push(chunk);
        Ok(())
    }

    async fn push_source(&mut self, source: PointStruct) -> Result<()> {
        self.sources.push(source);
        if self.sources.len() >= SOURCES { self.finish().await } else { Ok(()) }
    }

    async fn send(&mut self) -> Result<()> {
        self.bytes = 0;
        let (chunks, points) = (self.collections.chunks.clone(), std::mem::take(&mut self.chunks));
        self.writes.push(async move { chunks.upsert(points).await }).await
    }

    /// Waits until everything is stored.
    pub(crate) async fn finish(&mut self) -> Result<()> {
        self.send().await?;
        self.writes.finish().await?;
        self.collections.sources.upsert(std::mem::take(&mut self.sources)).await
    }
}
