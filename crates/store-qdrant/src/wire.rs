//! Short forms of the messages that are sent and read.

use crate::{QdrantError, error::Result};
use qdrant_client::qdrant::{
    Condition, FieldCondition, Filter, Match, PayloadIncludeSelector, PointId, Range, RepeatedIntegers,
    RepeatedStrings, RetrievedPoint, Value, VectorsSelector, WithPayloadSelector, WithVectorsSelector,
    r#match::MatchValue, point_id::PointIdOptions, value::Kind, with_payload_selector, with_vectors_selector,
};
use std::collections::HashMap;

/// A generation after all others: a point that did not die has it.
pub(crate) const NEVER: i64 = 1 << 52;

/// A payload of these fields.
pub(crate) fn payload<const N: usize>(fields: [(&str, Kind); N]) -> HashMap<String, Value> {
    fields.into_iter().map(|(name, kind)| (name.to_owned(), Value { kind: Some(kind) })).collect()
}

/// Text as a field.
pub(crate) fn text(value: impl Into<String>) -> Kind {
    Kind::StringValue(value.into())
}

/// A number as a field. Generations and years are far below its limit.
pub(crate) fn number(value: impl TryInto<i64>) -> Kind {
    Kind::IntegerValue(value.try_into().unwrap_or(i64::MAX))
}

/// Several texts as a field.
pub(crate) fn texts<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Kind {
    let values = values.into_iter().map(|value| Value { kind: Some(text(value)) });
    Kind::ListValue(qdrant_client::qdrant::ListValue { values: values.collect() })
}

/// What a point holds: its fields.
pub(crate) type Fields = HashMap<String, Value>;

/// The text of a field.
///
/// # Errors
/// When the point has no such field: it is not what was written.
pub(crate) fn text_of<'a>(fields: &'a Fields, name: &str) -> Result<&'a str> {
    match fields.get(name).and_then(|value| value.kind.as_ref()) {
        Some(Kind::StringValue(text)) => Ok(text),
        _ => Err(QdrantError::damaged("a point", format!("it has no text in its field {name:?}"))),
    }
}

/// The number of a field.
///
/// # Errors
/// As [`text_of`].
pub(crate) fn number_of(fields: &Fields, name: &str) -> Result<i64> {
    match fields.get(name).and_then(|value| value.kind.as_ref()) {
        Some(Kind::IntegerValue(number)) => Ok(*number),
        _ => Err(QdrantError::damaged("a point", format!("it has no number in its field {name:?}"))),
    }
}

/// What a field holds as JSON.
///
/// # Errors
/// As [`text_of`]; when it cannot be read.
pub(crate) fn json_of<T: serde::de::DeserializeOwned>(fields: &Fields, name: &str) -> Result<T> {
    let read = serde_json::from_str(text_of(fields, name)?);
    read.map_err(|error| {
        QdrantError::damaged("a point", format!("its field {name:?} cannot be read: {error}"))
    })
}

/// A value as JSON in a field.
pub(crate) fn json(value: &impl serde::Serialize) -> Kind {
    text(serde_json::to_string(value).expect("plain data"))
}

pub(crate) fn number_id(id: u64) -> PointId {
    PointId { point_id_options: Some(PointIdOptions::Num(id)) }
}

pub(crate) fn uuid_id(id: String) -> PointId {
    PointId { point_id_options: Some(PointIdOptions::Uuid(id)) }
}

/// The number of a point that has one.
pub(crate) fn number_of_id(point: &RetrievedPoint) -> Option<u64> {
    match point.id.as_ref()?.point_id_options.as_ref()? {
        PointIdOptions::Num(id) => Some(*id),
        PointIdOptions::Uuid(_) => None,
    }
}

fn field(key: &str, matched: MatchValue) -> Condition {
    let matched = Some(Match { match_value: Some(matched) });
    FieldCondition { key: key.to_owned(), r#match: matched, ..FieldCondition::default() }.into()
}

/// The field is this text.
pub(crate) fn is(key: &str, value: &str) -> Condition {
    field(key, MatchValue::Keyword(value.to_owned()))
}

/// The field is this number.
pub(crate) fn equals(key: &str, value: impl TryInto<i64>) -> Condition {
    let value = value.try_into().unwrap_or(i64::MAX);
    field(key, MatchValue::Integers(RepeatedIntegers { integers: vec![value] }))
}

/// The field is, or holds, one of these texts.
pub(crate) fn is_any<S: Into<String>>(key: &str, values: impl IntoIterator<Item = S>) -> Condition {
    field(
        key,
        MatchValue::Keywords(RepeatedStrings { strings: values.into_iter().map(Into::into).collect() }),
    )
}

/// The field is a number in a range; either end may be open.
pub(crate) fn between(key: &str, from: Option<f64>, to: Option<f64>) -> Condition {
    let range = Some(Range { gte: from, lte: to, ..Range::default() });
    FieldCondition { key: key.to_owned(), range, ..FieldCondition::default() }.into()
}

/// Points that are in a generation and meet further conditions.
pub(crate) fn live(generation: u64, more: impl IntoIterator<Item = Condition>) -> Filter {
    let at = generation as f64;
    let own = [between("born", None, Some(at)), between("died", Some(at + 1.0), None)];
    Filter::must(own.into_iter().chain(more))
}

/// These fields of the points.
pub(crate) fn fields(names: &[&str]) -> WithPayloadSelector {
    let fields = names.iter().map(|name| (*name).to_owned()).collect();
    let options = with_payload_selector::SelectorOptions::Include(PayloadIncludeSelector { fields });
    WithPayloadSelector { selector_options: Some(options) }
}

/// These vectors of the points.
pub(crate) fn vectors(names: &[&str]) -> WithVectorsSelector {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let options = if names.is_empty() {
        with_vectors_selector::SelectorOptions::Enable(false)
    } else {
        with_vectors_selector::SelectorOptions::Include(VectorsSelector { names })
    };
    WithVectorsSelector { selector_options: Some(options) }
}
