//! Stops calling a server that failed several times in a row.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};
use types::{BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, FailureKind, locked};

/// Refuses calls, without sending them, after several failed ones in a row, or after one if no other call can succeed:
/// the server refuses the key, does not serve the model, has no credit left or redirects. A run that meets a dead server
/// ends quickly; a process that goes on for long recovers: 30 s after the last failure one call is sent as a trial, and
/// calls are accepted again once the server answers it, or one that was already in flight. Calls that ended before a
/// request was sent count neither way.
#[derive(Debug)]
pub struct FailFast<M> {
    model: M,
    url: String,
    breaker: Mutex<Breaker>,
}

impl<M: ChatModel> FailFast<M> {
    /// Calls `model` until `after` calls in a row have failed; with 0, there is no such limit. `url` is the address of
    /// the model, for errors.
    pub fn new(model: M, url: impl Into<String>, after: u32) -> Self {
        Self { model, url: url.into(), breaker: Mutex::new(Breaker::new(after)) }
    }
}

impl<M: ChatModel> ChatModel for FailFast<M> {
    fn inner(&self) -> Option<&dyn ChatModel> {
        Some(&self.model)
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        Box::pin(async move {
            let refused = locked(&self.breaker).refuses(Instant::now());
            if let Some(error) = refused {
                return Err(error.into());
            }
            let result = self.model.complete(request).await;
            match &result {
                Ok(_) => locked(&self.breaker).note(&self.url, Ok(()), Instant::now()),
                // The time of the question was over: nothing was learnt of the server.
                Err(failure) if failure.usage.requests == 0 => {}
                Err(failure) => locked(&self.breaker).note(&self.url, Err(&failure.error), Instant::now()),
            }
            result
        })
    }
}

/// The time without calls after a failure, until one is sent as a trial.
const COOL_DOWN: Duration = Duration::from_secs(30);

/// The state that decides whether the next call is made.
#[derive(Debug)]
struct Breaker {
    /// How many failed calls in a row stop further calls; 0 for no limit.
    after: u32,
    failed: u32,
    /// Why calls are refused, and when the next one is sent all the same.
    open: Option<(ChatError, Instant)>,
}

impl Breaker {
    fn new(after: u32) -> Self {
        Self { after, failed: 0, open: None }
    }

    /// The error to return instead of making a call; `None` if the call may be made.
    fn refuses(&mut self, now: Instant) -> Option<ChatError> {
        let (error, trial) = self.open.as_mut()?;
        if now >= *trial {
            // The trial; should it never end, there is another one later.
            *trial = now + COOL_DOWN;
            return None;
        }
        Some(error.clone())
    }

    /// The server answered, if only to say no to this one request.
    fn works(&mut self) {
        self.failed = 0;
        self.open = None;
    }

    /// Records how a call to `url` ended.
    fn note(&mut self, url: &str, ended: Result<(), &ChatError>, now: Instant) {
        let error = match ended {
            Ok(())
            | Err(ChatError::Rejected { .. } | ChatError::TooLong { .. } | ChatError::NoAnswer { .. }) => {
                return self.works();
            }
            Err(error) => error,
        };
        if error.kind() == FailureKind::Fatal {
            self.open = Some((error.clone(), now + COOL_DOWN));
            return;
        }
        if let Some((_, trial)) = &mut self.open {
            *trial = now + COOL_DOWN;
            return;
        }
        self.failed += 1;
        if self.failed == self.after {
            let given_up =
                ChatError::GivenUp { url: url.to_owned(), calls: self.failed, last: error.to_string() };
            self.open = Some((given_up, now + COOL_DOWN));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> ChatError {
        ChatError::Network { url: "u".to_owned(), attempts: 1, reason: "refused".to_owned() }
    }

    fn rejected() -> ChatError {
        ChatError::Rejected { url: "u".to_owned(), status: 400, body: String::new() }
    }

    #[test]
    fn only_failures_in_a_row_count() {
        let now = Instant::now();
        let check = |after: u32, calls: &[Result<(), ChatError>], open: bool| {
            let mut breaker = Breaker::new(after);
            for call in calls {
                breaker.note("u", call.as_ref().copied(), now);
            }
            assert_eq!(breaker.refuses(now).is_some(), open, "after {after}: {calls:?}");
        };
        let (bad, good, no) = (|| Err(network()), || Ok(()), || Err(rejected()));
        check(2, &[bad()], false);
        check(2, &[bad(), bad()], true);
        check(2, &[bad(), good(), bad()], false);
        check(2, &[bad(), no(), bad()], false);
        check(2, &[bad(), bad(), good()], false);
        check(2, &[no(), no(), no()], false);
        let silent =
            || Err(ChatError::NoAnswer { model: "m".to_owned(), reason: "its message is empty".to_owned() });
        check(2, &[bad(), silent(), bad()], false);
        check(0, &[bad(), bad(), bad()], false);
        let fatal = ChatError::Redirect { url: "u".to_owned(), status: 301 };
        check(0, &[Err(fatal)], true);
    }

    #[test]
    fn one_call_tries_again_after_the_cool_down() {
        let start = Instant::now();
        let mut breaker = Breaker::new(1);
        breaker.note("u", Err(&network()), start);
        assert!(breaker.refuses(start + COOL_DOWN / 2).is_some());
        let trial = start + COOL_DOWN;
        assert!(breaker.refuses(trial).is_none());
        assert!(breaker.refuses(trial).is_some(), "one call, not all");
        breaker.note("u", Err(&network()), trial);
        assert!(breaker.refuses(trial + COOL_DOWN / 2).is_some());
        assert!(breaker.refuses(trial + COOL_DOWN).is_none());
        breaker.note("u", Ok(()), trial + COOL_DOWN);
        assert!(breaker.refuses(trial + COOL_DOWN).is_none(), "it answers again");
    }
}
