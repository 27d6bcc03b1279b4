//! What to believe, in plain words, computed from the numbers below it.

use super::decision::is_right;
use crate::report::words::{count, listed, signed};
use eval::metrics::{self, Direction, Spec};
use eval::report::Evaluation;
use eval::stats::wilson;
use eval::{ALPHA, Abstention, Comparison, OFFLINE_JUDGE, Row};

/// What the first mode decides and how much of it is right, then where it loses evidence and whether the modes differ.
pub(crate) fn verdict(evaluation: &Evaluation) -> [String; 2] {
    let Some(mode) = evaluation.summary.modes.keys().next() else {
        return ["No question was asked.".to_owned(), "There is nothing to believe.".to_owned()];
    };
    let mut losses = vec![losses(evaluation, mode)];
    losses.extend(differences(evaluation));
    [decisions(evaluation, mode), losses.join(" ")]
}

fn decisions(evaluation: &Evaluation, mode: &str) -> String {
    let table = evaluation.summary.abstention.get(mode).copied().unwrap_or_default();
    let rows: Vec<&Row> = evaluation.rows.iter().filter(|row| row.mode == mode).collect();
    let mut out = vec![match decided(&table) {
        Some(decided) => format!("In mode {mode}, {decided}."),
        None => format!("In mode {mode}, no label says which questions the papers answer."),
    }];
    let checked: Vec<bool> = rows.iter().filter_map(|row| is_right(row)).collect();
    let answers = rows.iter().filter(|row| row.no_evidence == Some(false)).count();
    out.push(match (checked.len(), answers) {
        (_, 0) => "No question was answered.".to_owned(),
        (0, _) => "Whether the answers are right was not checked.".to_owned(),
        (n, all) => {
            let right = checked.iter().filter(|right| **right).count();
            let unchecked = if n < all { format!("; {} were not checked", all - n) } else { String::new() };
            format!(
                "{right} of {} match the reference or a gold quote{unchecked}.",
                count(n, "checked answer")
            )
        }
    });
    if let (Some(own), Some(answer), Some(refuse)) =
        (table.accuracy, table.always_answer, table.always_refuse)
    {
        let word = if own < answer.max(refuse) { "only " } else { "" };
        out.push(format!(
            "No-evidence accuracy is {word}{own:.3}; always answering would score {answer:.3}, always refusing {refuse:.3}."
        ));
    }
    out.join(" ")
}

/// "65 of 105 answerable questions (52 to 71 %) were answered and 25 of 31 unanswerable ones (63 to 91 %) were refused".
fn decided(table: &Abstention) -> Option<String> {
    let part = |part: usize, rest: usize, of: &str| {
        let interval = wilson(part, part + rest)?;
        let (low, high) = (100.0 * interval.low, 100.0 * interval.high);
        Some(format!("{part} of {} {of} ({low:.0} to {high:.0} %)", part + rest))
    };
    let answered = part(table.answered_answerable, table.refused_answerable, "answerable questions");
    let refused = part(table.refused_unanswerable, table.answered_unanswerable, "unanswerable ones");
    let answered = answered.map(|answered| format!("{answered} were answered"));
    let refused = refused.map(|refused| format!("{refused} were refused"));
    let both: Vec<String> = answered.into_iter().chain(refused).collect();
    (!both.is_empty()).then(|| listed(&both))
}

fn losses(evaluation: &Evaluation, mode: &str) -> String {
    let Some(funnel) = evaluation.funnel.get(mode).filter(|funnel| funnel.quotes > 0) else {
        return "Where gold evidence is lost is not known, because no row has any.".to_owned();
    };
    let shown = funnel.stages.get("answer").map_or(0, |stage| stage.found);
    let Some((stage, lost)) = funnel.largest_loss() else {
        return "No gold evidence is lost.".to_owned();
    };
    let place = match stage {
        "candidates" => "in retrieval",
        "reranked" => "in reranking",
        "context" => "on the way into the context",
        _ => "between the context and the answer",
    };
    let refused = match funnel.refused {
        n if n > 0 && stage == "answer" => format!(", {n} of them by refusals"),
        _ => String::new(),
    };
    let all = count(funnel.quotes - shown, "gold quote");
    let verb = if lost == 1 { "is" } else { "are" };
    format!(
        "Of {all} that the answers do not show, {lost} {verb} lost {place}{refused}, more than at any other stage."
    )
}

/// Whether the modes differ; `None` for one mode.
fn differences(evaluation: &Evaluation) -> Option<String> {
    let [first, second] = evaluation.summary.compared.as_ref()?;
    let found = separating(evaluation).into_iter().map(|(spec, found)| {
        let delta = signed(found.delta.unwrap_or_default());
        let verdict = match (spec.direction, spec.direction.improves(found.delta.unwrap_or_default())) {
            (Direction::Neither, _) => "",
            (_, true) => ", better",
            (_, false) => ", worse",
        };
        format!("{} ({delta}{verdict}, p {})", plain(spec.title), crate::report::words::corrected(found))
    });
    let found: Vec<String> = found.collect();
    let how = format!("paired tests, p below {ALPHA} after Holm's correction");
    Some(match found.as_slice() {
        [] => format!("No metric differs significantly between {first} and {second} ({how})."),
        found => format!("{first} differs significantly from {second} in {} ({how}).", listed(found)),
    })
}

/// The metrics in which the two modes differ significantly, but for those that hold by construction or that a mode orders by.
fn separating(evaluation: &Evaluation) -> Vec<(&'static Spec, &Comparison)> {
    let extractive = evaluation.provenance.extractive();
    metrics::specs()
        // Vector search orders by the distance: that it is small there says nothing.
        .filter(|spec| !(extractive && spec.by_construction) && spec.key != "average_distance")
        .filter_map(|spec| Some((spec, evaluation.summary.comparison.get(spec.key)?)))
        .filter(|(_, found)| found.separates() && found.delta.is_some())
        .collect()
}

/// A title inside a sentence: "Gold recall, context" is "gold recall in the context".
fn plain(title: &str) -> String {
    let (first, rest) = title.split_at(title.chars().next().map_or(0, char::len_utf8));
    first.to_lowercase() + &rest.replace(", ", " in the ")
}

/// Whether the two modes chose from the same candidates, where they did for any question.
pub(super) fn same_candidates(evaluation: &Evaluation) -> Option<String> {
    let summary = &evaluation.summary;
    let [first, second] = summary.compared.as_ref()?;
    let same = summary.same_candidates.filter(|found| found.same > 0)?;
    let of = count(same.of, "question");
    Some(format!("{first} and {second} had the same candidates for {} of {of}.", same.same))
}

/// What a reader must know before trusting the numbers.
pub(crate) fn limits(evaluation: &Evaluation) -> Vec<String> {
    let mut out = Vec::new();
    if evaluation.provenance.extractive() {
        out.push(
            "Answers are sentences copied from the papers, so what is marked ≡ holds by construction: it is not a finding. A copied \
             sentence can still miss the question; gold evidence and right answers show that."
                .to_owned(),
        );
    }
    let judge = evaluation.provenance.models.get("judge");
    if !evaluation.provenance.extractive() && judge.is_some_and(|judge| judge.starts_with("lexical")) {
        out.push(OFFLINE_JUDGE.to_owned());
    }
    if evaluation.provenance.self_judged() {
        out.push(
            "The judge is the model that wrote the answers: its faithfulness verdicts are not independent."
                .to_owned(),
        );
    }
    let all = evaluation.rows.len();
    let of = |is_pending: bool| {
        evaluation.rows.iter().filter(|row| row.error.is_some() && row.pending == is_pending).count()
    };
    if of(true) > 0 {
        out.push(format!(
            "This run is not finished: {} of {all} rows wait for a verdict, because the judge could not be reached. Run the same \
             command again.",
            of(true)
        ));
    }
    if of(false) > 0 {
        out.push(format!(
            "{} of {all} rows are errors: they have no answer, or the judge gave no verdict.",
            of(false)
        ));
    }
    out
}

/// A mark for a metric that has its best value in every row, by construction for copied sentences: no finding.
pub(super) fn held(evaluation: &Evaluation, spec: &Spec, key: &str) -> &'static str {
    let values: Vec<f64> = evaluation.rows.iter().filter_map(|row| row.value(key)).collect();
    let is_best = !values.is_empty() && values.iter().all(|value| value.total_cmp(&best(spec)).is_eq());
    if evaluation.provenance.extractive() && spec.by_construction && is_best { " ≡" } else { "" }
}

/// The best value of a metric.
fn best(spec: &Spec) -> f64 {
    if spec.direction.improves(1.0) { spec.range.high } else { spec.range.low }
}
