//! Gates on the measures of a benchmark: `ndcg@10=0.3`.

use super::Measure;
use crate::{EvalError, Gate};

/// Reads `MEASURE=VALUE`.
///
/// # Errors
/// [`EvalError::Gate`] when it names no measure, or its value is not a number from 0 to 1.
pub fn parse_gate(gate: &str) -> Result<Gate, EvalError> {
    Gate::on_means(gate, &Measure::ALL.map(Measure::key), "ndcg@10=0.3")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MetricSummary, check_means};

    #[test]
    fn gates_are_read_strictly_and_checked() {
        for wrong in ["ndcg@10", "ndcg@5=0.1", "map=1.5", "map=NaN", "faithful=0.5"] {
            let error = parse_gate(wrong).expect_err(wrong).to_string();
            assert!(error.contains(wrong) && error.contains("ndcg@10=0.3"), "{error}");
        }
        let gates = [
            parse_gate("map=0.5").expect("a gate"),
            parse_gate(" ndcg@10 = 0 ").expect("a gate"),
        ];
        let mean = |mean| MetricSummary {
            mean,
            ..MetricSummary::default()
        };
        let summary = [
            ("map".to_owned(), mean(Some(0.49))),
            ("ndcg@10".to_owned(), mean(None)),
        ];
        let results = check_means(&gates, "bm25", &summary.into_iter().collect());
        assert!(results.iter().all(|result| !result.passed), "{results:?}");
        assert!(
            results[0].to_string().contains("map in mode bm25 is 0.490"),
            "{}",
            results[0]
        );
        let summary = [("map".to_owned(), mean(Some(0.5)))];
        assert!(check_means(&gates[..1], "bm25", &summary.into_iter().collect())[0].passed);
    }
}
