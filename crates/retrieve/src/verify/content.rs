//! Whether the parts of a generation agree with each other.
//!
//! Files that are what was written can still be wrong when the writer, or its caller, was: this reads everything
//! and takes nothing on trust.

use super::{Damage, findings::Findings};
use crate::{
    Index,
    disk::{MANIFEST, SourceRecord, names, section_code},
    vectors::norm,
};
use rayon::prelude::*;
use types::{Chunk, ChunkId, ChunkStore, Span};

/// How far the length of a stored vector may be from 1.
const LENGTH_TOLERANCE: f32 = 1e-4;

/// Checks everything; empty when all is well.
pub(super) fn check(index: &Index) -> Vec<Damage> {
    let mut found = Findings::default();
    totals(index, &mut found);
    ids(index, &mut found);
    // On all cores: stemming every text takes most of the time.
    let of_source = |(place, source): (usize, &SourceRecord)| {
        let mut found = Findings::default();
        chunks(index, place, source, &mut found);
        neighbours(index, source, &mut found);
        found
    };
    let sources = index.manifest.sources.par_iter().enumerate();
    let each: Vec<Findings> = sources.map(of_source).collect();
    for more in each {
        found.absorb(more);
    }
    vectors(index, &mut found);
    stems(index, &mut found);
    if index.manifest.graph.is_some() && index.windows.len() > 0 {
        let loaded = index.graph().map(drop);
        found.check(loaded.is_ok(), names::GRAPH, || {
            loaded.err().map_or_else(String::new, |error| error.to_string())
        });
    }
    found.into_damages()
}

/// Sources come in order, and their rows follow each other without a gap up to the totals.
fn totals(index: &Index, found: &mut Findings) {
    let manifest = &index.manifest;
    let mut reached = [0_usize; 3];
    for source in &manifest.sources {
        let ranges = [source.chunks, source.windows, source.sentences];
        for ([from, to], at) in ranges.into_iter().zip(&mut reached) {
            found.check(from == *at && to >= from, MANIFEST, || {
                format!(
                    "rows {from} to {to} of {} do not follow row {at}",
                    source.source_id()
                )
            });
            *at = to;
        }
    }
    let counts = manifest.counts;
    found.check(
        reached == [counts.chunks, counts.windows, counts.sentences]
            && counts.sources == manifest.sources.len(),
        MANIFEST,
        || "its totals are not the sums of its sources".to_owned(),
    );
    let ordered = manifest
        .sources
        .windows(2)
        .all(|pair| pair[0].source_id() < pair[1].source_id());
    found.check(ordered, MANIFEST, || {
        "its sources are not in the order of their ids".to_owned()
    });
    let terms: u64 = index.chunks.rows().iter().map(|row| u64::from(row.terms)).sum();
    found.check(terms == counts.terms, names::ROWS, || {
        format!("they count {terms} stems, the manifest {}", counts.terms)
    });
}

/// Every row stands once in the order of ids, and ids differ.
fn ids(index: &Index, found: &mut Findings) {
    let (order, ranks) = (index.chunks.order(), index.chunks.ranks());
    let mut previous: Option<&[u8]> = None;
    for (place, &row) in (0_u32..).zip(order) {
        found.check(ranks.get(row as usize) == Some(&place), names::ID_RANK, || {
            format!("row {row} does not have its place {place} in the order of ids")
        });
        let id = index.chunks.id(row as usize);
        found.check(id.is_some() && id > previous, names::ID_ORDER, || {
            format!("the id of row {row} does not come behind the one before it")
        });
        previous = id;
    }
}

/// Chunks of one source: what they say of themselves, their sentences and their windows.
fn chunks(index: &Index, place: usize, source: &SourceRecord, found: &mut Findings) {
    let sentences = source.sentences[1].saturating_sub(source.sentences[0]);
    let mut window = source.windows[0];
    let mut previous: Option<std::sync::Arc<Chunk>> = None;
    for (ordinal, at) in (source.chunks[0]..source.chunks[1]).enumerate() {
        let Some(row) = index.chunks.rows().get(at) else {
            break; // the totals say so
        };
        let chunk = match index.chunks.chunk(at) {
            Ok(chunk) => chunk,
            Err(error) => {
                found.check(false, names::CHUNKS, || error.to_string());
                continue;
            }
        };
        let id = &chunk.chunk_id;
        found.check(
            index.chunks.id(at) == Some(id.as_str().as_bytes()) && index.chunks.find(id) == Some(at),
            names::IDS,
            || format!("chunk {id} is not found by its id"),
        );
        found.check(
            chunk.source_id == *source.source_id()
                && id.source().as_ref() == Some(source.source_id())
                && row.source as usize == place
                && chunk.ordinal as usize == ordinal
                && row.section == section_code(chunk.section),
            names::CHUNKS,
            || format!("chunk {id} does not stand where its source, section and ordinal put it"),
        );
        text(&chunk, previous.as_deref(), sentences, found);
        let terms = index.manifest.fields.terms(&chunk).len();
        found.check(terms == row.terms as usize, names::ROWS, || {
            format!("chunk {id} has {terms} stems, its row says {}", row.terms)
        });
        found.check(
            row.windows_start as usize == window && row.windows_end >= row.windows_start,
            names::ROWS,
            || format!("the windows of chunk {id} do not follow those before it"),
        );
        window = row.windows_end as usize;
        windows(index, at, &chunk, row.windows(), found);
        previous = Some(chunk);
    }
    found.check(window == source.windows[1], names::ROWS, || {
        format!("the chunks of {} do not use all its windows", source.source_id())
    });
}

/// Offsets and sentences of one chunk.
fn text(chunk: &Chunk, previous: Option<&Chunk>, sentences: usize, found: &mut Findings) {
    let id = &chunk.chunk_id;
    found.check(
        chunk.span.len() == chunk.text.len() && !chunk.text.is_empty(),
        names::CHUNKS,
        || {
            format!(
                "chunk {id} spans {} bytes and holds {}",
                chunk.span.len(),
                chunk.text.len()
            )
        },
    );
    found.check(
        (1..=chunk.page_end).contains(&chunk.page_start) || (chunk.page_start, chunk.page_end) == (0, 0),
        names::CHUNKS,
        || {
            format!(
                "chunk {id} stands on pages {} to {}",
                chunk.page_start, chunk.page_end
            )
        },
    );
    let mut reached = 0;
    let mut number = chunk.sentences.first().map_or(0, |first| first.number);
    for sentence in &chunk.sentences {
        let whole = sentence.span.start >= reached && sentence.span.slice(&chunk.text).is_some();
        found.check(
            whole && sentence.number == number && (number as usize) < sentences,
            names::CHUNKS,
            || format!("sentence {number} of chunk {id} is no sentence of its text"),
        );
        reached = sentence.span.end;
        number = number.saturating_add(1);
    }
    // What two neighbours share must be the same text.
    if let Some(previous) = previous
        && previous.span.overlaps(chunk.span)
    {
        let shared = Span::new(chunk.span.start, previous.span.end.min(chunk.span.end));
        let in_both = [previous, chunk].map(|c| {
            let start = shared.start.checked_sub(c.span.start)?;
            c.text.get(start..start + shared.len())
        });
        found.check(
            in_both[0].is_some() && in_both[0] == in_both[1],
            names::CHUNKS,
            || {
                format!(
                    "chunks {} and {id} share bytes of the document, but not the same text",
                    previous.chunk_id
                )
            },
        );
    }
}

/// The windows of one chunk: slices of its text, in order, that leave out no sentence.
fn windows(index: &Index, at: usize, chunk: &Chunk, range: std::ops::Range<usize>, found: &mut Findings) {
    let id = &chunk.chunk_id;
    let mut spans: Vec<Span> = Vec::new();
    for window in range {
        let row = index.windows.row(window).copied();
        let span = row.map(|row| Span::new(row.start as usize, row.end as usize));
        let fits = row.is_some_and(|row| row.chunk as usize == at)
            && span.is_some_and(|span| {
                span.slice(&chunk.text).is_some() && spans.last().is_none_or(|last| last.end <= span.start)
            });
        found.check(fits, names::WINDOW_ROWS, || {
            format!("window {window} is none of chunk {id}")
        });
        spans.extend(span);
    }
    // A chunk may have no window: it is found by BM25 alone.
    let covered = |sentence: Span| {
        let inside: usize = spans
            .iter()
            .map(|w| {
                w.end
                    .min(sentence.end)
                    .saturating_sub(w.start.max(sentence.start))
            })
            .sum();
        inside == sentence.len()
    };
    let whole = spans.is_empty() || chunk.sentences.iter().all(|s| covered(s.span));
    found.check(whole, names::WINDOW_ROWS, || {
        format!("the windows of chunk {id} leave out text of a sentence")
    });
}

/// Neighbours stand in the same source and section, and whoever has a neighbour is its neighbour.
fn neighbours(index: &Index, source: &SourceRecord, found: &mut Findings) {
    // A chunk that cannot be read was reported above.
    let beside = |id: &ChunkId| index.neighbours(id, 1).unwrap_or_default();
    for at in source.chunks[0]..source.chunks[1] {
        let Ok(chunk) = index.chunks.chunk(at) else {
            continue;
        };
        for other in beside(&chunk.chunk_id) {
            let mutual = other.source_id == chunk.source_id
                && other.section == chunk.section
                && beside(&other.chunk_id)
                    .iter()
                    .any(|back| back.chunk_id == chunk.chunk_id);
            found.check(mutual, names::ROWS, || {
                format!(
                    "{} and {} are not each other's neighbours",
                    chunk.chunk_id, other.chunk_id
                )
            });
        }
    }
}

/// Every vector is finite and has length 1.
fn vectors(index: &Index, found: &mut Findings) {
    let unit = |length: f32| (length - 1.0).abs() <= LENGTH_TOLERANCE;
    for window in 0..index.windows.len() {
        let length = index.windows.vector(window).map_or(f32::NAN, norm);
        found.check(unit(length), names::WINDOWS, || {
            format!("vector {window} has length {length}")
        });
        found.check(index.windows.intact(window).is_some(), names::WINDOW_SUMS, || {
            format!("it does not hold the checksum of window {window}")
        });
    }
    for sentence in 0..index.manifest.counts.sentences {
        let length = index.sentences.vector(sentence).map_or(f32::NAN, |v| norm(&v));
        found.check(
            index.sentences.intact(sentence).is_some(),
            names::SENTENCE_SUMS,
            || format!("it does not hold the checksum of sentence {sentence}"),
        );
        // A sentence without direction counts as unlike everything.
        found.check(unit(length) || length == 0.0, names::SENTENCES, || {
            format!("vector {sentence} has length {length}")
        });
    }
}

/// The inverted index holds each chunk once.
fn stems(index: &Index, found: &mut Findings) {
    let mut seen = vec![false; index.chunks.rows().len()];
    for row in index.lexical.rows() {
        let fresh = seen
            .get_mut(row as usize)
            .is_some_and(|seen| !std::mem::replace(seen, true));
        found.check(fresh, names::TEXT, || {
            format!("it holds row {row} twice, or there is no such chunk")
        });
    }
    let missing = seen.iter().filter(|seen| !**seen).count();
    found.check(missing == 0, names::TEXT, || format!("it lacks {missing} chunks"));
}
