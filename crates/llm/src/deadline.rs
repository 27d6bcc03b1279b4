//! A limit on the time that several calls may take together.

use std::{future::Future, time::Duration};
use tokio::time::Instant;

tokio::task_local! {
    static BUDGET: Budget;
}

/// The time that is left for the calls of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    until: Instant,
    /// The whole of it.
    pub(crate) limit: Duration,
}

impl Budget {
    /// What is left, zero when the time is over.
    pub(crate) fn left(self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// What has passed.
    pub(crate) fn elapsed(self) -> Duration {
        self.limit.saturating_sub(self.left())
    }
}

/// Runs `work`, whose calls of [`crate::ChatClient`] together get `limit` to finish, waits before and between tries included. A
/// call that would take longer fails with [`types::ChatError::Deadline`]; so does every call after it. Other work is
/// not interrupted. Inside another limit the earlier end counts.
pub async fn with_deadline<T>(limit: Duration, work: impl Future<Output = T>) -> T {
    let own = Budget { until: Instant::now() + limit, limit };
    let budget = match current() {
        Some(outer) if outer.until < own.until => outer,
        _ => own,
    };
    BUDGET.scope(budget, work).await
}

/// The limit in force, where there is one.
pub(crate) fn current() -> Option<Budget> {
    BUDGET.try_with(|budget| *budget).ok()
}
