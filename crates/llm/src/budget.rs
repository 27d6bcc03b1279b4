//! A limit on what calls may cost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use types::{BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Price, Usage};

/// Characters of a prompt per token, at least: English has about 4, other text fewer.
const CHARS_PER_TOKEN: usize = 3;
/// Tokens that a message has beside its text.
const TOKENS_OF_A_MESSAGE: u64 = 20;

/// An amount of money that calls of several models share.
#[derive(Debug)]
pub struct Budget {
    /// US dollars.
    limit: f64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Spent by calls that have ended, in US dollars.
    spent: f64,
    /// The most that running calls can cost, in US dollars.
    reserved: f64,
}

impl Budget {
    /// A budget of `limit` US dollars.
    pub fn new(limit: f64) -> Self {
        Self {
            limit,
            state: Mutex::default(),
        }
    }

    /// What was spent, in US dollars.
    pub fn spent(&self) -> f64 {
        self.state().spent
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Two numbers: a poisoned lock still holds valid ones.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets money aside for a call.
    fn reserve(&self, most: f64) -> Result<(), ChatError> {
        let mut state = self.state();
        if state.spent + state.reserved + most > self.limit {
            return Err(ChatError::CostLimit {
                limit: dollars(self.limit),
                spent: dollars(state.spent + state.reserved),
                next: dollars(most),
            });
        }
        state.reserved += most;
        Ok(())
    }

    fn settle(&self, reserved: f64, cost: f64) {
        let mut state = self.state();
        state.reserved = (state.reserved - reserved).max(0.0);
        state.spent += cost;
    }
}

/// US dollars with as many digits as a call needs.
fn dollars(amount: f64) -> String {
    if amount < 0.01 && amount > 0.0 {
        format!("${amount:.5}")
    } else {
        format!("${amount:.2}")
    }
}

/// A reservation, given back when the call ends or is cancelled.
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
        Self {
            model,
            price,
            max_tokens,
            budget,
        }
    }

    /// The most that a request can cost, retries left out: failed tries are not charged as a rule.
    fn most(&self, request: &ChatRequest) -> f64 {
        let schema = request.schema.as_ref().map_or(0, |s| s.schema.to_string().len());
        let chars = request.system.chars().count() + request.user.chars().count() + schema;
        let read = chars.div_ceil(CHARS_PER_TOKEN) as u64 + TOKENS_OF_A_MESSAGE;
        let written = request.max_tokens.unwrap_or(self.max_tokens);
        self.price.of_tokens(read, u64::from(written))
    }
}

impl<M: ChatModel> ChatModel for Budgeted<M> {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        Box::pin(async move {
            let most = self.most(request);
            self.budget.reserve(most).map_err(ChatFailure::from)?;
            let mut reserved = Reserved {
                budget: &self.budget,
                most,
                cost: 0.0,
            };
            let result = self.model.complete(request).await;
            let usage: Usage = match &result {
                Ok(reply) => reply.usage,
                Err(failure) => failure.usage,
            };
            reserved.cost = self.price.of(usage);
            result
        })
    }

    fn reject(&self, request: &ChatRequest, reply: &ChatReply) {
        self.model.reject(request, reply);
    }

    fn forget(&self, request: &ChatRequest) {
        self.model.forget(request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::FailureKind;

    /// Replies with 1,000 tokens read and 100 written.
    struct Fixed;
    impl ChatModel for Fixed {
        fn id(&self) -> &'static str {
            "fixed"
        }
        fn complete<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
            let usage = Usage {
                requests: 1,
                prompt_tokens: 1_000,
                completion_tokens: 100,
                ..Usage::default()
            };
            Box::pin(std::future::ready(Ok(ChatReply {
                usage,
                ..ChatReply::default()
            })))
        }
    }

    fn request() -> ChatRequest {
        ChatRequest {
            system: "s".repeat(2_940),
            user: String::new(),
            schema: None,
            max_tokens: Some(500),
        }
    }

    #[tokio::test]
    async fn no_call_is_made_that_could_pass_the_limit() {
        // A call costs at most 1,000 and 500 tokens, $0.002, and in fact $0.0012.
        let price = Price {
            input: 1.0,
            output: 2.0,
            read: String::new(),
        };
        let budget = Arc::new(Budget::new(0.0042));
        let model = Budgeted::new(Fixed, price, 9, Arc::clone(&budget));
        for _ in 0..2 {
            model.complete(&request()).await.expect("within the limit");
        }
        assert!((budget.spent() - 0.0024).abs() < 1e-9);
        let failure = model
            .complete(&request())
            .await
            .expect_err("0.0024 + 0.002 is more");
        assert_eq!(failure.error.kind(), FailureKind::Fatal);
        assert_eq!(failure.usage, Usage::default());
        let text = failure.to_string();
        assert!(text.contains("$0.00420") && text.contains("$0.00240"), "{text}");
        assert!(
            (budget.spent() - 0.0024).abs() < 1e-9,
            "a call that is not made costs nothing"
        );
    }

    #[tokio::test]
    async fn a_cancelled_call_gives_its_share_back() {
        let price = Price {
            input: 1.0,
            output: 2.0,
            read: String::new(),
        };
        let budget = Arc::new(Budget::new(0.0021));
        let model = Budgeted::new(Fixed, price, 9, Arc::clone(&budget));
        let asked = request();
        drop(model.complete(&asked));
        model.complete(&asked).await.expect("nothing is reserved");
    }
}
