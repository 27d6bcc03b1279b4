//! The small form in which a run writes its records: the text of a chunk stands once, and later records name the chunk.
//!
//! A process that writes records of a run keeps a [`Packer`]. In the first record that has a chunk, the chunk is whole; in
//! later ones it has only what belongs to the question (scores, how it came into the context). A packed record has the
//! field [`FIELD`] with the name of its writer, and only records of the same writer are referred to: what other processes
//! append, or what a crash tore, changes nothing. In a packed record
//!
//! - a chunk of `context` without `text` has the fields [`Part::Text`] of the first chunk with its id that has them,
//! - a chunk of `retrieval.returned_chunks` without `text_preview` has the fields [`Part::Preview`] of the first chunk with its
//!   id, of either list; the context comes before the returned chunks of the same record,
//! - a score that is missing is 0, and any other missing field of a chunk is empty.
//!
//! A chunk that differs from the one with the same id stays whole. [`unpack`] makes a record whole again.

mod pack;
mod unpack;

pub use pack::{Packer, Packing};
pub use unpack::{UnpackError, unpack};

use crate::TEXT_PREVIEW_CHARS;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The field of a record that says that it is packed.
pub const FIELD: &str = "packed";
/// The form that this version writes and reads.
pub const FORM: u32 = 1;

/// How a record is packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// [`FORM`].
    pub form: u32,
    /// Who wrote it: one process, for one run.
    pub by: String,
    /// Whether the scores leave out what the record says too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub evaluation: bool,
}

/// What a chunk holds that does not depend on the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A chunk of the context: source, section, pages, text, title, authors, year.
    Text,
    /// A returned chunk: source, section, the beginning of the text.
    Preview,
}

impl Part {
    /// Its fields.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Text => &[
                "source_id",
                "section",
                "page_start",
                "page_end",
                "text",
                "title",
                "authors",
                "year",
            ],
            Self::Preview => &["source_id", "section", "text_preview"],
        }
    }

    /// The field without which a chunk is a reference.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Preview => "text_preview",
        }
    }

    /// These fields of a chunk, as far as it has them.
    fn of(self, chunk: &Map<String, Value>) -> Map<String, Value> {
        let own = self.fields().iter();
        own.filter_map(|key| Some(((*key).to_owned(), chunk.get(*key)?.clone())))
            .collect()
    }
}

/// The chunks that a record has whole and that later records may name, in the order in which they count.
pub fn whole_chunks(record: &Map<String, Value>) -> Vec<(Part, &str, Map<String, Value>)> {
    let mut out = Vec::new();
    for (part, chunk) in chunks(record) {
        let Some(id) = id_of(chunk).filter(|_| chunk.contains_key(part.mark())) else {
            continue;
        };
        out.push((part, id, part.of(chunk)));
        if part == Part::Text {
            out.push((Part::Preview, id, preview(chunk)));
        }
    }
    out
}

/// What a chunk of the context says of itself as a returned chunk.
fn preview(chunk: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for key in ["source_id", "section"] {
        out.extend(chunk.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let text = chunk.get("text").and_then(Value::as_str).unwrap_or_default();
    let beginning: String = text.chars().take(TEXT_PREVIEW_CHARS).collect();
    out.insert("text_preview".to_owned(), Value::String(beginning));
    out
}

/// The chunks of the context, then the returned ones.
fn chunks(record: &Map<String, Value>) -> impl Iterator<Item = (Part, &Map<String, Value>)> {
    let context = record.get("context").and_then(Value::as_array);
    let returned = record
        .get("retrieval")
        .and_then(|retrieval| retrieval.get("returned_chunks"))
        .and_then(Value::as_array);
    let context = context.into_iter().flatten().map(|chunk| (Part::Text, chunk));
    let returned = returned.into_iter().flatten().map(|chunk| (Part::Preview, chunk));
    context
        .chain(returned)
        .filter_map(|(part, chunk)| Some((part, chunk.as_object()?)))
}

/// The same, to change them.
fn each_chunk<E>(
    record: &mut Map<String, Value>,
    mut change: impl FnMut(Part, &mut Map<String, Value>) -> Result<(), E>,
) -> Result<(), E> {
    let context = record.get_mut("context").and_then(Value::as_array_mut);
    for chunk in context.into_iter().flatten().filter_map(Value::as_object_mut) {
        change(Part::Text, chunk)?;
    }
    let returned = record
        .get_mut("retrieval")
        .and_then(|retrieval| retrieval.get_mut("returned_chunks"))
        .and_then(Value::as_array_mut);
    for chunk in returned.into_iter().flatten().filter_map(Value::as_object_mut) {
        change(Part::Preview, chunk)?;
    }
    Ok(())
}

fn id_of(chunk: &Map<String, Value>) -> Option<&str> {
    chunk.get("chunk_id").and_then(Value::as_str)
}

#[cfg(test)]
mod tests;
