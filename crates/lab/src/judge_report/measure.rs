//! From verdicts and labels to the numbers of the report.

use super::{
    ReportRequest, Verdicts,
    document::{JudgeComparison, JudgeDifference, JudgeExample, JudgeOnSet},
    sets::LabelledSet,
};
use crate::judging::JudgeScore;
use eval::agreement::{
    Confusion, Estimate, JudgedRow, PairedRow, Replicates, Statistic, bins, compare,
    expected_calibration_error, macro_estimates,
};
use std::collections::BTreeMap;

/// A judge on each set, and its means over the sets.
pub(super) fn on_sets(
    verdicts: &Verdicts,
    sets: &[LabelledSet],
    request: &ReportRequest,
    seed: u64,
) -> (Vec<JudgeOnSet>, BTreeMap<&'static str, Estimate>) {
    let (mut out, mut replicates) = (Vec::new(), Vec::new());
    for (set, lines) in sets.iter().zip(&verdicts.sets) {
        let rows: Vec<JudgedRow> = lines.iter().filter_map(judged).collect();
        let seed = eval::seed_of(seed, &set.name);
        let own = Replicates::new(&rows, seed);
        let mut confusion = Confusion::default();
        for row in &rows {
            confusion.add(row.label, row.verdict, 1);
        }
        let bins = bins(&rows);
        out.push(JudgeOnSet {
            set: set.name.clone(),
            rows: rows.len(),
            errors: lines.len() - rows.len(),
            clusters: own.clusters(),
            confusion,
            measures: by_name(own.estimates()),
            calibration_error: expected_calibration_error(&bins),
            bins,
            examples: examples(set, lines, request.examples),
        });
        replicates.push(own);
    }
    (out, by_name(macro_estimates(replicates.iter())))
}

/// Two judges on the rows that both judged.
pub(super) fn comparison(
    first: &Verdicts,
    second: &Verdicts,
    sets: &[LabelledSet],
    seed: u64,
) -> JudgeComparison {
    let (mut out, mut differences) = (Vec::new(), Vec::new());
    for (at, set) in sets.iter().enumerate() {
        let rows: Vec<PairedRow> = (first.sets[at].iter().zip(&second.sets[at]))
            .filter_map(|(first, second)| Some(PairedRow { first: judged(first)?, second: judged(second)? }))
            .collect();
        let found = compare(&rows, eval::seed_of(seed, &set.name));
        out.push(JudgeDifference {
            set: set.name.clone(),
            rows: found.rows,
            measures: by_name(found.estimates()),
            first_right: found.first_right,
            second_right: found.second_right,
            p: found.p,
        });
        differences.push(found);
    }
    JudgeComparison {
        first: first.name.clone(),
        second: second.name.clone(),
        sets: out,
        macro_mean: by_name(macro_estimates(differences.iter().map(|found| &found.own))),
    }
}

/// A line as a row; `None` without a verdict.
fn judged(line: &JudgeScore) -> Option<JudgedRow> {
    Some(JudgedRow {
        label: line.label == 1,
        score: line.line.score?,
        verdict: line.line.faithful? == 1,
        cluster: line.cluster,
    })
}

/// The mistakes whose scores are furthest from their labels.
fn examples(set: &LabelledSet, lines: &[JudgeScore], count: usize) -> Vec<JudgeExample> {
    let mut wrong: Vec<(f64, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, judged(line)?)))
        .filter(|(_, row)| row.label != row.verdict)
        .map(|(at, row)| ((row.score - f64::from(u8::from(row.label))).abs(), at))
        .collect();
    wrong.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let example = |(_, at): &(f64, usize)| {
        let (item, line) = (&set.rows[*at].item, &lines[*at]);
        JudgeExample {
            id: item.id.clone(),
            label: line.label,
            score: line.line.score.unwrap_or_default(),
            question: item.question.clone(),
            context: item.context.passages().to_vec(),
            response: item.response.clone(),
            claims: line.claims.clone(),
        }
    };
    wrong.iter().take(count).map(example).collect()
}

fn by_name(of: Vec<(Statistic, Estimate)>) -> BTreeMap<&'static str, Estimate> {
    of.into_iter().map(|(statistic, estimate)| (statistic.key(), estimate)).collect()
}
