//! What is folded away: all metrics, groups, guardrails, time, settings.

use super::verdict::held;
use super::{GOLD_IN_ANSWER, GOLD_IN_CONTEXT, by_question, of_mode, settings, time};
use crate::report::page::{Line, Page};
use crate::report::words::{NONE, corrected, difference_of, mean_of, or_none, p_text, value};
use eval::controls::{Control, Controls};
use eval::metrics::{self, Column, Direction, Range};
use eval::paired::{pairs_of, won_and_lost};
use eval::report::{Evaluation, guardrail_name};
use eval::{FEW, Groups, Ordered, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Metrics of groups of questions.
const GROUPED: [&str; 5] = ["coverage", "unanswerable_accuracy", "matched", GOLD_IN_CONTEXT, GOLD_IN_ANSWER];
/// Most ids of a list; the rest is counted.
const MOST_IDS: usize = 20;

pub(super) fn add(page: &mut Page, evaluation: &Evaluation) {
    page.folded("All metrics", all_metrics(evaluation));
    page.folded("Groups of questions", groups(evaluation));
    let acted = guardrail_actions(&evaluation.rows);
    let mut guardrails =
        Page::from(Line::from(if acted.is_empty() { "No guardrail acted." } else { acted.as_str() }));
    removed_terms(&mut guardrails, evaluation);
    page.folded("Guardrails", guardrails);
    page.folded("Time and cost", time::page(evaluation));
    page.folded("Settings", settings::page(evaluation));
}

/// What questions of each type test.
const PURPOSES: [(&str, &str); 3] = [
    ("direct", "a fact of one paper: is its passage found and quoted?"),
    ("synthesis", "evidence from several papers: is each part found?"),
    ("edge", "no answer, a wrong premise or an unusual form: is the answer withheld or limited?"),
];

/// The questions by type.
pub(crate) fn query_set(rows: &[Row]) -> Page {
    let questions: Vec<&Row> = by_question(rows).into_iter().map(|rows| rows[0]).collect();
    let mut kinds: Vec<&str> = PURPOSES.map(|(kind, _)| kind).to_vec();
    kinds.extend(questions.iter().map(|row| row.kind.as_str()));
    let mut seen = BTreeSet::new();
    kinds.retain(|kind| seen.insert(*kind) && questions.iter().any(|row| row.kind == *kind));
    kinds.push("all");
    let of = |kind: &str, label: Option<Option<bool>>| {
        let own = questions.iter().filter(|row| kind == "all" || row.kind == kind);
        own.filter(|row| label.is_none_or(|label| row.expected_no_evidence == label)).count().to_string()
    };
    let purpose =
        |kind: &str| PURPOSES.iter().find(|(own, _)| *own == kind).map_or("", |(_, purpose)| purpose);
    let mut page = Page::new();
    page.rows(kinds)
        .caption("Questions by type")
        .column("Type", |kind| (*kind).to_owned())
        .column("Questions", |kind| of(kind, None))
        .column("Answerable", |kind| of(kind, Some(Some(false))))
        .column("Unanswerable", |kind| of(kind, Some(Some(true))))
        .column("Not labelled", |kind| of(kind, Some(None)))
        .column("Purpose", |kind| purpose(kind).to_owned());
    page
}

fn all_metrics(evaluation: &Evaluation) -> Page {
    let mut page = Page::new();
    metric_table(&mut page, evaluation, metrics::stage(false).collect());
    let lower = metrics::specs().filter(|spec| spec.direction == Direction::Lower);
    let lower: Vec<&str> = lower.map(|spec| spec.title).collect();
    page.line(format!(
        "Means with 95 % intervals and n, the rows with a value. Lower is better: {}. ≡: the best value in every row, by \
         construction for copied sentences. Differences are over the questions that have a value in both modes. Intervals: Wilson \
         for rates, a seeded bootstrap for other means. Tests: exact McNemar for rates, paired randomisation for the rest, two-sided, \
         after Holm's correction over the metrics that can differ. The command \"pipeline metrics\" defines each.",
        lower.join(", ")
    ));
    page
}

fn metric_table(page: &mut Page, evaluation: &Evaluation, columns: Vec<Column>) {
    let summary = &evaluation.summary;
    let mut rows = page.rows(columns).caption("All metrics").column("Metric", |column| {
        column.spec().title.to_owned() + held(evaluation, column.spec(), &column.key())
    });
    for (mode, metrics) in summary.modes.iter() {
        rows = rows.column(mode, |column| or_none(metrics.get(&column.key()), mean_of));
    }
    if let Some([first, second]) = &summary.compared {
        let found = |column: &Column| summary.comparison.get(&column.key());
        rows.column(format!("{first} − {second}"), |column| or_none(found(column), difference_of))
            .column("p (Holm)", |column| or_none(found(column), corrected));
    }
}

/// For each metric in which a question differs, its title, the ids for which the first mode is better, and those for which the
/// second is.
pub(crate) fn better_by_id(
    evaluation: &Evaluation,
    first: &str,
    second: &str,
) -> Vec<(&'static str, [Vec<String>; 2])> {
    let [first, second] = [first, second].map(|mode| of_mode(evaluation, mode).collect::<Vec<_>>());
    let pairs = pairs_of(&first, &second);
    let metrics = metrics::specs().filter(|spec| spec.range == Range::UNIT);
    let each = metrics.map(|spec| (spec.title, won_and_lost(&pairs, spec.key, spec.direction)));
    each.filter(|(_, both)| both.iter().any(|ids| !ids.is_empty())).collect()
}

/// By type and language; tags are in `eval.json`.
fn groups(evaluation: &Evaluation) -> Page {
    let summary = &evaluation.summary;
    let mut page = Page::new();
    for (what, by_mode) in [("Type", &summary.types), ("Language", &summary.languages)] {
        group_table(&mut page, what, by_mode);
    }
    page
}

fn group_table(page: &mut Page, what: &str, by_mode: &Ordered<Groups>) {
    let mut seen = BTreeSet::new();
    let names = by_mode.iter().flat_map(|(_, groups)| groups.keys()).filter(|name| seen.insert(*name));
    let names: Vec<&str> = names.collect();
    if let [only] = names.as_slice() {
        // The same numbers as those of all questions.
        page.line(format!("{what}: {only} for every question."));
        return;
    }
    let is_few =
        |name: &&str| by_mode.iter().all(|(_, groups)| groups.get(name).is_none_or(|group| group.few));
    let (few, enough): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_few);
    let lines =
        enough.iter().flat_map(|name| by_mode.iter().map(move |(mode, groups)| (*name, mode, groups)));
    let lines: Vec<_> =
        lines.filter_map(|(name, mode, groups)| Some((name, mode, groups.get(name)?))).collect();
    if !lines.is_empty() {
        let mut rows = page
            .rows(lines)
            .caption(format!("Means by {}, with n", what.to_lowercase()))
            .column(what, |(name, _, group)| format!("{name} ({})", group.queries))
            .column("Mode", |(_, mode, _)| (*mode).to_owned());
        for key in GROUPED {
            let title = metrics::title(key);
            rows = rows.column(title, |(_, _, group)| match group.metrics.get(key) {
                Some(metric) if metric.n > 0 => format!("{} ({})", value(metric.mean, 2), metric.n),
                _ => NONE.to_owned(),
            });
        }
    }
    if !few.is_empty() {
        page.line(format!("Fewer than {FEW} questions each, in eval.json only: {}.", few.join(", ")));
    }
}

/// How often each guardrail did what: "entity stripped (hybrid) 8"; empty where none acted.
pub(crate) fn guardrail_actions(rows: &[Row]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        for action in &row.guardrails {
            let what = format!("{} {} ({})", guardrail_name(action.guardrail), action.action, row.mode);
            *counts.entry(what).or_default() += 1;
        }
    }
    let each = counts.iter().map(|(what, n)| format!("{what} {n}"));
    each.collect::<Vec<_>>().join(", ")
}

/// The terms that the entity check did not find in the context.
pub(crate) fn removed_terms(page: &mut Page, evaluation: &Evaluation) {
    if evaluation.removed_terms.is_empty() {
        page.line("The entity check removed no term.");
        return;
    }
    page.rows(evaluation.removed_terms.iter().take(MOST_IDS))
        .caption("Terms that are not in the context")
        .column("Question", |of| of.query_id.clone())
        .column("Mode", |of| of.mode.clone())
        .column("Removed with their sentences", |of| of.removed.join(", "))
        .column("Flagged", |of| of.flagged.join(", "));
    let more = evaluation.removed_terms.len().saturating_sub(MOST_IDS);
    page.tally(more, "more row", "in eval.json");
}

/// The control systems: one line for each check, and what they come to.
pub fn controls(page: &mut Page, controls: &Controls) {
    page.rows(&controls.checks)
        .caption("Control systems")
        .column("Control system", |check| check.control.title().to_owned())
        .column("Metric", |check| check.title().to_owned())
        .column("Default", |check| value(check.default.mean, 3))
        .column("Control", |check| value(check.bad.mean, 3))
        .column("Difference", |check| difference_of(&check.difference))
        .column("p (Holm)", |check| p_text(check.p_holm))
        .column("n", |check| check.difference.n_pairs.to_string())
        .column("Detected", |check| {
            let said = match (check.told_apart, check.control.games()) {
                (true, _) => "yes",
                (false, true) => "NO: preferred",
                (false, false) => "NO",
            };
            said.to_owned()
        });
    let missed: Vec<&str> = controls.missed().into_iter().map(Control::title).collect();
    page.line(if missed.is_empty() {
        "Every system with a fault scores significantly lower: the query set detects all six faults.".to_owned()
    } else {
        format!(
            "Not detected: {}. The query set is too small or too easy to show this fault, or the system under test has it too.",
            missed.join(", ")
        )
    });
    let preferred: Vec<&str> = controls.preferred().into_iter().map(Control::title).collect();
    if controls.checks.iter().any(|check| check.control.games()) {
        page.line(if preferred.is_empty() {
            "The judge prefers none of the four answers that try to please it.".to_owned()
        } else {
            format!(
                "The judge is unfit: it scores answers that only try to please it significantly higher than the real ones: {}.",
                preferred.join(", ")
            )
        });
    }
    page.line(format!(
        "Systems with a built-in fault answered the same questions in mode {}. p is paired, two-sided and corrected for all lines \
         together (Holm).",
        controls.mode
    ));
}
