//! What is taken from the words of a question.

use serde::{Deserialize, Serialize};
use types::ranges::{OutOfRange, Ranges};

/// Understanding of questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionSection {
    pub filters: bool,
    pub spelling: bool,
    pub abbreviations: bool,
    pub today: String,
}

impl QuestionSection {
    /// The year of `today`; `None` if it is empty.
    pub fn year(&self) -> Option<u16> {
        let mut parts = self.today.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let number = |text: &str, digits: usize| {
            let all = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
            all.then(|| text.parse::<u16>().ok())?
        };
        let fits = (1..=12).contains(&number(month, 2)?) && (1..=31).contains(&number(day, 2)?);
        number(year, 4).filter(|year| fits && parts.next().is_none() && *year >= 1900)
    }
}

impl Ranges for QuestionSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        if self.today.is_empty() || self.year().is_some() {
            return Ok(());
        }
        let value = format!("{:?}", self.today);
        Err(OutOfRange::new(
            "today",
            value,
            "a date such as \"2026-07-31\", or empty",
        ))
    }
}
