//! `pipeline schema`: prints JSON Schemas.

use crate::{
    documents::{DOCUMENTS, schema},
    printer::{Outcome, Printer},
};
use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

/// Prints the schema of one document, or of all by name.
pub(super) fn run(printer: Printer, document: Option<&str>) -> Result<Outcome> {
    let schemas = match document {
        Some(name) => schema(name).context("no such document")?.to_value(),
        None => Value::Object(Map::from_iter(
            DOCUMENTS.map(|(name, schema)| (name.to_owned(), schema().to_value())),
        )),
    };
    printer.raw(&format!("{schemas:#}\n"))?;
    Ok(Outcome::Done)
}
