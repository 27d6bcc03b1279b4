//! How long answers took, stage by stage.

use crate::{Ordered, Row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The stages in the order in which they run; others follow by name.
const STAGES: &str = "understand embed retrieve rerank expand sentences topic generate guardrails total";

/// Milliseconds of one stage, over the rows that ran it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Latency {
    /// Half of the rows took at most this.
    pub median: f64,
    /// 95 % of the rows took at most this.
    pub p95: f64,
    /// Rows that ran the stage.
    pub n: usize,
}

/// By stage.
pub type StageLatency = Ordered<Latency>;

/// By mode, then by stage; modes without a timed row are left out.
pub fn latency(rows: &[Row]) -> Ordered<StageLatency> {
    let mut times: Ordered<Ordered<Vec<f64>>> = Ordered::default();
    for row in rows.iter().filter(|row| !row.timings_ms.is_empty()) {
        let own = times.entry(&row.mode);
        for (stage, time) in &row.timings_ms {
            own.entry(stage).push(*time);
        }
    }
    let summarised = |times: &Ordered<Vec<f64>>| -> StageLatency {
        let mut stages: Vec<(String, Latency)> =
            times.iter().map(|(stage, times)| (stage.to_owned(), of(times))).collect();
        let place = |stage: &str| STAGES.split(' ').position(|own| own == stage).unwrap_or(usize::MAX);
        stages.sort_by_key(|(stage, _)| place(stage));
        stages.into_iter().collect()
    };
    times.iter().map(|(mode, times)| (mode.to_owned(), summarised(times))).collect()
}

/// Nearest-rank percentiles; of no time, zeros.
fn of(times: &[f64]) -> Latency {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let percentile = |share: f64| {
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.max(1) - 1).copied().unwrap_or_default()
    };
    Latency { median: percentile(0.5), p95: percentile(0.95), n: sorted.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_by_hand() {
        let check = |times: &[f64], median: f64, p95: f64| {
            let found = of(times);
            assert_eq!((found.median, found.p95, found.n), (median, p95, times.len()));
        };
        check(&[7.0], 7.0, 7.0);
        check(&[3.0, 1.0, 2.0], 2.0, 3.0);
        check(&[4.0, 1.0, 3.0, 2.0], 2.0, 4.0);
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        check(&hundred, 50.0, 95.0);
        assert_eq!(of(&[]).n, 0);
    }

    #[test]
    fn stages_come_in_the_order_of_the_flow_and_untimed_rows_do_not_count() {
        let row = |mode: &str, times: &[(&str, f64)]| Row {
            mode: mode.into(),
            timings_ms: times.iter().map(|(stage, time)| ((*stage).to_owned(), *time)).collect(),
            ..Row::default()
        };
        let rows = [
            row("hybrid", &[("total", 9.0), ("embed", 2.0)]),
            row("hybrid", &[("total", 19.0), ("embed", 4.0), ("generate", 6.0), ("extra", 1.0)]),
            row("hybrid", &[]),
            row("vector", &[]),
        ];
        let found = latency(&rows);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["hybrid"]);
        let hybrid = found.get("hybrid").expect("timed");
        assert_eq!(hybrid.keys().collect::<Vec<_>>(), ["embed", "generate", "total", "extra"]);
        assert_eq!(hybrid.get("total").map(|t| (t.median, t.n)), Some((9.0, 2)));
        assert_eq!(hybrid.get("generate").map(|t| t.n), Some(1));
    }
}
