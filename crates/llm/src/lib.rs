//! Language models over HTTP: one client for every server that speaks the OpenAI chat protocol, hosted or
//! local (Ollama, vLLM, llama.cpp).
//!
//! Place in the flow: [`OpenAiChat`] implements [`types::ChatModel`]; generation, reranking and judging reach
//! it only through that trait. One call of `complete` is one answer: it waits and tries again where that can
//! help, and otherwise fails with an error that says where, what and what to do, and what the call cost. After several
//! failed calls in a row, or when the server refuses the key or does not serve the model, no other call is made.
//!
//! What a server does not take (`response_format` by schema, a temperature, `max_tokens`) is learnt from its
//! own rejection, left out from then on, and reported once by [`OpenAiChat::notes`]: nothing is given up
//! silently. Keys never reach an error, a note or a `Debug` print, and are taken out of replies that repeat them.
//!
//! This crate does not write prompts, does not judge what a reply says, links no native inference, and keeps
//! no cache. Times are [`std::time::Duration`]s; a timeout bounds one try, [`with_deadline`] all calls of a question together.
//!
//! Method: exponential backoff with jitter as described by M. Brooker, "Exponential Backoff And Jitter"
//! (2015), with a jitter computed from the request so that two runs wait alike; RFC 9110 for `Retry-After`.
//!
//! ```
//! use llm::{LlmSettings, OpenAiChat};
//! let model = OpenAiChat::new(LlmSettings {
//!     base_url: "http://127.0.0.1:11434/v1".into(),
//!     model: "llama3.1".into(),
//!     ..LlmSettings::default()
//! })?;
//! assert!(model.notes().is_empty());
//! # Ok::<(), llm::LlmError>(())
//! ```

mod backoff;
mod breaker;
mod client;
mod deadline;
mod dialect;
mod endpoint;
mod extract;
mod reply;
mod request;
mod secret;
mod settings;
mod transport;
mod verdict;

pub use backoff::Backoff;
pub use client::OpenAiChat;
pub use deadline::with_deadline;
pub use settings::{LlmError, LlmSettings, SchemaMode};
