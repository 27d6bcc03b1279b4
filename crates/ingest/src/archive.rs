//! Archives (zip): DOCX files are such, and people keep papers in them. A paper in one has the path of the archive with its name
//! behind it, which never leads to a file of that name. What is unpacked is counted while it is. The files of a PDF portfolio are
//! members as well; PDFium unpacks them ([`crate::pdfium`]).

use crate::discover::is_searched;
use crate::inputs::{self, Format};
use crate::member::Member;
use crate::{Limits, ParseError, files};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::io::{BufReader, Read, Seek};
use std::path::{Component, Path, PathBuf};
use types::{digest::hex, files::holder};
use zip::{ZipArchive, result::ZipError};

/// The part of a DOCX that has its text.
pub(crate) const DOCX_MAIN: &str = "word/document.xml";
/// Bytes of a part of a document, unpacked.
pub(crate) const MAX_PART: u64 = 96 << 20;
/// Bytes of an archive, files in it, and bytes that all of them may unpack to.
const MAX_ARCHIVE: u64 = 16 << 30;
const MAX_MEMBERS: usize = 20_000;
const MAX_UNPACKED: u64 = 16 << 30;

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

/// What a file of this name and content is. `hash` is that of all its bytes, of which `head` is the beginning.
pub(crate) fn known(name: &str, head: &[u8], hash: String) -> Member {
    let content = match inputs::detect_head(Path::new(name), head) {
        Ok(Format::Zip) => Err("an archive in an archive is not read; unpack it".to_owned()),
        Ok(Format::Beir) => Err("a BEIR corpus in an archive is not read; unpack it".to_owned()),
        Ok(format) => Ok((format, hash)),
        Err(error) => Err(error.to_string()),
    };
    Member { name: name.to_owned(), content }
}

/// The archive that a path leads into, and the name of the member there; `None` for the path of a file or of nothing.
pub fn member_of(path: &Path) -> Option<(&Path, &str)> {
    let archive = holder(path).filter(|archive| *archive != path)?;
    Some((archive, path.strip_prefix(archive).ok()?.to_str()?))
}

/// Whether a path leads into a PDF portfolio, which is unpacked in worker processes alone.
pub fn in_portfolio(path: &Path) -> bool {
    member_of(path).is_some_and(|(around, _)| inputs::detect(around) == Ok(Format::Pdf))
}

/// The papers in a zip archive, by their names; other files in it are passed over. `keep_going` ends it with `false`.
///
/// # Errors
/// When the archive cannot be read, or has too many members.
pub fn members(
    path: &Path,
    limits: &Limits,
    keep_going: impl Fn() -> bool,
) -> Result<Vec<Member>, ParseError> {
    let file = files::open_bounded(path, &Limits { max_file_bytes: MAX_ARCHIVE, ..*limits })?;
    let mut zip = open(BufReader::new(file))?;
    if zip.len() > MAX_MEMBERS {
        return Err(ParseError::Damaged {
            detail: format!("an archive of more than {MAX_MEMBERS} files; unpack it"),
        });
    }
    let (mut all, mut left) = (Vec::new(), MAX_UNPACKED);
    for at in (0..zip.len()).take_while(|_| keep_going()) {
        let Some(name) = zip.name_for_index(at).and_then(Result::ok).map(Cow::into_owned) else {
            continue;
        };
        // A name that leads elsewhere would count as hidden.
        let is_paper = if is_plain(&name) {
            is_searched(Path::new(&name))
        } else {
            Format::of_name(Path::new(&name)).is_some()
        };
        if name.ends_with('/') || !is_paper {
            continue;
        }
        all.push(if !is_plain(&name) {
            Member::unread(
                &name.replace(['/', '\\'], "_"),
                format!("its name in the archive, {name}, is not that of a file below it"),
            )
        } else if Format::of_name(Path::new(&name)) == Some(Format::Zip) {
            known(&name, b"PK\x03\x04", String::new())
        } else {
            match zip.by_index(at) {
                Ok(member) => looked_at(&name, member, limits.max_file_bytes, &mut left, &keep_going),
                Err(error) => Member::unread(&name, damaged(&error).to_string()),
            }
        });
    }
    Ok(all)
}

/// What a member is, from its bytes, of which no more than the beginning is kept. `left` is what may still be unpacked.
fn looked_at(
    name: &str,
    mut from: impl Read,
    limit: u64,
    left: &mut u64,
    keep_going: &impl Fn() -> bool,
) -> Member {
    let (mut head, mut hasher, mut bytes) = (Vec::new(), Sha256::new(), 0);
    let mut block = vec![0; 1 << 16];
    while keep_going() {
        let read = match from.read(&mut block) {
            Ok(0) => return known(name, &head, hex(&hasher.finalize())),
            Ok(read) => read,
            Err(error) => return Member::unread(name, format!("damaged: {error}")),
        };
        bytes += read as u64;
        *left = left.saturating_sub(read as u64);
        if bytes > limit {
            return Member::unread(name, ParseError::TooLarge { bytes, limit }.to_string());
        }
        if *left == 0 {
            return Member::unread(
                name,
                format!("the archive unpacks to more than {} GiB; unpack it", MAX_UNPACKED >> 30),
            );
        }
        hasher.update(&block[..read]);
        if head.is_empty() {
            head.extend_from_slice(&block[..read]);
        }
    }
    Member::unread(name, "stopped before it was read")
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

fn damaged(error: &ZipError) -> ParseError {
    let detail = match error {
        ZipError::UnsupportedArchive(what) if *what == ZipError::PASSWORD_REQUIRED => {
            "locked with a password; unpack the archive".to_owned()
        }
        other => format!("the archive: {other}"),
    };
    ParseError::Damaged { detail }
}
