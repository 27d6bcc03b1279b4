//! How many requests are sent, and when: limits per minute, and a limit of requests at the same time that follows what
//! the server can bear.
//!
//! Requests and tokens per minute are token buckets that hold a tenth of a minute. Requests at the same time follow
//! additive increase, multiplicative decrease (D.-M. Chiu and R. Jain, 1989): a 429 halves them, ten successes in a row
//! add one. A 429 of a request that was sent before the last halving tells nothing new and does not count.

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

/// Requests at the same time at most where the settings name no limit and a 429 has set one.
const MOST: usize = 64;
/// Successes in a row that allow one more request at a time.
const SUCCESSES: u32 = 10;
/// Characters that stand for a token.
const CHARS_PER_TOKEN: usize = 4;

/// Lets requests through one by one.
pub(crate) struct Limiter {
    slots: Semaphore,
    state: Mutex<State>,
}

struct State {
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    /// Requests at the same time; [`Semaphore::MAX_PERMITS`] where there is no limit yet.
    limit: usize,
    /// What `limit` grows to.
    most: usize,
    /// Slots that are taken away as soon as they are free.
    owed: usize,
    /// Requests that were let through and have not ended.
    flying: usize,
    successes: u32,
    /// How often the limit was halved.
    halved: u64,
}

/// How a request ended, as far as it tells what the server can bear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With a reply.
    Success,
    /// With a 429.
    TooMany,
    /// In another way.
    Other,
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
        let own = settings.concurrency.map(|n| n as usize);
        let limit = own.unwrap_or(Semaphore::MAX_PERMITS).min(Semaphore::MAX_PERMITS);
        let state = State {
            requests: settings.requests_per_minute.map(Bucket::new),
            tokens: settings.tokens_per_minute.map(Bucket::new),
            limit,
            most: own.unwrap_or(MOST),
            owed: 0,
            flying: 0,
            successes: 0,
            halved: 0,
        };
        Ok(Self {
            slots: Semaphore::new(limit),
            state: Mutex::new(state),
        })
    }

    /// Waits until a request for `tokens` may be sent. A wait that would end after the budget is not begun. Dropping the
    /// future gives back what it had reserved.
    ///
    /// # Errors
    /// [`TooLate`] when there is not enough time.
    pub(crate) async fn enter(&self, tokens: u64, budget: Option<Budget>) -> Result<Place<'_>, TooLate> {
        let slot = match budget {
            Some(budget) => timeout(budget.left(), self.slots.acquire())
                .await
                .map_err(|_| TooLate(CONCURRENCY, Duration::ZERO))?,
            None => self.slots.acquire().await,
        };
        let mut place = Place {
            limiter: self,
            // Nobody closes the semaphore.
            slot: slot.ok(),
            tokens,
            sent: None,
        };
        let now = Instant::now();
        let wait = {
            let mut state = locked(&self.state);
            let of = |bucket: &mut Option<Bucket>, cost: u64| bucket.as_mut().map(|b| b.wait(cost, now));
            let (requests, tokens) = (of(&mut state.requests, 1), of(&mut state.tokens, place.tokens));
            let wait = requests.max(tokens).unwrap_or_default();
            if budget.is_some_and(|budget| !wait.is_zero() && budget.left() <= wait) {
                let limit = if tokens > requests { TOKENS } else { REQUESTS };
                return Err(TooLate(limit, wait));
            }
            state.spend(place.tokens);
            wait
        };
        let reserved = Reserved(Some(&place));
        if !wait.is_zero() {
            sleep(wait).await;
        }
        reserved.keep();
        let mut state = locked(&self.state);
        state.flying += 1;
        place.sent = Some(state.halved);
        drop(state);
        Ok(place)
    }

    /// Learns from how a request ended that was sent after `halved` halvings.
    fn learn(&self, end: End, halved: u64) {
        let mut state = locked(&self.state);
        match end {
            End::Success => {
                state.successes += 1;
                if state.successes >= SUCCESSES && state.limit < state.most {
                    state.successes = 0;
                    state.limit += 1;
                    if state.owed > 0 {
                        state.owed -= 1;
                    } else {
                        self.slots.add_permits(1);
                    }
                }
            }
            End::Other => state.successes = 0,
            End::TooMany => {
                state.successes = 0;
                if halved < state.halved {
                    return;
                }
                // Where there was no limit, what is in flight is what the server could not bear.
                let was = if state.limit == Semaphore::MAX_PERMITS {
                    state.flying
                } else {
                    state.limit
                };
                let limit = (was / 2).max(1);
                let less = state.limit - limit;
                state.owed += less - self.slots.forget_permits(less);
                state.limit = limit;
                state.halved += 1;
            }
        }
    }
}

const REQUESTS: &str = "requests_per_minute";
const TOKENS: &str = "tokens_per_minute";
const CONCURRENCY: &str = "concurrency";

impl State {
    fn spend(&mut self, tokens: u64) {
        self.requests.iter_mut().for_each(|bucket| bucket.spend(1));
        self.tokens.iter_mut().for_each(|bucket| bucket.spend(tokens));
    }

    fn give_back(&mut self, tokens: u64) {
        self.requests.iter_mut().for_each(|bucket| bucket.give_back(1));
        self.tokens.iter_mut().for_each(|bucket| bucket.give_back(tokens));
    }
}

/// The right to send one request. Dropping it lets the next one through.
pub(crate) struct Place<'a> {
    limiter: &'a Limiter,
    slot: Option<SemaphorePermit<'a>>,
    tokens: u64,
    /// How often the limit had been halved when the request was let through.
    sent: Option<u64>,
}

impl Place<'_> {
    /// The request has ended.
    pub(crate) fn ended(self, end: End) {
        if let Some(halved) = self.sent {
            self.limiter.learn(end, halved);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = locked(&self.limiter.state);
        if self.sent.is_some() {
            state.flying -= 1;
        }
        if state.owed > 0
            && let Some(slot) = self.slot.take()
        {
            state.owed -= 1;
            slot.forget();
        }
    }
}

/// What a request that waits has taken out of the buckets.
struct Reserved<'a>(Option<&'a Place<'a>>);

impl Reserved<'_> {
    /// The request is sent.
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            locked(&place.limiter.state).give_back(place.tokens);
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
