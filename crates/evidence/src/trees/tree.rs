//! One tree.

use serde::Deserialize;

/// A tree. Splits are numbered from 0, the root. A child `c` is a split if it is 0 or more, else the leaf `-1 - c`.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Tree {
    /// The feature of each split.
    pub(crate) feature: Vec<usize>,
    /// Values up to and including this go left.
    pub(crate) threshold: Vec<f32>,
    pub(crate) left: Vec<i32>,
    pub(crate) right: Vec<i32>,
    /// The value of each leaf.
    pub(crate) value: Vec<f32>,
}

impl Tree {
    /// Returns the value of the leaf that `values` lead to. Missing values count as 0.
    pub(crate) fn value_of(&self, values: &[f32]) -> f32 {
        let mut at = 0;
        // Children stand behind their parents, so this ends.
        while let (Some(feature), Some(threshold)) = (self.feature.get(at), self.threshold.get(at)) {
            let value = values.get(*feature).copied().unwrap_or_default();
            let side = if value <= *threshold { &self.left } else { &self.right };
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

    /// Returns what is wrong with the tree, if anything. `features` is the number of features.
    pub(crate) fn fault(&self, features: usize) -> Option<String> {
        let splits = self.feature.len();
        if self.value.len() != splits + 1 {
            return Some(format!("{} leaves for {splits} splits", self.value.len()));
        }
        if [self.threshold.len(), self.left.len(), self.right.len()] != [splits; 3] {
            return Some("lists of different lengths".to_owned());
        }
        if let Some(feature) = self.feature.iter().find(|feature| **feature >= features) {
            return Some(format!("a split on feature {feature} of {features}"));
        }
        for side in [&self.left, &self.right] {
            for (parent, child) in side.iter().enumerate() {
                let (limit, place) = match usize::try_from(*child) {
                    Ok(split) => (splits, (split > parent).then_some(split)),
                    Err(_) => (splits + 1, usize::try_from(-1 - i64::from(*child)).ok()),
                };
                if place.is_none_or(|place| place >= limit) {
                    return Some(format!("split {parent} has the child {child}"));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        Tree {
            feature: vec![0, 1],
            threshold: vec![0.5, 2.0],
            left: vec![1, -1],
            right: vec![-3, -2],
            value: vec![1.0, 2.0, 3.0],
        }
    }

    #[test]
    fn a_tree_is_walked_by_hand() {
        for (values, want) in [([0.5, 2.0], 1.0), ([0.1, 2.1], 2.0), ([0.6, 0.0], 3.0)] {
            assert!((tree().value_of(&values) - want).abs() < 1e-6, "{values:?}");
        }
        let leaf = Tree { value: vec![0.25], ..Tree::default() };
        assert!((leaf.value_of(&[]) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn faults_are_found() {
        let check = |change: fn(&mut Tree), faulty: bool| {
            let mut tree = tree();
            change(&mut tree);
            assert_eq!(tree.fault(2).is_some(), faulty, "{tree:?}");
        };
        check(|_| (), false);
        check(|t| t.feature[0] = 2, true);
        check(|t| t.left[1] = 1, true);
        check(|t| t.right[0] = -4, true);
        check(|t| t.value.push(0.0), true);
        check(|t| t.threshold.clear(), true);
    }
}
