//! Checks that the parts of a generation are consistent with each other.
//!
//! Undamaged files can still be wrong if the writer or its caller had a bug. This reads everything, including dead
//! sources, and assumes nothing.

use super::{Damage, findings::Findings};
use crate::{
    Index,
    abbreviations::{AbbreviationWriter, of_chunk},
    disk::{MANIFEST, SEGMENT, SourceRecord, generation_folder, names, section_code},
    lexical::{FieldWords, Form},
    segment::Segment,
    vectors::{encode, norm},
};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use text::definitions::Definition;
use types::{Chunk, ChunkField, Span};

/// How far the length of a stored vector may be from 1.
const LENGTH_TOLERANCE: f32 = 1e-4;

/// Checks everything; empty when all is well.
pub(super) fn check(index: &Index) -> Vec<Damage> {
    let mut damages: Vec<Damage> = index.segments.iter().flat_map(of_segment).collect();
    let mut found = Findings::default();
    generation(index, &mut found);
    if index.manifest.graph.is_some() && index.windows() > 0 {
        let loaded = index.graph().map(drop);
        found.check(loaded.is_ok(), names::GRAPH, || {
            loaded.err().map_or_else(String::new, |error| error.to_string())
        });
    }
    damages.extend(found.into_damages(&generation_folder(index.generation())));
    damages
}

/// Checks the segments against each other.
fn generation(index: &Index, found: &mut Findings) {
    let mut seen: BTreeMap<&[u8], &Segment> = BTreeMap::new();
    for row in index.live.rows() {
        let segment = &index.segments[row.segment as usize];
        let Some(id) = segment.chunks.id(row.row as usize) else {
            continue; // the segment's own check says so
        };
        let other = seen.insert(id, segment);
        found.check(other.is_none(), MANIFEST, || {
            let other = other.map_or("", |other| other.folder.as_str());
            let id = String::from_utf8_lossy(id);
            format!("chunk {id} of {} is in {other} too", segment.folder)
        });
    }
    let [dead, live] = [0, 1].map(|at| {
        let count = |info: &crate::SegmentInfo| [info.dead_sources, info.sources][at];
        index.manifest.segments.iter().map(count).sum::<usize>()
    });
    let there: usize = index.segments.iter().map(|s| s.record.sources.len()).sum();
    found.check(dead + live == there, MANIFEST, || {
        format!("{live} sources and {dead} removed ones are not the {there} of its segments")
    });
}

/// Checks one segment.
fn of_segment(segment: &Segment) -> Vec<Damage> {
    let mut found = Findings::default();
    totals(segment, &mut found);
    ids(segment, &mut found);
    // On all cores: stemming every text takes most of the time.
    let of_source = |(place, source): (usize, &SourceRecord)| {
        let mut found = Findings::default();
        chunks(segment, place, source, &mut found);
        neighbours(segment, source, &mut found);
        found
    };
    let sources = segment.record.sources.par_iter().enumerate();
    let each: Vec<Findings> = sources.map(of_source).collect();
    for more in each {
        found.absorb(more);
    }
    vectors(segment, &mut found);
    postings(segment, &mut found);
    let metas = segment.record.sources.iter().map(|source| &source.meta);
    found.check(segment.source_words.is_of(metas), names::SOURCE_WORDS, || {
        "it does not hold the words of the segment's sources".to_owned()
    });
    abbreviations(segment, &mut found);
    found.into_damages(&segment.folder)
}

/// Checks that the abbreviations are those of the chunks.
fn abbreviations(segment: &Segment, found: &mut Findings) {
    let of_source = |source: &SourceRecord| -> BTreeSet<Definition> {
        let chunks = (source.chunks[0]..source.chunks[1]).filter_map(|row| segment.chunks.chunk(row).ok());
        chunks.flat_map(|chunk| of_chunk(&chunk)).collect()
    };
    let each: Vec<BTreeSet<Definition>> = segment.record.sources.par_iter().map(of_source).collect();
    let mut expected = AbbreviationWriter::default();
    for (place, definitions) in (0..).zip(&each) {
        expected.add(place, definitions);
    }
    found.check(
        segment.abbreviations.is_of(&expected),
        names::ABBREVIATIONS,
        || "it does not hold the abbreviations that the segment's sources define".to_owned(),
    );
}

/// Checks that the rows of sources follow each other without a gap up to the totals, and that no source is listed
/// twice.
fn totals(segment: &Segment, found: &mut Findings) {
    let record = &segment.record;
    let mut reached = [0_usize; 3];
    for source in &record.sources {
        let ranges = [source.chunks, source.windows, source.sentences];
        for ([from, to], at) in ranges.into_iter().zip(&mut reached) {
            found.check(from == *at && to >= from, SEGMENT, || {
                format!(
                    "rows {from} to {to} of {} do not follow row {at}",
                    source.source_id()
                )
            });
            *at = to;
        }
        let rows = segment.chunks.rows().get(source.chunks[0]..source.chunks[1]);
        let terms: u64 = rows
            .unwrap_or_default()
            .iter()
            .map(|row| u64::from(row.terms))
            .sum();
        found.check(terms == source.terms, names::ROWS, || {
            let id = source.source_id();
            format!("they count {terms} stems of {id}, the record {}", source.terms)
        });
    }
    let counts = record.counts;
    let terms: u64 = record.sources.iter().map(|source| source.terms).sum();
    found.check(
        reached == [counts.chunks, counts.windows, counts.sentences]
            && (counts.sources, counts.terms) == (record.sources.len(), terms),
        SEGMENT,
        || "its totals are not the sums of its sources".to_owned(),
    );
    let ids: HashSet<_> = record.sources.iter().map(SourceRecord::source_id).collect();
    found.check(ids.len() == record.sources.len(), SEGMENT, || {
        "it holds a source twice".to_owned()
    });
}

/// Checks that every row occurs once in the order of ids, and that ids differ.
fn ids(segment: &Segment, found: &mut Findings) {
    let (order, ranks) = (segment.chunks.order(), segment.chunks.ranks());
    let mut previous: Option<&[u8]> = None;
    for (place, &row) in (0_u32..).zip(order) {
        found.check(ranks.get(row as usize) == Some(&place), names::ID_RANK, || {
            format!("row {row} does not have its place {place} in the order of ids")
        });
        let id = segment.chunks.id(row as usize);
        found.check(id.is_some() && id > previous, names::ID_ORDER, || {
            format!("the id of row {row} does not come after the one before it")
        });
        previous = id;
    }
}

/// Chunks of one source: what they say of themselves, their sentences and their windows.
fn chunks(segment: &Segment, place: usize, source: &SourceRecord, found: &mut Findings) {
    let sentences = source.sentences[1].saturating_sub(source.sentences[0]);
    let mut window = source.windows[0];
    let mut previous: Option<std::sync::Arc<Chunk>> = None;
    for (ordinal, at) in (source.chunks[0]..source.chunks[1]).enumerate() {
        let Some(row) = segment.chunks.rows().get(at) else {
            break; // the totals say so
        };
        let chunk = match segment.chunks.chunk(at) {
            Ok(chunk) => chunk,
            Err(error) => {
                found.check(false, names::CHUNKS, || error.to_string());
                continue;
            }
        };
        let id = &chunk.chunk_id;
        found.check(
            segment.chunks.id(at) == Some(id.as_str().as_bytes()) && segment.chunks.find(id) == Some(at),
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
            || format!("chunk {id} is not where its source, section and ordinal put it"),
        );
        spans(&chunk, previous.as_deref(), sentences, found);
        words(segment, at, &chunk, source, found);
        found.check(
            row.windows_start as usize == window && row.windows_end >= row.windows_start,
            names::ROWS,
            || format!("the windows of chunk {id} do not follow those before it"),
        );
        window = row.windows_end as usize;
        windows(segment, at, &chunk, row.windows(), found);
        previous = Some(chunk);
    }
    found.check(window == source.windows[1], names::ROWS, || {
        format!("the chunks of {} do not use all its windows", source.source_id())
    });
}

/// The lengths of the fields of one chunk.
fn words(segment: &Segment, at: usize, chunk: &Chunk, source: &SourceRecord, found: &mut Findings) {
    let title = source.meta.title.as_deref().unwrap_or_default();
    let fields = [chunk.text.as_str(), title, chunk.heading.as_str()].map(FieldWords::of);
    let content = fields.each_ref().map(|field| field.content as u32);
    let all = fields
        .each_ref()
        .map(|field| (field.content + field.stop_words) as u32);
    let lengths = segment.lengths(at);
    for (place, field) in ChunkField::ALL.into_iter().enumerate() {
        let (own, rows) = (
            [content[place], all[place]],
            [lengths[0][place], lengths[1][place]],
        );
        let file = if field == ChunkField::Text && own[0] != rows[0] {
            names::ROWS
        } else {
            names::FIELDS
        };
        found.check(own == rows, file, || {
            let (id, [content, all], [row_content, row_all]) = (&chunk.chunk_id, own, rows);
            format!(
                "the {field} of chunk {id} has {content} words, {all} with stop words; its row says {row_content} and \
                 {row_all}"
            )
        });
    }
}

/// Offsets and sentences of one chunk.
fn spans(chunk: &Chunk, previous: Option<&Chunk>, sentences: usize, found: &mut Findings) {
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
                "chunk {id} is on pages {} to {}",
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
            || format!("sentence {number} of chunk {id} is not a sentence of its text"),
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
fn windows(segment: &Segment, at: usize, chunk: &Chunk, range: std::ops::Range<usize>, found: &mut Findings) {
    let id = &chunk.chunk_id;
    let mut spans: Vec<Span> = Vec::new();
    for window in range {
        let row = segment.windows.row(window).copied();
        let span = row.map(|row| Span::new(row.start as usize, row.end as usize));
        let fits = row.is_some_and(|row| row.chunk as usize == at)
            && span.is_some_and(|span| {
                span.slice(&chunk.text).is_some() && spans.last().is_none_or(|last| last.end <= span.start)
            });
        found.check(fits, names::WINDOW_ROWS, || {
            format!("window {window} is not one of chunk {id}")
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

/// Checks that neighbours are in the same source and section, and that being a neighbour is mutual.
fn neighbours(segment: &Segment, source: &SourceRecord, found: &mut Findings) {
    let rows = segment.chunks.rows();
    for at in source.chunks[0]..source.chunks[1].min(rows.len()) {
        for other in segment.neighbours(at, 1) {
            let mutual = rows[other].source == rows[at].source
                && rows[other].section == rows[at].section
                && segment.neighbours(other, 1).contains(&at);
            found.check(mutual, names::ROWS, || {
                format!("rows {at} and {other} are not each other's neighbours")
            });
        }
    }
}

/// Every vector is finite and has length 1.
fn vectors(segment: &Segment, found: &mut Findings) {
    let unit = |length: f32| (length - 1.0).abs() <= LENGTH_TOLERANCE;
    for window in 0..segment.windows.len() {
        let length = segment.windows.vector(window).map_or(f32::NAN, norm);
        found.check(unit(length), names::WINDOWS, || {
            format!("vector {window} has length {length}")
        });
        found.check(
            segment.windows.intact(window).is_some(),
            names::WINDOW_SUMS,
            || format!("it does not hold the checksum of window {window}"),
        );
        let code = segment.windows.vector(window).map(encode);
        let stored = segment.windows.code(window);
        found.check(
            code.is_some_and(|(code, row)| stored == Some((&code, row))),
            names::WINDOW_CODES,
            || format!("code {window} is not that of its vector"),
        );
    }
    for sentence in 0..segment.record.counts.sentences {
        let length = segment.sentences.vector(sentence).map_or(f32::NAN, |v| norm(&v));
        found.check(
            segment.sentences.intact(sentence).is_some(),
            names::SENTENCE_SUMS,
            || format!("it does not hold the checksum of sentence {sentence}"),
        );
        // A sentence without direction counts as unlike everything.
        found.check(unit(length) || length == 0.0, names::SENTENCES, || {
            format!("vector {sentence} has length {length}")
        });
    }
}

/// The inverted index holds each chunk once, with as many words in each field as its rows say, in both forms.
fn postings(segment: &Segment, found: &mut Findings) {
    let chunks = segment.chunks.rows().len();
    let mut seen = vec![false; chunks];
    for row in segment.lexical.rows() {
        let fresh = seen
            .get_mut(row as usize)
            .is_some_and(|seen| !std::mem::replace(seen, true));
        found.check(fresh, names::TEXT, || {
            format!("it holds row {row} twice, or there is no such chunk")
        });
    }
    let missing = seen.iter().filter(|seen| !**seen).count();
    found.check(missing == 0, names::TEXT, || format!("it lacks {missing} chunks"));
    for form in Form::ALL {
        let counted = match segment.lexical.count_words(form, chunks) {
            Ok(counted) => counted,
            Err(error) => {
                found.check(false, names::TEXT, || error.to_string());
                continue;
            }
        };
        for (row, counted) in counted.into_iter().enumerate() {
            let lengths = segment.lengths(row).map(|lengths| lengths.map(u64::from));
            found.check(counted == lengths, names::TEXT, || {
                format!("its postings of row {row} are not the words that the row counts ({form:?})")
            });
        }
    }
}
