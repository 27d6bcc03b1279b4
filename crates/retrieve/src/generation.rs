//! A generation under construction.

use crate::{
    HnswSettings, IndexError, IndexWriter, SourceEntry,
    base::{BaseGeneration, BaseSegment},
    build::Build,
    commit::{GraphSource, Kept, begin_segment, counts, publish_generation, publish_segment},
    disk::{Checked, FORMAT, GenerationRecord, Stored},
    entry::check_entry,
    merge::{self, Size},
    writer::{prune_older, same_embedder},
};
use std::collections::{BTreeMap, BTreeSet};
use types::{ReusableSource, SourceId};

/// A generation under construction. Keep or add each source once, in any order; a source that is neither kept nor added
/// is no longer in the index. If dropped without [`Generation::commit`], the index stays as it was.
///
/// A kept source stays in its segment and costs nothing; added sources go into one new segment. The cost of a
/// generation is therefore the cost of what is added.
pub struct Generation<'w> {
    writer: &'w mut IndexWriter,
    number: u64,
    /// The new segment, once something goes into it.
    build: Option<Build>,
    /// For each segment of the current generation, which of its sources stay in it.
    kept: Vec<Vec<bool>>,
    /// The sources that were kept or added.
    seen: BTreeSet<SourceId>,
    /// Whether a source was written in part: such a generation must not become current.
    broken: bool,
    graph: Option<HnswSettings>,
}

impl<'w> Generation<'w> {
    /// Starts generation `number`.
    pub(crate) fn new(writer: &'w mut IndexWriter, number: u64) -> Self {
        let segments = writer.current.as_ref().map_or(&[][..], BaseGeneration::segments);
        Self {
            kept: segments
                .iter()
                .map(|segment| vec![false; segment.part.record.sources.len()])
                .collect(),
            writer,
            number,
            build: None,
            seen: BTreeSet::new(),
            broken: false,
            graph: None,
        }
    }

    /// Also builds an approximate vector index (HNSW) of the whole index, from scratch: the cost of that step grows with
    /// the whole index.
    #[must_use]
    pub fn with_graph(mut self, graph: Option<HnswSettings>) -> Self {
        self.graph = graph;
        self
    }

    /// Keeps a source of the current generation as it is. If its segment cannot be kept, because another part of it is
    /// damaged or it has an older format, the source is copied: chunks byte for byte, vectors bit for bit.
    ///
    /// # Errors
    /// When the source is not there, was kept or added before, or has vectors of another embedder; when some of its
    /// text or vectors are damaged.
    pub fn keep(&mut self, source_id: &SourceId) -> Result<(), IndexError> {
        self.check_new(source_id)?;
        let unknown = || IndexError::UnknownSource {
            source_id: source_id.clone(),
        };
        let IndexWriter {
            root,
            settings,
            steps,
            current,
            ..
        } = &*self.writer;
        let from = current.as_ref().ok_or_else(unknown)?;
        if !same_embedder(from.manifest(), settings) {
            let name = |id: &str, dimension| format!("{id} ({dimension} numbers)");
            return Err(IndexError::Embedder {
                index: name(&from.manifest().embedder_id, from.manifest().dimension),
                asked: name(&settings.embedder_id, settings.dimension),
            });
        }
        let place = from.place(source_id).ok_or_else(unknown)?;
        let segment = &from.segments()[place.segment];
        if segment.is_copied {
            let build = match &mut self.build {
                Some(build) => build,
                slot => slot.insert(begin_segment(root, self.number, settings.dimension, steps)?),
            };
            let outcome = build.copy(segment, &segment.part.record.sources[place.source]);
            self.broken |= outcome.is_err();
            outcome?;
        } else {
            self.kept[place.segment][place.source] = true;
        }
        self.seen.insert(source_id.clone());
        Ok(())
    }

    /// What the current generation has of a source, so that a rebuild can reuse it; `None` if it does not have the
    /// source. Damaged chunks and vectors are left out. The chunks can be reused with any embedder, the vectors only if
    /// [`IndexWriter::can_keep`].
    pub fn reusable(&self, source_id: &SourceId) -> Option<ReusableSource> {
        self.writer.current.as_ref()?.reusable(source_id)
    }

    /// Adds a new or changed source.
    ///
    /// # Errors
    /// When the source contradicts itself, was kept or added before, or cannot be written.
    pub fn add(&mut self, entry: SourceEntry) -> Result<(), IndexError> {
        let source_id = entry.meta.source_id.clone();
        self.check_new(&source_id)?;
        let IndexWriter {
            root,
            settings,
            steps,
            ..
        } = &*self.writer;
        check_entry(&entry, settings.dimension)?;
        let build = match &mut self.build {
            Some(build) => build,
            slot => slot.insert(begin_segment(root, self.number, settings.dimension, steps)?),
        };
        let outcome = build.add(entry);
        self.broken |= outcome.is_err();
        outcome?;
        self.seen.insert(source_id);
        Ok(())
    }

    /// Finishes the generation, makes it current and returns its number. If there are too many segments, or some are
    /// mostly dead, they are merged with what was added.
    ///
    /// # Errors
    /// When something cannot be written. The index is then as it was, unless only the last steps failed: the new
    /// generation is then already current, and the next [`IndexWriter::begin`] builds on it.
    pub fn commit(self) -> Result<u64, IndexError> {
        let Self {
            writer,
            number,
            build,
            kept,
            broken,
            graph,
            ..
        } = self;
        if broken {
            return Err(IndexError::Broken { generation: number });
        }
        if let Some(graph) = &graph {
            graph.validate()?;
        }
        let IndexWriter {
            root,
            settings,
            steps,
            current,
            ..
        } = writer;
        let segments = current.as_ref().map_or(&[][..], BaseGeneration::segments);
        let mut left: Vec<Kept<'_>> = segments
            .iter()
            .zip(kept)
            .map(|(segment, live)| Kept { segment, live })
            .filter(|kept| kept.live.contains(&true))
            .collect();
        let begin = || begin_segment(root, number, settings.dimension, steps);
        let build = merge_segments(&mut left, build, begin)
            .inspect_err(|error| Checked::forget_damage(root, error))?;
        let written = match build {
            Some(build) => {
                check_ids(&build, &left)?;
                let part = publish_segment(root, build, steps)?;
                Some(BaseSegment::open(root, part, FORMAT, &[])?)
            }
            None => None,
        };
        left.extend(written.iter().map(|segment| Kept {
            segment,
            live: vec![true; segment.part.record.sources.len()],
        }));
        let record = GenerationRecord {
            format: FORMAT,
            generation: number,
            embedder_id: settings.embedder_id.clone(),
            dimension: settings.dimension,
            parser: settings.parser.clone(),
            chunker: settings.chunker.clone(),
            config: settings.config.clone(),
            graph,
            counts: counts(&left)?,
            segments: left.iter().map(Kept::entry).collect(),
            files: BTreeMap::new(),
        };
        let graph = graph.map_or(GraphSource::Nothing, |graph| GraphSource::Windows(graph, &left));
        let hash = publish_generation(root, record, &graph, steps)?;
        // From here on the generation is current, whatever fails.
        // Records of all sources, which are read again.
        drop(left);
        drop(written);
        *current = None;
        let stored = Stored::read(root, number, Some(&hash))?;
        *current = Some(BaseGeneration::just_written(root, stored, steps)?);
        prune_older(root, number, steps)?;
        Ok(number)
    }

    fn check_new(&self, source_id: &SourceId) -> Result<(), IndexError> {
        if self.seen.contains(source_id) {
            let source_id = source_id.clone();
            return Err(IndexError::Twice { source_id });
        }
        Ok(())
    }
}

/// Copies the segments to merge into the new one, which is begun if there is none yet, and takes them off the list.
fn merge_segments(
    left: &mut Vec<Kept<'_>>,
    mut build: Option<Build>,
    begin: impl Fn() -> Result<Build, IndexError>,
) -> Result<Option<Build>, IndexError> {
    let size = |kept: &Kept<'_>| {
        let live = kept
            .sources()
            .map(|source| source.chunks[1] - source.chunks[0])
            .sum();
        let all = kept.segment.part.record.counts.chunks;
        Size {
            live,
            dead: all.saturating_sub(live),
        }
    };
    let sizes: Vec<Size> = left.iter().map(size).collect();
    let added = build.as_ref().map_or(0, Build::chunks);
    for at in merge::plan(&sizes, added, build.is_some()).into_iter().rev() {
        let merged = left.remove(at);
        let target = match &mut build {
            Some(build) => build,
            slot => slot.insert(begin()?),
        };
        for source in merged.sources() {
            target.copy(merged.segment, source)?;
        }
    }
    Ok(build)
}

/// Checks that no chunk of the new segment has the id of a chunk in a segment that stays.
fn check_ids(build: &Build, left: &[Kept<'_>]) -> Result<(), IndexError> {
    for id in build.chunk_ids() {
        let there = |kept: &Kept<'_>| {
            let source = kept.segment.source_of(id);
            source.is_some_and(|source| kept.live.get(source) == Some(&true))
        };
        if left.iter().any(there) {
            return Err(IndexError::Source {
                source_id: id.source().unwrap_or_else(|| SourceId::from(id.as_str())),
                reason: format!("two chunks are named {id}"),
            });
        }
    }
    Ok(())
}
