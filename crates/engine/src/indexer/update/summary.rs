//! What a run did, for people and for scripts.

use super::plan::{Duplicate, IngestPlan, LeftOut, Paper};
use crate::indexer::maintain::ManifestFile;
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};
use types::{HeldSource, Holdings, SourceId, path_text};

/// A file that is not in the index, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IngestFailure", deny_unknown_fields)]
pub struct Failure {
    /// The file.
    pub path: String,
    /// Why, in words for people.
    pub reason: String,
}

impl From<&LeftOut> for Failure {
    fn from(left: &LeftOut) -> Self {
        Failure { path: path_text::shown(&left.path), reason: left.reason.clone() }
    }
}

/// Files and other entries of one kind that were passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OtherFiles {
    /// The kind, as a noun: ".docx file", "image", "named pipe".
    pub kind: String,
    /// How many there are.
    pub count: usize,
    /// The first of them.
    pub first: Vec<String>,
}

/// One stage of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageCount {
    /// Made in this run.
    pub done: u64,
    /// Made before and used again.
    pub reused: u64,
}

impl StageCount {
    /// Both together.
    pub fn total(self) -> u64 {
        self.done + self.reused
    }

    fn set_total(&mut self, total: usize) {
        self.reused = (total as u64).saturating_sub(self.done);
    }
}

/// The stages of a run, over everything that the index holds now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageCounts {
    /// Documents read.
    pub parse: StageCount,
    /// Documents split into chunks.
    pub chunk: StageCount,
    /// Texts embedded: windows and sentences.
    pub embed: StageCount,
}

impl StageCounts {
    /// Fills in what was reused: everything in the index that was not made in this run.
    fn count_reused(&mut self, held: &Holdings) {
        self.parse.set_total(held.sources.len());
        self.chunk.set_total(held.sources.len());
        self.embed.set_total(held.sum(|source| source.windows + source.sentences));
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct IngestSummary {
    /// Papers found below the paths: files, and records of corpora.
    pub found: usize,
    /// Sources that are new.
    pub added: usize,
    /// Sources whose content, settings or paths changed.
    pub changed: usize,
    /// Those of them of which only the paths changed.
    pub moved: usize,
    /// Sources that were reused as they are.
    pub unchanged: usize,
    /// Sources of this part that are stored, and are in the index once all parts are.
    pub pending: usize,
    /// Sources whose file is gone.
    pub removed: Vec<SourceId>,
    /// Files that could not be read in this run.
    pub failed: Vec<Failure>,
    /// Files that failed in an earlier run, unchanged since and not tried again.
    pub failed_before: Vec<Failure>,
    /// Files with the bytes of another.
    pub duplicates: Vec<Duplicate>,
    /// Files of a paper that another file beside them holds.
    pub same_paper: Vec<Duplicate>,
    /// Files that are no papers, and why.
    pub skipped: Vec<Failure>,
    /// Everything else that was passed over, by kind.
    pub other_files: Vec<OtherFiles>,
    /// Files that were read but hold no text to index.
    pub empty: Vec<String>,
    /// The manifest that was written, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ManifestFile>,
    /// What could not be read inside files or manifests, or was guessed.
    pub warnings: Vec<String>,
    /// Pages of PDFs read in this run.
    pub pages_read: u64,
    /// Files and records other than PDFs read in this run.
    pub texts_read: u64,
    /// Seconds spent reading PDFs.
    pub read_seconds: f64,
    /// Pages a second while reading; `None` when nothing was read.
    pub pages_per_second: Option<f64>,
    /// What each stage did, and what it reused.
    pub stages: StageCounts,
    /// Texts that the model was given in this run.
    pub embedded_texts: u64,
    /// Seconds spent embedding and writing.
    pub embed_seconds: f64,
    /// Seconds in all.
    pub seconds: f64,
    /// Sources in the index now.
    pub sources: usize,
    /// Chunks in the index now.
    pub chunks: usize,
    /// The generation that is current now.
    pub generation: u64,
    /// Highest resident memory of this process in bytes, where the system tells.
    pub peak_bytes: Option<u64>,
    /// Highest resident memory of a worker in bytes, where the system tells.
    pub worker_peak_bytes: Option<u64>,
    /// PDFs that turned out to be portfolios.
    #[serde(skip)]
    pub(super) portfolios: usize,
    #[serde(skip)]
    pub(super) failed_sources: BTreeSet<SourceId>,
    /// Key and paths of each source before the run.
    #[serde(skip)]
    before: BTreeMap<SourceId, (String, BTreeSet<PathBuf>)>,
    /// The papers that were found below the paths.
    #[serde(skip)]
    found_ids: BTreeSet<SourceId>,
}

impl IngestSummary {
    /// Whether a file that was found is not in the index.
    pub fn has_failures(&self) -> bool {
        !self.failed.is_empty() || !self.failed_before.is_empty()
    }

    pub(super) fn fail(&mut self, paper: &Paper, reason: String) {
        self.failed_sources.insert(paper.source_id.clone());
        self.failed.push(Failure { path: paper.shown(), reason });
    }

    /// Fills in what is known before any source is built.
    pub(super) fn set_plan(&mut self, plan: &IngestPlan, indexed: &[HeldSource]) {
        let failures = |all: &[LeftOut]| all.iter().map(Failure::from).collect();
        let unread = [plan.failed_before.len(), plan.unreadable.len()];
        let doubled = [plan.duplicates.len(), plan.same_paper.len(), plan.without_text.len()];
        self.found = plan.papers.len() + unread.iter().chain(&doubled).sum::<usize>();
        self.removed.clone_from(&plan.removed);
        self.failed = failures(&plan.unreadable);
        self.failed.extend(plan.unread_bibliographies.iter().map(Failure::from));
        self.failed_before = failures(&plan.failed_before);
        self.duplicates.clone_from(&plan.duplicates);
        self.same_paper.clone_from(&plan.same_paper);
        self.empty = plan.without_text.iter().map(|left| path_text::shown(&left.path)).collect();
        self.skipped = failures(&plan.skipped);
        self.other_files = other_files(plan);
        self.warnings.clone_from(&plan.notes);
        let key = |k: &HeldSource| {
            let paths = k.paths().map(Path::to_owned).collect();
            (k.meta.source_id.clone(), (k.key.clone(), paths))
        };
        self.before = indexed.iter().map(key).collect();
        self.found_ids = plan.papers.iter().map(|p| p.source_id.clone()).collect();
    }

    /// Fills in what is known at the end.
    pub(super) fn finish(&mut self, held: Option<&Holdings>, elapsed: Duration) {
        if let Some(held) = held {
            self.sources = held.sources.len();
            self.chunks = held.sum(|source| source.chunks);
            self.generation = held.version;
            self.stages.count_reused(held);
            for source in held.sources.iter().filter(|s| self.found_ids.contains(s.source_id())) {
                match self.before.get(source.source_id()) {
                    None => self.added += 1,
                    Some((key, _)) if *key != source.key => self.changed += 1,
                    Some((_, paths)) if *paths != source.paths().map(Path::to_owned).collect() => {
                        self.changed += 1;
                        self.moved += 1;
                    }
                    Some(_) => self.unchanged += 1,
                }
            }
        }
        // A file that moved keeps its name: it is changed, not removed.
        let found_ids = &self.found_ids;
        self.removed.retain(|id| !found_ids.contains(id));
        self.failed.sort_by(|a, b| a.path.cmp(&b.path));
        self.pages_per_second =
            (self.pages_read > 0).then(|| self.pages_read as f64 / self.read_seconds.max(1e-3));
        self.seconds = elapsed.as_secs_f64();
        self.peak_bytes = peak_memory();
    }
}

/// What was passed over, for people and scripts.
pub(super) fn other_files(plan: &IngestPlan) -> Vec<OtherFiles> {
    let each = |(kind, others): (&String, &ingest::OtherFiles)| OtherFiles {
        kind: kind.clone(),
        count: others.count,
        first: others.first.iter().map(|path| path_text::shown(path)).collect(),
    };
    plan.others.iter().map(each).collect()
}

/// Highest resident memory of this process, in bytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}
