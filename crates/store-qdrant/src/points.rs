//! The points of chunks and of sources.

use crate::{
    QdrantError,
    collections::WINDOWS,
    counts::Counts,
    error::Result,
    frequencies::Frequencies,
    wire::{Fields, NEVER, json, json_of, number, payload, text, text_of, texts, uuid_id},
};
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD as BASE64};
use qdrant_client::qdrant::{
    DenseVector, MultiDenseVector, NamedVectors, PointStruct, SparseVector, Vector, Vectors, vector, vectors,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use types::{
    Chunk, HeldSource, SourceEntry, SourceId, SourceMeta, Span, path_text,
    vector::{dot, dot_quantised, quantise, unit},
};
use uuid::Uuid;

/// The fields that every chunk is read with.
pub(crate) const TEXT: [&str; 1] = ["body"];

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
    pub(crate) meta: SourceMeta,
    pub(crate) key: String,
    pub(crate) path: String,
    pub(crate) copies: Vec<String>,
    pub(crate) record: Option<String>,
    root: String,
    ingested: String,
    pub(crate) counts: Counts,
    sentences: usize,
    /// The generation in which its chunks were born; that of the source itself may be a later one, with other paths.
    pub(crate) born: u64,
}

impl SourceRecord {
    /// The record of an entry with chunks of these words, born in a generation.
    pub(crate) fn new(entry: &SourceEntry, words: &[Frequencies], born: u64) -> Self {
        let lengths = words.iter().map(|words| words.lengths);
        Self {
            meta: entry.meta.clone(),
            key: entry.key.clone(),
            path: entry.path.clone(),
            copies: entry.copies.clone(),
            record: entry.record.clone(),
            root: entry.root.clone(),
            ingested: entry.ingested.clone(),
            counts: Counts::of_source(entry_id(entry), &entry.key, entry.window_vectors.len(), lengths),
            sentences: entry.sentence_vectors.len(),
            born,
        }
    }

    pub(crate) fn id(&self) -> &SourceId {
        &self.meta.source_id
    }

    pub(crate) fn of_fields(fields: &Fields) -> Result<Self> {
        json_of(fields, "record")
    }

    /// As the indexer sees it.
    pub(crate) fn held(&self) -> HeldSource {
        HeldSource {
            meta: self.meta.clone(),
            key: self.key.clone(),
            path: path_text::decode(&self.path),
            copies: self.copies.iter().map(|path| path_text::decode(path)).collect(),
            record: self.record.clone(),
            root: path_text::decode(&self.root),
            ingested: self.ingested.clone(),
            chunks: self.counts.chunks,
            windows: self.counts.windows,
            sentences: self.sentences,
            terms: usize::try_from(self.counts.lengths.words[0]).unwrap_or(usize::MAX),
        }
    }

    /// Its point, born in `generation`, written by a part (0 for the only one).
    pub(crate) fn point(&self, generation: u64, part: u32) -> PointStruct {
        let fields = payload([
            ("record", json(self)),
            ("words", texts(retrieve::stored::source_stems(&self.meta))),
            ("part", number(part)),
        ]);
        let mut fields: Fields = fields.into_iter().chain(common(&self.meta, generation)).collect();
        fields.insert("kept".to_owned(), qdrant_client::qdrant::Value { kind: Some(number(0)) });
        let id = source_point(self.id(), &self.key, generation);
        PointStruct { id: Some(uuid_id(id)), payload: fields, vectors: Some(named_vectors(HashMap::new())) }
    }
}

/// What filters ask for, the same of a chunk and of its source.
fn common(meta: &SourceMeta, born: u64) -> Fields {
    let mut fields = payload([
        ("source", text(meta.source_id.as_str())),
        ("tags", texts(meta.tags.iter().map(String::as_str))),
        ("born", number(born)),
        ("died", number(NEVER)),
    ]);
    if let Some(year) = meta.year {
        fields.extend(payload([("year", number(year))]));
    }
    fields
}

/// The points of the chunks of a source, which the caller has checked. `words` are those of its chunks; `weights` those of
/// their words, with the name of the vector, unless they are written later.
pub(crate) fn chunk_points(
    entry: &SourceEntry,
    words: &[Frequencies],
    born: u64,
    weights: impl Fn(&Frequencies) -> Option<(&'static str, Vector)>,
) -> Result<Vec<PointStruct>> {
    let mut windows = entry.window_vectors.iter();
    let shared = common(&entry.meta, born);
    let mut points = Vec::with_capacity(entry.chunks.len());
    for ((chunk, spans), words) in entry.chunks.iter().zip(&entry.windows).zip(words) {
        let mut rows = Vec::with_capacity(spans.len());
        for window in windows.by_ref().take(spans.len()) {
            let data = unit(window).ok_or_else(|| {
                QdrantError::source(entry_id(entry), "a vector of a window holds a number that is not finite")
            })?;
            rows.push(DenseVector { data });
        }
        let fields = payload([
            ("chunk", text(chunk.chunk_id.as_str())),
            ("section", text(chunk.section.as_str())),
            ("ordinal", number(chunk.ordinal)),
            ("body", json(chunk)),
            ("spans", json(spans)),
            ("frequencies", text(words.encode())),
            ("sentences", text(sentences(chunk, &entry.sentence_vectors))),
        ]);
        let mut vectors: HashMap<String, Vector> = HashMap::new();
        if !rows.is_empty() {
            vectors.insert(
                WINDOWS.to_owned(),
                of_vector(vector::Vector::MultiDense(MultiDenseVector { vectors: rows })),
            );
        }
        vectors.extend(weights(words).map(|(name, weights)| (name.to_owned(), weights)));
        points.push(PointStruct {
            id: Some(uuid_id(chunk_point(entry_id(entry), &entry.key, born, chunk.ordinal))),
            payload: shared.clone().into_iter().chain(fields).collect(),
            vectors: Some(named_vectors(vectors)),
        });
    }
    Ok(points)
}

fn entry_id(entry: &SourceEntry) -> &SourceId {
    &entry.meta.source_id
}

fn of_vector(vector: vector::Vector) -> Vector {
    Vector { vector: Some(vector), ..Vector::default() }
}

/// Weights of words as a vector.
pub(crate) fn sparse((indices, values): (Vec<u32>, Vec<f32>)) -> Vector {
    of_vector(vector::Vector::Sparse(SparseVector { indices, values }))
}

/// Vectors by name.
pub(crate) fn named_vectors(vectors: HashMap<String, Vector>) -> Vectors {
    Vectors { vectors_options: Some(vectors::VectorsOptions::Vectors(NamedVectors { vectors })) }
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

/// The chunk of a point.
pub(crate) fn chunk_of(fields: &Fields) -> Result<Chunk> {
    json_of(fields, "body")
}

/// The words of the chunk of a point.
pub(crate) fn frequencies_of(fields: &Fields) -> Result<Frequencies> {
    Frequencies::decode(text_of(fields, "frequencies")?)
}

/// The windows of the chunk of a point.
pub(crate) fn spans_of(fields: &Fields) -> Result<Vec<Span>> {
    json_of(fields, "spans")
}

/// About how many bytes a point takes on the wire.
pub(crate) fn bytes_of(point: &PointStruct) -> usize {
    use qdrant_client::qdrant::value::Kind;
    let fields = point.payload.values().map(|value| match &value.kind {
        Some(Kind::StringValue(text)) => text.len() + 32,
        Some(Kind::ListValue(list)) => list.values.len() * 32 + 32,
        _ => 32,
    });
    let vectors = match point.vectors.as_ref().and_then(|vectors| vectors.vectors_options.as_ref()) {
        Some(vectors::VectorsOptions::Vectors(named)) => named.vectors.values().map(vector_bytes).sum(),
        _ => 0,
    };
    fields.sum::<usize>() + vectors
}

fn vector_bytes(vector: &Vector) -> usize {
    match &vector.vector {
        Some(vector::Vector::MultiDense(rows)) => rows.vectors.iter().map(|row| row.data.len() * 4 + 8).sum(),
        Some(vector::Vector::Sparse(sparse)) => sparse.indices.len() * 9,
        _ => 0,
    }
}
