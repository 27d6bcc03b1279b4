//! What can go wrong with a hub.

use std::{io, path::PathBuf};
use types::Explain;

const UNREACHABLE: &str = "check the network and HF_ENDPOINT; without a network, run `pipeline setup` with the same \
                           settings elsewhere and copy the model's folder into the natives folder";
const REFUSED: &str = "check HF_ENDPOINT; if the hub has moved the model, choose another with `pipeline setup \
                       --list-models`";

/// A file could not be downloaded.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "hub", values(file, host, path))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum HubError {
    /// The address of the hub cannot be used.
    #[error("HF_ENDPOINT {reason}; set HF_ENDPOINT to an http or https address, or leave it unset")]
    Endpoint { reason: String },
    /// The HTTP client cannot be made.
    #[error("cannot prepare HTTP requests: {reason}")]
    Client { reason: String },
    /// There is no connection to the hub.
    #[error("cannot reach the model hub at {host}: {reason}; {UNREACHABLE}")]
    Unreachable { host: String, reason: String },
    /// The hub answered with an error.
    #[error("the model hub at {host} answered HTTP {status} for {file}; {REFUSED}")]
    Refused { host: String, file: String, status: u16 },
    /// The hub's answer cannot be used.
    #[error("the model hub at {host} answered for {file} with {reason}; {REFUSED}")]
    Reply { host: String, file: String, reason: String },
    /// The connection ended before the file was whole.
    #[error("the download of {file} was cut off after {bytes} bytes: {reason}; run `pipeline setup` again")]
    CutOff { file: String, bytes: u64, reason: String },
    /// The content is not what the hub announced.
    #[error("{file} came with SHA-256 {found}, the hub announced {expected}; run `pipeline setup` again")]
    OtherContent { file: String, found: String, expected: String },
    /// The file cannot be written.
    #[error("cannot write {path}: {source}; check the permissions of the folder and the space on the disk")]
    Write { path: PathBuf, source: io::Error },
}
