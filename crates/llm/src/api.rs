//! The formats in which servers take requests.

use serde::{Deserialize, Serialize};

/// How requests are written and replies are read.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// OpenAI's chat completions, which most servers offer: `POST {base_url}/chat/completions`.
    #[default]
    #[serde(rename = "openai")]
    OpenAi,
    /// Anthropic's messages: `POST {base_url}/messages`.
    Anthropic,
    /// Ollama's own format: `POST {base_url}/api/chat`. A `base_url` that ends in `/v1` or `/api` is accepted too.
    Ollama,
}

impl Api {
    /// The name as written in settings.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
