//! What a run has to do, before anything is read: the result of [`super::planner`].

use crate::indexer::indexed::shown_place;
use ingest::{
    OtherFiles, Unreadable,
    inputs::{Format, manifest::Row},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{HeldSource, SourceId, SourceMeta, path_text};

/// A file that was left out, and why.
pub(super) type LeftOut = Unreadable;

/// A document that a run was asked to index.
#[derive(Clone, Debug)]
pub(super) struct Paper {
    /// Absolute path: where it is read.
    pub(super) path: PathBuf,
    /// Further paths of the same content, in order.
    pub(super) copies: Vec<PathBuf>,
    /// Which record of the file it is, if the file contains many.
    pub(super) record: Option<String>,
    /// Absolute path of the folder or file below which `path` was found.
    pub(super) root: PathBuf,
    /// How it is read; `None` for one of another root, whose file was not scanned.
    pub(super) format: Option<Format>,
    /// Names its content: see [`ingest::inputs::content_key`].
    pub(super) hash: String,
    /// Its id in the index; before it has one, that which it would have if no other paper claimed it.
    pub(super) source_id: SourceId,
    /// Whether it is a source of the index.
    pub(super) is_known: bool,
    /// Where its metadata comes from.
    pub(super) metadata: MetadataSource,
}

/// Where the metadata of a source comes from.
#[derive(Clone, Debug, Default)]
pub(super) enum MetadataSource {
    /// From the document alone.
    #[default]
    Document,
    /// A manifest or a bibliography corrects it.
    Manifest(Box<Row>),
    /// It stays as the index has it, with the digest of the manifest's row that made it.
    Index(Box<SourceMeta>, String),
}

impl Paper {
    /// The file, and the record where it holds many.
    pub(super) fn shown(&self) -> String {
        shown_place(&self.path, self.record.as_deref())
    }

    /// All its paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.path).chain(&self.copies).map(PathBuf::as_path)
    }

    /// Makes it a source of the index, if it is one.
    pub(super) fn become_known(&mut self, source: Option<&HeldSource>) {
        self.is_known = source.is_some();
        if let Some(source) = source {
            self.source_id = source.source_id().clone();
            // A file that is named alone stays a part of the folder that was ingested.
            if self.root == self.path && self.path.starts_with(&source.root) {
                self.root.clone_from(&source.root);
            }
        }
    }

    /// The file that holds nothing but it.
    pub(super) fn file(&self) -> Option<&Path> {
        self.record.is_none().then_some(&self.path)
    }

    /// Where it lies.
    pub(super) fn place(&self) -> (&Path, Option<&str>) {
        (self.path.as_path(), self.record.as_deref())
    }

    /// The id that it would have if no other paper claimed it: the stem of its record or its file.
    pub(super) fn preferred_id(&self) -> SourceId {
        preferred_id(&self.path, self.record.as_deref())
    }
}

/// The id of a document of which nothing but its place is known.
pub(super) fn preferred_id(path: &Path, record: Option<&str>) -> SourceId {
    record.map_or_else(|| ingest::source_id_of(path), SourceId::from_stem)
}

/// A file with the same bytes as another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Duplicate {
    /// The file.
    pub path: String,
    /// The one that is indexed.
    pub same_as: String,
}

impl Duplicate {
    /// A file, and the one that is indexed.
    pub(super) fn new(path: &Path, same_as: &Path) -> Self {
        Self { path: path_text::shown(path), same_as: path_text::shown(same_as) }
    }
}

/// What a run has to do.
#[derive(Debug, Default)]
pub(super) struct IngestPlan {
    /// Documents to index, by source id.
    pub(super) papers: Vec<Arc<Paper>>,
    /// Sources of other roots, which stay as they are.
    pub(super) untouched: Vec<SourceId>,
    /// Those of them of which some path is gone: the paths that are left, at least one.
    pub(super) fewer_paths: BTreeMap<SourceId, Vec<PathBuf>>,
    /// Sources whose file is gone.
    pub(super) removed: Vec<SourceId>,
    /// Files with the same bytes as another.
    pub(super) duplicates: Vec<Duplicate>,
    /// Files of a paper that another file beside them holds.
    pub(super) same_paper: Vec<Duplicate>,
    /// Files without text.
    pub(super) without_text: Vec<LeftOut>,
    /// Entries that could not be read at all.
    pub(super) unreadable: Vec<LeftOut>,
    /// Files that failed before, unchanged since: not tried again.
    pub(super) failed_before: Vec<LeftOut>,
    /// Files that are no papers, and folders that are not searched.
    pub(super) skipped: Vec<LeftOut>,
    /// Everything else that was skipped, by kind.
    pub(super) others: BTreeMap<String, OtherFiles>,
    /// Rows of manifests and entries of bibliographies that were not used, and why.
    pub(super) notes: Vec<String>,
    /// Bibliographies that could not be read.
    pub(super) unread_bibliographies: Vec<LeftOut>,
}
