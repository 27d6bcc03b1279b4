//! The environment variables `RAG_EVAL_*`, by which evaluations of other systems choose their language model.
//!
//! They count only if no layer sets `llm.provider`, and only for keys that no layer sets. Without any of them, nothing
//! changes: the pipeline stays offline.

use crate::settings::{Layers, Origin, SettingsError};
use toml::Value;

/// What their names begin with.
pub(crate) const RAG_EVAL_PREFIX: &str = "RAG_EVAL_";

/// The variables, without the prefix.
const NAMES: [&str; 5] =
    ["PROVIDER", "OLLAMA_BASE_URL", "OLLAMA_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_MODEL"];
const OLLAMA_BASE_URL: &str = "http://localhost:11434";
const OLLAMA_MODEL: &str = "llama3.1:8b";
const ANTHROPIC_KEY: &str = "RAG_EVAL_ANTHROPIC_API_KEY";
const ANTHROPIC_MODEL: &str = "claude-3-5-sonnet-20241022";

impl Layers {
    /// Takes the language model of answers and judge from the variables, if any of them is set.
    ///
    /// # Errors
    /// When the provider is unknown.
    pub(super) fn add_rag_eval(&mut self, variables: &[(String, String)]) -> Result<(), SettingsError> {
        let of = |name: &str| {
            let found = variables.iter().find(|(own, _)| own[RAG_EVAL_PREFIX.len()..] == *name);
            found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
        };
        let unset = |layers: &Self, key: &str| layers.get(key).is_none_or(|(_, origin)| origin.is_default());
        let ours = NAMES.iter().any(|name| of(name).is_some());
        if !ours || !unset(self, "llm.provider") {
            return Ok(());
        }
        let provider = of("PROVIDER").unwrap_or("ollama");
        let (base_url, key, model) = match provider {
            "ollama" => (
                of("OLLAMA_BASE_URL").unwrap_or(OLLAMA_BASE_URL),
                "",
                of("OLLAMA_MODEL").unwrap_or(OLLAMA_MODEL),
            ),
            "anthropic" => ("", ANTHROPIC_KEY, of("ANTHROPIC_MODEL").unwrap_or(ANTHROPIC_MODEL)),
            other => {
                return Err(SettingsError::Range {
                    key: "RAG_EVAL_PROVIDER".to_owned(),
                    value: format!("{other:?}"),
                    limit: "\"ollama\" or \"anthropic\"; set llm.provider for others".to_owned(),
                });
            }
        };
        let origin = Origin::Environment(format!("{RAG_EVAL_PREFIX}*"));
        for (name, value) in [
            ("llm.provider", provider),
            ("llm.base_url", base_url),
            ("llm.api_key_env", key),
            ("llm.model", model),
            ("eval.judge", "auto"),
        ] {
            if unset(self, name) && !value.is_empty() {
                self.set(name, Value::String(value.to_owned()), &origin)?;
            }
        }
        Ok(())
    }
}
