//! The points of chunks and of sources.

use crate::{
    QdrantError,
    collections::{Collections, WINDOWS},
    counts::Counts,
    error::Result,
    frequencies::Frequencies,
    wire::{Fields, NEVER, json, json_of, number, payload, record, text_of, texts},
};
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD as BASE64};
use qdrant_client::qdrant::{Filter, PointStruct, Vector};
use retrieve::stored::Lengths;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use types::{
    Chunk, HeldSource, SourceEntry, SourceId, SourceMeta, path_text,
    vector::{dot, dot_quantised, quantise, unit},
};
use uuid::Uuid;

/// The id of the point of a chunk: its source and content, and the generation in which it was born. Written again, it is the
/// same point.
pub(crate) fn chunk_point(source: &SourceId, key: &str, born: u64, ordinal: u32) -> String {
    named(&format!("{source}\n{key}\n{born}\n{ordinal}"))
}

/// The id of the point of a source.
pub(crate) fn source_point(source: &SourceId, key: &str, born: u64) -> String {
    named(&format!("{source}\n{key}\n{born}"))
}

fn named(name: &str) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()).to_string()
}

/// What is known of a source beside its chunks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SourceRecord {
    /// As the indexer sees it.
    pub(crate) held: HeldSource,
    pub(crate) counts: Counts,
    /// The generation in which its chunks were born; that of the source itself may be a later one, with other paths.
    pub(crate) born: u64,
}

impl SourceRecord {
    /// The record of an entry with chunks of these words, born in a generation.
    pub(crate) fn new(entry: &SourceEntry, words: &[Frequencies], born: u64) -> Self {
        let mut lengths = Lengths::default();
        for words in words {
            lengths.add(words.lengths());
        }
        let held = HeldSource {
            meta: entry.meta.clone(),
            key: entry.key.clone(),
            path: path_text::decode(&entry.path),
            copies: entry.copies.iter().map(|path| path_text::decode(path)).collect(),
            record: entry.record.clone(),
            root: path_text::decode(&entry.root),
            ingested: entry.ingested.clone(),
            chunks: entry.chunks.len(),
            windows: entry.window_vectors.len(),
            sentences: entry.sentence_vectors.len(),
            terms: lengths.words[0] as usize,
        };
        Self { counts: Counts::of_source(&held, lengths), held, born }
    }

    pub(crate) fn id(&self) -> &SourceId {
        self.held.source_id()
    }

    pub(crate) fn of_fields(fields: &Fields) -> Result<Self> {
        json_of(fields, "record")
    }

    /// Its point, born in `generation`, written by a part (0 for the only one).
    pub(crate) fn point(&self, generation: u64, part: u32) -> PointStruct {
        let mut fields = common(&self.held.meta, generation);
        fields.extend(payload([
            ("record", json(self)),
            ("words", texts(retrieve::stored::source_stems(&self.held.meta))),
            ("part", number(part)),
        ]));
        record(source_point(self.id(), &self.held.key, generation), fields)
    }
}

impl Collections {
    /// The sources that a filter finds, in the order of their ids.
    pub(crate) async fn records(&self, filter: Filter) -> Result<Vec<SourceRecord>> {
        let found = self.sources.all(filter, &["record"], false).await?;
        let mut records: Vec<_> =
            found.iter().map(|point| SourceRecord::of_fields(&point.payload)).collect::<Result<_>>()?;
        records.sort_by(|one, other| one.id().cmp(other.id()));
        Ok(records)
    }
}

/// What filters ask for, the same of a chunk and of its source.
fn common(meta: &SourceMeta, born: u64) -> Fields {
    let mut fields = payload([
        ("source", meta.source_id.as_str().into()),
        ("tags", texts(meta.tags.iter().map(String::as_str))),
        ("born", number(born)),
        ("died", number(NEVER)),
    ]);
    fields.extend(meta.year.map(|year| ("year".to_owned(), number(year))));
    fields
}

/// The points of the chunks of a source, which the caller has checked. `words` are those of its chunks; `weights` gives the
/// vector of these and its name, unless it is written later.
pub(crate) fn chunk_points(
    entry: &SourceEntry,
    words: &[Frequencies],
    born: u64,
    weights: impl Fn(&Frequencies) -> Option<(&'static str, Vector)>,
) -> Result<Vec<PointStruct>> {
    let source = &entry.meta.source_id;
    let mut windows = entry.window_vectors.iter();
    let shared = common(&entry.meta, born);
    let mut points = Vec::with_capacity(entry.chunks.len());
    for ((chunk, spans), words) in entry.chunks.iter().zip(&entry.windows).zip(words) {
        let rows: Option<Vec<_>> = windows.by_ref().take(spans.len()).map(|window| unit(window)).collect();
        let rows = rows.ok_or_else(|| {
            QdrantError::source(source, "a vector of a window holds a number that is not finite")
        })?;
        let mut fields = shared.clone();
        fields.extend(payload([
            ("chunk", chunk.chunk_id.as_str().into()),
            ("section", chunk.section.as_str().into()),
            ("ordinal", number(chunk.ordinal)),
            ("body", json(chunk)),
            ("spans", json(spans)),
            ("frequencies", words.encode().into()),
            ("sentences", sentences(chunk, &entry.sentence_vectors).into()),
        ]));
        let rows = (!rows.is_empty()).then(|| (WINDOWS, Vector::from(rows)));
        let vectors = rows.into_iter().chain(weights(words));
        let vectors: HashMap<String, Vector> =
            vectors.map(|(name, vector)| (name.to_owned(), vector)).collect();
        points.push(PointStruct::new(chunk_point(source, &entry.key, born, chunk.ordinal), vectors, fields));
    }
    Ok(points)
}

/// The vectors of a chunk's sentences in 8 bits a number, each with its factor before it.
fn sentences(chunk: &Chunk, vectors: &[Vec<f32>]) -> String {
    let mut bytes = Vec::new();
    for sentence in &chunk.sentences {
        let (integers, scale) = quantise(vectors.get(sentence.number as usize).map_or(&[], Vec::as_slice));
        bytes.extend(scale.to_le_bytes());
        bytes.extend(integers.iter().map(|number| number.cast_unsigned()));
    }
    BASE64.encode(bytes)
}

/// The vectors that [`sentences`] wrote: integers and factor of each.
pub(crate) fn sentence_vectors(fields: &Fields, dimension: usize) -> Result<Vec<(Vec<i8>, f32)>> {
    let damaged = || QdrantError::damaged("the sentence vectors of a chunk", "they cannot be read");
    let bytes = BASE64.decode(text_of(fields, "sentences")?).map_err(|_| damaged())?;
    let one = |row: &[u8]| {
        let (scale, integers) = row.split_first_chunk::<4>().ok_or_else(damaged)?;
        Ok((integers.iter().map(|byte| byte.cast_signed()).collect(), f32::from_le_bytes(*scale)))
    };
    if bytes.len() % (dimension + 4) != 0 {
        return Err(damaged());
    }
    bytes.chunks_exact(dimension + 4).map(one).collect()
}

/// The cosine of a sentence with a vector; 0 without either.
pub(crate) fn cosine((integers, scale): &(Vec<i8>, f32), query: &[f32]) -> f32 {
    let length = dot(query, query).sqrt();
    if query.len() != integers.len() || length <= 0.0 {
        return 0.0;
    }
    (dot_quantised(integers, query) * scale / length).clamp(-1.0, 1.0)
}
