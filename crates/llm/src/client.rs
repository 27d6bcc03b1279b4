//! The client: one call, its tries, and what it learns of the server.

use crate::{
    LlmError, LlmSettings, SchemaMode,
    backoff::{retry_after, seed_of},
    dialect::{Dialect, Sent},
    endpoint::Endpoint,
    reply::{self, BadReply},
    request,
    secret::Secrets,
    transport::{chain, http_client, read},
};
use jiff::Timestamp;
use reqwest::{
    Client,
    header::{AUTHORIZATION, HeaderMap, HeaderValue},
};
use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use types::{BoxFuture, ChatError, ChatModel, ChatReply, ChatRequest, Usage};

/// A model behind an OpenAI-compatible server. Cheap to share behind an `Arc`; calls run side by side.
pub struct OpenAiChat {
    settings: LlmSettings,
    endpoint: Endpoint,
    http: Client,
    secrets: Secrets,
    state: Mutex<State>,
}

/// What a client learns while it works.
struct State {
    dialect: Dialect,
    notes: Vec<String>,
    spent: Usage,
}

/// Why a try gave no reply.
enum Failure {
    /// No other try can help.
    Final(ChatError),
    /// The server wants to be asked otherwise.
    Adapt,
    /// Another try may help, after the wait that the server asked for.
    Retry {
        error: ChatError,
        wait: Option<Duration>,
    },
}

impl OpenAiChat {
    /// A client for the settings. The key is read from the environment variable that they name.
    ///
    /// # Errors
    /// [`LlmError`] when the address, the temperature, the model or the key cannot be used. Nothing is sent.
    pub fn new(settings: LlmSettings) -> Result<Self, LlmError> {
        Self::with_keys(settings, |name| std::env::var(name).ok())
    }

    /// As [`Self::new`], with keys taken from `key_of` instead of the environment.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_keys(
        settings: LlmSettings,
        key_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, LlmError> {
        let mut secrets = Secrets::default();
        let mut endpoint = Endpoint::parse(&settings.base_url, &mut secrets)?;
        if settings.model.trim().is_empty() {
            return Err(LlmError::NoModel { url: endpoint.shown });
        }
        if let Some(value) = settings.temperature.filter(|t| !(0.0..=2.0).contains(t)) {
            return Err(LlmError::Temperature {
                value: value.to_string(),
            });
        }
        let name = settings.api_key_env.trim();
        let key = if name.is_empty() { None } else { key_of(name) };
        let mut headers = HeaderMap::new();
        if let Some(key) = key.as_deref().map(str::trim).filter(|k| !k.is_empty()) {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| LlmError::Key {
                key_env: name.to_owned(),
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
            secrets.add(key);
            endpoint.drop_login();
        }
        let http = http_client(&settings, &endpoint, headers)?;
        let state = State {
            dialect: Dialect::new(&settings),
            notes: Vec::new(),
            spent: Usage::default(),
        };
        Ok(Self {
            settings,
            endpoint,
            http,
            secrets,
            state: Mutex::new(state),
        })
    }

    /// What had to be given up because the server does not take it, each once, in the order of discovery.
    /// Belongs into the warnings of a run.
    pub fn notes(&self) -> Vec<String> {
        self.state().notes.clone()
    }

    /// What all calls so far spent, failed ones included.
    pub fn spent(&self) -> Usage {
        self.state().spent
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change under this lock is whole in itself, so a poisoned lock still holds valid state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let seed = seed_of(&[&self.settings.model, &request.system, &request.user]);
        let (mut requests, mut retries) = (0, 0);
        loop {
            requests += 1;
            match self.try_once(request, requests).await {
                Ok(reply) => return Ok(reply),
                Err(Failure::Adapt) => {}
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Retry { error, .. }) if retries >= self.settings.max_retries => {
                    return Err(error);
                }
                Err(Failure::Retry { wait, .. }) => {
                    tokio::time::sleep(self.settings.backoff.wait(retries, wait, seed)).await;
                    retries += 1;
                }
            }
        }
    }

    /// One request. `attempts` counts it and those before it.
    async fn try_once(&self, request: &ChatRequest, attempts: u32) -> Result<ChatReply, Failure> {
        let dialect = {
            let mut state = self.state();
            state.spent.requests += 1;
            state.dialect
        };
        let max_tokens = request.max_tokens.or(self.settings.max_tokens);
        let sent = Sent {
            dialect,
            schema: request.schema.is_some(),
            max_tokens: max_tokens.is_some(),
        };
        let body = request::body(
            &self.settings.model,
            self.settings.temperature,
            max_tokens,
            request,
            sent,
        );
        let broken = |error: reqwest::Error| self.transport(error, attempts);
        let response = self
            .http
            .post(self.endpoint.url.clone())
            .json(&body)
            .send()
            .await
            .map_err(broken)?;
        let status = response.status();
        let wait = retry_after(response.headers(), Timestamp::now());
        let text = read(response).await.map_err(broken)?;
        if !status.is_success() {
            return Err(self.refused(status.as_u16(), &text, wait, sent, attempts));
        }
        match reply::parse(&text, sent.schema) {
            Ok(reply) => {
                self.state().spent.add(reply.usage(0));
                let usage = reply.usage(attempts);
                let model = reply.model.unwrap_or_else(|| self.settings.model.clone());
                Ok(ChatReply {
                    text: reply.text,
                    model,
                    usage,
                    truncated: reply.truncated,
                })
            }
            Err(BadReply::Error { status: own, .. }) => {
                Err(self.refused(own.unwrap_or(status.as_u16()), &text, wait, sent, attempts))
            }
            Err(BadReply::Shape(reason)) => Err(Failure::Final(ChatError::Malformed {
                model: self.settings.model.clone(),
                reason: self.secrets.preview(&reason),
                preview: self.secrets.preview(&text),
            })),
        }
    }

    /// What to make of a status that is no success.
    fn refused(&self, status: u16, body: &str, wait: Option<Duration>, sent: Sent, attempts: u32) -> Failure {
        let url = self.endpoint.shown.clone();
        let complaint = reply::complaint(body);
        let body = self.secrets.preview(&complaint);
        match status {
            400 | 422 if self.adapt(sent, &complaint, status) => Failure::Adapt,
            401 | 403 => Failure::Final(ChatError::Auth {
                url,
                status,
                key_env: self.key_env(),
            }),
            // Out of credit is not out of breath: waiting does not help.
            429 if complaint.contains("insufficient_quota") => {
                Failure::Final(ChatError::Rejected { url, status, body })
            }
            408 | 425 | 429 | 500 | 502..=504 | 506..=599 => Failure::Retry {
                error: ChatError::Overloaded {
                    url,
                    status,
                    attempts,
                    body,
                },
                wait,
            },
            _ => Failure::Final(ChatError::Rejected { url, status, body }),
        }
    }

    /// Learns from a rejection. True when the same request, written anew, is worth sending.
    fn adapt(&self, sent: Sent, complaint: &str, status: u16) -> bool {
        let mut state = self.state();
        // A call beside this one has already learnt something: that may be the cure.
        if state.dialect != sent.dialect {
            return true;
        }
        let auto = self.settings.schema_mode == SchemaMode::Auto;
        let Some((dialect, what)) = Dialect::after(sent, complaint, auto) else {
            return false;
        };
        let said = self.secrets.preview(complaint);
        let (model, url) = (&self.settings.model, &self.endpoint.shown);
        state.dialect = dialect;
        state
            .notes
            .push(format!("{model} at {url} {what} (HTTP {status}: {said})"));
        true
    }

    /// What to make of a transport that failed.
    fn transport(&self, error: reqwest::Error, attempts: u32) -> Failure {
        let url = self.endpoint.shown.clone();
        if error.is_timeout() {
            let error = ChatError::Timeout {
                url,
                timeout: self.settings.timeout,
                attempts,
            };
            return Failure::Retry { error, wait: None };
        }
        let lasting = error.is_builder();
        let reason = self.secrets.preview(&chain(&error.without_url()));
        let error = ChatError::Network {
            url,
            attempts,
            reason,
        };
        if lasting {
            Failure::Final(error)
        } else {
            Failure::Retry { error, wait: None }
        }
    }

    fn key_env(&self) -> String {
        match self.settings.api_key_env.trim() {
            "" => "that llm.api_key_env names".to_owned(),
            name => name.to_owned(),
        }
    }
}

impl ChatModel for OpenAiChat {
    fn id(&self) -> &str {
        &self.settings.model
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatError>> {
        Box::pin(self.ask(request))
    }
}

impl fmt::Debug for OpenAiChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the settings: their address may hold a password.
        f.debug_struct("OpenAiChat")
            .field("url", &self.endpoint.shown)
            .field("model", &self.settings.model)
            .field("secrets", &self.secrets)
            .finish_non_exhaustive()
    }
}
