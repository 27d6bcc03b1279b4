//! What the fields of the settings say: their texts, ranges and marks, from the JSON Schema of their types.

use crate::settings::{LlmModel, Settings};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;
use std::sync::LazyLock;

/// One setting.
pub(crate) struct Setting {
    /// Its section and name.
    pub(crate) key: String,
    /// What it means.
    pub(crate) text: String,
    least: Option<f64>,
    most: Option<f64>,
    /// Whether it is one of the few that matter to most people.
    pub(crate) main: bool,
    /// Whether no result depends on it.
    pub(crate) no_effect: bool,
}

/// Every setting, in the order of the fields.
pub(crate) static ALL: LazyLock<Vec<Setting>> = LazyLock::new(settings_of::<Settings>);
/// Those of one language model.
pub(crate) static OF_MODEL: LazyLock<Vec<Setting>> = LazyLock::new(settings_of::<LlmModel>);

impl Setting {
    /// What numbers are allowed, in words.
    pub(crate) fn limit(&self) -> Option<String> {
        match (self.least, self.most) {
            (Some(least), Some(most)) => Some(format!("from {least} to {most}")),
            (Some(least), None) => Some(format!("at least {least}")),
            (None, _) => None,
        }
    }

    /// Whether a number is allowed.
    pub(crate) fn admits(&self, number: f64) -> bool {
        self.least.is_none_or(|least| number >= least) && self.most.is_none_or(|most| number <= most)
    }
}

fn settings_of<T: JsonSchema>() -> Vec<Setting> {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut all = Vec::new();
    collect(schema.as_value(), "", &mut all);
    all
}

fn collect(schema: &Value, key: &str, all: &mut Vec<Setting>) {
    if let Some(fields) = schema["properties"].as_object() {
        for (name, field) in fields {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            collect(field, &key, all);
        }
        return;
    }
    let text = schema["description"].as_str().unwrap_or_default();
    // Whole numbers are at least 0 without being told.
    let least = schema["minimum"].as_f64().filter(|least| *least > 0.0 || schema["type"] == "number");
    all.push(Setting {
        key: key.to_owned(),
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        least,
        most: schema["maximum"].as_f64(),
        main: schema["main"] == true,
        no_effect: schema["no_effect"] == true,
    });
}
