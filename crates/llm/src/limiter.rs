//! How many requests are sent, and when: limits per minute, and a limit of requests at the same time.
//!
//! Requests and tokens per minute are token buckets that hold a tenth of a minute.

mod bucket;

use crate::{LlmError, LlmSettings, deadline::Budget};
use bucket::Bucket;
use std::sync::Mutex;
use std::time::Duration;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep, timeout},
};
use types::{ChatRequest, locked};

/// Characters that stand for a token.
const CHARS_PER_TOKEN: usize = 4;

/// Lets requests through one by one.
pub(crate) struct Limiter {
    slots: Semaphore,
    buckets: Mutex<Buckets>,
}

struct Buckets {
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

/// The setting that a request waited for when its time was over, or would wait for, and the wait that was not begun.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLate(pub(crate) &'static str, pub(crate) Duration);

impl Limiter {
    /// A limiter for the settings.
    ///
    /// # Errors
    /// [`LlmError::Limit`] when a limit is 0.
    pub(crate) fn new(settings: &LlmSettings) -> Result<Self, LlmError> {
        for (name, limit) in [
            (REQUESTS, settings.requests_per_minute),
            (TOKENS, settings.tokens_per_minute),
            (CONCURRENCY, settings.concurrency),
        ] {
            if limit == Some(0) {
                return Err(LlmError::Limit { name });
            }
        }
        let slots = settings.concurrency.map_or(Semaphore::MAX_PERMITS, |n| n as usize);
        Ok(Self {
            slots: Semaphore::new(slots),
            buckets: Mutex::new(Buckets {
                requests: settings.requests_per_minute.map(Bucket::new),
                tokens: settings.tokens_per_minute.map(Bucket::new),
            }),
        })
    }

    /// Waits until a request for `tokens` may be sent. A wait that would end after the budget is not begun. Dropping the
    /// future gives back what it had reserved; dropping the permit lets the next request through.
    ///
    /// # Errors
    /// [`TooLate`] when there is not enough time.
    pub(crate) async fn enter(
        &self,
        tokens: u64,
        budget: Option<Budget>,
    ) -> Result<SemaphorePermit<'_>, TooLate> {
        let slot = match budget {
            Some(budget) => timeout(budget.left(), self.slots.acquire())
                .await
                .map_err(|_| TooLate(CONCURRENCY, Duration::ZERO))?,
            None => self.slots.acquire().await,
        };
        let slot = slot.expect("nobody closes the semaphore");
        let now = Instant::now();
        let wait = {
            let mut buckets = locked(&self.buckets);
            let of = |bucket: &mut Option<Bucket>, cost: u64| bucket.as_mut().map(|b| b.wait(cost, now));
            let waits = (of(&mut buckets.requests, 1), of(&mut buckets.tokens, tokens));
            let wait = waits.0.max(waits.1).unwrap_or_default();
            if budget.is_some_and(|budget| !wait.is_zero() && budget.left() <= wait) {
                let limit = if waits.1 > waits.0 { TOKENS } else { REQUESTS };
                return Err(TooLate(limit, wait));
            }
            buckets.each(Bucket::spend, tokens);
            wait
        };
        let reserved = Reserved(Some((self, tokens)));
        if !wait.is_zero() {
            sleep(wait).await;
        }
        reserved.keep();
        Ok(slot)
    }
}

const REQUESTS: &str = "requests_per_minute";
const TOKENS: &str = "tokens_per_minute";
const CONCURRENCY: &str = "concurrency";

impl Buckets {
    /// Changes each bucket by what a request for `tokens` costs it.
    fn each(&mut self, change: impl Fn(&mut Bucket, u64), tokens: u64) {
        self.requests.iter_mut().for_each(|bucket| change(bucket, 1));
        self.tokens.iter_mut().for_each(|bucket| change(bucket, tokens));
    }
}

/// What a request that waits has taken out of the buckets.
struct Reserved<'a>(Option<(&'a Limiter, u64)>);

impl Reserved<'_> {
    /// The request is sent.
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if let Some((limiter, tokens)) = self.0 {
            locked(&limiter.buckets).each(Bucket::give_back, tokens);
        }
    }
}

/// The tokens that a request may cost, estimated.
pub(crate) fn tokens_of(request: &ChatRequest, max_tokens: Option<u32>) -> u64 {
    let schema = request.schema.as_ref();
    let chars = request.system.chars().count()
        + request.user.chars().count()
        + schema.map_or(0, |s| s.schema.to_string().chars().count());
    (chars / CHARS_PER_TOKEN) as u64 + u64::from(max_tokens.unwrap_or(0))
}

#[cfg(test)]
mod tests;
