//! Whether an index is intact, agrees with the papers it was made from, and is up to date.

use crate::indexer::{
    Indexer, IndexerError,
    cache::{self, Cache},
    indexed::{content_hash, shown_place},
    keys::SourceKey,
};
use ingest::{
    Limits,
    inputs::{self, beir},
};
use rayon::prelude::*;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{Chunk, Document, HeldSource, Holdings, Reporter, Store, StoreError, Verified, path_text};

/// Findings of one paper that are listed.
const LISTED: usize = 5;

/// Something that is wrong, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file inside the index folder, the chunk, or the paper's file.
    pub item: String,
    /// What is wrong with it.
    pub reason: String,
    /// What to do.
    pub hint: String,
}

/// What a verification found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct VerifyReport {
    /// Nothing is damaged and nothing is stale.
    pub ok: bool,
    /// The generation that was read; `None` when the pointer to it is damaged.
    pub generation: Option<u64>,
    /// Files of the generation that were read.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Papers that were checked.
    pub sources: usize,
    /// Chunks that were checked.
    pub chunks: usize,
    /// What is damaged or inconsistent.
    pub damaged: Vec<Finding>,
    /// Papers whose file is gone or has changed since it was indexed.
    pub stale: Vec<Finding>,
    /// Share of the ten nearest passages that the approximate vector index finds, for a sample of passages; `None` without
    /// one, or where the index is too small to use it.
    pub graph_recall: Option<f64>,
    /// What was not checked, or will be made again by the next ingest.
    pub notes: Vec<String>,
}

impl Indexer {
    /// Reads everything in the index, and compares the papers with their files unless `sources` is false.
    ///
    /// # Errors
    /// When there is no index, or it is of another version, or cannot be read.
    pub fn verify(&self, sources: bool, reporter: &dyn Reporter) -> Result<VerifyReport, IndexerError> {
        let root = &self.settings.index_dir;
        let Verified { version, files, bytes, damages, graph_recall } = self.store.verify()?;
        let is_intact = damages.is_empty();
        let mut report =
            VerifyReport { generation: version, files, bytes, graph_recall, ..VerifyReport::default() };
        let hint = self.rebuild_hint();
        report.damaged.extend(damages.into_iter().map(|damage| Finding {
            item: damage.file,
            reason: damage.reason,
            hint: damage.hint.unwrap_or_else(|| hint.clone()),
        }));
        let cache = self.cache()?;
        if cache.is_damaged() {
            report.damaged.push(Finding {
                item: cache::FILE.to_owned(),
                reason: "it is not what was written".to_owned(),
                hint: "run `pipeline index compact` to remove what is damaged; it is made again when needed"
                    .to_owned(),
            });
        }
        if is_intact {
            let (store, held) = self.store.open()?;
            report.sources = held.sources.len();
            report.chunks = held.sum(|source| source.chunks);
            check_chunks(&*store, &held, &cache, reporter, &hint, &mut report)?;
            if sources {
                report.stale = stale_papers(&held.sources, root, &self.settings.limits, reporter);
            }
            for (what, made, now) in [
                ("parser", &held.made_by.parser, ingest::PARSER_VERSION),
                ("chunker", &held.made_by.chunker, ingest::chunk::CHUNKER_VERSION),
            ] {
                if made != now {
                    report.notes.push(format!(
                        "made by version {made} of the {what}, this program has version {now}; the next ingest rebuilds it"
                    ));
                }
            }
        }
        report.ok = report.damaged.is_empty() && report.stale.is_empty();
        Ok(report)
    }

    /// The command that rebuilds what is damaged.
    fn rebuild_hint(&self) -> String {
        // If the store says nothing either, it is unknown which folders were ingested.
        let held = self.store.holdings().ok().and_then(|(held, _)| held);
        let sources = held.map(|held| held.sources).unwrap_or_default();
        let roots: BTreeSet<String> = sources.iter().map(|source| path_text::encode(&source.root)).collect();
        let what = if roots.is_empty() {
            "FOLDER".to_owned()
        } else {
            roots.into_iter().collect::<Vec<_>>().join(" ")
        };
        format!("run `pipeline ingest {what}`: it rebuilds what is damaged from the cache")
    }
}

/// Checks chunks against the documents that they were made from.
fn check_chunks(
    store: &dyn Store,
    held: &Holdings,
    cache: &Cache,
    reporter: &dyn Reporter,
    hint: &str,
    report: &mut VerifyReport,
) -> Result<(), IndexerError> {
    let task = reporter.task("verifying", "papers", Some(held.sources.len() as u64));
    let one = |source: &HeldSource| -> Result<(Vec<Finding>, bool), StoreError> {
        let chunks = super::chunks_of(store, source)?;
        let document = document(source, cache);
        let is_moved = |chunk: &&Arc<Chunk>| {
            let text = document.as_ref().map(|document| chunk.span.slice(&document.text));
            text.is_some_and(|text| text != Some(chunk.text.as_str()))
        };
        let findings = chunks.iter().filter(is_moved).map(|chunk| Finding {
            item: chunk.chunk_id.to_string(),
            reason: format!(
                "bytes {} to {} of its document are not its text",
                chunk.span.start, chunk.span.end
            ),
            hint: hint.to_owned(),
        });
        task.advance(1);
        let compared = document.is_some() || chunks.is_empty();
        Ok((findings.take(LISTED).collect(), compared))
    };
    let each: Vec<_> = held.sources.par_iter().map(one).collect::<Result<_, _>>()?;
    let uncompared = each.iter().filter(|(_, compared)| !compared).count();
    report.damaged.extend(each.into_iter().flat_map(|(findings, _)| findings));
    if uncompared > 0 {
        report.notes.push(format!(
            "the parsed text of {uncompared} papers is not in the cache, so their offsets were not checked"
        ));
    }
    Ok(())
}

/// The document that a source was made from, when the cache has it.
fn document(record: &HeldSource, cache: &Cache) -> Option<Document> {
    let key = SourceKey::read(&record.key).filter(|key| key.was_read_by(&cache.reader.version))?;
    cache.document(key.content())
}

/// Papers whose file is gone, cannot be read, or has other content.
fn stale_papers(
    sources: &[HeldSource],
    index: &Path,
    limits: &Limits,
    reporter: &dyn Reporter,
) -> Vec<Finding> {
    let task = reporter.task("comparing", "files", None);
    let mut files: BTreeMap<PathBuf, Vec<&HeldSource>> = BTreeMap::new();
    for record in sources {
        let path = record.present_path(index);
        files.entry(path).or_default().push(record);
    }
    let files: Vec<(PathBuf, Vec<&HeldSource>)> = files.into_iter().collect();
    let of_file = |(path, sources): &(PathBuf, Vec<&HeldSource>)| {
        let now = current_content(path, sources, limits);
        task.advance(1);
        let one = |record: &&HeldSource| {
            let before = content_hash(&record.key);
            let reason = match &now {
                Ok(now) => match now.get(&record.record) {
                    Some(content) if content == before => return None,
                    Some(_) => "it has changed since it was indexed".to_owned(),
                    None => "it is gone from its file, and still in the index".to_owned(),
                },
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    "it is gone, and its paper is still in the index".to_owned()
                }
                Err(error) => format!("it cannot be read: {error}"),
            };
            Some(Finding {
                item: shown_place(path, record.record.as_deref()),
                reason,
                hint: format!("run `pipeline ingest {}`", path_text::shown(&record.root)),
            })
        };
        sources.iter().filter_map(one).collect::<Vec<_>>()
    };
    files.par_iter().flat_map_iter(of_file).collect()
}

/// What a file holds now, by record; a file of one document has none. Named as the index names it.
fn current_content(
    path: &Path,
    sources: &[&HeldSource],
    limits: &Limits,
) -> std::io::Result<BTreeMap<Option<String>, String>> {
    let mut now = BTreeMap::new();
    if sources.iter().any(|s| s.record.is_some()) {
        beir::entries(path, limits, |entry| {
            if let Ok(record) = entry {
                now.insert(Some(record.id), record.content);
            }
            true
        })
        .map_err(|reason| match path.try_exists() {
            Ok(false) => std::io::ErrorKind::NotFound.into(),
            _ => std::io::Error::other(reason.to_string()),
        })?;
        return Ok(now);
    }
    let same = || sources.first().map(|source| content_hash(&source.key).to_owned()).unwrap_or_default();
    // A worker would have to unpack it: what is said of the portfolio is said of it.
    now.insert(None, if ingest::in_portfolio(path) { same() } else { inputs::content_of(path)? });
    Ok(now)
}
