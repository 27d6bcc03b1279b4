//! A server that failed several times in a row is not asked again.

use types::{ChatError, FailureKind};

/// Counts failed calls and refuses further ones. It stays open until a call that was already on its way succeeds: a
/// run that meets a dead server ends quickly, and a new run asks again.
#[derive(Debug)]
pub(crate) struct Breaker {
    /// Failed calls in a row after which no other is made; 0: never.
    after: u32,
    failed: u32,
    open: Option<ChatError>,
}

impl Breaker {
    pub(crate) fn new(after: u32) -> Self {
        Self {
            after,
            failed: 0,
            open: None,
        }
    }

    /// The error of a call that is not made; `None` when it may be made.
    pub(crate) fn refuses(&self) -> Option<ChatError> {
        self.open.clone()
    }

    /// The server gave a reply, or rejected one request for what it held.
    fn works(&mut self) {
        self.failed = 0;
        self.open = None;
    }

    /// Takes note of how a call to `url` ended.
    pub(crate) fn note(&mut self, url: &str, ended: Result<(), &ChatError>) {
        let error = match ended {
            Ok(()) | Err(ChatError::Rejected { .. } | ChatError::Truncated { .. }) => return self.works(),
            Err(error) => error,
        };
        if error.kind() == FailureKind::Fatal {
            self.open = Some(error.clone());
            return;
        }
        self.failed += 1;
        if self.failed == self.after {
            self.open = Some(ChatError::GivenUp {
                url: url.to_owned(),
                calls: self.failed,
                last: error.to_string(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> ChatError {
        ChatError::Network {
            url: "u".to_owned(),
            attempts: 1,
            reason: "refused".to_owned(),
        }
    }

    fn rejected() -> ChatError {
        ChatError::Rejected {
            url: "u".to_owned(),
            status: 400,
            body: String::new(),
        }
    }

    #[test]
    fn only_failures_in_a_row_count() {
        let check = |after: u32, calls: &[Result<(), ChatError>], open: bool| {
            let mut breaker = Breaker::new(after);
            for call in calls {
                breaker.note("u", call.as_ref().copied());
            }
            assert_eq!(breaker.refuses().is_some(), open, "after {after}: {calls:?}");
        };
        let (bad, good, no) = (|| Err(network()), || Ok(()), || Err(rejected()));
        check(2, &[bad()], false);
        check(2, &[bad(), bad()], true);
        check(2, &[bad(), good(), bad()], false);
        check(2, &[bad(), no(), bad()], false);
        check(2, &[bad(), bad(), good()], false);
        check(2, &[no(), no(), no()], false);
        check(0, &[bad(), bad(), bad()], false);
        let fatal = ChatError::Redirect {
            url: "u".to_owned(),
            status: 301,
        };
        check(0, &[Err(fatal)], true);
    }
}
