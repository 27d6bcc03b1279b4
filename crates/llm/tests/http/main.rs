//! The client against a fake chat server.

mod failures;
mod fallbacks;
mod replies;
mod setup;
