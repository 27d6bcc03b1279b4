//! Writes the index: sources are uploaded while they are added, and become visible together.

use crate::{
    QdrantError,
    client::block_on,
    collections::{Collections, WORDS},
    error::Result,
    frequencies::Frequencies,
    generation::Generation,
    lease::{Lease, Right},
    meta::{Changes, Item, change, ensure, take_back},
    points::{SourceRecord, bytes_of, chunk_points, sparse},
    wire::{NEVER, between, equals, number, payload},
};
use qdrant_client::qdrant::{Filter, PointStruct};
use retrieve::stored::{Bm25, defined_in};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use text::definitions::{Definition, key};
use tokio::task::JoinSet;
use types::{
    Chunk, Compacted, Holdings, MadeBy, NewVersion, Part, SourceEntry, SourceId, StoreError, StoreWriter,
};

/// Bytes of a request, about: a server refuses large ones.
const REQUEST: usize = 3 << 20;
/// Requests under way.
const REQUESTS: usize = 4;

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
        let mut writer = Self {
            part,
            lease: None,
            current: None,
            sources: Vec::new(),
            note: None,
            made_by: made_by.clone().unwrap_or_default(),
            numbers: HashMap::new(),
            collections,
        };
        writer.take_lease().await?;
        writer.refresh().await?;
        if made_by.is_none() {
            let current = writer.current.as_ref().ok_or_else(|| writer.collections.missing())?;
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
            Some(current) => self.collections.sources_of(current.number).await?,
            None => Vec::new(),
        };
        Ok(())
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

    async fn start(&mut self) -> Result<Next<'_>> {
        self.take_lease().await?;
        let next = self.number() + 1;
        let part = self.part;
        let own = match part {
            None => {
                revive(&self.collections, self.number()).await?;
                take_back(&self.collections.meta, self.number()).await?;
                self.forget_parts().await?;
                Vec::new()
            }
            Some(part) => {
                self.check_parts(part, next).await?;
                vec![equals("part", part.number)]
            }
        };
        let left = Filter::must([equals("born", next)].into_iter().chain(own));
        let mut found = BTreeMap::new();
        for point in self.collections.sources.all(left, &["record"], &[]).await? {
            let record = SourceRecord::of_fields(&point.payload)?;
            found.insert((record.id().clone(), record.key.clone()), record);
        }
        let settings = &self.collections.settings;
        let weights =
            self.current.as_ref().filter(|current| !self.has_other_weights() && current.averages[0] > 0.0);
        Ok(Next {
            weights: weights.map(|current| (WORDS[current.words], current.averages)),
            bm25: Bm25::new(settings.title_weight),
            upload: Upload::new(self.collections.clone()),
            writer: self,
            number: next,
            found,
            kept: BTreeSet::new(),
            added: BTreeMap::new(),
            changes: Changes::new(),
            broken: false,
        })
    }

    /// The words of chunks, by the numbers of their stems.
    async fn frequencies(&mut self, words: &[ChunkWords]) -> Result<Vec<Frequencies>> {
        let stems = words.iter().flat_map(|words| words.stems.keys());
        let new: BTreeSet<&String> = stems.filter(|stem| !self.numbers.contains_key(*stem)).collect();
        let new: Vec<Item> = new.into_iter().map(|stem| Item::Stem(stem.clone())).collect();
        for (item, place) in new.iter().zip(ensure(&self.collections.meta, &new).await?) {
            if let (Item::Stem(stem), Ok(number)) = (item, u32::try_from(place.slot)) {
                self.numbers.insert(stem.clone(), number);
            }
        }
        let of = |words: &ChunkWords| {
            let mut terms: Vec<_> =
                words.stems.iter().map(|(stem, counts)| (self.numbers[stem.as_str()], *counts)).collect();
            terms.sort_unstable();
            Frequencies { lengths: words.lengths, terms }
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
        Ok(self.lease.as_ref().map_or(Ok(()), Lease::check)?)
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
    /// Sources that an earlier writer of this generation stored whole.
    pub(crate) found: BTreeMap<(SourceId, String), SourceRecord>,
    pub(crate) kept: BTreeSet<SourceId>,
    /// The sources that were added, with their keys.
    pub(crate) added: BTreeMap<SourceId, String>,
    pub(crate) changes: Changes,
    pub(crate) upload: Upload,
    /// The vector of weights and the averages that they are made with; `None` if they are written at the end.
    weights: Option<(&'static str, [f32; 2])>,
    bm25: Bm25,
    pub(crate) broken: bool,
}

impl Next<'_> {
    fn check_new(&self, id: &SourceId) -> Result<()> {
        if self.kept.contains(id) || self.added.contains_key(id) {
            return Err(QdrantError::source(id, "it came twice"));
        }
        Ok(())
    }

    fn keep_one(&mut self, id: &SourceId) -> Result<()> {
        self.check_new(id)?;
        let sources = &self.writer.sources;
        if sources.binary_search_by(|source| source.id().cmp(id)).is_err() {
            return Err(QdrantError::source(
                id,
                "it is to be kept, and the current generation does not hold it",
            ));
        }
        if !self.writer.has_same_embedder() {
            let stored = self.writer.current.as_ref().map(|current| current.made_by.embedder_id.clone());
            let asked = self.writer.made_by.embedder_id.clone();
            return Err(QdrantError::Embedder { stored: stored.unwrap_or_default(), asked });
        }
        self.kept.insert(id.clone());
        Ok(())
    }

    async fn add_one(&mut self, entry: SourceEntry) -> Result<()> {
        let id = entry.meta.source_id.clone();
        self.check_new(&id)?;
        let checked = entry.check(self.writer.made_by.dimension);
        checked.map_err(|reason| QdrantError::source(&id, reason))?;
        if let Some(lease) = &self.writer.lease {
            lease.check()?;
        }
        // Until it is stored whole, the generation must not become current.
        let was_broken = std::mem::replace(&mut self.broken, true);
        let part = self.writer.part.map_or(0, |part| part.number);
        let title = entry.meta.title.as_deref().unwrap_or_default();
        let words: Vec<ChunkWords> = entry.chunks.iter().map(|chunk| ChunkWords::of(chunk, title)).collect();
        let frequencies = self.writer.frequencies(&words).await?;
        let sources = &self.writer.sources;
        let held = sources.binary_search_by(|source| source.id().cmp(&id)).ok().map(|at| &sources[at]);
        let same = held.filter(|held| held.key == entry.key && self.writer.has_same_embedder());
        let record = SourceRecord::new(&entry, &frequencies, same.map_or(self.number, |held| held.born));
        if same.is_none() {
            changes_of(&words, 1, &mut self.changes);
        }
        if same.is_none() && !self.found.contains_key(&(id.clone(), entry.key.clone())) {
            let (bm25, weights) = (self.bm25, self.weights);
            let weights = |words: &Frequencies| {
                weights.map(|(name, averages)| (name, sparse(words.weights(bm25, averages))))
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
        let mut sources = sources.iter();
        Ok(sources.try_for_each(|source| self.keep_one(source))?)
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
    points: Vec<PointStruct>,
    bytes: usize,
    sources: Vec<PointStruct>,
    requests: JoinSet<Result<()>>,
}

impl Upload {
    fn new(collections: Collections) -> Self {
        Self { collections, points: Vec::new(), bytes: 0, sources: Vec::new(), requests: JoinSet::new() }
    }

    async fn push(&mut self, point: PointStruct) -> Result<()> {
        let bytes = bytes_of(&point);
        if self.bytes + bytes > REQUEST {
            self.send().await?;
        }
        self.bytes += bytes;
        self.points.push(point);
        Ok(())
    }

    async fn push_source(&mut self, point: PointStruct) -> Result<()> {
        self.sources.push(point);
        if self.sources.len() >= 64 { self.finish().await } else { Ok(()) }
    }

    async fn send(&mut self) -> Result<()> {
        self.bytes = 0;
        let points = std::mem::take(&mut self.points);
        if points.is_empty() {
            return Ok(());
        }
        let chunks = self.collections.chunks.clone();
        let runtime = self.collections.client.runtime();
        self.requests.spawn_on(async move { chunks.upsert(points).await }, runtime);
        if self.requests.len() >= REQUESTS { self.wait_for_one().await.map(drop) } else { Ok(()) }
    }

    async fn wait_for_one(&mut self) -> Result<bool> {
        match self.requests.join_next().await {
            None => Ok(false),
            Some(Ok(outcome)) => outcome.map(|()| true),
            Some(Err(error)) => Err(QdrantError::damaged("an upload", error.to_string())),
        }
    }

    /// Waits until everything is stored.
    pub(crate) async fn finish(&mut self) -> Result<()> {
        self.send().await?;
        while self.wait_for_one().await? {}
        self.collections.sources.upsert(std::mem::take(&mut self.sources)).await
    }
}

/// The words of a chunk.
pub(crate) struct ChunkWords {
    /// Its stems, with how often its text and its titles hold them.
    stems: BTreeMap<String, [u32; 2]>,
    pub(crate) lengths: [u32; 2],
    /// The words of its text as written, and whether each is a stop word.
    forms: BTreeSet<(String, bool)>,
    definitions: BTreeSet<Definition>,
}

impl ChunkWords {
    /// Those of a chunk of a source with this title.
    pub(crate) fn of(chunk: &Chunk, title: &str) -> Self {
        let mut words = Self {
            stems: BTreeMap::new(),
            lengths: [0; 2],
            forms: BTreeSet::new(),
            definitions: defined_in(chunk),
        };
        for (field, text) in [(0, chunk.text.as_str()), (1, title), (1, chunk.heading.as_str())] {
            for word in text::indexed_words(text) {
                // Few words without letters or digits are misspelt ones of others.
                if field == 0 && word.form.chars().all(char::is_alphabetic) {
                    words.forms.insert((word.form, word.is_stop_word));
                }
                if !word.is_stop_word {
                    words.lengths[field] += 1;
                    words.stems.entry(word.stem).or_default()[field] += 1;
                }
            }
        }
        words
    }
}

/// How the counts of words change by the chunks of a source that comes (1) or goes (-1).
pub(crate) fn changes_of(chunks: &[ChunkWords], by: i64, changes: &mut Changes) {
    let mut defined: BTreeSet<&Definition> = BTreeSet::new();
    for words in chunks {
        for (stem, [text, title]) in &words.stems {
            let (text, title) = (i64::from(*text > 0), i64::from(*title > 0));
            change(changes, Item::Stem(stem.clone()), [text * by, title * by, text * title * by]);
        }
        for (form, is_stop_word) in &words.forms {
            change(changes, Item::Word(form.clone(), *is_stop_word), [by, 0, 0]);
        }
        defined.extend(&words.definitions);
    }
    let mut abbreviations = BTreeSet::new();
    for Definition { short, long } in defined {
        abbreviations.insert((key(short), key(long)));
        change(changes, Item::Spelling(short.clone(), long.clone()), [by, 0, 0]);
    }
    for (short, long) in abbreviations {
        change(changes, Item::Abbreviation(short, long), [by, 0, 0]);
    }
}
