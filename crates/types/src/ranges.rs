//! Settings: what describes one, and its range. `#[derive(SettingGroup)]` implements [`SettingGroup`](trait@SettingGroup) for a type.

use std::fmt::Display;

/// A field of a settings type is outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {limit}, got {value}")]
pub struct OutOfRange {
    /// The field, as named in the settings.
    pub field: String,
    /// Its value.
    pub value: String,
    /// What is allowed.
    pub limit: String,
}

impl OutOfRange {
    /// An error for this field, its value and what is allowed.
    pub fn new(field: &str, value: impl Display, limit: impl Into<String>) -> Self {
        Self { field: field.to_owned(), value: value.to_string(), limit: limit.into() }
    }

    /// The same of a field of this section.
    #[must_use]
    pub fn within(self, section: &str) -> Self {
        let field = format!("{section}.{}", self.field);
        Self { field, ..self }
    }
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name; in all settings, its section and name.
    pub key: String,
    /// What it means.
    pub text: &'static str,
    /// What numbers are allowed, in words.
    pub limit: Option<String>,
    /// Whether it is one of the few that matter to most people.
    pub main: bool,
    /// Whether no result depends on it.
    pub no_effect: bool,
}

impl Setting {
    /// The same below the name of a section.
    #[must_use]
    pub fn within(self, section: &str) -> Self {
        let key = format!("{section}.{}", self.key);
        Self { key, ..self }
    }
}

/// A part of the settings, which describes its fields and checks their ranges.
pub trait SettingGroup: Default {
    /// Every setting, in the order of the fields.
    fn settings() -> Vec<Setting>;

    /// Checks every field.
    ///
    /// # Errors
    /// For the first field outside its range.
    fn check_ranges(&self) -> Result<(), OutOfRange>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SettingGroup;

    /// A wrong value, and what is allowed.
    fn short(name: &str) -> Result<(), (String, &'static str)> {
        if name.len() < 5 { Ok(()) } else { Err((name.to_owned(), "short")) }
    }

    fn ordered(inner: &Inner) -> Result<(), OutOfRange> {
        if inner.least > inner.share {
            return Err(OutOfRange::new("least", inner.least, "at most share"));
        }
        Ok(())
    }

    #[derive(Debug, PartialEq, serde::Deserialize, SettingGroup)]
    #[settings(check = ordered)]
    struct Inner {
        /// A share,
        /// on two lines.
        #[setting(default = 0.5, range = 0.0..=1.0, main)]
        share: f32,
        /// A number.
        #[serde(rename = "lowest")]
        #[setting(least = 0.0, no_effect)]
        least: f32,
        /// Only a default.
        #[serde(skip)]
        #[setting(default = 7)]
        fixed: u32,
    }

    #[derive(Debug, PartialEq, serde::Deserialize, SettingGroup)]
    struct Outer {
        /// A name.
        #[setting(default = "none", check = short)]
        name: String,
        /// A number.
        #[setting(default = 2)]
        count: u32,
        #[setting(section)]
        inner: Inner,
    }

    #[test]
    fn fields_are_described_and_have_defaults() {
        let found: Vec<_> = Outer::settings()
            .into_iter()
            .map(|one| (one.key, one.text, one.limit, one.main, one.no_effect))
            .collect();
        let one = |key: &str, text, limit: Option<&str>, main, no_effect| {
            (key.to_owned(), text, limit.map(str::to_owned), main, no_effect)
        };
        assert_eq!(
            found,
            [
                one("name", "A name.", None, false, false),
                one("count", "A number.", None, false, false),
                one("inner.share", "A share, on two lines.", Some("from 0 to 1"), true, false),
                one("inner.lowest", "A number.", Some("at least 0"), false, true),
            ]
        );
        let Outer { name, count, inner } = Outer::default();
        assert_eq!((name.as_str(), count, inner.fixed), ("none", 2, 7));
    }

    #[test]
    fn a_value_outside_its_range_is_named_with_the_range() {
        let check = |change: fn(&mut Outer), want: &str| {
            let mut outer = Outer::default();
            change(&mut outer);
            assert_eq!(outer.check_ranges().map_err(|e| e.to_string()), Err(want.to_owned()));
        };
        assert_eq!(Outer::default().check_ranges(), Ok(()));
        check(|o| o.inner.share = 1.5, "inner.share must be from 0 to 1, got 1.5");
        check(|o| o.inner.share = f32::NAN, "inner.share must be from 0 to 1, got NaN");
        check(|o| o.inner.least = -1.0, "inner.lowest must be at least 0, got -1");
        check(|o| o.inner.least = 0.7, "inner.least must be at most share, got 0.7");
        check(|o| o.name = "longer".to_owned(), "name must be short, got longer");
    }
}
