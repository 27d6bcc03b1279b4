//! A generation under construction, and how it is written: its segment and the generation itself each under a temporary
//! name, flushed, then renamed. Replacing the pointer comes last: until then the index is the old one, afterwards the new
//! one.

use crate::{
    HnswSettings, IndexError, IndexWriter, SourceRecord,
    base::BaseGeneration,
    build::Build,
    disk::{
        Counts, FORMAT, GENERATIONS, GenerationRecord, SEGMENTS, SegmentEntry, SegmentPart, Stored,
        building_dir, publish, segment_folder, switch_current, write_generation, write_segment,
    },
    error::narrow,
    merge::{self, Size},
    segment::Segment,
    steps::Steps,
    writer::prune_older,
};
use std::{collections::BTreeSet, fs, path::Path};
use types::{MadeBy, SourceEntry, SourceId};

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
        let graph = writer.settings.graph;
        let flags = |segment: &Segment| vec![false; segment.record.sources.len()];
        Self {
            kept: writer.segments().iter().map(flags).collect(),
            writer,
            number,
            build: None,
            seen: BTreeSet::new(),
            broken: false,
            graph,
        }
    }

    /// Also builds an approximate vector index (HNSW) of the new segment, and writes those segments again that have none, or
    /// one of other settings. Otherwise the settings of the writer say so.
    #[must_use]
    pub fn with_graph(mut self, graph: Option<HnswSettings>) -> Self {
        self.graph = graph;
        self
    }

    /// Keeps a source of the current generation as it is.
    ///
    /// # Errors
    /// When the source is not there, was kept or added before, or has vectors of another embedder; when the generation is
    /// damaged or has another format.
    pub fn keep(&mut self, source_id: &SourceId) -> Result<(), IndexError> {
        self.check_new(source_id)?;
        let unknown = || IndexError::Source {
            source_id: source_id.clone(),
            reason: "it is to be kept, and the current generation does not hold it".to_owned(),
        };
        let base = self.writer.current.as_ref().ok_or_else(unknown)?;
        if !self.writer.has_same_embedder() {
            let settings = &self.writer.settings.made_by;
            let name = |made: &MadeBy| format!("{} ({} dimensions)", made.embedder_id, made.dimension);
            return Err(IndexError::Embedder { index: name(&base.manifest.made_by), asked: name(settings) });
        }
        base.check(&self.writer.root)?;
        let place = base.place(source_id).ok_or_else(unknown)?;
        self.kept[place.segment][place.source] = true;
        self.seen.insert(source_id.clone());
        Ok(())
    }

    /// Adds a new or changed source.
    ///
    /// # Errors
    /// When the source contradicts itself, was kept or added before, or cannot be written.
    pub fn add(&mut self, entry: SourceEntry) -> Result<(), IndexError> {
        let source_id = entry.meta.source_id.clone();
        self.check_new(&source_id)?;
        let checked = entry.check(self.writer.settings.made_by.dimension);
        checked.map_err(|reason| IndexError::Source { source_id: source_id.clone(), reason })?;
        let build = match &mut self.build {
            Some(build) => build,
            slot => slot.insert(begin_segment(self.writer, self.number)?),
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
        let (writer, number) = self.publish(merge::plan)?;
        prune_older(&writer.root, number, &writer.steps)?;
        Ok(number)
    }

    /// As [`Self::commit`], with all segments merged into one, and nothing removed.
    pub(crate) fn commit_merged(self) -> Result<u64, IndexError> {
        let (_, number) = self.publish(|sizes, _, _| (0..sizes.len()).collect())?;
        Ok(number)
    }

    fn publish(
        self,
        plan: impl Fn(&[Size], usize, bool) -> Vec<usize>,
    ) -> Result<(&'w mut IndexWriter, u64), IndexError> {
        let Self { writer, number, mut build, kept, broken, graph, .. } = self;
        if broken {
            return Err(IndexError::Broken { generation: number });
        }
        let (root, steps) = (writer.root.as_path(), &writer.steps);
        let segments = writer.segments().iter().zip(kept);
        let mut left: Vec<Kept<'_>> = segments
            .map(|(segment, live)| Kept { segment, live })
            .filter(|kept| kept.live.contains(&true))
            .collect();
        let sizes: Vec<Size> = left.iter().map(Kept::size).collect();
        let added = build.as_ref().map_or(0, Build::chunks);
        let mut merged = plan(&sizes, added, build.is_some());
        let lacks_graph = |at: &usize| graph.is_some() && left[*at].segment.record.graph != graph;
        merged.extend((0..left.len()).filter(lacks_graph));
        merged.sort_unstable();
        merged.dedup();
        for at in merged.into_iter().rev() {
            let merged = left.remove(at);
            let target = match &mut build {
                Some(build) => build,
                slot => slot.insert(begin_segment(writer, number)?),
            };
            for source in merged.sources() {
                target.copy(merged.segment, source)?;
            }
        }
        let written = match build {
            Some(build) => {
                check_ids(&build, &left)?;
                Some(Segment::open(root, publish_segment(root, build, graph, steps)?)?)
            }
            None => None,
        };
        left.extend(
            written.iter().map(|segment| Kept { segment, live: vec![true; segment.record.sources.len()] }),
        );
        let record = GenerationRecord {
            format: FORMAT,
            generation: number,
            made_by: writer.settings.made_by.clone(),
            graph,
            counts: counts(&left)?,
            segments: left.iter().map(Kept::entry).collect(),
        };
        let hash = publish_generation(root, &record, steps)?;
        // From here on the generation is current, whatever fails.
        // Records of all sources, which are read again.
        drop(left);
        drop(written);
        writer.current = None;
        let stored = Stored::read(root, number, &hash)?;
        writer.current = Some(BaseGeneration::of(root, stored, None)?);
        Ok((writer, number))
    }

    fn check_new(&self, source_id: &SourceId) -> Result<(), IndexError> {
        if self.seen.contains(source_id) {
            return Err(IndexError::Source {
                source_id: source_id.clone(),
                reason: "it came twice".to_owned(),
            });
        }
        Ok(())
    }
}

/// A segment of the next generation, and which of its sources are in the index.
struct Kept<'a> {
    segment: &'a Segment,
    live: Vec<bool>,
}

impl Kept<'_> {
    /// The sources that are in the index.
    fn sources(&self) -> impl Iterator<Item = &SourceRecord> {
        let records = self.segment.record.sources.iter().zip(&self.live);
        records.filter_map(|(source, live)| live.then_some(source))
    }

    fn size(&self) -> Size {
        let live = self.sources().map(|source| source.chunks[1] - source.chunks[0]).sum();
        let all = self.segment.record.counts.chunks;
        let dead = all.saturating_sub(live);
        Size { live, dead }
    }

    /// The segment as the generation lists it: all other sources are dead.
    fn entry(&self) -> SegmentEntry {
        let records = self.segment.record.sources.iter().zip(&self.live);
        let dead = records.filter(|(_, live)| !**live);
        let mut dead: Vec<SourceId> = dead.map(|(source, _)| source.source_id().clone()).collect();
        dead.sort();
        SegmentEntry { dead, ..self.segment.entry.clone() }
    }
}

/// Totals of what is in the index.
fn counts(segments: &[Kept<'_>]) -> Result<Counts, IndexError> {
    let mut counts = Counts::default();
    for source in segments.iter().flat_map(Kept::sources) {
        counts.add(source);
    }
    narrow("sources", counts.sources)?;
    narrow("chunks", counts.chunks)?;
    narrow("windows", counts.windows)?;
    Ok(counts)
}

/// Checks that no chunk of the new segment has the id of a chunk in a segment that stays.
fn check_ids(build: &Build, left: &[Kept<'_>]) -> Result<(), IndexError> {
    for id in build.chunk_ids() {
        let is_in = |kept: &Kept<'_>| {
            let chunks = &kept.segment.chunks;
            let row = chunks.find(id).and_then(|at| chunks.rows().get(at));
            row.is_some_and(|row| kept.live.get(row.source as usize) == Some(&true))
        };
        if left.iter().any(is_in) {
            return Err(IndexError::Source {
                source_id: id.source().unwrap_or_else(|| SourceId::from(id.as_str())),
                reason: format!("two chunks are named {id}"),
            });
        }
    }
    Ok(())
}

/// Starts the segment that generation `number` writes.
fn begin_segment(writer: &IndexWriter, number: u64) -> Result<Build, IndexError> {
    let dir = building_dir(&writer.root, SEGMENTS, number);
    Build::create(dir, number, writer.settings.made_by.dimension, writer.steps.clone())
}

/// Finishes a segment. Nothing refers to it yet.
fn publish_segment(
    root: &Path,
    build: Build,
    graph: Option<HnswSettings>,
    steps: &Steps,
) -> Result<SegmentPart, IndexError> {
    let record = build.finish(graph)?;
    let number = record.segment;
    steps.before("writing the record of the segment")?;
    let hash = write_segment(&building_dir(root, SEGMENTS, number), &record)?;
    publish(root, SEGMENTS, number, steps)?;
    Ok(SegmentPart {
        entry: SegmentEntry { segment: number, record: hash, dead: Vec::new() },
        folder: segment_folder(number),
        record,
    })
}

/// Writes a generation and makes it current. Returns the hash of its manifest.
fn publish_generation(root: &Path, record: &GenerationRecord, steps: &Steps) -> Result<String, IndexError> {
    let number = record.generation;
    let dir = building_dir(root, GENERATIONS, number);
    steps.before("creating a generation")?;
    fs::create_dir_all(&dir).map_err(IndexError::io("create", &dir))?;
    steps.before("writing the manifest")?;
    let hash = write_generation(&dir, record)?;
    publish(root, GENERATIONS, number, steps)?;
    switch_current(root, number, &hash, steps)?;
    Ok(hash)
}
