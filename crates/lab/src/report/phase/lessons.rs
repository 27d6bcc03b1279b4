//! Section 8: what worked, what did not, and what follows, each with its number.

use super::enhancement::{by_frequency, mitigation};
use crate::report::evaluation::{CARD, guardrail_actions};
use crate::report::page::Page;
use crate::report::words::count;
use eval::report::Evaluation;

/// A mean of the card from which it counts as working.
const GOOD: f64 = 0.9;
/// Failure modes from which advice is drawn.
const ADVICE: usize = 3;

pub(super) fn add(page: &mut Page, evaluation: &Evaluation) {
    let (mut worked, mut did_not) = decided(evaluation);
    let acted = guardrail_actions(&evaluation.rows);
    if !acted.is_empty() {
        worked.push(format!("Guardrails acted on answers before they were shown: {acted}."));
    }
    for (mode, funnel) in evaluation.funnel.iter() {
        if let Some((stage, lost)) = funnel.largest_loss() {
            let of = count(funnel.quotes, "gold quote");
            did_not.push(format!(
                "Mode {mode} loses most gold evidence before the stage {stage}: {lost} of {of}."
            ));
        }
    }
    let frequent = by_frequency(evaluation);
    let advice = || frequent.iter().take(ADVICE);
    did_not.extend(advice().map(|(failure, n)| format!("{}: {}.", failure.title(), count(*n, "row"))));
    for (heading, sentences) in [("What worked", worked), ("What did not work", did_not)] {
        page.subheading(heading);
        if sentences.is_empty() {
            page.line("Nothing that was measured.");
        }
        for sentence in sentences {
            page.item(sentence);
        }
    }
    page.subheading("What to do next");
    for (at, (mode, _)) in advice().enumerate() {
        page.entry(at + 1, format!("{}: {}.", mode.title(), mitigation(*mode)));
    }
    page.line(if frequent.is_empty() {
        "No row has a failure mode: ask harder questions, or more of them."
    } else {
        "Choose values on questions that take no part in the choice: pipeline sweep."
    });
}

/// The card's metrics and the decisions: what worked, and what did not.
fn decided(evaluation: &Evaluation) -> (Vec<String>, Vec<String>) {
    let (mut worked, mut did_not) = (Vec::new(), Vec::new());
    let mut tell = |good: bool, sentence: String| {
        if good {
            worked.push(sentence);
        } else {
            did_not.push(sentence);
        }
    };
    for key in CARD {
        let title = eval::metrics::title(key);
        for (mode, metrics) in evaluation.summary.modes.iter() {
            if let Some(mean) = metrics.get(key).and_then(|metric| metric.mean) {
                let by_construction = evaluation.provenance.extractive() && key != "no_evidence_accuracy";
                let why = if by_construction { ", by construction for copied sentences" } else { "" };
                tell(mean >= GOOD, format!("{title} is {mean:.3} in mode {mode}{why}."));
            }
        }
    }
    for (mode, t) in evaluation.summary.abstention.iter() {
        let all =
            [t.refused_unanswerable + t.answered_unanswerable, t.refused_answerable + t.answered_answerable];
        let (refused, wrongly) = (t.refused_unanswerable, t.refused_answerable);
        if all[0] > 0 {
            let of = count(all[0], "unanswerable question");
            tell(2 * refused > all[0], format!("Mode {mode} refused {refused} of {of}."));
        }
        if wrongly > 0 {
            let of = count(all[1], "answerable question");
            tell(false, format!("Mode {mode} refused {wrongly} of {of}."));
        }
    }
    (worked, did_not)
}
