//! The results of `bench guardrails`, for people.

use crate::{page::Page, words::value};
use lab::benchmark::guardrails::{BenchGuardrails, ErrorKind};

pub(super) fn page(done: &BenchGuardrails) -> Page {
    let mut page = Page::new();
    let (answers, papers, reworded) = (
        done.now.correct_answers.answers,
        done.papers,
        done.now.correct_answers.reworded,
    );
    page.line(format!(
        "{answers} correct answers of three sentences from {papers} papers, {reworded} with a sentence in other words; copies \
         with one error each"
    ));
    page.gap();
    let now = |kind: &ErrorKind| done.now.kinds.get(kind.as_str()).copied().unwrap_or_default();
    let earlier = |kind: &ErrorKind| done.phase2.kinds.get(kind.as_str()).copied().unwrap_or_default();
    page.rows(ErrorKind::ALL)
        .column("error", |kind| kind.as_str().to_owned())
        .column("answers", |kind| now(kind).answers.to_string())
        .column("removed", |kind| now(kind).stripped.to_string())
        .column("flagged", |kind| now(kind).flagged.to_string())
        .column("recall", |kind| value(now(kind).recall, 3))
        .column("precision", |kind| value(now(kind).precision, 3))
        .column("recall (phase2)", |kind| value(earlier(kind).recall, 3))
        .column("precision (phase2)", |kind| value(earlier(kind).precision, 3));
    if done.now.kinds.values().any(|kind| kind.answers < done.requested) {
        let requested = done.requested;
        page.line(format!(
            "fewer than {requested} answers: no sentence of the others can have that error"
        ));
    }
    page.heading("sentences of the correct answers");
    for (name, counts) in [
        ("settings", &done.now.correct_answers),
        ("phase2", &done.phase2.correct_answers),
    ] {
        let (all, stripped, flagged) = (counts.correct, counts.correct_stripped, counts.correct_flagged);
        let share = |part: usize| value((all > 0).then(|| part as f64 / all as f64), 3);
        let (as_stripped, as_flagged) = (share(stripped), share(flagged));
        page.fact(
            format!("  {name}"),
            format!("{stripped} of {all} removed ({as_stripped}), {flagged} flagged ({as_flagged})"),
        );
    }
    page.gap();
    for line in [
        "recall: share of the wrong sentences that were removed or flagged, or whose citation was changed",
        "precision: share of the sentences so treated that are wrong",
    ] {
        page.line(line);
    }
    page.line(format!("seed {}, settings {}", done.seed, done.config_hash));
    page
}
