//! Logs of the earlier system: six fields, no run id, one method name for both modes, and guardrail actions
//! that only the caveats tell of.
//!
//! Each rule here reads a fact that such a log states in other words; none guesses. What a rule cannot tell
//! stays unknown.

use serde::Deserialize;
use types::{GuardrailAction, GuardrailKind, Mode, RunRecord};

/// Weights with which the earlier system fused its scores in hybrid mode.
const VECTOR_WEIGHT: f32 = 0.6;
const BM25_WEIGHT: f32 = 0.4;
/// Scores may be logged rounded.
const TOLERANCE: f32 = 1e-3;

/// The scores of one returned chunk.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Scores {
    /// `vector_score`.
    #[serde(rename = "vector_score", default)]
    pub vector: f32,
    /// `bm25_score`.
    #[serde(rename = "bm25_score", default)]
    pub bm25: f32,
    /// `combined_score`.
    #[serde(rename = "combined_score", default)]
    pub combined: f32,
}

/// Whether a record is one of the earlier system: this one always names its mode.
pub fn is_earlier(record: &RunRecord) -> bool {
    record.mode.is_none() && record.run_id.is_none() && record.config_hash.is_empty()
}

/// The mode in which chunks with these scores were returned: vector when every combined score is the vector
/// score, hybrid when any is `0.6 × vector + 0.4 × BM25`. A chunk that was added by expansion carries scores of
/// its parent and may fit neither. `None` without chunks, or where nothing tells the two apart.
pub fn mode_of(chunks: impl IntoIterator<Item = Scores>) -> Option<Mode> {
    let (mut all_vector, mut any_hybrid, mut any_apart) = (true, false, false);
    for chunk in chunks {
        let fused = VECTOR_WEIGHT * chunk.vector + BM25_WEIGHT * chunk.bm25;
        let is_vector = (chunk.combined - chunk.vector).abs() <= TOLERANCE;
        let is_hybrid = (chunk.combined - fused).abs() <= TOLERANCE;
        all_vector &= is_vector;
        any_hybrid |= is_hybrid && !is_vector;
        any_apart |= is_hybrid != is_vector;
    }
    match (all_vector, any_hybrid) {
        (true, _) if any_apart => Some(Mode::Vector),
        (false, true) => Some(Mode::Hybrid),
        _ => None,
    }
}

/// The guardrail actions that the caveats of an answer tell of, one for each such caveat.
pub fn actions(caveats: &[String]) -> Vec<GuardrailAction> {
    let action = |caveat: &String| {
        let (guardrail, verb) = action_of(caveat)?;
        Some(GuardrailAction {
            guardrail,
            action: verb.to_owned(),
            subject: "answer".to_owned(),
            reason: caveat.clone(),
            sentence: false,
        })
    };
    caveats.iter().filter_map(action).collect()
}

/// The guardrail and what it did, where a caveat begins as that system's guardrails wrote theirs: `Removed N
/// … citation(s)`, `Entity guard: removed …`, `Entity check: …`. A caveat in the generator's own words is none.
fn action_of(caveat: &str) -> Option<(GuardrailKind, &'static str)> {
    let caveat = caveat.trim_start().to_lowercase();
    if caveat.starts_with("entity guard:") {
        return Some((GuardrailKind::Entity, "stripped"));
    }
    if caveat.starts_with("entity check:") {
        return Some((GuardrailKind::Entity, "flagged"));
    }
    let removed = caveat.strip_prefix("removed ")?;
    let counted = removed.starts_with(|c: char| c.is_ascii_digit());
    (counted && removed.contains("citation")).then_some((GuardrailKind::Citation, "dropped"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_follows_from_the_scores() {
        let check = |chunks: &[[f32; 3]], want: Option<Mode>| {
            let scores = chunks.iter().map(|[vector, bm25, combined]| Scores {
                vector: *vector,
                bm25: *bm25,
                combined: *combined,
            });
            assert_eq!(mode_of(scores), want, "{chunks:?}");
        };
        // 0.6 × 0.5 + 0.4 × 1 = 0.7; 0.6 × 0.5 = 0.3.
        check(&[[0.5, 1.0, 0.7]], Some(Mode::Hybrid));
        check(&[[0.5, 0.0, 0.3]], Some(Mode::Hybrid));
        check(&[[0.5, 1.0, 0.5], [0.4, 0.0, 0.4]], Some(Mode::Vector));
        // A neighbour has 0.8 of its parent's scores: 0.8 × 0.7 = 0.56 fits neither rule.
        check(&[[0.5, 1.0, 0.7], [0.4, 0.0, 0.56]], Some(Mode::Hybrid));
        check(&[[0.5, 1.0, 0.5], [0.4, 0.0, 0.4]], Some(Mode::Vector));
        // Logged with three decimals.
        check(&[[0.333, 0.333, 0.333], [0.412, 0.5, 0.447]], Some(Mode::Hybrid));
        // Both rules give 0.5.
        check(&[[0.5, 0.5, 0.5]], None);
        check(&[[0.5, 0.2, 0.9]], None);
        check(&[], None);
    }

    #[test]
    fn caveats_of_guardrails_are_actions_and_others_are_not() {
        let check = |caveat: &str, want: Option<(GuardrailKind, &str)>| {
            let found = actions(&[caveat.to_owned()]);
            let found = found.first().map(|a| (a.guardrail, a.action.as_str()));
            assert_eq!(found, want, "{caveat}");
        };
        check(
            "Removed 2 unverified citation(s): ['a__body__000', 'b__body__001']",
            Some((GuardrailKind::Citation, "dropped")),
        );
        check(
            "Entity guard: removed 1 sentence(s) containing terms not found in context: ['BMI/']",
            Some((GuardrailKind::Entity, "stripped")),
        );
        check(
            "Entity check: 3 term(s) in the answer may not appear in the retrieved context: ['FMD']",
            Some((GuardrailKind::Entity, "flagged")),
        );
        check("Removed outliers may bias the citation counts.", None);
        check("The entity was not found in the excerpts.", None);
        check("Small sample.", None);
    }
}
