//! The results of `bench answers`, for people.

use crate::commands::figures::{counted, mean, tested};
use crate::words::{count, thousands};
use lab::bench_answers::{AnswerMeasure, AnswersRun, Bin, Decisions};
use std::fmt::Write;
use types::path_text;

// Writing to a string cannot fail: the results of `writeln!` are dropped.
pub(super) fn text(done: &AnswersRun) -> String {
    let mut out = String::new();
    let own = if done.own_paper {
        ", each asked of its own paper"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "{}: {} about {}, {}{own}\n",
        done.dataset,
        count(done.questions as u64, "answerable question"),
        count(done.documents as u64, "paper"),
        done.mode,
    );
    funnel(&mut out, done);
    baselines(&mut out, done);
    against(&mut out, done);
    decisions(&mut out, done);
    reliability(&mut out, done);
    if done.left_out > 0 {
        let _ = writeln!(
            out,
            "\nleft out: {} without labels, or whose evidence cannot be located",
            count(done.left_out as u64, "question")
        );
    }
    if done.in_no_chunk > 0 {
        let _ = writeln!(
            out,
            "\n{} whose evidence is in no chunk: they count as not found",
            count(done.in_no_chunk as u64, "question")
        );
    }
    let indexed = &done.indexed;
    let _ = writeln!(
        out,
        "\nanswers: {:.1} quotes, {:.0} words; {:.0} ms per question",
        done.quotes, done.words, done.milliseconds
    );
    let _ = writeln!(
        out,
        "index: {} ({}, {}; {} added in {:.1} s)",
        path_text::shown(&indexed.dir),
        count(indexed.documents as u64, "paper"),
        count(indexed.chunks as u64, "chunk"),
        thousands(indexed.added as u64),
        indexed.seconds
    );
    out
}

/// Where evidence is lost: one line for each stage.
fn funnel(out: &mut String, done: &AnswersRun) {
    for measure in AnswerMeasure::ALL {
        let says = match measure {
            AnswerMeasure::Candidates => "evidence in a candidate of retrieval",
            AnswerMeasure::Kept => "in a passage that the reranker kept",
            AnswerMeasure::Context => "in the expanded context",
            AnswerMeasure::Hit5 => "in one of the five best sentences",
            AnswerMeasure::Hit3 => "in one of the three best sentences",
            AnswerMeasure::Hit1 => "in the best sentence",
            AnswerMeasure::Answer => "shown by the answer",
            AnswerMeasure::First => "shown by its first quote",
            AnswerMeasure::Recall5 => "share of the evidence in the five best sentences",
            AnswerMeasure::Recall => "share of the evidence that the answer shows",
            AnswerMeasure::Answered => "not refused",
        };
        let value = done.measures.get(measure.key()).map_or_else(String::new, mean);
        let _ = writeln!(out, "{:<12}{value:<24}{says}", measure.key());
    }
}

fn baselines(out: &mut String, done: &AnswersRun) {
    if done.baselines.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nplain baselines, the best sentences of all papers:");
    for (baseline, measures, comparison) in &done.baselines {
        let values: Vec<String> = measures
            .iter()
            .filter_map(|(key, summary)| Some(format!("{key} {:.4}", summary.mean?)))
            .collect();
        let _ = writeln!(out, "  {:<10}{}", baseline.key(), values.join(", "));
        for key in [AnswerMeasure::Hit5.key(), AnswerMeasure::Hit1.key()] {
            if let Some(compared) = comparison.get(key) {
                let _ = writeln!(
                    out,
                    "            pipeline - {}: {}",
                    baseline.key(),
                    tested(key, compared, "question", "questions")
                );
            }
        }
    }
}

fn against(out: &mut String, done: &AnswersRun) {
    let Some(against) = &done.against else {
        return;
    };
    let _ = writeln!(
        out,
        "\nthis run - earlier run, and p of a paired randomisation test (by paper):"
    );
    for (key, compared) in against.iter() {
        let _ = writeln!(out, "  {}", tested(key, compared, "question", "questions"));
    }
}

fn decisions(out: &mut String, done: &AnswersRun) {
    let mut line = |decisions: &Decisions, what: &str| {
        let Some(balanced) = decisions.balanced_accuracy() else {
            return;
        };
        let _ = writeln!(
            out,
            "  {what}: {} of {} refused; {} of {} answerable ones answered; balanced accuracy {balanced:.3}",
            thousands(decisions.refused as u64),
            counted(decisions.unanswerable, "question", "questions"),
            thousands(decisions.answered as u64),
            thousands(decisions.answerable as u64),
        );
    };
    if done
        .unanswerable
        .balanced_accuracy()
        .or(done.removed.balanced_accuracy())
        .is_none()
    {
        return;
    }
    line(&done.unanswerable, "\nrefusal\n  labelled as unanswerable");
    line(&done.removed, "without the papers that answer them");
}

fn reliability(out: &mut String, done: &AnswersRun) {
    let reliability = &done.reliability;
    if reliability.levels.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\nconfidence of all answers, and how many show labelled evidence:"
    );
    let mut line = |bin: &Bin| {
        let share = bin.right as f64 / bin.answers.max(1) as f64;
        let stated = bin
            .stated
            .map_or_else(String::new, |p| format!(", stated {p:.2}"));
        let _ = writeln!(
            out,
            "  {:<12}{} of {} right ({share:.2}){stated}",
            bin.name, bin.right, bin.answers
        );
    };
    reliability.levels.iter().for_each(&mut line);
    reliability.tenths.iter().for_each(&mut line);
    if let Some(share) = reliability.high_of_right {
        let _ = writeln!(
            out,
            "  {:.0} % of the right answers are of high confidence",
            100.0 * share
        );
    }
}
