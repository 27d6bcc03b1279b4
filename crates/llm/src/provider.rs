//! Builds a language model from settings: the client of the provider and the wrappers around it.

use crate::{ChatClient, FailFast, LlmError, LlmSettings};
use std::sync::Arc;
use types::ChatModel;

/// The model that the settings describe. The key is read from the environment variable that they name.
///
/// After `give_up_after` failed calls in a row, no further call is made ([`FailFast`]). Calls are counted if a stage
/// wraps the model in [`crate::Metered`]. A cache of replies belongs between the two: a cached reply costs nothing and
/// needs no server.
///
/// # Errors
/// [`LlmError`] when the address, the temperature, a limit, the model or the key cannot be used. Nothing is sent.
pub fn provider(settings: LlmSettings) -> Result<Arc<dyn ChatModel>, LlmError> {
    provider_with_keys(settings, |name| std::env::var(name).ok())
}

/// As [`provider`], with keys taken from `key_of` instead of the environment.
///
/// # Errors
/// As [`provider`].
pub fn provider_with_keys(
    settings: LlmSettings,
    key_of: impl Fn(&str) -> Option<String>,
) -> Result<Arc<dyn ChatModel>, LlmError> {
    let after = settings.give_up_after;
    let client = ChatClient::with_keys(settings, key_of)?;
    let url = client.url().to_owned();
    Ok(Arc::new(FailFast::new(client, url, after)))
}
