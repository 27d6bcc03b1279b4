//! Where native libraries and models lie, and whether they may be loaded.
//!
//! The working directory may be anybody's, a download for example, so it is no place for native code. A file that set-up
//! provides is loaded only with its pinned SHA-256; a library of the user's own is named by a setting.

mod check;
mod error;
mod model_choice;

use crate::settings::{NativesSection, Settings};
pub use check::forget as forget_checks;
pub use error::NativesError;
pub(crate) use model_choice::ModelChoice;
use models::{Runtime, catalogue::ModelKind};
use std::{
    env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS},
    path::{Component, Path, PathBuf},
};

/// The variable that names the folder of natives.
pub const NATIVES_VARIABLE: &str = "PIPELINE_NATIVES";

/// The folder of the reader.
pub(crate) const READER_FOLDER: &str = "reader";

/// What stands for the package of a file that set-up makes from another, before the name of the script.
const MADE: &str = "made ";

/// A file that set-up downloads, at a pinned version, or makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// The platform that it is for: `any`, or operating system and architecture as in `linux-x86_64`.
    pub platform: &'static str,
    /// Its path below the natives folder.
    pub file: &'static str,
    /// The Python package that holds it, as `pip` names a version; `made` with a script for what it makes from
    /// another file.
    pub package: &'static str,
    /// Its path in the package's wheel; of a file that set-up makes, the file below the natives folder that it is made
    /// from.
    pub member: &'static str,
    /// SHA-256 in hexadecimal; several between `|` where the wheels for different versions of Python hold different builds.
    pub sha256: &'static str,
}

impl Pinned {
    /// Whether a file with this SHA-256 is the pinned one.
    pub(crate) fn is(&self, sha256: &str) -> bool {
        is_one_of(self.sha256, sha256)
    }

    /// The script that makes it; `None` for what is downloaded.
    pub(crate) fn script(&self) -> Option<&'static str> {
        self.package.strip_prefix(MADE)
    }

    /// The model folder that it lies in; `None` for a library.
    fn folder(&self) -> Option<&'static Path> {
        Path::new(self.file).parent().filter(|folder| !folder.as_os_str().is_empty())
    }
}

/// Whether a SHA-256 is one of [`Pinned::sha256`].
fn is_one_of(pinned: &str, found: &str) -> bool {
    pinned.split('|').any(|one| one == found)
}

/// The files that set-up downloads and makes, for every platform. What a file is made from stands before it.
pub fn pinned_files() -> impl Iterator<Item = Pinned> {
    let rows = include_str!("natives.tsv").lines();
    rows.filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut cells = line.split('\t');
        Some(Pinned {
            platform: cells.next()?,
            file: cells.next()?,
            package: cells.next()?,
            member: cells.next()?,
            sha256: cells.next()?,
        })
    })
}

/// The pinned files for this machine.
pub(crate) fn pinned_here() -> impl Iterator<Item = Pinned> {
    let platform = platform();
    pinned_files().filter(move |pinned| [platform.as_str(), "any"].contains(&pinned.platform))
}

/// The pinned files for this machine that are needed with this embedding model: the libraries, and the model and the reader
/// with what they are made from.
pub(crate) fn pinned_for(model: &Path) -> Vec<Pinned> {
    let folders = [model, Path::new(READER_FOLDER)];
    let needed = |folder: &Path| folders.contains(&folder);
    let sources =
        pinned_here().filter(|pinned| pinned.folder().is_some_and(needed) && pinned.script().is_some());
    let sources: Vec<&Path> = sources.filter_map(|pinned| Path::new(pinned.member).parent()).collect();
    let wanted = |pinned: &Pinned| match pinned.folder() {
        Some(folder) => needed(folder) || sources.contains(&folder),
        None => true,
    };
    pinned_here().filter(wanted).collect()
}

/// Whether set-up provides a model folder of this name.
pub(crate) fn is_provided(name: &Path) -> bool {
    pinned_files().any(|pinned| pinned.folder() == Some(name))
}

/// This machine, as [`Pinned::platform`] names it.
pub(crate) fn platform() -> String {
    format!("{OS}-{ARCH}")
}

/// The native files of a configuration, each checked before its path is given.
#[derive(Clone, Debug)]
pub struct Natives {
    section: NativesSection,
    folder: Result<PathBuf, String>,
}

impl Natives {
    /// Finds the folder; the files are looked up when they are asked for, so that a command that needs no
    /// PDFium works without it.
    pub fn find(settings: &Settings) -> Self {
        Self { section: settings.natives.clone(), folder: folder(&settings.natives.dir) }
    }

    /// The folder of natives.
    ///
    /// # Errors
    /// When none was found.
    pub fn folder(&self) -> Result<&Path, NativesError> {
        self.folder.as_deref().map_err(|looked| NativesError::NoFolder { looked: looked.clone() })
    }

    /// The PDFium library.
    ///
    /// # Errors
    /// When it is not there, or may not be loaded.
    pub fn pdfium(&self) -> Result<PathBuf, NativesError> {
        self.library("PDFium", &self.section.pdfium, "pdfium", "natives.pdfium")
    }

    /// ONNX Runtime, loaded.
    ///
    /// # Errors
    /// As [`Self::onnxruntime`], and when it cannot be loaded.
    pub fn runtime(&self) -> Result<Runtime, NativesError> {
        let path = self.onnxruntime()?;
        // A library of the user's own may need others that lie beside it.
        let own = !self.section.onnxruntime.as_os_str().is_empty();
        Ok(if own { Runtime::load(&path) } else { Runtime::load_alone(&path) }?)
    }

    /// The ONNX Runtime library.
    ///
    /// # Errors
    /// When it is not there, or may not be loaded.
    pub fn onnxruntime(&self) -> Result<PathBuf, NativesError> {
        self.library("ONNX Runtime", &self.section.onnxruntime, "onnxruntime", "natives.onnxruntime")
    }

    /// The folder of a model: a path as given, a name in the natives folder, or where set-up keeps the model of a name that it
    /// can download.
    ///
    /// # Errors
    /// When the name is unknown, or the folder holds no `model.onnx` or no `tokenizer.json`.
    pub fn model_of(&self, kind: ModelKind, name: &Path) -> Result<PathBuf, NativesError> {
        let not_downloaded = |path| NativesError::NotDownloaded {
            kind,
            setting: kind.setting(),
            name: name.display().to_string(),
            path,
        };
        let folder = match ModelChoice::of(kind, name, self.folder.as_deref().ok()) {
            // Plain `pipeline setup` would fetch the model of the settings, perhaps another.
            ModelChoice::Folder if is_provided(name) && !self.folder()?.join(name).is_dir() => {
                return Err(not_downloaded(self.folder()?.join(name)));
            }
            ModelChoice::Folder => name.to_owned(),
            ModelChoice::Hub(model) => {
                let path = self.folder()?.join(&model.folder);
                if !path.is_dir() {
                    return Err(not_downloaded(path));
                }
                path
            }
            ModelChoice::Unknown => return Err(NativesError::unknown_model(kind, name, self.folder()?)),
        };
        self.model(&folder, kind.setting())
    }

    /// A model folder: a name in the natives folder, or a path as given.
    ///
    /// # Errors
    /// When it holds no `model.onnx` or no `tokenizer.json`, or one that set-up provides has other content.
    pub fn model(&self, name: &Path, key: &'static str) -> Result<PathBuf, NativesError> {
        let is_name = matches!(name.components().next(), Some(Component::Normal(_)));
        let there = |folder: &Path| is_name && folder.join(name).is_dir();
        let elsewhere = name.is_dir() && !is_provided(name) && !self.folder().is_ok_and(there);
        let folder = if elsewhere { name.to_owned() } else { self.folder()?.join(name) };
        let wanted: [(_, &[&str]); 2] = [
            ("the model", &["model.onnx", "onnx/model.onnx"]),
            ("the model's tokenizer", &["tokenizer.json"]),
        ];
        for (what, files) in wanted {
            let mut paths = files.iter().map(|file| folder.join(file));
            let missing = || NativesError::Missing { what, path: folder.join(files[0]), key };
            let path = paths.find(|path| path.is_file()).ok_or_else(missing)?;
            if is_provided(name) {
                self.check(&path).map_err(NativesError::refused(what, &path, key))?;
            }
        }
        // Without them, the model would be used in another way.
        for pinned in pinned_here()
            .filter(|pinned| pinned.folder() == Some(name) && pinned.file.ends_with("model.json"))
        {
            let (what, path) = ("the model's settings", self.folder()?.join(pinned.file));
            if !path.is_file() {
                return Err(NativesError::Missing { what, path, key });
            }
            self.check(&path).map_err(NativesError::refused(what, &path, key))?;
        }
        Ok(folder)
    }

    /// The folder of the reader and the hash of its ONNX file; `None` where set-up has made none, as before there was one.
    ///
    /// # Errors
    /// When a file in it is missing or has other content.
    pub fn reader(&self) -> Result<Option<(PathBuf, &'static str)>, NativesError> {
        let name = Path::new(READER_FOLDER);
        if !self.folder().is_ok_and(|natives| natives.join(name).is_dir()) {
            return Ok(None);
        }
        let folder = self.model(name, "natives.dir")?;
        let pinned = pinned_here().find(|pinned| Path::new(pinned.file) == name.join("model.onnx"));
        Ok(pinned.map(|pinned| (folder, pinned.sha256)))
    }

    fn library(
        &self,
        what: &'static str,
        set: &Path,
        stem: &str,
        key: &'static str,
    ) -> Result<PathBuf, NativesError> {
        let own = !set.as_os_str().is_empty();
        let path = if own {
            // The loader would search its own folders for a bare name.
            std::path::absolute(set).unwrap_or_else(|_| set.to_owned())
        } else {
            self.folder()?.join(format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}"))
        };
        if !path.is_file() {
            return Err(NativesError::Missing { what, path, key });
        }
        let fit = if own { check::whole(&path) } else { self.check(&path) };
        fit.map_err(NativesError::refused(what, &path, key))?;
        Ok(path)
    }

    /// Fails unless the file of the natives folder has the content that is pinned for this platform.
    fn check(&self, path: &Path) -> Result<(), check::Unfit> {
        let below = self.folder().ok().and_then(|folder| path.strip_prefix(folder).ok());
        let pinned = pinned_here().find(|pinned| Some(Path::new(pinned.file)) == below);
        check::pinned(path, pinned.map(|pinned| pinned.sha256))
    }
}

/// Where `pipeline setup` puts the files unless it is told: `pipeline/natives` in the user's data folder.
pub(crate) fn user_folder() -> Option<PathBuf> {
    of_user("XDG_DATA_HOME", ".local/share", "pipeline/natives")
}

/// A path in one of the user's own folders, which a variable names, or which lies in the home folder. A relative name
/// would mean the working directory, and does not count.
fn of_user(variable: &str, in_home: &str, path: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let home = || Some(std::env::home_dir()?.join(in_home));
    let folder = named.filter(|folder| folder.is_absolute()).or_else(home);
    folder.filter(|folder| folder.is_absolute()).map(|folder| folder.join(path))
}

/// What the user named as the folder: the setting, else the variable.
pub(crate) fn named_folder(set: &Path) -> Option<PathBuf> {
    let named = (!set.as_os_str().is_empty())
        .then(|| set.to_owned())
        .or_else(|| std::env::var_os(NATIVES_VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from));
    named.map(|path| std::path::absolute(&path).unwrap_or(path))
}

/// The setting, then the variable, then the first default that exists; or the places that were tried.
fn folder(set: &Path) -> Result<PathBuf, String> {
    // What the user named is taken, or its absence is reported; it is never replaced by a default.
    if let Some(path) = named_folder(set) {
        return if path.is_dir() {
            Ok(path)
        } else {
            let by = if set.as_os_str().is_empty() { NATIVES_VARIABLE } else { "natives.dir" };
            let path = path.display();
            Err(format!("{by} names {path}, which is not an existing folder"))
        };
    }
    let program = std::env::current_exe().ok();
    let beside = program.and_then(|path| check::beside(&path.canonicalize().unwrap_or(path)));
    let user = || user_folder().filter(|path| path.is_dir());
    beside.or_else(user).ok_or_else(|| {
        "there is none at .natives beside the program (or in the checkout that it was built in), unless another user owns it, nor at \
         pipeline/natives in the user's data folder"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Loaded;

    #[test]
    fn a_named_folder_is_never_replaced_by_a_default() {
        let loaded = Loaded::load(None, [], &["natives.dir=/nowhere/at/all".to_owned()]).expect("valid");
        let error = Natives::find(&loaded.settings).folder().expect_err("missing").to_string();
        assert!(
            error.contains(
                "natives.dir names /nowhere/at/all, which is not an existing folder; run `pipeline setup`"
            ),
            "{error}"
        );
    }

    #[test]
    fn a_reader_that_is_there_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let set = format!("natives.dir={}", folder.path().display());
        let loaded = Loaded::load(None, [], &[set]).expect("valid");
        let reader = || Natives::find(&loaded.settings).reader();
        assert_eq!(reader().expect("none is needed"), None);
        let fails = |part: &str| {
            let error = reader().expect_err("it is not whole").to_string();
            assert!(error.contains("reader/model.onnx") && error.contains(part), "{error}");
        };
        std::fs::create_dir(folder.path().join("reader")).expect("made");
        fails("does not exist");
        std::fs::write(folder.path().join("reader/model.onnx"), "another").expect("written");
        fails("expected");
    }

    #[test]
    fn a_missing_model_names_the_file_and_the_setting() {
        let folder = tempfile::tempdir().expect("a folder");
        let set = format!("natives.dir={}", folder.path().display());
        let loaded = Loaded::load(None, [], &[set]).expect("valid");
        let natives = Natives::find(&loaded.settings);
        let error =
            natives.model(Path::new("some-model"), "rerank.cross_encoder").expect_err("missing").to_string();
        assert!(error.contains("some-model/model.onnx") && error.contains("rerank.cross_encoder"), "{error}");
        let check = |name: &str, parts: &[&str]| {
            let error =
                natives.model_of(ModelKind::Embedding, Path::new(name)).expect_err("missing").to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        check(
            "all-MiniLM-L6-v2-w8a8",
            &["w8a8 does not exist", "run `pipeline setup --set embedding.model=all-MiniLM-L6-v2-w8a8`"],
        );
        check(
            "multilingual-e5-small",
            &["e5-small does not exist", "run `pipeline setup --set embedding.model=multilingual-e5-small`"],
        );
        // All but the settings: prefixes would be left out.
        std::fs::create_dir(folder.path().join("multilingual-e5-small")).expect("made");
        check("multilingual-e5-small", &["e5-small/model.onnx does not exist"]);
        check("/nowhere", &["/nowhere/model.onnx does not exist", "embedding.model"]);
        let once = "run `pipeline setup --set embedding.model=BAAI/bge-small-en-v1.5` once";
        check("BAAI/bge-small-en-v1.5", &["BAAI--bge-small-en-v1.5 does not exist", once]);
        check("BAAI/bge-smal-en-v1.5", &["did you mean BAAI/bge-small-en-v1.5", "--list-models"]);
        check("of-mine", &["of-mine does not exist", "`pipeline setup --list-models`"]);
        // A folder of that name comes first, whatever it holds.
        std::fs::create_dir(folder.path().join("BGEM3")).expect("made");
        check("BGEM3", &["BGEM3/model.onnx does not exist"]);
        let error = natives.pdfium().expect_err("missing").to_string();
        assert!(error.contains("libpdfium") && error.contains("natives.pdfium"), "{error}");
    }
}
