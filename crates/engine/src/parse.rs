//! One document's structure, without indexing.

use crate::natives::Natives;
use crate::{error::EngineError, settings::Settings, stages};
use ingest::{
    Job, ParseError, Password, WORKER_ARGUMENT, WorkerCommand, WorkerPool,
    inputs::{self, Format, beir},
};
use std::path::{Path, PathBuf};
use types::{Document, files::holder};

/// How this program starts itself as a worker.
///
/// # Errors
/// When PDFium is missing, or the program does not know its own path.
pub fn worker_command(natives: &Natives) -> Result<WorkerCommand, EngineError> {
    worker_with(natives.pdfium()?)
}

fn worker_with(libpdfium: PathBuf) -> Result<WorkerCommand, EngineError> {
    let program = std::env::current_exe().map_err(EngineError::io("find", "the program itself"))?;
    Ok(WorkerCommand { program, args: vec![WORKER_ARGUMENT.into()], libpdfium })
}

/// Documents of one file, and the lines that gave none.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The documents, in the order of the file.
    pub documents: Vec<Document>,
    /// What could not be read.
    pub refused: Vec<beir::Refused>,
}

/// Reads all records of a BEIR corpus, or the one with this `_id`; `None` when the file is something else.
///
/// # Errors
/// When the file cannot be read, or holds no such record.
pub fn corpus(settings: &Settings, file: &Path, record: Option<&str>) -> Result<Option<Corpus>, EngineError> {
    if !file.is_file() || !matches!(inputs::detect(file), Ok(Format::Beir)) {
        return match record {
            Some(record) if file.is_file() => Err(EngineError::Message(format!(
                "{} holds one document, so there is no record {record:?} in it; leave --record away",
                file.display()
            ))),
            _ => Ok(None),
        };
    }
    let limits = settings.ingest.limits();
    let mut corpus = Corpus::default();
    beir::entries(file, &limits, |entry| {
        match entry {
            Ok(found) if record.is_none_or(|id| id == found.id) => match found.document(&limits) {
                Ok(document) => corpus.documents.push(document),
                Err(reason) => {
                    corpus.refused.push(beir::Refused { line: found.line, reason: reason.to_string() });
                }
            },
            Ok(_) => {}
            Err(refused) => corpus.refused.push(refused),
        }
        true
    })
    .map_err(|reason| unread(file, reason))?;
    match record {
        Some(record) if corpus.documents.is_empty() => Err(EngineError::Message(format!(
            "{} holds no record whose _id is {record:?} that can be read",
            file.display()
        ))),
        _ => Ok(Some(corpus)),
    }
}

fn unread(file: &Path, reason: ParseError) -> EngineError {
    EngineError::Parse { path: file.to_owned(), reason }
}

/// Reads one document: in a worker process if its format [needs one](Format::needs_worker), else here. Formats without pages have one, page 1.
///
/// # Errors
/// When PDFium is missing and needed, or why the file gave no document.
pub fn parse(settings: &Settings, file: &Path, passwords: &[Password]) -> Result<Document, EngineError> {
    if holder(file).is_none() {
        return Err(EngineError::NoSuchPath { path: file.to_owned() });
    }
    let format = inputs::detect(file).map_err(|reason| unread(file, reason))?;
    if format == Format::Zip {
        let file = file.display();
        return Err(EngineError::Message(format!(
            "{file} is an archive of papers; name one of them, as in {file}/paper.pdf"
        )));
    }
    if !format.needs_worker() && ingest::member_of(file).is_none() {
        let read = inputs::read(file, format, &settings.ingest.limits());
        return read.map(|read| read.document).map_err(|reason| unread(file, reason));
    }
    let natives = Natives::find(settings);
    let command = match format {
        Format::Pdf => worker_command(&natives)?,
        _ => worker_with(natives.pdfium().unwrap_or_default())?,
    };
    let (ocr, lack) = match stages::ocr(settings) {
        Ok(ocr) => (ocr, None),
        Err(lack) => (None, Some(lack.to_string())),
    };
    let pool = WorkerPool::new(command, settings.ingest.limits(), 1).with_ocr(ocr);
    let mut outcome = None;
    let job = Job { index: 0, path: file.to_owned(), format, passwords: passwords.to_vec() };
    pool.parse_all([job], |parsed| {
        outcome = Some(parsed.outcome);
    });
    match outcome {
        Some(Ok(mut document)) => {
            document.warnings.extend(lack.filter(|_| format == Format::Pdf));
            Ok(document)
        }
        Some(Err(reason)) => Err(unread(file, reason)),
        None => Err(EngineError::Message("the reader gave no answer".to_owned())),
    }
}
