//! `pipeline config show`.

use crate::{
    page::Page,
    printer::{Outcome, Printer},
};
use anyhow::Result;
use engine::settings::{Described, Loaded, described};
use serde_json::{Map, json};

/// Which settings are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// The few that matter to most people; as JSON, all.
    Main,
    All,
    /// Those that differ from the defaults.
    Changed,
}

impl Which {
    pub(super) fn of(all: bool, changed: bool) -> Self {
        match (all, changed) {
            (_, true) => Self::Changed,
            (true, _) => Self::All,
            _ => Self::Main,
        }
    }
}

/// Settings with where their values came from, or one with all that is known of it.
pub(super) fn show(loaded: &Loaded, printer: Printer, key: Option<&str>, which: Which) -> Result<Outcome> {
    let all = described()?;
    let (layers, part) = (&loaded.layers, key.map(|key| format!("{key}.")));
    let part = part.unwrap_or_default();
    let of_section = || layers.entries().filter(|(key, ..)| key.starts_with(&part));
    if let Some(key) = key.filter(|_| of_section().next().is_none()) {
        let own = loaded.layers.described_key(key)?;
        let setting = all.iter().find(|setting| setting.key == own);
        return setting.map_or(Ok(Outcome::Done), |setting| one(loaded, printer, key, setting));
    }
    let of = |key: &str| all.iter().find(|setting| setting.key == key);
    let is_main = |key: &str| of(key).is_some_and(|setting| setting.main);
    let is_changed =
        |(key, value, _): &(&str, &_, &_)| of(key).is_none_or(|setting| setting.default != **value);
    let hash = loaded.settings.config_hash();
    let mut settings = Map::new();
    let which = if key.is_some() { Which::All } else { which };
    let listed = of_section().filter(|entry| which != Which::Changed || is_changed(entry));
    for (key, value, origin) in listed {
        settings.insert(key.to_owned(), json!({ "value": value, "origin": origin.to_string() }));
    }
    let document = json!({ "config_hash": hash, "settings": settings });
    printer.listing(&document, || {
        let entries = || {
            of_section().filter(|entry| match which {
                Which::Main => is_main(entry.0),
                Which::All => true,
                Which::Changed => is_changed(entry),
            })
        };
        let width = entries().map(|(key, value, _)| key.len() + value.to_string().len()).max();
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
        if which == Which::Main {
            let others = || loaded.layers.entries().filter(|(key, ..)| !is_main(key));
            let (others, changed) = (others().count(), others().filter(is_changed).count());
            page.code(format!(
                "# {others} more settings ({changed} changed); show them with --all, --changed or KEY"
            ));
        }
        page.code(format!("# config hash {hash}"));
        page
    })
}

/// One setting: its text, what is allowed, its default, and its value with where it came from.
fn one(loaded: &Loaded, printer: Printer, key: &str, setting: &Described) -> Result<Outcome> {
    let found = loaded.layers.get(key);
    let (value, origin) =
        found.map_or((&setting.default, "default".to_owned()), |(value, origin)| (value, origin.to_string()));
    let document = json!({
        "key": key, "text": setting.text, "allowed": setting.allowed, "default": setting.default, "value": value,
        "origin": origin,
    });
    printer.listing(&document, || {
        let mut page = Page::new();
        page.title(key);
        page.line(setting.text);
        page.gap();
        if let Some(allowed) = &setting.allowed {
            page.fact("allowed", allowed.as_str());
        }
        page.fact("default", setting.default.to_string());
        page.fact("value", format!("{value} ({origin})"));
        page
    })
}
