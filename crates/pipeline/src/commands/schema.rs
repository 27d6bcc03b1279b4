//! `pipeline schema`: prints JSON Schemas.

use crate::printer::{Outcome, Printer};
use anyhow::{Context as _, Result};
use lab::schemas::{DOCUMENTS, Document};
use serde_json::{Map, Value};

/// Prints the schema of one document, or of all by name.
pub(super) fn run(printer: Printer, document: Option<&str>) -> Result<Outcome> {
    let each = |(name, schema): Document| (name.to_owned(), schema().to_value());
    let mut schemas: Map<String, Value> = DOCUMENTS.into_iter().map(each).collect();
    let schemas = match document {
        Some(name) => schemas.shift_remove(name).context("no such document")?,
        None => Value::Object(schemas),
    };
    printer.text(&format!("{schemas:#}\n"))
}
