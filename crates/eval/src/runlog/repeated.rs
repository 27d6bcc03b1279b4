//! What a record says twice: the response before guardrails where it is the final one, and what the scores repeat of the
//! record. A packed record has it once.

use crate::row::{PREVIEW_CHARS, preview};
use serde_json::{Map, Value};
use types::packed::{FIELD, Packed};

/// Stands for a response before guardrails that is the final one.
const SAME: &str = "same";

/// Leaves out what the record says twice. Scores that have another form than ours stay as they are.
///
/// # Errors
/// When the marks of the record cannot be written.
pub(super) fn leave_out(record: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
    if record.get("response_raw").is_some() && record.get("response_raw") == record.get("response") {
        record.insert("response_raw".to_owned(), SAME.into());
    }
    let said = said(record);
    let Some(scores) = record.get_mut("evaluation").and_then(Value::as_object_mut) else {
        return Ok(());
    };
    // What is missing is taken from the record: only where the scores have all of it can any of it be left out.
    if said
        .iter()
        .any(|(key, value)| value.is_some() && !scores.contains_key(*key))
    {
        return Ok(());
    }
    scores.retain(|key, value| {
        let same = said.iter().find(|(own, _)| own == key);
        same.is_none_or(|(_, said)| said.as_ref() != Some(&*value))
    });
    let Some(Ok(packed)) = record.get(FIELD).cloned().map(serde_json::from_value::<Packed>) else {
        return Ok(());
    };
    let packed = Packed {
        evaluation: true,
        ..packed
    };
    record.insert(FIELD.to_owned(), serde_json::to_value(packed)?);
    Ok(())
}

/// Puts back what [`leave_out`] left out.
pub(super) fn put_back(record: &mut Map<String, Value>, packed: &Packed) {
    if record.get("response_raw").and_then(Value::as_str) == Some(SAME) {
        let response = record.get("response").cloned().unwrap_or_default();
        record.insert("response_raw".to_owned(), response);
    }
    if !packed.evaluation {
        return;
    }
    let said = said(record);
    let Some(scores) = record.get_mut("evaluation").and_then(Value::as_object_mut) else {
        return;
    };
    for (key, value) in said {
        if let (false, Some(value)) = (scores.contains_key(key), value) {
            scores.insert(key.to_owned(), value);
        }
    }
}

/// What the scores of a row repeat of its record; `None` where a row has no such field then.
fn said(record: &Map<String, Value>) -> Vec<(&'static str, Option<Value>)> {
    let response = record.get("response");
    let of_response = |key: &str| response.and_then(|response| response.get(key)).cloned();
    let list = |key: &str| {
        let own = record.get(key).cloned();
        own.unwrap_or_else(|| Value::Array(Vec::new()))
    };
    let answer = of_response("answer").unwrap_or_default();
    let answer = answer.as_str().unwrap_or_default();
    let fallbacks = record.get("fallbacks").cloned();
    // The row has the number of the record in a wider type.
    let probability = of_response("probability").and_then(|p| p.as_f64());
    let probability = probability.map(|p| f64::from(p as f32).into());
    vec![
        ("query_id", record.get("query_id").cloned()),
        ("mode", record.get("mode").cloned()),
        ("query", record.get("query").cloned()),
        ("no_evidence", of_response("no_evidence")),
        ("confidence", of_response("confidence")),
        ("probability", probability),
        ("guardrails", Some(list("guardrails"))),
        ("caveats", of_response("caveats")),
        ("preview", Some(preview(answer, PREVIEW_CHARS).into())),
        ("answer", (!answer.is_empty()).then(|| answer.into())),
        ("fallbacks", fallbacks),
    ]
}
