//! Symbolic links below a folder: a folder from elsewhere may hold some that lead to files which nobody meant to share.

use std::fs;
use std::path::{Path, PathBuf};

/// Which links are followed.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// The paths that the user named, as given and as they really are; `None` to follow every link.
    roots: Option<Vec<(PathBuf, PathBuf)>>,
}

impl Links {
    /// Follows links whose target lies below one of these paths; each path itself may be a link.
    pub fn within(roots: &[PathBuf]) -> Self {
        let real = |root: &PathBuf| Some((root.clone(), fs::canonicalize(root).ok()?));
        Self { roots: Some(roots.iter().filter_map(real).collect()) }
    }

    /// Why a path is not to be read, if it leads out of the paths that the user named. A file that lies above them may
    /// not lead out of its own folder.
    ///
    /// # Errors
    /// The reason, in words for people.
    pub fn check(&self, path: &Path) -> Result<(), String> {
        let (Some(roots), Ok(real)) = (&self.roots, fs::canonicalize(path)) else {
            return Ok(());
        };
        let inside = if roots.iter().any(|(given, _)| path.starts_with(given)) {
            roots.iter().any(|(_, root)| real.starts_with(root))
        } else {
            let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
            folder.is_some_and(|folder| real.starts_with(folder))
        };
        if inside {
            return Ok(());
        }
        Err("a link that leads out of the folder; --follow-links reads what it leads to".to_owned())
    }
}
