//! The transport: one HTTP client, bodies of bounded size, errors with their causes.

use crate::{LlmError, endpoint::Endpoint};
use reqwest::{Client, Response, header::HeaderMap, redirect::Policy};
use std::time::Duration;

/// Longest time for a connection to come about, where the limit of a try is not shorter.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The HTTP client of a model.
///
/// # Errors
/// [`LlmError::Client`] when TLS cannot be set up.
pub(crate) fn http_client(
    timeout: Duration,
    endpoint: &Endpoint,
    headers: HeaderMap,
) -> Result<Client, LlmError> {
    // Fails only when some other part of the process has chosen a provider already, which then serves too.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .default_headers(headers)
        .timeout(timeout)
        .connect_timeout(CONNECT_TIMEOUT.min(timeout))
        // A redirect would carry the papers' text to a server that nobody named.
        .redirect(Policy::none())
        .user_agent(concat!("pipeline/", env!("CARGO_PKG_VERSION")));
    if endpoint.url.scheme() == "http" {
        // Reading the system's certificates takes time and fails where there are none; http needs none.
        builder = builder.tls_certs_only([]);
    }
    if endpoint.loopback {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| LlmError::Client { reason: chain(&error.without_url()) })
}

/// The whole body as text, or `None` when it has more than `largest` bytes. `next` sees its bytes as they come.
pub(crate) async fn read(
    mut response: Response,
    largest: usize,
    mut next: impl FnMut(&[u8]),
) -> Result<Option<String>, reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if bytes.len() + piece.len() > largest {
            return Ok(None);
        }
        next(&piece);
        bytes.extend_from_slice(&piece);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// An error with its causes: the outermost one alone says little ("error sending request").
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// The innermost cause of an error: of a connection that does not come about the others only say that it did not.
pub fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
