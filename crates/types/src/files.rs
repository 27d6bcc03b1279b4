//! Files that readers see whole or not at all, and files that are read up to a limit.

use rustix::fs::OFlags;
use std::{
    fs::{self, File, FileType},
    io::{self, IsTerminal as _, Read, Write as _},
    os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _},
    path::Path,
};

/// Most bytes of a file of settings or of a key.
pub const SETTINGS_BYTES: u64 = 1 << 20;
/// Most bytes of any other file that is read as a whole: query sets, answers, labels, reports.
pub const DATA_BYTES: u64 = 256 << 20;

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
    if matches!(folder.try_exists(), Ok(false)) {
        let reason = format!("the folder {} does not exist", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, reason));
    }
    // Not `tempfile_in`: only the owner could read its files.
    let mut file =
        tempfile::Builder::new().prefix(TEMPORARY).make_in(folder, |beside| File::create_new(beside))?;
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
/// When the file cannot be opened, is no regular file, or is a symbolic link: what that leads to is not ours.
pub fn open_in_place(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).append(true).read(true);
    if let Ok(flags) = i32::try_from(OFlags::NOFOLLOW.bits()) {
        options.custom_flags(flags);
    }
    let file = options.open(path).or_else(|error| {
        refuse_link(path)?;
        Err(error)
    })?;
    check_regular(&file)?;
    Ok(file)
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
    path.ancestors().take_while(|part| *part != root).try_for_each(refuse_link)
}

fn refuse_link(path: &Path) -> io::Result<()> {
    if !path.is_symlink() {
        return Ok(());
    }
    let reason = format!("{} is a symbolic link; remove it", path.display());
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

/// The bytes of a file that a user names. A pipe is read to its end, so that `<(command)` and `/dev/stdin` work.
///
/// # Errors
/// When the file cannot be read, has more bytes than `limit`, or is a folder or a device.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    let kind = meta.file_type();
    // An empty device, such as /dev/null, is an empty file; a terminal ends when its user says so.
    let device = kind.is_block_device() || kind.is_char_device() && !file.is_terminal();
    if kind.is_dir() || device && (&file).take(1).read(&mut [0])? > 0 {
        return Err(invalid(format!("it is a {}, not a file", kind_name(kind))));
    }
    // Such a file is not read at all.
    if meta.len() > limit {
        return Err(too_large(limit));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(meta.len() as usize)?;
    read_to(bytes, file, limit)
}

/// The file that a path names or, as a path into an archive does, leads into; `None` where there is none.
pub fn holder(path: &Path) -> Option<&Path> {
    path.ancestors().find(|above| above.is_file())
}

/// # Errors
/// When an open file is a folder, a pipe or a device.
pub fn check_regular(file: &File) -> io::Result<()> {
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(());
    }
    Err(invalid(format!("it is a {}, not a regular file", kind_name(kind))))
}

/// As [`read_bounded`], as text.
///
/// # Errors
/// As [`read_bounded`], and when the bytes are not UTF-8.
pub fn read_text_bounded(path: &Path, limit: u64) -> io::Result<String> {
    text_of(read_bounded(path, limit)?)
}

/// All that an open file, or standard input, holds.
///
/// # Errors
/// When it cannot be read or has more bytes than `limit`.
pub fn read_all(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    read_to(Vec::new(), from, limit)
}

fn read_to(mut bytes: Vec<u8>, from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

/// Bytes as text.
///
/// # Errors
/// When they are not UTF-8.
pub fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8".to_owned()))
}

/// The name of a kind of file that is not regular.
pub fn kind_name(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "folder"
    } else if kind.is_fifo() {
        "named pipe"
    } else if kind.is_socket() {
        "socket"
    } else {
        "device"
    }
}

fn too_large(limit: u64) -> io::Error {
    invalid(format!("it has more than {} MiB, the limit", limit >> 20))
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn no_file_is_read_beyond_its_limit() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("file");
        let check = |path: &Path, limit: u64, want: Result<usize, &str>| match read_bounded(path, limit) {
            Ok(bytes) => assert_eq!(Ok(bytes.len()), want, "{}", path.display()),
            Err(error) => {
                let want = want.expect_err("an error");
                assert!(error.to_string().contains(want), "{}: {error}", path.display());
            }
        };
        File::create(&path).and_then(|file| file.set_len((1 << 20) + 1)).expect("written");
        check(&path, 1 << 20, Err("more than 1 MiB"));
        check(&path, 2 << 20, Ok((1 << 20) + 1));
        check(dir.path(), 1 << 20, Err("it is a folder"));
        check(Path::new("/dev/zero"), 1 << 20, Err("it is a device"));
        check(Path::new("/dev/null"), 1 << 20, Ok(0));
        assert!(read_all(io::repeat(b'x'), 1 << 20).is_err(), "a pipe without end");
        fs::write(&path, [0xff]).expect("written");
        assert!(read_text_bounded(&path, 1).is_err(), "not UTF-8");
    }

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
