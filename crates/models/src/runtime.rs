//! ONNX Runtime, loaded once per process from a path that the caller chose.

use crate::ModelsError;
use std::{
    fs::File,
    os::fd::AsRawFd,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The one run time of this process. It lives until the process ends: sessions refer to it, and unloading it
/// while its threads run is not safe.
static LOADED: Mutex<Option<Runtime>> = Mutex::new(None);

/// A loaded ONNX Runtime; clones share it.
#[derive(Clone, Debug)]
pub struct Runtime {
    environment: ort::environment::Environment,
    library: PathBuf,
}

impl Runtime {
    /// Loads the shared library at `path`, or in the folder `path` (see [`Runtime::find_in`]). Loading the
    /// same library again returns the one already loaded; a failed load leaves nothing behind, so that
    /// another path may be tried.
    ///
    /// # Errors
    /// When there is no library, when it is not ONNX Runtime or too old, or when another one is loaded.
    pub fn load(path: &Path) -> Result<Self, ModelsError> {
        Self::load_as(path, false)
    }

    /// As [`Self::load`], for a library that needs no other beside it: none there is loaded along with it.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_alone(path: &Path) -> Result<Self, ModelsError> {
        Self::load_as(path, true)
    }

    fn load_as(path: &Path, alone: bool) -> Result<Self, ModelsError> {
        let missing = || ModelsError::Missing { what: "the ONNX Runtime library", path: path.to_owned() };
        let file = if path.is_dir() { Self::find_in(path).ok_or_else(missing)? } else { path.to_owned() };
        // An absolute path, because the loader would search its own folders for a bare name.
        let library = file.canonicalize().map_err(|_| missing())?;

        let mut slot = types::locked(&LOADED);
        if let Some(runtime) = slot.as_ref() {
            return if runtime.library == library {
                Ok(runtime.clone())
            } else {
                Err(ModelsError::RuntimeElsewhere { loaded: runtime.library.clone(), asked: library })
            };
        }
        let broken = |reason: String| ModelsError::Runtime {
            path: library.clone(),
            reason,
            minor: ort::MINOR_VERSION,
        };
        // ONNX Runtime has the loader search its own folder before the system's. A descriptor's folder holds no library.
        let file = File::open(&library).map_err(|e| broken(e.to_string()))?;
        let descriptor = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let name = if alone && descriptor.exists() { &descriptor } else { &library };
        let environment = ort::init_from(name)
            .map_err(|e| broken(e.to_string()))?
            .with_name("pipeline")
            .with_telemetry(false)
            .build()
            .map_err(|e| broken(e.to_string()))?;
        let runtime = Self { environment, library };
        *slot = Some(runtime.clone());
        Ok(runtime)
    }

    /// The ONNX Runtime library in a folder: the plain name of the platform, or the first (in order of
    /// names) that carries a version behind it, as `libonnxruntime.so.1.31.1`.
    pub fn find_in(folder: &Path) -> Option<PathBuf> {
        let plain = format!("{}onnxruntime{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        let exact = folder.join(&plain);
        if exact.is_file() {
            return Some(exact);
        }
        // Linux puts the version behind the suffix, macOS before it.
        let versioned = |name: &str| {
            name.strip_prefix("libonnxruntime.")
                .is_some_and(|rest| rest.starts_with("so.") || rest.strip_suffix(".dylib").is_some())
        };
        let mut found: Vec<PathBuf> = folder
            .read_dir()
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.file_name().and_then(|n| n.to_str()).is_some_and(versioned) && path.is_file())
            .collect();
        found.sort();
        found.into_iter().next()
    }

    /// The library in use.
    pub fn library(&self) -> &Path {
        &self.library
    }

    pub(crate) fn environment(&self) -> ort::environment::Environment {
        self.environment.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_by_plain_or_versioned_name() {
        let check = |files: &[&str], want: Option<&str>| {
            let folder = tempfile::tempdir().expect("temporary folder");
            for file in files {
                std::fs::write(folder.path().join(file), "").expect("writes");
            }
            let found = Runtime::find_in(folder.path());
            assert_eq!(found, want.map(|name| folder.path().join(name)), "{files:?}");
        };
        check(&[], None);
        check(&["libonnxruntime_providers_shared.so", "notes.txt"], None);
        check(&["libonnxruntime.so.1.31.1"], Some("libonnxruntime.so.1.31.1"));
        check(&["libonnxruntime.1.31.1.dylib"], Some("libonnxruntime.1.31.1.dylib"));
        check(&["libonnxruntime.so.1.9", "libonnxruntime.so.1.31.1"], Some("libonnxruntime.so.1.31.1"));
        assert_eq!(Runtime::find_in(Path::new("no such folder")), None);
    }

    #[test]
    fn what_is_no_library_is_named_in_the_error() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let absent = Runtime::load(&folder.path().join("libonnxruntime.so")).expect_err("absent");
        assert!(matches!(absent, ModelsError::Missing { .. }), "{absent}");
        let empty = Runtime::load(folder.path()).expect_err("an empty folder");
        assert!(matches!(empty, ModelsError::Missing { .. }), "{empty}");
    }
}
