//! The checks that a source must pass before any of it is written.

use crate::{IndexError, vectors::unit};
use types::SourceEntry;

/// Refuses a source whose parts do not fit each other, before anything of it is written.
pub(crate) fn check_entry(entry: &SourceEntry, dimension: usize) -> Result<(), IndexError> {
    let source_id = &entry.meta.source_id;
    let fail = |reason: String| {
        Err(IndexError::Source {
            source_id: source_id.clone(),
            reason,
        })
    };
    if entry.windows.len() != entry.chunks.len() {
        return fail(format!(
            "{} chunks have {} lists of windows",
            entry.chunks.len(),
            entry.windows.len()
        ));
    }
    let windows: usize = entry.windows.iter().map(Vec::len).sum();
    if entry.window_vectors.len() != windows {
        return fail(format!(
            "{windows} windows have {} vectors",
            entry.window_vectors.len()
        ));
    }
    for ((ordinal, chunk), windows) in (0_u32..).zip(&entry.chunks).zip(&entry.windows) {
        let id = &chunk.chunk_id;
        if chunk.source_id != *source_id {
            return fail(format!("chunk {id} belongs to {}", chunk.source_id));
        }
        if chunk.ordinal != ordinal {
            return fail(format!(
                "chunk {id} has ordinal {} in place {ordinal}",
                chunk.ordinal
            ));
        }
        if windows.iter().any(|span| span.slice(&chunk.text).is_none()) {
            return fail(format!("a window of chunk {id} is not a slice of its text"));
        }
        if chunk
            .sentences
            .iter()
            .any(|s| s.number as usize >= entry.sentence_vectors.len())
        {
            return fail(format!("a sentence of chunk {id} has no vector"));
        }
    }
    for (what, vectors) in [
        ("window", &entry.window_vectors),
        ("sentence", &entry.sentence_vectors),
    ] {
        for (at, vector) in vectors.iter().enumerate() {
            let wrong = |reason: String| {
                Err(IndexError::Vector {
                    what: format!("{what} {at} of source {source_id}"),
                    reason,
                })
            };
            if vector.len() != dimension {
                return wrong(format!("it has {} numbers, not {dimension}", vector.len()));
            }
            if unit(vector).is_none() {
                return wrong("it holds a number that is not finite, or its length is not".to_owned());
            }
        }
    }
    Ok(())
}
