//! One line for each combination and question.

use super::results::Measured;
use eval::metrics;
use types::csv::record;

/// The end of a line, as RFC 4180 has it.
const END: &str = "\r\n";

/// The rows as CSV, in the order of the combinations and of the questions. An empty field is a value that a row does not
/// have.
pub(super) fn text(measured: &Measured<'_>) -> String {
    let axes = measured.combinations.axes.iter().map(|axis| axis.key.clone());
    let mut head: Vec<String> = vec!["combination".to_owned(), "config_hash".to_owned(), "mode".to_owned()];
    head.extend(axes);
    head.extend(["query_id", "type", "expected_no_evidence", "no_evidence"].map(str::to_owned));
    head.push(format!("metric:{}", measured.measure.key()));
    head.extend(metrics::keys());
    head.extend(["latency_ms", "calls", "prompt_tokens", "completion_tokens", "error"].map(str::to_owned));
    let mut out = record(&head) + END;
    for (at, (combination, rows)) in measured.combinations.all.iter().zip(measured.rows).enumerate() {
        let own = [(at + 1).to_string(), combination.settings.config_hash(), combination.mode().to_string()];
        let own: Vec<String> =
            own.into_iter().chain(combination.values.iter().map(|(_, value)| value.clone())).collect();
        for (query, row) in measured.set.queries.iter().zip(rows) {
            let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            let mut fields = own.clone();
            fields.extend([
                query.id.clone(),
                query.kind.clone(),
                query.expected_no_evidence.to_string(),
                row.refused.map(|refused| refused.to_string()).unwrap_or_default(),
                number(row.score.get()),
            ]);
            fields.extend(row.values.iter().map(|value| number(*value)));
            let usage = row.usage();
            fields.extend([
                number(row.latency_ms),
                usage.requests.to_string(),
                usage.prompt_tokens.to_string(),
                usage.completion_tokens.to_string(),
                row.error.clone().unwrap_or_default(),
            ]);
            out.push_str(&(record(&fields) + END));
        }
    }
    out
}
