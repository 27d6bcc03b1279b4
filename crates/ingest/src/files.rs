//! Files as they are read: opened only if regular, bounded in size, named by their content and by their stem.

use crate::{Limits, ParseError, archive, format::Format, measure::tally};
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use types::SourceId;
use types::digest::{hex, sha256};
use types::files::check_regular;

/// SHA-256 of a file's bytes, in hexadecimal.
///
/// # Errors
/// When the file cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    content_hash_while(path, || true)
}

/// As [`content_hash`]; `keep_going` is called before each block of the file.
///
/// # Errors
/// When the file cannot be read; [`io::ErrorKind::Interrupted`] when `keep_going` said `false`.
pub fn content_hash_while(path: &Path, keep_going: impl Fn() -> bool) -> io::Result<String> {
    if archive::member_of(path).is_some() {
        return read(path, &Limits::default()).map(|bytes| sha256(&bytes)).map_err(io::Error::other);
    }
    let mut file = open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        if !keep_going() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => hasher.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(hex(&hasher.finalize()))
}

/// Names content by what it is read as and by its SHA-256 in hexadecimal: the same bytes are another document as
/// Markdown than as plain text. A PDF is named by its hash alone.
pub fn content_key(format: Format, hash: &str) -> String {
    match format {
        Format::Pdf => hash.to_owned(),
        other => sha256(format!("{}\n{hash}", other.as_str()).as_bytes()),
    }
}

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

/// A file, if its size is within the limit.
///
/// # Errors
/// When it cannot be read, is no regular file or is too large.
pub(crate) fn open_bounded(path: &Path, limits: &Limits) -> Result<File, ParseError> {
    let file = open(path)?;
    refuse_large(file.metadata()?.len(), limits)?;
    Ok(file)
}

/// All bytes of a file, whose size is within the limit.
///
/// # Errors
/// Those of [`open_bounded`].
pub(crate) fn read(path: &Path, limits: &Limits) -> Result<Vec<u8>, ParseError> {
    if let Some((archive, name)) = archive::member_of(path) {
        return archive::read(archive, name, limits);
    }
    let file = open_bounded(path, limits)?;
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(limits.max_file_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    refuse_large(bytes.len() as u64, limits)?;
    Ok(bytes)
}

fn refuse_large(bytes: u64, limits: &Limits) -> Result<(), ParseError> {
    let limit = limits.max_file_bytes;
    if bytes > limit {
        return Err(ParseError::TooLarge { bytes, limit });
    }
    Ok(())
}

/// At most the first `most` bytes of a file.
///
/// # Errors
/// When it cannot be read or is no regular file.
pub(crate) fn head(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if archive::member_of(path).is_some() {
        let mut bytes = read(path, &Limits::default()).map_err(io::Error::other)?;
        bytes.truncate(most as usize);
        return Ok(bytes);
    }
    let mut head = Vec::new();
    open(path)?.take(most).read_to_end(&mut head)?;
    Ok(head)
}

/// Gives each source its id, from pairs of preferred id and content hash. Where two would have one id, each of them gets
/// the first eight hexadecimal digits of its content hash behind it, so that an id depends neither on the order of the
/// sources nor on the folder; a source whose preferred id *and* content equal another's gets a number behind that. The ids
/// come in the same order.
pub fn assign_ids<H: AsRef<str>>(preferred: &[(SourceId, H)]) -> Vec<SourceId> {
    let shared = tally(preferred.iter().map(|(id, _)| (id, 1)));
    let alone = |id: &SourceId| shared.get(id) == Some(&1);
    let ids = preferred.iter().map(|(id, _)| id);
    let mut taken: BTreeSet<SourceId> = ids.filter(|id| alone(id)).cloned().collect();
    let assign = |(id, hash): &(SourceId, H)| {
        if alone(id) {
            return id.clone();
        }
        let short: String = hash.as_ref().chars().take(8).collect();
        let first = SourceId::from(format!("{id}-{short}"));
        let mut candidate = first.clone();
        let mut number = 2;
        while !taken.insert(candidate.clone()) {
            candidate = SourceId::from(format!("{first}-{number}"));
            number += 1;
        }
        candidate
    };
    preferred.iter().map(assign).collect()
}

/// The id of a file's stem; other files may have the same.
pub fn source_id_of(path: &Path) -> SourceId {
    SourceId::from_stem(&path.file_stem().unwrap_or_default().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_regular_files_open() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "x").expect("written");
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

    #[test]
    fn ids_collide_into_hashes_whatever_the_order() {
        let check = |files: &[(&str, &str)], want: &[&str]| {
            let preferred: Vec<(SourceId, &str)> =
                files.iter().map(|(path, hash)| (source_id_of(Path::new(path)), *hash)).collect();
            let ids = assign_ids(&preferred);
            assert_eq!(ids.iter().map(SourceId::as_str).collect::<Vec<_>>(), want);
        };
        check(&[("x/Barry 2014.pdf", "aa"), ("b.pdf", "bb")], &["barry_2014", "b"]);
        check(
            &[("x/p.pdf", "0123456789"), ("y/p.pdf", "abcdefabcd"), ("q.pdf", "11")],
            &["p-01234567", "p-abcdefab", "q"],
        );
        check(&[("y/p.pdf", "abcdefabcd"), ("x/p.pdf", "0123456789")], &["p-abcdefab", "p-01234567"]);
        check(&[("x/p.pdf", "same"), ("y/p.pdf", "same")], &["p-same", "p-same-2"]);
    }
}
