//! Writes a segment and a generation to disk: each under a temporary name, flushed, then renamed. Replacing the pointer
//! comes last: until then the index is the old one, afterwards the new one.

use crate::{
    HnswSettings, IndexError, SourceRecord,
    base::BaseSegment,
    build::Build,
    disk::{
        Counts, GENERATIONS, GenerationRecord, SEGMENTS, SegmentEntry, building_dir, hash_folder, names,
        publish, segment_folder, switch_current, sync_dir, write_generation, write_segment,
    },
    error::narrow,
    steps::Steps,
    tombstones::SegmentPart,
    vectors::build_graph,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use types::SourceId;

/// A segment of the next generation, and which of its sources are in the index.
pub(crate) struct Kept<'a> {
    pub(crate) segment: &'a BaseSegment,
    pub(crate) live: Vec<bool>,
}

impl Kept<'_> {
    /// The sources that are in the index.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &SourceRecord> {
        let records = self.segment.part.record.sources.iter();
        records
            .zip(&self.live)
            .filter_map(|(source, live)| live.then_some(source))
    }

    /// The segment as the generation lists it: all other sources are dead.
    pub(crate) fn entry(&self) -> SegmentEntry {
        let records = self.segment.part.record.sources.iter();
        let dead = records.zip(&self.live).filter(|(_, live)| !**live);
        let mut dead: Vec<SourceId> = dead.map(|(source, _)| source.source_id().clone()).collect();
        dead.sort();
        SegmentEntry {
            dead,
            ..self.segment.part.entry.clone()
        }
    }
}

/// Totals of what is in the index.
pub(crate) fn counts(segments: &[Kept<'_>]) -> Result<Counts, IndexError> {
    let mut counts = Counts::default();
    for source in segments.iter().flat_map(Kept::sources) {
        counts.add(source);
    }
    narrow("sources", counts.sources)?;
    narrow("chunks", counts.chunks)?;
    narrow("windows", counts.windows)?;
    Ok(counts)
}

/// Starts the segment that generation `number` writes.
pub(crate) fn begin_segment(
    root: &Path,
    number: u64,
    dimension: usize,
    steps: &Steps,
) -> Result<Build, IndexError> {
    Build::create(
        building_dir(root, SEGMENTS, number),
        number,
        dimension,
        steps.clone(),
    )
}

/// Finishes a segment. Nothing refers to it yet.
pub(crate) fn publish_segment(root: &Path, build: Build, steps: &Steps) -> Result<SegmentPart, IndexError> {
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
pub(crate) enum GraphSource<'a> {
    /// There is no graph.
    Nothing,
    /// Built from the windows of these segments. A graph is never changed, because hnsw_rs cannot delete points.
    Windows(HnswSettings, &'a [Kept<'a>]),
    /// Copied from this folder; it is of the same sources.
    Folder(PathBuf),
}

/// Writes a generation, whose list of files is still empty, and makes it current. Returns the hash of its manifest.
pub(crate) fn publish_generation(
    root: &Path,
    mut record: GenerationRecord,
    graph: &GraphSource<'_>,
    steps: &Steps,
) -> Result<String, IndexError> {
    let number = record.generation;
    let dir = building_dir(root, GENERATIONS, number);
    steps.before("creating a generation")?;
    let folder = dir.join(names::GRAPH);
    let create = |folder: &Path| fs::create_dir_all(folder).map_err(IndexError::io("create", folder));
    create(&dir)?;
    match graph {
        GraphSource::Nothing => {}
        GraphSource::Windows(settings, segments) => {
            steps.before("building the graph")?;
            create(&folder)?;
            build_graph(&folder, windows(segments).into_iter(), settings)?;
        }
        GraphSource::Folder(from) => {
            steps.before("copying the graph")?;
            create(&folder)?;
            for entry in fs::read_dir(from).map_err(IndexError::io("list", from))? {
                let path = entry.map_err(IndexError::io("list", from))?.path();
                let target = folder.join(path.file_name().unwrap_or_default());
                fs::copy(&path, &target).map_err(IndexError::io("copy", &path))?;
            }
        }
    }
    if !matches!(graph, GraphSource::Nothing) {
        hash_folder(&dir, names::GRAPH, &mut record.files)?;
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
    let mut sources: Vec<(&SourceRecord, &BaseSegment)> = segments.iter().flat_map(of_segment).collect();
    sources.sort_by(|(left, _), (right, _)| left.source_id().cmp(right.source_id()));
    let of_source = |(source, segment): (&'a SourceRecord, &'a BaseSegment)| {
        (source.windows[0]..source.windows[1]).filter_map(|window| segment.window(window))
    };
    sources.into_iter().flat_map(of_source).collect()
}
