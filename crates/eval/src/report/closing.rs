//! What answers took and cost, where the numbers come from, and the settings.

use super::{Evaluation, Grid, results::NONE};
use crate::Ordered;
use std::collections::BTreeSet;
use types::{Spent, Usage};

/// The share of the time of an answer from which a stage is worth a line.
const SLOW: f64 = 0.05;

/// The median and the 95th percentile of each stage, one column for each mode.
pub(super) fn latency_grid(evaluation: &Evaluation) -> Grid {
    let mut headers = vec!["Stage".to_owned()];
    headers.extend(
        evaluation
            .latency
            .keys()
            .map(|mode| format!("{mode}: median, p95 (rows)")),
    );
    let mut grid = Grid::new(headers);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let stages = evaluation.latency.iter().flat_map(|(_, stages)| stages.keys());
    for stage in stages.filter(|stage| seen.insert(stage)) {
        let cells = evaluation
            .latency
            .iter()
            .map(|(_, stages)| match stages.get(stage) {
                Some(time) => format!("{:.1}, {:.1} ({})", time.median, time.p95, time.n),
                None => NONE.to_owned(),
            });
        grid.push(std::iter::once(stage.to_owned()).chain(cells));
    }
    grid
}

/// As [`latency_grid`], of the stages that take at least [`SLOW`] of the total in some mode.
pub(super) fn slow_stages(evaluation: &Evaluation) -> Grid {
    let mut grid = latency_grid(evaluation);
    let is_slow = |stage: &str| {
        evaluation.latency.iter().any(|(_, stages)| {
            let total = stages.get("total").map_or(0.0, |time| time.median);
            stages.get(stage).is_some_and(|time| time.median >= SLOW * total)
        })
    };
    grid.rows.retain(|cells| is_slow(&cells[0]));
    grid
}

/// What language models spent, by mode and stage; `None` if none was used.
pub(super) fn spent_grid(evaluation: &Evaluation) -> Option<Grid> {
    if evaluation.spent.is_empty() {
        return None;
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
    for (mode, stages) in evaluation.spent.iter() {
        for (stage, usage) in stages.iter() {
            let cost = prices.get(stage).map(|price| price.of(*usage));
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
    Some(grid)
}

/// What all of it cost, one sentence.
pub(super) fn total_cost(evaluation: &Evaluation) -> String {
    let prices = &evaluation.provenance.prices;
    let mut total = Some(0.0);
    for (stage, usage) in evaluation.spent.iter().flat_map(|(_, stages)| stages.iter()) {
        let cost = prices.get(stage).map(|price| price.of(*usage));
        total = total.zip(cost).map(|(sum, cost)| sum + cost);
    }
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
        Some(total) => format!("Total cost: {}{dates}.", dollars(total)),
        None => "The cost is not known: set llm.price_input and llm.price_output.".to_owned(),
    }
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

/// What is needed to run the same again.
pub(super) fn provenance_grid(evaluation: &Evaluation) -> Grid {
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
    grid
}

/// The settings that differ from their defaults; all of them where the defaults are not known.
pub(super) fn changed_settings(evaluation: &Evaluation) -> Grid {
    let mut grid = Grid::new(["Setting", "Value", "Default"]);
    let settings = evaluation.provenance.architecture.iter();
    for setting in settings.filter(|setting| evaluation.help.is_changed(setting)) {
        let default = evaluation
            .help
            .of(setting)
            .map_or(NONE, |help| help.default.as_str());
        grid.push([
            &format!("{}.{}", setting.section, setting.key),
            setting.value.as_str(),
            default,
        ]);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;
    use crate::report::{Provenance, Setting, SettingHelp};

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
        let grid = spent_grid(&Evaluation::new("r", rows, Provenance::default())).expect("spent");
        let text = grid.markdown();
        for line in [
            "| hybrid | generate | 3 | 1 | 200 | 20 |",
            "| hybrid | judge | 1 | 1 | 100 | 10 |",
            "| vector | generate | 1 | 0 | 100 | 10 |",
            "| vector | judge | 1 | 0 | 100 | 10 |",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
        let none = Evaluation::new("r", vec![Row::default()], Provenance::default());
        assert!(spent_grid(&none).is_none());
    }

    #[test]
    fn only_changed_settings_are_listed_where_defaults_are_known() {
        let setting = |key: &str, value: &str| Setting {
            section: "rerank".into(),
            key: key.into(),
            value: value.into(),
        };
        let from = Provenance {
            architecture: vec![setting("keep", "6"), setting("top", "7"), setting("gone", "1")],
            ..Provenance::default()
        };
        let mut evaluation = Evaluation::new("r", Vec::new(), from);
        assert_eq!(changed_settings(&evaluation).rows.len(), 3);
        for (key, default) in [("rerank.keep", "6"), ("rerank.top", "5")] {
            let help = SettingHelp {
                text: "t".into(),
                default: default.into(),
            };
            evaluation.help.0.insert(key.into(), help);
        }
        assert_eq!(
            changed_settings(&evaluation).rows,
            [["rerank.top", "7", "5"], ["rerank.gone", "1", NONE]]
        );
    }
}
