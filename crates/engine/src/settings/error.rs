//! Errors in settings.

use std::path::PathBuf;
use types::{Explain, OutOfRange};

/// Why a setting, or a file of settings, cannot be used.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "settings", values(path, value, key))]
pub enum SettingsError {
    /// The file cannot be read.
    #[error(
        "cannot read the settings file {path}: {source}; name an existing TOML file, or a preset: {presets}"
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// The presets that exist.
        presets: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{origin} is not valid TOML: {reason}")]
    Syntax {
        /// Where it stands.
        origin: String,
        /// The parser's message, with line and column.
        reason: String,
    },
    /// No such key.
    #[error("unknown setting {key:?} in {origin}; {hint}")]
    Unknown {
        /// The key.
        key: String,
        /// Where it stands.
        origin: String,
        /// The nearest right name.
        hint: String,
    },
    /// The value has the wrong type.
    #[error("{key} = {value} in {origin} is not {expected}")]
    Type {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// Where it stands.
        origin: String,
        /// What is expected.
        expected: String,
    },
    /// The value is out of range, or incompatible with another setting.
    #[error("{key} must be {limit}, got {value}")]
    Range {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What is allowed.
        limit: String,
    },
    /// Not `section.key=value`.
    #[error("{0:?} is not of the form section.key=value, for example retrieve.candidates=12")]
    Override(String),
}

impl From<OutOfRange> for SettingsError {
    fn from(error: OutOfRange) -> Self {
        Self::Range { key: error.field, value: error.value, limit: error.limit }
    }
}
