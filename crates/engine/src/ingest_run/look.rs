//! The look at the disk: which files are there, what each is, and what it holds.

use super::plan::LeftOut;
use crate::error::EngineError;
use ingest::{
    FoundFile, Limits, Others, Output, ParseError,
    inputs::{self, Format, beir},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};
use types::Reporter;

/// Lines of one corpus that are named when they cannot be read; the rest is counted.
const REFUSED_SHOWN: usize = 100;

/// What the look needs.
pub(super) struct Look<'a> {
    pub(super) limits: Limits,
    /// What the settings name as the program's own output.
    pub(super) outputs: &'a [Output],
    pub(super) reporter: &'a dyn Reporter,
    pub(super) stop: &'a AtomicBool,
}

/// What was seen below the paths.
#[derive(Debug, Default)]
pub(super) struct Sight {
    /// Files in the order in which they were found.
    pub(super) files: Vec<Seen>,
    /// Entries that could not be looked at.
    pub(super) unreadable: Vec<LeftOut>,
    /// Files that are no papers by their names, and what programs write.
    pub(super) skipped: Vec<LeftOut>,
    /// Everything else, by kind.
    pub(super) others: BTreeMap<String, Others>,
}

/// A file.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) root: PathBuf,
    /// The user named this very file.
    pub(super) named: bool,
    pub(super) what: What,
}

/// What a file is.
#[derive(Debug)]
pub(super) enum What {
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
    /// Its name promises a paper, its bytes are something else.
    NoPaper(String),
    /// It cannot be read, or is no file that can.
    Unreadable(String),
}

impl What {
    /// SHA-256 of the bytes of a file that can be read.
    pub(super) fn hash(&self) -> Option<&str> {
        match self {
            Self::Paper { hash, .. } | Self::Corpus { hash, .. } => Some(hash),
            Self::NoPaper(_) | Self::Unreadable(_) => None,
        }
    }
}

impl Look<'_> {
    /// Looks at everything below the paths, which exist.
    pub(super) fn at(&self, paths: &[&PathBuf]) -> Result<Sight, EngineError> {
        let found = {
            let task = self.reporter.task("finding", "files and folders", None);
            ingest::discover_while(paths, self.outputs, |path| {
                task.advance(1);
                task.item(&name(path));
                self.go_on()
            })
        };
        self.check_stop()?;
        let task = self
            .reporter
            .task("looking", "files", Some(found.files.len() as u64));
        let files: Vec<Seen> = found
            .files
            .par_iter()
            .map(|file| {
                let seen = Seen {
                    path: file.path.clone(),
                    root: file.root.clone(),
                    named: file.is_named(),
                    what: self.what(file),
                };
                task.advance(1);
                task.item(&name(&file.path));
                seen
            })
            .collect();
        self.check_stop()?;
        let left = |(path, reason): (PathBuf, String)| LeftOut { path, reason };
        let unreadable = found.unreadable.into_iter().map(|u| left((u.path, u.reason)));
        let by_name = "not a paper by its name; to read it, pass the file itself";
        let skipped = found
            .not_papers
            .into_iter()
            .map(|path| left((path, by_name.to_owned())));
        let outputs = found
            .outputs
            .into_iter()
            .map(|output| left((output.path, format!("{}, which is never read", output.reason))));
        Ok(Sight {
            files,
            unreadable: unreadable.collect(),
            skipped: outputs.chain(skipped).collect(),
            others: found.others,
        })
    }

    fn what(&self, file: &FoundFile) -> What {
        if !self.go_on() {
            return What::NoPaper(String::new());
        }
        let format = match inputs::detect(&file.path) {
            Ok(format) => format,
            Err(reason @ (ParseError::NotJats { .. } | ParseError::NotBeir { .. })) if !file.is_named() => {
                return What::NoPaper(reason.to_string());
            }
            Err(reason) => return What::Unreadable(reason.to_string()),
        };
        let hash = match ingest::content_hash_while(&file.path, || self.go_on()) {
            Ok(hash) => hash,
            Err(error) => return What::Unreadable(error.to_string()),
        };
        if format != Format::Beir {
            return What::Paper { format, hash };
        }
        let mut records = Vec::new();
        let mut refused = Vec::new();
        let mut more = 0_u64;
        let outcome = beir::entries(&file.path, &self.limits, |entry| {
            match entry {
                Ok(record) => records.push((record.id, record.content)),
                Err(line) if refused.len() < REFUSED_SHOWN => {
                    refused.push(format!("line {}: {}", line.line, line.reason));
                }
                Err(_) => more += 1,
            }
            self.go_on()
        });
        if more > 0 {
            refused.push(format!("{more} further lines cannot be read"));
        }
        match outcome {
            Ok(()) => What::Corpus {
                hash,
                records,
                refused,
            },
            Err(reason) => What::Unreadable(reason.to_string()),
        }
    }

    fn go_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn check_stop(&self) -> Result<(), EngineError> {
        if self.go_on() {
            Ok(())
        } else {
            Err(EngineError::Stopped)
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
