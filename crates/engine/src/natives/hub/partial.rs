//! A file as far as it has come.

use super::HubError;
use llm::root_cause;
use reqwest::{Response, StatusCode, header::CONTENT_RANGE};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, Seek, Write},
    path::{Path, PathBuf},
};
use types::digest::hex;

/// A file that was downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The commit of the repository that it belongs to; empty if the hub names none.
    pub commit: String,
}

/// A file that is being written.
pub(crate) struct Partial {
    path: PathBuf,
    file: File,
    digest: Sha256,
    /// Its bytes so far.
    pub(crate) bytes: u64,
}

impl Partial {
    pub(crate) fn create(path: &Path) -> Result<Self, HubError> {
        let file = File::create(path).map_err(|source| cannot_write(path, source))?;
        Ok(Self { path: path.to_owned(), file, digest: Sha256::new(), bytes: 0 })
    }

    /// Adds the body of an answer: the rest of the file, or the whole file, which replaces what there is.
    pub(crate) async fn receive(
        &mut self,
        mut response: Response,
        name: &str,
        progress: &(dyn Fn(u64, Option<u64>) + Sync),
    ) -> Result<(), HubError> {
        if response.status() == StatusCode::OK {
            self.restart().map_err(|source| cannot_write(&self.path, source))?;
        } else {
            self.check_range(&response, name)?;
        }
        let total = response.content_length().map(|rest| self.bytes + rest);
        loop {
            let piece = response.chunk().await.map_err(|error| HubError::CutOff {
                file: name.to_owned(),
                bytes: self.bytes,
                reason: root_cause(&error.without_url()),
            })?;
            let Some(piece) = piece else { return Ok(()) };
            self.digest.update(&piece);
            self.file.write_all(&piece).map_err(|source| cannot_write(&self.path, source))?;
            self.bytes += piece.len() as u64;
            progress(self.bytes, total);
        }
    }

    /// The file, whole and on the disk.
    pub(crate) fn finish(self, commit: String) -> Result<Downloaded, HubError> {
        self.file.sync_all().map_err(|source| cannot_write(&self.path, source))?;
        Ok(Downloaded { sha256: hex(&self.digest.finalize()), bytes: self.bytes, commit })
    }

    fn restart(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.digest = Sha256::new();
        self.bytes = 0;
        Ok(())
    }

    /// Whether a partial answer begins where this file ends.
    fn check_range(&self, response: &Response, name: &str) -> Result<(), HubError> {
        let range = response.headers().get(CONTENT_RANGE);
        let range = range.and_then(|range| range.to_str().ok()).unwrap_or_default();
        if range.starts_with(&format!("bytes {}-", self.bytes)) {
            return Ok(());
        }
        Err(HubError::Reply {
            host: response.url().host_str().unwrap_or_default().to_owned(),
            file: name.to_owned(),
            reason: format!("another part than was asked for ({range:?} instead of byte {})", self.bytes),
        })
    }
}

fn cannot_write(path: &Path, source: io::Error) -> HubError {
    HubError::Write { path: path.to_owned(), source }
}
