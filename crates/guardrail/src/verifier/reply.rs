//! What the model is asked to reply, and how the reply is read.

use serde::Deserialize;
use serde_json::json;
use types::{ChatReply, ClaimVerdict, JsonSchema};

/// What differs between a claim and its passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimFault {
    /// Nothing.
    None,
    /// A number.
    Number,
    /// A unit.
    Unit,
    /// Who or what it is about.
    Entity,
    /// The direction of an effect, or a denial.
    Direction,
    /// How certain it is.
    Hedging,
    /// Anything else, also what this version does not know.
    #[serde(other)]
    Other,
}

impl ClaimFault {
    const NAMES: [&'static str; 7] = ["none", "number", "unit", "entity", "direction", "hedging", "other"];

    /// For the reader: what differs; empty if that is not known.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::None | Self::Other => "",
            Self::Number => "a number differs",
            Self::Unit => "a unit differs",
            Self::Entity => "it is about something else",
            Self::Direction => "the direction differs",
            Self::Hedging => "the passage is less certain",
        }
    }
}

/// The word of the model on a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelVerdict {
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// What differs.
    pub fault: ClaimFault,
    /// Why, in the words of the model: text that may contain anything.
    pub reason: String,
}

/// Characters of a reason that are kept.
const REASON_CHARS: usize = 300;

/// One verdict for each claim.
pub(super) fn schema() -> JsonSchema {
    let entry = JsonSchema::of_object(json!({
        "number": { "type": "integer" },
        "reason": { "type": "string" },
        "fault": { "type": "string", "enum": ClaimFault::NAMES },
        "verdict": { "type": "string", "enum": ClaimVerdict::ALL.map(ClaimVerdict::as_str) },
    }));
    JsonSchema::object("checked_claims", json!({ "claims": { "type": "array", "items": entry } }))
}

#[derive(Deserialize)]
struct Reply {
    claims: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    number: i64,
    #[serde(default)]
    reason: String,
    fault: Option<ClaimFault>,
    verdict: ClaimVerdict,
}

/// The verdicts on `count` claims, numbered from 1; `None` for one that the model left out. Of two verdicts on a claim, the
/// stricter counts; one on a claim that does not exist is left out.
///
/// # Errors
/// What is wrong, as a part of a sentence: the reply was cut, is not the JSON asked for, or judges no claim.
pub(super) fn read(reply: &ChatReply, count: usize) -> Result<Vec<Option<ModelVerdict>>, String> {
    if reply.truncated {
        return Err("it was cut at the token limit".to_owned());
    }
    let parsed: Reply = serde_json::from_str(reply.text.trim())
        .map_err(|error| format!("it is not the JSON asked for ({error})"))?;
    let mut out: Vec<Option<ModelVerdict>> = vec![None; count];
    for entry in parsed.claims {
        let slot = usize::try_from(entry.number).ok().and_then(|number| out.get_mut(number.checked_sub(1)?));
        let Some(slot) = slot else { continue };
        let strictness = |verdict: ClaimVerdict| ClaimVerdict::ALL.iter().position(|own| *own == verdict);
        let stricter = slot.as_ref().is_none_or(|held| strictness(entry.verdict) > strictness(held.verdict));
        if stricter {
            *slot = Some(ModelVerdict {
                verdict: entry.verdict,
                fault: entry.fault.unwrap_or(ClaimFault::Other),
                reason: entry.reason.trim().chars().take(REASON_CHARS).collect(),
            });
        }
    }
    if out.iter().all(Option::is_none) {
        return Err(format!("it judges none of the {count} claims"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(text: &str) -> Result<Vec<Option<ClaimVerdict>>, String> {
        let reply = ChatReply { text: text.to_owned(), ..ChatReply::default() };
        let found = read(&reply, 2)?;
        Ok(found.into_iter().map(|own| own.map(|own| own.verdict)).collect())
    }

    fn entry(number: i64, verdict: &str) -> serde_json::Value {
        json!({"number": number, "reason": "r", "fault": "none", "verdict": verdict})
    }

    #[test]
    fn missing_repeated_and_invented_numbers_are_handled() {
        use ClaimVerdict::{Contradicted, Supported, Unsupported};
        let check = |entries: &[serde_json::Value], want: [Option<ClaimVerdict>; 2]| {
            let text = json!({ "claims": entries }).to_string();
            assert_eq!(verdicts(&text).as_deref(), Ok(&want[..]), "{text}");
        };
        let (one, two) = (entry(1, "supported"), entry(2, "contradicted"));
        check(&[two.clone(), one.clone()], [Some(Supported), Some(Contradicted)]);
        check(std::slice::from_ref(&two), [None, Some(Contradicted)]);
        check(&[one.clone(), entry(1, "unsupported"), entry(1, "supported")], [Some(Unsupported), None]);
        check(
            &[entry(0, "supported"), entry(3, "supported"), entry(-1, "partly"), one],
            [Some(Supported), None],
        );
        let unknown = json!({"number": 1, "reason": "r", "fault": "colour", "verdict": "partly"});
        check(&[unknown], [Some(ClaimVerdict::Partly), None]);
    }

    #[test]
    fn replies_that_cannot_be_used_say_why() {
        for (text, part) in [
            ("All fine.", "not the JSON asked for"),
            (r#"{"claims": []}"#, "none of the 2 claims"),
            (
                r#"{"claims": [{"number": 7, "reason": "", "fault": "none", "verdict": "supported"}]}"#,
                "none of the 2",
            ),
            (r#"{"claims": [{"number": 1, "verdict": "perhaps"}]}"#, "not the JSON asked for"),
        ] {
            let wrong = verdicts(text).expect_err(text);
            assert!(wrong.contains(part), "{text}: {wrong}");
        }
        let cut = ChatReply {
            text: json!({"claims": [entry(1, "supported")]}).to_string(),
            truncated: true,
            ..ChatReply::default()
        };
        assert!(read(&cut, 1).expect_err("cut").contains("token limit"));
    }
}
