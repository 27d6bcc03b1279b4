//! Ranges of settings. Each settings type checks the ranges of its own fields.

use std::{fmt::Display, ops::RangeInclusive};

/// A field of a settings type is outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {limit}, got {value}")]
pub struct OutOfRange {
    /// The field, as named in the settings.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// What is allowed.
    pub limit: String,
}

impl OutOfRange {
    /// An error for this field, its value and what is allowed.
    pub fn new(field: &'static str, value: impl Display, limit: impl Into<String>) -> Self {
        Self {
            field,
            value: value.to_string(),
            limit: limit.into(),
        }
    }
}

/// Settings that can check their own ranges.
pub trait Ranges {
    /// Checks every field.
    ///
    /// # Errors
    /// For the first field outside its range.
    fn check_ranges(&self) -> Result<(), OutOfRange>;
}

/// Checks a share or weight: `0..=1`.
///
/// # Errors
/// When it is outside, or not a number.
pub fn share(field: &'static str, value: f32) -> Result<(), OutOfRange> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(OutOfRange::new(field, value, "finite and in [0, 1]"))
    }
}

/// Checks for a finite number of at least `least`.
///
/// # Errors
/// When it is lower, or not finite.
pub fn at_least(field: &'static str, value: f32, least: f32) -> Result<(), OutOfRange> {
    if value.is_finite() && value >= least {
        Ok(())
    } else {
        Err(OutOfRange::new(
            field,
            value,
            format!("finite and at least {least}"),
        ))
    }
}

/// Checks for a whole number of at least 1.
///
/// # Errors
/// When it is 0.
pub fn positive<N: Default + PartialEq + Display>(field: &'static str, value: N) -> Result<(), OutOfRange> {
    if value == N::default() {
        Err(OutOfRange::new(field, value, "at least 1"))
    } else {
        Ok(())
    }
}

/// Checks for a whole number in `range`.
///
/// # Errors
/// When it is outside.
pub fn within<N: PartialOrd + Display>(
    field: &'static str,
    value: N,
    range: &RangeInclusive<N>,
) -> Result<(), OutOfRange> {
    if range.contains(&value) {
        return Ok(());
    }
    let limit = format!("in {}..={}", range.start(), range.end());
    Err(OutOfRange::new(field, value, limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_outside_its_range_is_named_with_the_range() {
        let check = |result: Result<(), OutOfRange>, want: &str| {
            assert_eq!(result.map_err(|e| e.to_string()), Err(want.to_owned()));
        };
        check(share("w", 1.5), "w must be finite and in [0, 1], got 1.5");
        check(share("w", f32::NAN), "w must be finite and in [0, 1], got NaN");
        check(
            at_least("k1", -1.0, 0.0),
            "k1 must be finite and at least 0, got -1",
        );
        check(positive("n", 0_u32), "n must be at least 1, got 0");
        check(within("n", 1, &(2..=255)), "n must be in 2..=255, got 1");
        for good in [
            share("w", 0.0),
            share("w", 1.0),
            at_least("k1", 0.0, 0.0),
            positive("n", 1),
            within("n", 255, &(2..=255)),
        ] {
            assert_eq!(good, Ok(()));
        }
    }
}
