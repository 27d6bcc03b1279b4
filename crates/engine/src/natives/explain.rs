//! The parts of [`NativesError`].

use super::NativesError;
use std::fmt::Display;
use types::Explain;

pub(super) const NO_FOLDER: &str = "run `pipeline setup`, or set PIPELINE_NATIVES";

pub(super) fn missing(key: &dyn Display) -> String {
    format!("run `pipeline setup`, or set {key}")
}

impl Explain for NativesError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoFolder { .. } => "natives_no_folder",
            Self::Missing { .. } => "natives_missing",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Missing { path, .. } => Some(path.display().to_string()),
            Self::NoFolder { .. } => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoFolder { .. } => Some(NO_FOLDER.to_owned()),
            Self::Missing { key, .. } => Some(missing(key)),
        }
    }
}
