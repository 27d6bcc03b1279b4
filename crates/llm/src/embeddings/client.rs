//! The client: texts in batches, several requests at a time, each retried.

use super::{EmbeddingsSettings, error, reply};
use crate::{
    LlmError,
    backoff::seed_of,
    classify::Failure,
    complaint::complaint,
    connection::{Answered, Connection},
    echo::without_echo,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, mpsc},
};
use text::windows::{CutError, TokenCounter};
use tokio::{runtime::Runtime, task::JoinSet};
use types::{ChatError, Embedder, FailureKind, ModelError, Span, TextParts, TextVectors, locked};

/// Questions whose vectors are remembered. An evaluation asks each question once per mode.
const REMEMBERED: usize = 4_096;
/// Bytes that stand for a token where only an estimate is needed.
const BYTES_PER_TOKEN: usize = 4;

/// Texts that a server may refuse before the error ends the work.
const MOST_REFUSED: usize = 100;
/// A text that every server embeds.
const PROBE: &str = "a";

/// Counts the tokens of a text.
type Count = dyn Fn(&str) -> usize + Send + Sync;

/// An embedding model behind an OpenAI-compatible server; see [`Embedder`].
///
/// Its calls block the calling thread; the requests run on a thread of their own.
pub struct RemoteEmbedder {
    id: String,
    settings: EmbeddingsSettings,
    count: Box<Count>,
    dimension: usize,
    shared: Arc<Connection>,
    questions: Mutex<HashMap<String, Vec<f32>>>,
    /// Texts that the server refused, and why.
    refused: Mutex<HashMap<String, String>>,
    /// Always there until the value is dropped.
    runtime: Option<Runtime>,
}

impl RemoteEmbedder {
    /// Connects to the server and embeds one word, so that a wrong address, key or model fails here and not in the
    /// middle of a run. `count` counts tokens; no text of more than `settings.max_tokens` is sent. The key is read from
    /// the environment variable that the settings name.
    ///
    /// # Errors
    /// When the settings cannot be used, the server cannot be reached or does not embed.
    pub fn connect(
        settings: EmbeddingsSettings,
        count: impl Fn(&str) -> usize + Send + Sync + 'static,
    ) -> Result<Self, ModelError> {
        Self::connect_with_keys(settings, count, |name| std::env::var(name).ok())
    }

    /// As [`Self::connect`], with keys taken from `key_of` instead of the environment.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub fn connect_with_keys(
        settings: EmbeddingsSettings,
        count: impl Fn(&str) -> usize + Send + Sync + 'static,
        key_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let named = |reason: String| ModelError { model: settings.model.clone(), reason };
        let connection =
            Connection::new(settings.served(), key_of).map_err(|error: LlmError| named(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("embeddings")
            .enable_all()
            .build()
            .map_err(|error| named(format!("cannot start the thread for its requests: {error}")))?;
        let mut embedder = Self {
            id: settings.id(),
            count: Box::new(count),
            dimension: settings.dimensions.unwrap_or(0),
            shared: Arc::new(connection),
            questions: Mutex::default(),
            refused: Mutex::default(),
            runtime: Some(runtime),
            settings,
        };
        let probe = embedder.send(vec![PROBE.to_owned()], None)?;
        embedder.dimension = probe.first().map_or(0, Vec::len);
        Ok(embedder)
    }

    fn named(&self, reason: String) -> ModelError {
        ModelError { model: self.settings.model.clone(), reason }
    }

    /// The vectors of texts that already carry their prefix, in their order; empty for one that the server refuses, which is
    /// an error unless `done` is given.
    fn send(
        &self,
        texts: Vec<String>,
        done: Option<&(dyn Fn(usize) + Sync)>,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let Some(runtime) = &self.runtime else {
            return Ok(Vec::new());
        };
        let dimension = Some(self.dimension).filter(|dimension| *dimension > 0);
        let work = Work {
            connection: Arc::clone(&self.shared),
            model: self.settings.model.clone(),
            dimensions: self.settings.dimensions,
            dimension,
        };
        let (size, at_once) = (self.settings.batch_size.max(1), self.settings.concurrency.max(1));
        let (total, sent) = (texts.len(), texts.clone());
        let (sender, receiver) = mpsc::channel();
        runtime.spawn(work.all(texts, size, at_once, sender));
        let mut vectors = vec![Vec::new(); total];
        let mut received = 0;
        while received < total {
            let (start, batch) = receiver
                .recv()
                .map_err(|_| self.named("its requests ended without a result".to_owned()))?
                .map_err(|error| self.named(error::reason(&error)))?;
            received += batch.len();
            done.inspect(|done| done(batch.len()));
            let places = vectors[start..].iter_mut().zip(&sent[start..]);
            for ((place, text), vector) in places.zip(batch) {
                match vector {
                    Ok(vector) => *place = vector,
                    Err(error) => {
                        let mut refused = locked(&self.refused);
                        refused.insert(text.clone(), error::reason(&error));
                        if done.is_none() || refused.len() > MOST_REFUSED {
                            return Err(self.named(error::reason(&error)));
                        }
                    }
                }
            }
        }
        Ok(vectors)
    }

    /// Windows of `text` that fit together with `head`.
    fn cut(
        &self,
        head: &str,
        text: &str,
        sentences: &[Range<usize>],
    ) -> Result<Vec<Range<usize>>, ModelError> {
        let max = self.settings.max_tokens;
        let measure = |window: &str| Ok((self.count)(&format!("{head}{window}")));
        text::windows::cut(&Estimate, text, sentences, max, measure).map_err(|error| match error {
            CutError::NoRoom { tokens, max } => self.named(format!(
                "{tokens} tokens are repeated in every text, and embedding.max_tokens is {max}: nothing else fits; \
                 raise embedding.max_tokens"
            )),
            CutError::Sentences { index, span } => self.named(format!(
                "sentence {index} ({}..{}) does not follow its predecessor in a text of {} bytes",
                span.start,
                span.end,
                text.len()
            )),
            CutError::Tokenizer(never) => match never {},
        })
    }
}

/// Where tokens begin, estimated: the windows that follow from it are measured by the counter.
struct Estimate;

impl TokenCounter for Estimate {
    type Error = std::convert::Infallible;

    fn starts(&self, text: &str) -> Result<Vec<usize>, Self::Error> {
        let mut starts: Vec<usize> =
            (0..text.len()).step_by(BYTES_PER_TOKEN).map(|at| text.floor_char_boundary(at)).collect();
        starts.dedup();
        Ok(starts)
    }
}

/// What the task that sends the requests needs.
struct Work {
    connection: Arc<Connection>,
    model: String,
    dimensions: Option<usize>,
    dimension: Option<usize>,
}

/// The vectors of one batch, or why there is none, with the position of its first text.
type Batch = (usize, Vec<Result<Vec<f32>, ChatError>>);

impl Work {
    /// Sends all texts, at most `at_once` requests at a time, and each result as it comes. Ends at the first failure,
    /// and when nobody waits for results any longer.
    async fn all(
        self,
        texts: Vec<String>,
        size: usize,
        at_once: usize,
        results: mpsc::Sender<Result<Batch, ChatError>>,
    ) {
        let this = Arc::new(self);
        let mut batches = texts
            .chunks(size)
            .enumerate()
            .map(|(n, batch)| (n * size, batch.to_vec()))
            .collect::<Vec<_>>()
            .into_iter();
        let mut running = JoinSet::new();
        loop {
            while running.len() < at_once
                && let Some((start, batch)) = batches.next()
            {
                let this = Arc::clone(&this);
                running.spawn(async move { this.divided(&batch).await.map(|vectors| (start, vectors)) });
            }
            // A request that panicked sends nothing: the receiver then sees that the sender is gone.
            let Some(Ok(result)) = running.join_next().await else {
                return;
            };
            let failed = result.is_err();
            if results.send(result).is_err() || failed {
                return;
            }
        }
    }

    /// One batch. If the server refuses it, and not another text, it is cut in halves until the texts are found that the
    /// server refuses.
    async fn divided(&self, batch: &[String]) -> Result<Vec<Result<Vec<f32>, ChatError>>, ChatError> {
        let (mut parts, mut out) = (vec![batch], Vec::new());
        while let Some(part) = parts.pop() {
            match self.tries(part).await {
                Ok(vectors) => out.extend(vectors.into_iter().map(Ok)),
                Err(error) => {
                    let whole = part.len() == batch.len();
                    let of_a_text = error.kind() == FailureKind::Permanent
                        || matches!(error, ChatError::Overloaded { status: 500, .. });
                    if !of_a_text || whole && self.tries(&[PROBE.to_owned()]).await.is_err() {
                        return Err(error);
                    }
                    match part.split_at(part.len() / 2) {
                        ([], _) => out.push(Err(error)),
                        (first, second) => parts.extend([second, first]),
                    }
                }
            }
        }
        Ok(out)
    }

    /// One batch, tried again where that can help.
    async fn tries(&self, batch: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        let served = &self.connection.served;
        let seed = seed_of(&[&self.model, batch.first().map_or("", String::as_str)]);
        let body = self.body(batch);
        let mut attempts = 0;
        loop {
            attempts += 1;
            match self.once(&body, batch, attempts).await {
                Ok(vectors) => return Ok(vectors),
                Err(Failure::Retry { error, wait, most }) => {
                    if attempts > most {
                        return Err(error);
                    }
                    tokio::time::sleep(served.backoff.wait(attempts - 1, wait, seed)).await;
                }
                Err(Failure::Final(error)) => return Err(error),
            }
        }
    }

    async fn once(&self, body: &Value, batch: &[String], attempts: u32) -> Result<Vec<Vec<f32>>, Failure> {
        let Answered { status, body, wait } =
            self.connection.post(body, self.connection.served.timeout, attempts, None).await?;
        let classifier = self.connection.classifier(attempts);
        if !(200..300).contains(&status) {
            let mut said = complaint(&body);
            said.shown = without_echo(&said.shown, batch);
            return Err(classifier.status(status, &said, wait));
        }
        reply::vectors(&body, batch.len(), self.dimension)
            .map_err(|reason| classifier.malformed(&reason, &without_echo(&body, batch)))
    }

    fn body(&self, batch: &[String]) -> Value {
        let mut body = json!({"model": self.model, "input": batch});
        if let Some(dimensions) = self.dimensions {
            body["dimensions"] = dimensions.into();
        }
        body
    }
}

impl Embedder for RemoteEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn windows(&self, prefix: &str, text: &str, sentences: &[Span]) -> Result<Vec<Span>, ModelError> {
        let head = format!("{}{prefix}\n", self.settings.passage_prefix);
        let sentences: Vec<Range<usize>> = sentences.iter().map(|span| span.range()).collect();
        let windows = self.cut(&head, text, &sentences)?;
        Ok(windows.into_iter().map(Span::from).collect())
    }

    fn embed(&self, texts: &[String], done: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>, ModelError> {
        let prefix = &self.settings.passage_prefix;
        self.send(texts.iter().map(|text| format!("{prefix}{text}")).collect(), Some(done))
    }

    fn refused(&self, text: &str) -> Option<String> {
        let text = format!("{}{text}", self.settings.passage_prefix);
        locked(&self.refused).get(&text).cloned()
    }

    fn embed_parts(
        &self,
        _: &[TextParts],
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<TextVectors>, ModelError> {
        Err(self.named("an embeddings server gives no vectors of single tokens".to_owned()))
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, ModelError> {
        if let Some(vector) = locked(&self.questions).get(query) {
            return Ok(vector.clone());
        }
        let prefix = &self.settings.query_prefix;
        let windows = self.cut(prefix, query, &[])?;
        if windows.is_empty() {
            return Err(self.named("a question without text cannot be embedded".to_owned()));
        }
        let texts = windows.into_iter().map(|window| format!("{prefix}{}", &query[window])).collect();
        let vector = types::vector::mean_direction(self.send(texts, None)?);
        let mut remembered = locked(&self.questions);
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(query.to_owned(), vector.clone());
        Ok(vector)
    }
}

impl Drop for RemoteEmbedder {
    fn drop(&mut self) {
        // Dropping a runtime waits for it, which is forbidden on a thread that runs async code.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
