//! Does the answer bring facts that no passage has?

use super::hallucinated::ground;
use super::{Metric, Need, Spec, View};
use crate::Score;
use crate::judge::{ClaimVerdict, Verdict};
use crate::metrics::Direction;
use text::entities::entities;

/// The metric.
pub(super) struct Hallucination;

const SPEC: Spec = Spec {
    key: "hallucination",
    title: "Hallucination",
    definition: "1 if the answer has a number or a name that stands in neither a passage nor the question, or a claim that a \
         passage contradicts and none supports. Names are recognised by their spelling. Its mean is hallucination_rate.",
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
    // A method that cannot compare languages still leaves the numbers and names.
    if let Ok(judged) = sample.judged() {
        let opposite = |claim: &&ClaimVerdict| !claim.grounded && claim.verdict == Verdict::Contradicted;
        let contradicted = judged.claims.iter().filter(opposite);
        out.extend(contradicted.map(|claim| claim.claim.clone()));
    }
    Ok(out)
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
