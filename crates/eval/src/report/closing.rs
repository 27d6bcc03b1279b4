//! The last pages: what answers cost, where the numbers come from, and the settings.
//! (Writing to a string cannot fail: the results of `write!` are dropped.)

use super::{Evaluation, Grid, escape, results::NONE};
use crate::Ordered;
use std::{collections::BTreeSet, fmt::Write};
use types::{Spent, Usage};

/// Section 8.
pub(super) fn cost(evaluation: &Evaluation) -> String {
    let mut out = "## 8. Time and cost\n".to_owned();
    if evaluation.latency.is_empty() {
        out.push_str("\nThe log holds no timings.\n");
    } else {
        let mut grid = Grid::new(["Stage", "Mode", "Median, ms", "p95, ms", "Rows"]);
        for (mode, stages) in evaluation.latency.iter() {
            for (stage, time) in stages.iter() {
                grid.push([
                    stage.to_owned(),
                    mode.to_owned(),
                    format!("{:.1}", time.median),
                    format!("{:.1}", time.p95),
                    time.n.to_string(),
                ]);
            }
        }
        let _ = write!(
            out,
            "\nTime of an answer by stage; judging is not included.\n\n{}",
            grid.markdown()
        );
    }
    out.push_str(&spent(evaluation));
    out
}

fn spent(evaluation: &Evaluation) -> String {
    if evaluation.spent.is_empty() {
        return "\nNo language model was used.\n".to_owned();
    }
    let mut grid = Grid::new([
        "Mode",
        "Stage",
        "Requests",
        "Of these failed",
        "Tokens read",
        "Tokens written",
        "Cost",
    ]);
    let prices = &evaluation.provenance.prices;
    let mut total = Some(0.0);
    for (mode, stages) in evaluation.spent.iter() {
        for (stage, usage) in stages.iter() {
            let cost = prices.get(stage).map(|price| price.of(*usage));
            total = total.zip(cost).map(|(sum, cost)| sum + cost);
            grid.push([
                mode.to_owned(),
                stage.to_owned(),
                usage.requests.to_string(),
                usage.failed_requests.to_string(),
                usage.prompt_tokens.to_string(),
                usage.completion_tokens.to_string(),
                cost.map_or_else(|| NONE.to_owned(), dollars),
            ]);
        }
    }
    let mut out = format!(
        "\nWhat language models spent. Replies from the cache cost nothing and are not counted.\n\n{}",
        grid.markdown()
    );
    let read: BTreeSet<&str> = prices
        .values()
        .map(|price| price.read.as_str())
        .filter(|read| !read.is_empty())
        .collect();
    let dates = if read.is_empty() {
        String::new()
    } else {
        format!(" at prices of {}", Vec::from_iter(read).join(" and "))
    };
    match total {
        Some(total) => {
            let _ = write!(out, "\nTotal cost: {}{dates}.\n", dollars(total));
        }
        None => out.push_str("\nThe cost is not known: set llm.price_input and llm.price_output.\n"),
    }
    out
}

/// US dollars, with as many digits as small amounts need.
fn dollars(amount: f64) -> String {
    if amount > 0.0 && amount < 0.1 {
        format!("${amount:.4}")
    } else {
        format!("${amount:.2}")
    }
}

/// What language models spent, by mode and by stage; modes and stages without a request are left out.
pub(super) fn spending(rows: &[crate::Row]) -> Ordered<Ordered<Usage>> {
    let mut out: Ordered<Ordered<Usage>> = Ordered::default();
    for row in rows {
        for (stage, usage) in row.usage.iter() {
            out.entry(&row.mode).entry(stage).add(usage);
        }
        // Rows of older logs name the judge's part alone.
        if let (None, Some(usage)) = (row.usage.get(Spent::JUDGE), row.judge_usage) {
            out.entry(&row.mode).entry(Spent::JUDGE).add(usage);
        }
    }
    out
}

/// Section 9.
pub(super) fn reproducibility(evaluation: &Evaluation) -> String {
    let from = &evaluation.provenance;
    let mut grid = Grid::new(["What", "Value"]);
    let mut line = |what: &str, value: &str| {
        grid.push([what, if value.is_empty() { "not known" } else { value }]);
    };
    line("Run", &evaluation.summary.run_id);
    line("Configuration hash", &from.config_hash);
    line("Query set", &from.query_set);
    line("Query set hash", &from.query_set_hash);
    line("Index generation", &from.generation);
    line("Version", &from.version);
    line("Commit", &from.git_commit);
    line("Seed of intervals and tests", &from.seed.to_string());
    for (role, model) in &from.models {
        line(&format!("Model, {role}"), model);
    }
    format!("## 9. Reproducibility\n\n{}", grid.markdown())
}

/// Section 10.
pub(super) fn settings(evaluation: &Evaluation) -> String {
    let mut by_section: Ordered<Vec<(&str, &str)>> = Ordered::default();
    for setting in &evaluation.provenance.architecture {
        by_section
            .entry(&setting.section)
            .push((&setting.key, &setting.value));
    }
    let mut out = "## 10. Settings of the pipeline\n".to_owned();
    if by_section.is_empty() {
        out.push_str("\nThe settings of this run are not known.\n");
    }
    for (at, (section, settings)) in by_section.iter().enumerate() {
        let mut grid = Grid::new(["Setting", "Value"]);
        for (key, value) in settings {
            grid.push([*key, *value]);
        }
        let _ = write!(
            out,
            "\n### 10.{} {}\n\n{}",
            at + 1,
            escape(section),
            grid.markdown()
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;
    use crate::report::Provenance;

    #[test]
    fn what_models_spent_is_added_up_by_mode_and_stage() {
        let usage = |requests, failed_requests| Usage {
            requests,
            failed_requests,
            prompt_tokens: 100,
            completion_tokens: 10,
        };
        let row = |mode: &str, stage: &str, spent: Usage| Row {
            mode: mode.into(),
            usage: Spent::of(stage, spent),
            ..Row::default()
        };
        let mut old = row("vector", Spent::GENERATE, usage(1, 0));
        old.judge_usage = Some(usage(1, 0));
        let rows = vec![
            row("hybrid", Spent::GENERATE, usage(1, 0)),
            row("hybrid", Spent::GENERATE, usage(2, 1)),
            row("hybrid", Spent::JUDGE, usage(1, 1)),
            old,
            Row::default(),
        ];
        let text = cost(&Evaluation::new("r", rows, Provenance::default()));
        for line in [
            "| hybrid | generate | 3 | 1 | 200 | 20 |",
            "| hybrid | judge | 1 | 1 | 100 | 10 |",
            "| vector | generate | 1 | 0 | 100 | 10 |",
            "| vector | judge | 1 | 0 | 100 | 10 |",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
        let none = cost(&Evaluation::new("r", vec![Row::default()], Provenance::default()));
        assert!(none.contains("No language model was used."), "{none}");
    }
}
