//! Gradient-boosted trees (Friedman 2001) that were fitted with LightGBM, read from JSON. `evidence` and `support` use them
//! for their small fitted models.
//!
//! Evaluating such trees takes a few lines, so no library is needed. This crate does not fit trees: the crates that use
//! them have scripts for that.
//!
//! ```
//! let json = r#"{"features": ["b"], "trees": [
//!     {"feature": [0], "threshold": [0.5], "left": [-1], "right": [-2], "value": [-1.0, 2.0]}
//! ], "slope": 1.0, "intercept": 0.5}"#;
//! let forest = trees::Forest::from_json(json, &["a", "b"]).expect("a valid file");
//! assert_eq!(forest.score(&[0.0, 0.5]), -1.0);
//! assert_eq!(forest.score(&[0.0, 0.6]), 2.0);
//! assert_eq!(forest.logit(&[0.0, 0.6]), 2.5);
//! ```

mod forest;
mod tree;

pub use forest::{Forest, ForestError};

/// Returns `1 / (1 + exp(-x))`.
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Declares the features of a model once: as fields of a struct, as a list of names, and as a list of values in the same
/// order.
#[macro_export]
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
