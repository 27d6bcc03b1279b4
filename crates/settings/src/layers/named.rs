//! Named language models: the keys `llm.NAME.KEY`.

use super::Layers;
use crate::sections::{KEYS_OF_PROVIDER, SHARED_KEYS};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The key of `[llm]` that a key of a named model stands for: `llm.model` for `llm.small.model`.
pub(super) fn unnamed(key: &str) -> Option<String> {
    let (name, own) = key.strip_prefix("llm.")?.split_once('.')?;
    let named = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    (named && !SHARED_KEYS.contains(&own)).then(|| format!("llm.{own}"))
}

impl Layers {
    /// Adds the named models to the tables: what each sets, and the rest from `[llm]`. The address, the model, the key and the
    /// prices are taken from there only if the provider is the same.
    pub(super) fn add_named_models(&self, root: &mut Table) {
        let mut models: BTreeMap<&str, Vec<(&str, &Value)>> = BTreeMap::new();
        for (key, (value, _)) in &self.values {
            if let Some((name, own)) = key.strip_prefix("llm.").and_then(|rest| rest.split_once('.')) {
                models.entry(name).or_default().push((own, value));
            }
        }
        let Some(Value::Table(llm)) = root.get_mut("llm") else {
            return;
        };
        let mut named = Table::new();
        for (name, keys) in models {
            let of_models = llm.iter().filter(|(key, _)| !SHARED_KEYS.contains(&key.as_str()));
            let mut model: Table = of_models
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            let provider = keys.iter().find(|(key, _)| *key == "provider");
            if provider.is_some_and(|(_, value)| llm.get("provider") != Some(value)) {
                let defaults = Self::defaults().ok();
                let default = |key| Some(defaults.as_ref()?.get(&format!("llm.{key}"))?.0.clone());
                let own = KEYS_OF_PROVIDER.iter();
                model.extend(own.filter_map(|key| Some(((*key).to_owned(), default(key)?))));
            }
            model.extend(
                keys.into_iter()
                    .map(|(key, value)| (key.to_owned(), value.clone())),
            );
            named.insert(name.to_owned(), Value::Table(model));
        }
        if !named.is_empty() {
            llm.insert("named".to_owned(), Value::Table(named));
        }
    }
}
