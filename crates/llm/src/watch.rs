//! What a model writes, shown while it writes.

use std::{future::Future, sync::Arc};

tokio::task_local! {
    static WATCHER: Watcher;
}

/// A part of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written<'a> {
    /// A reply begins, also when a request is sent again.
    Begin,
    /// The next characters of its text.
    Text(&'a str),
}

/// Is told what is written.
pub type Watcher = Arc<dyn Fn(Written<'_>) + Send + Sync>;

/// Runs `work`, whose calls of [`crate::ChatClient`] ask the server to send its replies as they are written, and tell `watcher`. A
/// kept reply is not written again. The result of `work` is the same as without a watcher.
pub async fn watched<T>(watcher: Watcher, work: impl Future<Output = T>) -> T {
    WATCHER.scope(watcher, work).await
}

/// The watcher in force, where there is one.
pub(crate) fn current() -> Option<Watcher> {
    WATCHER.try_with(Arc::clone).ok()
}
