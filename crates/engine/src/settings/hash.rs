//! The hash of the settings that can change a result.

use crate::settings::{QuantisationChoice, Settings, layers::unnamed, schema};
use serde_json::Value;
use types::digest::sha256;

/// Whether a setting, by its dotted key, can change a result. The mode of retrieval does, although the hash leaves it out:
/// it is named beside every result.
pub fn shapes_results(key: &str) -> bool {
    let own = unnamed(key).unwrap_or_else(|| key.to_owned());
    !schema::ALL.iter().any(|setting| setting.no_effect && setting.key == own)
}

impl Settings {
    /// 16 hexadecimal digits that change if and only if a setting changes that can change a result.
    pub fn config_hash(&self) -> String {
        let mut tree = serde_json::to_value(self).unwrap_or_default();
        let models: Vec<String> = self.llm.named.keys().map(|name| format!("llm.named.{name}.")).collect();
        remove(&mut tree, "retrieve.mode");
        // Where vectors are stored whole, the store changes no result.
        if self.store.quantisation == QuantisationChoice::None {
            remove(&mut tree, "store");
        }
        for setting in schema::ALL.iter().filter(|setting| setting.no_effect) {
            remove(&mut tree, &setting.key);
            for model in &models {
                if let Some(own) = setting.key.strip_prefix("llm.") {
                    remove(&mut tree, &format!("{model}{own}"));
                }
            }
        }
        let mut digest = sha256(tree.to_string().as_bytes());
        digest.truncate(16);
        digest
    }
}

/// Removes what stands under a dotted key.
fn remove(tree: &mut Value, key: &str) {
    let (parents, name) = key.rsplit_once('.').unwrap_or(("", key));
    let mut parents = parents.split('.').filter(|parent| !parent.is_empty());
    let parent = parents.try_fold(tree, |tree, parent| tree.get_mut(parent));
    if let Some(parent) = parent.and_then(Value::as_object_mut) {
        parent.shift_remove(name);
    }
}
