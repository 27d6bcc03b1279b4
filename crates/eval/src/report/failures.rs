//! Which rows failed, and at what.

use crate::{Row, Score};
use types::GuardrailKind;

/// What is wrong with a row beyond its decision and its failure modes: errors, citations, what could not be scored.
fn defects(row: &Row) -> Vec<String> {
    if let Some(error) = &row.error {
        let what = if row.no_evidence.is_some() { "not judged" } else { "no answer" };
        let tries = if row.attempts == 1 { "1 try".to_owned() } else { format!("{} tries", row.attempts) };
        return vec![format!("{what} after {tries}: {error}")];
    }
    let mut out = Vec::new();
    for (key, what) in [("citation_precision", "citation precision"), ("quote_accuracy", "quote accuracy")] {
        if let Some(value) = row.value(key).filter(|v| *v < 1.0) {
            out.push(format!("{what} {value:.2}"));
        }
    }
    for (key, score) in row.scores.iter() {
        if let Score::Error(reason) = score {
            out.push(format!("{key} could not be scored: {reason}"));
        }
    }
    out
}

/// The name of a guardrail: one word, as in JSON.
pub fn guardrail_name(kind: GuardrailKind) -> String {
    serde_json::to_value(kind).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What is wrong with a row, one phrase for each; empty when nothing is: whoever counts or lists failed rows asks this.
pub fn failures(row: &Row) -> Vec<String> {
    if row.error.is_some() {
        return defects(row);
    }
    let mut out = Vec::new();
    let expected = row.expected_no_evidence.zip(row.no_evidence);
    if row.value("no_evidence_accuracy").is_some_and(|v| v < 0.5) || expected.is_some_and(|(a, b)| a != b) {
        out.push(match row.no_evidence {
            Some(true) => {
                let refused = "refused a question that the corpus answers";
                match row.lost_at {
                    Some(lost_at) => format!("{refused}; its evidence: {}", lost_at.described()),
                    None => refused.to_owned(),
                }
            }
            _ => "answered a question that the corpus does not answer".to_owned(),
        });
    }
    if row.value("faithful").is_some_and(|v| v < 0.5) {
        out.push(match row.unsupported.len() {
            0 => "unfaithful: the answer claims nothing".to_owned(),
            1 => "unfaithful: 1 claim without support by what it cites".to_owned(),
            n => format!("unfaithful: {n} claims without support by what they cite"),
        });
    }
    if row.no_evidence == Some(false) && row.value("gold_recall_answer").is_some_and(|v| v <= 0.0) {
        let lost = match (row.lost_at, row.value("gold_recall_context")) {
            (Some(lost_at), _) => format!("; {}", lost_at.described()),
            (None, Some(v)) if v > 0.0 => ", although the context has some of it".to_owned(),
            (None, Some(_)) => ", and the context has none".to_owned(),
            (None, None) => "; the context was not logged".to_owned(),
        };
        out.push(format!("the answer shows none of the gold evidence{lost}"));
    }
    // Without gold evidence, only the reference tells whether an answer is right.
    let unlabelled = row.value("gold_recall_answer").is_none() && row.no_evidence == Some(false);
    let answered = row.no_evidence == Some(false);
    if (unlabelled || answered && out.is_empty()) && row.value("matched").is_some_and(|v| v < 0.5) {
        let difference = row
            .compared
            .as_ref()
            .and_then(|compared| compared.differences.first())
            .map_or("it differs from the reference", String::as_str);
        let lost = row.lost_at.map_or_else(String::new, |lost_at| format!("; {}", lost_at.described()));
        out.push(format!("incorrect: {difference}{lost}"));
    }
    out.extend(defects(row));
    if out.is_empty() {
        out.extend(row.failure_modes.iter().map(|mode| mode.title().to_lowercase()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ordered;

    #[test]
    fn each_failure_is_named_and_success_is_not() {
        let check = |scores: &[(&str, Score)], refused: bool, expect: &[&str]| {
            let scores: Ordered<Score> = scores.iter().map(|(k, s)| ((*k).to_owned(), s.clone())).collect();
            let row = Row { scores, no_evidence: Some(refused), ..Row::default() };
            let found = failures(&row);
            assert_eq!(found.len(), expect.len(), "{found:?}");
            for (found, expect) in found.iter().zip(expect) {
                assert!(found.contains(expect), "{found}");
            }
        };
        let v = Score::value;
        check(
            &[("faithful", v(1.0)), ("citation_precision", v(1.0)), ("gold_recall_answer", v(0.5))],
            false,
            &[],
        );
        check(
            &[("no_evidence_accuracy", v(0.0)), ("gold_recall_answer", v(0.0))],
            true,
            &["refused a question"],
        );
        check(&[("no_evidence_accuracy", v(0.0))], false, &["answered a question"]);
        check(
            &[("faithful", v(0.0)), ("quote_accuracy", v(0.5))],
            false,
            &["claims nothing", "quote accuracy 0.50"],
        );
        check(
            &[("gold_recall_answer", v(0.0)), ("gold_recall_context", v(1.0))],
            false,
            &[", although the context has some of it"],
        );
        check(&[("matched", v(0.0))], false, &["incorrect: it differs from the reference"]);
        check(
            &[("matched", v(0.0)), ("gold_recall_answer", v(0.5))],
            false,
            &["incorrect: it differs from the reference"],
        );
        check(&[("matched", v(1.0))], false, &[]);
        check(&[("faithful", Score::Error("down".into()))], false, &["faithful could not be scored: down"]);
        // A decision is judged by what was expected, whatever metrics were chosen; a way in which a row fails is a failure.
        let refused = Row { no_evidence: Some(true), expected_no_evidence: Some(false), ..Row::default() };
        assert_eq!(failures(&refused), ["refused a question that the corpus answers"]);
        let missed = Row { failure_modes: vec![crate::FailureMode::RerankingMiss], ..Row::default() };
        assert_eq!(failures(&missed).len(), 1);
        let row = Row { error: Some("refused connection".into()), attempts: 3, ..Row::default() };
        assert_eq!(failures(&row), ["no answer after 3 tries: refused connection"]);
    }
}
