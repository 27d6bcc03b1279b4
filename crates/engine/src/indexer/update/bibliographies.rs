//! Metadata from bibliographies beside the papers: which entry is for which paper. A paper is matched by its DOI, then by
//! its title. What a manifest says replaces what a bibliography says.

use super::plan::{IngestPlan, LeftOut, MetadataSource, Paper};
use crate::indexer::cache::Cache;
use ingest::{
    Links,
    inputs::bibliography::{self, Bibliography},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use types::{path_text, words::first_of};

/// Names that a line lists; the others are counted.
const NAMED: usize = 3;

/// Puts the matching entry into each paper whose file was read. What is not used is named in the plan, once all were read:
/// which entry a file has is known only then.
pub(super) fn apply(
    papers: &mut [Paper],
    links: Links,
    roots: &[PathBuf],
    cache: &Cache,
    plan: &mut IngestPlan,
) {
    let mut all = Bibliographies { links, ..Bibliographies::default() };
    if all.apply(papers, cache) {
        plan.notes.extend(all.notes(roots));
    }
    let unread = all.unread.into_iter().filter(|(path, _)| is_below(path, roots));
    let left_out = |(path, reason)| LeftOut { path, reason: format!("not used: {reason}") };
    plan.unread_bibliographies.extend(unread.map(left_out));
}

/// The bibliographies in the folders of the papers and above, each read once.
#[derive(Default)]
struct Bibliographies {
    /// The links among them that are followed.
    links: Links,
    all: Vec<Bibliography>,
    folders: BTreeMap<PathBuf, Vec<usize>>,
    /// Files that could not be read, and why.
    unread: Vec<(PathBuf, String)>,
    /// Links that are not followed, and why.
    skipped: Vec<(PathBuf, String)>,
    /// Entries that match a paper: bibliography and entry.
    used: BTreeSet<(usize, usize)>,
    /// Papers that several entries match, by bibliography.
    ambiguous: BTreeMap<usize, Vec<String>>,
}

impl Bibliographies {
    /// Puts the matching entries into the papers; returns whether all files were read.
    fn apply(&mut self, papers: &mut [Paper], cache: &Cache) -> bool {
        let mut all_read = true;
        for paper in papers.iter_mut().filter(|paper| paper.record.is_none()) {
            let Some(print) = cache.print(&paper.hash) else {
                all_read = false;
                continue;
            };
            let row = match &paper.metadata {
                MetadataSource::Manifest(row) => Some(row),
                MetadataSource::Document | MetadataSource::Index(..) => None,
            };
            let doi = row.and_then(|row| row.doi.clone()).or(print.doi);
            let title = row.and_then(|row| row.title.clone()).or(print.title);
            let Some((bibliography, entries)) = self.find(paper.paths(), doi.as_deref(), title.as_deref())
            else {
                continue;
            };
            self.used.extend(entries.iter().map(|entry| (bibliography, *entry)));
            let of = &self.all[bibliography].entries;
            let row = &of[entries[0]].row;
            if entries.iter().any(|at| of[*at].row != *row) {
                let keys = first_of(entries.iter().map(|at| of[*at].key.as_str()), NAMED);
                let ambiguous = self.ambiguous.entry(bibliography).or_default();
                ambiguous.push(format!("{} ({keys})", paper.source_id));
                continue;
            }
            let row = match &paper.metadata {
                MetadataSource::Manifest(own) => own.or(row),
                MetadataSource::Document | MetadataSource::Index(..) => row.clone(),
            };
            paper.metadata = MetadataSource::Manifest(Box::new(row));
        }
        all_read
    }

    /// What of the bibliographies below the paths is not used, one line for each reason.
    fn notes(&self, roots: &[PathBuf]) -> Vec<String> {
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
