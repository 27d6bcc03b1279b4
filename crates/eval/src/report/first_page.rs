//! The first page: what was asked, how it was answered, what separates the modes, what to make of it.
//!
//! Sentences are plain text, so that a terminal can show them as they are and Markdown can escape them.

use super::results::{NONE, signed};
use super::verdict::verdict;
use super::{Evaluation, Grid, escape};
use crate::metrics;
use crate::stats::wilson;
use crate::{ALPHA, Row, Summary};
use std::collections::BTreeMap;
use std::fmt::Write;
use types::{AnswerOutcome, Spent};

/// How a title says that its metric is no finding.
const BY_CONSTRUCTION: &str = " (by construction)";
/// Below so many questions of a kind, the page says what that number can show.
const SMALL: usize = 30;
/// The metrics that the page shows, with titles for readers who know none of them; all others are in section 3.
const SHOWN: [(&str, &str); 5] = [
    ("gold_recall_context", "Gold evidence in the context"),
    ("gold_recall_answer", "Gold evidence in the answer"),
    ("token_f1", "Word overlap with the reference answer (F1)"),
    ("citation_precision", "Citations that point to the context"),
    ("faithful", "Answers supported by what they cite"),
];

/// What the page calls a stage whose language model failed, so that an offline method or nothing did its work.
const FALLBACKS: [(&str, &str); 3] = [
    (Spent::RERANK, "Reranked by the fallback"),
    (Spent::PLAN, "Further searches not planned"),
    (Spent::GENERATE, "Sentences chosen by the fallback"),
];

/// Section 1. (Writing to a string cannot fail: the results of `write!` are dropped.)
pub(super) fn section(evaluation: &Evaluation) -> String {
    // What holds by construction is said below, and is no outcome.
    let mut outcomes = outcomes(evaluation);
    outcomes.rows.retain(|cells| !cells[0].ends_with(BY_CONSTRUCTION));
    let mut out = format!(
        "## 1. Verdict\n\n{}\n\n{}\n\n{}",
        escape(&verdict(evaluation).join(" ")),
        escape(&asked(evaluation)),
        outcomes.markdown()
    );
    let compared = compared(evaluation);
    if !compared.is_empty() {
        out.push_str("\n**The modes compared**\n\n");
        for sentence in compared {
            let _ = writeln!(out, "- {}", escape(&sentence));
        }
    }
    let limits = limits(evaluation);
    if !limits.is_empty() {
        out.push_str("\n**What to keep in mind**\n\n");
        for sentence in limits {
            let _ = writeln!(out, "- {}", escape(&sentence));
        }
    }
    out
}

/// What was asked, in which modes.
pub(super) fn asked(evaluation: &Evaluation) -> String {
    let mut kinds: BTreeMap<&str, Option<bool>> = BTreeMap::new();
    for row in &evaluation.rows {
        kinds.insert(&row.query_id, row.expected_no_evidence);
    }
    let of = |kind: Option<bool>| kinds.values().filter(|k| **k == kind).count();
    let (answerable, unanswerable, unknown) = (of(Some(false)), of(Some(true)), of(None));
    let modes: Vec<&str> = evaluation.summary.modes.keys().collect();
    let asked = format!(
        "{} {} asked in {} {}",
        counted(kinds.len(), "question"),
        if kinds.len() == 1 { "was" } else { "were" },
        if modes.len() == 1 { "mode" } else { "modes" },
        modes.join(" and "),
    );
    match (answerable + unanswerable, unknown) {
        (0, _) => format!("{asked}. No label says which of them the papers answer."),
        (_, 0) => format!("{asked}: the papers answer {answerable} and do not answer {unanswerable}."),
        _ => format!(
            "{asked}: the papers answer {answerable} and do not answer {unanswerable}; {unknown} have no label."
        ),
    }
}

/// The outcomes that matter most, one column a mode.
pub(super) fn outcomes(evaluation: &Evaluation) -> Grid {
    let summary = &evaluation.summary;
    let modes: Vec<&str> = summary.modes.keys().collect();
    let mut grid = Grid::new(std::iter::once("").chain(modes.iter().copied()));
    let mut line = |title: &str, cell: &dyn Fn(&str) -> String| {
        grid.push(std::iter::once(title.to_owned()).chain(modes.iter().map(|mode| cell(mode))));
    };
    let table = |mode: &str| summary.abstention.get(mode).copied().unwrap_or_default();
    let labelled = modes.iter().any(|mode| table(mode).n > 0);
    if labelled {
        line("Answerable questions answered", &|mode| {
            let t = table(mode);
            part(
                t.answered_answerable,
                t.answered_answerable + t.refused_answerable,
            )
        });
        line("Unanswerable questions refused", &|mode| {
            let t = table(mode);
            part(
                t.refused_unanswerable,
                t.refused_unanswerable + t.answered_unanswerable,
            )
        });
        line("Balanced accuracy (0.5 is chance)", &|mode| {
            table(mode)
                .balanced_accuracy
                .map_or_else(|| NONE.to_owned(), |share| format!("{share:.3}"))
        });
    }
    let partial = |mode: &str| {
        let of_mode = evaluation.rows.iter().filter(|row| row.mode == mode);
        of_mode
            .filter(|row| row.outcome == Some(AnswerOutcome::Partial))
            .count()
    };
    if modes.iter().any(|mode| partial(mode) > 0) {
        line("Answers marked as partial", &|mode| partial(mode).to_string());
    }
    let failed = |mode: &str| {
        let of_mode = evaluation.rows.iter().filter(|row| row.mode == mode);
        of_mode.filter(|row| row.error.is_some() && !row.pending).count()
    };
    let pending = |mode: &str| {
        let of_mode = evaluation.rows.iter().filter(|row| row.mode == mode);
        of_mode.filter(|row| row.pending).count()
    };
    if modes.iter().any(|mode| failed(mode) > 0) {
        line("Errors", &|mode| failed(mode).to_string());
    }
    if modes.iter().any(|mode| pending(mode) > 0) {
        line("Pending (no verdict yet)", &|mode| pending(mode).to_string());
    }
    for (stage, title) in FALLBACKS {
        let of_mode = |mode: &str| evaluation.rows.iter().filter(|row| row.mode == mode).count();
        let fell_back = |mode: &str| {
            let rows = evaluation.rows.iter().filter(|row| row.mode == mode);
            rows.filter(|row| row.fallbacks.iter().any(|own| own == stage))
                .count()
        };
        if modes.iter().any(|mode| fell_back(mode) > 0) {
            line(title, &|mode| part(fell_back(mode), of_mode(mode)));
        }
    }
    for (key, title) in SHOWN {
        let mean = |mode: &str| summary.modes.get(mode)?.get(key)?.mean;
        if modes.iter().all(|mode| mean(mode).is_none()) {
            continue;
        }
        let title = if evaluation.provenance.extractive() && by_construction(key) {
            format!("{title}{BY_CONSTRUCTION}")
        } else {
            title.to_owned()
        };
        line(&title, &|mode| {
            mean(mode).map_or_else(|| NONE.to_owned(), |mean| format!("{mean:.3}"))
        });
    }
    grid
}

/// What the paired tests say of the two modes; empty for one mode.
pub(super) fn compared(evaluation: &Evaluation) -> Vec<String> {
    let summary = &evaluation.summary;
    let Some([first, second]) = &summary.compared else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let extractive = evaluation.provenance.extractive();
    for metric in metrics::specs().filter(|m| !(extractive && m.by_construction)) {
        let Some(found) = summary.comparison.get(metric.key).filter(|c| c.separates()) else {
            continue;
        };
        let (Some(delta), Some(p)) = (found.delta, found.p) else {
            continue;
        };
        let word = if delta > 0.0 { "higher" } else { "lower" };
        out.push(format!(
            "{} is significantly {word} in mode {first} than in mode {second}: {} ({} pairs, p = {p:.3}).",
            metric.title,
            signed(delta),
            found.n_pairs
        ));
    }
    if out.is_empty() {
        out.push(format!(
            "No metric differs significantly between {first} and {second} (paired tests, p below {ALPHA})."
        ));
    }
    out.extend(same_candidates(summary));
    out
}

/// Whether the two modes chose from the same candidates, where they did for any question.
pub(super) fn same_candidates(summary: &Summary) -> Option<String> {
    let [first, second] = summary.compared.as_ref()?;
    let found = summary.same_candidates.filter(|found| found.same > 0)?;
    let sentence = format!(
        "{first} and {second} had the same candidates for {} of {}",
        found.same,
        counted(found.of, "question")
    );
    Some(if found.same == found.of {
        format!("{sentence}: the modes found the same chunks and could only order them differently.")
    } else {
        format!("{sentence}.")
    })
}

/// What a reader must know before trusting the numbers.
pub(super) fn limits(evaluation: &Evaluation) -> Vec<String> {
    let mut out = Vec::new();
    if evaluation.provenance.extractive() {
        out.push(
            "Answers are sentences copied from the papers, so citation precision, quote accuracy, claim support, \
             faithfulness and groundedness hold by construction: they are not a finding. A copied sentence can still \
             miss the question; gold evidence and word overlap show that."
                .to_owned(),
        );
    }
    if evaluation.provenance.self_judged() {
        out.push(
            "The judge is the model that wrote the answers: its faithfulness verdicts are not independent."
                .to_owned(),
        );
    }
    let pending = evaluation.rows.iter().filter(|row| row.pending).count();
    if pending > 0 {
        let all = evaluation.rows.len();
        out.push(format!(
            "This run is not finished: {pending} of {all} rows wait for a verdict, because the judge could not be reached. \
             Run the same command again."
        ));
    }
    let failed = evaluation
        .rows
        .iter()
        .filter(|row| row.error.is_some() && !row.pending)
        .count();
    if failed > 0 {
        let all = evaluation.rows.len();
        out.push(format!(
            "{failed} of {all} rows are errors: they have no answer, or the judge gave no verdict."
        ));
    }
    for (kind, expected) in [("answerable", false), ("unanswerable", true)] {
        out.extend(few(&evaluation.rows, kind, expected));
    }
    out
}

/// What a small number of questions of a kind can show.
fn few(rows: &[Row], kind: &str, expected: bool) -> Option<String> {
    let of_kind = rows
        .iter()
        .filter(|row| row.expected_no_evidence == Some(expected));
    let ids: std::collections::BTreeSet<&str> = of_kind.map(|row| row.query_id.as_str()).collect();
    let n = ids.len();
    let interval = wilson(n, n).filter(|_| n < SMALL)?;
    Some(format!(
        "There are only {n} {kind} questions: even if all were decided rightly, the true rate could be as low as {:.2} \
         (95 % interval).",
        interval.low
    ))
}

fn by_construction(key: &str) -> bool {
    metrics::find(key).is_some_and(|column| column.spec().by_construction)
}

fn part(part: usize, whole: usize) -> String {
    if whole == 0 {
        NONE.to_owned()
    } else {
        format!("{part} of {whole}")
    }
}

fn counted(number: usize, noun: &str) -> String {
    crate::words::plural(number, noun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Provenance;
    use crate::{Ordered, Score};

    fn row(id: usize, mode: &str, refused: bool, expected: bool, candidates: &str) -> Row {
        let mut scores = Ordered::default();
        scores.insert(
            "gold_recall_context",
            Score::value(if mode == "a" { 1.0 } else { 0.0 }),
        );
        Row {
            query_id: id.to_string(),
            mode: mode.into(),
            no_evidence: Some(refused),
            expected_no_evidence: Some(expected),
            candidates_key: candidates.into(),
            scores,
            ..Row::default()
        }
    }

    fn page(rows: Vec<Row>) -> String {
        section(&Evaluation::new("r", rows, Provenance::default()))
    }

    #[test]
    fn every_metric_shown_is_known() {
        for (key, _) in SHOWN {
            assert!(metrics::find(key).is_some(), "{key}");
        }
    }

    #[test]
    fn the_page_counts_and_compares() {
        let rows: Vec<Row> = (0..10)
            .flat_map(|id| {
                let expected = id >= 7;
                [
                    row(id, "a", expected && id != 9, expected, "x"),
                    row(id, "b", expected, expected, if id < 4 { "x" } else { "y" }),
                ]
            })
            .collect();
        let text = page(rows);
        for says in [
            "10 questions were asked in modes a and b: the papers answer 7 and do not answer 3.",
            "| Answerable questions answered | 7 of 7 | 7 of 7 |",
            "| Unanswerable questions refused | 2 of 3 | 3 of 3 |",
            "Gold recall, context is significantly higher in mode a than in mode b: +1.000 (10 pairs, p = 0.002).",
            "a and b had the same candidates for 4 of 10 questions.",
            "only 3 unanswerable questions: even if all were decided rightly, the true rate could be as low as 0.44",
        ] {
            assert!(text.contains(says), "{says:?} is not in {text}");
        }
        assert!(!text.contains("are errors"), "{text}");
    }

    #[test]
    fn the_same_candidates_everywhere_are_explained() {
        let rows = |other: &str| -> Vec<Row> {
            (0..3)
                .flat_map(|id| [row(id, "a", false, false, "x"), row(id, "b", false, false, other)])
                .collect()
        };
        assert!(
            page(rows("x")).contains("same candidates for 3 of 3 questions: the modes found the same chunks")
        );
        assert!(!page(rows("y")).contains("same candidates"));
        // Nothing is known of candidates: nothing is said.
        assert!(!page(rows("")).contains("same candidates"));
    }

    #[test]
    fn fallbacks_are_counted() {
        let rows = |fallbacks: &[&str]| -> Vec<Row> {
            let fallbacks = fallbacks.iter().map(|stage| (*stage).to_owned()).collect();
            let first = Row {
                fallbacks,
                ..row(1, "a", false, false, "")
            };
            vec![
                first,
                row(2, "a", false, false, ""),
                row(1, "b", false, false, ""),
            ]
        };
        let text = page(rows(&["rerank"]));
        assert!(
            text.contains("| Reranked by the fallback | 1 of 2 | 0 of 1 |"),
            "{text}"
        );
        assert!(!text.contains("chosen by the fallback"), "{text}");
        let text = page(rows(&["plan"]));
        assert!(
            text.contains("| Further searches not planned | 1 of 2 | 0 of 1 |"),
            "{text}"
        );
        assert!(!page(rows(&[])).contains("fallback"));
    }

    #[test]
    fn errors_and_missing_labels_are_said() {
        let mut failed = row(1, "a", false, false, "");
        failed.error = Some("down".into());
        let text = page(vec![failed, row(2, "a", false, false, "")]);
        assert!(text.contains("| Errors | 1 |"), "{text}");
        assert!(
            text.contains("1 of 2 rows are errors: they have no answer"),
            "{text}"
        );
        assert!(text.contains("2 questions were asked in mode a:"), "{text}");
        let mut unlabelled = row(1, "a", false, false, "");
        unlabelled.expected_no_evidence = None;
        let text = page(vec![unlabelled]);
        assert!(
            text.contains("No label says which of them the papers answer."),
            "{text}"
        );
        assert!(!text.contains("Answerable questions answered"), "{text}");
    }
}
