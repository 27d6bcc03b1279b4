//! Settings: layers, origins, validation, and the hash that every result carries.
//!
//! `configs/default.toml` is compiled in and holds every key; later layers (a file, the environment, flags)
//! hold only what differs. A key that is not in the defaults is refused with the nearest right name.

mod error;
mod hash;
mod layers;
mod schema;
mod validate;

pub use error::SettingsError;
pub use layers::{Layers, Origin};
pub use schema::{
    ChunkSection, EmbeddingSection, EvalSection, ExpandSection, GenerateSection, GuardrailSection,
    IndexSection, IngestSection, LlmSection, LogSection, NativesSection, RerankSection, RetrieveSection,
    Settings,
};

use std::path::Path;

/// The defaults, as shipped.
pub const DEFAULT_TOML: &str = include_str!("../../../../configs/default.toml");
/// Presets that can be named instead of a file: `(name, text)`.
pub const PRESETS: &[(&str, &str)] = &[
    ("default", DEFAULT_TOML),
    ("phase2", include_str!("../../../../configs/phase2.toml")),
];

/// The environment variables that hold settings.
///
/// # Errors
/// When one of them is not UTF-8; other variables may be anything.
pub fn environment() -> Result<Vec<(String, String)>, SettingsError> {
    let ours = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    ours.filter(|(name, _)| name.starts_with(layers::ENVIRONMENT_PREFIX))
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
    /// `environment` that begin with `PIPELINE__`, and `overrides` of the form `section.key=value`.
    ///
    /// # Errors
    /// An unreadable file, an unknown key, a value of the wrong type or out of range; each names the key, the
    /// value and where it stands.
    pub fn load(
        file: Option<&str>,
        environment: impl IntoIterator<Item = (String, String)>,
        overrides: &[String],
    ) -> Result<Self, SettingsError> {
        let mut layers = Layers::defaults()?;
        if let Some(name) = file {
            match PRESETS.iter().find(|(preset, _)| *preset == name) {
                Some((preset, text)) => layers.add_text(text, &Origin::Preset((*preset).to_owned()))?,
                None => layers.add_file(Path::new(name))?,
            }
        }
        layers.add_environment(environment)?;
        layers.add_overrides(overrides)?;
        let settings = layers.settings()?;
        validate::check(&settings)?;
        Ok(Self { settings, layers })
    }

    /// The defaults alone.
    ///
    /// # Errors
    /// Only when the compiled-in file is broken, which a test rules out.
    pub fn defaults() -> Result<Self, SettingsError> {
        Self::load(None, [], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(overrides: &[&str]) -> Result<Loaded, SettingsError> {
        let owned: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        Loaded::load(None, [], &owned)
    }

    #[test]
    fn every_preset_loads_and_phase2_holds_only_differences() {
        let default = Loaded::defaults().expect("the defaults are valid");
        for (name, _) in PRESETS {
            Loaded::load(Some(name), [], &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let phase2 = Loaded::load(Some("phase2"), [], &[]).expect("valid");
        for (key, value, origin) in phase2.layers.entries() {
            if matches!(origin, Origin::Preset(_)) {
                let (before, _) = default.layers.get(key).expect("known key");
                assert_ne!(before, value, "{key} repeats the default");
            }
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest_name() {
        let error = load(&["retrieve.treshold=0.3"]).expect_err("unknown").to_string();
        assert!(
            error.contains("retrieve.treshold") && error.contains("retrieve.threshold"),
            "{error}"
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_or_range_is_refused() {
        let check = |set: &str, part: &str| {
            let error = load(&[set]).expect_err(set).to_string();
            assert!(error.contains(part), "{set}: {error}");
        };
        check("retrieve.candidates=many", "retrieve.candidates");
        check("retrieve.threshold=1.5", "retrieve.threshold");
        check("retrieve.threshold=nan", "retrieve.threshold");
        check("chunk.overlap_tokens=768", "chunk.overlap_tokens");
        check("rerank.method=\"bert\"", "rerank.method");
        check("retrieve", "section.key=value");
    }

    #[test]
    fn later_layers_win_and_say_so() {
        let env = [("PIPELINE__RETRIEVE__CANDIDATES".to_owned(), "12".to_owned())];
        let loaded = Loaded::load(Some("phase2"), env.clone(), &["expand.cap=9".to_owned()]).expect("valid");
        assert_eq!(loaded.settings.retrieve.candidates, 12);
        assert_eq!(loaded.settings.expand.cap, 9);
        let origin = |key: &str| loaded.layers.get(key).expect("known").1.clone();
        assert_eq!(
            origin("retrieve.candidates"),
            Origin::Environment("PIPELINE__RETRIEVE__CANDIDATES".to_owned())
        );
        assert_eq!(origin("expand.cap"), Origin::Flag);
        assert_eq!(origin("expand.discount"), Origin::Default);
        let flagged = Loaded::load(None, env, &["retrieve.candidates=7".to_owned()]).expect("valid");
        assert_eq!(flagged.settings.retrieve.candidates, 7);
    }

    #[test]
    fn text_values_need_no_quotes_outside_of_files() {
        let loaded = load(&["llm.model=qwen2.5:1.5b", "index.dir=elsewhere/index"]).expect("valid");
        assert_eq!(loaded.settings.llm.model, "qwen2.5:1.5b");
        assert_eq!(loaded.settings.index.dir, std::path::Path::new("elsewhere/index"));
    }

    #[test]
    fn the_hash_follows_what_shapes_results_and_nothing_else() {
        let base = load(&[]).expect("valid").settings.config_hash();
        assert_eq!(base.len(), 16);
        for same in [
            "eval.workers=2",
            "ingest.workers=1",
            "log.file=other.jsonl",
            "index.dir=i",
            "llm.timeout_seconds=9",
        ] {
            assert_eq!(
                load(&[same]).expect("valid").settings.config_hash(),
                base,
                "{same}"
            );
        }
        for other in [
            "retrieve.threshold=0.3",
            "chunk.max_tokens=512",
            "guardrail.entities=false",
            "eval.seed=7",
        ] {
            assert_ne!(
                load(&[other]).expect("valid").settings.config_hash(),
                base,
                "{other}"
            );
        }
    }
}
