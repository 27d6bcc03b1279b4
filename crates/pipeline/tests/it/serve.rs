//! The pipeline over HTTP, with the real binary and real sockets.

mod apis;
mod assistants;
mod client;
mod deleted;
mod guide;
mod jobs;
mod library;
mod limits;
mod models;
mod own;
mod pages;
mod portal;
mod tables;
mod tenants;
