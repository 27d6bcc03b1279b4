//! Bibliographies beside the papers: which entry speaks of which paper. A paper is matched by its DOI, then by its title;
//! a manifest counts before them.

use super::{
    plan::{Paper, Told},
    readings::Readings,
};
use ingest::inputs::bibliography::{self, Bibliography};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use types::path_text;

/// Names in a line.
const NAMED: usize = 3;

/// The bibliographies in the folders of the papers and above, each read once.
#[derive(Default)]
pub(super) struct Library {
    all: Vec<Bibliography>,
    folders: BTreeMap<PathBuf, Vec<usize>>,
    /// Files that could not be read, and why.
    unread: Vec<(PathBuf, String)>,
    /// Papers of which it was asked already.
    asked: BTreeSet<PathBuf>,
    /// Entries that speak of papers: bibliography and entry.
    used: BTreeSet<(usize, usize)>,
    /// Papers of which several entries speak, by bibliography.
    unclear: BTreeMap<usize, Vec<String>>,
}

impl Library {
    /// Puts what the bibliographies say into each paper of which it is known what the file says of itself. May be called
    /// again once more files were read.
    pub(super) fn tell(&mut self, papers: &mut [Paper], readings: &Readings) {
        let mut by_entry: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (at, paper) in papers.iter().enumerate() {
            let print = match paper.record {
                None => readings.get(&paper.path, &paper.hash),
                Some(_) => None,
            };
            let Some(print) = print else { continue };
            if !self.asked.insert(paper.path.clone()) {
                continue;
            }
            let row = match &paper.told {
                Told::Manifest(row) => Some(row),
                Told::Document | Told::Index(..) => None,
            };
            let doi = row.and_then(|row| row.doi.clone()).or_else(|| print.doi.clone());
            let title = row
                .and_then(|row| row.title.clone())
                .or_else(|| print.title.clone());
            let Some((library, entries)) = self.find(paper.path.parent(), doi.as_deref(), title.as_deref())
            else {
                continue;
            };
            let rows = entries.iter().map(|at| &self.all[library].entries[*at].row);
            let same = { rows }.all(|row| *row == self.all[library].entries[entries[0]].row);
            self.used.extend(entries.iter().map(|entry| (library, *entry)));
            if same {
                by_entry.entry((library, entries[0])).or_default().push(at);
            } else {
                let keys = entries
                    .iter()
                    .map(|at| self.all[library].entries[*at].key.as_str());
                let keys = keys.collect::<Vec<_>>().join(", ");
                let unclear = self.unclear.entry(library).or_default();
                unclear.push(format!("{} ({keys})", paper.source_id));
            }
        }
        for ((library, entry), told) in by_entry {
            let row = &self.all[library].entries[entry].row;
            for at in told {
                let paper = &mut papers[at];
                match &paper.told {
                    Told::Document => paper.told = Told::Manifest(row.clone()),
                    Told::Manifest(own) => paper.told = Told::Manifest(own.or(row)),
                    Told::Index(..) => {}
                }
            }
        }
    }

    /// What of the bibliographies below the paths is not used, one line for each kind.
    pub(super) fn notes(&self, roots: &[PathBuf]) -> Vec<String> {
        let own = |path: &Path| {
            roots
                .iter()
                .any(|root| path.starts_with(root) || root.is_file() && root.parent() == path.parent())
        };
        let mut notes = Vec::new();
        for (path, reason) in self.unread.iter().filter(|(path, _)| own(path)) {
            notes.push(format!("{}: not used: {reason}", path_text::shown(path)));
        }
        for (at, all) in self.all.iter().enumerate().filter(|(_, all)| own(&all.path)) {
            let path = path_text::shown(&all.path);
            notes.extend(all.notes.iter().map(|note| format!("{path}: {note}")));
            if let Some(unclear) = self.unclear.get(&at) {
                notes.push(format!(
                    "{path}: not used where several entries match: {}",
                    first(unclear)
                ));
            }
            let keys = all.entries.iter().enumerate();
            let lost: Vec<String> = keys
                .filter(|(entry, _)| !self.used.contains(&(at, *entry)))
                .map(|(_, entry)| entry.key.clone())
                .collect();
            if !lost.is_empty() {
                notes.push(format!(
                    "{path}: {} of {} entries match no paper: {}",
                    lost.len(),
                    all.entries.len(),
                    first(&lost)
                ));
            }
        }
        notes
    }

    /// The entries of a paper in the nearest bibliography that has any; by DOI anywhere before by title.
    fn find(
        &mut self,
        folder: Option<&Path>,
        doi: Option<&str>,
        title: Option<&str>,
    ) -> Option<(usize, Vec<usize>)> {
        let mut near = Vec::new();
        for folder in folder?.ancestors() {
            near.extend(self.of(folder));
        }
        let all = &self.all;
        let find = |title: Option<&str>| {
            let mut each = near.iter();
            each.find_map(|at| Some((*at, all[*at].find(doi, title)?.to_vec())))
        };
        find(None).or_else(|| find(title))
    }

    /// The bibliographies of a folder.
    fn of(&mut self, folder: &Path) -> Vec<usize> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|path| bibliography::is_bibliography(path));
        files.sort();
        let mut own = Vec::new();
        for path in files {
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

fn first(names: &[String]) -> String {
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests;
