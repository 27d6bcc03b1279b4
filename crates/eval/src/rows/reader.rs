//! Records of JSON and of tables become rows.

use crate::rows::{
    Passage, Problem, Sample,
    field_map::FieldMap,
    format::{Field, Format, Layout},
    record::{Container, Record, Records},
    value,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use types::{MAX_ANSWER_CHARS, MAX_PASSAGE_CHARS, check_chars, words::distinct};

/// Rows, and what was wrong or not read.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) rows: Vec<Sample>,
    pub(crate) problems: Vec<Problem>,
    /// Keys of records that no field was read from.
    pub(crate) unread: Vec<String>,
}

/// Reads records by the keys of a format and of a map.
pub(crate) fn rows(layout: Layout, map: &FieldMap, found: &Records) -> Outcome {
    let keys = Keys { layout, map };
    let records = &found.list;
    let mut out = Outcome::default();
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        let mut row = Sample { line: Some(record.line), ..Sample::default() };
        let mut says = false;
        for field in keys.fields() {
            let Some((key, read)) = keys.find(field, record) else {
                continue;
            };
            used.insert(key.to_owned());
            let read = from_cell(field, found, joins(layout, field), read);
            let put = read.and_then(|read| put(&mut row, field, &read));
            if let Err(reason) = put {
                out.problems.push(Problem::at(record.line, format!("{key} {reason}")));
            }
            says |= !matches!(field, Field::Id | Field::QueryId | Field::Tags);
        }
        if !says {
            let wanted = keys.wanted().join(", ");
            out.problems.push(Problem::at(record.line, format!("has none of {wanted}")));
        }
        complete(&mut row, record, at);
        if let Some(earlier) = seen.get(&row.id) {
            let reason = format!("the id {:?} is already on line {earlier}", row.id);
            out.problems.push(Problem::at(record.line, reason));
        } else {
            seen.insert(row.id.clone(), record.line);
        }
        out.rows.push(row);
    }
    out.unread = unread(records, &used);
    out
}

/// The key under which the evaluation service names what was retrieved.
const RESUMES: &str = "retrieved_resumes";

/// Gives a row the id of its key or its place, and the documents of its passages.
fn complete(row: &mut Sample, record: &Record, at: usize) {
    if let Some(key) = &record.key {
        row.id.clone_from(key);
    }
    if row.id.is_empty() {
        row.id = row.query_id.clone().unwrap_or_else(|| (at + 1).to_string());
    }
    // A list of documents as long as that of passages without a name says which is which.
    if let (Some(passages), Some(retrieved)) = (&mut row.passages, &row.retrieved)
        && passages.len() == retrieved.len()
        && passages.iter().all(|passage| passage.document.is_none())
    {
        for (passage, document) in passages.iter_mut().zip(retrieved) {
            passage.document = Some(document.clone());
        }
    }
    // A passage of a résumé does not say whose it is.
    if record.fields.contains_key(RESUMES)
        && let (Some(passages), Some(retrieved)) = (&mut row.passages, &row.retrieved)
    {
        for passage in passages.iter_mut().filter(|passage| passage.source.is_none()) {
            let of = passage.document.as_ref().map_or(retrieved.as_slice(), std::slice::from_ref);
            let name = |document: &String| {
                document.rsplit_once('.').map_or(&**document, |(name, _)| name).replace('_', " ")
            };
            let names: Vec<String> = of.iter().map(name).collect();
            passage.source = Some(format!("Résumé of candidate {}, experience and work:", names.join(", ")));
        }
    }
    // What was returned says more than what the answer was written from.
    let told = row.returned.as_ref().or(row.passages.as_ref().filter(|_| row.retrieved.is_none()));
    if let Some(passages) = told {
        let documents = distinct(passages.iter().filter_map(|passage| passage.document.clone()));
        if !documents.is_empty() {
            row.retrieved = Some(documents);
        }
    }
}

/// Top-level keys that were not read, in order of first occurrence.
fn unread(records: &[Record], used: &BTreeSet<String>) -> Vec<String> {
    let tops: BTreeSet<&str> =
        used.iter().flat_map(|key| [key.as_str(), key.split('.').next().unwrap_or_default()]).collect();
    let keys = records.iter().flat_map(|record| record.fields.keys());
    distinct(keys.filter(|key| !tops.contains(key.as_str()))).into_iter().cloned().collect()
}

/// The keys of a format, after those of a map.
struct Keys<'a> {
    layout: Layout,
    map: &'a FieldMap,
}

impl Keys<'_> {
    /// The fields that have keys, those of the format first.
    fn fields(&self) -> Vec<Field> {
        let mut out: Vec<Field> = self.layout.iter().map(|(field, _)| *field).collect();
        let mapped = self.map.fields().into_iter();
        out.extend(mapped.filter(|field| !self.layout.iter().any(|(own, _)| own == field)));
        out
    }

    /// The keys of a field, in order.
    fn of(&self, field: Field) -> Vec<&str> {
        let mapped: Vec<&str> = self.map.keys(field).collect();
        if !mapped.is_empty() {
            return mapped;
        }
        let own = self.layout.iter().find(|(known, _)| *known == field);
        own.map(|(_, keys)| keys.to_vec()).unwrap_or_default()
    }

    /// The first key of a field that a record has a value for.
    fn find<'r>(&self, field: Field, record: &'r Record) -> Option<(&str, &'r Value)> {
        let found = |key| Some((key, lookup(record, key).filter(|value| !value.is_null())?));
        self.of(field).into_iter().find_map(found)
    }

    /// The keys without which a record says nothing.
    fn wanted(&self) -> Vec<&str> {
        [Field::Question, Field::Answer, Field::Passages, Field::Reference]
            .into_iter()
            .filter_map(|field| self.of(field).first().copied())
            .collect()
    }
}

/// The value of a key, or of a path of keys and of places in lists, from 0.
fn lookup<'r>(record: &'r Record, key: &str) -> Option<&'r Value> {
    if let Some(value) = record.fields.get(key) {
        return Some(value);
    }
    let mut parts = key.split('.');
    let first = record.fields.get(parts.next()?)?;
    parts.try_fold(first, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        other => other.get(part),
    })
}

/// Whether a format joins the passages of a field to one text.
fn joins(layout: Layout, field: Field) -> bool {
    layout == Format::DeepEval.layout() && matches!(field, Field::Passages | Field::GoldQuotes)
}

/// The value of a cell, or of another text that may hold a list. An empty cell is missing, except for an answer: there it is
/// an empty answer.
fn from_cell(field: Field, found: &Records, joins: bool, read: &Value) -> Result<Value, String> {
    let is_cell = found.container == Container::Csv;
    let Some(text) = read.as_str().filter(|_| is_cell || joins) else {
        return Ok(read.clone());
    };
    match field {
        Field::Answer => Ok(read.clone()),
        Field::LatencyMs | Field::LatencySeconds if found.decimal_comma => {
            let plain =
                if text.contains(',') { text.replace('.', "").replace(',', ".") } else { text.to_owned() };
            Ok(Value::from(plain))
        }
        _ if joins && text.contains('|') && !value::is_list(text) => Ok(value::joined(text)),
        _ if text.trim().is_empty() => Ok(Value::Null),
        // A reference may be a list of references, or a text that begins with a bracket.
        Field::Reference => Ok(value::cell(text).unwrap_or_else(|_| read.clone())),
        _ if field.is_list() => value::cell(text),
        _ => Ok(read.clone()),
    }
}

/// # Errors
/// When a text is longer than an answer may be.
fn bounded(text: String) -> Result<String, String> {
    check_chars(&text, MAX_ANSWER_CHARS).map(|()| text)
}

/// Gives each passage its text of a list of the same length; null gives it none.
fn each_passage(row: &mut Sample, read: &Value, give: impl Fn(&mut Passage, String)) -> Result<(), String> {
    let passages = row.passages.as_deref_mut().unwrap_or_default();
    let texts = read.as_array().filter(|texts| texts.len() == passages.len());
    let texts = texts
        .ok_or_else(|| format!("must be a list with a value for each of {} passages", passages.len()))?;
    for (passage, text) in passages.iter_mut().zip(texts) {
        if !text.is_null() {
            give(passage, value::string(text)?);
        }
    }
    Ok(())
}

/// Puts a value into the field of a row. Null leaves it as it is.
fn put(row: &mut Sample, field: Field, read: &Value) -> Result<(), String> {
    if read.is_null() {
        return Ok(());
    }
    match field {
        Field::Id => row.id = value::id(read)?,
        Field::QueryId => row.query_id = Some(value::id(read)?),
        Field::Question => row.question = Some(bounded(value::string(read)?)?),
        Field::Answer => row.answer = Some(bounded(value::string(read)?)?),
        Field::Passages => {
            let passages = value::passages(read)?;
            let long = |passage: &Passage| check_chars(&passage.text, MAX_PASSAGE_CHARS);
            passages.iter().try_for_each(long)?;
            row.passages = Some(passages);
        }
        Field::PassageIds => each_passage(row, read, |passage, id| passage.id = Some(id))?,
        Field::PassageSources => each_passage(row, read, |passage, line| passage.source = Some(line))?,
        Field::Returned => row.returned = Some(value::returned(read)?),
        Field::Probability => row.probability = Some(value::share(read)?),
        Field::Retrieved => row.retrieved = Some(value::documents(read)?),
        Field::Expected => row.expected = Some(value::expected(read)?),
        Field::GoldQuotes => row.gold_quotes = Some(value::gold_quotes(read)?),
        Field::GoldDocuments => {
            let documents = value::documents_of(read)?;
            let quotes = row.gold_quotes.as_deref_mut().unwrap_or_default();
            if documents.len() != quotes.len() {
                return Err(format!("must be a list with an id for each of {} quotes", quotes.len()));
            }
            for (quote, document) in quotes.iter_mut().zip(documents) {
                quote.document = Some(document);
            }
        }
        Field::Reference => {
            row.reference = Some(bounded(value::text(read)?)?).filter(|text| !text.trim().is_empty());
        }
        Field::Citations => row.citations = Some(value::citations(read)?),
        Field::Refused => row.refused = Some(value::flag(read)?),
        Field::ExpectedRefusal => row.expected_refusal = Some(value::flag(read)?),
        Field::LatencyMs => row.latency_ms = Some(value::amount(read)?),
        Field::LatencySeconds => row.latency_ms = Some(value::amount(read)? * 1000.0),
        Field::Tags => row.tags = value::tags(read)?,
    }
    Ok(())
}
