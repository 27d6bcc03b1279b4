//! A generation under construction, and how it is written: its segment and the generation itself each under a temporary
//! name, flushed, then renamed. Replacing the pointer comes last: until then the index is the old one, afterwards the new
//! one.

use crate::{
    HnswSettings, IndexError, IndexWriter, SourceRecord,
    base::BaseGeneration,
    build::Build,
    disk::{
        Counts, FORMAT, GENERATIONS, GenerationRecord, SEGMENTS, SegmentEntry, SegmentPart, Stored,
        building_dir, generation_dir, names, publish, record_folder, segment_folder, switch_current,
        sync_dir, write_generation, write_segment,
    },
    error::narrow,
    merge::{self, Size},
    segment::Segment,
    steps::Steps,
    vectors::build_graph,
    writer::prune_older,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use types::{MadeBy, SourceEntry, SourceId, StoreWriter as _};

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

    /// Also builds an approximate vector index (HNSW) of the whole index, from scratch: the cost of that step grows with
    /// the whole index. Otherwise the settings of the writer say so.
    #[must_use]
    pub fn with_graph(mut self, graph: Option<HnswSettings>) -> Self {
        self.graph = graph;
        self
    }

    /// Keeps a source of the current generation as it is.
    ///
    /// # Errors
    /// When the source is not there, was kept or added before, or has vectors of another embedder; when its segment is
    /// damaged or has another format.
    pub fn keep(&mut self, source_id: &SourceId) -> Result<(), IndexError> {
        self.check_new(source_id)?;
        let unknown = || IndexError::Source {
            source_id: source_id.clone(),
            reason: "it is to be kept, and the current generation does not hold it".to_owned(),
        };
        let base = self.writer.current.as_ref().ok_or_else(unknown)?;
        base.manifest.source(source_id).ok_or_else(unknown)?;
        if !self.writer.has_same_embedder() {
            let settings = &self.writer.settings.made_by;
            let name = |made: &MadeBy| format!("{} ({} dimensions)", made.embedder_id, made.dimension);
            return Err(IndexError::Embedder {
                index: name(&base.manifest.made_by),
                asked: name(settings),
            });
        }
        let Some(place) = base.place(source_id) else {
            self.writer.check()?;
            let dir = generation_dir(&self.writer.root, base.manifest.generation);
            return Err(IndexError::other_format(dir, base.manifest.format.into()));
        };
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
        checked.map_err(|reason| IndexError::Source {
            source_id: source_id.clone(),
            reason,
        })?;
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
        let Self {
            writer,
            number,
            mut build,
            kept,
            broken,
            graph,
            seen,
        } = self;
        if broken {
            return Err(IndexError::Broken { generation: number });
        }
        let (root, steps) = (writer.root.as_path(), &writer.steps);
        let base = writer.current.as_ref().filter(|base| base.is_intact());
        let same = base.filter(|base| build.is_none() && seen.len() == base.manifest.sources.len());
        let segments = writer.segments().iter().zip(kept);
        let mut left: Vec<Kept<'_>> = segments
            .map(|(segment, live)| Kept { segment, live })
            .filter(|kept| kept.live.contains(&true))
            .collect();
        let sizes: Vec<Size> = left.iter().map(Kept::size).collect();
        let added = build.as_ref().map_or(0, Build::chunks);
        for at in plan(&sizes, added, build.is_some()).into_iter().rev() {
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
                Some(Segment::open(root, publish_segment(root, build, steps)?)?)
            }
            None => None,
        };
        left.extend(written.iter().map(|segment| Kept {
            segment,
            live: vec![true; segment.record.sources.len()],
        }));
        let record = GenerationRecord {
            format: FORMAT,
            generation: number,
            made_by: writer.settings.made_by.clone(),
            graph,
            counts: counts(&left)?,
            segments: left.iter().map(Kept::entry).collect(),
            files: BTreeMap::new(),
        };
        let graph = graph.map(
            |graph| match same.filter(|base| base.manifest.graph == Some(graph)) {
                Some(base) => {
                    let of = generation_dir(root, base.manifest.generation);
                    GraphSource::Folder(of.join(names::GRAPH))
                }
                None => GraphSource::Windows(graph, &left),
            },
        );
        let hash = publish_generation(root, record, graph, steps)?;
        // From here on the generation is current, whatever fails.
        // Records of all sources, which are read again.
        drop(left);
        drop(written);
        writer.current = None;
        let stored = Stored::read(root, number, Some(&hash))?;
        writer.current = Some(BaseGeneration::of(root, stored, Vec::new())?);
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
        let live = self
            .sources()
            .map(|source| source.chunks[1] - source.chunks[0])
            .sum();
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
        SegmentEntry {
            dead,
            ..self.segment.entry.clone()
        }
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
    Build::create(
        dir,
        number,
        writer.settings.made_by.dimension,
        writer.steps.clone(),
    )
}

/// Finishes a segment. Nothing refers to it yet.
fn publish_segment(root: &Path, build: Build, steps: &Steps) -> Result<SegmentPart, IndexError> {
    let record = build.finish()?;
    let number = record.segment;
    steps.before("writing the record of the segment")?;
    let hash = write_segment(&building_dir(root, SEGMENTS, number), &record)?;
    publish(root, SEGMENTS, number, steps)?;
    Ok(SegmentPart {
        entry: SegmentEntry {
            segment: number,
            record: hash,
            dead: Vec::new(),
        },
        folder: segment_folder(number),
        record,
    })
}

/// How the graph of a generation is made.
enum GraphSource<'a> {
    /// Built from the windows of these segments. A graph is never changed, because hnsw_rs cannot delete points.
    Windows(HnswSettings, &'a [Kept<'a>]),
    /// Copied from this folder; it is of the same sources, whichever segments contain them.
    Folder(PathBuf),
}

/// Writes a generation, whose list of files is still empty, and makes it current. Returns the hash of its manifest.
fn publish_generation(
    root: &Path,
    mut record: GenerationRecord,
    graph: Option<GraphSource<'_>>,
    steps: &Steps,
) -> Result<String, IndexError> {
    let number = record.generation;
    let dir = building_dir(root, GENERATIONS, number);
    steps.before("creating a generation")?;
    let folder = dir.join(names::GRAPH);
    let create = |folder: &Path| fs::create_dir_all(folder).map_err(IndexError::io("create", folder));
    create(&dir)?;
    let has_graph = graph.is_some();
    match graph {
        None => {}
        Some(GraphSource::Windows(settings, segments)) => {
            steps.before("building the graph")?;
            create(&folder)?;
            build_graph(&folder, windows(segments).into_iter(), &settings)?;
        }
        Some(GraphSource::Folder(from)) => {
            steps.before("copying the graph")?;
            create(&folder)?;
            for entry in fs::read_dir(&from).map_err(IndexError::io("list", &from))? {
                let path = entry.map_err(IndexError::io("list", &from))?.path();
                let target = folder.join(path.file_name().unwrap_or_default());
                fs::copy(&path, &target).map_err(IndexError::io("copy", &path))?;
            }
        }
    }
    if has_graph {
        record_folder(&dir, names::GRAPH, &mut record.files)?;
    }
    sync_dir(&dir)?;
    steps.before("writing the manifest")?;
    let hash = write_generation(&dir, &record)?;
    publish(root, GENERATIONS, number, steps)?;
    switch_current(root, number, &hash, steps)?;
    Ok(hash)
}

/// The vectors of all windows in the order of source ids, which does not depend on segments.
fn windows<'a>(segments: &'a [Kept<'a>]) -> Vec<&'a [f32]> {
    let of_segment = |kept: &'a Kept<'a>| kept.sources().map(move |source| (source, kept.segment));
    let mut sources: Vec<(&SourceRecord, &Segment)> = segments.iter().flat_map(of_segment).collect();
    sources.sort_by(|(left, _), (right, _)| left.source_id().cmp(right.source_id()));
    let of_source = |(source, segment): (&'a SourceRecord, &'a Segment)| {
        (source.windows[0]..source.windows[1]).filter_map(|window| segment.windows.vector(window))
    };
    sources.into_iter().flat_map(of_source).collect()
}
