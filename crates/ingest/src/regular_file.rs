//! Opens regular files only: a named pipe must not block the reader, a device must not be read.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use types::files::check_regular;
pub(crate) use types::files::kind_name as name;

/// Opens a regular file. A named pipe without a writer would block an ordinary `open` for ever; here it is an error
/// like any other file that is not regular.
///
/// # Errors
/// When the file cannot be opened, or what it is when it is not a regular file.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    check_regular(&file)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_open() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("file"), "x").expect("written");
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).expect("made");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("bound");
        assert!(open(&at("file")).is_ok());
        let check = |path: &Path, want: &str| {
            let error = open(path).expect_err("not regular").to_string();
            assert!(error.contains(want), "{error}");
        };
        check(&at("pipe"), "a named pipe");
        check(Path::new("/dev/null"), "a device");
        check(dir.path(), "a folder");
        // A socket cannot be opened at all.
        assert!(open(&at("socket")).is_err());
    }
}
