//! Scans folders: which files are there, of which kind each is, and the hash of its content.

use super::plan::LeftOut;
use crate::indexer::{IndexerError, cache::Cache};
use ingest::{
    FoundFile, Limits, Links, Member, OtherFiles, Output, ParseError,
    inputs::{self, Format, beir},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use types::{Reporter, Stop};

/// Lines of one corpus that are named when they cannot be read; the rest is counted.
const REFUSED_SHOWN: usize = 100;

/// Scans folders and files.
pub(super) struct Scanner<'a> {
    pub(super) limits: Limits,
    /// What the settings name as the program's own output.
    pub(super) outputs: &'a [Output],
    pub(super) links: Links,
    pub(super) cache: &'a Cache,
    pub(super) reporter: &'a dyn Reporter,
    pub(super) stop: &'a Stop,
}

/// What was found below the paths.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Files in the order in which they were found.
    pub(super) files: Vec<ScannedFile>,
    /// Entries that could not be read.
    pub(super) unreadable: Vec<LeftOut>,
    /// Files that are no papers by their names, what programs write, and links that are not followed.
    pub(super) skipped: Vec<LeftOut>,
    /// Everything else, by kind.
    pub(super) others: BTreeMap<String, OtherFiles>,
    /// The papers in archives that the cache does not know: path, hash, papers.
    pub(super) listed: Vec<(PathBuf, String, Vec<Member>)>,
}

/// A file.
#[derive(Debug)]
pub(super) struct ScannedFile {
    pub(super) path: PathBuf,
    pub(super) root: PathBuf,
    /// The user named this very file.
    pub(super) named: bool,
    pub(super) kind: FileKind,
}

/// What a file contains, judged by its first bytes.
#[derive(Debug)]
pub(super) enum FileKind {
    /// One document.
    Paper {
        /// How it is read.
        format: Format,
        /// SHA-256 of its bytes.
        hash: String,
    },
    /// Many documents, one a line.
    Corpus {
        /// SHA-256 of its bytes.
        hash: String,
        /// Id and content of each record.
        records: Vec<(String, String)>,
        /// Lines that give no document.
        refused: Vec<String>,
    },
    /// An archive of papers.
    Archive {
        /// SHA-256 of its bytes.
        hash: String,
        /// What is in it; whether the cache knows it.
        members: Vec<Member>,
        known: bool,
    },
    /// This program wrote it.
    Own,
    /// It has the name of a paper, and its bytes are something else.
    NoPaper(String),
    /// It cannot be read, or is no file that can.
    Unreadable(String),
}

impl FileKind {
    /// SHA-256 of the bytes of a file that can be read.
    pub(super) fn hash(&self) -> Option<&str> {
        match self {
            Self::Paper { hash, .. } | Self::Corpus { hash, .. } => Some(hash),
            Self::Archive { .. } | Self::Own | Self::NoPaper(_) | Self::Unreadable(_) => None,
        }
    }
}

impl Scanner<'_> {
    /// Scans everything below the paths, which exist.
    pub(super) fn scan(&self, paths: &[&PathBuf]) -> Result<Scan, IndexerError> {
        let found = {
            let task = self.reporter.task("finding", "files and folders", None);
            ingest::discover(paths, self.outputs, &self.links, |path| {
                task.advance(1);
                task.item(&file_name(path));
                self.may_continue()
            })
        };
        self.check_stop()?;
        let task = self.reporter.task("looking", "files", Some(found.files.len() as u64));
        let files: Vec<ScannedFile> = found
            .files
            .par_iter()
            .map(|file| {
                let scanned = ScannedFile {
                    path: file.path.clone(),
                    root: file.root.clone(),
                    named: file.is_named(),
                    kind: self.kind_of(file),
                };
                task.advance(1);
                task.item(&file_name(&file.path));
                scanned
            })
            .collect();
        self.check_stop()?;
        let mut listed = Vec::new();
        let files = files.into_iter().flat_map(|file| unpacked(file, &mut listed)).collect();
        let by_name = "not a paper by its name; to read it, pass the file itself";
        let not_papers = found.not_papers.into_iter();
        let skipped = not_papers.map(|path| LeftOut { path, reason: by_name.to_owned() });
        let outputs = found.outputs.into_iter().map(|output| LeftOut {
            reason: format!("{}, which is never read", output.reason),
            path: output.path,
        });
        Ok(Scan {
            files,
            unreadable: found.unreadable,
            skipped: outputs.chain(skipped).chain(found.links).collect(),
            others: found.others,
            listed,
        })
    }

    fn kind_of(&self, file: &FoundFile) -> FileKind {
        if !self.may_continue() {
            return FileKind::NoPaper(String::new());
        }
        if inputs::is_own_output(&file.path) {
            return FileKind::Own;
        }
        let format = match inputs::detect(&file.path) {
            Ok(format) => format,
            Err(reason @ (ParseError::NotJats { .. } | ParseError::NotBeir { .. })) if !file.is_named() => {
                return FileKind::NoPaper(reason.to_string());
            }
            Err(reason) => return FileKind::Unreadable(reason.to_string()),
        };
        let hash = match ingest::content_hash_while(&file.path, || self.may_continue()) {
            Ok(hash) => hash,
            Err(error) => return FileKind::Unreadable(error.to_string()),
        };
        if let Some(members) = self.cache.members(&hash) {
            return FileKind::Archive { hash, members, known: true };
        }
        if format == Format::Zip {
            return match ingest::members(&file.path, &self.limits, || self.may_continue()) {
                Ok(members) => FileKind::Archive { hash, members, known: false },
                Err(reason) => FileKind::Unreadable(reason.to_string()),
            };
        }
        if format != Format::Beir {
            return FileKind::Paper { format, hash };
        }
        let mut records = Vec::new();
        let mut refused = Vec::new();
        let mut unlisted = 0_u64;
        let outcome = beir::entries(&file.path, &self.limits, |entry| {
            match entry {
                Ok(record) => records.push((record.id, record.content)),
                Err(line) if refused.len() < REFUSED_SHOWN => {
                    refused.push(format!("line {}: {}", line.line, line.reason));
                }
                Err(_) => unlisted += 1,
            }
            self.may_continue()
        });
        if unlisted > 0 {
            refused.push(format!("{unlisted} further lines cannot be read"));
        }
        match outcome {
            Ok(()) => FileKind::Corpus { hash, records, refused },
            Err(reason) => FileKind::Unreadable(reason.to_string()),
        }
    }

    fn may_continue(&self) -> bool {
        !self.stop.is_requested()
    }

    fn check_stop(&self) -> Result<(), IndexerError> {
        if self.may_continue() { Ok(()) } else { Err(IndexerError::Stopped) }
    }
}

/// A file; of an archive the papers in it, each at the path of the archive with its name behind it.
fn unpacked(file: ScannedFile, listed: &mut Vec<(PathBuf, String, Vec<Member>)>) -> Vec<ScannedFile> {
    let FileKind::Archive { hash, members, known } = file.kind else {
        return vec![file];
    };
    let kind = |member: &Member| match &member.content {
        Ok((format, hash)) => FileKind::Paper { format: *format, hash: hash.clone() },
        Err(reason) => FileKind::Unreadable(reason.clone()),
    };
    let mut files: Vec<ScannedFile> = members
        .iter()
        .map(|member| ScannedFile {
            path: file.path.join(&member.name),
            root: file.root.clone(),
            named: false,
            kind: kind(member),
        })
        .collect();
    if files.is_empty() {
        files.push(ScannedFile { kind: FileKind::NoPaper("an archive without papers".to_owned()), ..file });
    } else if !known {
        listed.push((file.path, hash, members));
    }
    files
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
