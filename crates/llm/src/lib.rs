//! Language models over HTTP: one client for every server that speaks the OpenAI chat protocol, hosted or
//! local (Ollama, vLLM, llama.cpp).
//!
//! Place in the flow: [`OpenAiChat`] implements [`types::ChatModel`]; generation, reranking and judging reach
//! it only through that trait. One call of `complete` is one answer: it waits and tries again where that can
//! help, and otherwise fails with an error that says where, what and what to do.
//!
//! What a server does not take (`response_format` by schema, a temperature, `max_tokens`) is learnt from its
//! own rejection, left out from then on, and reported once by [`OpenAiChat::notes`]: nothing is given up
//! silently. Keys never reach an error, a note or a `Debug` print.
//!
//! This crate does not write prompts, does not judge what a reply says, links no native inference, and keeps
//! no cache. Times are [`std::time::Duration`]s; a timeout bounds one try, not the whole call.
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
mod client;
mod dialect;
mod endpoint;
mod extract;
mod reply;
mod request;
mod secret;
mod settings;
mod transport;

pub use backoff::Backoff;
pub use client::OpenAiChat;
pub use settings::{LlmError, LlmSettings, SchemaMode};
