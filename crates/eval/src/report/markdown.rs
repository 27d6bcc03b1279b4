//! The report for people who read Markdown: the verdict first, settings last. For 20 questions it fits four printed pages; what
//! does not fit stands in `report.html`. (Writing to a string cannot fail: the results of `write!` are dropped.)

use super::tables::{failure_grid, guardrail_grid, query_set_grid, removed_grid};
use super::{
    Evaluation, Grid, closing, controls, escape, failure_section, first_page, groups, listed, winners,
};
use super::{results::lower_is_better, terminal};
use crate::Score;
use crate::metrics::{self, Direction, Spec};
use std::fmt::Write;

/// Renders everything.
pub(super) fn render(evaluation: &Evaluation) -> String {
    let sections = [
        head(evaluation),
        first_page::section(evaluation),
        format!(
            "## 2. Query set\n\n{}",
            query_set_grid(&evaluation.rows).markdown()
        ),
        metric_section(evaluation),
        losses(evaluation),
        groups::section(&evaluation.summary),
        failure_section::section(&evaluation.rows),
        winners::section(evaluation),
        guardrails(evaluation),
        cost(evaluation),
        settings(evaluation),
    ];
    sections.join("\n")
}

fn head(evaluation: &Evaluation) -> String {
    let mut out = format!("# Evaluation report {}\n", escape(&evaluation.summary.run_id));
    for note in &evaluation.notes {
        let _ = write!(out, "\n> Note: {}.\n", escape(note));
    }
    out
}

fn metric_section(evaluation: &Evaluation) -> String {
    let all = terminal::metrics(evaluation);
    let folded = folded(evaluation);
    let mut grid = Grid::new(all.headers);
    grid.rows = all
        .rows
        .into_iter()
        .filter(|cells| !folded.contains(&cells[0].as_str()))
        .collect();
    let mut out = format!(
        "## 3. Metrics\n\n{}\nMean [95 % CI], n: rows with a value. Differences are over the questions that have a value in both modes, so they can differ from the \
         difference of the means. p is not corrected for the number of metrics; `pipeline runs compare` corrects it. {} `pipeline metrics` \
         defines each.\n",
        grid.markdown(),
        lower_is_better()
    );
    if !folded.is_empty() {
        let folded: Vec<String> = folded.into_iter().map(str::to_owned).collect();
        let _ = write!(
            out,
            "\nNot listed, because they have their best value in every row, by construction for copied sentences: {}.\n",
            escape(&listed(&folded))
        );
    }
    if let Some(run) = &evaluation.controls {
        out.push_str(&controls::section(run));
    }
    out
}

/// The metrics that hold by construction and hold in every row: they are no finding.
fn folded(evaluation: &Evaluation) -> Vec<&'static str> {
    if !evaluation.provenance.extractive() {
        return Vec::new();
    }
    let is_best = |spec: &Spec| {
        let best = match spec.direction {
            Direction::Higher => spec.range.high,
            Direction::Lower => spec.range.low,
            Direction::Neither => return false,
        };
        evaluation.rows.iter().all(|row| match row.scores.get(spec.key) {
            Some(Score::Value(value)) => value.total_cmp(&best).is_eq(),
            Some(Score::NotApplicable(_)) => true,
            Some(Score::Error(_)) | None => false,
        })
    };
    let all = metrics::specs().filter(|spec| spec.by_construction && is_best(spec));
    all.map(|spec| spec.title).collect()
}

/// The funnel and the failure modes.
fn losses(evaluation: &Evaluation) -> String {
    let mut out = "## 4. Where answers fail\n".to_owned();
    let known = evaluation.funnel.iter().any(|(_, funnel)| funnel.questions > 0);
    if known {
        let mut headers = vec!["Gold quotes".to_owned()];
        headers.extend(evaluation.funnel.keys().map(str::to_owned));
        let mut grid = Grid::new(headers);
        for stage in crate::FUNNEL_STAGES {
            let cells = evaluation.funnel.iter().map(|(_, funnel)| {
                let share = funnel.stages.get(stage);
                share.map_or_else(String::new, |s| {
                    format!(
                        "{} of {}: {:.3} [{:.2}, {:.2}]",
                        s.found, funnel.quotes, s.mean, s.ci_low, s.ci_high
                    )
                })
            });
            grid.push(std::iter::once(stage.to_owned()).chain(cells));
        }
        let _ = write!(out, "\n{}", grid.markdown());
    }
    // A mode that no row has costs a line of a page and says little: it is only named.
    let mut grid = failure_grid(evaluation);
    let is_none = |cells: &Vec<String>| cells[1..cells.len() - 1].iter().all(|count| count == "0");
    let none: Vec<String> = grid
        .rows
        .iter()
        .filter(|cells| is_none(cells))
        .map(|cells| cells[0].to_lowercase())
        .collect();
    grid.rows.retain(|cells| !is_none(cells));
    if !grid.rows.is_empty() {
        let _ = write!(out, "\n{}", grid.markdown());
    }
    if !none.is_empty() {
        let _ = write!(out, "\nNo row has any of these: {}.\n", none.join(", "));
    }
    out
}

fn guardrails(evaluation: &Evaluation) -> String {
    let actions = guardrail_grid(&evaluation.rows);
    let removed = removed_grid(&evaluation.removed_terms);
    let mut out = "## 8. Guardrails\n".to_owned();
    if actions.rows.is_empty() {
        out.push_str("\nNo guardrail acted.\n");
    } else {
        let each: Vec<String> = actions
            .rows
            .iter()
            .map(|cells| format!("{} {} ({}) {}", cells[0], cells[1], cells[2], cells[3]))
            .collect();
        let _ = write!(out, "\nActions: {}.\n", escape(&each.join(", ")));
    }
    if removed.rows.is_empty() {
        out.truncate(out.trim_end().len());
        out.push_str(" The entity check removed no term.\n");
    } else {
        let _ = write!(
            out,
            "\nTerms that are not in the context:\n\n{}",
            removed.markdown()
        );
    }
    out
}

fn cost(evaluation: &Evaluation) -> String {
    let mut out = "## 9. Time and cost\n".to_owned();
    if evaluation.latency.is_empty() {
        out.push_str("\nThe log holds no timings.\n");
    } else {
        let grid = closing::slow_stages(evaluation);
        let _ = write!(
            out,
            "\nMilliseconds of an answer; judging is not included. Stages that take less than 5 % of the time are in \
             report.html.\n\n{}",
            grid.markdown()
        );
    }
    match closing::spent_grid(evaluation) {
        Some(grid) => {
            let _ = write!(
                out,
                "\n{}\n{} Replies from the cache cost nothing and are not counted.\n",
                grid.markdown(),
                closing::total_cost(evaluation)
            );
        }
        None => out.push_str("\nNo language model was used.\n"),
    }
    out
}

fn settings(evaluation: &Evaluation) -> String {
    let changed = closing::changed_settings(evaluation);
    let from: Vec<String> = closing::provenance_grid(evaluation)
        .rows
        .iter()
        .map(|cells| format!("{}: {}", escape(&cells[0]), escape(&cells[1])))
        .collect();
    let mut out = format!("## 10. Settings\n\n{}.\n", from.join("; "));
    if evaluation.provenance.architecture.is_empty() {
        out.push_str("\nThe settings of this run are not known.\n");
    } else if changed.rows.is_empty() {
        out.push_str("\nEvery setting has its default value.\n");
    } else {
        let _ = write!(out, "\n{}", changed.markdown());
    }
    out
}
