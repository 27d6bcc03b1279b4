//! Looks up the numbers of a claim in a passage, by value and unit. Units that measure the same are converted.

use std::ops::Range;
use text::numbers::{Quantity, quantities};

/// Where the numbers of a claim were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Numbers {
    /// How many the claim has.
    pub(crate) claimed: usize,
    /// Those nowhere in the passage, as printed.
    pub(crate) absent: Vec<String>,
    /// Those in the passage, but not in the best sentences.
    pub(crate) elsewhere: Vec<String>,
    /// Absent numbers with a unit for which the best sentences have another value.
    pub(crate) changed: usize,
}

/// Compares numbers. `held` has those of the passage; `window` is the byte range of its best sentences.
pub(crate) fn compare(claim: &str, held: &[Quantity], window: &Range<usize>) -> Numbers {
    let near: Vec<&Quantity> = held
        .iter()
        .filter(|q| q.span.start >= window.start && q.span.end <= window.end)
        .collect();
    let wanted = quantities(claim);
    let mut out = Numbers {
        claimed: wanted.len(),
        ..Numbers::default()
    };
    for q in &wanted {
        let rounded = is_rounded(claim, q);
        let same = |h: &Quantity| agree(q, h, rounded);
        let printed = || claim[q.span.clone()].to_owned();
        if near.iter().any(|h| same(h)) {
            continue;
        }
        if held.iter().any(same) {
            out.elsewhere.push(printed());
        } else if !q.spelled || held.iter().any(|h| comparable(q, h)) {
            // "two groups" may be counted by the writer; "two weeks" beside "six weeks" is not.
            out.absent.push(printed());
            out.changed += usize::from(q.unit.is_some() && near.iter().any(|h| comparable(q, h)));
        }
    }
    out
}

/// Returns the numbers of a passage, including words for a share or a multiple such as "half" or "twice".
pub(crate) fn held(passage: &str) -> Vec<Quantity> {
    let mut out = quantities(passage);
    for span in text::words(passage) {
        let word = passage[span.clone()].to_lowercase();
        let Some((_, value, unit)) = WORDS.iter().find(|(name, _, _)| *name == word) else {
            continue;
        };
        out.push(Quantity {
            span: span.clone(),
            number: span,
            value: *value,
            unit: Some((*unit).to_owned()).filter(|unit| !unit.is_empty()),
            spelled: true,
        });
    }
    out
}

const WORDS: &[(&str, f64, &str)] = &[
    ("half", 50.0, "%"),
    ("quarter", 25.0, "%"),
    ("doubled", 2.0, "fold"),
    ("twice", 2.0, "fold"),
    ("twofold", 2.0, "fold"),
    ("tripled", 3.0, "fold"),
    ("threefold", 3.0, "fold"),
    ("weekly", 1.0, "week"),
    ("one", 1.0, ""),
];

/// Whether the writer says that the number is rounded: "about 5 %".
fn is_rounded(claim: &str, q: &Quantity) -> bool {
    const ROUNDING: [&str; 8] = [
        "about",
        "around",
        "approximately",
        "roughly",
        "nearly",
        "almost",
        "some",
        "circa",
    ];
    let before = claim[..q.span.start].trim_end();
    before.ends_with(['~', '≈'])
        || before
            .rsplit(|c: char| !c.is_alphanumeric())
            .find(|word| !word.is_empty())
            .is_some_and(|word| ROUNDING.contains(&word.to_lowercase().as_str()))
}

/// Whether two quantities are the same amount after conversion of units. Calendar units and rounded numbers may differ by
/// a tenth.
pub(crate) fn agree(wanted: &Quantity, held: &Quantity, rounded: bool) -> bool {
    if wanted.agrees(held) {
        return true;
    }
    let tolerance = |calendar: bool| if rounded || calendar { 0.1 } else { 0.005 };
    let near = |a: f64, b: f64, calendar: bool| (a - b).abs() <= tolerance(calendar) * a.abs().max(b.abs());
    match (&wanted.unit, &held.unit) {
        (Some(a), Some(b)) if a != b => {
            if let (Some(a), Some(b)) = (celsius(wanted), celsius(held)) {
                return (a - b).abs() <= 0.6;
            }
            match (Measure::of(a), Measure::of(b)) {
                (Some(a), Some(b)) if a.dimension == b.dimension => near(
                    wanted.value * a.factor,
                    held.value * b.factor,
                    a.calendar || b.calendar,
                ),
                _ => false,
            }
        }
        (a, b) => a == b && rounded && near(wanted.value, held.value, false),
    }
}

/// Whether two quantities measure the same kind of thing.
fn comparable(a: &Quantity, b: &Quantity) -> bool {
    if a.unit == b.unit {
        return true;
    }
    match (&a.unit, &b.unit) {
        (Some(x), Some(y)) => match (Measure::of(x), Measure::of(y)) {
            (Some(x), Some(y)) => x.dimension == y.dimension,
            _ => celsius(a).is_some() && celsius(b).is_some(),
        },
        _ => false,
    }
}

fn celsius(q: &Quantity) -> Option<f64> {
    match q.unit.as_deref()? {
        "°C" => Some(q.value),
        "°F" => Some((q.value - 32.0) / 1.8),
        _ => None,
    }
}

/// What a unit measures, and its size.
#[derive(Clone, Debug, PartialEq)]
struct Measure {
    /// Such as `mass/time`.
    dimension: String,
    factor: f64,
    /// Weeks, months and years are not exact multiples of each other.
    calendar: bool,
}

impl Measure {
    /// Returns `None` for a unit that cannot be converted.
    fn of(unit: &str) -> Option<Self> {
        let mut out = Self {
            dimension: String::new(),
            factor: 1.0,
            calendar: false,
        };
        for (at, part) in unit.split('/').enumerate() {
            let (_, dimension, factor) = UNITS.iter().find(|(name, _, _)| *name == part)?;
            if at > 0 {
                out.dimension.push('/');
            }
            out.dimension.push_str(dimension);
            out.factor = if at == 0 { *factor } else { out.factor / factor };
            out.calendar |= matches!(part, "week" | "month" | "year");
        }
        Some(out)
    }
}

/// Unit, what it measures, and its size in the first unit of that kind.
const UNITS: &[(&str, &str, f64)] = &[
    ("g", "mass", 1.0),
    ("kg", "mass", 1e3),
    ("mg", "mass", 1e-3),
    ("μg", "mass", 1e-6),
    ("ng", "mass", 1e-9),
    ("pg", "mass", 1e-12),
    ("lb", "mass", 453.592),
    ("s", "time", 1.0),
    ("ms", "time", 1e-3),
    ("min", "time", 60.0),
    ("h", "time", 3600.0),
    ("day", "time", 86_400.0),
    ("week", "time", 604_800.0),
    ("month", "time", 2_629_800.0),
    ("year", "time", 31_557_600.0),
    ("decade", "time", 315_576_000.0),
    ("m", "length", 1.0),
    ("km", "length", 1e3),
    ("cm", "length", 1e-2),
    ("mm", "length", 1e-3),
    ("μm", "length", 1e-6),
    ("nm", "length", 1e-9),
    ("L", "volume", 1.0),
    ("dL", "volume", 0.1),
    ("mL", "volume", 1e-3),
    ("μL", "volume", 1e-6),
    ("M", "concentration", 1.0),
    ("mM", "concentration", 1e-3),
    ("μM", "concentration", 1e-6),
    ("nM", "concentration", 1e-9),
    ("pM", "concentration", 1e-12),
    ("mol", "amount", 1.0),
    ("mmol", "amount", 1e-3),
    ("μmol", "amount", 1e-6),
    ("nmol", "amount", 1e-9),
    ("pmol", "amount", 1e-12),
    ("kcal", "energy", 4184.0),
    ("cal", "energy", 4.184),
    ("kJ", "energy", 1e3),
    ("J", "energy", 1.0),
    ("W", "power", 1.0),
    ("kW", "power", 1e3),
    ("mW", "power", 1e-3),
    ("Pa", "pressure", 1.0),
    ("kPa", "pressure", 1e3),
    ("MPa", "pressure", 1e6),
    ("mmHg", "pressure", 133.322),
    ("%", "share", 1.0),
    ("pp", "share", 1.0),
    ("fold", "multiple", 1.0),
    ("time", "multiple", 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_agree_across_units() {
        let check = |claim: &str, passage: &str, want: bool| {
            let wanted = quantities(claim);
            let q = wanted.first().expect("a number");
            let rounded = is_rounded(claim, q);
            assert_eq!(
                held(passage).iter().any(|h| agree(q, h, rounded)),
                want,
                "{claim:?} {passage:?}"
            );
        };
        check("1.5 g of salt", "1500 mg of salt", true);
        check("1.5 g of salt", "1400 mg of salt", false);
        check("12 weeks", "3 months", true);
        check("12 weeks", "6 months", false);
        check("about 5%", "5.2%", true);
        check("5%", "5.2%", false);
        check("50% of mice", "half of the mice", true);
        check("2-fold", "it doubled", true);
        check("37 °C", "98.6 °F", true);
        check("150 mg/day", "0.15 g/day", true);
        check("150 mg/day", "150 mg/kg", false);
        check("30 minutes", "30 hours", false);
    }
}
