//! What a setting means and what it is by default: from the settings' own documentation, which this crate does not know.

use super::Setting;
use std::collections::BTreeMap;

/// One setting, explained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingHelp {
    /// What it means, with its unit and range.
    pub text: String,
    /// Its default, as written.
    pub default: String,
}

/// Settings by `section.key`; empty where nobody explains them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsHelp(pub BTreeMap<String, SettingHelp>);

impl SettingsHelp {
    /// The help of a setting.
    pub fn of(&self, setting: &Setting) -> Option<&SettingHelp> {
        self.0.get(&format!("{}.{}", setting.section, setting.key))
    }

    /// Whether the setting has another value than by default; also if its default is not known.
    pub fn is_changed(&self, setting: &Setting) -> bool {
        self.of(setting).is_none_or(|help| help.default != setting.value)
    }
}
