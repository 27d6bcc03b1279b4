//! The results of `bench guardrails`, for people.

use crate::{page::Page, words::value};
use lab::bench_guardrails::GuardrailsMeasured;

pub(super) fn page(done: &GuardrailsMeasured) -> Page {
    let mut page = Page::new();
    let (answers, papers, reworded) = (done.now.clean.answers, done.papers, done.now.clean.reworded);
    page.line(format!(
        "{answers} correct answers of three sentences from {papers} papers, {reworded} with a sentence in other words; copies \
         with one error each"
    ));
    page.gap();
    let earlier = |kind| done.phase2.kinds.get(kind).copied().unwrap_or_default();
    page.rows(&done.now.kinds)
        .column("error", |(kind, _)| kind.as_str().to_owned())
        .column("answers", |(_, now)| now.answers.to_string())
        .column("stripped", |(_, now)| now.stripped.to_string())
        .column("flagged", |(_, now)| now.flagged.to_string())
        .column("recall", |(_, now)| value(now.recall(), 3))
        .column("precision", |(_, now)| value(now.precision(), 3))
        .column("recall (phase2)", |(kind, _)| value(earlier(kind).recall(), 3))
        .column("precision (phase2)", |(kind, _)| {
            value(earlier(kind).precision(), 3)
        });
    if done.now.kinds.values().any(|kind| kind.answers < done.requested) {
        let requested = done.requested;
        page.line(format!(
            "fewer than {requested} answers: no sentence of the others can have that error"
        ));
    }
    page.heading("sentences of the correct answers");
    for (name, counts) in [("settings", &done.now.clean), ("phase2", &done.phase2.clean)] {
        let (all, stripped, flagged) = (counts.correct, counts.correct_stripped, counts.correct_flagged);
        let shares = [counts.wrongly_stripped(), counts.wrongly_flagged()];
        let [as_stripped, as_flagged] = shares.map(|share| value(share, 3));
        page.fact(
            format!("  {name}"),
            format!("{stripped} of {all} stripped ({as_stripped}), {flagged} flagged ({as_flagged})"),
        );
    }
    page.gap();
    for line in [
        "recall: share of the wrong sentences that were stripped or flagged, or whose citation was changed",
        "precision: share of the sentences so treated that are wrong",
    ] {
        page.line(line);
    }
    page.line(format!("seed {}, settings {}", done.seed, done.config_hash));
    page
}
