//! Two systems on the same questions: the difference of one metric, its interval, and the paired test of it.

use super::clusters::Clusters;
use super::plan::questions_needed;
use super::{ALPHA, Statistic, is_flag};
use crate::metrics::Range;
use crate::stats::{Draws, Z95, quantile};
use serde::{Deserialize, Serialize};

/// Up to this many clusters that differ, every exchange is counted.
pub const EXACT_CLUSTERS: usize = 16;
/// Exchanges drawn beyond that.
pub const SAMPLED_EXCHANGES: usize = 10_000;

/// The values of two systems for one question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<'a> {
    /// What the question shares its chance with.
    pub cluster: &'a str,
    /// Whether a refusal is expected; matters for balanced statistics only.
    pub unanswerable: bool,
    /// The value of the first system.
    pub first: f64,
    /// The value of the second.
    pub second: f64,
}

/// One metric, first system minus second, over the questions that have a value in both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Comparison {
    /// Mean difference; `None` without pairs, as all numbers here.
    pub delta: Option<f64>,
    /// Two-sided p, not corrected for the number of metrics.
    pub p: Option<f64>,
    /// p after Holm's correction over the family; `None` outside the family.
    #[serde(default)]
    pub p_holm: Option<f64>,
    /// Whether it belongs to the family that is corrected together: not where all values of both systems are the same, nor
    /// where they are what they are by construction.
    #[serde(default)]
    pub in_family: bool,
    /// The test: `mcnemar_exact`, `paired_randomisation_exact` or `paired_randomisation_sampled`.
    pub test: String,
    /// Pairs.
    pub n_pairs: usize,
    /// Pairs in which the first system is higher.
    pub wins: usize,
    /// Pairs in which it is lower.
    pub losses: usize,
    /// Lower end of the 95 % interval of the difference.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval of the difference.
    pub ci_high: Option<f64>,
    /// How many more questions of this kind separate a difference of this size in four of five tries, at a p of 0.05 for
    /// this metric alone; 0 where p is below that, `None` where there is no difference.
    #[serde(default)]
    pub questions_needed: Option<usize>,
}

impl Comparison {
    /// Whether the two differ significantly: p after Holm's correction is below [`ALPHA`].
    pub fn separates(&self) -> bool {
        self.p_holm.is_some_and(|p| p < ALPHA)
    }

    /// How many more questions would separate the two; `None` where they differ without the correction already.
    pub fn more_questions(&self) -> Option<usize> {
        self.questions_needed.filter(|n| *n > 0)
    }
}

/// Compares two systems on values within `range`. The order of the pairs does not matter.
///
/// The test: under the null hypothesis, the two systems could as well be exchanged, cluster by cluster. p is the share of
/// exchanges that bring the difference at least as far from 0; a sample counts the observed assignment too, so p is never 0.
/// For values 0 or 1 and clusters of one question this is McNemar's exact test, and computed as such.
///
/// The interval excludes 0 exactly if p < [`ALPHA`]. It is computed apart from the test, which near 0.05 may disagree. The
/// test decides: the end nearer to 0 is then the test-based limit of Miettinen 1976, delta (1 − 1.96 / z) with the normal
/// deviate z of p, which lies beyond 0 exactly if p ≥ 0.05.
pub fn compare(pairs: &[Pair<'_>], statistic: Statistic, range: Range, seed: u64) -> Comparison {
    let clusters = Clusters::new(pairs.iter().copied(), statistic);
    let n = pairs.len();
    let higher = |sign: f64| pairs.iter().filter(|pair| sign * (pair.first - pair.second) > 0.0).count();
    let mut out = Comparison {
        test: "paired_randomisation_exact".to_owned(),
        n_pairs: n,
        wins: higher(1.0),
        losses: higher(-1.0),
        in_family: can_differ(pairs),
        ..Comparison::default()
    };
    let Some(delta) = clusters.value() else {
        return out;
    };
    let flags = |pair: &Pair<'_>| is_flag(pair.first) && is_flag(pair.second);
    let binary = statistic == Statistic::Mean && pairs.iter().all(flags);
    let independent = clusters.count() == n;
    let moving = clusters.moving();
    let p;
    (p, out.test) = if binary && independent {
        (mcnemar(out.wins, out.losses), "mcnemar_exact".to_owned())
    } else {
        let (p, exact) = exchanged(&clusters, &moving, delta, seed);
        let how = if exact { "exact" } else { "sampled" };
        (p, format!("paired_randomisation_{how}"))
    };
    let ends = if binary {
        let discordant = (out.wins + out.losses) as f64 / n as f64;
        let worth = if independent { n as f64 } else { clusters.effective(n, discordant - delta * delta) };
        Some(agresti_min(delta, discordant, worth))
    } else {
        let found = clusters.interval(range.difference(), seed);
        found.map(|found| (found.low, found.high))
    };
    let ends = ends.map(|ends| agreeing(ends, delta, p, range.difference()));
    out.delta = Some(delta);
    out.p = Some(p);
    out.ci_low = ends.map(|ends| ends.0);
    out.ci_high = ends.map(|ends| ends.1);
    out.questions_needed =
        if p < ALPHA { Some(0) } else { questions_needed(n, delta, clusters.variance(), moving.len()) };
    out
}

/// Whether the values are not all the same, in both systems.
fn can_differ(pairs: &[Pair<'_>]) -> bool {
    let Some(first) = pairs.first() else {
        return false;
    };
    let differs = |value: f64| (value - first.first).abs() > 1e-12;
    pairs.iter().any(|pair| differs(pair.first) || differs(pair.second))
}

/// The exact two-sided p of `wins` against `losses` discordant pairs under a fair coin: twice the smaller binomial tail, at
/// most 1. Concordant pairs carry no information.
fn mcnemar(wins: usize, losses: usize) -> f64 {
    let n = wins + losses;
    // In logarithms: C(n, k) alone overflows from n = 1030 on.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = log_term.exp();
    for k in 0..wins.min(losses) {
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
        tail += log_term.exp();
    }
    // Far in the tail a sum may underflow; a p of exactly 0 would claim the impossible.
    (2.0 * tail).clamp(f64::MIN_POSITIVE, 1.0)
}

/// p of the paired randomisation test, and whether all exchanges were counted.
fn exchanged(clusters: &Clusters, moving: &[[f64; 2]], delta: f64, seed: u64) -> (f64, bool) {
    // Sums of the same numbers in another order differ in the last bits and must count as equal.
    let reach = delta.abs() - 1e-9;
    let extreme =
        |difference: [f64; 2]| clusters.exchanged(difference).is_some_and(|delta| delta.abs() >= reach);
    let Some((first, rest)) = moving.split_first() else {
        return (1.0, true);
    };
    if moving.len() <= EXACT_CLUSTERS {
        // The other half of the exchanges mirrors this one.
        let all = 1_u64 << rest.len();
        return (count(rest, *first, &extreme) as f64 / all as f64, true);
    }
    let mut draws = Draws::new(seed);
    let mut drawn = || {
        let (mut sum, mut bits) = ([0.0; 2], 0);
        for (at, own) in moving.iter().enumerate() {
            if at % 64 == 0 {
                bits = draws.random_bits();
            }
            sum = plus(sum, *own, if bits & 1 == 0 { 1.0 } else { -1.0 });
            bits >>= 1;
        }
        sum
    };
    let hits = (0..SAMPLED_EXCHANGES).filter(|_| extreme(drawn())).count();
    ((hits + 1) as f64 / (SAMPLED_EXCHANGES + 1) as f64, false)
}

fn plus(a: [f64; 2], b: [f64; 2], sign: f64) -> [f64; 2] {
    [a[0] + sign * b[0], a[1] + sign * b[1]]
}

/// Exchanges of `rest` that are extreme with the differences so far. Depth is bounded by [`EXACT_CLUSTERS`].
fn count(rest: &[[f64; 2]], so_far: [f64; 2], extreme: &impl Fn([f64; 2]) -> bool) -> u64 {
    match rest.split_first() {
        None => u64::from(extreme(so_far)),
        Some((own, rest)) => {
            count(rest, plus(so_far, *own, 1.0), extreme) + count(rest, plus(so_far, *own, -1.0), extreme)
        }
    }
}

/// The interval of a difference of paired rates: Wald's, with half a pair added to each cell of the table of pairs (Agresti
/// and Min 2005). `discordant` is the share of pairs that differ, `count` the number of pairs that they are worth.
fn agresti_min(delta: f64, discordant: f64, count: f64) -> (f64, f64) {
    let n = count + 2.0;
    let (delta, discordant) = (delta * count / n, (discordant * count + 1.0) / n);
    let half = Z95 * ((discordant - delta * delta) / n).sqrt();
    ((delta - half).max(-1.0), (delta + half).min(1.0))
}

/// The interval with the end nearer to 0 moved if it contradicts the test ([`compare`]); it contains `delta`.
fn agreeing((low, high): (f64, f64), delta: f64, p: f64, bounds: (f64, f64)) -> (f64, f64) {
    let (low, high) = (low.min(delta), high.max(delta));
    let excludes = low > 0.0 || high < 0.0;
    if excludes == (p < ALPHA) {
        return (low, high);
    }
    // z is 0 where p is 1, and the limit infinite.
    let z = (-quantile(p / 2.0).unwrap_or(-8.0)).max(0.0);
    let near = (delta - delta * Z95 / z).clamp(bounds.0, bounds.1);
    if delta > 0.0 { (near, high) } else { (low, near) }
}

/// Corrects the p of all comparisons that can differ (Holm 1979), so that the chance of even one false alarm among them
/// stays below the level: the k-th smallest of n is multiplied by n - k + 1, never falls below a smaller one, and never
/// exceeds 1.
///
/// The family are the comparisons that say so ([`Comparison::in_family`]). The others have no corrected p and never separate.
pub fn holm<'a>(comparisons: impl Iterator<Item = &'a mut Comparison>) {
    let mut family: Vec<(f64, &mut Comparison)> = Vec::new();
    for found in comparisons {
        found.p_holm = None;
        if let Some(p) = found.p.filter(|_| found.in_family) {
            family.push((p, found));
        }
    }
    family.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (count, mut least) = (family.len(), 0.0_f64);
    for (rank, (p, found)) in family.into_iter().enumerate() {
        least = least.max(p * (count - rank) as f64).min(1.0);
        found.p_holm = Some(least);
    }
}
