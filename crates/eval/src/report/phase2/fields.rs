//! The fields of a row with their types. What is wrong is collected with the list, the place and the key; null is missing.

use crate::Problem;
use serde_json::{Map, Value};

/// The fields of one row.
pub(super) struct Fields<'a> {
    list: &'a str,
    /// Place in the list, from 1.
    number: usize,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(list: &'a str, number: usize, map: &'a Map<String, Value>) -> Self {
        Self { list, number, map }
    }

    /// A problem of this row.
    pub(super) fn problem(&self, reason: &str) -> Problem {
        Problem::whole(format!("{} row {}: {reason}", self.list, self.number))
    }

    fn find<T>(
        &self,
        key: &str,
        wanted: &str,
        problems: &mut Vec<Problem>,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.map.get(key).filter(|value| !value.is_null())?;
        let found = read(value);
        if found.is_none() {
            problems.push(self.problem(&format!("{key} must be {wanted}, got {}", shown(value))));
        }
        found
    }

    pub(super) fn text(&self, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
        self.find(key, "a string", problems, |value| {
            value.as_str().map(str::to_owned)
        })
    }

    pub(super) fn flag(&self, key: &str, problems: &mut Vec<Problem>) -> Option<bool> {
        self.find(key, "true or false", problems, Value::as_bool)
    }

    pub(super) fn share(&self, key: &str, problems: &mut Vec<Problem>) -> Option<f64> {
        self.find(key, "a number from 0 to 1", problems, |value| {
            value.as_f64().filter(|share| (0.0..=1.0).contains(share))
        })
    }

    pub(super) fn count(&self, key: &str, problems: &mut Vec<Problem>) -> Option<usize> {
        self.find(key, "a whole number from 0", problems, |value| {
            value.as_u64().and_then(|count| usize::try_from(count).ok())
        })
    }

    pub(super) fn texts(&self, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
        let read = |value: &Value| {
            let items = value.as_array()?.iter();
            items.map(|item| item.as_str().map(str::to_owned)).collect()
        };
        self.find(key, "a list of strings", problems, read)
            .unwrap_or_default()
    }
}

/// What a value is, for messages; numbers and flags as they are.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
