//! The messages between parent and worker: JSON behind a length of four bytes, little-endian.

use crate::{Limits, OcrSettings, ParseError, Password};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use types::Document;

/// No frame is larger: a length beyond it means that the pipe holds something else.
const MAX_FRAME: usize = 512 << 20;

/// The parent asks for one file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Number of the request within this worker, echoed in every reply.
    pub(crate) id: u64,
    #[serde(with = "types::path_text")]
    pub(crate) path: PathBuf,
    pub(crate) passwords: Vec<Password>,
    #[serde(with = "types::path_text")]
    pub(crate) libpdfium: PathBuf,
    pub(crate) limits: Limits,
    pub(crate) ocr: Option<OcrSettings>,
}

/// What a worker reports: its progress, and at last the outcome.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Reply {
    /// Page `page` is about to be read.
    Page { id: u64, page: u32 },
    /// Page `page` is about to be recognised, which takes its own time.
    Recognising { id: u64, page: u32 },
    /// The document.
    Done {
        id: u64,
        document: Box<Document>,
        peak_bytes: Option<u64>,
    },
    /// No document.
    Failed {
        id: u64,
        error: ParseError,
        peak_bytes: Option<u64>,
    },
}

/// Writes one frame and flushes.
pub(crate) fn write_frame<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len())
        .ok()
        .filter(|n| *n as usize <= MAX_FRAME);
    let length =
        length.ok_or_else(|| io::Error::other(format!("a frame of {} bytes is too large", body.len())))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&body)?;
    to.flush()
}

/// Reads one frame; `None` when the pipe ends between frames.
pub(crate) fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0u8; 4];
    let mut got = 0;
    while got < length.len() {
        match from.read(&mut length[got..]) {
            Ok(0) if got == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a frame claims {length} bytes"),
        ));
    }
    let mut body = Vec::new();
    // `take` and a growing buffer: a length that lies does not reserve memory.
    if from.take(length as u64).read_to_end(&mut body)? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(serde_json::from_slice(&body)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_survive_the_pipe() {
        let mut pipe = Vec::new();
        for page in 1..=3 {
            write_frame(&mut pipe, &Reply::Page { id: 7, page }).expect("writes");
        }
        let mut from = pipe.as_slice();
        for want in 1..=3 {
            let Ok(Some(Reply::Page { id: 7, page })) = read_frame(&mut from) else {
                panic!("page {want}")
            };
            assert_eq!(page, want);
        }
        assert!(matches!(read_frame::<Reply>(&mut from), Ok(None)));
    }

    #[test]
    fn broken_frames_are_errors() {
        let check = |bytes: &[u8]| assert!(read_frame::<Reply>(&mut &bytes[..]).is_err(), "{bytes:?}");
        check(&[1, 0]);
        check(&[9, 0, 0, 0, b'{']);
        check(&[0xff, 0xff, 0xff, 0xff, b'{', b'}']);
        check(&[2, 0, 0, 0, b'{', b'}']);
    }
}
