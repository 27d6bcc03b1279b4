//! What a model folder holds, and the settings that belong to it.

use crate::ModelsError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::{Path, PathBuf};
use types::files::{SETTINGS_BYTES, read_bounded};

/// How the vectors of the tokens become the vector of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The mean over all tokens (MiniLM, mpnet, nomic, E5).
    #[default]
    Mean,
    /// The vector of the first token (BGE, GTE, Snowflake).
    Cls,
}

impl Pooling {
    /// The word as it stands in settings.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What may be set about a model, in its folder's `model.json` or in the configuration; what stays `None` is
/// taken from the next source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// Name in ids and reports; the folder's name by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// See [`Pooling`]; embedding models only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pooling: Option<Pooling>,
    /// Put before every question, such as `search_query: `.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_prefix: Option<String>,
    /// Put before every passage, such as `search_document: `.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage_prefix: Option<String>,
    /// Longest input in the model's tokens, special tokens included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// The output that holds the vectors, where the usual choice would be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Names of the files beside the ONNX file that hold its weights; by default `<file>_data` or `<file>.data`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<String>>,
}

impl ModelSettings {
    /// These settings, with `other` for what they leave open.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            name: self.name.or(other.name),
            pooling: self.pooling.or(other.pooling),
            query_prefix: self.query_prefix.or(other.query_prefix),
            passage_prefix: self.passage_prefix.or(other.passage_prefix),
            max_tokens: self.max_tokens.or(other.max_tokens),
            output: self.output.or(other.output),
            weights: self.weights.or(other.weights),
        }
    }
}

/// A model's files and how to use them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSpec {
    /// Name in ids and reports.
    pub name: String,
    /// The ONNX file.
    pub onnx: PathBuf,
    /// Files beside it that hold its weights.
    pub weights: Vec<PathBuf>,
    /// The `tokenizer.json`.
    pub tokenizer: PathBuf,
    /// See [`Pooling`]; a cross-encoder has none.
    pub pooling: Pooling,
    /// Put before every question.
    pub query_prefix: String,
    /// Put before every passage.
    pub passage_prefix: String,
    /// Longest input in the model's tokens, special tokens included.
    pub max_tokens: usize,
    /// The output that holds the vectors; `None` where its name tells.
    pub output: Option<String>,
}

/// The limit that most sentence embedding models were trained at.
pub const DEFAULT_MAX_TOKENS: usize = 256;

impl ModelSpec {
    /// Reads a model folder: `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`. Settings come from
    /// `settings`, else from the folder's `model.json`, else from the files that sentence-transformers
    /// writes (`1_Pooling/config.json`, `sentence_bert_config.json`), else they are mean pooling, no
    /// prefixes and [`DEFAULT_MAX_TOKENS`]. Weights outside the ONNX file lie beside it, in `<file>_data`, `<file>.data`
    /// or the files that `model.json` names.
    ///
    /// # Errors
    /// When a file is missing, or a settings file cannot be read.
    pub fn from_dir(folder: &Path, settings: &ModelSettings) -> Result<Self, ModelsError> {
        let plain = folder.join("model.onnx");
        let nested = folder.join("onnx").join("model.onnx");
        let onnx = if !plain.is_file() && nested.is_file() { nested } else { plain };
        require(&onnx, "the model")?;
        let tokenizer = folder.join("tokenizer.json");
        require(&tokenizer, "the model's tokenizer")?;

        let own: ModelSettings = read_json(&folder.join("model.json"))?.unwrap_or_default();
        let merged = settings.clone().or(own).or(sentence_transformers(folder)?);
        let weights = match &merged.weights {
            Some(names) => named_weights(folder, &onnx, names)?,
            None => ["_data", ".data"]
                .map(|suffix| beside(&onnx, suffix))
                .into_iter()
                .find(|path| path.is_file())
                .into_iter()
                .collect(),
        };
        let name = merged.name.unwrap_or_else(|| {
            let stem = folder.file_name().unwrap_or(folder.as_os_str());
            stem.to_string_lossy().into_owned()
        });
        Ok(Self {
            name,
            onnx,
            weights,
            tokenizer,
            pooling: merged.pooling.unwrap_or_default(),
            query_prefix: merged.query_prefix.unwrap_or_default(),
            passage_prefix: merged.passage_prefix.unwrap_or_default(),
            max_tokens: merged.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
            output: merged.output,
        })
    }
}

/// The path of a file with `suffix` behind it.
fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    file.with_file_name(name)
}

/// The files that `model.json` names as weights: each a file beside the ONNX file.
fn named_weights(folder: &Path, onnx: &Path, names: &[String]) -> Result<Vec<PathBuf>, ModelsError> {
    let path_of = |name: &String| {
        if Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(ModelsError::Settings {
                path: folder.join("model.json"),
                reason: format!("weights must be names of files beside the model, got {name:?}"),
            });
        }
        let path = onnx.with_file_name(name);
        require(&path, "the model's weights")?;
        Ok(path)
    };
    names.iter().map(path_of).collect()
}

/// Fails unless `path` is a file.
fn require(path: &Path, what: &'static str) -> Result<(), ModelsError> {
    if path.is_file() {
        return Ok(());
    }
    Err(ModelsError::Missing { what, path: path.to_owned() })
}

/// What a folder written by sentence-transformers says about pooling and length.
fn sentence_transformers(folder: &Path) -> Result<ModelSettings, ModelsError> {
    #[derive(Deserialize)]
    struct PoolingConfig {
        #[serde(default)]
        pooling_mode_cls_token: bool,
        #[serde(default)]
        pooling_mode_mean_tokens: bool,
    }
    #[derive(Deserialize)]
    struct BertConfig {
        max_seq_length: Option<usize>,
    }
    let pooling: Option<PoolingConfig> = read_json(&folder.join("1_Pooling").join("config.json"))?;
    let bert: Option<BertConfig> = read_json(&folder.join("sentence_bert_config.json"))?;
    Ok(ModelSettings {
        pooling: pooling.and_then(|p| match (p.pooling_mode_cls_token, p.pooling_mode_mean_tokens) {
            (true, _) => Some(Pooling::Cls),
            (false, true) => Some(Pooling::Mean),
            (false, false) => None,
        }),
        max_tokens: bert.and_then(|b| b.max_seq_length),
        ..ModelSettings::default()
    })
}

/// A JSON file, or `None` where there is none.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ModelsError> {
    let bytes = match read_bounded(path, SETTINGS_BYTES) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(ModelsError::Unreadable { path: path.to_owned(), source });
        }
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|e| ModelsError::Settings { path: path.to_owned(), reason: e.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder `m` with these files.
    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().expect("temporary folder");
        let dir = root.path().join("m");
        for (name, content) in files {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().expect("has a parent")).expect("creates");
            std::fs::write(path, content).expect("writes");
        }
        (root, dir)
    }

    #[test]
    fn settings_come_from_configuration_then_folder_then_defaults() {
        let base = [("model.onnx", ""), ("tokenizer.json", "{}")];
        let check = |extra: &[(&str, &str)], settings: ModelSettings, want: (&str, Pooling, &str, usize)| {
            let (_root, dir) = folder(&[&base, extra].concat());
            let spec = ModelSpec::from_dir(&dir, &settings).expect("reads");
            let got = (spec.name.as_str(), spec.pooling, spec.query_prefix.as_str(), spec.max_tokens);
            assert_eq!(got, want, "{extra:?}");
        };
        let none = ModelSettings::default;
        check(&[], none(), ("m", Pooling::Mean, "", 256));
        let st = [
            ("1_Pooling/config.json", r#"{"pooling_mode_cls_token": true}"#),
            ("sentence_bert_config.json", r#"{"max_seq_length": 512}"#),
        ];
        check(&st, none(), ("m", Pooling::Cls, "", 512));
        let own =
            [st[0], st[1], ("model.json", r#"{"name": "n", "pooling": "mean", "query_prefix": "q: "}"#)];
        check(&own, none(), ("n", Pooling::Mean, "q: ", 512));
        let set = ModelSettings { query_prefix: Some(String::new()), max_tokens: Some(64), ..none() };
        check(&own, set, ("n", Pooling::Mean, "", 64));
    }

    #[test]
    fn a_broken_folder_says_what_is_wrong() {
        let check = |files: &[(&str, &str)], part: &str| {
            let (_root, dir) = folder(files);
            let error = ModelSpec::from_dir(&dir, &ModelSettings::default()).expect_err("broken");
            assert!(error.to_string().contains(part), "{error}");
        };
        check(&[("tokenizer.json", "{}")], "model.onnx");
        check(&[("onnx/model.onnx", "")], "tokenizer.json");
        let both = [("onnx/model.onnx", ""), ("tokenizer.json", "{}")];
        check(&[both[0], both[1], ("model.json", "{")], "model.json");
        check(&[both[0], both[1], ("model.json", r#"{"poolin": 1}"#)], "poolin");
        let weights = |json| [both[0], both[1], ("model.json", json)];
        check(&weights(r#"{"weights": ["w.bin"]}"#), "onnx/w.bin");
        check(&weights(r#"{"weights": ["../w.bin"]}"#), "names of files beside the model");
    }

    #[test]
    fn weights_lie_beside_the_model() {
        let check = |extra: &[(&str, &str)], want: &[&str]| {
            let base = [("onnx/model.onnx", ""), ("tokenizer.json", "{}")];
            let (_root, dir) = folder(&[&base, extra].concat());
            let spec = ModelSpec::from_dir(&dir, &ModelSettings::default()).expect("reads");
            let want: Vec<PathBuf> = want.iter().map(|name| dir.join("onnx").join(name)).collect();
            assert_eq!(spec.weights, want);
        };
        check(&[], &[]);
        check(&[("onnx/model.onnx_data", "w")], &["model.onnx_data"]);
        check(&[("onnx/model.onnx.data", "w")], &["model.onnx.data"]);
        let named = r#"{"weights": ["b", "a"]}"#;
        let files = [("onnx/a", ""), ("onnx/b", ""), ("model.json", named)];
        check(&files, &["b", "a"]);
    }
}
