//! The client: one call, its tries, and what it learns of the server.

use crate::{
    LlmError, LlmSettings, SchemaMode,
    backoff::seed_of,
    classify::{Failure, is_too_long},
    complaint::{Complaint, complaint},
    connection::{Answered, Connection},
    deadline::{self, Budget},
    dialect::Dialect,
    echo::without_echo,
    limiter::{Limiter, TooLate, tokens_of},
    reply::{self, EMPTY},
    watch::{self, Written},
    wire::{self, Ask, NoReply, Wire, stream},
};
use serde_json::Value;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use text::tokens::least;
use types::{
    BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, PROMPT_CUT, Usage, locked,
};

/// Tokens that any context window has.
const SMALLEST_WINDOW: u64 = 256;

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
            return Err(LlmError::Temperature { value: value.to_string() });
        }
        let limiter = Limiter::new(&settings)?;
        let wire = wire::of(settings.api);
        let connection = Connection::new(settings.served(wire.route()), key_of)?;
        let state = State { dialect: Dialect::new(&settings, wire.ways()), notes: Vec::new() };
        Ok(Self { settings, wire, connection, limiter, state: Mutex::new(state) })
    }

    /// The address of the chat call, as errors show it: without user, password, query and fragment.
    pub fn url(&self) -> &str {
        self.connection.url()
    }

    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, ChatFailure> {
        let mut usage = Usage::default();
        let result = self.tries(request, &mut usage).await;
        let mut notes = locked(&self.state).notes.clone();
        match result {
            Ok(mut reply) => {
                notes.append(&mut reply.notes);
                (reply.notes, reply.usage) = (notes, usage);
                Ok(reply)
            }
            Err(error) => Err(ChatFailure { error, usage, notes: Arc::new(notes) }),
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
                    let last =
                        if last.is_empty() { format!("not sent, waiting for llm.{limit}") } else { last };
                    return Err(self.out_of_time(budget, wait, last));
                }
            };
            let limit = match budget.map(Budget::left) {
                Some(left) if left.is_zero() => return Err(self.out_of_time(budget, Duration::ZERO, last)),
                Some(left) => left.min(self.settings.timeout),
                None => self.settings.timeout,
            };
            spent.requests += 1;
            let streamed = watch::current().is_some() && !locked(&self.state).dialect.whole;
            let result = self.try_once(request, spent, limit).await;
            drop(place);
            let failure = match result {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            spent.failed_requests += 1;
            let Some(failure) = failure else { continue };
            let (error, asked) = match failure {
                Failure::Final(ChatError::Timeout { .. }) if limit < self.settings.timeout => {
                    return Err(self.out_of_time(budget, Duration::ZERO, last));
                }
                Failure::Final(error) if self.unstreamed(streamed, &error) => continue,
                Failure::Retry { error, most, .. }
                    if retries >= most && self.unstreamed(streamed, &error) =>
                {
                    continue;
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

    /// One request, of at most `limit`. Tokens are added to `spent`, whose requests include this one. No failure is named where
    /// the request is to be sent again, written in another way.
    async fn try_once(
        &self,
        request: &ChatRequest,
        spent: &mut Usage,
        limit: Duration,
    ) -> Result<ChatReply, Option<Failure>> {
        let attempts = spent.requests;
        let dialect = locked(&self.state).dialect;
        let ask = Ask {
            model: &self.settings.model,
            temperature: self.settings.temperature,
            max_tokens: self.max_tokens(request),
            request,
        };
        let mut body = self.wire.body(&ask, dialect.schema);
        let events = watch::current().filter(|_| !dialect.whole).map(|watcher| {
            stream::ask_for(self.settings.api, &mut body);
            watcher(Written::Begin);
            (stream::Lines::new(self.settings.api), watcher)
        });
        dialect.apply(&mut body);
        let Answered { status, body: text, wait } =
            self.connection.post(&body, limit, attempts, events).await?;
        let classifier = self.connection.classifier(attempts);
        let hidden = |said: &str| without_echo(said, &[&*request.user]);
        let refused = |status: u16, said: &Complaint| {
            let shown = hidden(&said.shown);
            let said = &Complaint { shown, ..said.clone() };
            // Of a key, of credit, of requests in a minute: no other way to write the request helps.
            let fixed = matches!(status, 401..=403 | 408 | 425 | 429) || is_too_long(status, &said.words);
            if !fixed && self.adapt(dialect, &body, said, status) {
                return None;
            }
            Some(classifier.status(status, said, wait))
        };
        if !(200..300).contains(&status) {
            return Err(refused(status, &complaint(&text)));
        }
        let (failure, tokens) =
            match reply::parse(self.wire, &text, request.schema.as_ref().map(|own| &own.schema)) {
                Ok(reply) => {
                    reply.tokens.add_to(spent);
                    let model = reply.model.unwrap_or_else(|| self.settings.model.clone());
                    return Ok(ChatReply {
                        // Here, where replies are read, so that nothing behind this point ever holds a key.
                        text: self.connection.secrets.scrub_reply(&reply.text),
                        model: self.connection.secrets.scrub_reply(&model),
                        truncated: reply.truncated,
                        notes: self.prompt_cut(request, reply.tokens.read).into_iter().collect(),
                        ..ChatReply::default()
                    });
                }
                Err(NoReply::Error(said)) => return Err(refused(said.status.unwrap_or(status), &said)),
                Err(NoReply::NoAnswer(reason, tokens)) => (classifier.no_answer(&hidden(&reason)), tokens),
                Err(NoReply::Empty(reason, tokens)) if body["stream"] != true => {
                    (classifier.overloaded(status, &reason, wait), tokens)
                }
                Err(NoReply::Empty(reason, tokens) | NoReply::Shape(reason, tokens)) => {
                    (classifier.malformed(&reason, &hidden(&text)), tokens)
                }
            };
        tokens.add_to(spent);
        Err(Some(failure))
    }

    /// A note that the server, which reports `read` tokens, read only a part of the prompt. Fewer than a window can have say
    /// nothing: some servers report only what they have not read before.
    fn prompt_cut(&self, request: &ChatRequest, read: u64) -> Option<String> {
        let least = (least(&request.system) + least(&request.user)) as u64;
        let cut = (SMALLEST_WINDOW..least).contains(&read);
        cut.then(|| {
            format!(
                "{PROMPT_CUT}: {} at {} read {read} tokens of more than {least}; raise the context length of the server \
                 (for Ollama OLLAMA_CONTEXT_LENGTH, or llm.provider = \"ollama\", which sends num_ctx), or lower \
                 generate.max_context_chars",
                self.settings.model,
                self.url()
            )
        })
    }

    /// Learns from a rejection. True when the same request, written anew, is worth sending.
    fn adapt(&self, dialect: Dialect, body: &Value, said: &Complaint, status: u16) -> bool {
        let mut state = locked(&self.state);
        // A call beside this one has already learnt something: that may be the cure.
        if state.dialect != dialect {
            return true;
        }
        let auto = self.settings.schema_mode == SchemaMode::Auto;
        let Some((dialect, what)) = dialect.after(body, &said.words, auto, self.wire.ways()) else {
            return false;
        };
        let said = format!("HTTP {status}: {}", said.shown);
        self.learn(&mut state, dialect, &what, &said);
        true
    }

    /// Whether a reply that was asked for as it is written is worth asking for as a whole: not if the error is an answer, such
    /// as a refusal.
    fn unstreamed(&self, streamed: bool, error: &ChatError) -> bool {
        let unanswered = match error {
            ChatError::Malformed { .. } | ChatError::Rejected { .. } => true,
            ChatError::Overloaded { status, .. } => *status != 429,
            ChatError::NoAnswer { reason, .. } => reason.starts_with(EMPTY),
            _ => false,
        };
        let mut state = locked(&self.state);
        if streamed && unanswered && !state.dialect.whole {
            let (dialect, what) = state.dialect.unstreamed();
            self.learn(&mut state, dialect, &what, &error.to_string());
        }
        streamed && unanswered
    }

    /// Notes a change of the dialect, and why.
    fn learn(&self, state: &mut State, dialect: Dialect, what: &str, said: &str) {
        let said = self.connection.secrets.preview(said);
        let (model, url) = (&self.settings.model, self.url());
        state.dialect = dialect;
        state.notes.push(format!("{model} at {url} {what} ({said})"));
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
