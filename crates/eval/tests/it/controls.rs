//! Bad systems made from a perfect one are detected, each by the metric that should see it.

use crate::world::{self, Fake};
use eval::controls::{Altered, Control, compare, refused, shuffled};
use eval::{Row, run};
use types::{Answerer, Mode, RunRecord};

async fn rows(answerer: &dyn Answerer) -> Vec<Row> {
    let (set, judge) = (world::query_set(10, 8), world::judge());
    let outcome = run(
        world::job(&set, &[Mode::Hybrid], answerer, &judge),
        &mut eval::PartialRows::none(eval::Remains::Nothing),
        &mut |_| Ok(()),
        &types::Stop::default(),
    )
    .await
    .expect("runs");
    outcome.rows
}

/// Answers everything, questions without evidence with somebody else's.
fn never_refuses(mut record: RunRecord) -> RunRecord {
    if record.response.no_evidence {
        record.response = world::right_answer(0);
        record.context = Some(world::context(0));
    }
    record
}

#[tokio::test]
async fn each_bad_system_is_seen_by_its_own_metric() {
    let good = Fake::new(10);
    let default = rows(&good).await;
    let moved = |record| shuffled(record, 7);
    let mut runs = Vec::new();
    let altered: [(Control, &(dyn Fn(RunRecord) -> RunRecord + Send + Sync)); 3] = [
        (Control::AlwaysAnswer, &never_refuses),
        (Control::AlwaysRefuse, &refused),
        (Control::ShuffledCitations, &moved),
    ];
    for (control, alter) in altered {
        runs.push((control, rows(&Altered { base: &good, alter }).await));
    }
    let found = compare("hybrid", &default, &runs, 1);
    let means: Vec<(&str, Option<f64>, Option<f64>, usize)> = found
        .checks
        .iter()
        .map(|c| (c.metric.as_str(), c.default.mean, c.bad.mean, c.difference.n_pairs))
        .collect();
    assert_eq!(
        means,
        [
            ("unanswerable_accuracy", Some(1.0), Some(0.0), 8),
            ("balanced_accuracy", Some(1.0), Some(0.5), 18),
            ("coverage", Some(1.0), Some(0.0), 10),
            ("balanced_accuracy", Some(1.0), Some(0.5), 18),
            ("fully_cited", Some(1.0), Some(0.0), 10),
        ]
    );
    assert!(found.missed().is_empty(), "{found:?}");
    // The system itself is not worse than itself.
    let same: Vec<(Control, Vec<Row>)> = Control::ALL.map(|c| (c, default.clone())).into();
    let same = compare("hybrid", &default, &same, 1);
    let faulty: Vec<Control> = Control::ALL.into_iter().filter(|control| !control.games()).collect();
    assert_eq!(same.missed(), faulty);
    assert!(same.preferred().is_empty(), "{same:?}");
}
