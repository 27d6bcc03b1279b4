//! Do the documents that answer rank first?

use super::documents;
use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct ContextPrecision;

const SPEC: Spec = Spec {
    key: "context_precision",
    title: "Context precision",
    definition: "Mean of precision@k over the ranks k of the retrieved documents that are expected: Σ precision@k × relevant(k) \
         / number of relevant documents retrieved.",
    edge_cases: "0 if no retrieved document is expected; n/a without an expected document.",
    source: "Ragas, context precision by ids; Manning et al. 2008, average precision over what was retrieved",
    needs: &[Need::Expected, Need::Retrieved],
    ..Spec::SHARE
};

impl Metric for ContextPrecision {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let grades = sample.grades()?;
        let (mut found, mut sum) = (0, 0.0);
        for (at, id) in sample.retrieved()?.into_iter().enumerate() {
            if grades.contains_key(&documents::key(id)) {
                found += 1;
                sum += f64::from(found) / (at + 1) as f64;
            }
        }
        Ok(if found == 0 { 0.0 } else { sum / f64::from(found) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, ranked};

    #[test]
    fn precision_at_the_ranks_of_what_is_relevant() {
        check(
            &ContextPrecision,
            &ranked(&["a", "x", "b"], &["a", "b", "c"]),
            5.0 / 6.0,
        );
        check(&ContextPrecision, &ranked(&["x", "a"], &["a"]), 0.5);
        check(&ContextPrecision, &ranked(&["x"], &["a"]), 0.0);
        check(&ContextPrecision, &ranked(&[], &["a"]), 0.0);
        check_n_a(&ContextPrecision, &ranked(&["a"], &[]), "`expected`");
    }
}
