//! Agreement against scikit-learn and krippendorff.

use super::*;

/// Twelve items and three raters; `-` is no rating.
const RATED: [&str; 12] =
    ["000", "111", "221", "001", "111", "222", "010", "112", "222", "000", "1-1", "-20"];

fn ratings(items: &[&str]) -> Ratings {
    let category = |c: char| c.to_digit(10).map(|digit| digit as usize);
    Ratings {
        items: items.iter().map(|item| item.chars().map(category).collect()).collect(),
        categories: 3,
        clusters: (0..items.len()).collect(),
    }
}

#[track_caller]
fn close(found: Estimate, expect: f64) {
    let value = found.value.expect("defined");
    assert!((value - expect).abs() < 1e-9, "{value} instead of {expect}");
}

#[test]
fn as_others_compute_it() {
    let found = agreement(&ratings(&RATED), 1);
    assert_eq!(found.items, 12);
    // scikit-learn 1.9.1: cohen_kappa_score over the items that both rated.
    let [first, second, _] = found.pairs[..] else {
        panic!("three pairs: {found:?}");
    };
    assert_eq!((first.raters, first.items), ((0, 1), 10));
    close(first.kappa, 0.850_746_268_656_716_4);
    close(second.kappa, 0.587_499_999_999_999_9);
    close(second.raw, 8.0 / 11.0);
    // krippendorff 0.8: alpha(reliability_data=..., level_of_measurement="nominal")
    close(found.alpha, 0.569_190_600_522_193_2);
    for estimate in [first.kappa, second.raw, found.alpha] {
        let (low, value, high) = (estimate.low, estimate.value, estimate.high);
        assert!(low <= value && value <= high && low < high, "{estimate:?}");
    }
    assert_eq!(agreement(&ratings(&RATED), 1), found);
}

#[test]
fn items_of_one_rater_do_not_narrow_an_interval() {
    // The first rater rated 500 items, the second 8 of them, all as the first one did.
    let items: Vec<&str> = (0..500)
        .map(|at| match at {
            ..4 => "00",
            4..8 => "11",
            _ => "0-",
        })
        .collect();
    let found = agreement(&ratings(&items), 1);
    assert_eq!((found.items, found.clusters), (8, 8));
    let all_of_8 = crate::stats::wilson(8, 8).expect("items").low;
    let raw = found.pairs[0].raw;
    assert!((raw.low.expect("low") - all_of_8).abs() < 1e-9, "{raw:?}");
    // From -1 to 1, the width is twice that of a share.
    for estimate in [found.pairs[0].kappa, found.alpha] {
        let low = estimate.low.expect("low");
        assert!((low - (2.0 * all_of_8 - 1.0)).abs() < 1e-9, "{estimate:?}");
    }
}

#[test]
fn what_is_not_defined_has_no_value() {
    let same = agreement(&ratings(&["11", "11"]), 1);
    assert_eq!((same.pairs[0].raw.value, same.pairs[0].kappa.value), (Some(1.0), None));
    assert_eq!(same.alpha.value, None);
    let apart = agreement(&ratings(&["1-", "-1"]), 1);
    assert_eq!((apart.items, apart.pairs[0].items), (0, 0));
    assert_eq!((apart.pairs[0].raw.value, apart.alpha.value), (None, None));
}
