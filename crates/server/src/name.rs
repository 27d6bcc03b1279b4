//! Names of tenants and collections, which become names of folders.

use rusqlite::types::{ToSql, ToSqlOutput};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt, str::FromStr};

/// What a name is made of.
pub(crate) const PATTERN: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$";

/// The name of a tenant or of a collection: 1 to 64 letters, digits, `_` and `-` of ASCII, the first a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Name(String);

/// A text that is no name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a valid name; use 1 to 64 letters, digits, _ or -, the first a letter or digit")]
pub struct NoName(String);

impl Name {
    /// The name of the tenant and of the collection that are meant where none is named.
    pub fn of_default() -> Self {
        Self("default".to_owned())
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = NoName;

    fn from_str(text: &str) -> Result<Self, NoName> {
        let inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let first = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if first && text.len() <= 64 && text.chars().all(inner) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoName(text.chars().take(80).collect()))
        }
    }
}

impl TryFrom<String> for Name {
    type Error = NoName;

    fn try_from(text: String) -> Result<Self, NoName> {
        text.parse()
    }
}

impl ToSql for Name {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": PATTERN, "description": "The name of a tenant or of a collection."})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_a_path() {
        for name in ["ac", "col_123", "A-1", &"x".repeat(64)] {
            assert_eq!(name.parse::<Name>().map(|name| name.to_string()), Ok(name.to_owned()));
        }
        for name in ["", ".", "..", "a/b", "a.b", "-a", "_a", "é", "a b", "a\0", &"x".repeat(65)] {
            assert!(name.parse::<Name>().is_err(), "{name:?}");
        }
    }
}
