//! The hash of the settings that can change a result.

use crate::Settings;
use serde_json::Value;
use types::digest::sha256;

/// Keys that change no result: where files are, how long things may take, how much runs at once.
const WITHOUT_EFFECT: &[&str] = &[
    "natives",
    "index",
    "ingest.workers",
    "retrieve.mode", // named beside every result
    "embedding.threads",
    "embedding.api_key_env",
    "embedding.batch_size",
    "embedding.timeout_seconds",
    "embedding.max_retries",
    "llm.api_key_env",
    "llm.api_key_file",
    "llm.timeout_seconds",
    "llm.question_seconds",
    "llm.max_retries",
    "llm.give_up_after",
    "llm.requests_per_minute",
    "llm.tokens_per_minute",
    "llm.concurrency",
    "llm.price_input",
    "llm.price_output",
    "llm.cache",
    "llm.cache_dir",
    "llm.cache_mib",
    "eval.workers",
    "eval.retries",
    "eval.stop_after",
    "log",
];

/// Whether a setting, by its dotted key, can change a result. The mode of retrieval does, although the hash leaves it out.
pub fn shapes_results(key: &str) -> bool {
    let own = match key.split('.').collect::<Vec<_>>()[..] {
        ["llm", _, last] => format!("llm.{last}"),
        _ => key.to_owned(),
    };
    let below = |known: &&&str| {
        own.strip_prefix(**known)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    key == "retrieve.mode" || !WITHOUT_EFFECT.iter().any(|known| below(&known))
}

impl Settings {
    /// 16 hexadecimal digits that change if and only if a setting changes that can change a result.
    pub fn config_hash(&self) -> String {
        let mut tree = serde_json::to_value(self).unwrap_or_default();
        let named = self.llm.named.keys();
        let models: Vec<String> = named.map(|name| format!("llm.named.{name}.")).collect();
        for key in WITHOUT_EFFECT {
            remove(&mut tree, key);
            for model in &models {
                if let Some(own) = key.strip_prefix("llm.") {
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
