//! Clients and requests.

use llm::{Backoff, LlmSettings};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use types::{ChatModel, ChatRequest};

/// Settings that wait for milliseconds only.
pub(crate) fn settings(base_url: &str) -> LlmSettings {
    LlmSettings {
        base_url: base_url.to_owned(),
        model: "m".to_owned(),
        api_key_env: "TEST_KEY".to_owned(),
        timeout: Duration::from_secs(20),
        max_retries: 2,
        backoff: Backoff {
            base: Duration::from_millis(1),
            cap: Duration::from_millis(4),
            retry_after_cap: Duration::from_millis(30),
        },
        ..LlmSettings::default()
    }
}

/// A model without a key.
pub(crate) fn client(settings: LlmSettings) -> Arc<dyn ChatModel> {
    llm::provider_with_keys(settings, |_| None).expect("settings are right")
}

/// A request for text.
pub(crate) fn plain() -> ChatRequest {
    ChatRequest { system: "be brief".into(), user: "why?".into(), schema: None, max_tokens: Some(50) }
}

/// A request for JSON.
pub(crate) fn structured() -> ChatRequest {
    let schema = types::JsonSchema { name: "answer".into(), schema: json!({"type": "object"}) };
    ChatRequest { schema: Some(schema), ..plain() }
}
