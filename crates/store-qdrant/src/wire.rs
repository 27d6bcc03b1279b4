//! Short forms of the messages that are sent and read.

use crate::{QdrantError, error::Result};
use qdrant_client::qdrant::{Condition, Filter, PointStruct, Range, RetrievedPoint, Value, Vector};
use qdrant_client::qdrant::{r#match::MatchValue, point_id::PointIdOptions};
use std::collections::HashMap;

/// A generation after all others: a point that did not die has it.
pub(crate) const NEVER: i64 = 1 << 52;

/// What a point holds: its fields.
pub(crate) type Fields = HashMap<String, Value>;

/// Fields by name.
pub(crate) fn payload<const N: usize>(fields: [(&str, Value); N]) -> Fields {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A number as a field. Generations and years are far below its limit.
pub(crate) fn number(value: impl TryInto<i64>) -> Value {
    value.try_into().unwrap_or(i64::MAX).into()
}

/// Several texts as a field.
pub(crate) fn texts<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Value {
    values.into_iter().map(Into::into).collect::<Vec<String>>().into()
}

/// A value as JSON in a field.
pub(crate) fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_string(value).expect("plain data").into()
}

/// The text of a field.
///
/// # Errors
/// When the point has no such field: it is not what was written.
pub(crate) fn text_of<'a>(fields: &'a Fields, name: &str) -> Result<&'a str> {
    let text = fields.get(name).and_then(Value::as_str);
    text.map(String::as_str).ok_or_else(|| damaged(name, "is missing"))
}

/// The number of a field.
///
/// # Errors
/// As [`text_of`].
pub(crate) fn number_of(fields: &Fields, name: &str) -> Result<u64> {
    let number = fields.get(name).and_then(Value::as_integer);
    number.and_then(|number| number.try_into().ok()).ok_or_else(|| damaged(name, "is missing"))
}

/// What a field holds as JSON.
///
/// # Errors
/// As [`text_of`]; when it cannot be read.
pub(crate) fn json_of<T: serde::de::DeserializeOwned>(fields: &Fields, name: &str) -> Result<T> {
    let read = serde_json::from_str(text_of(fields, name)?);
    read.map_err(|error| damaged(name, &format!("cannot be read: {error}")))
}

fn damaged(name: &str, reason: &str) -> QdrantError {
    QdrantError::damaged("a point", format!("its field {name:?} {reason}"))
}

/// A point without vectors.
pub(crate) fn record(id: impl Into<qdrant_client::qdrant::PointId>, fields: Fields) -> PointStruct {
    PointStruct::new(id, HashMap::<String, Vector>::new(), fields)
}

/// The number of a point that has one.
pub(crate) fn number_of_id(point: &RetrievedPoint) -> Option<u64> {
    match point.id.as_ref()?.point_id_options.as_ref()? {
        PointIdOptions::Num(id) => Some(*id),
        PointIdOptions::Uuid(_) => None,
    }
}

/// The UUID of a point that has one.
pub(crate) fn uuid_of(point: &RetrievedPoint) -> Option<&str> {
    match point.id.as_ref()?.point_id_options.as_ref()? {
        PointIdOptions::Num(_) => None,
        PointIdOptions::Uuid(id) => Some(id),
    }
}

/// The field is this text.
pub(crate) fn is(key: &str, value: &str) -> Condition {
    // Made from text alone, it would look for the words of a text with blanks.
    Condition::matches(key, MatchValue::Keyword(value.to_owned()))
}

/// The field is this number.
pub(crate) fn equals(key: &str, value: impl TryInto<i64>) -> Condition {
    Condition::matches(key, value.try_into().unwrap_or(i64::MAX))
}

/// The field is, or holds, one of these texts.
pub(crate) fn is_any<S: Into<String>>(key: &str, values: impl IntoIterator<Item = S>) -> Condition {
    Condition::matches(key, values.into_iter().map(Into::into).collect::<Vec<String>>())
}

/// The field is a number in a range; either end may be open.
pub(crate) fn between(key: &str, from: Option<f64>, to: Option<f64>) -> Condition {
    Condition::range(key, Range { gte: from, lte: to, ..Range::default() })
}

/// Points that are in a generation and meet further conditions.
pub(crate) fn live(generation: u64, more: impl IntoIterator<Item = Condition>) -> Filter {
    let at = generation as f64;
    let own = [between("born", None, Some(at)), between("died", Some(at + 1.0), None)];
    Filter::must(own.into_iter().chain(more))
}
