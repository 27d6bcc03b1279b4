//! Metadata from bibliographies beside the papers: which entry is for which paper. A paper is matched by its DOI, then by
//! its title. What a manifest says replaces what a bibliography says.

use super::{
    plan::{MetadataSource, Paper},
    summary::Failure,
};
use crate::fingerprints::Fingerprints;
use ingest::{
    Links,
    inputs::bibliography::{self, Bibliography},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{path_text, words::first_of};

/// Names that a line lists; the others are counted.
const NAMED: usize = 3;

/// The bibliographies in the folders of the papers and above, each read once.
#[derive(Default)]
pub(super) struct Bibliographies {
    /// The links among them that are followed.
    links: Links,
    all: Vec<Bibliography>,
    folders: BTreeMap<PathBuf, Vec<usize>>,
    /// Files that could not be read, and why.
    unread: Vec<(PathBuf, String)>,
    /// Links that are not followed, and why.
    skipped: Vec<(PathBuf, String)>,
    /// Papers that were looked up already.
    looked_up: BTreeSet<PathBuf>,
    /// Entries that match a paper: bibliography and entry.
    used: BTreeSet<(usize, usize)>,
    /// Papers that several entries match, by bibliography.
    ambiguous: BTreeMap<usize, Vec<String>>,
}

impl Bibliographies {
    pub(super) fn new(links: Links) -> Self {
        Self { links, ..Self::default() }
    }

    /// Puts the matching entry into each paper whose file was read. May be called again once more files were read.
    pub(super) fn apply(&mut self, papers: &mut [Arc<Paper>], fingerprints: &Fingerprints) {
        let mut by_entry: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (at, paper) in papers.iter().enumerate() {
            let print = match paper.record {
                None => fingerprints.get(&paper.hash),
                Some(_) => None,
            };
            let Some(print) = print else { continue };
            if !self.looked_up.insert(paper.path.clone()) {
                continue;
            }
            let row = match &paper.metadata {
                MetadataSource::Manifest(row) => Some(row),
                MetadataSource::Document | MetadataSource::Index(..) => None,
            };
            let doi = row.and_then(|row| row.doi.clone()).or_else(|| print.doi.clone());
            let title = row.and_then(|row| row.title.clone()).or_else(|| print.title.clone());
            let Some((bibliography, entries)) = self.find(paper.paths(), doi.as_deref(), title.as_deref())
            else {
                continue;
            };
            let rows = entries.iter().map(|at| &self.all[bibliography].entries[*at].row);
            let same = { rows }.all(|row| *row == self.all[bibliography].entries[entries[0]].row);
            self.used.extend(entries.iter().map(|entry| (bibliography, *entry)));
            if same {
                by_entry.entry((bibliography, entries[0])).or_default().push(at);
            } else {
                let keys = entries.iter().map(|at| self.all[bibliography].entries[*at].key.as_str());
                let keys = first_of(keys, NAMED);
                let ambiguous = self.ambiguous.entry(bibliography).or_default();
                ambiguous.push(format!("{} ({keys})", paper.source_id));
            }
        }
        for ((bibliography, entry), matched) in by_entry {
            let row = &self.all[bibliography].entries[entry].row;
            for at in matched {
                let row = match &papers[at].metadata {
                    MetadataSource::Document => row.clone(),
                    MetadataSource::Manifest(own) => own.or(row),
                    MetadataSource::Index(..) => continue,
                };
                Arc::make_mut(&mut papers[at]).metadata = MetadataSource::Manifest(Box::new(row));
            }
        }
    }

    /// What of the bibliographies below the paths is not used, one line for each reason.
    pub(super) fn notes(&self, roots: &[PathBuf]) -> Vec<String> {
        let mut notes = Vec::new();
        for (path, reason) in self.skipped.iter().filter(|(path, _)| is_below(path, roots)) {
            notes.push(format!("{}: not used: {reason}", path_text::shown(path)));
        }
        let all = self.all.iter().enumerate();
        for (at, all) in all.filter(|(_, all)| is_below(&all.path, roots)) {
            let path = path_text::shown(&all.path);
            notes.extend(all.notes.iter().map(|note| format!("{path}: {note}")));
            if let Some(ambiguous) = self.ambiguous.get(&at) {
                notes.push(format!(
                    "{path}: not used where several entries match: {}",
                    first_of(ambiguous, NAMED)
                ));
            }
            let keys = all.entries.iter().enumerate();
            let unused: Vec<String> = keys
                .filter(|(entry, _)| !self.used.contains(&(at, *entry)))
                .map(|(_, entry)| entry.key.clone())
                .collect();
            if !unused.is_empty() {
                notes.push(format!(
                    "{path}: {} of {} entries match no paper: {}",
                    unused.len(),
                    all.entries.len(),
                    first_of(&unused, NAMED)
                ));
            }
        }
        notes
    }

    /// The bibliographies below the paths that could not be read.
    pub(super) fn failed(&self, roots: &[PathBuf]) -> Vec<Failure> {
        let below = self.unread.iter().filter(|(path, _)| is_below(path, roots));
        let failure = |(path, reason): &(PathBuf, String)| Failure {
            path: path_text::shown(path),
            reason: format!("not used: {reason}"),
        };
        below.map(failure).collect()
    }

    /// The entries of a paper in the nearest bibliography that has any; by DOI anywhere before by title.
    fn find<'p>(
        &mut self,
        paths: impl Iterator<Item = &'p Path>,
        doi: Option<&str>,
        title: Option<&str>,
    ) -> Option<(usize, Vec<usize>)> {
        let mut near = Vec::new();
        for folder in paths.flat_map(|path| path.ancestors().skip(1)) {
            near.extend(self.in_folder(folder));
        }
        let all = &self.all;
        let find = |title: Option<&str>| {
            let mut each = near.iter();
            each.find_map(|at| Some((*at, all[*at].find(doi, title)?.to_vec())))
        };
        find(None).or_else(|| find(title))
    }

    /// The bibliographies of a folder.
    fn in_folder(&mut self, folder: &Path) -> Vec<usize> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|path| bibliography::is_bibliography(path));
        files.sort();
        let mut own = Vec::new();
        for path in files {
            if let Err(reason) = self.links.check(&path) {
                self.skipped.push((path, reason));
                continue;
            }
            match bibliography::read(&path) {
                Ok(read) => {
                    own.push(self.all.len());
                    self.all.push(read);
                }
                Err(reason) => self.unread.push((path, reason)),
            }
        }
        self.folders.insert(folder.to_owned(), own.clone());
        own
    }
}

fn is_below(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root) || root.is_file() && root.parent() == path.parent())
}

#[cfg(test)]
mod tests;
