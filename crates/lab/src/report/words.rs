//! Numbers as people read them.

use eval::{Comparison, MetricSummary};
pub use types::words::{NAMED, first_of};

/// What stands where there is no number.
pub const NONE: &str = "–";

/// "1 file", "2 files", "3 queries".
pub fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = self::number(number);
    match noun.strip_suffix("ry") {
        _ if number == "1" => format!("1 {noun}"),
        Some(stem) => format!("{number} {stem}ries"),
        None => format!("{number} {noun}s"),
    }
}

/// The text if the condition holds, else nothing.
pub fn when(holds: bool, text: &str) -> &str {
    if holds { text } else { "" }
}

/// A number with its thousands apart.
pub fn number(number: impl TryInto<u64>) -> String {
    types::words::thousands(number.try_into().unwrap_or(u64::MAX))
}

/// A value with so many decimal places, or "n/a".
pub fn value(value: Option<f64>, places: usize) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.places$}"))
}

/// `[0.300, 0.345]`; empty if an end is not known.
pub fn interval(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("[{low:.3}, {high:.3}]"),
        _ => String::new(),
    }
}

/// `+0.021 [+0.010, +0.032]`, or "n/a".
pub fn difference(delta: Option<f64>, low: Option<f64>, high: Option<f64>) -> String {
    match (delta, low, high) {
        (Some(delta), Some(low), Some(high)) => format!("{delta:+.3} [{low:+.3}, {high:+.3}]"),
        (Some(delta), ..) => format!("{delta:+.3}"),
        _ => "n/a".to_owned(),
    }
}

/// What is said of something, or a dash where it is not there.
pub fn or_none<T>(found: Option<T>, text: impl Fn(T) -> String) -> String {
    found.map_or_else(|| NONE.to_owned(), text)
}

/// With a sign, and without the minus of a rounded zero.
pub fn signed(value: f64) -> String {
    let text = format!("{value:+.3}");
    if text == "-0.000" { "+0.000".to_owned() } else { text }
}

/// `0.756 [0.70, 0.81] n 105`, with the rows that should have a value and have none.
pub fn mean_of(metric: &MetricSummary) -> String {
    let errors =
        if metric.errors > 0 { format!(" ({})", count(metric.errors, "error")) } else { String::new() };
    let all = metric.mean.zip(metric.ci_low).zip(metric.ci_high);
    or_none(all, |((mean, low), high)| format!("{mean:.3} [{low:.2}, {high:.2}] n {}{errors}", metric.n))
}

/// `+0.021 [+0.010, +0.032]`, or a dash.
pub fn difference_of(found: &Comparison) -> String {
    let all = found.delta.zip(found.ci_low).zip(found.ci_high);
    or_none(all, |((delta, low), high)| format!("{} [{}, {}]", signed(delta), signed(low), signed(high)))
}

/// p after Holm's correction; a dash for a metric that is not tested.
pub fn corrected(found: &Comparison) -> String {
    p_text(found.p_holm)
}

/// A p to three decimals, or a dash.
pub fn p_text(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.001 => "< 0.001".to_owned(),
        Some(p) => format!("{p:.3}"),
        None => NONE.to_owned(),
    }
}

/// US dollars, with as many digits as small amounts need.
pub fn dollars(amount: f64) -> String {
    if amount > 0.0 && amount < 0.1 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

/// The beginning of a text on one line, with an ellipsis where more follows.
pub fn beginning(text: &str, chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// "a", "a and b", "a, b and c".
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// Lines of one list on a terminal; scripts get all items as JSON.
pub const LINES: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_number() {
        assert_eq!(count(1_u64, "file"), "1 file");
        assert_eq!(count(0_usize, "file"), "0 files");
        assert_eq!(count(2_000_u32, "query"), "2,000 queries");
    }
}
