//! Does the answer bring facts that no passage has?

use super::hallucinated::ground;
use super::{Metric, Need, Spec, View};
use crate::Score;
use crate::judge::{ClaimVerdict, Verdict};
use crate::metrics::Direction;
use std::collections::BTreeSet;
use text::entities::entities;

/// The metric.
pub(super) struct Hallucination;

const SPEC: Spec = Spec {
    key: "hallucination",
    title: "Hallucination",
    definition: "1 if the answer has a number, a count in words (`twice`) or a name that stands in neither a passage nor the \
         question, or a claim that a passage contradicts and none supports. Names are recognised by their spelling. Its mean is hallucination_rate.",
    edge_cases: "N/a on a refusal and for an empty answer.",
    source: "Ragas service, automatic failure 3: the answer mentions facts not in contexts",
    direction: Direction::Lower,
    needs: &[Need::Answer, Need::Context],
    ..Spec::PASS
};

impl Metric for Hallucination {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        Ok(f64::from(u8::from(!facts(sample)?.is_empty())))
    }
}

/// The facts of the answer that no passage has, as printed.
pub(super) fn facts(sample: &View<'_>) -> Result<Vec<String>, Score> {
    let reading = sample.given()?;
    let passages = sample.passages()?;
    if reading.text.trim().is_empty() {
        return Err(Score::n_a("the answer is empty"));
    }
    let ground = ground(sample, passages);
    let absent = entities(&reading.text)
        .into_iter()
        .filter(|entity| !ground.holds(entity));
    let mut out: Vec<String> = absent.map(|entity| entity.text).collect();
    let held = times(
        passages
            .iter()
            .map(|passage| passage.text.as_str())
            .chain(sample.sample.question.as_deref()),
    );
    let counted = times([reading.text.as_str()].into_iter());
    out.extend(counted.difference(&held).map(|count| format!("{count} times")));
    // A method that cannot compare languages still leaves the numbers and names.
    if let Ok(judged) = sample.judged() {
        let opposite = |claim: &&ClaimVerdict| !claim.grounded && claim.verdict == Verdict::Contradicted;
        let contradicted = judged.claims.iter().filter(opposite);
        out.extend(contradicted.map(|claim| claim.claim.clone()));
    }
    Ok(out)
}

/// How often texts say that something happened, in words or figures: `twice`, `three times`, `3-fold`.
fn times<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeSet<u64> {
    let mut out = BTreeSet::new();
    for text in texts {
        let lower = text.to_lowercase();
        let words = text::words(&lower).into_iter().map(|span| &lower[span]);
        out.extend(words.filter_map(|word| match word {
            "once" => Some(1),
            "twice" | "twofold" => Some(2),
            "thrice" | "threefold" => Some(3),
            _ => None,
        }));
        for quantity in text::numbers::quantities(&lower) {
            let after = lower[quantity.number.end..].trim_start_matches([' ', '-', '\u{a0}']);
            let counts = ["times", "fold", "occasions"]
                .iter()
                .any(|word| after.starts_with(word));
            if counts && quantity.value.fract() == 0.0 && (0.0..1e6).contains(&quantity.value) {
                out.insert(quantity.value as u64);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn a_number_a_name_or_a_denial_that_no_passage_has() {
        let passages = [(
            "a",
            "In both arms, walking lowered blood pressure by 6 mmHg in Orvella.",
        )];
        let hallucinated =
            |answer: &str, want: f64| check(&Hallucination, &row("q", answer, &passages), want);
        hallucinated("Walking lowered blood pressure by 6 mmHg.", 0.0);
        hallucinated("Walking lowered blood pressure by 67.03 mmHg.", 1.0);
        hallucinated(
            "The trial of Tandrik found that walking lowered blood pressure.",
            1.0,
        );
        hallucinated("Walking raised blood pressure.", 1.0);
        check_n_a(&Hallucination, &row("q", "", &passages), "empty");
    }
}
