//! The client: one call, its tries, and what it learns of the server.

use crate::{
    LlmError, LlmSettings, SchemaMode,
    backoff::seed_of,
    classify::{Classifier, Failure},
    complaint::complaint,
    connection::{Answered, Connection},
    deadline::{self, Budget},
    dialect::{Dialect, Sent},
    limiter::{End, Limiter, TooLate, tokens_of},
    reply::{self, BadReply},
    watch::{self, Written},
    wire::{self, Ask, NoReply, Wire, stream},
};
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use types::{BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Usage};

/// A model behind a server. Cheap to share behind an `Arc`; calls run side by side, as far as the limits of the settings
/// allow. It asks however often a server has failed: [`crate::provider`] puts [`crate::FailFast`] around it.
pub struct ChatClient {
    settings: LlmSettings,
    wire: &'static dyn Wire,
    connection: Connection,
    limiter: Limiter,
    state: Mutex<State>,
}

/// What a client learns while it works.
struct State {
    dialect: Dialect,
    /// What had to be given up because the server does not take it, each once, in the order of discovery.
    notes: Vec<String>,
}

impl ChatClient {
    /// A client for the settings; `key_of` gives the key in the environment variable that they name.
    ///
    /// # Errors
    /// [`LlmError`] when the address, the temperature, a limit, the model or the key cannot be used. Nothing is sent.
    pub fn with_keys(
        settings: LlmSettings,
        key_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, LlmError> {
        if let Some(value) = settings.temperature.filter(|t| !(0.0..=2.0).contains(t)) {
            return Err(LlmError::Temperature {
                value: value.to_string(),
            });
        }
        let limiter = Limiter::new(&settings)?;
        let wire = wire::of(settings.api);
        let connection = Connection::new(settings.served(wire.route()), key_of)?;
        let state = State {
            dialect: Dialect::new(&settings, wire.leeway()),
            notes: Vec::new(),
        };
        Ok(Self {
            settings,
            wire,
            connection,
            limiter,
            state: Mutex::new(state),
        })
    }

    /// The address of the chat call, as errors show it: without user, password, query and fragment.
    pub fn url(&self) -> &str {
        self.connection.url()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change under this lock is whole in itself, so a poisoned lock still holds valid state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, ChatFailure> {
        let mut usage = Usage::default();
        let result = self.tries(request, &mut usage).await;
        let notes = self.state().notes.clone();
        match result {
            Ok(reply) => Ok(ChatReply {
                usage,
                notes,
                ..reply
            }),
            Err(error) => Err(ChatFailure {
                error,
                usage,
                notes: Arc::new(notes),
            }),
        }
    }

    /// Asks until there is a reply, no other try can help, or the time is over. What it takes is added to `spent`.
    async fn tries(&self, request: &ChatRequest, spent: &mut Usage) -> Result<ChatReply, ChatError> {
        let seed = seed_of(&[&self.settings.model, &request.system, &request.user]);
        let tokens = tokens_of(request, self.max_tokens(request));
        let budget = deadline::current();
        let mut retries = 0;
        let mut last = String::new();
        loop {
            let place = match self.limiter.enter(tokens, budget).await {
                Ok(place) => place,
                Err(TooLate(limit, wait)) => {
                    let last = if last.is_empty() {
                        format!("not sent, waiting for llm.{limit}")
                    } else {
                        last
                    };
                    return Err(self.out_of_time(budget, wait, last));
                }
            };
            let limit = match budget.map(Budget::left) {
                Some(left) if left.is_zero() => return Err(self.out_of_time(budget, Duration::ZERO, last)),
                Some(left) => left.min(self.settings.timeout),
                None => self.settings.timeout,
            };
            spent.requests += 1;
            let result = self.try_once(request, spent, limit).await;
            place.ended(end_of(&result));
            let failure = match result {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            spent.failed_requests += 1;
            let (error, asked) = match failure {
                Failure::Adapt => continue,
                Failure::Final(ChatError::Timeout { .. }) if limit < self.settings.timeout => {
                    return Err(self.out_of_time(budget, Duration::ZERO, last));
                }
                Failure::Final(error) => return Err(error),
                Failure::Retry { error, most, .. } if retries >= most => return Err(error),
                Failure::Retry { error, wait, .. } => (error, wait),
            };
            last = error.to_string();
            let wait = self.settings.backoff.wait(retries, asked, seed);
            if budget.is_some_and(|budget| budget.left() <= wait) {
                return Err(self.out_of_time(budget, wait, last));
            }
            tokio::time::sleep(wait).await;
            retries += 1;
        }
    }

    /// The bound of a reply.
    fn max_tokens(&self, request: &ChatRequest) -> Option<u32> {
        request.max_tokens.or(self.settings.max_tokens)
    }

    fn out_of_time(&self, budget: Option<Budget>, wait: Duration, last: String) -> ChatError {
        ChatError::Deadline {
            url: self.url().to_owned(),
            limit: budget.map_or(self.settings.timeout, |budget| budget.limit),
            elapsed_ms: budget.map_or(self.settings.timeout, Budget::elapsed).as_millis() as u64,
            wait_ms: wait.as_millis() as u64,
            last,
        }
    }

    /// One request, of at most `limit`. Tokens are added to `spent`, whose requests include this one.
    async fn try_once(
        &self,
        request: &ChatRequest,
        spent: &mut Usage,
        limit: Duration,
    ) -> Result<ChatReply, Failure> {
        let attempts = spent.requests;
        let dialect = self.state().dialect;
        let ask = Ask {
            model: &self.settings.model,
            temperature: self.settings.temperature,
            max_tokens: self.max_tokens(request),
            request,
        };
        let sent = Sent {
            dialect,
            schema: request.schema.is_some(),
            max_tokens: ask.max_tokens.is_some(),
        };
        let mut body = self.wire.body(&ask, dialect);
        let events = watch::current().map(|watcher| {
            stream::ask_for(self.settings.api, &mut body);
            watcher(Written::Begin);
            (stream::Lines::new(self.settings.api), watcher)
        });
        let Answered {
            status,
            body: text,
            wait,
        } = self.connection.post(&body, limit, attempts, events).await?;
        let classifier = self.connection.classifier(attempts);
        if !(200..300).contains(&status) {
            return Err(self.refused(&classifier, status, &text, wait, sent));
        }
        match reply::parse(self.wire, &text, sent.schema) {
            Ok(reply) => {
                reply.tokens.add_to(spent);
                let model = reply.model.unwrap_or_else(|| self.settings.model.clone());
                Ok(ChatReply {
                    // Here, where replies are read, so that nothing behind this point ever holds a key.
                    text: self.connection.secrets.scrub_reply(&reply.text),
                    model: self.connection.secrets.scrub_reply(&model),
                    truncated: reply.truncated,
                    repairs: reply.repairs.into_iter().map(str::to_owned).collect(),
                    ..ChatReply::default()
                })
            }
            Err(BadReply::Error(own)) => {
                Err(self.refused(&classifier, own.unwrap_or(status), &text, wait, sent))
            }
            Err(BadReply::NoReply(NoReply::NoAnswer(reason, tokens))) => {
                tokens.add_to(spent);
                Err(classifier.no_answer(&reason))
            }
            Err(BadReply::NoReply(NoReply::Shape(reason, tokens))) => {
                tokens.add_to(spent);
                Err(classifier.malformed(&reason, &text))
            }
        }
    }

    /// What to make of a status that is no success.
    fn refused(
        &self,
        classifier: &Classifier<'_>,
        status: u16,
        body: &str,
        wait: Option<Duration>,
        sent: Sent,
    ) -> Failure {
        let complaint = complaint(body);
        if matches!(status, 400 | 422) && self.adapt(sent, &complaint.words, status) {
            return Failure::Adapt;
        }
        classifier.status(status, &complaint, wait)
    }

    /// Learns from a rejection. True when the same request, written anew, is worth sending.
    fn adapt(&self, sent: Sent, complaint: &str, status: u16) -> bool {
        let mut state = self.state();
        // A call beside this one has already learnt something: that may be the cure.
        if state.dialect != sent.dialect {
            return true;
        }
        let auto = self.settings.schema_mode == SchemaMode::Auto;
        let Some((dialect, what)) = Dialect::after(sent, complaint, auto, self.wire.leeway()) else {
            return false;
        };
        let said = self.connection.secrets.preview(complaint);
        let (model, url) = (&self.settings.model, self.url());
        state.dialect = dialect;
        state
            .notes
            .push(format!("{model} at {url} {what} (HTTP {status}: {said})"));
        true
    }
}

/// What the end of a try tells of the server's limits.
fn end_of(result: &Result<ChatReply, Failure>) -> End {
    match result {
        Ok(_) => End::Success,
        Err(Failure::Retry {
            error: ChatError::Overloaded { status: 429, .. },
            ..
        }) => End::TooMany,
        Err(_) => End::Other,
    }
}

impl ChatModel for ChatClient {
    fn id(&self) -> &str {
        &self.settings.model
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        Box::pin(self.ask(request))
    }
}

impl fmt::Debug for ChatClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the settings: their address may hold a password.
        f.debug_struct("ChatClient")
            .field("connection", &self.connection)
            .finish_non_exhaustive()
    }
}
