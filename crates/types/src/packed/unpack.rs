//! Makes packed records whole.

use super::{FIELD, FORM, Packed, Part, each_chunk, id_of};
use serde_json::{Map, Value};

/// Why a record cannot be made whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// Another version wrote it.
    #[error(
        "it is packed in a form that this version cannot read; use the version that wrote it, or a later one"
    )]
    Form,
    /// The record that has the chunk is gone.
    #[error(
        "the text of chunk {chunk_id} is missing: the line of the same run that has it was removed or damaged"
    )]
    Missing {
        /// The chunk.
        chunk_id: String,
    },
}

/// Makes a record whole, if it is packed; a record that is not stays as it is. `find` gives the fields of a chunk: those of
/// [`whole_chunks`](super::whole_chunks) in the records of this writer of the same run, the first that it has, the record
/// itself included.
///
/// # Errors
/// [`UnpackError`].
pub fn unpack(
    record: &mut Map<String, Value>,
    mut find: impl FnMut(&Packed, Part, &str) -> Option<Map<String, Value>>,
) -> Result<Option<Packed>, UnpackError> {
    let Some(packed) = record.get(FIELD) else {
        return Ok(None);
    };
    let packed: Packed = serde_json::from_value(packed.clone()).map_err(|_| UnpackError::Form)?;
    if packed.form != FORM {
        return Err(UnpackError::Form);
    }
    record.shift_remove(FIELD);
    each_chunk(record, |part, chunk| {
        if chunk.contains_key(part.mark()) {
            return Ok(());
        }
        let id = id_of(chunk).unwrap_or_default();
        let found = find(&packed, part, id).ok_or_else(|| UnpackError::Missing {
            chunk_id: id.to_owned(),
        })?;
        chunk.extend(found);
        Ok(())
    })?;
    Ok(Some(packed))
}
