//! Which values a setting takes, and every combination of them.

use crate::stats::Draws;
use std::collections::BTreeSet;

/// The most values of a range.
const MOST_VALUES: usize = 10_000;
/// Characters of a number of a range: with as many decimal places more it is still an `i128`.
const LONGEST: usize = 18;

/// What is wrong with the values to vary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// Not `KEY=VALUES`.
    #[error("{0:?} is not of the form KEY=VALUES")]
    Form(String),
    /// A range that cannot be read.
    #[error("{text:?} is not a range: {reason}")]
    Range {
        /// As given.
        text: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// A range with too many values.
    #[error("{text:?} has {size} values, more than {MOST_VALUES}")]
    Values {
        /// As given.
        text: String,
        /// Values.
        size: usize,
    },
    /// A value that is empty.
    #[error("{0:?} has an empty value")]
    Empty(String),
    /// A value that stands twice.
    #[error("{key} has the value {value} twice")]
    Twice {
        /// The setting.
        key: String,
        /// The value.
        value: String,
    },
    /// A setting that is varied twice.
    #[error("{0} is varied twice; put all of its values into one --vary")]
    Repeated(String),
    /// More combinations than allowed.
    #[error("the grid has {size} combinations, more than {limit}")]
    Size {
        /// Combinations.
        size: String,
        /// The most that are allowed.
        limit: usize,
    },
}

/// One setting with the values that it takes, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The setting, `section.key`.
    pub key: String,
    /// Its values as written, each once.
    pub values: Vec<String>,
}

impl Axis {
    /// Reads `KEY=A:B:STEP`, numbers from A to B with both ends, or `KEY=V,V,V`.
    ///
    /// # Errors
    /// When it is neither, a value is empty or stands twice, or a range has more than 10,000 values.
    pub fn parse(text: &str) -> Result<Self, GridError> {
        let (key, values) = text.split_once('=').ok_or_else(|| GridError::Form(text.to_owned()))?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() || values.is_empty() {
            return Err(GridError::Form(text.to_owned()));
        }
        let values = match range(text, values)? {
            Some(values) => values,
            None => values.split(',').map(|value| value.trim().to_owned()).collect(),
        };
        let mut seen = BTreeSet::new();
        for value in &values {
            if value.is_empty() {
                return Err(GridError::Empty(text.to_owned()));
            }
            if !seen.insert(value) {
                let (key, value) = (key.to_owned(), value.clone());
                return Err(GridError::Twice { key, value });
            }
        }
        Ok(Self { key: key.to_owned(), values })
    }
}

/// The values of a range; `None` if the text is none, such as `llama3:8b`.
fn range(text: &str, values: &str) -> Result<Option<Vec<String>>, GridError> {
    let parts: Vec<&str> = values.split(':').map(str::trim).collect();
    let numbers: Vec<Option<(i128, usize)>> = parts.iter().map(|part| decimal(part)).collect();
    let wrong = |reason| Err(GridError::Range { text: text.to_owned(), reason });
    match numbers.as_slice() {
        [Some((start, of_start)), Some((end, of_end)), Some((step, of_step))] => {
            if parts.iter().any(|part| part.len() > LONGEST) {
                return wrong("a number has more than 18 characters");
            }
            // With the places of the most exact number: 0.7 - 0.3 is 4 steps of 0.1.
            let places = *of_start.max(of_step);
            let finest = places.max(*of_end);
            let at = |units: &i128, own: usize| units * 10_i128.pow((finest - own) as u32);
            let (start, end, step) = (at(start, *of_start), at(end, *of_end), at(step, *of_step));
            if step <= 0 {
                return wrong("STEP must be more than 0");
            }
            if start > end {
                return wrong("the first number is above the second");
            }
            let steps = usize::try_from((end - start) / step).unwrap_or(usize::MAX);
            if steps >= MOST_VALUES {
                return Err(GridError::Values { text: text.to_owned(), size: steps.saturating_add(1) });
            }
            let left_out = 10_i128.pow((finest - places) as u32);
            let value = |n: usize| written((start + step * n as i128) / left_out, places);
            Ok(Some((0..=steps).map(value).collect()))
        }
        [Some(_), Some(_)] => wrong("STEP is missing"),
        [Some(_), _, ..] if parts.len() > 1 => wrong("three numbers are needed, without exponents"),
        _ => Ok(None),
    }
}

/// The digits of a number as one writes it, without an exponent, and how many of them are decimal places.
fn decimal(text: &str) -> Option<(i128, usize)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number =
        [whole, part].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let places = digits.split_once('.').map_or(0, |(_, part)| part.len());
    // More digits than fit are refused.
    is_number.then(|| (text.replacen('.', "", 1).parse().unwrap_or_default(), places))
}

/// The number with so many decimal places.
fn written(units: i128, places: usize) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let digits = format!("{:0>1$}", units.unsigned_abs(), places + 1);
    let (whole, part) = digits.split_at(digits.len() - places);
    let point = if places > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{part}")
}

/// Settings with their values. Combinations are numbered from 0; the values of the last axis change first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The settings, each once.
    pub axes: Vec<Axis>,
    /// The combinations, as the place of the value of each axis.
    pub combinations: Vec<Vec<usize>>,
}

impl Grid {
    /// Every combination, or `sample` of them drawn by `seed`, in the order of the grid.
    ///
    /// # Errors
    /// When a setting stands twice, or there are more than `limit` combinations to evaluate.
    pub fn new(axes: Vec<Axis>, sample: Option<usize>, limit: usize, seed: u64) -> Result<Self, GridError> {
        let mut seen = BTreeSet::new();
        if let Some(axis) = axes.iter().find(|axis| !seen.insert(axis.key.as_str())) {
            return Err(GridError::Repeated(axis.key.clone()));
        }
        let size = axes
            .iter()
            .try_fold(1_usize, |size, axis| size.checked_mul(axis.values.len()))
            .ok_or_else(|| GridError::Size { size: "too many".to_owned(), limit })?;
        let wanted = sample.map_or(size, |sample| sample.min(size));
        if wanted > limit {
            let size = wanted.to_string();
            return Err(GridError::Size { size, limit });
        }
        let numbers: BTreeSet<usize> =
            if wanted == size { (0..size).collect() } else { drawn(wanted, size, seed) };
        let combinations = numbers.into_iter().map(|number| places(&axes, number)).collect();
        Ok(Self { axes, combinations })
    }

    /// The settings of a combination as `(key, value)`, in the order of the axes.
    pub fn settings(&self, combination: usize) -> Vec<(&str, &str)> {
        let places = self.combinations.get(combination).map_or(&[][..], Vec::as_slice);
        let pairs = self.axes.iter().zip(places);
        pairs
            .filter_map(|(axis, place)| Some((axis.key.as_str(), axis.values.get(*place)?.as_str())))
            .collect()
    }
}

/// `wanted` different numbers below `size` (Floyd 1987), each set as likely as any other.
fn drawn(wanted: usize, size: usize, seed: u64) -> BTreeSet<usize> {
    let mut draws = Draws::new(seed);
    let mut out = BTreeSet::new();
    for last in size - wanted..size {
        let draw = draws.below(last + 1);
        out.insert(if out.contains(&draw) { last } else { draw });
    }
    out
}

/// The combination with this number.
fn places(axes: &[Axis], mut number: usize) -> Vec<usize> {
    let mut out = vec![0; axes.len()];
    for (place, axis) in out.iter_mut().zip(axes).rev() {
        *place = number % axis.values.len();
        number /= axis.values.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_ranges_or_lists() {
        let check = |text: &str, want: &[&str]| {
            let axis = Axis::parse(text).expect(text);
            assert_eq!(
                (axis.key.as_str(), axis.values),
                ("a.b", want.iter().map(|v| (*v).to_owned()).collect())
            );
        };
        check("a.b=0.3:0.7:0.1", &["0.3", "0.4", "0.5", "0.6", "0.7"]);
        check("a.b=1:6:2", &["1", "3", "5"]);
        check("a.b=-1.5:0:0.75", &["-1.50", "-0.75", "0.00"]);
        check("a.b=0.000001:0.000003:0.000001", &["0.000001", "0.000002", "0.000003"]);
        check("a.b=-0.0:0.25:0.1", &["0.0", "0.1", "0.2"]);
        let long = ["123456789012345678", "123456789012345679", "123456789012345680"];
        check(&format!("a.b={}:{}:1", long[0], long[2]), &long);
        let fine = ["900000000000000.0", "900000000000000.1"];
        check(&format!("a.b={}:{}5:0.1", fine[0], fine[1]), &fine);
        let listed = ["-0.0", "0.12345678901234567890"];
        check(&format!("a.b={}", listed.join(",")), &listed);
        check("a.b = 4, 6,8", &["4", "6", "8"]);
        check("a.b=true,false", &["true", "false"]);
        check("a.b=llama3:8b,qwen:1.5b", &["llama3:8b", "qwen:1.5b"]);
        check("a.b=0.5:0.5:0.1", &["0.5"]);
    }

    #[test]
    fn what_is_no_list_of_values_is_refused() {
        let check = |text: &str, says: &str| {
            let error = Axis::parse(text).expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        };
        check("a.b", "KEY=VALUES");
        check("=1", "KEY=VALUES");
        check("a.b=", "KEY=VALUES");
        check("a.b=0.3:0.7", "STEP is missing");
        check("a.b=0.3:0.7:0", "more than 0");
        check("a.b=0.3:0.7:-0.1", "more than 0");
        check("a.b=0.7:0.3:0.1", "above the second");
        check("a.b=0:1:1e-3", "without exponents");
        check("a.b=0:1:0.00001", "100001 values, more than 10000");
        check("a.b=0:1234567890123456789:1", "more than 18 characters");
        check(&format!("a.b=0:{}:1", "9".repeat(50)), "more than 18 characters");
        check("a.b=1,,2", "empty value");
        check("a.b=1,2,1", "1 twice");
    }

    fn axes(sizes: &[usize]) -> Vec<Axis> {
        let axis = |(at, size): (usize, &usize)| Axis {
            key: format!("k.{at}"),
            values: (0..*size).map(|v| v.to_string()).collect(),
        };
        sizes.iter().enumerate().map(axis).collect()
    }

    #[test]
    fn combinations_are_whole_and_in_order() {
        let grid = Grid::new(axes(&[2, 3]), None, 6, 1).expect("a grid");
        assert_eq!(grid.combinations, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(grid.settings(4), [("k.0", "1"), ("k.1", "1")]);
        let error = Grid::new(axes(&[2, 3]), None, 5, 1).expect_err("too many");
        assert_eq!(error, GridError::Size { size: "6".to_owned(), limit: 5 });
        let mut twice = axes(&[2, 2]);
        twice[1].key = "k.0".to_owned();
        assert!(matches!(Grid::new(twice, None, 9, 1), Err(GridError::Repeated(_))));
        assert!(Grid::new(axes(&[2; 70]), Some(3), 9, 1).is_err(), "more than can be numbered");
    }

    proptest! {
        #[test]
        fn a_sample_is_part_of_the_grid(sizes in prop::collection::vec(1usize..6, 1..4), sample in 1usize..20, seed: u64) {
            let whole = Grid::new(axes(&sizes), None, 1000, seed).expect("a grid");
            let part = Grid::new(axes(&sizes), Some(sample), 20, seed).expect("a sample");
            prop_assert_eq!(part.combinations.len(), sample.min(whole.combinations.len()));
            prop_assert!(part.combinations.is_sorted());
            prop_assert!(part.combinations.iter().all(|c| whole.combinations.contains(c)));
            prop_assert_eq!(&Grid::new(axes(&sizes), Some(sample), 20, seed).expect("a sample"), &part);
        }
    }
}
