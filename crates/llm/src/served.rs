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
    /// How the call is made.
    pub(crate) route: Route,
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

/// The path and the headers of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// What is added to the path of the address, such as `/chat/completions`.
    pub(crate) call: &'static str,
    /// Ends of the address's path that are left out first.
    pub(crate) left_out: &'static [&'static str],
    /// The header that carries the key.
    pub(crate) key: KeyHeader,
    /// Headers that every request carries.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}

impl Route {
    /// A call of an OpenAI-compatible server.
    pub(crate) const fn openai(call: &'static str) -> Self {
        Self { call, left_out: &[], key: KeyHeader::Bearer, headers: &[] }
    }

    /// Whether an address of a call lacks the version that those of OpenAI-compatible servers have.
    pub(crate) fn lacks_version(&self, url: &str) -> bool {
        let versioned = |part: &str| {
            part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        self.left_out.is_empty() && !url.split('/').any(versioned)
    }
}

/// The header that carries the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `Authorization: Bearer`, or `api-key` where the address is one of Azure.
    Bearer,
    /// `x-api-key`.
    XApiKey,
}
