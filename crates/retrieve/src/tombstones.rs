//! Which sources of the segments are in the index: all but those that the generation lists as dead (tombstones).

use crate::disk::{
    Counts, GenerationRecord, Manifest, SegmentEntry, SegmentInfo, SegmentRecord, SourceRecord,
};
use std::collections::{BTreeMap, HashSet};
use types::SourceId;

/// A segment as a generation lists it, with its own record.
#[derive(Clone, Debug)]
pub(crate) struct SegmentPart {
    pub(crate) entry: SegmentEntry,
    /// Its folder, relative to the index folder.
    pub(crate) folder: String,
    pub(crate) record: SegmentRecord,
}

/// Where a source is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    /// Index of its segment in the generation.
    pub(crate) segment: usize,
    /// Index of the source in the record of that segment.
    pub(crate) source: usize,
}

/// The sources of a generation by id, and where each is stored.
pub(crate) struct Sources {
    pub(crate) records: Vec<SourceRecord>,
    pub(crate) places: Vec<SourceLocation>,
    pub(crate) counts: Counts,
    /// Sources that are in two segments and dead in neither.
    pub(crate) twice: Vec<SourceId>,
}

impl Sources {
    /// The sources of `parts` that are not dead, with rows numbered across all of them.
    pub(crate) fn live(parts: &[SegmentPart]) -> Self {
        let mut places: Vec<(&SourceId, SourceLocation)> = Vec::new();
        for (segment, part) in parts.iter().enumerate() {
            let dead: HashSet<&SourceId> = part.entry.dead.iter().collect();
            for (source, record) in part.record.sources.iter().enumerate() {
                if !dead.contains(record.source_id()) {
                    places.push((record.source_id(), SourceLocation { segment, source }));
                }
            }
        }
        // If two segments have a source, the later one counts.
        places.sort_by(|(left, l), (right, r)| left.cmp(right).then(r.segment.cmp(&l.segment)));
        let mut out = Self {
            records: Vec::with_capacity(places.len()),
            places: Vec::with_capacity(places.len()),
            counts: Counts::default(),
            twice: Vec::new(),
        };
        for (id, place) in places {
            if out.records.last().is_some_and(|last| last.source_id() == id) {
                out.twice.push(id.clone());
                continue;
            }
            let own = &parts[place.segment].record.sources[place.source];
            let from = out.counts;
            out.counts.add(own);
            let to = out.counts;
            out.records.push(SourceRecord {
                chunks: [from.chunks, to.chunks],
                windows: [from.windows, to.windows],
                sentences: [from.sentences, to.sentences],
                ..own.clone()
            });
            out.places.push(place);
        }
        out
    }
}

/// How much of each part is in the index.
fn infos(parts: &[SegmentPart], places: &[SourceLocation]) -> Vec<SegmentInfo> {
    let mut live = vec![Counts::default(); parts.len()];
    for place in places {
        live[place.segment].add(&parts[place.segment].record.sources[place.source]);
    }
    let info = |(part, live): (&SegmentPart, Counts)| SegmentInfo {
        segment: part.entry.segment,
        sources: live.sources,
        chunks: live.chunks,
        dead_sources: part.record.counts.sources.saturating_sub(live.sources),
        dead_chunks: part.record.counts.chunks.saturating_sub(live.chunks),
    };
    parts.iter().zip(live).map(info).collect()
}

/// The manifest of a generation as callers see it, where each of its sources is stored, and the sources that are in two
/// segments. `folder` is the generation's folder, relative to the index folder.
pub(crate) fn assemble(
    generation: &GenerationRecord,
    folder: &str,
    parts: &[SegmentPart],
) -> (Manifest, Vec<SourceLocation>, Vec<SourceId>) {
    let Sources {
        records,
        places,
        counts,
        twice,
    } = Sources::live(parts);
    let mut files = BTreeMap::new();
    let mut add = |folder: &str, own: &BTreeMap<String, crate::FileRecord>| {
        files.extend(
            own.iter()
                .map(|(name, file)| (format!("{folder}/{name}"), file.clone())),
        );
    };
    for part in parts {
        add(&part.folder, &part.record.files);
    }
    add(folder, &generation.files);
    let manifest = Manifest {
        format: generation.format,
        generation: generation.generation,
        embedder_id: generation.embedder_id.clone(),
        dimension: generation.dimension,
        parser: generation.parser.clone(),
        chunker: generation.chunker.clone(),
        config: generation.config.clone(),
        graph: generation.graph,
        counts,
        sources: records,
        segments: infos(parts, &places),
        files,
    };
    (manifest, places, twice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::SourceMeta;

    fn part(segment: u64, sources: &[(&str, usize)], dead: &[&str]) -> SegmentPart {
        let mut counts = Counts::default();
        let mut records = Vec::new();
        for (id, chunks) in sources {
            let from = counts.chunks;
            let record = SourceRecord {
                meta: SourceMeta {
                    source_id: SourceId::from(*id),
                    ..SourceMeta::default()
                },
                chunks: [from, from + chunks],
                terms: 10 * *chunks as u64,
                ..SourceRecord::default()
            };
            counts.add(&record);
            records.push(record);
        }
        SegmentPart {
            entry: SegmentEntry {
                segment,
                record: String::new(),
                dead: dead.iter().map(|id| SourceId::from(*id)).collect(),
            },
            folder: format!("segments/{segment}"),
            record: SegmentRecord {
                segment,
                dimension: 1,
                counts,
                sources: records,
                files: BTreeMap::new(),
            },
        }
    }

    #[test]
    fn rows_count_through_live_sources_in_the_order_of_ids() {
        let parts = [
            part(1, &[("c", 3), ("a", 2), ("b", 5)], &["b"]),
            part(2, &[("b", 1), ("d", 0)], &[]),
        ];
        let live = Sources::live(&parts);
        let rows: Vec<_> = live
            .records
            .iter()
            .map(|s| (s.source_id().as_str(), s.chunks))
            .collect();
        assert_eq!(rows, [("a", [0, 2]), ("b", [2, 3]), ("c", [3, 6]), ("d", [6, 6])]);
        let places: Vec<_> = live.places.iter().map(|p| (p.segment, p.source)).collect();
        assert_eq!(places, [(0, 1), (1, 0), (0, 0), (1, 1)]);
        assert_eq!(
            (live.counts.sources, live.counts.chunks, live.counts.terms),
            (4, 6, 60)
        );
        let infos = infos(&parts, &live.places);
        assert_eq!(
            (infos[0].sources, infos[0].dead_sources, infos[0].dead_chunks),
            (2, 1, 5)
        );
        assert_eq!((infos[1].chunks, infos[1].dead_sources), (1, 0));
    }

    #[test]
    fn of_a_source_that_stands_twice_the_later_one_counts() {
        let parts = [part(1, &[("a", 2)], &[]), part(2, &[("a", 3)], &[])];
        let live = Sources::live(&parts);
        assert_eq!(live.twice, [SourceId::from("a")]);
        assert_eq!(
            (live.records.len(), live.counts.chunks, live.places[0].segment),
            (1, 3, 1)
        );
    }
}
