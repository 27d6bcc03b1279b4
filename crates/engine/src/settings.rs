//! Typed settings: a field for each, which has its default, range and text, and an enum for every closed set of values.
//!
//! Help, documentation, `configs/default.toml` and checks are made from the fields ([`described`]).
//! Layers (a file or preset, the environment, flags) have only what differs from the defaults ([`Layers`]). A key that is no
//! setting is refused with the nearest valid name, or with what to do if it was one; a value of the wrong type or out of
//! range is refused with its key and what is allowed. The fields of a stage are the stage's own settings type. Every result
//! carries [`Settings::config_hash`].
//!
//! Place in the flow: between the binaries, which parse the flags, and what builds the stages. It looks for no
//! files that settings name, and prints nothing.

mod described;
mod error;
mod hash;
mod layers;
mod prices;
mod rag_eval;
mod schema;
mod sections;
#[cfg(test)]
mod tests;
mod validate;

pub use described::{Described, default_toml, described};
pub use error::SettingsError;
pub use hash::shapes_results;
pub use layers::{Layers, Origin};
pub use prices::{PRICES_TOML, Prices};
pub use sections::{
    AnswerMethod, CACHE_MIB, CacheChoice, ChunkSection, EmbeddingProvider, EmbeddingSection, EvalSection,
    EvaluateSection, FallbackChoice, GenerateSection, GuardrailSection, IndexSection, IngestSection,
    JudgeChoice, LlmModel, LlmSection, LogSection, NativesSection, OcrChoice, Phase2Section, Provider,
    QuantisationChoice, QuestionSection, RefusalScores, RerankMethod, RerankSection, RetrieveSection,
    ReturnedChunks, Settings, StoreKind, StoreSection, VerifyChoice,
};

use rag_eval::RAG_EVAL_PREFIX;
use std::path::Path;

/// Presets, which can be named instead of a file: `(name, text)`. That of the defaults changes nothing.
pub const PRESETS: [(&str, &str); 2] =
    [("default", ""), ("phase2", include_str!("../../../configs/phase2.toml"))];

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
        let (environment, rag_eval): (Vec<_>, Vec<_>) =
            environment.into_iter().partition(|(name, _)| !name.starts_with(RAG_EVAL_PREFIX));
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
        validate::check(&settings, &layers)?;
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
    /// Only when a default is out of its range, which a test rules out.
    pub fn defaults() -> Result<Self, SettingsError> {
        Self::load(None, [], &[])
    }
}
