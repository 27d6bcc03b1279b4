//! Typed settings: every key of `configs/default.toml` as a field, and every closed set of values as an enum.
//!
//! `configs/default.toml` is compiled in, has every key and is the one source of defaults; later layers (a file, the
//! environment, flags) have only what differs ([`Layers`]). A key that is not in the defaults is refused with the
//! nearest valid name as a hint; a value of the wrong type or out of range is refused with its key and what is allowed.
//! The fields of a stage are the stage's own settings type, with its ranges ([`types::Ranges`]); a test compares each
//! `Default` of a stage with the file. Every result carries [`Settings::config_hash`].
//!
//! Place in the flow: between the binaries, which parse the flags, and `engine`, which builds the stages. This crate
//! does not build stages, does not look for files that settings name, and prints nothing.

mod error;
mod explained;
mod hash;
mod layers;
mod prices;
mod rag_eval;
mod sections;
#[cfg(test)]
mod tests;
mod validate;

pub use error::SettingsError;
pub use explained::{Explained, explained};
pub use hash::shapes_results;
pub use layers::{Layers, Origin};
pub use prices::{PRICES_TOML, Prices};
pub use sections::{
    AnswerMethod, CacheChoice, ChunkSection, EmbeddingProvider, EmbeddingSection, EvalSection,
    EvaluateSection, FallbackChoice, GenerateSection, GuardrailSection, IndexSection, IngestSection,
    JudgeChoice, LlmModel, LlmSection, LogSection, NativesSection, OcrChoice, PoolingChoice, Provider,
    QuestionSection, RefusalScores, RerankMethod, RerankSection, RetrieveSection, ReturnedChunks, Settings,
    VerifyChoice,
};

use rag_eval::RAG_EVAL_PREFIX;
use std::path::Path;

/// The defaults, as shipped.
pub const DEFAULT_TOML: &str = include_str!("../../../configs/default.toml");
/// Presets, which can be named instead of a file: `(name, text)`.
pub const PRESETS: [(&str, &str); 2] = [
    ("default", DEFAULT_TOML),
    ("phase2", include_str!("../../../configs/phase2.toml")),
];

/// The environment variables that hold settings.
///
/// # Errors
/// When one of them is not UTF-8; other variables need not be.
pub fn environment() -> Result<Vec<(String, String)>, SettingsError> {
    let ours = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    ours.filter(|(name, _)| name.starts_with(layers::ENVIRONMENT_PREFIX) || name.starts_with(RAG_EVAL_PREFIX))
        .map(|(name, value)| match value.into_string() {
            Ok(value) => Ok((name, value)),
            Err(value) => Err(SettingsError::Type {
                key: name,
                value: value.to_string_lossy().into_owned(),
                origin: "the environment".to_owned(),
                expected: "UTF-8 text".to_owned(),
            }),
        })
        .collect()
}

/// Settings together with where each value came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The values.
    pub settings: Settings,
    /// Where they came from.
    pub layers: Layers,
}

impl Loaded {
    /// Builds settings from the defaults, `file` (a path or the name of a preset), the variables of
    /// `environment` that begin with `PIPELINE__` or `RAG_EVAL_`, and `overrides` of the form `section.key=value`.
    ///
    /// # Errors
    /// An unreadable file, an unknown key, a value of the wrong type or out of range; each names the key, the
    /// value and where it was set.
    pub fn load(
        file: Option<&str>,
        environment: impl IntoIterator<Item = (String, String)>,
        overrides: &[String],
    ) -> Result<Self, SettingsError> {
        let (environment, rag_eval): (Vec<_>, Vec<_>) = environment
            .into_iter()
            .partition(|(name, _)| !name.starts_with(RAG_EVAL_PREFIX));
        let mut layers = Layers::defaults()?;
        if let Some(name) = file {
            match PRESETS.into_iter().find(|(preset, _)| *preset == name) {
                Some((preset, text)) => layers.add_text(text, &Origin::Preset(preset.to_owned()))?,
                None => layers.add_file(Path::new(name))?,
            }
        }
        layers.add_environment(environment)?;
        layers.add_overrides(overrides)?;
        layers.add_rag_eval(&rag_eval)?;
        Self::of(layers)
    }

    fn of(layers: Layers) -> Result<Self, SettingsError> {
        let settings = layers.settings()?;
        validate::check(&settings)?;
        Ok(Self { settings, layers })
    }

    /// These settings with further `overrides` of the form `section.key=value`, which count more than all others.
    ///
    /// # Errors
    /// As [`Self::load`], for the overrides.
    pub fn with(&self, overrides: &[String]) -> Result<Self, SettingsError> {
        let mut layers = self.layers.clone();
        layers.add_overrides(overrides)?;
        Self::of(layers)
    }

    /// The defaults alone.
    ///
    /// # Errors
    /// Only when the compiled-in file is broken, which a test rules out.
    pub fn defaults() -> Result<Self, SettingsError> {
        Self::load(None, [], &[])
    }
}
