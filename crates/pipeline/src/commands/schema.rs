//! `pipeline schema`: prints JSON Schemas.

use crate::{
    documents::documents,
    printer::{Outcome, Printer},
};
use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

/// Prints the schema of one document, or of all by name.
pub(super) fn run(printer: Printer, document: Option<&str>) -> Result<Outcome> {
    let each = |(name, schema): crate::documents::Document| (name.to_owned(), schema().to_value());
    let mut schemas: Map<String, Value> = documents().map(each).collect();
    let schemas = match document {
        Some(name) => schemas.shift_remove(name).context("no such document")?,
        None => Value::Object(schemas),
    };
    printer.raw(&format!("{schemas:#}\n"))?;
    Ok(Outcome::Done)
}
