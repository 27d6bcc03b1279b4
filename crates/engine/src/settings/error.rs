//! What can be wrong with settings.

use std::path::PathBuf;

/// A setting, or a file of them, that cannot be used.
#[derive(Debug, thiserror::Error)]
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
        /// The system's word.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{origin} is not valid TOML: {reason}")]
    Syntax {
        /// Where it stands.
        origin: String,
        /// The parser's word, with line and column.
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
        /// What is wanted.
        expected: String,
    },
    /// The value is out of range, or does not go with another.
    #[error("{key} must be {limit}, got {value}")]
    Range {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// What is allowed.
        limit: String,
    },
    /// Not `section.key=value`.
    #[error("{0:?} is not of the form section.key=value, for example retrieve.candidates=12")]
    Override(String),
}
