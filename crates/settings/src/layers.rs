//! Values by dotted key, each with its origin.

mod named;

use crate::{DEFAULT_TOML, PRESETS, Settings, SettingsError};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};
use toml::{Table, Value};
use types::files::{SETTINGS_BYTES, read_text_bounded};

/// Prefix of environment variables that hold settings.
pub(super) const ENVIRONMENT_PREFIX: &str = "PIPELINE__";

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The compiled-in defaults.
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

/// All settings by dotted key; a later layer overrides an earlier one.
#[derive(Clone, Debug)]
pub struct Layers {
    values: BTreeMap<String, (Value, Origin)>,
}

impl Layers {
    pub(super) fn defaults() -> Result<Self, SettingsError> {
        let mut values = BTreeMap::new();
        for (key, value) in flatten(&parse(DEFAULT_TOML, &Origin::Default)?) {
            values.insert(key, (value, Origin::Default));
        }
        Ok(Self { values })
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
        let mut found: Vec<_> = environment
            .into_iter()
            .filter(|(name, _)| name.starts_with(ENVIRONMENT_PREFIX))
            .collect();
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
            let (key, raw) = item
                .split_once('=')
                .ok_or_else(|| SettingsError::Override(item.clone()))?;
            let value = self.read(key.trim(), raw.trim(), &Origin::Flag)?;
            self.set(key.trim(), value, &Origin::Flag)?;
        }
        Ok(())
    }

    /// The values as types.
    pub(super) fn settings(&self) -> Result<Settings, SettingsError> {
        let tables = self.tables();
        tables.try_into().map_err(|error| self.first_wrong_value(&error))
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
            let mut layers = Self::defaults().ok()?;
            layers
                .values
                .insert(key.clone(), (value.clone(), Origin::Default));
            let error = layers.tables().try_into::<Settings>().err()?;
            Some((key.clone(), value.clone(), error))
        };
        let Some((key, value, error)) = self.values.iter().find_map(alone) else {
            return joined(error.message());
        };
        match (value, variants(error.message())) {
            (Value::String(value), Some(limit)) => SettingsError::Range {
                key,
                value: format!("{value:?}"),
                limit,
            },
            _ => joined(&format!("{} in `{key}`", error.message())),
        }
    }

    /// The value and origin of a dotted key.
    pub fn get(&self, key: &str) -> Option<(&Value, &Origin)> {
        self.values.get(key).map(|(v, o)| (v, o))
    }

    /// Every `(key, value, origin)`, by key.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value, &Origin)> {
        self.values.iter().map(|(k, (v, o))| (k.as_str(), v, o))
    }

    pub(super) fn set(&mut self, key: &str, value: Value, origin: &Origin) -> Result<(), SettingsError> {
        let known = self.known(key, origin)?;
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
        let known = self.known(key, origin)?;
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

    fn known(&self, key: &str, origin: &Origin) -> Result<&Value, SettingsError> {
        self.values
            .get(key)
            .or_else(|| self.values.get(&named::unnamed(key)?))
            .map(|(v, _)| v)
            .ok_or_else(|| SettingsError::Unknown {
                key: key.to_owned(),
                origin: origin.to_string(),
                hint: self.nearest(key),
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
            _ => "`pipeline config show` lists all settings".to_owned(),
        }
    }
}

/// The error when the layers are valid one by one but not together.
fn joined(reason: &str) -> SettingsError {
    SettingsError::Syntax {
        origin: "the joined settings".to_owned(),
        reason: reason.to_owned(),
    }
}

/// `one of "a", "b"`, from the message of serde for a value that is none of the variants of an enum.
fn variants(message: &str) -> Option<String> {
    let (before, names) = message.rsplit_once(", expected ")?;
    let names = names.split('`').skip(1).step_by(2);
    let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    before
        .starts_with("unknown variant")
        .then(|| format!("one of {}", names.join(", ")))
}

fn wrong_type(key: &str, value: &str, origin: &Origin, known: &Value) -> SettingsError {
    SettingsError::Type {
        key: key.to_owned(),
        value: value.to_owned(),
        origin: origin.to_string(),
        expected: described(known).to_owned(),
    }
}

fn parse(text: &str, origin: &Origin) -> Result<Table, SettingsError> {
    text.parse()
        .map_err(|error: toml::de::Error| SettingsError::Syntax {
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
            Some(inner) => out.extend(
                inner
                    .into_iter()
                    .map(|(name, value)| (format!("{key}.{name}"), value)),
            ),
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
