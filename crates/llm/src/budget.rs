//! A limit on what calls may cost.

use std::sync::{Arc, Mutex};
use text::tokens::estimate;
use tokio::sync::Notify;
use types::{BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Price, Usage, locked};

/// Tokens that a message has beside its text.
const TOKENS_OF_A_MESSAGE: u64 = 20;

/// An amount of money that calls of several models share.
#[derive(Debug)]
pub struct Budget {
    /// US dollars.
    limit: f64,
    state: Mutex<State>,
    /// Notified when a call has ended.
    settled: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Spent by calls that have ended, in US dollars.
    spent: f64,
    /// The most that running calls can cost, in US dollars.
    reserved: f64,
    /// Running calls.
    running: u32,
}

impl Budget {
    /// A budget of `limit` US dollars.
    pub fn new(limit: f64) -> Self {
        Self { limit, state: Mutex::default(), settled: Notify::new() }
    }

    /// What was spent, in US dollars.
    pub fn spent(&self) -> f64 {
        locked(&self.state).spent
    }

    /// Sets money aside for a call. A call that does not fit waits until the running ones have ended: they may cost less than
    /// what is set aside for them, and a refusal ends the run, so that their replies would be lost.
    async fn reserve(&self, most: f64) -> Result<(), ChatError> {
        loop {
            let settled = self.settled.notified();
            {
                let mut state = locked(&self.state);
                if state.spent + state.reserved + most <= self.limit {
                    state.reserved += most;
                    state.running += 1;
                    return Ok(());
                }
                if state.running == 0 {
                    return Err(ChatError::CostLimit {
                        limit: dollars(self.limit),
                        spent: dollars(state.spent),
                        next: dollars(most),
                    });
                }
            }
            settled.await;
        }
    }

    fn settle(&self, reserved: f64, cost: f64) {
        let mut state = locked(&self.state);
        state.running = state.running.saturating_sub(1);
        state.reserved = if state.running == 0 { 0.0 } else { (state.reserved - reserved).max(0.0) };
        state.spent += cost;
        drop(state);
        self.settled.notify_waiters();
    }
}

/// US dollars with as many digits as a call needs.
fn dollars(amount: f64) -> String {
    if amount < 0.01 && amount > 0.0 { format!("${amount:.5}") } else { format!("${amount:.2}") }
}

/// A reservation, settled when the call ends. A call that is cancelled may have been charged: all of it counts.
struct Reserved<'a> {
    budget: &'a Budget,
    most: f64,
    cost: f64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.budget.settle(self.most, self.cost);
    }
}

/// A model that makes no call which could pass the budget. A call is taken to cost at most what its prompt and the longest
/// reply cost; once it has ended, what the server reports counts.
#[derive(Clone, Debug)]
pub struct Budgeted<M> {
    model: M,
    price: Price,
    /// Longest reply where a request names none, in tokens.
    max_tokens: u32,
    budget: Arc<Budget>,
}

impl<M: ChatModel> Budgeted<M> {
    /// Calls of `model` at this price; `max_tokens` is the longest reply where a request names none.
    pub fn new(model: M, price: Price, max_tokens: u32, budget: Arc<Budget>) -> Self {
        Self { model, price, max_tokens, budget }
    }

    /// The most that a request can cost, retries left out: failed tries are not charged as a rule.
    fn most(&self, request: &ChatRequest) -> f64 {
        let schema = request.schema.as_ref().map_or_else(String::new, |s| s.schema.to_string());
        let parts = [&*request.system, &*request.user, &*schema];
        let read = parts.map(estimate).iter().sum::<usize>() as u64 + TOKENS_OF_A_MESSAGE;
        let written = request.max_tokens.unwrap_or(self.max_tokens);
        self.price.of_tokens(read, u64::from(written))
    }
}

impl<M: ChatModel> ChatModel for Budgeted<M> {
    fn inner(&self) -> Option<&dyn ChatModel> {
        Some(&self.model)
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        Box::pin(async move {
            let most = self.most(request);
            self.budget.reserve(most).await.map_err(ChatFailure::from)?;
            let mut reserved = Reserved { budget: &self.budget, most, cost: most };
            let result = self.model.complete(request).await;
            let usage: Usage = match &result {
                Ok(reply) => reply.usage,
                Err(failure) => failure.usage,
            };
            // A server that counts no tokens, or a reply that never came, may have cost all of it.
            let counted = usage.prompt_tokens + usage.completion_tokens > 0;
            reserved.cost = match (&result, counted) {
                (_, true) => self.price.of(usage),
                (Ok(_), false) => most,
                (Err(failure), false) => {
                    let unknown =
                        matches!(failure.error, ChatError::Timeout { .. } | ChatError::Deadline { .. });
                    if unknown && usage.requests > 0 { most } else { 0.0 }
                }
            };
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{FailureKind, Prompt};

    /// Replies with 1,000 tokens read and 100 written.
    struct Fixed;
    impl ChatModel for Fixed {
        fn id(&self) -> &'static str {
            "fixed"
        }
        fn complete<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
            let usage =
                Usage { requests: 1, prompt_tokens: 1_000, completion_tokens: 100, ..Usage::default() };
            Box::pin(std::future::ready(Ok(ChatReply { usage, ..ChatReply::default() })))
        }
    }

    fn request() -> ChatRequest {
        ChatRequest {
            system: Prompt::default().data(&"s".repeat(2_940)),
            user: Prompt::default(),
            schema: None,
            max_tokens: Some(500),
        }
    }

    #[tokio::test]
    async fn no_call_is_made_that_could_pass_the_limit() {
        // A call costs at most 1,000 and 500 tokens, $0.002, and in fact $0.0012.
        let price = Price { input: 1.0, output: 2.0, read: String::new() };
        let budget = Arc::new(Budget::new(0.0042));
        let model = Budgeted::new(Fixed, price, 9, Arc::clone(&budget));
        for _ in 0..2 {
            model.complete(&request()).await.expect("within the limit");
        }
        assert!((budget.spent() - 0.0024).abs() < 1e-9);
        let failure = model.complete(&request()).await.expect_err("0.0024 + 0.002 is more");
        assert_eq!(failure.error.kind(), FailureKind::Fatal);
        assert_eq!(failure.usage, Usage::default());
        let text = failure.to_string();
        assert!(text.contains("$0.00420") && text.contains("$0.00240"), "{text}");
        assert!((budget.spent() - 0.0024).abs() < 1e-9, "a call that is not made costs nothing");
    }

    /// Never replies.
    struct Silent;
    impl ChatModel for Silent {
        fn id(&self) -> &'static str {
            "silent"
        }
        fn complete<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
            Box::pin(std::future::pending())
        }
    }

    const PRICE: Price = Price { input: 1.0, output: 2.0, read: String::new() };

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_call_counts_in_full_and_others_wait_for_it() {
        use std::time::Duration;
        use tokio::time::timeout;
        let budget = Arc::new(Budget::new(0.0041));
        let silent = Budgeted::new(Silent, PRICE, 9, Arc::clone(&budget));
        let fixed = Budgeted::new(Fixed, PRICE, 9, Arc::clone(&budget));
        let asked = request();
        // Two silent calls set all of it aside; a third call waits for them, and is refused when they have cost all.
        let two = async {
            let both = async { tokio::join!(silent.complete(&asked), silent.complete(&asked)) };
            timeout(Duration::from_secs(5), both).await
        };
        let third = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let start = tokio::time::Instant::now();
            (fixed.complete(&asked).await, start.elapsed())
        };
        let (two, (third, waited)) = tokio::join!(two, third);
        assert!(two.is_err(), "they never end");
        assert!(waited >= Duration::from_secs(3), "{waited:?}");
        assert!(matches!(third, Err(ref failure) if failure.error.kind() == FailureKind::Fatal));
        assert!((budget.spent() - 0.004).abs() < 1e-9, "{}", budget.spent());
    }

    #[tokio::test]
    async fn a_reply_without_a_count_of_tokens_counts_in_full() {
        struct Uncounted;
        impl ChatModel for Uncounted {
            fn id(&self) -> &'static str {
                "uncounted"
            }
            fn complete<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
                Box::pin(std::future::ready(Ok(ChatReply::default())))
            }
        }
        let budget = Arc::new(Budget::new(1.0));
        let model = Budgeted::new(Uncounted, PRICE, 9, Arc::clone(&budget));
        model.complete(&request()).await.expect("within the limit");
        assert!((budget.spent() - 0.002).abs() < 1e-9, "{}", budget.spent());
    }
}
