//! What an evaluation would cost, for people.

use crate::words::count;
use contract::DryRun;
use std::fmt::Write;

/// Calls, tokens and cost by stage, and the same tokens at other prices.
pub(super) fn dry_run_text(planned: &DryRun) -> String {
    let questions = count(planned.questions as u64, "question");
    let head = format!(
        "{questions} from {}, {}: {} to generate, {} refused first\n\n",
        planned.query_set,
        planned.modes.join(" and "),
        count(planned.generated as u64, "answer"),
        planned.rows - planned.generated,
    );
    head + &calls_text(planned)
}

/// The calls alone.
pub(in crate::commands) fn calls_text(planned: &DryRun) -> String {
    let mut out = String::new();
    if planned.stages.is_empty() && planned.cached == 0 {
        out.push_str("No language model is configured (llm.provider), so the run costs nothing.\n");
        return out;
    }
    let width = planned
        .stages
        .iter()
        .map(|stage| stage.model.len())
        .max()
        .unwrap_or(0)
        .max(5);
    let _ = writeln!(
        out,
        "{:<9} {:<width$} {:>6} {:>12} {:>15} {:>9} {:>9}",
        "stage", "model", "calls", "input tokens", "output tokens", "cost", "longest"
    );
    for stage in &planned.stages {
        let _ = writeln!(
            out,
            "{:<9} {:<width$} {:>6} {:>12} {:>15} {:>9} {:>9}",
            stage.stage,
            stage.model,
            stage.calls,
            stage.prompt_tokens,
            stage.completion_tokens,
            dollars(stage.cost),
            dollars(stage.cost_at_most),
        );
    }
    let _ = writeln!(
        out,
        "\nexpected cost {}, or {} if every reply has the maximum length (llm.max_tokens)",
        dollars(planned.cost),
        dollars(planned.cost_at_most)
    );
    if planned.cached > 0 {
        let _ = writeln!(
            out,
            "{} answered from the cache, at no cost",
            count(planned.cached, "more call")
        );
    }
    if planned.cost.is_none() {
        out.push_str("The price of a model is not known: set llm.price_input and llm.price_output.\n");
    }
    out.push_str(
        "Output tokens are estimated. Retries and corrected replies are not included.\n\nThe same tokens with other models:\n",
    );
    for price in &planned.at_prices {
        let _ = writeln!(
            out,
            "{:<22} {:>9}   ({} and {} per million input and output tokens, as of {})",
            price.model,
            dollars(Some(price.cost)),
            dollars(Some(price.input)),
            dollars(Some(price.output)),
            price.read
        );
    }
    out
}

/// US dollars, with as many digits as small amounts need.
fn dollars(amount: Option<f64>) -> String {
    match amount {
        None => "?".to_owned(),
        Some(amount) if amount > 0.0 && amount < 0.1 => format!("${amount:.4}"),
        Some(amount) => format!("${amount:.2}"),
    }
}
