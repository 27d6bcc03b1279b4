//! The papers of a library, each with its version.

use crate::failed::Failed;
use engine::{Pipeline, indexer::Source};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
};
use types::{SourceId, digest::sha256};

/// Letters of a hash that tell versions apart.
const LETTERS: usize = 12;

/// A paper as it was at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
    title: String,
    /// The start of the hash of its file.
    hash: String,
    /// When it was ingested, RFC 3339 in UTC.
    ingested: String,
}

/// The papers of a library.
type Papers = BTreeMap<SourceId, Version>;

/// The papers of a library, and the hash of their ids and versions.
#[derive(Debug, Default)]
pub(crate) struct Library {
    pub(crate) hash: String,
    papers: Papers,
    /// As it is kept with answers.
    pub(crate) text: String,
}

/// A library, and the index that it was read from.
pub(crate) type Read = (Weak<Pipeline>, Arc<Library>);

impl Library {
    /// Of these papers.
    ///
    /// # Errors
    /// When they are no JSON.
    pub(crate) fn new(sources: Vec<Source>) -> Result<Self, Failed> {
        let version = |source: Source| {
            let id = source.meta.source_id;
            let title = source.meta.title.unwrap_or_else(|| id.to_string());
            let hash = source.version.chars().take(LETTERS).collect();
            (id, Version { title, hash, ingested: source.ingested })
        };
        let papers: Papers = sources.into_iter().map(version).collect();
        let each = papers.iter().map(|(id, paper)| format!("{id} {}\n", paper.hash));
        let hash = sha256(each.collect::<String>().as_bytes());
        let text = serde_json::to_string(&papers).map_err(Failed::inside)?;
        Ok(Self { hash, papers, text })
    }

    /// As it was kept.
    ///
    /// # Errors
    /// When it is no such text.
    pub(crate) fn read(hash: &str, text: &str) -> Result<Self, Failed> {
        let papers = serde_json::from_str(text).map_err(Failed::inside)?;
        Ok(Self { hash: hash.to_owned(), papers, text: text.to_owned() })
    }

    /// Whether its papers are known.
    pub(crate) fn is_known(&self) -> bool {
        !self.hash.is_empty()
    }

    /// Names the version of a paper; empty where there is no such paper.
    pub(crate) fn version(&self, id: &SourceId) -> &str {
        self.papers.get(id).map_or("", |paper| &paper.hash)
    }

    /// What became of the version of a paper that `then` had; `None` if it is still there.
    pub(crate) fn since(&self, then: &Self, id: &SourceId) -> Option<String> {
        let (cited, now) = (then.papers.get(id)?, self.papers.get(id));
        let what = match now {
            Some(now) if now.hash == cited.hash => return None,
            Some(_) => "the paper has changed since",
            None => "the paper is no longer in the library",
        };
        let date = cited.ingested.get(..10).unwrap_or("unknown date");
        Some(format!("Cited was the version of {date} ({}); {what}.", cited.hash))
    }

    /// The titles of papers that were added, removed and changed since `then`.
    pub(crate) fn changes<'l>(&'l self, then: &'l Self) -> [(&'static str, Vec<&'l str>); 3] {
        let hash = |of: &'l Self, id: &SourceId| of.papers.get(id).map(|paper| &paper.hash);
        let of = |papers: &'l Papers, holds: &dyn Fn(&SourceId) -> bool| {
            let papers = papers.iter().filter(|(id, _)| holds(id));
            papers.map(|(_, paper)| paper.title.as_str()).collect()
        };
        let is_changed = |id: &SourceId| hash(then, id).is_some_and(|old| Some(old) != hash(self, id));
        [
            ("added", of(&self.papers, &|id| hash(then, id).is_none())),
            ("removed", of(&then.papers, &|id| hash(self, id).is_none())),
            ("changed", of(&self.papers, &is_changed)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_a_library_is_told_by_paper() {
        let library = |papers: &[(&str, &str)]| {
            let version = |(id, hash): &(&str, &str)| {
                let ingested = "2026-11-20T00:00:00Z".to_owned();
                let version = Version { title: format!("T {id}"), hash: (*hash).to_owned(), ingested };
                (SourceId::from(*id), version)
            };
            Library { papers: papers.iter().map(version).collect(), ..Library::default() }
        };
        let then = library(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let now = library(&[("a", "1"), ("b", "2"), ("d", "1")]);
        let want = [("added", vec!["T d"]), ("removed", vec!["T c"]), ("changed", vec!["T b"])];
        assert_eq!(now.changes(&then), want);
        let since = |id: &str| now.since(&then, &SourceId::from(id));
        assert_eq!(since("a"), None);
        assert_eq!(
            since("b").as_deref(),
            Some("Cited was the version of 2026-11-20 (1); the paper has changed since.")
        );
        assert!(since("c").is_some_and(|says| says.ends_with("no longer in the library.")));
        assert_eq!(since("d"), None, "the answer could not cite it");
    }
}
