//! What can go wrong with native models.

use std::path::PathBuf;
use types::Explain;

/// A model, its files or its run time failed.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "models", values(path, asked))]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum ModelsError {
    /// A file that is needed is not there.
    #[error("{what} not found at {path}; run `pipeline setup`, or set the path in the configuration")]
    Missing { what: &'static str, path: PathBuf },
    /// A file is there but cannot be read.
    #[error("cannot read {path}: {source}; check its permissions")]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// The shared library is no usable ONNX Runtime.
    #[error(
        "cannot load ONNX Runtime from {path}: {reason}; run `pipeline setup` for a build of version 1.{minor} or later"
    )]
    Runtime { path: PathBuf, reason: String, minor: u32 },
    /// A process can hold one ONNX Runtime only.
    #[error(
        "ONNX Runtime is already loaded from {loaded}, it cannot be loaded from {asked} as well; use one path for all models"
    )]
    RuntimeElsewhere { loaded: PathBuf, asked: PathBuf },
    /// A settings file of a model folder is wrong.
    #[error("{path} is not valid: {reason}; correct it, or set the value in the configuration")]
    Settings { path: PathBuf, reason: String },
    /// The tokenizer cannot be used.
    #[error("tokenizer {path}: {reason}; give the tokenizer.json that belongs to the model")]
    Tokenizer { path: PathBuf, reason: String },
    /// The model cannot be loaded.
    #[error("cannot load the model {path}: {reason}; give an ONNX export that this ONNX Runtime supports")]
    Model { path: PathBuf, reason: String },
    /// fastembed gives every model a mask, which some do not take.
    #[error("fastembed cannot run {path}: {reason}; set embedding.provider = \"onnx\"")]
    Fastembed { path: PathBuf, reason: String },
    /// A text could not be tokenized.
    #[error("cannot tokenize a text of {bytes} bytes: {reason}")]
    Tokenize { bytes: usize, reason: String },
    /// A text does not fit the model and is not cut silently.
    #[error(
        "text {index} has {tokens} tokens, the model takes 1 to {max_tokens}; cut it with `windows` first"
    )]
    TextLength { index: usize, tokens: usize, max_tokens: usize },
    /// Nothing fits beside what is repeated in each window.
    #[error(
        "{tokens} tokens are repeated in every window, the model takes {max_tokens}: nothing else fits; shorten the prefix"
    )]
    NoRoom { tokens: usize, max_tokens: usize },
    /// Sentence spans do not describe the text.
    #[error(
        "sentence {index} ({start}..{end}) does not lie behind its predecessor inside the text of {bytes} \
         bytes; give ordered spans on character boundaries"
    )]
    Sentences { index: usize, start: usize, end: usize, bytes: usize },
    /// The model ran and failed.
    #[error("inference failed: {reason}")]
    Inference { reason: String },
    /// The model ran and its output is unusable.
    #[error("unusable output: {reason}; check pooling and that the model is of the expected kind")]
    Output { reason: String },
}
