//! What a person should look at: files that could not be read, papers that seem to be the same, and text that is missing.

use crate::indexer::{Indexer, IndexerError, indexed::content_hash};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use types::{SourceId, SourceMeta, digest::sha256, path_text};

/// A file that is not in the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UnreadFile {
    /// Names it where it is to be tried again.
    pub id: String,
    /// Its name.
    pub file: String,
    /// Why, in words for people.
    pub reason: String,
    /// When it was tried last, RFC 3339 in UTC; empty where that is not known.
    pub at: String,
    /// The file.
    #[serde(skip)]
    #[schemars(skip)]
    pub path: PathBuf,
}

/// Papers that seem to be one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SamePapers {
    /// Their ids, at least two.
    pub papers: Vec<SourceId>,
    /// What they share, in words for people.
    pub why: String,
}

/// A paper some of whose text is missing or not to be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Doubtful {
    /// Its id.
    pub source_id: SourceId,
    /// What was noticed when it was read, with the pages.
    pub warnings: Vec<String>,
}

/// What a person should look at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Remarks {
    /// Files that could not be read, or have no text.
    pub unread: Vec<UnreadFile>,
    /// Papers that seem to be the same.
    pub same: Vec<SamePapers>,
    /// Papers whose text is incomplete.
    pub doubtful: Vec<Doubtful>,
}

impl Indexer {
    /// The files that could not be read, and those without text, whether or not there is an index.
    ///
    /// # Errors
    /// When the cache of the index cannot be opened.
    pub fn unread(&self) -> Result<Vec<UnreadFile>, IndexerError> {
        let cache = self.cache()?;
        let file = |path: PathBuf, reason, at| UnreadFile {
            id: sha256(path.as_os_str().as_encoded_bytes())[..16].to_owned(),
            file: path_text::shown(Path::new(path.file_name().unwrap_or(path.as_os_str()))),
            reason,
            at,
            path,
        };
        let failed = cache.failed_files().into_iter().map(|own| file(own.path, own.reason, own.at));
        // What was deleted since needs nobody's attention.
        let failed = failed.filter(|own| own.path.exists());
        let reason = "it has no text: its pages may be pictures, which need OCR (tesseract, and ingest.ocr = \"auto\")";
        let empty = cache.files_without_text().into_iter();
        Ok(failed.chain(empty.map(|path| file(path, reason.to_owned(), String::new()))).collect())
    }

    /// What a person should look at, also before there is an index.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn remarks(&self) -> Result<Remarks, IndexerError> {
        let held = self.store.holdings()?.0.unwrap_or_default();
        let cache = self.cache()?;
        let doubtful = held.sources.iter().filter_map(|source| {
            let warnings = cache.warnings(content_hash(&source.key));
            (!warnings.is_empty()).then(|| Doubtful { source_id: source.source_id().clone(), warnings })
        });
        let doubtful = doubtful.collect();
        let same = same_papers(held.sources.iter().map(|source| &source.meta));
        Ok(Remarks { unread: self.unread()?, same, doubtful })
    }
}

/// Papers that share a DOI, or the words of their titles and their authors; each pair once.
fn same_papers<'m>(sources: impl IntoIterator<Item = &'m SourceMeta>) -> Vec<SamePapers> {
    let mut by: BTreeMap<(bool, String), Vec<SourceId>> = BTreeMap::new();
    for meta in sources {
        let mut add = |key| by.entry(key).or_default().push(meta.source_id.clone());
        if let Some(doi) = &meta.doi {
            add((false, doi.to_lowercase()));
        }
        let words = |text: &str| {
            let letters = |c: char| if c.is_alphanumeric() { c } else { ' ' };
            let plain: String = text.to_lowercase().chars().map(letters).collect();
            plain.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        if let (Some(title), [_, ..]) = (&meta.title, &meta.authors[..]) {
            add((true, format!("{}\n{}", words(title), words(&meta.authors.join(" ")))));
        }
    }
    let mut out: Vec<SamePapers> = Vec::new();
    for ((by_title, key), papers) in by.into_iter().filter(|(_, papers)| papers.len() > 1) {
        if !out.iter().any(|known| papers.iter().all(|paper| known.papers.contains(paper))) {
            let why = if by_title {
                "the same title and authors".to_owned()
            } else {
                format!("the same DOI, {key}")
            };
            out.push(SamePapers { papers, why });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_are_the_same_by_doi_or_by_title_and_authors() {
        let paper = |id: &str, doi: Option<&str>, title: &str, author: &str| SourceMeta {
            source_id: id.into(),
            doi: doi.map(str::to_owned),
            title: Some(title.to_owned()),
            authors: (!author.is_empty()).then(|| author.to_owned()).into_iter().collect(),
            ..SourceMeta::default()
        };
        let found = same_papers(&[
            paper("a", Some("10.1000/X"), "On Walking", "Lee, A."),
            paper("b", Some("10.1000/x"), "on walking.", "Lee A"),
            paper("c", None, "On  walking", "LEE, A"),
            paper("d", None, "On walking", "Kim"),
            paper("e", None, "On walking", ""),
            paper("f", None, "On walking", ""),
        ]);
        let ids: Vec<Vec<&str>> =
            found.iter().map(|own| own.papers.iter().map(SourceId::as_str).collect()).collect();
        assert_eq!(ids, [vec!["a", "b"], vec!["a", "b", "c"]]);
        assert_eq!(found[0].why, "the same DOI, 10.1000/x");
    }
}
