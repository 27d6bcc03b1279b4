//! Gradient-boosted trees (Friedman 2001) that were fitted with LightGBM, read from JSON: the small models of this crate.
//!
//! Evaluating such trees takes a few lines, so no library is needed. The scripts in `fit/` fit them.

use serde::{Deserialize, de::DeserializeOwned};

/// Fitted trees, and how to turn their sum into the logarithm of the odds: the file that a fitting script writes.
#[derive(Debug, Deserialize)]
pub(crate) struct Forest {
    /// The names of the features that splits refer to.
    features: Vec<String>,
    trees: Vec<Tree>,
    /// `ln(p / (1 - p))` is `slope * sum + intercept`.
    slope: f32,
    intercept: f32,
}

/// A tree. Splits are numbered from 0, the root. A child `c` is a split behind its parent if it is 0 or more, else the leaf
/// `-1 - c`.
#[derive(Debug, Default, Deserialize)]
struct Tree {
    /// The feature of each split.
    feature: Vec<usize>,
    /// Values up to and including this go left.
    threshold: Vec<f32>,
    left: Vec<i32>,
    right: Vec<i32>,
    /// The value of each leaf.
    value: Vec<f32>,
}

impl Forest {
    /// The forest over values that have these names, in order.
    pub(crate) fn over(mut self, computed: &[&str]) -> Self {
        let places = places(&self.features, computed);
        for feature in self.trees.iter_mut().flat_map(|tree| &mut tree.feature) {
            *feature = places[*feature];
        }
        self
    }

    /// The logarithm of the odds.
    pub(crate) fn logit(&self, values: &[f32]) -> f32 {
        self.slope * self.trees.iter().map(|tree| tree.value_of(values)).sum::<f32>() + self.intercept
    }
}

impl Tree {
    /// The value of the leaf that `values` lead to.
    fn value_of(&self, values: &[f32]) -> f32 {
        let mut at = 0;
        // Children stand behind their parents, so this ends.
        while let Some(feature) = self.feature.get(at) {
            let side = if values[*feature] <= self.threshold[at] { &self.left } else { &self.right };
            match usize::try_from(side[at]) {
                Ok(split) => at = split,
                Err(_) => return self.value[side[at].unsigned_abs() as usize - 1],
            }
        }
        // A tree without splits is its one leaf.
        self.value[0]
    }
}

/// The place of each feature of a fitted file among those that are computed.
pub(crate) fn places(fitted: &[String], computed: &[&str]) -> Vec<usize> {
    let place = |name: &String| computed.iter().position(|feature| feature == name);
    fitted.iter().map(|name| place(name).expect("a fitted feature is computed")).collect()
}

/// What a file of this crate holds.
pub(crate) fn fixed<T: DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).expect("the file is fixed and valid")
}

/// Returns `1 / (1 + exp(-x))`.
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The logarithm of the odds of a probability, kept off the ends.
pub(crate) fn logit(p: f32) -> f32 {
    let p = p.clamp(1e-4, 1.0 - 1e-4);
    (p / (1.0 - p)).ln()
}

/// Of the logits of probabilities: the lowest, the logarithm of their number, and how far their mean lies above the lowest;
/// `None` without any.
pub fn lowest_logit(probabilities: impl Iterator<Item = f32>) -> Option<[f32; 3]> {
    let logits: Vec<f32> = probabilities.map(logit).collect();
    let lowest = logits.iter().copied().reduce(f32::min)?;
    let count = logits.len() as f32;
    Some([lowest, count.ln(), logits.iter().sum::<f32>() / count - lowest])
}

/// Declares the features of a model once: as fields of a struct, as a list of names, and as a list of values in the same
/// order.
macro_rules! features {
    ($(#[$outer:meta])* $features:ident, $names:ident: $($(#[$doc:meta])* $name:ident,)*) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $features { $($(#[$doc])* pub $name: f32,)* }

        /// The names of the features, in the order of their values.
        pub const $names: &[&str] = &[$(stringify!($name),)*];

        impl $features {
            /// The values, in the order of their names.
            pub fn values(&self) -> [f32; $names.len()] {
                [$(self.$name,)*]
            }
        }
    };
}

pub(crate) use features;

#[cfg(test)]
mod tests {
    use super::*;

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
        let leaf = Tree { value: vec![0.25], ..Tree::default() };
        assert!((leaf.value_of(&[]) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn probabilities_are_kept_off_the_ends() {
        assert!(logit(0.0).is_finite() && logit(1.0).is_finite());
        assert!(logit(0.5).abs() < 1e-6);
    }
}
