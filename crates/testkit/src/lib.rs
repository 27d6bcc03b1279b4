//! Helpers that the tests of several crates share.
//!
//! [`ChatServer`] is a fake chat server on loopback: it speaks the OpenAI chat protocol, plays a script of replies and
//! faults, and records every request; [`Step`] writes replies in other formats too. [`reply`] writes the replies that a well-behaved model would give to the prompts
//! of this project. [`onnx`] writes small models. [`qdrant`] starts a stand-in for a Qdrant server. [`store`] is the suite that every store of passages must pass.
//!
//! This crate is a dependency of tests only; `cargo xtask check` refuses any other use. It depends on no stage
//! and starts no asynchronous runtime, so that every test can use it. A helper panics where a test would.
//!
//! ```
//! use testkit::{ChatServer, Step};
//! let server = ChatServer::start([Step::error(429, "slow down").with_header("retry-after", "0"), Step::said("hello")]);
//! assert!(server.base_url().starts_with("http://127.0.0.1:"));
//! assert!(server.requests().is_empty());
//! ```

#![allow(clippy::missing_panics_doc, reason = "a test that panics has failed")]

mod chat;
pub mod onnx;
pub mod qdrant;
pub mod reply;
pub mod store;

pub use chat::{ChatServer, Request, Step, refusing_address};
