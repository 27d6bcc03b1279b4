//! The client against a fake chat server.

mod failures;
mod fallbacks;
mod faults;
mod formats;
mod replies;
mod setup;
