//! Counts what calls to language models cost, by stage.

use std::{
    future::Future,
    sync::{Arc, Mutex},
};
use types::{BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Spent, Usage, locked};

tokio::task_local! {
    static CALLS: Arc<Mutex<Calls>>;
}

/// The outcome of calls to language models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// What they spent, by stage, failed ones included.
    pub spent: Spent,
    /// Notes for the user, each once, in the order in which they arose.
    pub notes: Vec<String>,
}

/// Runs `work` and adds up the calls that it makes to [`Metered`] models. If calls of `metered` are nested, only the
/// innermost counts. Calls made in another task are not counted.
pub async fn metered<T>(work: impl Future<Output = T>) -> (T, Calls) {
    let calls = Arc::new(Mutex::new(Calls::default()));
    let done = CALLS.scope(Arc::clone(&calls), work).await;
    let calls = locked(&calls).clone();
    (done, calls)
}

/// A model whose calls are counted under the name of a stage by the [`metered`] call around them.
#[derive(Clone, Debug)]
pub struct Metered<M> {
    model: M,
    stage: &'static str,
}

impl<M: ChatModel> Metered<M> {
    /// Counts calls of `model` under `stage`, such as [`Spent::GENERATE`].
    pub fn new(model: M, stage: &'static str) -> Self {
        Self { model, stage }
    }

    fn count(&self, usage: Usage, notes: &[String]) {
        change(|calls| {
            calls.spent.add(self.stage, usage);
            for note in notes {
                if !calls.notes.contains(note) {
                    calls.notes.push(note.clone());
                }
            }
        });
    }
}

/// Changes the count of the enclosing [`metered`] call, if there is one.
fn change(with: impl FnOnce(&mut Calls)) {
    // Outside of `metered`, calls are not counted.
    let _ = CALLS.try_with(|calls| with(&mut locked(calls)));
}

impl<M: ChatModel> ChatModel for Metered<M> {
    fn inner(&self) -> Option<&dyn ChatModel> {
        Some(&self.model)
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        Box::pin(async move {
            let result = self.model.complete(request).await;
            match &result {
                Ok(reply) => {
                    self.count(reply.usage, &reply.notes);
                    // A verdict on a part of what is to be judged is none.
                    if let (Spent::JUDGE, Some(note)) = (self.stage, reply.prompt_cut()) {
                        return Err(ChatFailure::from(ChatError::NoAnswer {
                            model: reply.model.clone(),
                            reason: note.clone(),
                        }));
                    }
                }
                Err(failure) => self.count(failure.usage, &failure.notes),
            }
            result
        })
    }

    fn reject(&self, request: &ChatRequest, reply: &ChatReply) {
        // A reply without a request has none to count as failed.
        if reply.usage.failed_requests < reply.usage.requests {
            change(|calls| calls.spent.fail_one(self.stage));
        }
        self.model.reject(request, reply);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::Prompt;

    /// Answers what it is asked about; fails when asked for nothing.
    struct Echo;
    impl ChatModel for Echo {
        fn id(&self) -> &'static str {
            "echo"
        }
        fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
            let usage = Usage {
                requests: 1,
                failed_requests: u32::from(request.user.is_empty()),
                prompt_tokens: 3,
                completion_tokens: 1,
            };
            let notes = vec!["no temperature is sent".to_owned(), request.user.to_string()];
            let result = if request.user.is_empty() {
                let error = ChatError::Redirect { url: "u".to_owned(), status: 301 };
                Err(ChatFailure { error, usage, notes: Arc::new(notes) })
            } else {
                Ok(ChatReply { text: request.user.to_string(), usage, notes, ..ChatReply::default() })
            };
            Box::pin(std::future::ready(result))
        }
    }

    fn ask(user: &str) -> ChatRequest {
        ChatRequest {
            system: Prompt::default(),
            user: Prompt::default().data(user),
            schema: None,
            max_tokens: None,
        }
    }

    #[tokio::test]
    async fn calls_are_added_up_by_stage() {
        let echo: Arc<dyn ChatModel> = Arc::new(Echo);
        let (rerank, generate) = (Metered::new(Echo, Spent::RERANK), Metered::new(echo, Spent::GENERATE));
        let work = async {
            assert!(rerank.complete(&ask("")).await.is_err());
            for user in ["a", "b"] {
                let request = ask(user);
                let reply = generate.complete(&request).await.expect("an echo");
                if user == "b" {
                    generate.reject(&request, &reply);
                    generate.reject(&request, &ChatReply::default());
                }
            }
            7
        };
        let (done, calls) = metered(work).await;
        let usage = |requests, failed_requests, prompt_tokens, completion_tokens| Usage {
            requests,
            failed_requests,
            prompt_tokens,
            completion_tokens,
        };
        assert_eq!(done, 7);
        assert_eq!(calls.spent.get(Spent::RERANK), Some(usage(1, 1, 3, 1)));
        assert_eq!(calls.spent.get(Spent::GENERATE), Some(usage(2, 1, 6, 2)));
        assert_eq!(calls.notes, ["no temperature is sent", "", "a", "b"], "each once");
    }

    #[tokio::test]
    async fn work_counts_its_own_calls_only() {
        let model = Metered::new(Echo, Spent::JUDGE);
        let request = ask("a");
        model.complete(&request).await.expect("nobody counts, nobody minds");
        let ((), outer) = metered(async {
            let (inner, calls) = metered(model.complete(&request)).await;
            assert_eq!((inner.is_ok(), calls.spent.total().requests), (true, 1));
        })
        .await;
        assert_eq!(outer, Calls::default());
        let work = || metered(model.complete(&request));
        let ((_, a), (_, b)) = tokio::join!(work(), work());
        assert_eq!((a.spent.total().requests, b.spent.total().requests), (1, 1));
    }
}
