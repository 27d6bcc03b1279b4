//! Reads gates against a list of numbers that can be one.

use super::{Gate, Side, Statistic};
use crate::EvalError;
use crate::metrics::{self, Direction, Range};

/// A number that can be a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Its name.
    pub key: String,
    /// Its range.
    pub range: Range,
    /// Which values are better; `None` if either may be.
    pub better: Option<Direction>,
    /// Whether it has a 95 % interval.
    pub interval: bool,
}

impl Known {
    /// A metric, under its key or that of its column.
    pub fn metric(key: &str, spec: &metrics::Spec) -> Self {
        Self { key: key.to_owned(), range: spec.range, better: Some(spec.direction), interval: true }
    }

    /// A share without an interval, 0 to 1, higher is better.
    pub fn share(key: &str) -> Self {
        Self { key: key.to_owned(), range: Range::UNIT, better: Some(Direction::Higher), interval: false }
    }

    /// A mean of 0 to 1 with an interval, higher is better.
    pub fn mean(key: &str) -> Self {
        Self { interval: true, ..Self::share(key) }
    }

    /// A number of 0 or more, lower is better.
    pub fn lower(key: &str) -> Self {
        Self {
            range: Range { low: 0.0, high: f64::INFINITY },
            better: Some(Direction::Lower),
            ..Self::share(key)
        }
    }
}

/// Reads `KEY=VALUE`.
///
/// # Errors
/// [`EvalError::Gate`] when it names nothing that is known, its value is no number in range, or the number is better on the other
/// side.
pub(super) fn read(
    gate: &str,
    side: Side,
    known: &[Known],
    example: &'static str,
) -> Result<Gate, EvalError> {
    let wrong = |reason: String| EvalError::Gate { gate: gate.to_owned(), reason, example };
    let (key, value) = gate.split_once('=').ok_or_else(|| wrong("it has no =".to_owned()))?;
    let (key, value) = (key.trim(), value.trim());
    let (metric, statistic) = match (key.strip_suffix(".ci_low"), key.strip_suffix(".ci_high")) {
        (Some(metric), _) => (metric, Statistic::CiLow),
        (_, Some(metric)) => (metric, Statistic::CiHigh),
        _ => (key, Statistic::Mean),
    };
    let metric = metrics::current(metric);
    let Some(found) = known.iter().find(|known| known.key == metric) else {
        let keys: Vec<&str> = known.iter().map(|known| known.key.as_str()).collect();
        let likeness = |key: &&str| strsim::jaro_winkler(key, metric);
        let near = keys.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let meant = near.filter(|key| likeness(key) > 0.85);
        let meant = meant.map(|key| format!("did you mean {key}? ")).unwrap_or_default();
        return Err(wrong(format!(
            "there is no metric {metric:?}; {meant}the metrics are {}",
            keys.join(", ")
        )));
    };
    if statistic != Statistic::Mean && !found.interval {
        return Err(wrong(format!("{metric} has no interval")));
    }
    match (side, found.better) {
        (Side::AtLeast, Some(Direction::Lower)) => {
            return Err(wrong(format!(
                "{metric} is better when lower, so a minimum demands nothing of it; use --max"
            )));
        }
        (Side::AtMost, Some(Direction::Higher)) => {
            return Err(wrong(format!(
                "{metric} is better when higher, so a maximum demands nothing of it; use --min"
            )));
        }
        _ => {}
    }
    let limit: f64 = value.parse().map_err(|_| wrong(format!("{value:?} is not a number")))?;
    let range = found.range;
    if !limit.is_finite() || !range.contains(limit) {
        return Err(wrong(if limit.is_finite() && range.high.is_infinite() {
            format!("{value} is less than {}", range.low)
        } else {
            format!("{value} is not between {range}")
        }));
    }
    Ok(Gate { metric: metric.to_owned(), statistic, side, limit })
}
