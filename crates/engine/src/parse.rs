//! One document's structure, without indexing.

use crate::natives::Natives;
use crate::{error::EngineError, settings::Settings, stages};
use ingest::{
    Job, ParseError, Password, WORKER_ARGUMENT, WorkerCommand, WorkerPool,
    inputs::{self, Format, beir},
};
use std::path::Path;
use types::Document;

/// How this program starts itself as a worker.
///
/// # Errors
/// When PDFium is missing, or the program does not know its own path.
pub fn worker_command(natives: &Natives) -> Result<WorkerCommand, EngineError> {
    let program = std::env::current_exe().map_err(EngineError::io("find", "the program itself"))?;
    Ok(WorkerCommand { program, args: vec![WORKER_ARGUMENT.into()], libpdfium: natives.pdfium()? })
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

/// A file of one document that is no PDF.
fn parse_text(settings: &Settings, file: &Path) -> Result<Option<Document>, EngineError> {
    let read = |format| inputs::read(file, format, &settings.ingest.limits());
    match inputs::detect(file) {
        Ok(Format::Pdf) => Ok(None),
        Ok(format) => read(format).map(|read| Some(read.document)),
        Err(reason) => Err(reason),
    }
    .map_err(|reason| unread(file, reason))
}

fn unread(file: &Path, reason: ParseError) -> EngineError {
    EngineError::Parse { path: file.to_owned(), reason }
}

/// Reads one document: a PDF in a worker process, anything else here. Formats without pages have one, page 1.
///
/// # Errors
/// When PDFium is missing and needed, or why the file gave no document.
pub fn parse(settings: &Settings, file: &Path, passwords: &[Password]) -> Result<Document, EngineError> {
    if !file.exists() {
        return Err(EngineError::NoSuchPath { path: file.to_owned() });
    }
    if let Some(document) = parse_text(settings, file)? {
        return Ok(document);
    }
    let command = worker_command(&Natives::find(settings))?;
    let (ocr, lack) = match stages::ocr(settings) {
        Ok(ocr) => (ocr, None),
        Err(lack) => (None, Some(lack.to_string())),
    };
    let pool = WorkerPool::new(command, settings.ingest.limits(), 1).with_ocr(ocr);
    let mut outcome = None;
    pool.parse_all([Job { index: 0, path: file.to_owned(), passwords: passwords.to_vec() }], |parsed| {
        outcome = Some(parsed.outcome);
    });
    match outcome {
        Some(Ok(mut document)) => {
            document.warnings.extend(lack);
            Ok(document)
        }
        Some(outcome) => outcome.map_err(|reason| EngineError::Parse { path: file.to_owned(), reason }),
        None => Err(EngineError::Message("the reader gave no answer".to_owned())),
    }
}
