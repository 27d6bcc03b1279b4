//! Decimal numbers as they are written, so that 0.1 + 0.2 is 0.3.

use std::fmt;

/// Digits after the point, and digits in all, that a number may have: every sum of two such numbers fits.
const PLACES: usize = 12;
const DIGITS: usize = 18;

/// A number of whole 10^-[`PLACES`] units, with the places that it was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    units: i128,
    places: usize,
}

impl Decimal {
    /// Reads a number such as `-0.25`; `None` for anything else, exponents included.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let fits = whole.len() + part.len() <= DIGITS && part.len() <= PLACES;
        if whole.is_empty() || !all_digits(whole) || !all_digits(part) || digits.ends_with('.') || !fits {
            return None;
        }
        let padded = format!("{whole}{part:0<PLACES$}");
        Some(Self {
            units: sign * padded.parse::<i128>().ok()?,
            places: part.len(),
        })
    }

    pub(super) fn is_positive(self) -> bool {
        self.units > 0
    }

    /// This number with `count` times `step` added, written with the places of the more exact of the two.
    pub(super) fn plus(self, step: Self, count: usize) -> Self {
        Self {
            units: self.units + step.units * count as i128,
            places: self.places.max(step.places),
        }
    }

    /// How many steps lead from this number to the last one that is not above `end`; `None` if `end` is below.
    pub(super) fn steps_to(self, end: Self, step: Self) -> Option<usize> {
        let way = end.units - self.units;
        (way >= 0 && step.is_positive()).then(|| usize::try_from(way / step.units).unwrap_or(usize::MAX))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let one = 10_u128.pow(PLACES as u32);
        let (whole, part) = (self.units.unsigned_abs() / one, self.units.unsigned_abs() % one);
        write!(f, "{sign}{whole}")?;
        if self.places > 0 {
            let part = format!("{part:0PLACES$}");
            write!(f, ".{}", &part[..self.places])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn numbers_are_written_as_they_were_read() {
        for text in ["0", "0.30", "-1.5", "12", "1000000", "0.000001"] {
            let read = Decimal::parse(text).map(|number| number.to_string());
            assert_eq!(read.as_deref(), Some(text));
        }
        for text in [
            "",
            ".5",
            "5.",
            "1e3",
            "0x1",
            "1,5",
            "NaN",
            "--1",
            "+1",
            "0.1234567890123",
            "1234567890123456789",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn sums_do_not_drift() {
        let number = |text| Decimal::parse(text).expect("a number");
        let (start, step) = (number("0.3"), number("0.1"));
        assert_eq!(start.steps_to(number("0.7"), step), Some(4));
        let values: Vec<String> = (0..=4).map(|n| start.plus(step, n).to_string()).collect();
        assert_eq!(values, ["0.3", "0.4", "0.5", "0.6", "0.7"]);
        assert_eq!(number("1").plus(number("0.25"), 1).to_string(), "1.25");
        assert_eq!(number("0.7").steps_to(number("0.3"), step), None);
    }
}
