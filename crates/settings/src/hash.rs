//! The hash of the settings that can change a result.

use crate::Settings;
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

impl Settings {
    /// 16 hexadecimal digits that change if and only if a setting changes that can change a result.
    pub fn config_hash(&self) -> String {
        let mut tree = serde_json::to_value(self).unwrap_or_default();
        for key in WITHOUT_EFFECT {
            let (section, name) = key.split_once('.').map_or((*key, None), |(s, n)| (s, Some(n)));
            match (name, tree.as_object_mut()) {
                (None, Some(root)) => {
                    root.shift_remove(section);
                }
                (Some(name), Some(root)) => {
                    if let Some(section) = root.get_mut(section).and_then(|s| s.as_object_mut()) {
                        section.shift_remove(name);
                    }
                }
                (_, None) => {}
            }
        }
        let models = tree
            .pointer_mut("/llm/named")
            .and_then(|named| named.as_object_mut());
        for model in models.into_iter().flat_map(|named| named.values_mut()) {
            for key in WITHOUT_EFFECT.iter().filter_map(|key| key.strip_prefix("llm.")) {
                if let Some(model) = model.as_object_mut() {
                    model.shift_remove(key);
                }
            }
        }
        let mut digest = sha256(tree.to_string().as_bytes());
        digest.truncate(16);
        digest
    }
}
