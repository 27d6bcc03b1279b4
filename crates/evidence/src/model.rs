//! The fitted model of sentences: gradient-boosted trees (Friedman 2001), as LightGBM fits them.
//!
//! `model.json` holds the trees and says what they were fitted on; `fit/fit.py` writes it. Walking such trees takes a
//! few lines, so that no library is needed for it.

use crate::{FEATURES, SentenceFeatures};
use serde::Deserialize;
use std::sync::LazyLock;

/// What `fit/fit.py` writes.
#[derive(Debug, Deserialize)]
struct File {
    /// The names of the features that splits refer to.
    features: Vec<String>,
    trees: Vec<Tree>,
    /// `ln(p / (1 - p))` of the probability that a sentence answers is `slope * score + intercept`.
    slope: f32,
    intercept: f32,
}

/// A tree. Splits are numbered from 0, the root; a child `c` below 0 is the leaf `-1 - c`.
#[derive(Debug, Default, Deserialize)]
struct Tree {
    /// The feature of each split.
    feature: Vec<usize>,
    /// A value up to this goes left.
    threshold: Vec<f32>,
    left: Vec<i32>,
    right: Vec<i32>,
    /// The value of each leaf.
    value: Vec<f32>,
}

/// The model, with splits that refer to [`FEATURES`].
struct Model {
    trees: Vec<Tree>,
    slope: f32,
    intercept: f32,
}

/// A test checks that the file fits the features, and that no child lies before its parent.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let file: File = serde_json::from_str(include_str!("model.json")).expect("the file is fixed and valid");
    let place = |name: &String| {
        let place = FEATURES.iter().position(|feature| feature == name);
        place.expect("the file names features only")
    };
    let places: Vec<usize> = file.features.iter().map(place).collect();
    let renumbered = |mut tree: Tree| {
        for feature in &mut tree.feature {
            *feature = places.get(*feature).copied().unwrap_or_default();
        }
        tree
    };
    Model {
        trees: file.trees.into_iter().map(renumbered).collect(),
        slope: file.slope,
        intercept: file.intercept,
    }
});

/// The probability that a sentence with these features answers the question, 0 to 1; 0 for what is never quoted.
pub(crate) fn probability(features: &SentenceFeatures) -> f32 {
    if features.well_formed <= 0.0 {
        return 0.0;
    }
    let model = &*MODEL;
    let values = features.values();
    let score: f32 = model.trees.iter().map(|tree| tree.value_of(&values)).sum();
    logistic(model.slope * score + model.intercept)
}

/// `1 / (1 + exp(-x))`
pub(crate) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Tree {
    fn value_of(&self, values: &[f32]) -> f32 {
        let mut at = 0;
        // Children stand behind their parents, so this ends.
        while let (Some(feature), Some(threshold)) = (self.feature.get(at), self.threshold.get(at)) {
            let value = values.get(*feature).copied().unwrap_or_default();
            let side = if value <= *threshold {
                &self.left
            } else {
                &self.right
            };
            let child = side.get(at).copied().unwrap_or(-1);
            match usize::try_from(child) {
                Ok(split) if split > at => at = split,
                Ok(_) => return 0.0,
                Err(_) => {
                    let leaf = usize::try_from(-1 - i64::from(child)).unwrap_or_default();
                    return self.value.get(leaf).copied().unwrap_or_default();
                }
            }
        }
        // A tree without splits is its one leaf.
        self.value.first().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_fits_the_features() {
        let file: File = serde_json::from_str(include_str!("model.json")).expect("the file is a model");
        assert!(!file.trees.is_empty());
        for name in &file.features {
            assert!(FEATURES.contains(&name.as_str()), "{name}");
        }
        for tree in &file.trees {
            let splits = tree.feature.len();
            assert_eq!(tree.value.len(), splits + 1);
            for list in [tree.threshold.len(), tree.left.len(), tree.right.len()] {
                assert_eq!(list, splits);
            }
            assert!(tree.feature.iter().all(|feature| *feature < file.features.len()));
            for (parent, child) in tree.left.iter().chain(&tree.right).enumerate() {
                let parent = i32::try_from(parent % splits.max(1)).expect("few splits");
                assert!(
                    *child < 0 || (*child > parent && (*child as usize) < splits),
                    "{parent}: {child}"
                );
                assert!(*child >= 0 || (-1 - *child) as usize <= splits);
            }
        }
    }

    #[test]
    fn a_tree_is_walked_by_hand() {
        let tree = Tree {
            feature: vec![0, 1],
            threshold: vec![0.5, 2.0],
            left: vec![1, -1],
            right: vec![-3, -2],
            value: vec![1.0, 2.0, 3.0],
        };
        for (values, want) in [([0.5, 2.0], 1.0), ([0.1, 2.1], 2.0), ([0.6, 0.0], 3.0)] {
            assert!((tree.value_of(&values) - want).abs() < 1e-6, "{values:?}");
        }
        let leaf = Tree {
            value: vec![0.25],
            ..Tree::default()
        };
        assert!((leaf.value_of(&[]) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn close_and_covering_sentences_are_more_likely() {
        let near = SentenceFeatures {
            cosine: 0.8,
            coverage: 1.0,
            mix: 0.9,
            around: 1.0,
            words: 20.0,
            well_formed: 1.0,
            matched: 5.0,
            question_terms: 5.0,
            rerank: 0.9,
            ..SentenceFeatures::default()
        };
        let far = SentenceFeatures {
            cosine: 0.1,
            cosine_behind: 0.7,
            coverage: 0.0,
            coverage_behind: 1.0,
            mix: 0.05,
            mix_behind: 0.85,
            around: 0.0,
            matched: 0.0,
            ..near
        };
        assert!(probability(&near) > 2.0 * probability(&far));
    }
}
