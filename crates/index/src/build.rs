//! The files of a segment under construction.

use crate::{
    HnswSettings, IndexError, SourceRecord,
    abbreviations::add_definitions,
    disk::{
        BlobWriter, ChunkRow, Counts, LineWriter, Mapper, Output, SegmentRecord, WindowRow, names,
        record_folder, section_code, sync_dir,
    },
    error::narrow,
    lexical::{FieldWords, LexicalWriter},
    segment::Segment,
    source_words::add_source,
    steps::Steps,
    vectors::{build_graph, encode},
};
use bytemuck::NoUninit;
use rayon::prelude::*;
use retrieve::stored::defined_in;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};
use text::definitions::Definition;
use types::{
    Chunk, ChunkId, SourceEntry, SourceId,
    digest::crc32,
    vector::{quantise, unit},
};

/// The files with rows of fixed width.
const TABLES: [&str; 8] = [
    names::ROWS,
    names::WINDOWS,
    names::WINDOW_ROWS,
    names::WINDOW_CODES,
    names::WINDOW_CODE_ROWS,
    names::SENTENCES,
    names::SENTENCE_SCALES,
    names::CHUNK_SUMS,
];

/// All outputs of a segment. Memory grows with the number of chunk ids and with tantivy's arena, not with
/// text or vectors.
pub(crate) struct Build {
    dir: PathBuf,
    /// Number of the segment.
    number: u64,
    dimension: usize,
    steps: Steps,
    chunks: BlobWriter,
    ids: BlobWriter,
    tables: BTreeMap<&'static str, Output>,
    lexical: LexicalWriter,
    chunk_ids: Vec<ChunkId>,
    source_words: LineWriter,
    abbreviations: LineWriter,
    sources: Vec<SourceRecord>,
    counts: Counts,
}

impl Build {
    /// Starts in the new folder `dir`.
    pub(crate) fn create(
        dir: PathBuf,
        number: u64,
        dimension: usize,
        steps: Steps,
    ) -> Result<Self, IndexError> {
        steps.before("creating files")?;
        let text = dir.join(names::TEXT);
        fs::create_dir_all(&text).map_err(IndexError::io("create", &text))?;
        let mut tables = BTreeMap::new();
        for name in TABLES {
            tables.insert(name, Output::create(&dir, name)?);
        }
        Ok(Self {
            number,
            dimension,
            chunks: BlobWriter::create(&dir, [names::CHUNKS, names::CHUNK_OFFSETS])?,
            ids: BlobWriter::create(&dir, [names::IDS, names::ID_OFFSETS])?,
            tables,
            lexical: LexicalWriter::create(&text)?,
            chunk_ids: Vec::new(),
            source_words: LineWriter::default(),
            abbreviations: LineWriter::default(),
            sources: Vec::new(),
            counts: Counts::default(),
            steps,
            dir,
        })
    }

    /// Writes a new source, which the caller has checked.
    pub(crate) fn add(&mut self, entry: SourceEntry) -> Result<(), IndexError> {
        let started = self.counts;
        let mut vectors = entry.window_vectors.iter();
        let title = FieldWords::of(entry.meta.title.as_deref().unwrap_or_default());
        let words: Vec<_> = entry.chunks.par_iter().map(ChunkWords::of).collect();
        for ((chunk, windows), words) in entry.chunks.iter().zip(&entry.windows).zip(words) {
            let mut json = serde_json::to_vec(chunk)
                .map_err(|e| IndexError::io("write", self.dir.join(names::CHUNKS))(e.into()))?;
            json.push(b'\n');
            self.put_chunk(chunk, &words, &title, &json, windows.len())?;
            for (window, vector) in windows.iter().zip(&mut vectors) {
                let vector = unit(vector).ok_or_else(|| IndexError::Vector {
                    what: format!("a window of {}", chunk.chunk_id),
                    reason: "it holds a number that is not finite".to_owned(),
                })?;
                let (start, end) = (narrow("bytes", window.start)?, narrow("bytes", window.end)?);
                self.put_window(&vector, start, end)?;
            }
        }
        self.steps.before("writing sentence vectors")?;
        for vector in &entry.sentence_vectors {
            let (integers, scale) = quantise(vector);
            self.put_sentence(&integers, scale)?;
        }
        let SourceEntry { meta, key, path, copies, record, root, ingested, .. } = entry;
        self.close_source(
            started,
            SourceRecord {
                key,
                path,
                copies,
                record,
                root,
                ingested,
                meta,
                chunks: [0; 2],
                windows: [0; 2],
                sentences: [0; 2],
                terms: 0,
            },
        )
    }

    /// Copies a source of an intact segment: its chunks byte for byte, its vectors bit for bit.
    pub(crate) fn copy(&mut self, from: &Segment, record: &SourceRecord) -> Result<(), IndexError> {
        let started = self.counts;
        let lacks = |name: &str| IndexError::damaged(from.dir.join(name), "it lacks a row of its record");
        // Words are stemmed anew, on all cores: that costs more than everything else that is copied.
        let title = FieldWords::of(record.meta.title.as_deref().unwrap_or_default());
        let prepare = |at: usize| {
            let chunk = from.chunks.chunk(at)?;
            let words = ChunkWords::of(&chunk);
            Ok((at, from.chunks.json(at)?, chunk, words))
        };
        let prepared: Vec<_> = (record.chunks[0]..record.chunks[1])
            .into_par_iter()
            .map(prepare)
            .collect::<Result<_, IndexError>>()?;
        for (at, json, chunk, words) in prepared {
            let row = from.chunks.rows().get(at).ok_or_else(|| lacks(names::ROWS))?;
            self.put_chunk(&chunk, &words, &title, json, row.windows().len())?;
            for window in row.windows() {
                let (vector, place) = from
                    .windows
                    .vector(window)
                    .zip(from.windows.row(window))
                    .ok_or_else(|| lacks(names::WINDOWS))?;
                self.put_window(vector, place.start, place.end)?;
            }
        }
        for sentence in record.sentences[0]..record.sentences[1] {
            let stored = from.sentences.raw(sentence).ok_or_else(|| lacks(names::SENTENCES))?;
            self.put_sentence(stored.0, stored.1)?;
        }
        self.close_source(started, record.clone())
    }

    /// Chunks that were written.
    pub(crate) fn chunks(&self) -> usize {
        self.counts.chunks
    }

    /// The ids of these.
    pub(crate) fn chunk_ids(&self) -> &[ChunkId] {
        &self.chunk_ids
    }

    /// Finishes every file and gives what the record of the segment says. With settings, a graph of the windows is built.
    pub(crate) fn finish(self, graph: Option<HnswSettings>) -> Result<SegmentRecord, IndexError> {
        let Self {
            dir,
            number,
            dimension,
            steps,
            chunk_ids,
            source_words,
            abbreviations,
            sources,
            counts,
            ..
        } = self;
        let mut files = BTreeMap::new();
        let order = id_order(&chunk_ids)?;
        let mut rank = vec![0_u32; order.len()];
        for (place, row) in (0..).zip(&order) {
            rank[*row as usize] = place;
        }
        for (name, values) in [(names::ID_ORDER, &order), (names::ID_RANK, &rank)] {
            steps.before("writing the order of ids")?;
            let mut out = Output::create(&dir, name)?;
            out.put_all(values)?;
            files.insert(name.to_owned(), out.finish()?);
        }
        steps.before("writing the words of sources")?;
        let file = source_words.finish(&dir, names::SOURCE_WORDS)?;
        files.insert(names::SOURCE_WORDS.to_owned(), file);
        steps.before("writing the abbreviations of sources")?;
        let file = abbreviations.finish(&dir, names::ABBREVIATIONS)?;
        files.insert(names::ABBREVIATIONS.to_owned(), file);
        steps.before("flushing chunks")?;
        self.chunks.finish(&mut files)?;
        self.ids.finish(&mut files)?;
        for (name, out) in self.tables {
            steps.before("flushing a table")?;
            files.insert(name.to_owned(), out.finish()?);
        }
        steps.before("finishing the text index")?;
        self.lexical.finish()?;
        steps.before("flushing the text index")?;
        record_folder(&dir, names::TEXT, &mut files)?;
        if let Some(graph) = graph {
            steps.before("building the graph")?;
            let folder = dir.join(names::GRAPH);
            fs::create_dir_all(&folder).map_err(IndexError::io("create", &folder))?;
            let numbers = counts.windows.saturating_mul(dimension);
            let vectors = Mapper::new(&dir)?.map::<f32>(names::WINDOWS, numbers)?;
            build_graph(&folder, vectors.get().chunks_exact(dimension.max(1)), &graph)?;
            record_folder(&dir, names::GRAPH, &mut files)?;
        }
        sync_dir(&dir)?;
        Ok(SegmentRecord { segment: number, dimension, graph, counts, sources, files })
    }

    /// Writes rows of one of [`TABLES`].
    fn put<T: NoUninit>(&mut self, table: &'static str, rows: &[T]) -> Result<(), IndexError> {
        let out = self.tables.get_mut(table);
        out.expect("every table is created at the start").put_all(rows)
    }

    /// Writes a chunk; its windows must follow at once.
    fn put_chunk(
        &mut self,
        chunk: &Chunk,
        words: &ChunkWords,
        title: &FieldWords,
        json: &[u8],
        windows: usize,
    ) -> Result<(), IndexError> {
        self.steps.before("writing a chunk")?;
        let ChunkWords { text, heading, definitions } = words;
        let head = title.and(heading);
        let source = narrow("sources", self.sources.len())?;
        let row = ChunkRow {
            source,
            section: section_code(chunk.section),
            windows_start: narrow("windows", self.counts.windows)?,
            windows_end: narrow("windows", self.counts.windows + windows)?,
            lengths: [
                narrow("terms of a chunk", text.content)?,
                narrow("words of a title and a heading", head.content)?,
            ],
        };
        narrow("chunks", self.counts.chunks + 1)?;
        self.chunks.push(json)?;
        self.put(names::CHUNK_SUMS, &[crc32(&[json])])?;
        self.ids.push(chunk.chunk_id.as_str().as_bytes())?;
        self.put(names::ROWS, &[row])?;
        self.counts.terms += text.content as u64;
        self.lexical.add(self.counts.chunks, [text, &head])?;
        add_definitions(&mut self.abbreviations, source, definitions);
        self.chunk_ids.push(chunk.chunk_id.clone());
        self.counts.chunks += 1;
        Ok(())
    }

    /// Writes a window of the chunk that was written last: its unit vector and its bytes in the chunk's text.
    fn put_window(&mut self, vector: &[f32], start: u32, end: u32) -> Result<(), IndexError> {
        let chunk = narrow("chunks", self.counts.chunks.saturating_sub(1))?;
        let row = WindowRow { chunk, start, end };
        self.put(names::WINDOWS, vector)?;
        self.put(names::WINDOW_ROWS, &[row])?;
        let (code, code_row) = encode(vector);
        self.put(names::WINDOW_CODES, &code)?;
        self.put(names::WINDOW_CODE_ROWS, &[code_row])?;
        self.counts.windows += 1;
        Ok(())
    }

    /// Writes the vector of the next sentence of the source.
    fn put_sentence(&mut self, integers: &[i8], scale: f32) -> Result<(), IndexError> {
        self.put(names::SENTENCES, integers)?;
        self.put(names::SENTENCE_SCALES, &[scale])?;
        self.counts.sentences += 1;
        Ok(())
    }

    fn close_source(&mut self, started: Counts, record: SourceRecord) -> Result<(), IndexError> {
        let place = narrow("sources", self.sources.len())?;
        add_source(&mut self.source_words, place, &record.meta);
        self.counts.sources += 1;
        self.sources.push(SourceRecord {
            chunks: [started.chunks, self.counts.chunks],
            windows: [started.windows, self.counts.windows],
            sentences: [started.sentences, self.counts.sentences],
            terms: self.counts.terms - started.terms,
            ..record
        });
        Ok(())
    }
}

/// The words of a chunk, without those of the title of its source, and the abbreviations that it defines.
struct ChunkWords {
    text: FieldWords,
    heading: FieldWords,
    definitions: BTreeSet<Definition>,
}

impl ChunkWords {
    fn of(chunk: &Chunk) -> Self {
        Self {
            text: FieldWords::of(&chunk.text),
            heading: FieldWords::of(&chunk.heading),
            definitions: defined_in(chunk),
        }
    }
}

/// Chunk rows in the order of their ids, which must differ.
fn id_order(ids: &[ChunkId]) -> Result<Vec<u32>, IndexError> {
    let mut order: Vec<u32> = (0..narrow("chunks", ids.len())?).collect();
    order.sort_by(|a, b| ids[*a as usize].cmp(&ids[*b as usize]));
    for pair in order.windows(2) {
        let [left, right] = [&ids[pair[0] as usize], &ids[pair[1] as usize]];
        if left == right {
            let source_id = right.source().unwrap_or_else(|| SourceId::from(right.as_str()));
            return Err(IndexError::Source { source_id, reason: format!("two chunks are named {right}") });
        }
    }
    Ok(order)
}
