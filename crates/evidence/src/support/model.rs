//! The fitted model of support, and the rules that stand above it.
//!
//! Two forests, one for claims that are supported and one for claims that are contradicted, with a file each for judging
//! with vectors and by words alone; `fit/support/fit.py` writes them and prints held-out figures. The sets that they were fitted
//! on are full of loose paraphrase and short of planted errors. So each finding that is an error wherever it is right
//! (an absent number, name or symbol, a denial, a reversal) also lowers the odds by a fixed amount.

use crate::support::features::{FEATURES, Features};
use crate::trees::{Forest, fixed, logistic, lowest_logit};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::LazyLock};

/// Probabilities, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judged {
    pub(crate) supported: f32,
    pub(crate) contradicted: f32,
}

/// A claim that stands in the passage word for word.
const VERBATIM: Judged = Judged { supported: 0.99, contradicted: 0.01 };

/// A claim without a content word.
const NOTHING: Judged = Judged { supported: 0.0, contradicted: 0.0 };

/// What `fit/support/fit.py` writes.
#[derive(Debug, Deserialize)]
struct Model {
    supported: Forest,
    contradicted: Forest,
    combination: [f32; 2],
}

const VECTORS: &str = include_str!("vectors.json");
const WORDS: &str = include_str!("words.json");
const RULES_FILE: &str = include_str!("rules.json");

/// Tests check that both files fit the features.
static WITH_VECTORS: LazyLock<Model> = LazyLock::new(|| model(VECTORS));
static BY_WORDS: LazyLock<Model> = LazyLock::new(|| model(WORDS));

/// Eight hex digits of the hash of the fitted file and the rules: after a new fit, verdicts are those of another judge.
pub(crate) fn fingerprint(vectors: bool) -> String {
    let fitted = if vectors { VECTORS } else { WORDS };
    let mut hash = types::digest::sha256_of_parts(&[fitted.as_bytes(), RULES_FILE.as_bytes()]);
    hash.truncate(8);
    hash
}

fn model(json: &str) -> Model {
    let Model { supported, contradicted, combination } = fixed(json);
    Model { supported: supported.over(FEATURES), contradicted: contradicted.over(FEATURES), combination }
}

fn is_verbatim(features: &Features) -> bool {
    features.verbatim > 0.0 && features.named_gap <= 0.0
}

/// Returns whether [`judge`] gives the same result with and without vectors.
pub(crate) fn is_settled(features: &Features) -> bool {
    is_verbatim(features) || features.terms <= 0.0
}

/// The word on a claim with these features; `vectors` says whether an embedder took part.
pub(crate) fn judge(features: &Features, vectors: bool) -> Judged {
    if is_verbatim(features) {
        return VERBATIM;
    }
    if features.terms <= 0.0 {
        return NOTHING;
    }
    let model = if vectors { &*WITH_VECTORS } else { &*BY_WORDS };
    let values = features.values();
    // Vectors tell a paraphrase in other words from a claim about something else.
    let foreign =
        if vectors { 0.0 } else { RULES.foreign * (RULES.related - features.passage_coverage).max(0.0) };
    let penalty = penalty(&values);
    Judged {
        supported: logistic(model.supported.logit(&values) + bonus(features, penalty) - penalty - foreign),
        contradicted: logistic(model.contradicted.logit(&values)),
    }
}

/// The probability that a response is supported whose claims have these scores: the logit of the least supported claim,
/// raised a little for how many there are and for how far their mean lies above it; of one claim its own score, of none 0.
pub(crate) fn response(scores: &[f32], vectors: bool) -> f32 {
    if let [only] = scores {
        return *only;
    }
    let model = if vectors { &*WITH_VECTORS } else { &*BY_WORDS };
    let [of_count, of_mean] = model.combination;
    lowest_logit(scores.iter().copied())
        .map_or(0.0, |[lowest, count, above]| logistic(lowest + of_count * count + of_mean * above))
}

/// Rules that hold whatever the forests were fitted on; `fit/support/fit.py` reads the same file. All amounts are on the logarithm
/// of the odds of support.
#[derive(Debug, Deserialize)]
struct Rules {
    /// What each finding takes off, times the value of the feature.
    penalties: BTreeMap<String, f32>,
    /// What is added if the passage has every term of the claim, and nothing was found against it.
    complete: f32,
    /// Below this share of its terms in the passage, a claim is hardly about the same; the labelled sets have few such pairs.
    related: f32,
    /// What is taken off for such a claim without vectors, times what is missing to `related`.
    foreign: f32,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| fixed(RULES_FILE));

/// The penalties, each with the index of its feature.
static PENALTIES: LazyLock<Vec<(usize, f32)>> = LazyLock::new(|| {
    let index = |name: &String| FEATURES.iter().position(|feature| feature == name);
    let known = RULES.penalties.iter();
    known.map(|(name, amount)| (index(name).expect("a feature"), *amount)).collect()
});

/// What findings take off the logarithm of the odds of support.
fn penalty(values: &[f32]) -> f32 {
    PENALTIES.iter().map(|(at, amount)| amount * values[*at]).sum()
}

fn bonus(features: &Features, penalty: f32) -> f32 {
    let against = penalty + features.named_gap + features.reversed;
    if features.passage_coverage >= 0.999 && against <= 0.0 { RULES.complete } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_fit_the_features() {
        for model in [&*WITH_VECTORS, &*BY_WORDS] {
            assert!(model.combination.iter().all(|weight| (0.0..1.0).contains(weight)));
        }
    }

    #[test]
    fn each_fit_is_a_judge_of_its_own() {
        assert!(fingerprint(true) != fingerprint(false) && fingerprint(true).len() == 8);
    }

    #[test]
    fn one_bad_claim_spoils_a_response() {
        for vectors in [false, true] {
            assert!(response(&[], vectors) <= 0.0);
            assert!((response(&[0.7], vectors) - 0.7).abs() < 1e-6);
            assert!(response(&[0.7, 0.9, 0.9], vectors) >= 0.5);
            let mut long = vec![0.95; 20];
            assert!(response(&long, vectors) >= 0.9);
            long[7] = 0.1;
            assert!(response(&long, vectors) < 0.5);
            long[3] = 0.05;
            let two = response(&long, vectors);
            long[3] = 0.95;
            assert!(two < response(&long, vectors));
        }
    }
}
