//! The parts of [`NativesError`].

use super::NativesError;
use std::fmt::Display;
use types::Explain;

pub(super) const NO_FOLDER: &str = "run `pipeline setup`, or set PIPELINE_NATIVES";

pub(super) fn missing(key: &dyn Display) -> String {
    format!("run `pipeline setup`, or set {key}")
}

pub(super) fn not_downloaded(name: &dyn Display) -> String {
    format!("run `pipeline setup --set embedding.model={name}` once, with a network")
}

pub(super) fn unknown_model(near: &[String]) -> String {
    let list = "`pipeline setup --list-models` prints all names";
    match near {
        [] => list.to_owned(),
        near => format!("did you mean {}? {list}", near.join(" or ")),
    }
}

impl Explain for NativesError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoFolder { .. } => "natives_no_folder",
            Self::Missing { .. } => "natives_missing",
            Self::NotDownloaded { .. } => "model_not_downloaded",
            Self::UnknownModel { .. } => "unknown_model",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Missing { path, .. } => Some(path.display().to_string()),
            Self::NotDownloaded { name, .. } | Self::UnknownModel { name, .. } => Some(name.clone()),
            Self::NoFolder { .. } => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoFolder { .. } => Some(NO_FOLDER.to_owned()),
            Self::Missing { key, .. } => Some(missing(key)),
            Self::NotDownloaded { name, .. } => Some(not_downloaded(name)),
            Self::UnknownModel { near, .. } => Some(unknown_model(near)),
        }
    }
}
