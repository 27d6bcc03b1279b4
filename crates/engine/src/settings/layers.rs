//! Values by dotted key, each with its origin.

use crate::settings::{PRESETS, Settings, SettingsError, schema, sections::KEYS_OF_PROVIDER};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};
use toml::{Table, Value};
use types::{
    files::{SETTINGS_BYTES, read_text_bounded},
    words::decimal,
};

/// Prefix of environment variables that hold settings.
pub(super) const ENVIRONMENT_PREFIX: &str = "PIPELINE__";

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The default.
    Default,
    /// A compiled-in preset.
    Preset(String),
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag,
}

impl Origin {
    /// Whether the value is the default.
    pub fn is_default(&self) -> bool {
        *self == Self::Default
    }

    /// Where a wrong value stands, in an error.
    fn place(&self) -> String {
        match self {
            Self::Flag => "--set".to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Preset(name) => write!(f, "preset {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// The key of a setting for one of an older version, any other as it is.
fn current(key: &str) -> &str {
    match key {
        "eval.tau" => "eval.support_threshold",
        "retrieve.candidates" => "retrieve.top_k",
        "retrieve.threshold" => "retrieve.min_similarity",
        "rerank.keep" => "rerank.top_n",
        "expand.cap" => "expand.max_chunks",
        _ => key,
    }
}

/// All settings by dotted key; a later layer overrides an earlier one.
#[derive(Clone, Debug)]
pub struct Layers {
    values: BTreeMap<String, (Value, Origin)>,
}

impl Layers {
    /// The defaults of the fields.
    pub(super) fn defaults() -> Result<Self, SettingsError> {
        let table = Table::try_from(Settings::default()).map_err(|error| joined(&error.to_string()))?;
        let short = |value| match value {
            // 0.05 of 32 bits is 0.05000000074505806 in 64.
            Value::Float(number) if f64::from(number as f32).to_bits() == number.to_bits() => {
                Value::Float(decimal(number as f32))
            }
            value => value,
        };
        let each = flatten(&table).into_iter();
        let values = each.map(|(key, value)| (key, (short(value), Origin::Default)));
        Ok(Self { values: values.collect() })
    }

    pub(super) fn add_text(&mut self, text: &str, origin: &Origin) -> Result<(), SettingsError> {
        for (key, value) in flatten(&parse(text, origin)?) {
            self.set(&key, value, origin)?;
        }
        Ok(())
    }

    pub(super) fn add_file(&mut self, path: &Path) -> Result<(), SettingsError> {
        let presets = PRESETS.map(|(name, _)| name).join(", ");
        let text = read_text_bounded(path, SETTINGS_BYTES).map_err(|source| SettingsError::Read {
            path: path.to_owned(),
            presets,
            source,
        })?;
        self.add_text(&text, &Origin::File(path.to_owned()))
    }

    pub(super) fn add_environment(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), SettingsError> {
        let mut found: Vec<_> =
            environment.into_iter().filter(|(name, _)| name.starts_with(ENVIRONMENT_PREFIX)).collect();
        found.sort();
        for (name, raw) in found {
            let key = name[ENVIRONMENT_PREFIX.len()..].to_lowercase().replace("__", ".");
            let origin = Origin::Environment(name);
            let value = self.read(&key, &raw, &origin)?;
            self.set(&key, value, &origin)?;
        }
        Ok(())
    }

    pub(super) fn add_overrides(&mut self, overrides: &[String]) -> Result<(), SettingsError> {
        for item in overrides {
            let (key, raw) = item.split_once('=').ok_or_else(|| SettingsError::Override(item.clone()))?;
            let value = self.read(key.trim(), raw.trim(), &Origin::Flag)?;
            self.set(key.trim(), value, &Origin::Flag)?;
        }
        Ok(())
    }

    /// The values as types.
    pub(super) fn settings(&self) -> Result<Settings, SettingsError> {
        let settings: Settings = self.tables().try_into().map_err(|error| self.first_wrong_value(&error))?;
        Ok(settings.completed())
    }

    /// The values as a table of sections.
    fn tables(&self) -> Table {
        let mut root = Table::new();
        for (key, (value, _)) in &self.values {
            let (section, name) = key.split_once('.').unwrap_or(("", key));
            if name.contains('.') {
                continue;
            }
            let table = root.entry(section).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(table) = table {
                table.insert(name.to_owned(), value.clone());
            }
        }
        self.add_named_models(&mut root);
        root
    }

    /// The error of the first value that is wrong by itself. To find it, each value is tried alone in the defaults.
    fn first_wrong_value(&self, error: &toml::de::Error) -> SettingsError {
        let alone = |(key, (value, _)): (&String, &(Value, Origin))| {
            let error = Self::defaults().ok()?.refusal(key, value)?;
            Some((key.clone(), value.clone(), error))
        };
        let Some((key, value, error)) = self.values.iter().find_map(alone) else {
            return joined(error.message());
        };
        match (value, variants(error.message())) {
            (Value::String(value), Some(limit)) => {
                SettingsError::Range { key, value: format!("{value:?}"), limit }
            }
            _ => joined(&format!("{} in `{key}`", error.message())),
        }
    }

    /// Why a key cannot have this value.
    fn refusal(&self, key: &str, value: &Value) -> Option<toml::de::Error> {
        let mut layers = self.clone();
        layers.values.insert(key.to_owned(), (value.clone(), Origin::Default));
        layers.tables().try_into::<Settings>().err()
    }

    /// The words that a key can have, if they are few.
    pub(super) fn words(&self, key: &str) -> Option<String> {
        let (Value::String(_), _) = self.get(key)? else {
            return None;
        };
        let none_of_them = Value::String("\0".to_owned());
        variants(self.refusal(key, &none_of_them)?.message())
    }

    /// The value and origin of a dotted key.
    pub fn get(&self, key: &str) -> Option<(&Value, &Origin)> {
        self.values.get(current(key)).map(|(v, o)| (v, o))
    }

    /// Every `(key, value, origin)`, by key.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value, &Origin)> {
        self.values.iter().map(|(k, (v, o))| (k.as_str(), v, o))
    }

    pub(super) fn set(&mut self, key: &str, value: Value, origin: &Origin) -> Result<(), SettingsError> {
        let key = current(key);
        let known = self.known(key, origin.place())?;
        let value = match (known, value) {
            (Value::Float(_), Value::Integer(i)) => Value::Float(i as f64),
            (_, value) => value,
        };
        let negative = matches!(value, Value::Integer(i) if i < 0);
        let mixed = matches!(&value, Value::Array(items) if !items.iter().all(Value::is_str));
        if negative || mixed || known.type_str() != value.type_str() {
            return Err(wrong_type(key, &value.to_string(), origin, known));
        }
        self.values.insert(key.to_owned(), (value, origin.clone()));
        Ok(())
    }

    /// Reads an unquoted value as the type that the key has.
    fn read(&self, key: &str, raw: &str, origin: &Origin) -> Result<Value, SettingsError> {
        let known = self.known(key, origin.place())?;
        let value = match known {
            Value::String(_) => Some(Value::String(raw.trim_matches('"').to_owned())),
            Value::Float(_) => raw.parse().ok().map(Value::Float),
            _ => {
                let table = format!("value = {raw}").parse::<Table>().ok();
                let table = table.filter(|table| table.len() == 1);
                table.and_then(|mut table| table.remove("value"))
            }
        };
        let value = value.filter(|value| value.type_str() == known.type_str());
        value.ok_or_else(|| wrong_type(key, raw, origin, known))
    }

    /// The key under which a setting is described: for that of a named model, the key of `[llm]`.
    ///
    /// # Errors
    /// When there is no such setting.
    pub fn described_key(&self, key: &str) -> Result<String, SettingsError> {
        let key = current(key);
        self.known(key, "`config show`")?;
        Ok(unnamed(key).unwrap_or_else(|| key.to_owned()))
    }

    fn known(&self, key: &str, origin: impl std::fmt::Display) -> Result<&Value, SettingsError> {
        let key = current(key);
        self.values.get(key).or_else(|| self.values.get(&unnamed(key)?)).map(|(v, _)| v).ok_or_else(|| {
            SettingsError::Unknown {
                hint: self.nearest(key),
                key: key.to_owned(),
                origin: origin.to_string(),
            }
        })
    }

    fn nearest(&self, key: &str) -> String {
        let best = self
            .values
            .keys()
            .map(|known| (strsim::jaro_winkler(known, key), known))
            .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
        match best {
            Some((similarity, known)) if similarity > 0.8 => format!("did you mean {known:?}?"),
            _ => "`pipeline config show --all` lists all settings".to_owned(),
        }
    }
}

/// The error when the layers are valid one by one but not together.
fn joined(reason: &str) -> SettingsError {
    SettingsError::Syntax { origin: "the joined settings".to_owned(), reason: reason.to_owned() }
}

/// `one of "a", "b"`, from the message of serde for a value that is none of the variants of an enum.
fn variants(message: &str) -> Option<String> {
    let (before, names) = message.rsplit_once(", expected ")?;
    let names = names.split('`').skip(1).step_by(2);
    let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    before.starts_with("unknown variant").then(|| format!("one of {}", names.join(", ")))
}

fn wrong_type(key: &str, value: &str, origin: &Origin, known: &Value) -> SettingsError {
    SettingsError::Type {
        key: key.to_owned(),
        value: value.to_owned(),
        origin: origin.place(),
        expected: described(known).to_owned(),
    }
}

fn parse(text: &str, origin: &Origin) -> Result<Table, SettingsError> {
    text.parse().map_err(|error: toml::de::Error| SettingsError::Syntax {
        origin: origin.to_string(),
        reason: error.to_string().trim().to_owned(),
    })
}

/// Every value by its dotted key; only `[llm]` has tables of its own, the named models.
fn flatten(table: &Table) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for (key, value) in table {
        let inner = value.as_table().map(flatten);
        match inner {
            None => out.push((key.clone(), value.clone())),
            Some(inner) => {
                out.extend(inner.into_iter().map(|(name, value)| (format!("{key}.{name}"), value)));
            }
        }
    }
    out
}

fn described(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "text",
        Value::Integer(_) => "a whole number of at least 0",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Array(_) => "a list of texts, such as [\"a\", \"b\"]",
        _ => "a value of the right type",
    }
}

/// The key of `[llm]` that a key of a named model stands for: `llm.model` for `llm.small.model`.
pub(crate) fn unnamed(key: &str) -> Option<String> {
    let (name, own) = key.strip_prefix("llm.")?.split_once('.')?;
    let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    (named && is_of_model(own)).then(|| format!("llm.{own}"))
}

/// Whether a key of `[llm]` is that of one model, so that a named model may set it too.
fn is_of_model(key: &str) -> bool {
    schema::OF_MODEL.iter().any(|setting| setting.key == key)
}

impl Layers {
    /// Adds the named models to the tables: what each sets, and the rest from `[llm]`. The address, the model, the key and the
    /// prices are taken from there only if the provider is the same.
    fn add_named_models(&self, root: &mut Table) {
        let mut models: BTreeMap<&str, Vec<(&str, &Value)>> = BTreeMap::new();
        for (key, (value, _)) in &self.values {
            if let Some((name, own)) = key.strip_prefix("llm.").and_then(|rest| rest.split_once('.')) {
                models.entry(name).or_default().push((own, value));
            }
        }
        let Some(Value::Table(llm)) = root.get_mut("llm") else {
            return;
        };
        let mut named = Table::new();
        for (name, keys) in models {
            let of_models = llm.iter().filter(|(key, _)| is_of_model(key));
            let mut model: Table = of_models.map(|(key, value)| (key.clone(), value.clone())).collect();
            let provider = keys.iter().find(|(key, _)| *key == "provider");
            if provider.is_some_and(|(_, value)| llm.get("provider") != Some(value)) {
                let defaults = Self::defaults().ok();
                let default = |key| Some(defaults.as_ref()?.get(&format!("llm.{key}"))?.0.clone());
                let own = KEYS_OF_PROVIDER.iter();
                model.extend(own.filter_map(|key| Some(((*key).to_owned(), default(key)?))));
            }
            model.extend(keys.into_iter().map(|(key, value)| (key.to_owned(), value.clone())));
            named.insert(name.to_owned(), Value::Table(model));
        }
        if !named.is_empty() {
            llm.insert("named".to_owned(), Value::Table(named));
        }
    }
}
