//! `--map id=my_id,response=output`: keys that the user names.

use crate::rows::{error::RowsError, format::Field};
use types::words::distinct;

/// The fields that a map can name, with the names of other systems.
pub(crate) const NAMES: &[(&str, Field)] = &[
    ("id", Field::Id),
    ("query_id", Field::QueryId),
    ("question", Field::Question),
    ("user_input", Field::Question),
    ("answer", Field::Answer),
    ("response", Field::Answer),
    ("contexts", Field::Passages),
    ("retrieved_contexts", Field::Passages),
    ("retrieved", Field::Retrieved),
    ("expected", Field::Expected),
    ("reference", Field::Reference),
    ("ground_truth", Field::Reference),
    ("reference_contexts", Field::GoldQuotes),
    ("citations", Field::Citations),
    ("refused", Field::Refused),
    ("expected_refusal", Field::ExpectedRefusal),
    ("latency_ms", Field::LatencyMs),
    ("tags", Field::Tags),
];

/// Which key of a file has which field. These come before the keys of the format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldMap(Vec<(Field, String)>);

impl FieldMap {
    /// Reads `FIELD=KEY` pairs, separated by commas. A key may be a path: `output.text`.
    ///
    /// # Errors
    /// [`RowsError::Map`] when a pair has no `=`, no key, or names no field.
    pub fn parse(map: &str) -> Result<Self, RowsError> {
        let wrong = |reason: String| RowsError::Map { map: map.to_owned(), reason };
        let mut out = Vec::new();
        for pair in map.split(',') {
            let Some((name, key)) = pair.split_once('=') else {
                return Err(wrong(format!("{pair:?} has no =")));
            };
            let (name, key) = (name.trim(), key.trim());
            let Some((_, field)) = NAMES.iter().find(|(known, _)| *known == name) else {
                let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                return Err(wrong(format!("{name:?} is not a field ({})", known.join(", "))));
            };
            if key.is_empty() {
                return Err(wrong(format!("{name} has no key")));
            }
            out.push((*field, key.to_owned()));
        }
        Ok(Self(out))
    }

    /// Adds the pairs of another map.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys of a field.
    pub(crate) fn keys(&self, field: Field) -> impl Iterator<Item = &str> {
        let own = self.0.iter().filter(move |(named, _)| *named == field);
        own.map(|(_, key)| key.as_str())
    }

    /// The fields that it names, each once.
    pub(crate) fn fields(&self) -> Vec<Field> {
        distinct(self.0.iter().map(|(field, _)| *field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_mistakes() {
        let map = FieldMap::parse("id=my_id, response=output.text").expect("a map");
        assert_eq!(map.keys(Field::Id).collect::<Vec<_>>(), ["my_id"]);
        assert_eq!(map.keys(Field::Answer).collect::<Vec<_>>(), ["output.text"]);
        assert_eq!(map.fields(), [Field::Id, Field::Answer]);
        for (text, want) in [
            ("id", "\"id\" has no ="),
            ("respnse=x", "\"respnse\" is not a field (id, "),
            ("id=", "id has no key"),
            ("", "\"\" has no ="),
        ] {
            let error = FieldMap::parse(text).expect_err(text).to_string();
            assert!(error.contains(want) && error.contains("FIELD=KEY"), "{error}");
        }
    }
}
