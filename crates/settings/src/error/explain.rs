//! Code, value and hint of each [`SettingsError`].

use super::SettingsError;
use std::fmt::Display;
use types::Explain;

pub(super) fn read(presets: &dyn Display) -> String {
    format!("name an existing TOML file, or a preset: {presets}")
}

impl Explain for SettingsError {
    fn code(&self) -> &'static str {
        match self {
            Self::Read { .. } => "settings_read",
            Self::Syntax { .. } => "settings_syntax",
            Self::Unknown { .. } => "settings_unknown",
            Self::Type { .. } => "settings_type",
            Self::Range { .. } => "settings_range",
            Self::Override(_) => "settings_override",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Read { path, .. } => Some(path.display().to_string()),
            Self::Unknown { key, .. } => Some(key.clone()),
            Self::Type { value, .. } | Self::Range { value, .. } => Some(value.clone()),
            Self::Syntax { .. } | Self::Override(_) => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Read { presets, .. } => Some(read(presets)),
            Self::Unknown { hint, .. } => Some(hint.clone()),
            Self::Syntax { .. } | Self::Type { .. } | Self::Range { .. } | Self::Override(_) => None,
        }
    }
}
