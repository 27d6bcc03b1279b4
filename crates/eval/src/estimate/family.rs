//! Several metrics tested together.

use super::Comparison;
use crate::Ordered;

/// Corrects the p of all comparisons that can differ (Holm 1979), so that the chance of even one false alarm among them
/// stays below the level: the k-th smallest of n is multiplied by n - k + 1, never falls below a smaller one, and never
/// exceeds 1.
///
/// The family are the metrics whose values are not all the same and for which `can_differ` holds. The others have no
/// corrected p and never separate.
pub fn holm(comparisons: &mut Ordered<Comparison>, can_differ: impl Fn(&str) -> bool) {
    let mut family: Vec<(f64, &mut Comparison)> = Vec::new();
    for (key, found) in comparisons.iter_mut() {
        found.p_holm = None;
        found.in_family &= can_differ(key);
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
