//! Whether a folder or a file may be used as native code.

use super::{is_one_of, of_user, platform};
use std::{
    fs::{self, File, Metadata},
    io,
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
};

/// How many verdicts are remembered.
const REMEMBERED: usize = 32;

/// The natives folder of `program`: in its own folder or, if cargo built it, in the checkout. A folder that somebody
/// else put there, which in a shared folder anybody may do, does not count.
pub(super) fn beside(program: &Path) -> Option<PathBuf> {
    let owner = |metadata: io::Result<Metadata>| metadata.ok().map(|metadata| metadata.uid());
    // The owner of the program decides what it runs anyway.
    let trusted = [Some(0), Some(rustix::process::geteuid().as_raw()), owner(fs::metadata(program))];
    let trusted = |path: &PathBuf| {
        let owners = [fs::symlink_metadata(path), fs::metadata(path)].map(owner);
        path.is_dir() && owners.iter().all(|owner| trusted.contains(owner))
    };
    let own = program.parent()?;
    // target/release, target/TRIPLE/release, and target/debug/deps for tests
    let checkout = own.ancestors().take(3).find(|folder| folder.ends_with("target")).and_then(Path::parent);
    let places = [Some(own), checkout].into_iter().flatten();
    places.map(|place| place.join(".natives")).find(trusted)
}

/// Why a file is not loaded.
pub(super) struct Unfit {
    pub(super) found: String,
    pub(super) expected: String,
}

/// Fails unless the content of `path` is the pinned one; with none for this platform, always. Each version of a file is
/// hashed once.
pub(super) fn pinned(path: &Path, pinned: Option<&str>) -> Result<(), Unfit> {
    let none = || format!("a pinned one (none for {})", platform());
    let expected = pinned.map_or_else(none, str::to_owned);
    let unread = |error: io::Error| Unfit { found: unreadable(&error), expected: expected.clone() };
    let verdict = format!("{} {expected}", stamp(&fs::metadata(path).map_err(unread)?));
    let memory = memory();
    let known = memory.as_ref().and_then(|memory| fs::read_to_string(memory).ok()).unwrap_or_default();
    if known.lines().any(|line| line == verdict) {
        return Ok(());
    }
    let found = ingest::content_hash(path).map_err(unread)?;
    if !is_one_of(&expected, &found) {
        let found = format!("SHA-256 {found}");
        return Err(Unfit { found, expected });
    }
    let lines: Vec<&str> = [verdict.as_str()].into_iter().chain(known.lines().take(REMEMBERED)).collect();
    if let Some(memory) = memory {
        // What cannot be remembered, or is half written, is hashed again.
        let _ = memory.parent().map(fs::create_dir_all);
        let _ = fs::write(memory, lines.join("\n"));
    }
    Ok(())
}

/// Has every file hashed again: one that rots keeps its time.
pub fn forget() {
    // Without a file nothing is remembered.
    let _ = memory().map(fs::remove_file);
}

/// The verdicts. Who can write to this folder of the user needs no library to run code.
fn memory() -> Option<PathBuf> {
    of_user("XDG_CACHE_HOME", ".cache", "pipeline/verified")
}

/// What tells one version of a file from another.
fn stamp(of: &Metadata) -> String {
    let changed = [of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()];
    format!("{} {} {} {changed:?}", of.dev(), of.ino(), of.len())
}

fn unreadable(error: &io::Error) -> String {
    format!("no content that can be read ({error})")
}

/// Fails if the library has been cut short: reading a page behind its end would kill the process.
pub(super) fn whole(path: &Path) -> Result<(), Unfit> {
    let sizes = File::open(path).and_then(|file| Ok((needed(&file)?, file.metadata()?.len())));
    let (found, expected) = match sizes {
        Err(error) => (unreadable(&error), "a library".to_owned()),
        Ok((needed, bytes)) if needed > bytes => (format!("{bytes} bytes"), format!("at least {needed}")),
        Ok(_) => return Ok(()),
    };
    Err(Unfit { found, expected })
}

/// How many bytes the headers of a 64-bit ELF file say that it has; of anything else, which the loader refuses, 0.
fn needed(file: &File) -> io::Result<u64> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let mut header = [0; 64];
    match file.read_exact_at(&mut header, 0) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
        done => done?,
    }
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return Ok(0);
    }
    let (segments, size) = (number(&header[32..40]), number(&header[54..56]));
    let sections = number(&header[58..60]) * number(&header[60..62]);
    let mut end = number(&header[40..48]).saturating_add(sections);
    for index in 0..number(&header[56..58]) {
        let mut segment = [0; 56];
        let at = segments.saturating_add(index * size);
        end = end.max(at.saturating_add(size));
        if file.read_exact_at(&mut segment, at).is_ok() {
            end = end.max(number(&segment[8..16]).saturating_add(number(&segment[32..40])));
        }
    }
    Ok(end)
}
