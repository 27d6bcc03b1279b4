//! Language models over HTTP: one client for hosted and local servers, in three formats ([`Api`]): OpenAI's, which most
//! servers take (vLLM, llama.cpp, Azure), Anthropic's and Ollama's own.
//!
//! Place in the flow: [`provider`] makes a [`types::ChatModel`] from settings; generation, reranking and judging reach
//! it only through that trait. One call of `complete` is one answer: it waits and tries again where that can help, and
//! otherwise fails with an error that says where, what and what to do, and what the call cost. Small wrappers around
//! the client implement the same trait: [`FailFast`] makes no further call after several failed ones in a row, or if
//! the server refuses the key or does not serve the model; [`Metered`] counts what calls inside [`metered`] spend, by
//! stage; [`Cached`] keeps replies on disk; [`Budgeted`] makes no call that could pass a limit of cost.
//!
//! If a server rejects a part of a request (`response_format` by schema, tools, a temperature, `max_tokens`, the role of
//! instructions), the table in `dialect` says what is written instead from then on, and the [`types::ChatReply::notes`] of
//! every reply name it: nothing is dropped silently. Fences and text around the JSON of a reply are taken away, and values in
//! another form than the schema are read where there is one way to read them; any other reply that does not follow the schema is
//! for the caller to ask for again ([`types::ask`]). Keys never reach an error, a note or a `Debug` print, and are taken out of replies that repeat them.
//!
//! Requests can be limited by number and by tokens in a minute, and in number at the same time.
//!
//! This crate does not write prompts, does not judge what a reply says, and links no native inference.
//! Times are [`std::time::Duration`]s; a timeout bounds one try, [`with_deadline`] all calls of a question together.
//!
//! Method: exponential backoff with jitter as described by M. Brooker, "Exponential Backoff And Jitter"
//! (2015), with a jitter computed from the request so that two runs wait alike; RFC 9110 for `Retry-After`.
//!
//! ```
//! use llm::LlmSettings;
//! let model = llm::provider(LlmSettings {
//!     base_url: "http://127.0.0.1:11434/v1".into(),
//!     model: "llama3.1".into(),
//!     ..LlmSettings::default()
//! })?;
//! assert_eq!(model.id(), "llama3.1");
//! # Ok::<(), llm::LlmError>(())
//! ```

mod api;
mod backoff;
mod budget;
mod cache;
mod classify;
mod client;
mod complaint;
mod conform;
mod connection;
mod deadline;
mod dialect;
mod echo;
mod embeddings;
mod endpoint;
mod extract;
mod fail_fast;
mod limiter;
mod metered;
mod notice;
mod plain;
mod provider;
mod reply;
mod secret;
mod served;
mod settings;
mod spelt;
mod transport;
mod watch;
mod wire;

pub use api::Api;
pub use backoff::Backoff;
pub use budget::{Budget, Budgeted};
pub use cache::{CacheCounts, CacheMode, Cached, ReplyStore};
pub use client::ChatClient;
pub use deadline::with_deadline;
pub use embeddings::{EmbeddingsSettings, RemoteEmbedder};
pub use endpoint::{USE_HTTPS, exposed_key};
pub use fail_fast::FailFast;
pub use metered::{Calls, Metered, metered};
pub use notice::on_warning;
pub use provider::{provider, provider_with_keys};
pub use settings::{LlmError, LlmSettings, SchemaMode};
pub use spelt::Spelt;
pub use transport::root_cause;
pub use watch::{Watcher, Written, watched};
