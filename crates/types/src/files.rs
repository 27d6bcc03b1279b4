//! Files that readers see whole or not at all.

use rustix::fs::OFlags;
use std::{
    fs::{self, File},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// How the names of half-written files begin: a process that is killed while it writes leaves one.
pub const TEMPORARY: &str = ".tmp-";

/// Writes the parts, one after the other, to a file beside `path` and renames it: `path` holds what it held before or
/// all of the new bytes. The file has the permissions of any new file. Nothing is flushed to the disk: after a power
/// failure the file may be cut short, which its reader has to notice.
///
/// # Errors
/// When the folder does not exist or cannot be written; the file beside `path` is removed then.
pub fn write_atomic(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Not `tempfile_in`: only the owner could read its files.
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .make_in(folder, |beside| File::create_new(beside))?;
    for part in parts {
        file.write_all(part)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Opens a file of our own that is changed in place, such as a lock or a journal, and makes it where there is none. Writes
/// go to its end; what it holds stays.
///
/// # Errors
/// When the file cannot be opened or is a symbolic link: what that leads to is not ours.
pub fn open_in_place(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).append(true).read(true);
    if let Ok(flags) = i32::try_from(OFlags::NOFOLLOW.bits()) {
        options.custom_flags(flags);
    }
    options.open(path).or_else(|error| {
        refuse_link(path)?;
        Err(error)
    })
}

/// Makes a new file in the place of an old one, which may be a link: what that leads to stays as it is.
///
/// # Errors
/// When the old file cannot be removed or the new one not be made.
pub fn create_anew(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

/// Checks a file that is about to be read, written or removed in a folder of our own.
///
/// # Errors
/// When the path, or a folder between it and `root`, is a symbolic link.
pub fn refuse_links_below(root: &Path, path: &Path) -> io::Result<()> {
    path.ancestors()
        .take_while(|part| *part != root)
        .try_for_each(refuse_link)
}

fn refuse_link(path: &Path) -> io::Result<()> {
    if !path.is_symlink() {
        return Ok(());
    }
    let reason = format!("{} is a symbolic link; remove it", path.display());
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_looks_like_any_other() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("report.md");
        fs::write(&path, "old").expect("written");
        let plain = fs::metadata(&path).expect("there").permissions();
        write_atomic(&path, &[b"new ", b"text"]).expect("written");
        assert_eq!(fs::read_to_string(&path).expect("read"), "new text");
        assert_eq!(fs::metadata(&path).expect("there").permissions(), plain);
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let dir = tempfile::tempdir().expect("a folder");
        let error = write_atomic(&dir.path().join("none/file"), &[b"x"]).expect_err("no folder");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let taken = dir.path().join("taken");
        fs::create_dir_all(taken.join("full")).expect("created");
        assert!(write_atomic(&taken, &[b"x"]).is_err(), "a folder is not replaced");
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1);
    }
}
