//! The client against a web server that plays scripts: see [`server`].

mod failures;
mod fallbacks;
mod replies;
mod server;
