//! Files as they are read: opened only if regular, bounded in size, named by their content and by their stem.

use crate::{Limits, ParseError, format::Format, measure::tally};
use rustix::fs::OFlags;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use types::SourceId;
use types::digest::sha256;
use types::files::check_regular;

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

/// # Errors
/// When so many bytes are too many.
pub(crate) fn refuse_large(bytes: u64, limits: &Limits) -> Result<(), ParseError> {
    let limit = limits.max_file_bytes;
    if bytes > limit {
        return Err(ParseError::TooLarge { bytes, limit });
    }
    Ok(())
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
