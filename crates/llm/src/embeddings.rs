//! Embeddings from a server with an OpenAI-compatible API.

mod client;
mod error;
mod reply;
mod settings;

pub use client::RemoteEmbedder;
pub use settings::EmbeddingsSettings;
