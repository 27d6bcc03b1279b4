//! Small indexes with seeded vectors.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retrieve::{Index, IndexError, IndexWriter, SourceEntry, WriterSettings};
use std::path::Path;
use types::{Chunk, ChunkId, Retrieval, SectionKind, SentenceSpan, SourceId, SourceMeta, Span};

pub(crate) const DIMENSION: usize = 64;

/// A unit vector that depends on `seed` alone.
pub(crate) fn vector(seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    unit((0..DIMENSION).map(|_| rng.random_range(-1.0_f32..1.0)).collect())
}

pub(crate) fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
    vector.into_iter().map(|v| v / length).collect()
}

/// A unit vector whose cosine with the first axis is `cosine`; `turn` chooses among those.
pub(crate) fn at_cosine(cosine: f32, turn: usize) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSION];
    vector[0] = cosine;
    vector[1 + turn % (DIMENSION - 1)] = (1.0 - cosine * cosine).sqrt();
    vector
}

/// The first axis, as a question.
pub(crate) fn axis() -> Vec<f32> {
    at_cosine(1.0, 0)
}

/// A source of chunks given by section, text and the vector of their one window. Each text is one sentence.
pub(crate) fn source(id: &str, parts: &[(SectionKind, &str, Vec<f32>)]) -> SourceEntry {
    let source_id = SourceId::from(id);
    let mut entry = SourceEntry {
        meta: SourceMeta {
            source_id: source_id.clone(),
            title: Some(format!("On {id}")),
            ..SourceMeta::default()
        },
        key: format!("key of {id}"),
        path: format!("papers/{id}.pdf"),
        root: "papers".to_owned(),
        ..SourceEntry::default()
    };
    let mut at = 0;
    for (ordinal, (section, text, vector)) in parts.iter().enumerate() {
        let number = entry.chunks.iter().filter(|c| c.section == *section).count();
        let whole = Span::new(0, text.len());
        entry.chunks.push(Chunk {
            chunk_id: ChunkId::from_parts(&source_id, *section, number),
            source_id: source_id.clone(),
            section: *section,
            heading: format!("{section} heading"),
            ordinal: ordinal as u32,
            page_start: 1,
            page_end: 2,
            span: Span::new(at, at + text.len()),
            prefix: format!("[Source: {id}]"),
            text: (*text).to_owned(),
            tokens: 7,
            sentences: vec![SentenceSpan {
                span: whole,
                number: ordinal as u32,
                page: 1,
            }],
        });
        entry.windows.push(vec![whole]);
        entry.window_vectors.push(vector.clone());
        entry.sentence_vectors.push(vector.clone());
        at += text.len() + 1;
    }
    entry
}

/// Body chunks with vectors seeded by `seed`.
pub(crate) fn plain(id: &str, seed: u64, texts: &[&str]) -> SourceEntry {
    let parts: Vec<_> = (0..)
        .zip(texts)
        .map(|(at, text)| (SectionKind::Body, *text, vector(seed * 1000 + at)))
        .collect();
    source(id, &parts)
}

pub(crate) fn settings() -> WriterSettings {
    WriterSettings {
        embedder_id: "seeded-64".to_owned(),
        dimension: DIMENSION,
        parser: "parser 1".to_owned(),
        chunker: "chunker 1".to_owned(),
        ..WriterSettings::default()
    }
}

/// Replaces whatever is in the index by `entries`.
pub(crate) fn write(
    root: &Path,
    entries: impl IntoIterator<Item = SourceEntry>,
) -> Result<Index, IndexError> {
    let mut entries: Vec<_> = entries.into_iter().collect();
    entries.sort_by(|a, b| a.meta.source_id.cmp(&b.meta.source_id));
    let mut writer = IndexWriter::open(root, settings())?;
    let mut generation = writer.begin()?;
    for entry in entries {
        generation.add(entry)?;
    }
    generation.commit(None)?;
    Index::open(root)
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Ids of all chunks in the order of rows.
pub(crate) fn ids(index: &Index) -> Vec<String> {
    index
        .chunks()
        .map(|chunk| chunk.expect("a whole chunk").chunk_id.to_string())
        .collect()
}

/// Ids of the hits, best first.
pub(crate) fn names(found: &Retrieval) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.chunk.chunk_id.as_str()).collect()
}

/// Names of what lies in the folder of generations, sorted.
pub(crate) fn generations(root: &std::path::Path) -> Vec<String> {
    let folder = std::fs::read_dir(root.join("generations")).expect("lists");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = folder.map(|e| name(e).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
