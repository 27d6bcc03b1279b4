//! A file that an unfinished run leaves behind and the next one goes on with: one sealed JSON object a line.

use crate::{
    files::open_in_place,
    sealed::{self, Seal},
    words::{NAMED, first_of},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    fs::{File, TryLockError},
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

/// The file, opened and locked against other processes.
#[derive(Debug)]
pub struct Journal {
    /// The file.
    pub path: PathBuf,
    file: File,
    whole: u64,
}

/// What was in a journal when it was opened.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Its lines that are not damaged, by number from 1, without a torn last one.
    pub lines: Vec<(usize, Vec<u8>)>,
    /// The numbers of its damaged lines.
    pub damaged: Vec<usize>,
    /// Whether any line carries a checksum.
    pub sealed: bool,
    /// What stands behind the last line feed: the end of a process that was killed.
    pub torn: Vec<u8>,
}

impl Journal {
    /// Opens the file, or makes it. `None` if another process uses it. Nothing is changed until [`Self::keep`] or
    /// [`Self::restart`].
    ///
    /// # Errors
    /// When the file cannot be opened or read.
    pub fn open(path: &Path) -> io::Result<Option<(Self, Found)>> {
        let mut file = open_in_place(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some file systems have no locks; there nothing guards against a second process.
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => return Err(error),
            _ => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut found = Found { torn: bytes[whole..].to_vec(), ..Found::default() };
        for (number, line) in (1..).zip(bytes[..whole].split(|byte| *byte == b'\n')) {
            let seal = sealed::check(b"", line);
            found.sealed |= seal != Seal::Missing;
            if seal == Seal::Damaged {
                found.damaged.push(number);
            } else if !line.trim_ascii().is_empty() {
                found.lines.push((number, line.to_vec()));
            }
        }
        let path = path.to_path_buf();
        let whole = whole as u64;
        Ok(Some((Self { path, file, whole }, found)))
    }

    /// Goes on with the file: what is torn is cut off.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub fn keep(&self) -> io::Result<()> {
        self.file.set_len(self.whole)
    }

    /// Starts the file anew.
    ///
    /// # Errors
    /// When the file cannot be changed.
    pub fn restart(&self) -> io::Result<()> {
        self.file.set_len(0)
    }

    /// Appends an object with its checksum.
    ///
    /// # Errors
    /// When the file cannot be written, or the object not as JSON.
    pub fn append(&mut self, object: &impl Serialize) -> io::Result<()> {
        let line = sealed::seal(b"", object)? + "\n";
        self.file.write_all(line.as_bytes())
    }
}

impl Found {
    /// Whether the file had nothing.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.damaged.is_empty() && self.torn.is_empty()
    }

    /// Takes the first line of the file, if it holds such an object.
    pub fn head<T: DeserializeOwned>(&mut self) -> Option<T> {
        let (number, line) = self.lines.first()?;
        let head = serde_json::from_slice(line).ok().filter(|_| *number == 1)?;
        self.lines.remove(0);
        Some(head)
    }

    /// Takes the objects of the other lines. A line that holds something else counts as damaged.
    pub fn objects<T: DeserializeOwned>(&mut self) -> Vec<T> {
        let mut objects = Vec::new();
        for (number, line) in self.lines.drain(..) {
            match serde_json::from_slice(&line) {
                Ok(object) => objects.push(object),
                Err(_) => self.damaged.push(number),
            }
        }
        self.damaged.sort_unstable();
        objects
    }

    /// A warning that names the damaged lines of the file, if there are any.
    pub fn warning(&self, path: &Path) -> Option<String> {
        let lines: Vec<String> = self.damaged.iter().map(ToString::to_string).collect();
        (!lines.is_empty()).then(|| {
            format!(
                "{}: damaged lines ({}) are left out; what they held is done again",
                path.display(),
                first_of(&lines, NAMED)
            )
        })
    }
}
