//! One document's structure, without indexing.

use crate::{error::EngineError, natives::Natives, settings::Settings, stages};
use ingest::{Job, Password, WorkerCommand, WorkerPool};
use serde_json::{Value, json};
use std::path::Path;
use types::Document;

/// The argument that makes this program a worker.
pub const WORKER_ARGUMENT: &str = "worker";

/// How this program starts itself as a worker.
///
/// # Errors
/// When PDFium is missing, or the program does not know its own path.
pub fn worker_command(natives: &Natives) -> Result<WorkerCommand, EngineError> {
    let program = std::env::current_exe().map_err(EngineError::io("find", "the program itself"))?;
    Ok(WorkerCommand {
        program,
        args: vec![WORKER_ARGUMENT.into()],
        libpdfium: natives.pdfium()?,
    })
}

/// Reads one PDF in a worker process.
///
/// # Errors
/// When PDFium is missing, or why the file gave no document.
pub fn parse(settings: &Settings, file: &Path, passwords: &[Password]) -> Result<Document, EngineError> {
    if !file.exists() {
        return Err(EngineError::NoSuchPath {
            path: file.to_owned(),
        });
    }
    let command = worker_command(&Natives::find(settings))?;
    let (ocr, lack) = match stages::ocr(settings) {
        Ok(ocr) => (ocr, None),
        Err(lack) => (None, Some(lack.to_string())),
    };
    let pool = WorkerPool::new(command, stages::limits(settings), 1).with_ocr(ocr);
    let mut outcome = None;
    pool.parse_all(
        [Job {
            index: 0,
            path: file.to_owned(),
            passwords: passwords.to_vec(),
        }],
        |parsed| outcome = Some(parsed.outcome),
    );
    match outcome {
        Some(Ok(mut document)) => {
            document.warnings.extend(lack);
            Ok(document)
        }
        Some(outcome) => outcome.map_err(|reason| EngineError::Parse {
            path: file.to_owned(),
            reason,
        }),
        None => Err(EngineError::Message("the reader gave no answer".to_owned())),
    }
}

/// The document in the form of the `parse` contract: the text of each section in its place.
pub fn contract(document: &Document) -> Value {
    let meta = &document.meta;
    let sections: Vec<Value> = document
        .sections
        .iter()
        .map(|section| {
            let blocks: Vec<Value> = section
                .blocks
                .iter()
                .map(|block| {
                    json!({
                        "kind": block.kind,
                        "page_start": block.page_start,
                        "page_end": block.page_end,
                        "label": block.label,
                        "text": block.span.slice(&document.text).unwrap_or_default(),
                    })
                })
                .collect();
            json!({
                "name": section.name,
                "heading": section.heading,
                "level": section.level,
                "page_start": section.page_start,
                "page_end": section.page_end,
                "text": document.section_text(section),
                "blocks": blocks,
            })
        })
        .collect();
    json!({
        "source_id": meta.source_id,
        "title": meta.title,
        "authors": meta.authors,
        "year": meta.year,
        "doi": meta.doi,
        "pages": document.pages,
        "sections": sections,
        "warnings": document.warnings,
    })
}
