//! Replies that are kept on disk, so that the same request is not sent twice.

mod store;

pub use store::ReplyStore;

use serde_json::json;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};
use types::{
    BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, digest::sha256_of_parts, locked,
};

/// What is done with kept replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// Kept replies are used, new ones are kept.
    Use,
    /// Only kept replies are used; a request without one fails and is not sent.
    Replay,
    /// Kept replies are used, nothing is kept.
    ReadOnly,
}

/// How often a cache had the reply.
#[derive(Debug, Default)]
pub struct CacheCounts {
    hits: AtomicU64,
    misses: AtomicU64,
}

impl CacheCounts {
    /// Calls that were answered from the cache.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }
    /// Calls that were not.
    pub fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }
}

/// A model whose replies are kept. A reply is found again by everything that shapes it: the model as `identity` describes
/// it, the messages, the schema and the limit of tokens.
///
/// A reply that the caller rejects is kept too, so that the corrective second call is made and answered again in the same
/// way; if the caller fails in the end, [`ChatModel::forget`] removes its replies, and the next try asks anew.
#[derive(Clone, Debug)]
pub struct Cached<M> {
    model: M,
    identity: String,
    store: Arc<ReplyStore>,
    mode: CacheMode,
    counts: Arc<CacheCounts>,
    /// Requests on their way, by key: the same request waits for the reply instead of being sent too.
    running: Arc<Mutex<HashMap<String, Arc<Turn>>>>,
}

/// Held by the call that is on its way.
type Turn = tokio::sync::Mutex<()>;

impl<M: ChatModel> Cached<M> {
    /// Keeps the replies of `model` in `store`. `identity` names everything about the model and its settings that shapes a
    /// reply, and no secret.
    pub fn new(
        model: M,
        identity: String,
        store: Arc<ReplyStore>,
        mode: CacheMode,
        counts: Arc<CacheCounts>,
    ) -> Self {
        Self { model, identity, store, mode, counts, running: Arc::default() }
    }

    fn turn(&self, key: &str) -> Arc<Turn> {
        let mut running = locked(&self.running);
        running.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(running.entry(key.to_owned()).or_default())
    }

    fn key(&self, request: &ChatRequest) -> String {
        let schema = request.schema.as_ref().map(|s| json!([s.name, s.schema]));
        let shape = json!([schema, request.max_tokens]).to_string();
        let parts = [&*self.identity, &*request.system, &*request.user, &*shape];
        sha256_of_parts(&parts.map(str::as_bytes))
    }
}

impl<M: ChatModel> ChatModel for Cached<M> {
    fn inner(&self) -> Option<&dyn ChatModel> {
        Some(&self.model)
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        Box::pin(async move {
            let key = self.key(request);
            let turn = self.turn(&key);
            let _held = turn.lock().await;
            let damaged = match self.store.get(&key) {
                Ok(Some(reply)) => {
                    self.counts.hits.fetch_add(1, Ordering::Relaxed);
                    return Ok(reply);
                }
                Ok(None) => None,
                Err(path) => Some(path.display().to_string()),
            };
            self.counts.misses.fetch_add(1, Ordering::Relaxed);
            if self.mode == CacheMode::Replay {
                return Err(ChatFailure::from(match damaged {
                    Some(file) => ChatError::KeptDamaged { file },
                    None => ChatError::NotKept {
                        model: self.model.id().to_owned(),
                        folder: self.store.folder().display().to_string(),
                    },
                }));
            }
            let mut reply = self.model.complete(request).await?;
            // Once the server has a longer context, it is to be asked again.
            if self.mode == CacheMode::Use
                && reply.prompt_cut().is_none()
                && let Err(error) = self.store.put(&key, &reply)
            {
                let folder = self.store.folder().display();
                let note = format!("replies of the language model could not be kept in {folder}: {error}");
                reply.notes.push(note);
            }
            if let Some(file) = damaged {
                let note =
                    format!("the cached reply {file} was damaged, and the language model was asked again");
                reply.notes.push(note);
            }
            Ok(reply)
        })
    }

    fn forget(&self, request: &ChatRequest) {
        if self.mode == CacheMode::Use {
            self.store.remove(&self.key(request));
        }
        self.model.forget(request);
    }
}

#[cfg(test)]
mod tests;
