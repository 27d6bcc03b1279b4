//! What can go wrong with native models.

mod explain;

use std::path::PathBuf;

/// A model, its files or its run time failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelsError {
    /// A file that is needed is not there.
    #[error("{what} not found at {path}; {}", explain::MISSING)]
    Missing {
        /// What the file is.
        what: &'static str,
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A file is there but cannot be read.
    #[error("cannot read {path}: {source}; {}", explain::UNREADABLE)]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The shared library is no usable ONNX Runtime.
    #[error("cannot load ONNX Runtime from {path}: {reason}; {}", explain::runtime(.minor))]
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
        "ONNX Runtime is already loaded from {loaded}, it cannot be loaded from {asked} as well; {}",
        explain::RUNTIME_ELSEWHERE
    )]
    RuntimeElsewhere {
        /// The library in use.
        loaded: PathBuf,
        /// The library that was asked for.
        asked: PathBuf,
    },
    /// A settings file of a model folder is wrong.
    #[error("{path} is not valid: {reason}; {}", explain::SETTINGS)]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The tokenizer cannot be used.
    #[error("tokenizer {path}: {reason}; {}", explain::TOKENIZER)]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What it said.
        reason: String,
    },
    /// The model cannot be loaded.
    #[error("cannot load the model {path}: {reason}; {}", explain::MODEL)]
    Model {
        /// The file.
        path: PathBuf,
        /// What the run time said.
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
        "text {index} has {tokens} tokens, the model takes 1 to {max_tokens}; {}",
        explain::TEXT_LENGTH
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
        "{tokens} tokens are repeated in every window, the model takes {max_tokens}: nothing else fits; {}",
        explain::NO_ROOM
    )]
    NoRoom {
        /// Tokens of prefix and special tokens.
        tokens: usize,
        /// What the model takes.
        max_tokens: usize,
    },
    /// Sentence spans do not describe the text.
    #[error(
        "sentence {index} ({start}..{end}) does not lie behind its predecessor inside the text of {bytes} bytes; {}",
        explain::SENTENCES
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
    #[error("unusable output: {reason}; {}", explain::OUTPUT)]
    Output {
        /// What is wrong with it.
        reason: String,
    },
}
