//! The store against the engine of a Qdrant server.

mod contract;
mod failures;
