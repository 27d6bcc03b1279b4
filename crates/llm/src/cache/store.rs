//! A folder of replies of limited size.

use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::SystemTime,
};
use types::{
    ChatReply,
    digest::is_sha256,
    files::{refuse_links_below, write_atomic},
    locked,
    sealed::{self, Seal},
};

/// Share of the limit that is left after old replies were removed.
const LEFT: f64 = 0.9;

/// Replies by key, one file each, with a checksum of reply and key. Several processes may use the folder.
#[derive(Debug)]
pub struct ReplyStore {
    folder: PathBuf,
    max_bytes: u64,
    /// Bytes in the folder, as far as this process knows; `None` until the first write.
    bytes: Mutex<Option<u64>>,
}

/// A reply as written. It has no key and no prompt.
#[derive(Serialize, Deserialize)]
struct Kept {
    text: String,
    model: String,
    truncated: bool,
    notes: Vec<String>,
}

impl ReplyStore {
    /// A store in `folder`, which is made when the first reply is kept. If its files have more than `max_bytes` together,
    /// those that were not used for the longest time are removed.
    pub fn new(folder: &Path, max_bytes: u64) -> Self {
        Self { folder: folder.to_path_buf(), max_bytes, bytes: Mutex::new(None) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The reply under this key, marked as cached and without usage.
    ///
    /// # Errors
    /// The file, if it is damaged, belongs to another key, is behind a link or cannot be read.
    pub(super) fn get(&self, key: &str) -> Result<Option<ChatReply>, PathBuf> {
        let path = self.path(key).map_err(|_| self.place(key))?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) => return Err(path),
        };
        // Earlier versions wrote no checksum.
        let whole = sealed::check(key.as_bytes(), &bytes) != Seal::Damaged;
        let Some(kept) = serde_json::from_slice::<Kept>(&bytes).ok().filter(|_| whole) else {
            return Err(path);
        };
        // Fails on a read-only folder, where nothing is removed either.
        let _ =
            File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Ok(Some(ChatReply {
            text: kept.text,
            model: kept.model,
            truncated: kept.truncated,
            notes: kept.notes,
            cached: true,
            ..ChatReply::default()
        }))
    }

    /// Keeps a reply.
    pub(super) fn put(&self, key: &str, reply: &ChatReply) -> io::Result<()> {
        let kept = Kept {
            text: reply.text.clone(),
            model: reply.model.clone(),
            truncated: reply.truncated,
            notes: reply.notes.clone(),
        };
        let json = sealed::seal(key.as_bytes(), &kept)?;
        let path = self.path(key)?;
        let mut bytes = locked(&self.bytes);
        let before = match *bytes {
            Some(known) => known,
            None => self.files().iter().map(|file| file.bytes).sum(),
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        write_atomic(&path, &[json.as_bytes()])?;
        let mut now = before + json.len() as u64;
        if now > self.max_bytes {
            now = self.shrink();
        }
        *bytes = Some(now);
        Ok(())
    }

    /// Removes a reply, if there is one.
    pub(super) fn remove(&self, key: &str) {
        // A file that is gone is what is wanted.
        let _ = self.path(key).and_then(fs::remove_file);
    }

    /// Where a reply lies.
    fn place(&self, key: &str) -> PathBuf {
        let (folder, name) = key.split_at(2.min(key.len()));
        self.folder.join(folder).join(format!("{name}.json"))
    }

    /// Where a reply lies. The folder may be anybody's: no link in it is followed.
    fn path(&self, key: &str) -> io::Result<PathBuf> {
        let path = self.place(key);
        refuse_links_below(&self.folder, &path)?;
        Ok(path)
    }

    /// Removes the files that were not used for the longest time, and returns the bytes that are left.
    fn shrink(&self) -> u64 {
        let mut files = self.files();
        files.sort_by(|a, b| a.used.cmp(&b.used).then_with(|| a.path.cmp(&b.path)));
        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        let wanted = (self.max_bytes as f64 * LEFT) as u64;
        for file in files {
            if bytes <= wanted {
                break;
            }
            if fs::remove_file(&file.path).is_ok() {
                bytes -= file.bytes;
            }
        }
        bytes
    }

    /// The replies; files with other names are not ours.
    fn files(&self) -> Vec<KeptFile> {
        let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
        let of = |folder: fs::DirEntry| entries(&folder.path()).collect::<Vec<_>>();
        let file = |entry: fs::DirEntry| {
            let path = entry.path();
            let meta = entry.metadata().ok()?;
            let stem = |path: &Path| Some(path.file_stem()?.to_str()?.to_owned());
            let key = stem(path.parent()?)? + &stem(&path)?;
            let ours = meta.is_file() && is_sha256(&key) && self.path(&key).is_ok_and(|own| own == path);
            ours.then(|| KeptFile {
                bytes: meta.len(),
                used: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                path,
            })
        };
        entries(&self.folder).flat_map(of).filter_map(file).collect()
    }
}

struct KeptFile {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}
