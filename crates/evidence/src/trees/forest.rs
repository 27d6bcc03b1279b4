//! Many trees, and the linear function that turns their sum into the logarithm of the odds.

use crate::trees::tree::Tree;
use serde::Deserialize;

/// Why a file cannot be used as a forest.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ForestError {
    /// It is not JSON of the expected form.
    #[error("the trees cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// It names a feature that is not computed.
    #[error("the trees use the feature {0:?}, which is not computed; fit them again")]
    Feature(String),
    /// A tree is broken.
    #[error("tree {tree} is broken: {fault}")]
    Tree {
        /// The index of the tree, from 0.
        tree: usize,
        /// What is wrong.
        fault: String,
    },
}

/// The file that a fitting script writes.
#[derive(Debug, Deserialize)]
struct File {
    /// The names of the features that splits refer to.
    features: Vec<String>,
    trees: Vec<Tree>,
    /// `ln(p / (1 - p))` is `slope * sum + intercept`.
    slope: f32,
    intercept: f32,
}

/// Fitted trees, and how to turn their sum into a probability.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    trees: Vec<Tree>,
    slope: f32,
    intercept: f32,
}

impl Forest {
    /// Reads a forest. `features` are the names of the values that [`Self::score`] will get, in order.
    ///
    /// # Errors
    /// Returns an error if the text does not have the expected form, names an unknown feature or has a broken tree.
    pub(crate) fn from_json(json: &str, features: &[&str]) -> Result<Self, ForestError> {
        let file: File = serde_json::from_str(json)?;
        let mut places = Vec::with_capacity(file.features.len());
        for name in &file.features {
            let place = features.iter().position(|feature| feature == name);
            places.push(place.ok_or_else(|| ForestError::Feature(name.clone()))?);
        }
        let mut trees = file.trees;
        for (at, tree) in trees.iter_mut().enumerate() {
            if let Some(fault) = tree.fault(places.len()) {
                return Err(ForestError::Tree { tree: at, fault });
            }
            for feature in &mut tree.feature {
                *feature = places.get(*feature).copied().unwrap_or_default();
            }
        }
        Ok(Self { trees, slope: file.slope, intercept: file.intercept })
    }

    /// Returns the sum of the trees.
    pub(crate) fn score(&self, values: &[f32]) -> f32 {
        self.trees.iter().map(|tree| tree.value_of(values)).sum()
    }

    /// Returns the logarithm of the odds, `slope * score + intercept`.
    pub(crate) fn logit(&self, values: &[f32]) -> f32 {
        self.slope * self.score(values) + self.intercept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_do_not_fit_are_refused() {
        let check = |json: &str, want: &str| {
            let error = Forest::from_json(json, &["a"]).expect_err("it does not fit");
            assert!(error.to_string().contains(want), "{error}");
        };
        check("{}", "cannot be read");
        check(r#"{"features": ["c"], "trees": [], "slope": 1, "intercept": 0}"#, "\"c\"");
        check(
            r#"{"features": ["a"], "trees": [{"feature": [], "threshold": [], "left": [], "right": [], "value": []}],
               "slope": 1, "intercept": 0}"#,
            "tree 0",
        );
    }
}
