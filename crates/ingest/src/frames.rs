//! The messages between parent and worker: JSON behind a length of four bytes, little-endian.

use crate::reading::{Limits, Password, Progress};
use crate::{Highlight, Highlighted, OcrSettings, PageQuery, PageView, ParseError};
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
    pub(crate) wanted: Wanted,
}

/// What is to be made of the file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Wanted {
    Document,
    /// One page as its reader sees it.
    Page(PageQuery),
    /// A copy in which quotes are highlighted.
    Highlights(Vec<Highlight>),
}

/// What a worker reports on the request `id`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) id: u64,
    pub(crate) event: Event,
}

/// Its progress, and at last the outcome.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Event {
    Progress(Progress),
    Done { outcome: Result<Outcome, ParseError>, peak_bytes: Option<u64> },
}

/// What was made of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    Document(Box<Document>),
    Page(Box<PageView>),
    Highlighted(Box<Highlighted>),
}

/// Writes one frame and flushes.
pub(crate) fn write_frame<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    if body.len() > MAX_FRAME {
        return Err(io::Error::other(format!("a frame of {} bytes is too large", body.len())));
    }
    to.write_all(&(body.len() as u32).to_le_bytes())?;
    to.write_all(&body)?;
    to.flush()
}

/// Reads one frame; `None` when the pipe ends between frames.
pub(crate) fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = Vec::new();
    if from.take(4).read_to_end(&mut length)? == 0 {
        return Ok(None);
    }
    let length: [u8; 4] = length.try_into().map_err(|_| io::ErrorKind::UnexpectedEof)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME {
        let claim = format!("a frame claims {length} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, claim));
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
            let event = Event::Progress(Progress::Page(page, 9));
            write_frame(&mut pipe, &Report { id: 7, event }).expect("writes");
        }
        let mut from = pipe.as_slice();
        for want in 1..=3 {
            let Ok(Some(Report { id: 7, event })) = read_frame(&mut from) else { panic!("page {want}") };
            assert!(matches!(event, Event::Progress(Progress::Page(page, 9)) if page == want));
        }
        assert!(matches!(read_frame::<Report>(&mut from), Ok(None)));
    }

    #[test]
    fn broken_frames_are_errors() {
        let check = |bytes: &[u8]| assert!(read_frame::<Report>(&mut &bytes[..]).is_err(), "{bytes:?}");
        check(&[1, 0]);
        check(&[9, 0, 0, 0, b'{']);
        check(&[0xff, 0xff, 0xff, 0xff, b'{', b'}']);
        check(&[2, 0, 0, 0, b'{', b'}']);
    }
}
