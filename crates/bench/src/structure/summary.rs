//! Papers put together: over all, and by publisher.

use super::paper::{METRICS, Paper};
use super::share::Share;
use eval::stats::{Observation, bootstrap_mean};
use serde::Serialize;
use std::collections::BTreeMap;

/// A metric over a group of papers.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Mean {
    /// Counts of all papers added up, then divided: each heading or paragraph weighs the same.
    pub(super) micro: Option<f64>,
    /// The mean of the papers' values: each paper weighs the same.
    #[serde(rename = "macro")]
    pub(super) by_paper: Option<f64>,
    /// 95 % interval of `micro`: bootstrap over papers.
    pub(super) ci_low: Option<f64>,
    pub(super) ci_high: Option<f64>,
    /// Counts added up.
    pub(super) hits: usize,
    pub(super) of: usize,
    /// Papers with a value, and without one.
    pub(super) papers: usize,
    pub(super) n_a: usize,
}

/// A group: its metrics, and what stands beside them.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Group {
    pub(super) papers: usize,
    /// Papers that gave no document.
    pub(super) failed: usize,
    /// Headings of the truth that do not stand in the PDFs.
    pub(super) absent_headings: usize,
    pub(super) metrics: BTreeMap<&'static str, Mean>,
}

/// All papers, and each publisher's.
#[derive(Debug, Clone)]
pub(super) struct Summary {
    pub(super) all: Group,
    /// By name.
    pub(super) publishers: BTreeMap<String, Group>,
}

pub(super) fn summarise(papers: &[Paper], seed: u64) -> Summary {
    let mut by_publisher: BTreeMap<String, Vec<&Paper>> = BTreeMap::new();
    for paper in papers {
        by_publisher
            .entry(paper.truth.publisher.clone())
            .or_default()
            .push(paper);
    }
    Summary {
        all: group(&papers.iter().collect::<Vec<_>>(), seed),
        publishers: by_publisher
            .into_iter()
            .map(|(name, papers)| (name, group(&papers, seed)))
            .collect(),
    }
}

fn group(papers: &[&Paper], seed: u64) -> Group {
    let metrics = METRICS.iter().map(|metric| {
        let shares: Vec<(&str, Share)> = papers
            .iter()
            .map(|p| {
                (
                    p.name.as_str(),
                    p.shares.get(metric.key).copied().unwrap_or_default(),
                )
            })
            .collect();
        (metric.key, mean(&shares, seed))
    });
    Group {
        papers: papers.len(),
        failed: papers.iter().filter(|p| p.failure.is_some()).count(),
        absent_headings: papers.iter().map(|p| p.headings.absent.len()).sum(),
        metrics: metrics.collect(),
    }
}

fn mean(shares: &[(&str, Share)], seed: u64) -> Mean {
    let values: Vec<f64> = shares.iter().filter_map(|(_, s)| s.value()).collect();
    let sum = shares.iter().fold(Share::default(), |a, (_, s)| {
        Share::new(a.hits + s.hits, a.of + s.of)
    });
    // A share is the mean of its hits (1) and the rest (0); F1 too, as 2 TP of 2 TP + FP + FN. Drawn by paper.
    let observations: Vec<Observation<'_>> = shares
        .iter()
        .flat_map(|(name, share)| {
            (0..share.of).map(move |i| Observation {
                cluster: name,
                value: if i < share.hits { 1.0 } else { 0.0 },
            })
        })
        .collect();
    let interval = bootstrap_mean(&observations, (0.0, 1.0), seed);
    Mean {
        micro: sum.value(),
        by_paper: (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
        ci_low: interval.map(|i| i.low),
        ci_high: interval.map(|i| i.high),
        hits: sum.hits,
        of: sum.of,
        papers: values.len(),
        n_a: shares.len() - values.len(),
    }
}
