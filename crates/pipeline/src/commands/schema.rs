//! `pipeline schema`: prints JSON Schemas.

use crate::printer::{Outcome, Printer};
use anyhow::Result;
use contract::Document;
use serde_json::Value;

/// Prints the schema of one document, or of all by name.
pub(super) fn run(printer: Printer, wanted: Option<&str>) -> Result<Outcome> {
    let schema = |document| contract::schema(document).to_value();
    let named = Document::ALL
        .into_iter()
        .find(|document| Some(document.as_str()) == wanted);
    let all = Document::ALL
        .into_iter()
        .map(|document| (document.as_str().to_owned(), schema(document)));
    let schemas = named.map_or_else(|| Value::Object(all.collect()), schema);
    printer.raw(&format!("{schemas:#}\n"))?;
    Ok(Outcome::Done)
}
