//! Errors in settings.

use std::path::PathBuf;
use types::{Explain, OutOfRange};

/// Why a setting, or a file of settings, cannot be used.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "settings", values(path, value, key))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum SettingsError {
    /// The file cannot be read.
    #[error(
        "cannot read the settings file {path}: {source}; name an existing TOML file, or a preset: {presets}"
    )]
    Read { path: PathBuf, presets: String, source: std::io::Error },
    /// The file is not TOML.
    #[error("{origin} is not valid TOML: {reason}")]
    Syntax { origin: String, reason: String },
    /// No such key.
    #[error("unknown setting {key:?} in {origin}; {hint}")]
    Unknown { key: String, origin: String, hint: String },
    /// The value has the wrong type.
    #[error("{key} = {value} in {origin} is not {expected}")]
    Type { key: String, value: String, origin: String, expected: String },
    /// The value is out of range, or incompatible with another setting.
    #[error("{key} must be {limit}, got {value}")]
    Range { key: String, value: String, limit: String },
    /// Not `section.key=value`.
    #[error("{0:?} is not of the form section.key=value, for example retrieve.top_k=12")]
    Override(String),
}

impl From<OutOfRange> for SettingsError {
    fn from(error: OutOfRange) -> Self {
        Self::Range { key: error.field, value: error.value, limit: error.limit }
    }
}
