//! The parts of [`NativesError`].

use super::{NativesError, check::Unfit};
use std::{fmt::Display, path::Path};
use types::Explain;

pub(super) const NO_FOLDER: &str = "run `pipeline setup`, or set PIPELINE_NATIVES";

pub(super) fn missing(key: &dyn Display) -> String {
    format!("run `pipeline setup`, or set {key}")
}

pub(super) fn refused(key: &dyn Display) -> String {
    format!("run `pipeline setup`, or set {key} to use your own")
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

impl NativesError {
    pub(super) fn refused(what: &'static str, path: &Path, key: &'static str) -> impl FnOnce(Unfit) -> Self {
        let path = path.to_owned();
        move |Unfit { found, expected }| Self::Refused {
            what,
            path,
            found,
            expected,
            key,
        }
    }
}

impl Explain for NativesError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoFolder { .. } => "natives_no_folder",
            Self::Missing { .. } => "natives_missing",
            Self::Refused { .. } => "natives_refused",
            Self::NotDownloaded { .. } => "model_not_downloaded",
            Self::UnknownModel { .. } => "unknown_model",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Missing { path, .. } | Self::Refused { path, .. } => Some(path.display().to_string()),
            Self::NotDownloaded { name, .. } | Self::UnknownModel { name, .. } => Some(name.clone()),
            Self::NoFolder { .. } => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoFolder { .. } => Some(NO_FOLDER.to_owned()),
            Self::Missing { key, .. } => Some(missing(key)),
            Self::Refused { key, .. } => Some(refused(key)),
            Self::NotDownloaded { name, .. } => Some(not_downloaded(name)),
            Self::UnknownModel { near, .. } => Some(unknown_model(near)),
        }
    }
}
