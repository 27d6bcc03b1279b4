//! What the language model is asked to reply, and how the reply is read.

use crate::{RerankError, Scores};
use serde::Deserialize;
use serde_json::json;
use types::{ChatReply, JsonSchema};

/// Characters of a useless reply that an error shows.
const PREVIEW: usize = 120;

/// One grade for each excerpt.
pub(super) fn schema() -> JsonSchema {
    let entry = json!({
        "type": "object",
        "properties": { "excerpt": { "type": "integer" }, "relevance": { "type": "number" } },
        "required": ["excerpt", "relevance"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": { "scores": { "type": "array", "items": entry } },
        "required": ["scores"],
        "additionalProperties": false,
    });
    JsonSchema {
        name: "relevance".to_owned(),
        schema,
    }
}

#[derive(Deserialize)]
struct Reply {
    scores: Vec<Grade>,
}

#[derive(Deserialize)]
struct Grade {
    excerpt: i64,
    relevance: f64,
}

/// The grades in the order of the excerpts, `0..=10`. A missing grade counts as 0, of two the first counts,
/// a grade out of range is moved inside, one for an excerpt that does not exist is left out: each with a
/// warning. A reply without a single usable grade is an error.
pub(super) fn read(reply: &ChatReply, count: usize) -> Result<Scores, RerankError> {
    let malformed = |reason: String| RerankError::Malformed {
        model: reply.model.clone(),
        reason,
        preview: reply.text.chars().take(PREVIEW).collect(),
        usage: reply.usage.unusable(),
    };
    if reply.truncated {
        return Err(malformed("the reply was cut at the token limit".to_owned()));
    }
    let parsed: Reply = serde_json::from_str(reply.text.trim()).map_err(|e| malformed(e.to_string()))?;
    let mut grades: Vec<Option<f64>> = vec![None; count];
    let (mut unknown, mut twice, mut outside) = (0, 0, 0);
    for Grade { excerpt, relevance } in parsed.scores {
        let slot = usize::try_from(excerpt)
            .ok()
            .and_then(|n| n.checked_sub(1))
            .and_then(|n| grades.get_mut(n));
        match slot {
            None => unknown += 1,
            Some(Some(_)) => twice += 1,
            Some(slot) => {
                outside += usize::from(!(0.0..=10.0).contains(&relevance));
                *slot = Some(relevance.clamp(0.0, 10.0));
            }
        }
    }
    let missing = grades.iter().filter(|g| g.is_none()).count();
    if missing == count {
        return Err(malformed(format!("it grades none of the {count} excerpts")));
    }
    let model = &reply.model;
    let faults = [
        (missing, "without a grade; they count as 0"),
        (outside, "graded outside 0 to 10; they were moved inside"),
        (twice, "graded twice; the first grade counts"),
        (unknown, "graded that do not exist; they were left out"),
    ];
    let warn = |(n, what): &(usize, &str)| format!("{model}: {n} of {count} excerpts {what}");
    let warnings = faults.iter().filter(|(n, _)| *n > 0).map(warn).collect();
    let values = grades.into_iter().map(|g| g.unwrap_or(0.0) as f32).collect();
    Ok(Scores {
        values,
        warnings,
        usage: Some(reply.usage),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_or_refused() {
        let reply = |text: &str, truncated| ChatReply {
            text: text.to_owned(),
            model: "m".to_owned(),
            usage: types::Usage {
                requests: 1,
                failed_requests: 0,
                prompt_tokens: 10,
                completion_tokens: 5,
            },
            truncated,
            ..ChatReply::default()
        };
        let check = |text: &str, want: Option<(&[f32], usize)>| {
            let got = read(&reply(text, false), 3).ok();
            let got = got.as_ref().map(|s| (s.values.as_slice(), s.warnings.len()));
            assert_eq!(got, want, "{text}");
        };
        let grade = |e: i64, r: f64| json!({ "excerpt": e, "relevance": r });
        let all = |grades: &[serde_json::Value]| json!({ "scores": grades }).to_string();
        check(
            &all(&[grade(1, 3.0), grade(2, 9.5), grade(3, 0.0)]),
            Some((&[3.0, 9.5, 0.0], 0)),
        );
        check(
            &all(&[grade(3, 1.0), grade(1, 2.0), grade(2, 3.0)]),
            Some((&[2.0, 3.0, 1.0], 0)),
        );
        // Missing, out of range, twice, unknown: each is said.
        check(&all(&[grade(1, 3.0), grade(2, 4.0)]), Some((&[3.0, 4.0, 0.0], 1)));
        check(
            &all(&[grade(1, -3.0), grade(2, 11.0), grade(3, 1.0)]),
            Some((&[0.0, 10.0, 1.0], 1)),
        );
        check(
            &all(&[grade(1, 3.0), grade(1, 4.0), grade(2, 1.0), grade(3, 1.0)]),
            Some((&[3.0, 1.0, 1.0], 1)),
        );
        check(
            &all(&[grade(0, 3.0), grade(4, 4.0), grade(-1, 1.0), grade(3, 1.0)]),
            Some((&[0.0, 0.0, 1.0], 2)),
        );
        // Nothing to use.
        check(&all(&[]), None);
        check(&all(&[grade(9, 1.0)]), None);
        check("", None);
        check("I would say 7.", None);
        check(r#"{"scores": [{"excerpt": 1, "relevance": null}]}"#, None);
        assert!(matches!(
            read(&reply(&all(&[grade(1, 1.0)]), true), 3),
            Err(RerankError::Malformed { .. })
        ));
    }
}
