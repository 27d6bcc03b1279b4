//! What the result of each stage depends on.
//!
//! - parse: the content and the reader's version. Limits and passwords decide whether there is a document, never what
//!   is in it.
//! - chunk: the document, the chunker's version and settings, and the source's id, which is part of chunk ids and
//!   prefixes.
//! - embed: the embedder. In addition, each text has a key of its own ([`crate::indexer::vectors`]), so that only new texts are
//!   embedded.
//!
//! The index stores these keys of each source as one line; its parts show which stage has to run again.

use ingest::chunk::ChunkSettings;
use std::fmt;
use types::{
    SourceId,
    digest::{digest_of_parts, hex, sha256_of_parts},
};

/// Which texts are embedded: raised when [`crate::indexer::vectors`] embeds others.
const TEXTS: &str = "rows with their header";

/// A SHA-256.
pub(crate) type Key = [u8; 32];

/// Digits of each part but the first.
const DIGITS: usize = 16;

/// What reading a file depends on beside the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReaderKeys {
    /// The reader's version, and OCR: all that a document depends on.
    pub(crate) version: String,
    /// Its version, limits, and whether there is a password.
    pub(crate) settings: String,
}

/// The keys of one source, written as `content-parse-chunk-embed`, and `-metadata` where a manifest corrects it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceKey {
    content: String,
    parse: String,
    chunk: String,
    embed: String,
    metadata: Option<String>,
}

/// The key of the vectors that this embedder makes of the texts of a document with this content.
pub(crate) fn vectors(embedder: &str, content: &str) -> Key {
    digest_of_parts(&[b"sentences in 8 bits", embedder.as_bytes(), content.as_bytes()])
}

/// The key of the document that is read from content with this hash; `reader_key` is what else it depends on.
pub(crate) fn document(content: &str, reader_key: &str) -> Key {
    digest_of_parts(&[content.as_bytes(), reader_key.as_bytes()])
}

impl SourceKey {
    /// The keys of the source `id`, made from content with this hash by this reader. `metadata` is a digest of what a
    /// manifest says.
    pub(crate) fn new(
        (content, reader_key): (&str, &str),
        id: &SourceId,
        chunking: &ChunkSettings,
        embedder: &str,
        metadata: Option<&str>,
    ) -> Self {
        let short = |key: &str| key.chars().take(DIGITS).collect::<String>();
        let parse = hex(&document(content, reader_key));
        let chunk = sha256_of_parts(&[
            parse.as_bytes(),
            ingest::chunk::CHUNKER_VERSION.as_bytes(),
            format!("{:?}", chunking.clamped()).as_bytes(),
            id.as_str().as_bytes(),
        ]);
        Self {
            content: content.to_owned(),
            parse: short(&parse),
            chunk: short(&chunk),
            embed: short(&sha256_of_parts(&[embedder.as_bytes(), TEXTS.as_bytes()])),
            metadata: metadata.map(short),
        }
    }

    /// Reads a key from an index; `None` when another version made it.
    pub(crate) fn read(key: &str) -> Option<Self> {
        let mut parts = key.split('-').map(str::to_owned);
        let key = Self {
            content: parts.next()?,
            parse: parts.next()?,
            chunk: parts.next()?,
            embed: parts.next()?,
            metadata: parts.next(),
        };
        parts.next().is_none().then_some(key)
    }

    /// The hash of the content.
    pub(crate) fn content(&self) -> &str {
        &self.content
    }

    /// Whether the document was read by this reader.
    pub(crate) fn was_read_by(&self, reader_key: &str) -> bool {
        hex(&document(&self.content, reader_key)).starts_with(&self.parse)
    }

    /// The digest of what a manifest says; `None` without one.
    pub(crate) fn metadata(&self) -> Option<&str> {
        self.metadata.as_deref()
    }

    /// The key of a source that lacks a vector, so that the next run tries to make it.
    pub(crate) fn incomplete(key: &str) -> String {
        let embed = "incomplete".to_owned();
        Self::read(key).map_or_else(|| key.to_owned(), |own| Self { embed, ..own }.to_string())
    }
}

impl fmt::Display for SourceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}-{}", self.content, self.parse, self.chunk, self.embed)?;
        match &self.metadata {
            Some(metadata) => write!(f, "-{metadata}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(content: &str, id: &str, max_tokens: usize, embedder: &str) -> SourceKey {
        let chunking = ChunkSettings { max_tokens, ..ChunkSettings::default() };
        SourceKey::new((content, "4"), &id.into(), &chunking, embedder, None)
    }

    #[test]
    fn each_change_reaches_the_stages_behind_it_and_no_other() {
        let base = key("c", "lee", 768, "m");
        let check = |other: SourceKey, same: [bool; 4]| {
            let seen = [
                other.content == base.content,
                other.parse == base.parse,
                other.chunk == base.chunk,
                other.embed == base.embed,
            ];
            assert_eq!(seen, same);
            assert_eq!(SourceKey::read(&other.to_string()), Some(other));
        };
        check(base.clone(), [true; 4]);
        check(key("d", "lee", 768, "m"), [false, false, false, true]);
        check(key("c", "kim", 768, "m"), [true, true, false, true]);
        check(key("c", "lee", 512, "m"), [true, true, false, true]);
        check(key("c", "lee", 768, "n"), [true, true, true, false]);
        // A size out of range is replaced by the nearest in range: the same chunks.
        assert_eq!(key("c", "lee", 1, "m"), key("c", "lee", 64, "m"));
    }

    #[test]
    fn keys_of_other_versions_are_not_read() {
        for text in ["", "c", "c-0123456789abcdef", "a-b-c-d-e-f"] {
            assert_eq!(SourceKey::read(text), None, "{text:?}");
        }
    }
}
