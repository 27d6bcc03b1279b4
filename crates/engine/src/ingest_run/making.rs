//! What the results for a source depend on, and which sources are to be made anew.

use super::plan::{Known, Paper, Plan, Told};
use crate::{cache, settings::Settings, stages};
use ingest::chunk::ChunkSettings;
use std::collections::BTreeMap;
use types::SourceId;

/// Hexadecimal digits of each part of a key but the first.
const DIGITS: usize = 16;

/// How sources are made in a run.
pub(super) struct Making {
    pub(super) chunking: ChunkSettings,
    embedder_id: String,
    reader: String,
}

/// One source that the next generation holds or may hold.
pub(super) struct Work {
    pub(super) paper: Paper,
    pub(super) key: String,
    /// The index holds it with this very key.
    pub(super) unchanged: bool,
}

/// Which parts of two keys differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) content: bool,
    pub(super) settings: bool,
    pub(super) metadata: bool,
}

impl Making {
    pub(super) fn new(settings: &Settings, embedder_id: &str, has_password: bool) -> Self {
        let limits = serde_json::to_string(&stages::limits(settings)).unwrap_or_default();
        let password = if has_password { "with a password" } else { "" };
        Self {
            chunking: stages::chunk_settings(settings),
            embedder_id: embedder_id.to_owned(),
            reader: cache::key(&[
                ingest::PARSER_VERSION.as_bytes(),
                limits.as_bytes(),
                password.as_bytes(),
            ]),
        }
    }

    /// What a failure to read depends on, beside the file.
    pub(super) fn reader_key(&self) -> &str {
        &self.reader
    }

    /// Everything that the next generation may hold, by source id: the papers of this run, and sources of
    /// other roots, which are made anew where settings have changed.
    pub(super) fn work(&self, plan: &Plan, known: &[Known], can_keep: bool) -> Vec<Work> {
        let held: BTreeMap<&SourceId, &Known> = known.iter().map(|k| (&k.source_id, k)).collect();
        let others = plan
            .untouched
            .iter()
            .filter_map(|id| held.get(id))
            .map(|k| Paper {
                path: k.path.clone(),
                record: k.record.clone(),
                root: k.root.clone(),
                format: None,
                hash: k.content_hash().to_owned(),
                source_id: k.source_id.clone(),
                told: match metadata_part(&k.key) {
                    // Manifests of other roots are not read: what they said stands in the index.
                    Some(digest) => Told::Index(Box::new(k.meta.clone()), digest.to_owned()),
                    None => Told::Document,
                },
            });
        let mut work: Vec<Work> = plan
            .papers
            .iter()
            .cloned()
            .chain(others)
            .map(|paper| {
                let key = self.source_key(&paper);
                let same = |k: &Known| k.key == key && k.path == paper.path && k.record == paper.record;
                let unchanged = can_keep && held.get(&paper.source_id).is_some_and(|k| same(k));
                Work {
                    paper,
                    key,
                    unchanged,
                }
            })
            .collect();
        work.sort_by(|a, b| a.paper.source_id.cmp(&b.paper.source_id));
        work
    }

    /// What a source's chunks and vectors depend on: its content, its name, how both are made, and what a manifest
    /// says of it. The content hash stands in front, so that it can be had back from an index.
    fn source_key(&self, paper: &Paper) -> String {
        let made = cache::key(&[
            ingest::PARSER_VERSION.as_bytes(),
            ingest::chunk::CHUNKER_VERSION.as_bytes(),
            format!("{:?}", self.chunking).as_bytes(),
            self.embedder_id.as_bytes(),
            paper.source_id.as_str().as_bytes(),
        ]);
        let key = format!("{}-{}", paper.hash, &made[..DIGITS]);
        match &paper.told {
            Told::Document => key,
            Told::Manifest(row) => format!("{key}-{}", &row.digest()[..DIGITS]),
            Told::Index(_, digest) => format!("{key}-{digest}"),
        }
    }
}

/// The part of a key that stands for what a manifest says; none where none speaks.
fn metadata_part(key: &str) -> Option<&str> {
    key.split('-').nth(2)
}

/// In which parts the keys of one source differ.
pub(super) fn difference(old: &str, new: &str) -> Difference {
    let part = |key: &str, i: usize| key.split('-').nth(i).map(str::to_owned);
    Difference {
        content: part(old, 0) != part(new, 0),
        settings: part(old, 1) != part(new, 1),
        metadata: metadata_part(old) != metadata_part(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_key_tell_what_changed() {
        let check = |old: &str, new: &str, want: [bool; 3]| {
            let got = difference(old, new);
            assert_eq!([got.content, got.settings, got.metadata], want, "{old} {new}");
        };
        check("a-1", "a-1", [false; 3]);
        check("a-1", "b-1", [true, false, false]);
        check("a-1", "a-2", [false, true, false]);
        check("a-1", "a-1-m", [false, false, true]);
        check("a-1-m", "b-2-n", [true; 3]);
    }
}
