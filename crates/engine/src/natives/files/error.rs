//! Why a native file cannot be used.

use super::check;
use models::{
    ModelsError,
    catalogue::{self, ModelKind},
};
use std::path::{Path, PathBuf};
use types::Explain;

/// Why a native file cannot be used.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "natives", values(name, path))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum NativesError {
    /// No folder was found.
    #[error(
        "no folder with native libraries was found: {looked}; run `pipeline setup`, or name one with PIPELINE_NATIVES"
    )]
    NoFolder { looked: String },
    /// A file is missing.
    #[error("{what} is missing: {path} does not exist; run `pipeline setup`, or set {key}")]
    Missing { what: &'static str, path: PathBuf, key: &'static str },
    /// A file is not what it should be, so it is not loaded.
    #[error(
        "{what} is not loaded: {path} has {found}, expected {expected}; run `pipeline setup`, or set {key} to use your own"
    )]
    Refused { what: &'static str, path: PathBuf, found: String, expected: String, key: &'static str },
    /// The model is one that set-up downloads, and it has not.
    #[explain(code = "model_not_downloaded")]
    #[error(
        "the {kind} {name} has not been downloaded: {path} does not exist; run `pipeline setup --set \
         {setting}={name}` once, with a network"
    )]
    NotDownloaded { kind: ModelKind, setting: &'static str, name: String, path: PathBuf },
    /// The model is no folder, and none that set-up can download.
    #[explain(code = "unknown_model", hint = unknown_model(near))]
    #[error(
        "{setting} is {name:?}, which is neither a model folder ({path} does not exist) nor a model that can be \
         downloaded; {}",
        unknown_model(near)
    )]
    UnknownModel { setting: &'static str, name: String, path: PathBuf, near: Vec<String> },
    /// ONNX Runtime could not be loaded.
    #[error(transparent)]
    Models(#[from] ModelsError),
}

fn unknown_model(near: &[String]) -> String {
    let list = "`pipeline setup --list-models` prints all names";
    match near {
        [] => list.to_owned(),
        near => format!("did you mean {}? {list}", near.join(" or ")),
    }
}

impl NativesError {
    /// The error for a name that is neither a folder nor a model.
    pub(crate) fn unknown_model(kind: ModelKind, name: &Path, natives: &Path) -> Self {
        Self::UnknownModel {
            path: natives.join(name),
            near: catalogue::near(kind, &name.to_string_lossy()),
            setting: kind.setting(),
            name: name.display().to_string(),
        }
    }

    pub(super) fn refused(
        what: &'static str,
        path: &Path,
        key: &'static str,
    ) -> impl FnOnce(check::Unfit) -> Self {
        let path = path.to_owned();
        move |check::Unfit { found, expected }| Self::Refused { what, path, found, expected, key }
    }
}
