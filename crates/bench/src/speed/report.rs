//! Results as tables and as JSON.

use super::rounds::{Race, Series, Spread};
use super::sample::Sample;
use super::whole::Whole;
use crate::output::table;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write};

/// Everything that was measured.
pub(super) struct Report<'a> {
    pub(super) races: &'a [Race],
    pub(super) whole: Option<&'a Whole>,
    pub(super) machine: &'a Value,
    pub(super) files: usize,
    pub(super) rounds: usize,
    pub(super) load_after: Option<f64>,
}

impl Report<'_> {
    /// The JSON document.
    pub(super) fn json(&self) -> Value {
        let whole = self
            .whole
            .map(|w| json!({ "seconds": w.sample.seconds, "summary": w.summary }));
        json!({
            "machine": self.machine,
            "load_after": self.load_after,
            "files": self.files,
            "rounds": self.rounds,
            "versions": self.versions(),
            "races": self.races.iter().map(race).collect::<Vec<_>>(),
            "whole": whole,
        })
    }

    /// The tables for people.
    pub(super) fn tables(&self, markdown: bool) -> String {
        let words = [
            "work",
            "who",
            "a second",
            "min to max",
            "a CPU second",
            "ours/it",
            "min to max",
            "CPU ours/it",
            "peak MiB",
        ];
        let mut rows = vec![words.iter().map(|&w| w.to_owned()).collect()];
        for race in self.races {
            rows.extend(
                race.series
                    .iter()
                    .enumerate()
                    .map(|(i, series)| row(race, i, series)),
            );
        }
        let mut out = if self.races.is_empty() {
            String::new()
        } else {
            table(&rows, markdown)
        };
        if let Some(whole) = self.whole {
            let _ = writeln!(out, "\n{}", sentence(whole));
        }
        let machine = |key: &str| match self.machine.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => "unknown".to_owned(),
            Some(other) => other.to_string(),
        };
        let versions: Vec<String> = self.versions().iter().map(|(k, v)| format!("{k} {v}")).collect();
        let _ = writeln!(
            out,
            "\n{} files, {} rounds, medians; {} ({} cores, {} MiB), {}-{}; commit {}{}; load {} before, {} after{}{}.",
            self.files,
            self.rounds,
            machine("processor"),
            machine("cores"),
            machine("memory_mib"),
            machine("system"),
            machine("architecture"),
            machine("commit"),
            if cfg!(debug_assertions) {
                ", DEBUG BUILD"
            } else {
                ""
            },
            machine("load"),
            self.load_after
                .map_or_else(|| "unknown".to_owned(), |l| l.to_string()),
            if versions.is_empty() {
                "; no Python peers"
            } else {
                "; "
            },
            versions.join(", "),
        );
        out
    }

    fn versions(&self) -> BTreeMap<String, String> {
        let samples = self.races.iter().flat_map(|r| &r.series).flat_map(|s| &s.samples);
        samples.flat_map(|s| s.versions.clone()).collect()
    }
}

fn row(race: &Race, at: usize, series: &Series) -> Vec<String> {
    let rate = series.rates(Sample::rate);
    let peer = at > 0;
    let ratio = race.ratio(series, Sample::rate).filter(|_| peer);
    let cpu = race.ratio(series, Sample::cpu_rate).filter(|_| peer);
    let ends = |spread: Option<Spread>, number: fn(f64) -> String| {
        spread.map_or_else(String::new, |s| format!("{} to {}", number(s.min), number(s.max)))
    };
    let middle = |spread: Option<Spread>, number: fn(f64) -> String| {
        spread.map_or_else(String::new, |s| number(s.median))
    };
    vec![
        if at == 0 {
            format!("{} ({})", race.work, race.unit)
        } else {
            String::new()
        },
        series.name.clone(),
        middle(rate, whole_number),
        ends(rate, whole_number),
        middle(series.rates(Sample::cpu_rate), whole_number),
        middle(ratio, two_places),
        ends(ratio, two_places),
        middle(cpu, two_places),
        series
            .peak_bytes()
            .map_or_else(String::new, |b| (b >> 20).to_string()),
    ]
}

fn whole_number(value: f64) -> String {
    format!("{value:.0}")
}

fn two_places(value: f64) -> String {
    format!("{value:.2}")
}

/// The whole in a sentence.
fn sentence(whole: &Whole) -> String {
    let number = |key: &str| whole.summary.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    let mib = |key: &str| number(key) / f64::from(1 << 20);
    format!(
        "The whole, cold, into a new index: {:.1} s for {} pages, of them {:.1} s reading and {:.1} s cutting, embedding \
         ({} texts) and writing; peak {:.0} MiB in the parent, {:.0} MiB in a worker.",
        whole.sample.seconds,
        whole.sample.units,
        number("read_seconds"),
        number("embed_seconds"),
        number("embedded_texts"),
        mib("peak_bytes"),
        mib("worker_peak_bytes"),
    )
}

fn race(race: &Race) -> Value {
    let spread =
        |spread: Option<Spread>| spread.map(|s| json!({ "median": s.median, "min": s.min, "max": s.max }));
    let series = |(at, series): (usize, &Series)| {
        json!({
            "name": series.name,
            "rate": spread(series.rates(Sample::rate)),
            "cpu_rate": spread(series.rates(Sample::cpu_rate)),
            "ours_over_it": spread(race.ratio(series, Sample::rate).filter(|_| at > 0)),
            "ours_over_it_cpu": spread(race.ratio(series, Sample::cpu_rate).filter(|_| at > 0)),
            "peak_bytes": series.peak_bytes(),
            "seconds": series.samples.iter().map(|s| s.seconds).collect::<Vec<_>>(),
            "units": series.samples.iter().map(|s| s.units).collect::<Vec<_>>(),
        })
    };
    json!({
        "work": race.work,
        "unit": race.unit,
        "series": race.series.iter().enumerate().map(series).collect::<Vec<_>>(),
    })
}
