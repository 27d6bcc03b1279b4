//! A language model that plays a script.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use types::{BoxFuture, ChatFailure, ChatModel, ChatReply, ChatRequest, Usage};

/// A model that gives its replies in order and remembers what it was asked.
pub(crate) struct Script {
    replies: Mutex<VecDeque<Result<ChatReply, ChatFailure>>>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl Script {
    pub(crate) fn new(replies: impl IntoIterator<Item = Result<ChatReply, ChatFailure>>) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.into_iter().collect()), asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().expect("no panic").clone()
    }
}

impl ChatModel for Script {
    fn id(&self) -> &'static str {
        "script"
    }
    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        self.asked.lock().expect("no panic").push(request.clone());
        let reply = self.replies.lock().expect("no panic").pop_front().expect("a reply is left");
        Box::pin(async move { reply })
    }
}

pub(crate) const COST: Usage =
    Usage { requests: 1, failed_requests: 0, prompt_tokens: 10, completion_tokens: 5 };

#[expect(clippy::unnecessary_wraps, reason = "a step of a script is a result")]
pub(crate) fn said(text: &str) -> Result<ChatReply, ChatFailure> {
    Ok(ChatReply { text: text.to_owned(), model: "script-1".into(), usage: COST, ..ChatReply::default() })
}
