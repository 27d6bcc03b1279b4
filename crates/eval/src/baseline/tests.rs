//! Baselines by hand.

use super::*;
use crate::Score;
use std::fs;

fn row(id: usize, mode: &str, rank: Option<usize>, context: f64) -> Row {
    let mut scores = Ordered::default();
    scores.insert("gold_recall_context", Score::value(context));
    scores.insert("gold_recall_answer", Score::value(1.0 / 3.0));
    Row {
        query_id: format!("D{id:02}"),
        mode: mode.into(),
        gold_ranks: vec![rank],
        outcome: Some(AnswerOutcome::Answered),
        no_evidence: Some(false),
        expected_no_evidence: Some(false),
        scores,
        ..Row::default()
    }
}

fn from() -> Provenance {
    Provenance {
        query_set: "set.jsonl".into(),
        query_set_hash: "abc".into(),
        config_hash: "c0ffee".into(),
        seed: 7,
        ..Provenance::default()
    }
}

fn rows(n: usize, context: f64) -> Vec<Row> {
    (0..n).flat_map(|id| [row(id, "hybrid", Some(1), context), row(id, "vector", None, 0.5)]).collect()
}

fn baseline(rows: &[Row]) -> Baseline {
    let mut out = Baseline::default();
    out.renew(rows, &from());
    out
}

fn check(baseline: &Baseline, rows: &[Row], from: &Provenance) -> Checked {
    compare(baseline.sets.get("set.jsonl").expect("the set"), rows, from)
}

#[test]
fn the_file_holds_one_line_for_each_outcome_and_loads_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("baseline.json");
    assert_eq!(Baseline::load(&path).expect("absent"), None);
    let written = baseline(&rows(2, 1.0));
    written.save(&path).expect("saves");
    assert_eq!(Baseline::load(&path).expect("loads"), Some(written));
    let text = fs::read_to_string(&path).expect("reads");
    let line = r#"        "vector": {"rank":[null],"context":0.5,"answer":0.3333,"decision":"answered"}"#;
    assert_eq!(text.lines().filter(|found| *found == line).count(), 2, "{text}");
    fs::write(&path, "{\"version\": 9, \"sets\": {}}").expect("writes");
    let error = Baseline::load(&path).expect_err("another version").to_string();
    assert!(error.contains("version 9"), "{error}");
    fs::write(&path, "[]").expect("writes");
    assert!(Baseline::load(&path).is_err());
}

#[test]
fn the_same_run_matches_and_a_change_is_named() {
    let baseline = baseline(&rows(3, 1.0));
    let same = check(&baseline, &rows(3, 1.0), &from());
    assert!(same.passes() && same.changes.is_empty(), "{same:?}");
    assert_eq!(same.compared, 6);
    let mut changed = rows(3, 1.0);
    changed[0] = row(0, "hybrid", Some(4), 0.5);
    changed[0].outcome = Some(AnswerOutcome::None);
    let found = check(&baseline, &changed, &from());
    assert!(!found.passes(), "three queries: no loss is tolerated: {found:?}");
    let said: Vec<String> = found.changes.iter().map(Change::to_string).collect();
    assert_eq!(
        said,
        [
            "D00 (hybrid): answered, rank 1, context 1.00, answer 0.33 → refused, rank 4, context 0.50, answer 0.33"
        ]
    );
    // A query that the baseline does not know.
    let more = check(&baseline, &rows(4, 1.0), &from());
    assert_eq!((more.changes.len(), more.compared, more.passes()), (2, 6, false));
    assert!(more.changes[0].to_string().starts_with("D03 (hybrid): not there → answered"));
    // Other labels or questions: nothing is compared.
    let other = Provenance { query_set_hash: "def".into(), ..from() };
    let other = check(&baseline, &rows(3, 1.0), &other);
    assert!(!other.passes() && other.changes.is_empty() && !other.same_query_set);
}

#[test]
fn a_mode_fails_when_losses_exceed_gains_by_more_than_the_tolerance() {
    // Of 24 queries, the first `losses` lose context and the next `gains` win it.
    let check = |losses: usize, gains: usize| {
        let before = rows(24, 0.5);
        let mut now = before.clone();
        for row in now.iter_mut().filter(|row| row.mode == "hybrid").take(losses + gains) {
            let number: usize = row.query_id[1..].parse().expect("a number");
            let context = if number < losses { 0.0 } else { 1.0 };
            row.scores.insert("gold_recall_context", Score::value(context));
        }
        let found = check(&baseline(&before), &now, &from());
        assert_eq!(found.changes.len(), losses + gains, "each change is listed");
        (found.passes(), found.drops.iter().map(Drop::to_string).collect::<Vec<_>>())
    };
    for (losses, gains) in [(0, 0), (4, 0), (8, 4), (0, 9), (6, 6)] {
        assert_eq!(check(losses, gains), (true, vec![]), "{losses} {gains}");
    }
    let said = "mode hybrid: gold evidence in the context fell in 9 queries and rose in 4, more than 4 apart";
    assert_eq!(check(9, 4), (false, vec![said.to_owned()]));
    assert!(!check(5, 0).0);
}

#[test]
fn a_wrong_decision_counts_and_an_error_is_never_right() {
    let before: Vec<Row> = (0..8).map(|id| row(id, "hybrid", Some(1), 1.0)).collect();
    let mut now = before.clone();
    for (at, row) in now.iter_mut().enumerate() {
        if at < 4 {
            row.outcome = Some(AnswerOutcome::None);
        } else {
            (row.outcome, row.error) = (None, Some("down".into()));
        }
    }
    let found = check(&baseline(&before), &now, &from());
    let said: Vec<String> = found.drops.iter().map(Drop::to_string).collect();
    let first =
        "mode hybrid: the share of right decisions fell in 8 queries and rose in 0, more than 1 apart";
    assert!(said.contains(&first.to_owned()), "{said:?}");
    assert_eq!(found.changes[7].now.as_ref().map(|o| o.decision.as_str()), Some("error"));
}

#[test]
fn renewing_one_mode_keeps_the_other() {
    let mut baseline = baseline(&rows(2, 1.0));
    let hybrid: Vec<Row> = (0..2).map(|id| row(id, "hybrid", Some(3), 0.0)).collect();
    baseline.renew(&hybrid, &from());
    let set = baseline.sets.get("set.jsonl").expect("the set");
    let own = set.queries.get("D00").expect("a query");
    assert_eq!(own.get("hybrid").and_then(|o| o.context), Some(0.0));
    assert_eq!(own.get("vector").and_then(|o| o.context), Some(0.5));
    // Another version of the set: nothing is kept.
    let other = Provenance { query_set_hash: "def".into(), ..from() };
    baseline.renew(&hybrid, &other);
    let set = baseline.sets.get("set.jsonl").expect("the set");
    assert!(set.queries.get("D00").is_some_and(|own| own.get("vector").is_none()));
}
