//! The numbers, names and symbols of a claim that the passage lacks.
//!
//! Numbers are looked up by value and unit. Units that measure the same are converted.

use super::prepared::PreparedPassage;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;
use text::WordList;
use text::entities::{EntityKind, entities};
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
    /// Whether one that is absent is in the passage with another word of scale: "1.5 million" for "1.5 thousand".
    pub(crate) rescaled: bool,
}

/// Compares numbers. `held` has those of the passage; `window` is the byte range of its best sentences.
pub(crate) fn numbers(claim: &str, held: &[Quantity], window: &Range<usize>) -> Numbers {
    let near: Vec<&Quantity> =
        held.iter().filter(|q| q.span.start >= window.start && q.span.end <= window.end).collect();
    let wanted = quantities(claim);
    let mut out = Numbers { claimed: wanted.len(), ..Numbers::default() };
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
            let bare = |q: &Quantity| q.value / q.scale.unwrap_or(1.0);
            let within = |a: f64, b: f64, by: f64| (a - b).abs() <= by * b.abs();
            // "2 million" for 1.98 million is rounded, though the passage has two towns as well.
            let is_close = held.iter().any(|h| within(h.value, q.value, 0.1));
            let rescaled = |h: &Quantity| h.scale != q.scale && within(bare(h), bare(q), 1e-9);
            out.rescaled |= !is_close && held.iter().any(rescaled);
            out.changed += usize::from(q.unit.is_some() && near.iter().any(|h| comparable(q, h)));
        }
    }
    out
}

/// Whether the writer says that the number is rounded: "about 5 %".
fn is_rounded(claim: &str, q: &Quantity) -> bool {
    static ROUNDING: WordList = WordList::new("about around approximately roughly nearly almost some circa");
    let before = claim[..q.span.start].trim_end();
    before.ends_with(['~', '≈'])
        || before
            .rsplit(|c: char| !c.is_alphanumeric())
            .find(|word| !word.is_empty())
            .is_some_and(|word| ROUNDING.contains(&word.to_lowercase()))
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
                (Some(a), Some(b)) if a.dimension == b.dimension => {
                    near(wanted.value * a.factor, held.value * b.factor, a.calendar || b.calendar)
                }
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
        let mut out = Self { dimension: String::new(), factor: 1.0, calendar: false };
        for (at, part) in unit.split('/').enumerate() {
            let (dimension, factor) = MEASURES.get(part)?;
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

/// What units measure, and their size in the first unit of that kind.
const UNITS: [(&str, &str); 11] = [
    ("mass", "g=1.0 kg=1e3 mg=1e-3 μg=1e-6 ng=1e-9 pg=1e-12 lb=453.592"),
    (
        "time",
        "s=1.0 ms=1e-3 min=60.0 h=3600.0 day=86400.0 week=604800.0 month=2629800.0 year=31557600.0 \
         decade=315576000.0",
    ),
    ("length", "m=1.0 km=1e3 cm=1e-2 mm=1e-3 μm=1e-6 nm=1e-9"),
    ("volume", "L=1.0 dL=0.1 mL=1e-3 μL=1e-6"),
    ("concentration", "M=1.0 mM=1e-3 μM=1e-6 nM=1e-9 pM=1e-12"),
    ("amount", "mol=1.0 mmol=1e-3 μmol=1e-6 nmol=1e-9 pmol=1e-12"),
    ("energy", "kcal=4184.0 cal=4.184 kJ=1e3 J=1.0"),
    ("power", "W=1.0 kW=1e3 mW=1e-3"),
    ("pressure", "Pa=1.0 kPa=1e3 MPa=1e6 mmHg=133.322"),
    ("share", "%=1.0 pp=1.0"),
    ("multiple", "fold=1.0 time=1.0"),
];

/// The kind and the size of each unit.
static MEASURES: LazyLock<HashMap<&str, (&str, f64)>> = LazyLock::new(|| {
    let of_kind = |(kind, units): &(&'static str, &'static str)| {
        let kind = *kind;
        let units = units.split_whitespace().filter_map(|unit| unit.split_once('='));
        units.filter_map(move |(unit, size)| Some((unit, (kind, size.parse().ok()?))))
    };
    UNITS.iter().flat_map(of_kind).collect()
});

/// Names and symbols that a passage lacks, as printed, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) absent: Vec<String>,
    pub(crate) symbols_absent: Vec<String>,
}

/// Looks the claim's names and symbols up in the whole passage.
pub(crate) fn names(claim: &str, passage: &PreparedPassage) -> Names {
    let mut out = Names::default();
    let named = entities(claim).into_iter();
    for e in named.filter(|e| e.kind != EntityKind::Number && !passage.ground.holds(e)) {
        let initials = e.text.trim_end_matches('s').to_lowercase();
        let spelled_out =
            initials.len() >= 3 && passage.sentences.iter().any(|s| s.initials.contains(&initials));
        let list = match e.kind {
            EntityKind::Symbol if spelled_out => continue,
            EntityKind::Symbol => &mut out.symbols_absent,
            _ => &mut out.absent,
        };
        if !list.contains(&e.text) {
            list.push(e.text);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::features::prepared::held;

    #[test]
    fn amounts_agree_across_units() {
        let check = |claim: &str, passage: &str, want: bool| {
            let wanted = quantities(claim);
            let q = wanted.first().expect("a number");
            let rounded = is_rounded(claim, q);
            assert_eq!(held(passage).iter().any(|h| agree(q, h, rounded)), want, "{claim:?} {passage:?}");
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
