//! What `embedding.model` means.

use super::{NativesError, pinned_files};
use models::catalogue::{self, HubModel};
use std::path::Path;

/// What the setting `embedding.model` names.
pub(crate) enum ModelChoice {
    /// A model folder, there or not: a path, or a name in the natives folder.
    Folder,
    /// A model that set-up downloads by its name.
    Hub(Box<HubModel>),
    /// Neither.
    Unknown,
}

impl ModelChoice {
    /// What `name` means with this natives folder. A folder that exists comes first.
    pub(crate) fn of(name: &Path, natives: Option<&Path>) -> Self {
        let exists = name.is_dir() || natives.is_some_and(|folder| folder.join(name).is_dir());
        let pinned = || pinned_files().any(|pinned| Path::new(pinned.file).parent() == Some(name));
        if exists || pinned() {
            return Self::Folder;
        }
        match name.to_str().and_then(catalogue::find) {
            Some(model) => Self::Hub(Box::new(model)),
            None if name.is_absolute() || name.starts_with(".") || name.starts_with("..") => Self::Folder,
            None => Self::Unknown,
        }
    }
}

impl NativesError {
    /// The error for a name that is neither a folder nor a model.
    pub(crate) fn unknown_model(name: &Path, natives: &Path) -> Self {
        Self::UnknownModel {
            path: natives.join(name),
            near: catalogue::near(&name.to_string_lossy()),
            name: name.display().to_string(),
        }
    }
}
