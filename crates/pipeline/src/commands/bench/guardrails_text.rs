//! The results of `bench guardrails` as text.

use lab::bench_guardrails::{Counts, GuardrailsMeasured, KindCounts};
use std::fmt::Write;

// Writing to a string cannot fail: the results of `writeln!` are dropped.
pub(super) fn text(done: &GuardrailsMeasured) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} correct answers of three sentences from {} papers, {} with a sentence in other words; copies with one error each\n",
        done.now.clean.answers, done.papers, done.now.clean.reworded
    );
    out.push_str("               guardrails of the settings                     preset phase2\n");
    out.push_str("error          answers  stripped  flagged  recall  precision  recall  precision\n");
    for (kind, now) in &done.now.kinds {
        let earlier = done.phase2.kinds.get(kind).copied().unwrap_or_default();
        let _ = writeln!(
            out,
            "{:<13}  {:>7}  {:>8}  {:>7}  {:>6}  {:>9}  {:>6}  {:>9}",
            kind.as_str(),
            now.answers,
            now.stripped,
            now.flagged,
            number(now.recall()),
            number(now.precision()),
            number(earlier.recall()),
            number(earlier.precision()),
        );
    }
    let fewer = done.now.kinds.values().any(|kind| kind.answers < done.requested);
    if fewer {
        let _ = writeln!(
            out,
            "fewer than {} answers: no sentence of the others can have that error",
            done.requested
        );
    }
    out.push_str("\nsentences of the correct answers\n");
    clean(&mut out, "settings", &done.now);
    clean(&mut out, "phase2", &done.phase2);
    let _ = writeln!(
        out,
        "\nrecall: share of the wrong sentences that were stripped or flagged, or whose citation was changed\n\
         precision: share of the sentences so treated that are wrong\nseed {}, settings {}",
        done.seed, done.config_hash
    );
    out
}

fn clean(out: &mut String, name: &str, counts: &Counts) {
    let KindCounts {
        correct,
        correct_stripped,
        correct_flagged,
        ..
    } = counts.clean;
    let _ = writeln!(
        out,
        "  {name:<9}  {correct_stripped} of {correct} stripped ({}), {correct_flagged} flagged ({})",
        number(counts.clean.wrongly_stripped()),
        number(counts.clean.wrongly_flagged()),
    );
}

fn number(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{share:.3}"))
}
