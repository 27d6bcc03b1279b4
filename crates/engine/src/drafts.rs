//! Answers while a language model writes them.

use generate::Draft;
use llm::{Watcher, Written};
use std::sync::{Arc, Mutex, PoisonError};

/// A part of an answer that is being written. It is not checked yet: the final answer may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftPart<'a> {
    /// An answer begins, also when the model is asked again.
    Begin,
    /// The next characters, without citations; they may contain anything.
    Text(&'a str),
    /// The answer is complete, or there is none.
    End,
}

/// Is shown the parts of answers.
pub type DraftSink = Arc<dyn Fn(DraftPart<'_>) + Send + Sync>;

/// Reads replies for `sink`.
pub(crate) fn watcher(sink: &DraftSink) -> Watcher {
    let (sink, draft) = (Arc::clone(sink), Mutex::new(Draft::default()));
    Arc::new(move |part| {
        let mut draft = draft.lock().unwrap_or_else(PoisonError::into_inner);
        match part {
            Written::Begin => {
                *draft = Draft::default();
                sink(DraftPart::Begin);
            }
            Written::Text(text) => {
                let new = draft.push(text);
                if !new.is_empty() {
                    sink(DraftPart::Text(&new));
                }
            }
        }
    })
}
