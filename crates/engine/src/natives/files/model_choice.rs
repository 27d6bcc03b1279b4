//! What a setting that names a model means: `embedding.model`, `rerank.cross_encoder`.

use super::is_provided;
use models::catalogue::{self, HubModel, ModelKind};
use std::path::Path;

/// What such a setting names.
pub(crate) enum ModelChoice {
    /// A model folder, there or not: a path, or a name in the natives folder.
    Folder,
    /// A model that set-up downloads by its name.
    Hub(Box<HubModel>),
    /// Neither.
    Unknown,
}

impl ModelChoice {
    /// What `name` means with this natives folder. A folder there comes first. A name that set-up knows never means a
    /// folder of the working directory.
    pub(crate) fn of(kind: ModelKind, name: &Path, natives: Option<&Path>) -> Self {
        if is_provided(name) || natives.is_some_and(|folder| folder.join(name).is_dir()) {
            return Self::Folder;
        }
        let path = name.is_absolute() || name.starts_with(".") || name.starts_with("..");
        match name.to_str().and_then(|name| catalogue::find(kind, name)) {
            Some(model) => Self::Hub(Box::new(model)),
            None if path || name.is_dir() => Self::Folder,
            None => Self::Unknown,
        }
    }
}
