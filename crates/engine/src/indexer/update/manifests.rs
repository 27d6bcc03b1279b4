//! Metadata from manifests beside the papers: which row is for which source.

use super::plan::{MetadataSource, Paper};
use ingest::{
    Links,
    inputs::manifest::{self, Manifest, Row},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use types::words::{NAMED, first_of};
use types::{SourceId, path_text};

/// Rows without a file that are named of one manifest; the rest is counted.
const UNMATCHED_SHOWN: usize = 20;

/// Puts the row of the nearest manifest into each paper; returns one line for each row or manifest that is not used.
///
/// Only the nearest manifest at or above a file's folder is used; it may lie above the folder that the user named. A row
/// names a source by its id, or by its preferred id where just one file has it. `scanned_ids` are the preferred ids of all
/// files below `roots`, those included that are not indexed.
pub(super) fn apply_manifests(
    papers: &mut [Paper],
    (roots, links): (&[PathBuf], &Links),
    mut scanned_ids: BTreeSet<SourceId>,
) -> Vec<String> {
    let mut all =
        ManifestSearch { roots, links, folders: BTreeMap::new(), manifests: Vec::new(), notes: Vec::new() };
    let of: Vec<Option<usize>> =
        papers.iter().map(|p| p.paths().find_map(|path| all.nearest(path.parent()))).collect();
    let mut by_manifest: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (paper, manifest) in of.into_iter().enumerate() {
        if let Some(manifest) = manifest {
            by_manifest.entry(manifest).or_default().push(paper);
        }
    }
    let ManifestSearch { manifests, mut notes, .. } = all;
    scanned_ids.extend(papers.iter().filter(|p| p.record.is_some()).map(Paper::preferred_id));
    for (at, manifest) in manifests.iter().enumerate() {
        let note = |text: &str| format!("{}: {text}", path_text::shown(&manifest.path));
        notes.extend(manifest.notes.iter().map(|n| note(n)));
        let members = by_manifest.get(&at).map(Vec::as_slice).unwrap_or_default();
        let used = apply_rows(manifest, members, papers, |text| notes.push(note(&text)));
        // Where not all of the manifest's folder was scanned, the other rows may have files.
        let folder = manifest.path.parent().unwrap_or(Path::new(""));
        if !roots.iter().any(|root| folder.starts_with(root)) {
            continue;
        }
        let unmatched: Vec<&Row> = manifest
            .rows
            .iter()
            .filter(|row| !used.contains(&row.source_id) && !scanned_ids.contains(&row.source_id))
            .collect();
        for row in unmatched.iter().take(UNMATCHED_SHOWN) {
            notes.push(note(&format!("line {}: no file is called {}", row.line, row.source_id)));
        }
        if let Some(more) = unmatched.len().checked_sub(UNMATCHED_SHOWN).filter(|n| *n > 0) {
            notes.push(note(&format!("{more} further rows have no file")));
        }
    }
    notes
}

/// Puts the rows of a manifest into its papers; returns the ids of the rows that have a paper.
fn apply_rows(
    manifest: &Manifest,
    members: &[usize],
    papers: &mut [Paper],
    mut note: impl FnMut(String),
) -> BTreeSet<SourceId> {
    let by_id: BTreeMap<SourceId, usize> =
        members.iter().map(|i| (papers[*i].source_id.clone(), *i)).collect();
    let mut by_stem: BTreeMap<SourceId, Vec<usize>> = BTreeMap::new();
    for i in members {
        by_stem.entry(papers[*i].preferred_id()).or_default().push(*i);
    }
    let mut used = BTreeSet::new();
    for row in &manifest.rows {
        let stem = by_stem.get(&row.source_id).map(Vec::as_slice);
        let paper = match (by_id.get(&row.source_id), stem) {
            (Some(paper), _) | (None, Some([paper])) => *paper,
            (None, Some(several)) => {
                let ids = several.iter().map(|i| &papers[*i].source_id);
                note(format!(
                    "line {}: several files are called {}; name one of {}",
                    row.line,
                    row.source_id,
                    first_of(ids, NAMED)
                ));
                used.insert(row.source_id.clone());
                continue;
            }
            (None, None) => continue,
        };
        used.insert(row.source_id.clone());
        // The row with the whole id counts before one with the stem alone.
        let exact = papers[paper].source_id == row.source_id;
        if !row.is_empty() && (exact || matches!(papers[paper].metadata, MetadataSource::Document)) {
            papers[paper].metadata = MetadataSource::Manifest(Box::new(row.clone()));
        }
    }
    used
}

/// The manifests in the folders of the papers and above, each read once.
struct ManifestSearch<'a> {
    roots: &'a [PathBuf],
    links: &'a Links,
    folders: BTreeMap<PathBuf, Option<usize>>,
    manifests: Vec<Manifest>,
    notes: Vec<String>,
}

impl ManifestSearch<'_> {
    /// The nearest manifest in a folder or above.
    fn nearest(&mut self, folder: Option<&Path>) -> Option<usize> {
        // Each folder is read once: the search ends at the first folder that was searched before.
        let mut searched = Vec::new();
        let mut nearest = None;
        for folder in folder?.ancestors() {
            if let Some(known) = self.folders.get(folder) {
                nearest = *known;
                break;
            }
            searched.push(folder.to_owned());
            if let Some(own) = self.read_own(folder) {
                nearest = Some(own);
                break;
            }
        }
        self.folders.extend(searched.into_iter().map(|folder| (folder, nearest)));
        nearest
    }

    /// The manifest in a folder itself.
    fn read_own(&mut self, folder: &Path) -> Option<usize> {
        let path = folder.join(manifest::FILE);
        if !path.is_file() {
            return None;
        }
        match self.links.check(&path).and_then(|()| manifest::read(&path)) {
            Ok(manifest) => {
                self.manifests.push(manifest);
                Some(self.manifests.len() - 1)
            }
            Err(reason) => {
                // A file of that name above the papers may well be something else.
                if self.roots.iter().any(|root| folder.starts_with(root) || root.parent() == Some(folder)) {
                    self.notes.push(format!("{}: not used: {reason}", path_text::shown(&path)));
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexer::update::candidates::document;
    use ingest::inputs::Format;
    use std::fs;

    fn paper(path: &Path, id: &str) -> Paper {
        let root = path.parent().expect("has one").to_owned();
        let paper = document(path.to_owned(), None, root, Format::Pdf, id.to_owned());
        Paper { source_id: id.into(), ..paper }
    }

    /// Applies manifests to made-up papers; gives the title that each gets, and the notes.
    fn applied(
        manifests: &[(&str, &str)],
        papers: &[(&str, &str)],
        root: &str,
    ) -> (Vec<Option<String>>, Vec<String>) {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in manifests {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(path, text).expect("written");
        }
        let mut all: Vec<Paper> = papers.iter().map(|(path, id)| paper(&dir.path().join(path), id)).collect();
        let scanned_ids = all.iter().map(Paper::preferred_id).collect();
        let notes = apply_manifests(&mut all, (&[dir.path().join(root)], &Links::default()), scanned_ids);
        let title = |p: &Paper| match &p.metadata {
            MetadataSource::Manifest(row) => row.title.clone(),
            _ => None,
        };
        let base = dir.path().display().to_string();
        let notes = notes.iter().map(|n| n.replace(&base, ""));
        (all.iter().map(title).collect(), notes.collect())
    }

    #[test]
    fn only_the_nearest_manifest_is_used() {
        let top = "source_id,title\na,top a\nb,top b\nlost,x\n";
        let near = "source_id,title\nb,near b\n";
        let manifests = [("m/manifest.csv", top), ("m/sub/manifest.csv", near)];
        let papers = [("m/a.pdf", "a"), ("m/sub/b.pdf", "b"), ("m/sub/deep/a.pdf", "a-1234")];
        let (titles, notes) = applied(&manifests, &papers, "m");
        assert_eq!(titles, [Some("top a".to_owned()), Some("near b".to_owned()), None]);
        assert_eq!(notes, ["/m/manifest.csv: line 4: no file is called lost"]);
        // A folder below: the manifest above is used, but not all of its files were scanned.
        let (titles, notes) = applied(&manifests[..1], &papers[1..2], "m/sub");
        assert_eq!((titles, notes.len()), (vec![Some("top b".to_owned())], 0));
    }

    #[test]
    fn rows_find_their_sources_by_whole_ids_first() {
        let check = |rows: &str, papers: &[(&str, &str)], want: &[Option<&str>], note: Option<&str>| {
            let text = format!("source_id,title\n{rows}");
            let (titles, notes) = applied(&[("manifest.csv", &text)], papers, "");
            assert_eq!(titles.iter().map(Option::as_deref).collect::<Vec<_>>(), want, "{rows}");
            assert_eq!(notes.is_empty(), note.is_none(), "{notes:?}");
            assert!(note.is_none_or(|n| notes[0].contains(n)), "{notes:?}");
        };
        let two = [("x/p.pdf", "p-1"), ("y/p.pdf", "p-2")];
        check("p,t\n", &two, &[None, None], Some("name one of p-1, p-2"));
        check("p-2,t\n", &two, &[None, Some("t")], None);
        check("p,t\n", &[("x/p.pdf", "p"), ("y/p.pdf", "p-2")], &[Some("t"), None], None);
        check("p,t\n", &two[1..], &[Some("t")], None);
        check("p,stem\np-2,whole\n", &two[1..], &[Some("whole")], None);
        check("p-2,whole\np,stem\n", &two[1..], &[Some("whole")], None);
        check("p,\n", &two[1..], &[None], None);
    }

    #[test]
    fn a_file_that_is_no_manifest_is_named_and_not_used() {
        let manifests = [("manifest.csv", "source_id,title\na,t\n"), ("m/manifest.csv", "file,name\n")];
        let (titles, notes) = applied(&manifests, &[("m/a.pdf", "a")], "m");
        assert_eq!(titles, [Some("t".to_owned())]);
        assert!(notes[0].starts_with("/m/manifest.csv: not used: it has no column source_id"), "{notes:?}");
    }
}
