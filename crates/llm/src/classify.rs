//! What a failed try means: which error, and whether another try can help.

use crate::{
    complaint::{Complaint, says},
    secret::Secrets,
    served::Served,
    transport::{chain, root_cause},
    wire::FILTERED,
};
use std::time::Duration;
use types::ChatError;

/// Tries after the first one while no connection comes about at all.
const CONNECT_RETRIES: u32 = 2;

/// A server that asks to wait longer is not asked again.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// Why a try gave no reply.
pub(crate) enum Failure {
    /// No other try can help.
    Final(ChatError),
    /// Another try may help.
    Retry {
        error: ChatError,
        /// What the server asks to wait.
        wait: Option<Duration>,
        /// Retries at most.
        most: u32,
    },
}

/// Turns what happened into a [`Failure`].
#[derive(Clone, Copy)]
pub(crate) struct Classifier<'a> {
    pub(crate) served: &'a Served,
    /// The address as it may be shown.
    pub(crate) url: &'a str,
    pub(crate) secrets: &'a Secrets,
    pub(crate) key_sent: bool,
    /// Requests so far, the failed one included.
    pub(crate) attempts: u32,
}

impl Classifier<'_> {
    /// Of a status that is no success; `complaint` is what the server says of it.
    pub(crate) fn status(self, status: u16, complaint: &Complaint, wait: Option<Duration>) -> Failure {
        let (url, body) = (self.url.to_owned(), self.secrets.preview(&complaint.shown));
        let words = complaint.words.as_str();
        Failure::Final(match status {
            // The text of a 401 often repeats a part of the key.
            401 => self.auth(status, String::new()),
            200 | 400 | 403 | 422 | 451 if says(words, FILTER) => {
                return self.no_answer(&format!("{FILTERED} ({body})"));
            }
            402 => ChatError::Quota { url, status, body },
            200 | 400 | 403 | 429 if says(words, NO_CREDIT) => ChatError::Quota { url, status, body },
            403 => self.auth(status, format!(": {body}")),
            300..=399 => ChatError::Redirect { url, status },
            _ if is_too_long(status, words) => ChatError::TooLong { url, status, body },
            404 | 405 | 410 => self.not_served(status, body),
            200 | 400 if says(words, NO_CALL) => self.not_served(status, body),
            400 | 422 if says(words, "model") && says(words, NO_MODEL) => self.not_served(status, body),
            408 | 425 | 429 | 500 | 502..=504 | 506..=599 => {
                return self.overloaded(status, &complaint.shown, wait);
            }
            _ => ChatError::Rejected { url, status, body },
        })
    }

    /// Of a fault of the server that may pass. One that lasts longer than anybody waits, such as a daily limit, is final.
    pub(crate) fn overloaded(self, status: u16, said: &str, wait: Option<Duration>) -> Failure {
        let too_long = wait.filter(|wait| *wait > LONGEST_WAIT);
        let asks = too_long.map(|wait| format!(" (it asks to wait {} minutes)", wait.as_secs().div_ceil(60)));
        let error = ChatError::Overloaded {
            url: self.url.to_owned(),
            status,
            attempts: self.attempts,
            body: self.secrets.preview(said) + &asks.unwrap_or_default(),
        };
        let most = self.served.max_retries;
        match too_long {
            Some(_) => Failure::Final(error),
            None => Failure::Retry { error, wait, most },
        }
    }

    /// Of a transport that failed. A try that ran into its time limit is not repeated: the next one would too.
    pub(crate) fn transport(self, error: reqwest::Error) -> Failure {
        let (url, attempts) = (self.url.to_owned(), self.attempts);
        if error.is_timeout() && !error.is_connect() {
            return Failure::Final(ChatError::Timeout { url, timeout: self.served.timeout, attempts });
        }
        let (lasting, connected) = (error.is_builder(), !error.is_connect());
        let error = error.without_url();
        let reason = if connected { chain(&error) } else { root_cause(&error) };
        let reason = self.secrets.preview(&reason);
        let error = ChatError::Network { url, attempts, reason };
        if lasting {
            return Failure::Final(error);
        }
        let most =
            if connected { self.served.max_retries } else { self.served.max_retries.min(CONNECT_RETRIES) };
        Failure::Retry { error, wait: None, most }
    }

    /// Of a reply that cannot be read.
    pub(crate) fn malformed(self, reason: &str, reply: &str) -> Failure {
        Failure::Final(ChatError::Malformed {
            model: self.served.model.clone(),
            reason: self.secrets.preview(reason),
            preview: self.secrets.preview(&self.secrets.scrub_reply(reply)),
        })
    }

    /// Of a reply in which the model says nothing.
    pub(crate) fn no_answer(self, reason: &str) -> Failure {
        Failure::Final(ChatError::NoAnswer {
            model: self.served.model.clone(),
            reason: self.secrets.preview(&self.secrets.scrub_reply(reason)),
        })
    }

    fn auth(self, status: u16, body: String) -> ChatError {
        let key_env = match self.served.api_key_env.trim() {
            "" => format!("that {}.api_key_env names", self.served.section),
            name => name.to_owned(),
        };
        ChatError::Auth { url: self.url.to_owned(), status, key_env, sent: self.key_sent, body }
    }

    fn not_served(self, status: u16, mut body: String) -> ChatError {
        if matches!(status, 200 | 404) && self.served.route.lacks_version(self.url) {
            body += "; the address has no /v1, with which those of most servers end";
        }
        ChatError::NotServed { url: self.url.to_owned(), model: self.served.model.clone(), status, body }
    }
}

/// Words, as [`crate::complaint::folded`] writes them, by which servers say that the account has no credit.
const NO_CREDIT: &str =
    "insufficient quota|insufficient balance|insufficient credit|credit balance is too low";
/// That a filter stopped the prompt or the reply.
const FILTER: &str = "content filter|content management policy|content policy|responsible ai|prohibited content|safety|\
     blocked by|prompt was blocked|moderation|data inspection failed|inappropriate content|\
     sensitive content|guardrail|promptfeedback";
/// That the server has no such call.
const NO_CALL: &str =
    "unexpected endpoint|unknown endpoint|invalid endpoint|no such endpoint|unknown path|invalid path";
/// That the model does not exist, beside the word `model`.
const NO_MODEL: &str = "model not found|does not exist|not found|unknown model|no such model";
/// That something is too long.
const TOO_LONG: &str = "exceed|too long|too large|too many|longer than|larger than|greater than|more than|less than|\
     fewer than|at most|above|maximum context|overflow|not enough|reduce|range|between|must be|超";
/// What is too long, beyond doubt or in a rejection.
const CONTEXT: &str = "context length|context window|context size|context limit|max context|maximum context|model context|\
     input length|sequence length|num ctx";
const TOKENS: &str = "token|max tokens|max completion tokens|max new tokens|prompt|input is";

/// Whether a complaint says that the prompt, or the prompt with its reply, is too long.
pub(crate) fn is_too_long(status: u16, words: &str) -> bool {
    let what = says(words, CONTEXT) || (status < 500 && says(words, TOKENS));
    status == 413 || (!matches!(status, 408 | 425 | 429) && what && says(words, TOO_LONG))
}
