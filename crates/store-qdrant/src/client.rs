//! Calls to the server: each with a deadline, few at a time, repeated where the server says that it may be.

use crate::{QdrantError, QdrantSettings, error::Result, settings::WRITES};
use qdrant_client::{Qdrant, QdrantError as ClientError};
use std::{
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{runtime::Handle, sync::Semaphore, task::unconstrained, time};

/// Calls that are under way at the same time.
const CALLS: usize = 16;
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
    runtime: Handle,
    permits: Arc<Semaphore>,
    url: Arc<str>,
    timeout: Duration,
}

impl Client {
    /// Connects with the first call.
    pub(crate) fn new(settings: &QdrantSettings) -> Result<Self> {
        let url = settings.url.as_str();
        let runtime = Handle::try_current().map_err(|_| QdrantError::Runtime { url: url.to_owned() })?;
        // The check of versions prints on standard output, and waits.
        let config = Qdrant::from_url(url)
            .skip_compatibility_check()
            .timeout(settings.timeout * WRITES)
            .connect_timeout(settings.timeout)
            .api_key(settings.api_key.clone());
        let address =
            |error: ClientError| QdrantError::Address { url: url.to_owned(), reason: error.to_string() };
        Ok(Self {
            qdrant: config.build().map_err(address)?,
            runtime,
            permits: Arc::new(Semaphore::new(CALLS)),
            url: url.into(),
            timeout: settings.timeout,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The runtime on which calls run.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// A call that reads; `what` says in messages what it is for.
    pub(crate) async fn read<R, T, F, Fut>(&self, what: &'static str, request: R, call: F) -> Result<T>
    where
        R: Clone + Send + Sync + 'static,
        T: Send + 'static,
        F: Fn(Qdrant, R) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::result::Result<T, ClientError>> + Send + 'static,
    {
        self.call(what, self.timeout, request, call).await
    }

    /// A call that writes, and may be repeated.
    pub(crate) async fn write<R, T, F, Fut>(&self, what: &'static str, request: R, call: F) -> Result<T>
    where
        R: Clone + Send + Sync + 'static,
        T: Send + 'static,
        F: Fn(Qdrant, R) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::result::Result<T, ClientError>> + Send + 'static,
    {
        self.call(what, self.timeout * WRITES, request, call).await
    }

    async fn call<R, T, F, Fut>(&self, what: &'static str, limit: Duration, request: R, call: F) -> Result<T>
    where
        R: Clone + Send + Sync + 'static,
        T: Send + 'static,
        F: Fn(Qdrant, R) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::result::Result<T, ClientError>> + Send + 'static,
    {
        let (client, permits) = (self.qdrant.clone(), Arc::clone(&self.permits));
        let repeated = async move {
            let started = Instant::now();
            let mut pause = PAUSE;
            let mut last = None;
            loop {
                let left = limit.saturating_sub(started.elapsed());
                let attempt = async {
                    let _permit = permits.acquire().await;
                    call(client.clone(), request.clone()).await
                };
                let error = match time::timeout(left, attempt).await {
                    Ok(Ok(answer)) => return Ok(answer),
                    Ok(Err(error)) => error,
                    Err(_) => return Err(last),
                };
                let Some(wait) = wait_before_repeat(&error, pause) else {
                    return Err(Some(error));
                };
                if started.elapsed() + wait >= limit {
                    return Err(Some(error));
                }
                last = Some(error);
                time::sleep(wait).await;
                pause *= 2;
            }
        };
        // A thread that blocks within a task never gets a new budget of the runtime.
        match unconstrained(self.runtime.spawn(repeated)).await {
            Ok(outcome) => outcome.map_err(|error| self.error(what, limit, error)),
            // The runtime ends.
            Err(error) => Err(self.unreachable(error.to_string())),
        }
    }

    fn unreachable(&self, reason: String) -> QdrantError {
        QdrantError::Unreachable { url: self.url.to_string(), reason }
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
        match status.code() as i32 {
            code::UNAUTHENTICATED | code::PERMISSION_DENIED => QdrantError::Key { url },
            code::DEADLINE_EXCEEDED => QdrantError::Late { url, what, seconds: limit.as_secs() },
            _ if is_connection(status.code() as i32, status.message()) => {
                let reason = if status.message().contains("ConnectionRefused") {
                    "nothing listens there".to_owned()
                } else {
                    format!("the connection failed ({what})")
                };
                self.unreachable(reason)
            }
            _ => QdrantError::Refused { url, what, reason: status.message().to_owned() },
        }
    }
}

/// Codes of gRPC.
mod code {
    pub(super) const CANCELLED: i32 = 1;
    pub(super) const UNKNOWN: i32 = 2;
    pub(super) const DEADLINE_EXCEEDED: i32 = 4;
    pub(super) const PERMISSION_DENIED: i32 = 7;
    pub(super) const RESOURCE_EXHAUSTED: i32 = 8;
    pub(super) const ABORTED: i32 = 10;
    pub(super) const INTERNAL: i32 = 13;
    pub(super) const UNAVAILABLE: i32 = 14;
    pub(super) const UNAUTHENTICATED: i32 = 16;
}

/// Whether the connection is what failed, not the call. The client reports that under several codes.
fn is_connection(code: i32, message: &str) -> bool {
    let says = |start: &str| message.starts_with(start);
    code == code::UNAVAILABLE
        || (code == code::INTERNAL && (says("Failed to connect") || says("h2 protocol error")))
        || (matches!(code, code::UNKNOWN | code::CANCELLED) && (says("transport error") || says("h2 ")))
}

/// How long to wait before a call that failed is repeated; `None` if it must not be.
fn wait_before_repeat(error: &ClientError, pause: Duration) -> Option<Duration> {
    match error {
        ClientError::ResourceExhaustedError { retry_after_seconds, .. } => {
            Some(Duration::from_secs(*retry_after_seconds).max(pause))
        }
        ClientError::ResponseError { status } => {
            let code = status.code() as i32;
            let may = matches!(code, code::ABORTED | code::RESOURCE_EXHAUSTED);
            (may || is_connection(code, status.message())).then_some(pause)
        }
        _ => None,
    }
}
