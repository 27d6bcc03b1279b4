//! A cache on disk: results of one stage, each under a key, in few files.
//!
//! A key contains everything that a result depends on: the hash of the content, the version of the stage, its settings.
//! A run after a killed one finds the results that were finished; a run with changed settings of one stage finds the
//! results of the stages before it.
//!
//! A file, called a pack, is a row of records: a header with the key, then the body, each with a checksum. Records are
//! appended, and a pack of [`FULL`] bytes is followed by another. What a killed run wrote in part is dropped; damage costs
//! no other record. Only headers are read to open a cache, and only they are held in memory.

mod scan;

use rayon::prelude::*;
use scan::{HEADER, Header, Scan};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    ops::Bound,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};
use types::path_text;

/// The length at which a pack is followed by another.
const FULL: u64 = 64 << 20;

/// A SHA-256.
pub(crate) type Key = [u8; 32];

/// The results of one stage. A key can have several records.
pub(crate) struct Packs {
    folder: PathBuf,
    state: Mutex<State>,
}

/// Where a record stands. Of two records the later one was written later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    pack: u32,
    at: u64,
}

#[derive(Default)]
struct State {
    /// The length of each body.
    records: BTreeMap<(Key, Place), u32>,
    packs: BTreeMap<u32, Pack>,
    /// The pack that was appended to last.
    file: Option<(u32, File)>,
}

struct Pack {
    /// Length of the file.
    bytes: u64,
    /// Where the next record goes; `None` when none may follow.
    end: Option<u64>,
}

impl Packs {
    /// Opens the cache of one stage below `root`. Nothing is created until something is stored.
    pub(crate) fn open(root: &Path, stage: &str) -> Self {
        let folder = root.join(stage);
        let mut state = State::default();
        for number in numbers(&folder) {
            let mut pack = Pack { bytes: 0, end: None };
            if let Ok(mut scan) = Scan::open(&path(&folder, number), 0) {
                while let Ok(Some((at, header))) = scan.next() {
                    let place = Place { pack: number, at };
                    state.records.insert((header.key, place), header.length);
                }
                pack.bytes = scan.length;
                pack.end = (!scan.is_damaged && !scan.is_shared).then_some(scan.end);
            }
            state.packs.insert(number, pack);
        }
        Self { folder, state: Mutex::new(state) }
    }

    /// The results under `key`, the latest last; damaged ones count as absent.
    pub(crate) fn get(&self, key: &Key) -> Vec<Vec<u8>> {
        let places: Vec<Place> = self.state().of_key(key).map(|(place, _)| place).collect();
        let read = |place: Place| {
            let mut scan = Scan::open(&path(&self.folder, place.pack), place.at).ok()?;
            let (at, header) = scan.next().ok()??;
            let body = scan.body(&header).ok()?;
            body.filter(|_| at == place.at && header.key == *key)
        };
        places.into_iter().filter_map(read).collect()
    }

    /// The length of the latest result under `key`; 0 when there is none.
    pub(crate) fn length(&self, key: &Key) -> u64 {
        let latest = self.state().of_key(key).last();
        latest.map_or(0, |(_, length)| u64::from(length))
    }

    /// Stores a result under `key`, beside those that are there.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(crate) fn put(&self, key: &Key, body: &[u8]) -> io::Result<()> {
        self.state().append(&self.folder, key, body)
    }

    /// How many keys have a result, and the bytes on disk.
    pub(crate) fn usage(&self) -> (usize, u64) {
        let state = self.state();
        let keys = state.records.keys().filter(|(key, place)| state.is_latest(key, *place));
        (keys.count(), state.packs.values().map(|pack| pack.bytes).sum())
    }

    /// Packs that are not what was written. A last record that was written in part does not count: a run was killed.
    pub(crate) fn damaged(&self) -> BTreeSet<u32> {
        let packs: Vec<u32> = self.state().packs.keys().copied().collect();
        let is_intact = |number: u32| -> io::Result<bool> {
            let mut scan = Scan::open(&path(&self.folder, number), 0)?;
            while let Some((_, header)) = scan.next()? {
                if scan.body(&header)?.is_none() {
                    return Ok(false);
                }
            }
            Ok(!scan.is_damaged)
        };
        let is_damaged = |number: &u32| match is_intact(*number) {
            // A writer has removed it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            outcome => !outcome.unwrap_or(false),
        };
        packs.into_par_iter().filter(is_damaged).collect()
    }

    /// Removes the records that `keep` refuses; it gets the pack of each, and whether it is the latest of its key. A pack
    /// stays as it is while no more than half of it is to go; with `all`, everything goes, damaged records too. Returns
    /// the bytes that this freed.
    ///
    /// # Errors
    /// When a pack cannot be read, written or removed.
    pub(crate) fn retain(&self, all: bool, keep: impl Fn(&Key, u32, bool) -> bool) -> io::Result<u64> {
        let damaged = if all { self.damaged() } else { BTreeSet::new() };
        let mut state = self.state();
        let mut live: BTreeMap<u32, u64> = BTreeMap::new();
        for ((key, place), length) in &state.records {
            if keep(key, place.pack, state.is_latest(key, *place)) {
                *live.entry(place.pack).or_default() += bytes(*length);
            }
        }
        let mut doomed = BTreeSet::new();
        for (number, pack) in &mut state.packs {
            let live = live.get(number).copied().unwrap_or(0);
            let dead = pack.bytes.saturating_sub(live);
            if damaged.contains(number) || dead > if all { 0 } else { live } || pack.bytes == 0 {
                pack.end = None;
                doomed.insert(*number);
            }
        }
        let mut freed = 0;
        for number in &doomed {
            let path = path(&self.folder, *number);
            let mut copied = 0;
            if live.contains_key(number) {
                let mut scan = Scan::open(&path, 0)?;
                while let Some((at, header)) = scan.next()? {
                    let Header { key, length, .. } = &header;
                    let is_latest = state.is_latest(key, Place { pack: *number, at });
                    if keep(key, *number, is_latest)
                        && let Some(body) = scan.body(&header)?
                    {
                        state.append(&self.folder, key, &body)?;
                        copied += bytes(*length);
                    }
                }
            }
            fs::remove_file(&path)?;
            let bytes = state.packs.remove(number).map_or(0, |pack| pack.bytes);
            freed += bytes.saturating_sub(copied);
        }
        state.records.retain(|(_, place), _| !doomed.contains(&place.pack));
        // The number of a pack that was removed may be used again.
        state.file = None;
        Ok(freed)
    }

    /// Packs that were written after a moment; one without a time counts as older.
    pub(crate) fn written_after(&self, moment: SystemTime) -> BTreeSet<u32> {
        let modified = |number| fs::metadata(path(&self.folder, number)).and_then(|meta| meta.modified());
        let mut packs: BTreeSet<u32> = self.state().packs.keys().copied().collect();
        packs.retain(|number| modified(*number).is_ok_and(|modified| modified > moment));
        packs
    }

    /// Bytes of the records with these keys.
    pub(crate) fn bytes_of(&self, is_wanted: impl Fn(&Key) -> bool) -> u64 {
        let state = self.state();
        let wanted = state.records.iter().filter(|((key, _), _)| is_wanted(key));
        wanted.map(|(_, length)| bytes(*length)).sum()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn of_key(&self, key: &Key) -> impl Iterator<Item = (Place, u32)> {
        let first = Place { pack: 0, at: 0 };
        let last = Place { pack: u32::MAX, at: u64::MAX };
        let records = self.records.range((*key, first)..=(*key, last));
        records.map(|((_, place), length)| (*place, *length))
    }

    fn is_latest(&self, key: &Key, place: Place) -> bool {
        let later = (Bound::Excluded((*key, place)), Bound::Unbounded);
        let next = self.records.range(later).next();
        next.is_none_or(|((other, _), _)| other != key)
    }

    fn append(&mut self, folder: &Path, key: &Key, body: &[u8]) -> io::Result<()> {
        let header = Header::of(key, body)?;
        let last = self.packs.last_key_value().map(|(number, pack)| (*number, pack.end));
        let (number, at, is_new) = match last {
            Some((number, Some(end))) if end < FULL => (number, end, false),
            _ => (last.map_or(0, |(number, _)| number) + 1, 0, true),
        };
        let file = match &mut self.file {
            Some((open, file)) if *open == number => file,
            slot => {
                make_folder(folder)?;
                let mut options = OpenOptions::new();
                // A new file replaces nothing, not even a link.
                let path = path(folder, number);
                let named = |error: io::Error| {
                    let reason = format!("{}: {error}", path_text::shown(&path));
                    io::Error::new(error.kind(), reason)
                };
                let mut file = options.write(true).create_new(is_new).open(&path).map_err(named)?;
                file.set_len(at)?;
                file.seek(SeekFrom::Start(at))?;
                let (bytes, end) = (at, Some(at));
                self.packs.insert(number, Pack { bytes, end });
                &mut slot.insert((number, file)).1
            }
        };
        let written = file.write_all(&header.bytes()).and_then(|()| file.write_all(body));
        if written.is_err() {
            // The next record is written over what there is of this one.
            self.file = None;
            return written;
        }
        let end = at + bytes(header.length);
        let place = Place { pack: number, at };
        self.records.insert((*key, place), header.length);
        let (bytes, end) = (end, Some(end));
        self.packs.insert(number, Pack { bytes, end });
        Ok(())
    }
}

/// Bytes of a record whose body has this length.
fn bytes(length: u32) -> u64 {
    u64::from(HEADER) + u64::from(length)
}

fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number}.pack"))
}

/// The packs in a folder. Links and files of other names are none.
fn numbers(folder: &Path) -> BTreeSet<u32> {
    if !is_own(folder) {
        return BTreeSet::new();
    }
    let number = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let number: u32 = name.to_str()?.strip_suffix(".pack")?.parse().ok()?;
        let is_ours = number < u32::MAX && entry.path() == path(folder, number);
        (is_ours && entry.metadata().ok()?.is_file()).then_some(number)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(number).collect()
}

/// Creates a folder of a cache, and the one above it. Neither may be a link.
fn make_folder(folder: &Path) -> io::Result<()> {
    for folder in [folder.parent().unwrap_or(folder), folder] {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ if is_folder(folder) => {}
            _ => {
                let reason = format!("{} is no folder; remove it", path_text::shown(folder));
                return Err(io::Error::new(io::ErrorKind::NotADirectory, reason));
            }
        }
    }
    Ok(())
}

/// Whether the folder of a cache is there: neither it nor the one above it may be a link.
fn is_own(folder: &Path) -> bool {
    is_folder(folder) && folder.parent().is_none_or(is_folder)
}

/// Whether this is a folder, and no link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

#[cfg(test)]
mod tests;
