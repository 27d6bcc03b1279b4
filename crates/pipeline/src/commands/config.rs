//! `pipeline config show`.

use crate::{
    page::Page,
    printer::{Outcome, Printer},
};
use anyhow::Result;
use engine::settings::Loaded;
use serde_json::{Map, json};

/// Every setting with its origin.
pub(super) fn show(loaded: &Loaded, printer: Printer) -> Result<Outcome> {
    let hash = loaded.settings.config_hash();
    let mut settings = Map::new();
    for (key, value, origin) in loaded.layers.entries() {
        settings.insert(
            key.to_owned(),
            json!({ "value": value, "origin": origin.to_string() }),
        );
    }
    let document = json!({ "config_hash": hash, "settings": settings });
    printer.listing(&document, || {
        let entries = || loaded.layers.entries();
        let width = entries()
            .map(|(key, value, _)| key.len() + value.to_string().len())
            .max();
        let width = width.unwrap_or(0) + 3;
        let mut page = Page::new();
        let mut last = "";
        for (key, value, origin) in entries() {
            let (section, name) = key.split_once('.').unwrap_or(("", key));
            if section != last {
                page.gap();
                page.code(format!("[{section}]"));
                last = section;
            }
            let line = format!("{name} = {value}");
            page.code(format!("{line:<width$} # {origin}"));
        }
        page.gap();
        page.code(format!("# config hash {hash}"));
        page
    })?;
    Ok(Outcome::Done)
}
