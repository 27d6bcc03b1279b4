//! Calls to the server: each with a deadline, repeated where the server says that it may be.

use crate::{QdrantError, QdrantSettings, error::Result, settings::WRITES};
use qdrant_client::{Qdrant, QdrantError as ClientError};
use std::{
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    runtime::Handle,
    task::{JoinSet, unconstrained},
    time,
};
use tonic::{Code, Status};

/// Writes of one [`Writes`] that are under way at the same time.
const WRITES_AT_ONCE: usize = 4;
/// The first pause before a call is repeated; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(50);

/// Waits for calls on this thread, which may be one of the runtime's: the calls run on others.
pub(crate) fn block_on<F: Future>(calls: F) -> F::Output {
    pollster::block_on(unconstrained(calls))
}

/// A connection. Its futures may be awaited on any executor: the calls run on the runtime in which it was made.
#[derive(Clone)]
pub(crate) struct Client {
    qdrant: Qdrant,
    /// The runtime on which calls run.
    pub(crate) runtime: Handle,
    pub(crate) url: Arc<str>,
    /// How long a call that reads may take, retries included.
    pub(crate) read: Duration,
    /// The same of one that writes.
    pub(crate) write: Duration,
}

/// Sends a request by a method of the client, under the limit for calls that `read` or `write`. The text says in messages what the
/// call is for.
macro_rules! send {
    ($client:expr, $limit:ident, $what:literal, $method:ident, $request:expr) => {{
        let request = $request;
        let call = move |q: qdrant_client::Qdrant| {
            let request = request.clone();
            async move { q.$method(request).await }
        };
        $client.call($what, $client.$limit, call).await
    }};
}
pub(crate) use send;

impl Client {
    /// Connects with the first call.
    pub(crate) fn new(settings: &QdrantSettings) -> Result<Self> {
        let url = || settings.url.clone();
        let runtime = Handle::try_current().expect("a store at a server is used within an async runtime");
        let (read, write) = (settings.timeout, settings.timeout * WRITES);
        // The check of versions prints on standard output, and waits.
        let config = Qdrant::from_url(&settings.url).skip_compatibility_check().timeout(write);
        let config = config.connect_timeout(read).api_key(settings.api_key.clone());
        let address = |error: ClientError| QdrantError::Address { url: url(), reason: error.to_string() };
        let qdrant = config.build().map_err(address)?;
        Ok(Self { qdrant, runtime, url: url().into(), read, write })
    }

    /// See [`send`].
    pub(crate) async fn call<T, Fut>(
        &self,
        what: &'static str,
        limit: Duration,
        call: impl Fn(Qdrant) -> Fut + Send + Sync + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        Fut: Future<Output = std::result::Result<T, ClientError>> + Send + 'static,
    {
        let client = self.qdrant.clone();
        let repeated = async move {
            let started = Instant::now();
            let (mut pause, mut last) = (PAUSE, None);
            loop {
                let left = limit.saturating_sub(started.elapsed());
                let error = match time::timeout(left, call(client.clone())).await {
                    Ok(Ok(answer)) => return Ok(answer),
                    Ok(Err(error)) => error,
                    Err(_) => return Err(last),
                };
                match wait_before_repeat(&error, pause) {
                    Some(wait) if started.elapsed() + wait < limit => time::sleep(wait).await,
                    _ => return Err(Some(error)),
                }
                (pause, last) = (pause * 2, Some(error));
            }
        };
        // A thread that blocks within a task never gets a new budget of the runtime.
        match unconstrained(self.runtime.spawn(repeated)).await {
            Ok(outcome) => outcome.map_err(|error| self.error(what, limit, error)),
            // The runtime ends.
            Err(error) => {
                Err(QdrantError::Unreachable { url: self.url.to_string(), reason: error.to_string() })
            }
        }
    }

    fn error(&self, what: &'static str, limit: Duration, error: Option<ClientError>) -> QdrantError {
        let url = self.url.to_string();
        let status = match error {
            None => return QdrantError::Late { url, what, seconds: limit.as_secs() },
            Some(
                ClientError::ResponseError { status } | ClientError::ResourceExhaustedError { status, .. },
            ) => status,
            Some(other) => return QdrantError::Refused { url, what, reason: other.to_string() },
        };
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => QdrantError::Key { url },
            Code::DeadlineExceeded => QdrantError::Late { url, what, seconds: limit.as_secs() },
            _ if is_connection(&status) => {
                let refused = status.message().contains("ConnectionRefused");
                let reason = if refused { "nothing listens there" } else { "the connection failed" };
                QdrantError::Unreachable { url, reason: reason.to_owned() }
            }
            _ => QdrantError::Refused { url, what, reason: status.message().to_owned() },
        }
    }
}

/// Whether the connection is what failed, not the call. The client reports that under several codes.
fn is_connection(status: &Status) -> bool {
    let says = |start: &str| status.message().starts_with(start);
    match status.code() {
        Code::Unavailable => true,
        Code::Internal => says("Failed to connect") || says("h2 protocol error"),
        Code::Unknown | Code::Cancelled => says("transport error") || says("h2 "),
        _ => false,
    }
}

/// How long to wait before a call that failed is repeated; `None` if it must not be.
fn wait_before_repeat(error: &ClientError, pause: Duration) -> Option<Duration> {
    match error {
        ClientError::ResourceExhaustedError { retry_after_seconds, .. } => {
            Some(Duration::from_secs(*retry_after_seconds).max(pause))
        }
        ClientError::ResponseError { status } => {
            let may = matches!(status.code(), Code::Aborted | Code::ResourceExhausted);
            (may || is_connection(status)).then_some(pause)
        }
        _ => None,
    }
}

/// Writes under way, few at a time.
pub(crate) struct Writes {
    runtime: Handle,
    under_way: JoinSet<Result<()>>,
}

impl Writes {
    pub(crate) fn new(client: &Client) -> Self {
        Self { runtime: client.runtime.clone(), under_way: JoinSet::new() }
    }

    /// Starts a write. Waits for an earlier one if there are many, and says whether that failed.
    pub(crate) async fn push(
        &mut self,
        write: impl Future<Output = Result<()>> + Send + 'static,
    ) -> Result<()> {
        if self.under_way.len() >= WRITES_AT_ONCE {
            self.wait_for_one().await?;
        }
        self.under_way.spawn_on(write, &self.runtime);
        Ok(())
    }

    /// Waits until all are done.
    pub(crate) async fn finish(&mut self) -> Result<()> {
        while !self.under_way.is_empty() {
            self.wait_for_one().await?;
        }
        Ok(())
    }

    async fn wait_for_one(&mut self) -> Result<()> {
        match self.under_way.join_next().await {
            None => Ok(()),
            Some(Ok(outcome)) => outcome,
            Some(Err(error)) => Err(QdrantError::damaged("an upload", error.to_string())),
        }
    }
}
