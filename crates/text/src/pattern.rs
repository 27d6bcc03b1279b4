use regex::Regex;
use std::{ops::Deref, sync::OnceLock};

/// A fixed regular expression, compiled at its first use.
///
/// ```
/// static YEAR: text::Pattern = text::Pattern::new(r"\b\d{4}\b");
/// assert!(YEAR.is_match("in 2021"));
/// ```
#[derive(Debug)]
pub struct Pattern(&'static str, OnceLock<Regex>);

impl Pattern {
    /// The pattern. Its first use panics where it is not valid.
    pub const fn new(pattern: &'static str) -> Self {
        Self(pattern, OnceLock::new())
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        self.1.get_or_init(|| Regex::new(self.0).expect("the pattern is valid"))
    }
}
