//! `pipeline config show`.

use crate::printer::{Outcome, Printer};
use anyhow::Result;
use engine::settings::Loaded;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Every setting with its origin.
pub(super) fn show(loaded: &Loaded, printer: Printer) -> Result<Outcome> {
    let hash = loaded.settings.config_hash();
    let mut settings = Map::new();
    for (key, value, origin) in loaded.layers.entries() {
        let value = serde_json::to_value(value)?;
        settings.insert(
            key.to_owned(),
            json!({ "value": value, "origin": origin.to_string() }),
        );
    }
    let document = json!({ "config_hash": hash, "settings": Value::Object(settings) });
    printer.result(&document, || {
        let width = loaded
            .layers
            .entries()
            .map(|(key, value, _)| key.len() + value.to_string().len())
            .max();
        let width = width.unwrap_or(0) + 3;
        let mut out = String::new();
        let mut last = "";
        for (key, value, origin) in loaded.layers.entries() {
            let (section, name) = key.split_once('.').unwrap_or(("", key));
            if section != last {
                let _ = writeln!(out, "{}[{section}]", if last.is_empty() { "" } else { "\n" });
                last = section;
            }
            let line = format!("{name} = {value}");
            let _ = writeln!(out, "{line:<width$} # {origin}");
        }
        let _ = write!(out, "\n# config hash {hash}");
        out
    })?;
    Ok(Outcome::Done)
}
