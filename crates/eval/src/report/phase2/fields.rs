//! The fields of a row with their types. What is wrong is collected with the list, the place and the key; null is missing.

use crate::Problem;
use serde_json::{Map, Value};

/// The fields of one row.
pub(super) struct Fields<'a> {
    list: &'a str,
    /// Place in the list, from 1.
    number: usize,
    map: &'a Map<String, Value>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        list: &'a str,
        number: usize,
        map: &'a Map<String, Value>,
        problems: &'a mut Vec<Problem>,
    ) -> Self {
        Self { list, number, map, problems }
    }

    /// Adds a problem of this row.
    pub(super) fn wrong(&mut self, reason: &str) {
        let text = format!("{} row {}: {reason}", self.list, self.number);
        self.problems.push(Problem::whole(text));
    }

    fn find<T>(&mut self, key: &str, wanted: &str, read: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        let value = self.map.get(key).filter(|value| !value.is_null())?;
        let found = read(value);
        if found.is_none() {
            self.wrong(&format!("{key} must be {wanted}, got {}", shown(value)));
        }
        found
    }

    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        self.find(key, "a string", |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        self.find(key, "true or false", Value::as_bool)
    }

    pub(super) fn share(&mut self, key: &str) -> Option<f64> {
        self.find(key, "a number from 0 to 1", |value| {
            value.as_f64().filter(|share| (0.0..=1.0).contains(share))
        })
    }

    pub(super) fn count(&mut self, key: &str) -> Option<usize> {
        self.find(key, "a whole number from 0", |value| {
            value.as_u64().and_then(|count| usize::try_from(count).ok())
        })
    }

    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let read = |value: &Value| {
            let items = value.as_array()?.iter();
            items.map(|item| item.as_str().map(str::to_owned)).collect()
        };
        self.find(key, "a list of strings", read).unwrap_or_default()
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
