//! Numbers as people read them.

pub(crate) use types::words::{NAMED, first_of};

/// "1 file", "2 files", "3 queries".
pub(crate) fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = self::number(number);
    match noun.strip_suffix("ry") {
        _ if number == "1" => format!("1 {noun}"),
        Some(stem) => format!("{number} {stem}ries"),
        None => format!("{number} {noun}s"),
    }
}

/// The text if the condition holds, else nothing.
pub(crate) fn when(holds: bool, text: &str) -> &str {
    if holds { text } else { "" }
}

/// A number with its thousands apart.
pub(crate) fn number(number: impl TryInto<u64>) -> String {
    types::words::thousands(number.try_into().unwrap_or(u64::MAX))
}

/// A value with so many decimal places, or "n/a".
pub(crate) fn value(value: Option<f64>, places: usize) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.places$}"))
}

/// `[0.300, 0.345]`; empty if an end is not known.
pub(crate) fn interval(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("[{low:.3}, {high:.3}]"),
        _ => String::new(),
    }
}

/// `+0.021 [+0.010, +0.032]`, or "n/a".
pub(crate) fn difference(delta: Option<f64>, low: Option<f64>, high: Option<f64>) -> String {
    match (delta, low, high) {
        (Some(delta), Some(low), Some(high)) => format!("{delta:+.3} [{low:+.3}, {high:+.3}]"),
        (Some(delta), ..) => format!("{delta:+.3}"),
        _ => "n/a".to_owned(),
    }
}

/// `p = 0.012`, `p < 0.0001`; so many decimal places.
pub(crate) fn p_value(p: f64, places: usize) -> String {
    let least = 0.1_f64.powi(i32::try_from(places).unwrap_or(i32::MAX));
    if p < least {
        format!("p < {least:.places$}")
    } else {
        format!("p = {p:.places$}")
    }
}

/// Lines of one list on a terminal; scripts get all items as JSON.
pub(crate) const LINES: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_number() {
        assert_eq!(count(1_u64, "file"), "1 file");
        assert_eq!(count(0_usize, "file"), "0 files");
        assert_eq!(count(2_000_u32, "query"), "2,000 queries");
        assert_eq!(
            (p_value(0.05, 3), p_value(0.0, 4)),
            ("p = 0.050".to_owned(), "p < 0.0001".to_owned())
        );
    }
}
