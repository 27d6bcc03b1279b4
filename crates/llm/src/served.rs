//! What chat and embeddings have in common: a server and its model.

use crate::Backoff;
use std::time::Duration;

/// Where a model is served, and how patient to be.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    /// The section of the settings, for messages: `llm` or `embedding`.
    pub(crate) section: &'static str,
    /// Address up to and including the version.
    pub(crate) base_url: String,
    /// What is added to its path: `/chat/completions` or `/embeddings`.
    pub(crate) call: &'static str,
    /// The model, as the server calls it.
    pub(crate) model: String,
    /// The environment variable that holds the key; empty for none.
    pub(crate) api_key_env: String,
    /// Bytes of an answer that are read.
    pub(crate) largest_body: usize,
    /// Limit of one try.
    pub(crate) timeout: Duration,
    /// Tries after the first one.
    pub(crate) max_retries: u32,
    /// How long to wait between tries.
    pub(crate) backoff: Backoff,
}
