//! The two sentences that a report begins with, computed from the numbers below them.

use super::Evaluation;
use super::results::{p_text, signed};
use crate::stats::wilson;
use crate::{Abstention, Stated, metrics};

/// What to believe, in two sentences: what the first mode decides and shows, then where it loses evidence and whether the
/// modes differ. Plain text.
pub(super) fn verdict(evaluation: &Evaluation) -> [String; 2] {
    let Some(mode) = evaluation.summary.modes.keys().next() else {
        return [
            "No question was asked.".to_owned(),
            "There is nothing to believe.".to_owned(),
        ];
    };
    [decisions(evaluation, mode), losses(evaluation, mode)]
}

fn decisions(evaluation: &Evaluation, mode: &str) -> String {
    let table = evaluation
        .summary
        .abstention
        .get(mode)
        .copied()
        .unwrap_or_default();
    let rows = evaluation.rows.iter().filter(|row| row.mode == mode);
    let stated: Vec<Stated> = rows.clone().filter_map(Stated::of_row).collect();
    let errors = match rows.filter(|row| row.error.is_some()).count() {
        0 => String::new(),
        1 => "; 1 row is an error".to_owned(),
        n => format!("; {n} rows are errors"),
    };
    let Some(decided) = decided(&table) else {
        return format!("In mode {mode}, no label says which questions the papers answer{errors}.");
    };
    let right = stated.iter().filter(|stated| stated.right).count();
    let shown = if stated.is_empty() {
        String::new()
    } else {
        format!(
            "; {right} of {} answers that can be checked {} gold evidence",
            stated.len(),
            if right == 1 { "shows" } else { "show" }
        )
    };
    format!("In mode {mode}, {decided}{shown}{errors}.")
}

/// "65 of 105 answerable questions (52 to 71 %) were answered and 25 of 31 unanswerable ones (63 to 91 %) were refused".
fn decided(table: &Abstention) -> Option<String> {
    let part = |right: usize, wrong: usize| {
        let n = right + wrong;
        let interval = wilson(right, n)?;
        let (low, high) = (100.0 * interval.low, 100.0 * interval.high);
        Some((n, format!("({low:.0} to {high:.0} %)")))
    };
    let answered = part(table.answered_answerable, table.refused_answerable)
        .map(|(n, range)| format!("{} of {n} answerable questions {range} were answered", table.answered_answerable));
    let refused = part(table.refused_unanswerable, table.answered_unanswerable).map(|(n, range)| {
        let of = table.refused_unanswerable;
        if answered.is_some() {
            format!("{of} of {n} unanswerable ones {range} were refused")
        } else {
            format!("{of} of {n} unanswerable questions {range} were refused")
        }
    });
    match (answered, refused) {
        (Some(answered), Some(refused)) => Some(format!("{answered} and {refused}")),
        (one, other) => one.or(other),
    }
}

fn losses(evaluation: &Evaluation, mode: &str) -> String {
    let funnel = evaluation.funnel.get(mode);
    let lost = funnel.and_then(|funnel| funnel.largest_loss().map(|(stage, lost)| (funnel, stage, lost)));
    let lost = lost.map(|(funnel, stage, lost)| {
        let of = funnel.quotes;
        match stage {
            "candidates" => format!("most gold evidence is lost in retrieval ({lost} of {of} quotes)"),
            "reranked" => format!("most gold evidence is lost in reranking ({lost} of {of} quotes)"),
            "context" => format!("most gold evidence is lost on the way into the context ({lost} of {of} quotes)"),
            _ if funnel.refused > 0 => format!(
                "most gold evidence is lost between the context and the answer ({lost} of {of} quotes, {} of them by refusals)",
                funnel.refused
            ),
            _ => format!("most gold evidence is lost between the context and the answer ({lost} of {of} quotes)"),
        }
    });
    let sentence = match (lost, differences(evaluation)) {
        (Some(lost), Some(differences)) => format!("{lost}; {differences}"),
        (one, other) => one
            .or(other)
            .unwrap_or_else(|| "where gold evidence is lost is not known, because no row has any".to_owned()),
    };
    let mut letters = sentence.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Whether the modes differ; `None` for one mode.
fn differences(evaluation: &Evaluation) -> Option<String> {
    let [first, second] = evaluation.summary.compared.as_ref()?;
    let extractive = evaluation.provenance.extractive();
    let compared = metrics::specs().filter(|spec| !(extractive && spec.by_construction));
    let found: Vec<String> = compared
        .filter_map(|spec| {
            let found = evaluation.summary.comparison.get(spec.key)?;
            let (delta, p) = (found.delta?, found.p?);
            found.separates().then(|| {
                let p = p_text(p);
                let p = if p.starts_with('<') { format!("p {p}") } else { format!("p = {p}") };
                format!("{} by {} ({p})", spec.title.to_lowercase(), signed(delta))
            })
        })
        .collect();
    if found.is_empty() {
        return Some(format!("no metric differs significantly between {first} and {second}"));
    }
    Some(format!(
        "{first} differs significantly from {second} in {}",
        super::listed(&found)
    ))
}
