//! Section 7: the first mode against the second.

use crate::report::evaluation::better_by_id;
use crate::report::page::Page;
use crate::report::words::{corrected, count, difference_of, value};
use eval::report::Evaluation;
use eval::{FailureMode, metrics};
use types::words::first_of;

/// The metrics that say whether an enhancement helps.
const JUDGED: [&str; 6] = [
    "faithful",
    "no_evidence_accuracy",
    "citation_precision",
    "matched",
    "gold_recall_context",
    "gold_recall_answer",
];
const IDS: usize = 20;

/// What acts on a failure mode, with the settings.
pub(super) fn mitigation(mode: FailureMode) -> &'static str {
    match mode {
        FailureMode::RetrievalMiss => {
            "hand on more candidates (retrieve.top_k), weigh BM25 otherwise (retrieve.vector_weight), or lower retrieve.min_similarity"
        }
        FailureMode::RerankingMiss => {
            "keep more chunks (rerank.top_n), or add more neighbours (expand.reach)"
        }
        FailureMode::SelectionMiss => "let answers have more sentences (generate.max_sentences)",
        FailureMode::RefusalDespiteEvidence => {
            "lower the threshold of refusal (guardrail.refuse_below), or fit it: pipeline calibrate"
        }
        FailureMode::AnswerWithoutEvidence => {
            "raise the threshold of refusal (guardrail.refuse_below), or fit it: pipeline calibrate"
        }
        FailureMode::UnsupportedClaim => {
            "verify each claim before the answer (guardrail.verify), and remove more (guardrail.remove_below)"
        }
        FailureMode::ForeignAttribution => {
            "check names against the context (guardrail.entities), and verify claims (guardrail.verify)"
        }
        FailureMode::EntityRemoved => {
            "select sentences instead of writing them (generate.method), or ground the prompt more strictly"
        }
    }
}

pub(super) fn add(page: &mut Page, evaluation: &Evaluation) {
    let summary = &evaluation.summary;
    let Some([first, second]) = &summary.compared else {
        let modes: Vec<&str> = summary.modes.keys().collect();
        page.line(format!(
            "All rows are of mode {}: there is nothing to compare. Evaluate the other mode with the same questions and settings, and \
             run this report again.",
            modes.join(", ")
        ));
        mitigations(page, evaluation);
        return;
    };
    let titles = JUDGED.map(|key| metrics::find(key).map_or("", |column| column.spec().title));
    let differ = better_by_id(evaluation, first, second);
    let judged = || differ.iter().filter(|(title, _)| titles.contains(title));
    for (heading, improved) in [("7.1 What improved", true), ("7.2 What regressed", false)] {
        page.subheading(heading);
        let ids = judged().map(|(title, [better, worse])| (title, if improved { better } else { worse }));
        let ids: Vec<_> = ids.filter(|(_, ids)| !ids.is_empty()).collect();
        if ids.is_empty() {
            page.line(format!("No question in mode {first} against mode {second}."));
        }
        for (title, ids) in ids {
            let (n, ids) = (count(ids.len(), "question"), first_of(ids, IDS));
            page.item(format!("{title}: {n} in mode {first} against mode {second}: {ids}"));
        }
    }
    page.subheading("7.3 Net assessment");
    let compared = JUDGED.into_iter().filter_map(|key| {
        let found = summary.comparison.get(key).filter(|found| found.n_pairs > 0)?;
        Some((metrics::find(key)?.spec(), found))
    });
    let compared: Vec<_> = compared.collect();
    page.rows(&compared)
        .caption(format!("{first} against {second}"))
        .column("Metric", |(spec, _)| spec.title.to_owned())
        .column(format!("{first} − {second}"), |(_, found)| difference_of(found))
        .column("Higher", |(_, found)| found.wins.to_string())
        .column("Lower", |(_, found)| found.losses.to_string())
        .column("p (Holm)", |(_, found)| corrected(found))
        .column("More questions needed", |(_, found)| {
            found.more_questions().map(|n| n.to_string()).unwrap_or_default()
        })
        .column("Significant", |(_, found)| if found.separates() { "yes" } else { "no" }.to_owned());
    let better: Vec<String> = compared
        .iter()
        .filter(|(_, found)| found.separates())
        .map(|(spec, found)| {
            let delta = found.delta.unwrap_or_default();
            let word = if spec.direction.improves(delta) { "improves" } else { "degrades" };
            format!("{first} {word} {} by {}.", spec.title.to_lowercase(), value(Some(delta.abs()), 3))
        })
        .collect();
    page.line(if better.is_empty() {
        format!(
            "No difference between {first} and {second} is significant: neither mode is shown to be better."
        )
    } else {
        better.join(" ")
    });
    mitigations(page, evaluation);
}

/// What to try against each failure mode.
fn mitigations(page: &mut Page, evaluation: &Evaluation) {
    page.subheading("Mitigations by failure mode");
    let rows = by_frequency(evaluation);
    if rows.is_empty() {
        page.line("No row has a failure mode.");
        return;
    }
    page.rows(rows)
        .caption("What acts on each failure mode")
        .column("Failure mode", |(mode, _)| mode.title())
        .column("Rows", |(_, n)| n.to_string())
        .column("What to try", |(mode, _)| mitigation(*mode).to_owned());
}

/// The failure modes with the number of rows that have them, the most frequent first.
pub(super) fn by_frequency(evaluation: &Evaluation) -> Vec<(FailureMode, usize)> {
    let rows =
        |mode: FailureMode| evaluation.rows.iter().filter(|row| row.failure_modes.contains(&mode)).count();
    let mut out: Vec<(FailureMode, usize)> =
        FailureMode::ALL.into_iter().map(|mode| (mode, rows(mode))).collect();
    out.retain(|(_, n)| *n > 0);
    out.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    out
}
