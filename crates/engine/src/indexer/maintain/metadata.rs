//! Corrects what is known of a paper, in the manifest beside it: the person's file, which is written as little as possible.

use super::sources::find;
use crate::indexer::{
    Indexer, IndexerError,
    indexed::{holds, is_below},
};
use ingest::{Links, inputs::manifest};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{
    fs,
    io::{self, ErrorKind, Write as _},
    path::{Path, PathBuf},
    sync::Mutex,
};
use types::{
    HeldSource, SourceId, SourceMeta,
    files::{TEMPORARY, holder},
    locked, path_text,
};

/// What a person says of a paper. A field that is not given stays as it is; an empty one, or the year 0, is read from the paper
/// again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetadataChange {
    /// Title.
    pub title: Option<String>,
    /// Authors, in order; a semicolon parts two.
    pub authors: Option<Vec<String>>,
    /// Year of publication, 1000 to 2999; 0 for none.
    pub year: Option<u16>,
    /// Journal or venue.
    pub venue: Option<String>,
    /// DOI, with or without a resolver's prefix.
    pub doi: Option<String>,
    /// Labels; a semicolon parts two.
    pub tags: Option<Vec<String>>,
}

/// One change is written at a time: each reads what the one before wrote.
static WRITING: Mutex<()> = Mutex::new(());

/// Where the metadata of a paper is corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestPlace {
    /// The manifest, which may not exist yet.
    pub manifest: PathBuf,
    /// It, as seen from the folder above that of the papers.
    pub shown: String,
    /// The file of the paper, which is to be ingested again.
    pub paper: PathBuf,
}

impl MetadataChange {
    /// The cells by column that differ from what is known.
    fn cells(&self, meta: &SourceMeta) -> Vec<(&'static str, String)> {
        let text = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let list = |parts: &Vec<String>| {
            let parts = parts.iter().map(text).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join("; ")
        };
        let year = |year: &u16| if *year == 0 { String::new() } else { year.to_string() };
        let cells = [
            ("title", self.title.as_ref().map(text), meta.title.as_ref().map(text)),
            ("authors", self.authors.as_ref().map(list), Some(list(&meta.authors))),
            ("year", self.year.as_ref().map(year), meta.year.as_ref().map(year)),
            ("venue", self.venue.as_ref().map(text), meta.venue.as_ref().map(text)),
            ("doi", self.doi.as_ref().map(text), meta.doi.clone()),
            ("tags", self.tags.as_ref().map(list), Some(list(&meta.tags))),
        ];
        let changed = |(column, new, old): (&'static str, Option<String>, Option<String>)| {
            new.filter(|new| *new != old.unwrap_or_default()).map(|new| (column, new))
        };
        cells.into_iter().filter_map(changed).collect()
    }
}

impl Indexer {
    /// Where the metadata of a paper is corrected: in the manifest that ingestion would read, or a new one in the folder that was
    /// ingested.
    ///
    /// # Errors
    /// When the index does not hold the paper, its file is gone, or no manifest can be there.
    pub fn manifest_place(&self, id: &SourceId) -> Result<ManifestPlace, IndexerError> {
        let (_, held) = self.store.open()?;
        self.place_of(find(&held, id)?)
    }

    /// Writes what differs from what the index knows into the manifest of the paper, whose file must be ingested again then.
    ///
    /// # Errors
    /// As [`Self::manifest_place`], when a value cannot be used, or the manifest cannot be written.
    pub fn correct(&self, id: &SourceId, change: &MetadataChange) -> Result<ManifestPlace, IndexerError> {
        let (_, held) = self.store.open()?;
        let source = find(&held, id)?;
        let place = self.place_of(source)?;
        let cells = change.cells(&source.meta);
        if cells.is_empty() {
            return Ok(place);
        }
        manifest::check(source.source_id(), &cells).map_err(|reason| IndexerError::BadMetadata { reason })?;
        // A row may have the name of the file in place of the id, where no other paper below the manifest has that name.
        let stem = |source: &HeldSource| {
            let record = source.record.as_deref().map(SourceId::from_stem);
            record.unwrap_or_else(|| ingest::source_id_of(&source.path))
        };
        let folder = [place.manifest.parent().unwrap_or(Path::new("/")).to_owned()];
        let namesakes =
            held.sources.iter().filter(|other| stem(other) == stem(source) && holds(&folder, other));
        let by_stem = namesakes.count() == 1;
        let mut ids = vec![source.source_id().clone()];
        ids.extend(by_stem.then(|| stem(source)));
        let _turn = locked(&WRITING);
        let failed = |reason: String| unwritten(&place.shown, reason);
        let old = match fs::read(&place.manifest) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            old => old.map_err(|error| failed(error.to_string()))?,
        };
        let new = manifest::edit(&old, &ids, &cells).map_err(failed)?;
        replace(&place.manifest, &new).map_err(|error| failed(error.to_string()))?;
        Ok(place)
    }

    fn place_of(&self, source: &HeldSource) -> Result<ManifestPlace, IndexerError> {
        let present = source.present_path(&self.settings.index_dir);
        // The manifest stands beside the archive of a paper in one.
        let present = holder(&present).map_or_else(|| present.clone(), Path::to_owned);
        let paper =
            present.canonicalize().map_err(|_| IndexerError::PaperGone { id: source.source_id().clone() })?;
        let root = source.root.canonicalize().ok().filter(|root| root.is_dir() && paper.starts_with(root));
        let base = root.as_deref().or(paper.parent()).unwrap_or(Path::new("/")).to_owned();
        let mut paths = vec![paper.clone()];
        paths.extend(source.paths().filter_map(|path| path.canonicalize().ok()));
        let links = Links::within(std::slice::from_ref(&base));
        let is_read =
            |path: &PathBuf| path.is_file() && links.check(path).is_ok() && manifest::read(path).is_ok();
        let above = |path: &PathBuf| {
            let folders: Vec<PathBuf> =
                path.ancestors().skip(1).map(|folder| folder.join(manifest::FILE)).collect();
            folders.into_iter().find(is_read)
        };
        let found = paths.iter().find_map(above);
        let file = found.clone().unwrap_or_else(|| base.join(manifest::FILE));
        let from = base.parent().unwrap_or(&base);
        let shown = path_text::shown(file.strip_prefix(from).unwrap_or(&file));
        if !is_below(&file, std::slice::from_ref(&base)) {
            let reason = "it lies above the folder of the papers, and may be of others, too";
            return Err(unwritten(&shown, reason.to_owned()));
        }
        if found.is_none() && file.symlink_metadata().is_ok() {
            return Err(unwritten(&shown, "a file of this name is there and is no manifest".to_owned()));
        }
        Ok(ManifestPlace { manifest: file.canonicalize().unwrap_or(file), shown, paper })
    }
}

fn unwritten(path: &str, reason: String) -> IndexerError {
    IndexerError::ManifestNotWritten { path: path.into(), reason }
}

/// Replaces a file of a person by these bytes, which are on the disk before: it is the old one or the new one, whatever happens.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let beside = |file: &Path| fs::File::create_new(file);
    let mut file = tempfile::Builder::new().prefix(TEMPORARY).make_in(folder, beside)?;
    file.write_all(bytes)?;
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    fs::File::open(folder)?.sync_all()
}
