//! The terms that the entity check did not find in the context, by question and mode.

use crate::Row;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{GuardrailAction, GuardrailKind, words::distinct};

/// How the reasons of the entity check begin.
const REASON: &str = "not in the context: ";

/// What the entity check did to one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RemovedTerms {
    /// The query.
    pub query_id: String,
    /// The mode.
    pub mode: String,
    /// Terms of sentences that were removed, in their order, each once.
    pub removed: Vec<String>,
    /// Terms of sentences that were kept and flagged, because too little of the answer would have been left.
    pub flagged: Vec<String>,
}

/// One entry for each row with such terms, in the order of the rows.
pub fn removed_terms(rows: &[Row]) -> Vec<RemovedTerms> {
    let of_row = |row: &Row| {
        let terms =
            |action: &str| distinct(row.guardrails.iter().filter(|a| a.action == action).flat_map(terms_of));
        let (removed, flagged) = (terms("stripped"), terms("flagged"));
        (!removed.is_empty() || !flagged.is_empty()).then(|| RemovedTerms {
            query_id: row.query_id.clone(),
            mode: row.mode.clone(),
            removed,
            flagged,
        })
    };
    rows.iter().filter_map(of_row).collect()
}

/// The terms that an action names: `not in the context: A, B; …`, or in the earlier system's words `…: ['A', 'B']`.
fn terms_of(action: &GuardrailAction) -> Vec<String> {
    if action.guardrail != GuardrailKind::Entity {
        return Vec::new();
    }
    let list = match action.reason.split_once(REASON) {
        Some((_, list)) => list.split("; too little").next().unwrap_or(list),
        None => match (action.reason.find('['), action.reason.rfind(']')) {
            (Some(open), Some(close)) if open < close => &action.reason[open + 1..close],
            _ => return Vec::new(),
        },
    };
    list.split(", ")
        .map(|term| term.trim().trim_matches(['\'', '"']).to_owned())
        .filter(|term| !term.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use GuardrailKind::{Citation, Entity};

    #[test]
    fn terms_are_read_from_both_forms() {
        let action = |guardrail, action: &str, reason: &str| GuardrailAction {
            guardrail,
            action: action.into(),
            subject: "s".into(),
            reason: reason.into(),
            sentence: true,
        };
        let row =
            |guardrails| Row { query_id: "D01".into(), mode: "hybrid".into(), guardrails, ..Row::default() };
        let rows = [
            row(vec![
                action(Entity, "stripped", "not in the context: FMD, 12,5 %"),
                action(Entity, "stripped", "not in the context: FMD"),
                action(Entity, "stripped", "it depends on a sentence that was removed"),
                action(
                    Entity,
                    "flagged",
                    "not in the context: IIS; too little of the answer would survive without it",
                ),
                action(Citation, "dropped", "not in the context: x"),
            ]),
            row(vec![action(
                Entity,
                "stripped",
                "Entity guard: removed 1 sentence(s) containing terms not found in context: ['BMI/', 'The Lancet']",
            )]),
            row(Vec::new()),
        ];
        let found = removed_terms(&rows);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].removed, ["FMD", "12,5 %"]);
        assert_eq!(found[0].flagged, ["IIS"]);
        assert_eq!(found[1].removed, ["BMI/", "The Lancet"]);
    }
}
