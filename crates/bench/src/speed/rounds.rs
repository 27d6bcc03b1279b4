//! Rounds: contestants take turns, so that a machine that is slow for a minute is slow for all of them.

use super::sample::Sample;
use crate::error::BenchError;

/// One who does the work.
pub(super) struct Contestant<'a> {
    pub(super) name: String,
    pub(super) run: Box<dyn FnMut() -> Result<Sample, BenchError> + 'a>,
}

/// The samples of one contestant, one a round.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) samples: Vec<Sample>,
}

/// A piece of work: who did it how fast. The first series is ours.
#[derive(Debug)]
pub(super) struct Race {
    pub(super) work: &'static str,
    pub(super) unit: &'static str,
    pub(super) series: Vec<Series>,
}

/// The middle of some values, and their ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Spread {
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let upper = values[values.len() / 2];
        let median = if values.len().is_multiple_of(2) {
            f64::midpoint(values[values.len() / 2 - 1], upper)
        } else {
            upper
        };
        Some(Self { median, min, max })
    }
}

/// Runs `rounds` rounds. Every other round goes through the contestants backwards.
pub(super) fn race(
    work: &'static str,
    unit: &'static str,
    rounds: usize,
    mut contestants: Vec<Contestant<'_>>,
) -> Result<Race, BenchError> {
    let mut series: Vec<Series> = contestants
        .iter()
        .map(|c| Series {
            name: c.name.clone(),
            samples: Vec::new(),
        })
        .collect();
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..contestants.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for at in order {
            series[at].samples.push((contestants[at].run)()?);
        }
        eprintln!("{work}: round {} of {rounds}", round + 1);
    }
    Ok(Race { work, unit, series })
}

impl Race {
    /// Our rate over that of another series, round by round.
    pub(super) fn ratio(&self, peer: &Series, rate: impl Fn(&Sample) -> Option<f64>) -> Option<Spread> {
        let ours = self.series.first()?;
        let pairs = ours.samples.iter().zip(&peer.samples);
        Spread::of(pairs.filter_map(|(o, p)| Some(rate(o)? / rate(p)?)))
    }
}

impl Series {
    pub(super) fn rates(&self, rate: impl Fn(&Sample) -> Option<f64>) -> Option<Spread> {
        Spread::of(self.samples.iter().filter_map(rate))
    }

    pub(super) fn peak_bytes(&self) -> Option<u64> {
        self.samples.iter().filter_map(|s| s.peak_bytes).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn sample(units: u64) -> Sample {
        Sample {
            seconds: 2.0,
            units,
            ..Sample::default()
        }
    }

    #[test]
    fn the_order_alternates_and_ratios_are_paired() {
        let seen = RefCell::new(String::new());
        let contestant = |name: &'static str, rates: [u64; 3]| {
            let mut rates = rates.into_iter();
            let seen = &seen;
            Contestant {
                name: name.to_owned(),
                run: Box::new(move || {
                    seen.borrow_mut().push_str(name);
                    Ok(sample(rates.next().unwrap_or(0)))
                }),
            }
        };
        let contestants = vec![contestant("a", [10, 20, 60]), contestant("b", [10, 40, 20])];
        let race = race("work", "pages", 3, contestants).expect("runs");
        assert_eq!(*seen.borrow(), "abbaab");
        let ratio = race.ratio(&race.series[1], Sample::rate).expect("a ratio");
        assert_eq!((ratio.min, ratio.median, ratio.max), (0.5, 1.0, 3.0));
        let rates = race.series[0].rates(Sample::rate).expect("rates");
        assert_eq!((rates.min, rates.median, rates.max), (5.0, 10.0, 30.0));
        assert_eq!(race.ratio(&race.series[1], Sample::cpu_rate), None);
    }

    #[test]
    fn medians() {
        let median = |values: &[f64]| Spread::of(values.iter().copied()).map(|s| s.median);
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(median(&[f64::NAN, 2.0]), Some(2.0));
    }
}
