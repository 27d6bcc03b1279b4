//! Archives (zip): DOCX files are such, and people keep papers in them. A paper in one has the path of the archive with its name
//! behind it, which never leads to a file of that name. What is unpacked is counted while it is. The files of a PDF portfolio are
//! members as well; PDFium unpacks them ([`crate::pdfium`]).

use crate::discover::is_searched;
use crate::inputs::{self, Format};
use crate::member::Member;
use crate::zipped::{damaged, is_plain, member_of, open};
use crate::{Limits, ParseError, files};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::io::{BufReader, Read};
use std::path::Path;
use types::digest::hex;

/// Bytes of an archive, files in it, and bytes that all of them may unpack to.
const MAX_ARCHIVE: u64 = 16 << 30;
const MAX_MEMBERS: usize = 20_000;
const MAX_UNPACKED: u64 = 16 << 30;

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
