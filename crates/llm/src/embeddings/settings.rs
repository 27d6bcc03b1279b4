//! What the client of an embeddings server is told.

use crate::{
    Backoff,
    served::{Route, Served},
};
use std::time::Duration;
use types::digest::sha256_of_parts;

/// Bytes of an answer that are read: 256 vectors of 4,096 numbers have about 24 MiB.
const LARGEST_ANSWER: usize = 64 << 20;

/// Settings of a [`crate::RemoteEmbedder`].
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingsSettings {
    /// Address up to and including the version, such as `http://127.0.0.1:11434/v1`; `/embeddings` is added to its
    /// path.
    pub base_url: String,
    /// The model, as the server calls it.
    pub model: String,
    /// The environment variable that holds the key; empty for a server that wants none.
    pub api_key_env: String,
    /// The dimension to ask for; `None` leaves it to the model.
    pub dimensions: Option<usize>,
    /// Maximum length of a text in tokens, as the counter counts them.
    pub max_tokens: usize,
    /// Texts in one request, at least 1.
    pub batch_size: usize,
    /// Requests at the same time, at least 1.
    pub concurrency: usize,
    /// Put before each question.
    pub query_prefix: String,
    /// Put before each passage.
    pub passage_prefix: String,
    /// Limit of one try.
    pub timeout: Duration,
    /// Tries after the first one.
    pub max_retries: u32,
    /// How long to wait between tries.
    pub backoff: Backoff,
}

impl EmbeddingsSettings {
    /// Identifies the vectors: the model's name and whatever else changes them. The address is left out, so that a
    /// server may move; a server that has another model under the same name is not noticed, unless the dimension
    /// differs.
    pub fn id(&self) -> String {
        let numbers = format!("{:?} {}", self.dimensions, self.max_tokens);
        let parts = [&self.model, &numbers, &self.query_prefix, &self.passage_prefix].map(String::as_bytes);
        let mut digest = sha256_of_parts(&parts);
        digest.truncate(12);
        format!("openai:{}-{digest}", self.model)
    }

    pub(super) fn served(&self) -> Served {
        Served {
            section: "embedding",
            base_url: self.base_url.clone(),
            route: Route::openai("/embeddings"),
            model: self.model.clone(),
            largest_body: LARGEST_ANSWER,
            api_key_env: self.api_key_env.clone(),
            timeout: self.timeout,
            max_retries: self.max_retries,
            backoff: self.backoff,
        }
    }
}
