//! What can go wrong with native models.

use std::path::PathBuf;
use types::Explain;

/// A model, its files or its run time failed.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "models", values(path, asked))]
#[non_exhaustive]
pub enum ModelsError {
    /// A file that is needed is not there.
    #[error("{what} not found at {path}; run `pipeline setup`, or set the path in the configuration")]
    Missing {
        /// What the file is.
        what: &'static str,
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A file is there but cannot be read.
    #[error("cannot read {path}: {source}; check its permissions")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The shared library is no usable ONNX Runtime.
    #[error(
        "cannot load ONNX Runtime from {path}: {reason}; run `pipeline setup` for a build of version 1.{minor} or later"
    )]
    Runtime {
        /// The library.
        path: PathBuf,
        /// What the loader said.
        reason: String,
        /// The lowest usable minor version.
        minor: u32,
    },
    /// A process can hold one ONNX Runtime only.
    #[error(
        "ONNX Runtime is already loaded from {loaded}, it cannot be loaded from {asked} as well; use one path for all models"
    )]
    RuntimeElsewhere {
        /// The library in use.
        loaded: PathBuf,
        /// The library that was asked for.
        asked: PathBuf,
    },
    /// A settings file of a model folder is wrong.
    #[error("{path} is not valid: {reason}; correct it, or set the value in the configuration")]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The tokenizer cannot be used.
    #[error("tokenizer {path}: {reason}; give the tokenizer.json that belongs to the model")]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What it said.
        reason: String,
    },
    /// The model cannot be loaded.
    #[error("cannot load the model {path}: {reason}; give an ONNX export that this ONNX Runtime supports")]
    Model {
        /// The file.
        path: PathBuf,
        /// What the run time said.
        reason: String,
    },
    /// fastembed gives every model a mask, which some do not take.
    #[error("fastembed cannot run {path}: {reason}; set embedding.provider = \"onnx\"")]
    Fastembed {
        /// The file.
        path: PathBuf,
        /// What it said.
        reason: String,
    },
    /// A text could not be tokenized.
    #[error("cannot tokenize a text of {bytes} bytes: {reason}")]
    Tokenize {
        /// Length of the text.
        bytes: usize,
        /// What the tokenizer said.
        reason: String,
    },
    /// A text does not fit the model and is not cut silently.
    #[error(
        "text {index} has {tokens} tokens, the model takes 1 to {max_tokens}; cut it with `windows` first"
    )]
    TextLength {
        /// Its position in the input, from 0.
        index: usize,
        /// Its length, special tokens and the model's own prefix included.
        tokens: usize,
        /// What the model takes.
        max_tokens: usize,
    },
    /// Nothing fits beside what is repeated in each window.
    #[error(
        "{tokens} tokens are repeated in every window, the model takes {max_tokens}: nothing else fits; shorten the prefix"
    )]
    NoRoom {
        /// Tokens of prefix and special tokens.
        tokens: usize,
        /// What the model takes.
        max_tokens: usize,
    },
    /// Sentence spans do not describe the text.
    #[error(
        "sentence {index} ({start}..{end}) does not lie behind its predecessor inside the text of {bytes} \
         bytes; give ordered spans on character boundaries"
    )]
    Sentences {
        /// The sentence, from 0.
        index: usize,
        /// Its first byte.
        start: usize,
        /// One past its last byte.
        end: usize,
        /// Length of the text.
        bytes: usize,
    },
    /// The model ran and failed.
    #[error("inference failed: {reason}")]
    Inference {
        /// What the run time said.
        reason: String,
    },
    /// The model ran and its output is unusable.
    #[error("unusable output: {reason}; check pooling and that the model is of the expected kind")]
    Output {
        /// What is wrong with it.
        reason: String,
    },
}
