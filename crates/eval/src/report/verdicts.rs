//! What may be said of two modes: computed from the tests, never a cause.

use super::Provenance;
use super::results::{difference, p_text};
use crate::metrics::{self, Spec};
use crate::{ALPHA, Comparison, Row, Summary};

/// One sentence for each metric, unescaped; empty when fewer than two modes were run.
pub fn verdicts(summary: &Summary, rows: &[Row], provenance: &Provenance) -> Vec<String> {
    let Some([first, second]) = &summary.compared else {
        return Vec::new();
    };
    metrics::specs()
        .filter_map(|metric| summary.comparison.get(metric.key).map(|found| (metric, found)))
        .map(|(metric, found)| {
            let said = if metric.by_construction && provenance.extractive() {
                by_construction(metric, rows)
            } else {
                verdict(metric, found, first, second)
            };
            format!("{}: {said}.", metric.title)
        })
        .collect()
}

fn verdict(metric: &Spec, found: &Comparison, first: &str, second: &str) -> String {
    let (Some(delta), Some(p)) = (found.delta, found.p) else {
        return "not compared, since no query has a value in both modes".to_owned();
    };
    let p_says = if p < 0.001 {
        format!("p {}", p_text(p))
    } else {
        format!("p = {}", p_text(p))
    };
    let numbers = format!(
        "delta {}, {p_says}, {} pairs, {} higher, {} lower, {}",
        difference(found),
        found.n_pairs,
        found.wins,
        found.losses,
        found.test.replace('_', " "),
    );
    if !found.separates() {
        return format!("no difference shown ({numbers})");
    }
    let word = if metric.direction.improves(delta) {
        "improved"
    } else {
        "degraded"
    };
    format!("{word} in {first} against {second} (p below {ALPHA}; {numbers})")
}

/// For an extractive generator: not a finding, and a defect where it fails.
fn by_construction(metric: &Spec, rows: &[Row]) -> String {
    let failing = rows
        .iter()
        .filter(|row| row.value(metric.key).is_some_and(|v| v < metric.range.high))
        .count();
    if failing == 0 {
        "holds by construction for copied sentences; not a finding".to_owned()
    } else {
        format!(
            "should hold by construction for copied sentences, but fails in {failing} rows: a defect, see the failure cases"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ordered, Score, summarise};

    fn rows(first: f64, second: f64, n: usize) -> Vec<Row> {
        let row = |at: usize, mode: &str, value: f64| {
            let mut scores = Ordered::default();
            scores.insert("gold_recall_answer", Score::value(value));
            scores.insert("faithful", Score::flag(value > 0.5));
            Row {
                query_id: at.to_string(),
                mode: mode.into(),
                scores,
                ..Row::default()
            }
        };
        (0..n)
            .flat_map(|at| [row(at, "hybrid", first), row(at, "vector", second)])
            .collect()
    }

    fn of(rows: &[Row], generator: &str, title: &str) -> String {
        let mut provenance = Provenance::default();
        provenance.models.insert("generator".into(), generator.into());
        let all = verdicts(&summarise("r", rows, 1), rows, &provenance);
        all.into_iter()
            .find(|v| v.starts_with(title))
            .expect("a sentence")
    }

    #[test]
    fn words_follow_the_test() {
        let check = |first: f64, second: f64, n: usize, title: &str, says: &str| {
            let said = of(&rows(first, second, n), "some-model", title);
            assert!(said.contains(says), "{said}");
        };
        check(
            0.9,
            0.3,
            10,
            "Gold recall, answer",
            "improved in hybrid against vector",
        );
        check(
            0.3,
            0.9,
            10,
            "Gold recall, answer",
            "degraded in hybrid against vector",
        );
        // The same difference in five pairs: 2 / 2^5 = 0.0625 does not separate.
        check(
            0.9,
            0.3,
            5,
            "Gold recall, answer",
            "no difference shown (delta +0.600",
        );
        check(0.9, 0.3, 5, "Gold recall, answer", "p = 0.062");
        check(0.9, 0.9, 10, "Gold recall, answer", "no difference shown");
        check(0.9, 0.9, 10, "Token F1", "not compared");
        assert!(verdicts(&summarise("r", &[], 1), &[], &Provenance::default()).is_empty());
    }

    #[test]
    fn what_holds_by_construction_is_no_finding() {
        let said = of(&rows(0.9, 0.9, 10), "extractive", "Faithful");
        assert!(said.contains("not a finding"), "{said}");
        let said = of(&rows(0.9, 0.3, 10), "extractive", "Faithful");
        assert!(
            said.contains("but fails in 10 rows") && !said.contains("improved"),
            "{said}"
        );
        let said = of(&rows(0.9, 0.3, 10), "extractive", "Gold recall, answer");
        assert!(said.contains("improved"), "{said}");
    }
}
