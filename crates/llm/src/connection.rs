//! A server, and one request to it: what chat and embeddings have in common.

use crate::{
    LlmError,
    backoff::retry_after,
    classify::{Classifier, Failure},
    endpoint::{Endpoint, USE_HTTPS, exposed_key},
    notice::warn_once,
    secret::Secrets,
    served::{KeyHeader, Served},
    transport::{http_client, read},
    watch::{Watcher, Written},
    wire::stream::Lines,
};
use jiff::Timestamp;
use reqwest::{
    Client,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;
use std::time::Duration;

/// A connection to a server. It holds the key and prints it nowhere.
pub(crate) struct Connection {
    pub(crate) served: Served,
    pub(crate) secrets: Secrets,
    endpoint: Endpoint,
    http: Client,
    key_sent: bool,
    /// Said before the key is sent, if others can read it.
    warning: Option<String>,
}

/// What a server answered.
pub(crate) struct Answered {
    /// HTTP status.
    pub(crate) status: u16,
    /// The body.
    pub(crate) body: String,
    /// What the server asks to wait before the next try.
    pub(crate) wait: Option<Duration>,
}

impl Connection {
    /// A connection; `key_of` gives the key in the environment variable that is named. Nothing is sent.
    ///
    /// # Errors
    /// When the address, the model or the key cannot be used.
    pub(crate) fn new(served: Served, key_of: impl Fn(&str) -> Option<String>) -> Result<Self, LlmError> {
        let mut secrets = Secrets::default();
        let mut endpoint = Endpoint::parse(&served, &mut secrets)?;
        if served.model.trim().is_empty() {
            return Err(LlmError::NoModel { section: served.section, url: endpoint.shown });
        }
        let name = served.api_key_env.trim();
        let key = if name.is_empty() { None } else { key_of(name) };
        let mut headers: HeaderMap = served
            .route
            .headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let mut key_sent = false;
        if let Some(key) = key.as_deref().map(str::trim).filter(|k| !k.is_empty()) {
            let (header, text) = match served.route.key {
                KeyHeader::XApiKey => (HeaderName::from_static("x-api-key"), key.to_owned()),
                KeyHeader::Bearer if endpoint.azure() => (HeaderName::from_static("api-key"), key.to_owned()),
                KeyHeader::Bearer => (AUTHORIZATION, format!("Bearer {key}")),
            };
            let mut value =
                HeaderValue::from_str(&text).map_err(|_| LlmError::Key { key_env: name.to_owned() })?;
            value.set_sensitive(true);
            headers.insert(header, value);
            secrets.add(key);
            endpoint.drop_login();
            key_sent = true;
        }
        let http = http_client(served.timeout, &endpoint, headers)?;
        let exposed = exposed_key(&served.base_url).filter(|_| key_sent);
        Ok(Self {
            warning: exposed.map(|what| format!("{what}; {USE_HTTPS}")),
            served,
            secrets,
            endpoint,
            http,
            key_sent,
        })
    }

    /// The address of the call, as errors show it: without user, password, query and fragment.
    pub(crate) fn url(&self) -> &str {
        &self.endpoint.shown
    }

    /// Sends one request and reads the answer, whatever its status, within `limit`. `attempts` counts the requests of
    /// this call, this one included. With `events`, the watcher is told what is written, and the body is that of the whole reply.
    pub(crate) async fn post(
        &self,
        body: &Value,
        limit: Duration,
        attempts: u32,
        mut events: Option<(Lines, Watcher)>,
    ) -> Result<Answered, Failure> {
        let classifier = self.classifier(attempts);
        if let Some(warning) = &self.warning {
            warn_once(warning);
        }
        let response = self
            .http
            .post(self.endpoint.url.clone())
            .timeout(limit)
            .json(body)
            .send()
            .await
            .map_err(|error| classifier.transport(error))?;
        let status = response.status().as_u16();
        let wait = retry_after(response.headers(), Timestamp::now());
        // An error is no reply that is being written.
        events = events.filter(|_| (200..300).contains(&status));
        let tell = |watcher: &Watcher, text: &str| watcher(Written::Text(&self.secrets.scrub_reply(text)));
        let next = |bytes: &[u8]| {
            if let Some((lines, watcher)) = &mut events {
                lines.take(bytes, &|text| tell(watcher, text));
            }
        };
        let text = read(response, self.served.largest_body, next)
            .await
            .map_err(|error| classifier.transport(error))?;
        let Some(mut body) = text else {
            let reason = format!("it has more than {} MiB", self.served.largest_body >> 20);
            return Err(classifier.malformed(&reason, ""));
        };
        if let Some((lines, watcher)) = events
            && let Some(whole) = lines.body(&|text| tell(&watcher, text))
        {
            body = whole;
        }
        Ok(Answered { status, body, wait })
    }

    /// Tells what a failed try means.
    pub(crate) fn classifier(&self, attempts: u32) -> Classifier<'_> {
        Classifier {
            served: &self.served,
            url: &self.endpoint.shown,
            secrets: &self.secrets,
            key_sent: self.key_sent,
            attempts,
        }
    }
}
