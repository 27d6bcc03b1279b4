//! Zip files: the members of an archive, and the parts of a DOCX. What is unpacked is counted while it is.

use crate::format::Format;
use crate::{Limits, ParseError, files};
use std::io::{BufReader, Read, Seek};
use std::path::{Component, Path, PathBuf};
use types::files::holder;
use zip::{ZipArchive, result::ZipError};

/// The part of a DOCX that has its text.
pub(crate) const DOCX_MAIN: &str = "word/document.xml";
/// Bytes of a part of a document, unpacked.
pub(crate) const MAX_PART: u64 = 96 << 20;
/// Opens an archive: reads its list of members.
///
/// # Errors
/// [`ParseError::Damaged`].
pub(crate) fn open<R: Read + Seek>(from: R) -> Result<ZipArchive<R>, ParseError> {
    ZipArchive::new(from).map_err(|error| damaged(&error))
}

/// A member, unpacked; `None` if there is none of this name.
///
/// # Errors
/// [`ParseError::Damaged`] when it is damaged or locked; [`ParseError::TooLarge`] when it has more than `limit` bytes.
pub(crate) fn part<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    name: &str,
    limit: u64,
) -> Result<Option<Vec<u8>>, ParseError> {
    let member = match zip.by_name(name) {
        Err(ZipError::FileNotFound) => return Ok(None),
        other => other.map_err(|error| damaged(&error))?,
    };
    let mut bytes = Vec::new();
    // What the list says of its size may be false.
    member
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ParseError::Damaged { detail: format!("{name}: {error}") })?;
    if bytes.len() as u64 > limit {
        return Err(ParseError::Damaged {
            detail: format!("{name} unpacks to more than {} MiB", limit >> 20),
        });
    }
    Ok(Some(bytes))
}

/// What a zip is: a document or an archive of files.
///
/// # Errors
/// When it cannot be read, or what it is, when it is a document of another kind.
pub(crate) fn format_of(path: &Path) -> Result<Format, ParseError> {
    const OTHERS: [(&str, &str); 4] = [
        ("xl/workbook.xml", "an Excel workbook"),
        ("ppt/presentation.xml", "a PowerPoint presentation; save it as PDF"),
        ("META-INF/container.xml", "an EPUB book; convert it to HTML or PDF"),
        ("META-INF/manifest.xml", "an OpenDocument file; save it as DOCX or PDF"),
    ];
    let zip = open(files::open(path)?)?;
    let holds = |name: &str| zip.index_for_name(name).is_some();
    if holds(DOCX_MAIN) {
        return Ok(Format::Docx);
    }
    match OTHERS.iter().find(|(part, _)| holds(part)) {
        Some((_, other)) => Err(ParseError::UnknownFormat { looks_like: (*other).to_owned() }),
        None => Ok(Format::Zip),
    }
}

/// The archive that a path leads into, and the name of the member there; `None` for the path of a file or of nothing.
pub fn member_of(path: &Path) -> Option<(&Path, &str)> {
    let archive = holder(path).filter(|archive| *archive != path)?;
    Some((archive, path.strip_prefix(archive).ok()?.to_str()?))
}

/// The bytes of a member of a zip archive.
///
/// # Errors
/// When there is none of this name, or it cannot be unpacked within the limits.
pub(crate) fn read(archive: &Path, name: &str, limits: &Limits) -> Result<Vec<u8>, ParseError> {
    let mut zip = open(BufReader::new(files::open(archive)?))?;
    let found = part(&mut zip, name, limits.max_file_bytes)?;
    found.ok_or_else(|| ParseError::Unreadable { detail: format!("the archive holds no {name} any more") })
}

/// Whether a name is that of a file below the archive, written in one way: no `..`, no root, nothing empty.
pub(crate) fn is_plain(name: &str) -> bool {
    let is_file = |part: Component<'_>| matches!(part, Component::Normal(_));
    let again: PathBuf = Path::new(name).components().collect();
    !name.contains('\0') && Path::new(name).components().all(is_file) && again.to_str() == Some(name)
}

/// What is wrong with an archive.
pub(crate) fn damaged(error: &ZipError) -> ParseError {
    let detail = match error {
        ZipError::UnsupportedArchive(what) if *what == ZipError::PASSWORD_REQUIRED => {
            "locked with a password; unpack the archive".to_owned()
        }
        other => format!("the archive: {other}"),
    };
    ParseError::Damaged { detail }
}
