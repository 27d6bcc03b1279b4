//! Gradient-boosted trees (Friedman 2001) that were fitted with LightGBM, read from JSON: the small models of this crate.
//!
//! Evaluating such trees takes a few lines, so no library is needed. The scripts in `fit/` fit them.

mod forest;
mod tree;

pub(crate) use forest::Forest;

/// Returns `1 / (1 + exp(-x))`.
pub(crate) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
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
