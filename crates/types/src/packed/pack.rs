//! Writes records small.

use super::{FIELD, FORM, Packed, Part, each_chunk, id_of, preview};
use crate::{RunRecord, digest};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What one process has written of a run. Memory grows with the number of different chunks, not with their text.
#[derive(Clone, Debug)]
pub struct Packer {
    by: String,
    known: HashMap<(Part, String), String>,
}

/// A record to be written, and the chunks that it has whole.
#[derive(Clone, Debug)]
pub struct Packing {
    /// The fields of the line.
    pub record: Map<String, Value>,
    whole: Vec<((Part, String), String)>,
}

impl Packer {
    /// A packer of a process that has written nothing yet. `by` must differ from that of every other writer of the run.
    pub fn new(by: impl Into<String>) -> Self {
        Self {
            by: by.into(),
            known: HashMap::new(),
        }
    }

    /// The small form of a record. Once it is written, [`Self::written`] must be told.
    ///
    /// # Errors
    /// When the record cannot be written as JSON.
    pub fn pack(&self, record: &RunRecord) -> Result<Packing, serde_json::Error> {
        // Through text, so that a score is written with the digits of its own precision.
        let mut fields: Map<String, Value> = serde_json::from_str(&serde_json::to_string(record)?)?;
        let mut whole: Vec<((Part, String), String)> = Vec::new();
        let known = |key: &(Part, String), whole: &[((Part, String), String)]| {
            let new = whole.iter().find(|(own, _)| own == key).map(|(_, hash)| hash);
            new.or_else(|| self.known.get(key)).cloned()
        };
        each_chunk(&mut fields, |part, chunk| {
            let Some(id) = id_of(chunk).map(str::to_owned) else {
                return Ok(());
            };
            let key = (part, id.clone());
            let hash = hash(&part.of(chunk))?;
            match known(&key, &whole) {
                Some(held) if held == hash => chunk.retain(|name, _| !part.fields().contains(&name.as_str())),
                Some(_) => {}
                None => {
                    whole.push((key, hash));
                    let key = (Part::Preview, id);
                    if part == Part::Text && known(&key, &whole).is_none() {
                        whole.push((key, self::hash(&preview(chunk))?));
                    }
                }
            }
            chunk.retain(|name, value| !is_empty(name, value));
            Ok::<_, serde_json::Error>(())
        })?;
        let packed = Packed {
            form: FORM,
            by: self.by.clone(),
            evaluation: false,
        };
        fields.insert(FIELD.to_owned(), serde_json::to_value(packed)?);
        Ok(Packing {
            record: fields,
            whole,
        })
    }

    /// Notes that a record was written whole: later ones may refer to it.
    pub fn written(&mut self, packing: Packing) {
        self.known.extend(packing.whole);
    }
}

/// Whether a field of a chunk is what a reader takes a missing one for.
fn is_empty(name: &str, value: &Value) -> bool {
    match name {
        "title" | "year" | "rerank_score" => value.is_null(),
        "authors" => value.as_array().is_some_and(Vec::is_empty),
        // A score is 0 where it is missing; -0 is not the same.
        "vector_score" | "bm25_score" | "combined_score" => {
            value.as_f64().is_some_and(|score| score.to_bits() == 0)
        }
        _ => false,
    }
}

fn hash(fields: &Map<String, Value>) -> Result<String, serde_json::Error> {
    let mut hash = digest::sha256(&serde_json::to_vec(fields)?);
    hash.truncate(32);
    Ok(hash)
}
