//! Does the answer pass as relevant?

use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct Relevance;

const SPEC: Spec = Spec {
    key: "relevance",
    title: "Relevant",
    definition: "Whether answer_relevance reaches 0.5. Its mean over the rows is relevance_pass_rate.",
    edge_cases: "As answer_relevance.",
    source: "LitPath, relevance: pass or fail",
    needs: &[Need::Question, Need::Answer],
    ..Spec::PASS
};

impl Metric for Relevance {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let relevance = sample.value_of("answer_relevance")?;
        Ok(f64::from(u8::from(
            relevance >= sample.tools.limits.relevant_from,
        )))
    }

    fn explanation(&self, sample: &View<'_>) -> Option<String> {
        let relevance = sample.value_of("answer_relevance").ok()?;
        let limit = sample.tools.limits.relevant_from;
        Some(format!(
            "answer_relevance is {relevance:.2}, and passes from {limit} on"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn relevant_from_the_limit_on() {
        let impact = "What is the impact of deforestation on Philippine forests?";
        check(&Relevance, &row(impact, "Deforestation led to floods.", &[]), 1.0);
        check(
            &Relevance,
            &row(impact, "The causes of deforestation are logging and mining.", &[]),
            0.0,
        );
        check(&Relevance, &row("How many mice ran?", "Mice slept.", &[]), 1.0);
        check_n_a(&Relevance, &row("", "x", &[]), "`question`");
    }
}
