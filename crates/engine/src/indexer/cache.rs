//! The cache of an index, one SQLite file: parsed documents, vectors, which are saved as they are computed, and what is known of
//! files: the fingerprint of each that was read, and why another could not be ([`crate::indexer::failed`]).
//!
//! Documents and vectors are kept as long as a source of the index has their content, so that an index that is damaged, of an
//! older format or made with other settings is built again without reading papers and without embedding the same texts again.
//! What is known of a file is kept as long as the file is there.
//!
//! A key contains everything that an entry depends on. An entry is there once it was written, however the run ends. Each has a
//! checksum: a damaged one counts as absent, and a damaged file is replaced by the next write. Whatever is lost is made again.

mod file;
mod leftovers;

pub(crate) use leftovers::clear_leftovers;

use crate::indexer::{
    IndexerError,
    indexed::content_hash,
    keys::{self, Key, ReaderKeys},
    vectors::{self, TextKey, Vectors},
};
use file::{connect, create, empty, is_damage, replace};
use ingest::{Member, inputs::Fingerprint};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, Transaction, params};
use serde::Serialize;
use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::{SystemTime, UNIX_EPOCH},
};
use types::{Document, Holdings, digest::crc32, files::holder, locked, path_text};

/// Name of the file in the index folder.
pub(crate) const FILE: &str = "cache.sqlite";
/// A parsed document.
const DOCUMENT: &str = "document";
/// Vectors of some texts of a document; there may be several entries for one document.
const VECTORS: &str = "vectors";
/// The fingerprint of a file.
const PRINT: &str = "print";
/// The papers in an archive.
const MEMBERS: &str = "members";
/// Why a file could not be read.
pub(crate) const FAILURE: &str = "failure";

/// What earlier runs made and noted.
pub(crate) struct Cache {
    file: PathBuf,
    connection: Mutex<Connection>,
    pub(crate) reader: ReaderKeys,
    /// Whether earlier failures do not count.
    pub(crate) retry: bool,
}

/// How much the cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheUsage {
    /// Parsed documents.
    pub documents: usize,
    /// Their bytes.
    pub document_bytes: u64,
    /// Bytes of cached vectors.
    pub vector_bytes: u64,
}

impl Cache {
    /// The cache of an index folder, which is made where there is none, for a run with this reader.
    ///
    /// # Errors
    /// When it cannot be opened or made.
    pub(crate) fn open(index: &Path, reader: ReaderKeys, retry: bool) -> Result<Self, IndexerError> {
        let failed = || IndexerError::io("open", index.join(FILE));
        // No link at the name of the file is followed; the folder may lie behind one.
        let file = index.canonicalize().map_err(failed())?.join(FILE);
        let connection =
            create(&file).or_else(|error| if is_damage(&error) { replace(&file) } else { Err(error) });
        let connection = connection.map_err(|error| failed()(io::Error::other(error)))?;
        Ok(Self { file, connection: Mutex::new(connection), reader, retry })
    }

    /// The cache of an index folder as it is: nothing is made. One that cannot be read is empty.
    pub(crate) fn existing(index: &Path, reader: ReaderKeys) -> Result<Self, IndexerError> {
        let file = index.canonicalize().unwrap_or_else(|_| index.to_owned()).join(FILE);
        let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE).or_else(|_| empty());
        let connection =
            connection.map_err(|error| IndexerError::io("open", &file)(io::Error::other(error)))?;
        Ok(Self { file, connection: Mutex::new(connection), reader, retry: false })
    }

    /// A cache that is nowhere, for tests.
    #[cfg(test)]
    pub(crate) fn in_memory() -> Self {
        let connection = empty().expect("a cache");
        Self {
            file: PathBuf::new(),
            connection: Mutex::new(connection),
            reader: ReaderKeys::default(),
            retry: false,
        }
    }

    pub(crate) fn document(&self, content: &str) -> Option<Document> {
        serde_json::from_slice(&self.get(DOCUMENT, &self.document_key(content)).pop()?).ok()
    }

    /// What was noticed when the document with this content was read.
    pub(crate) fn warnings(&self, content: &str) -> Vec<String> {
        /// The rest of a document is not made.
        #[derive(serde::Deserialize)]
        struct Noticed {
            warnings: Vec<String>,
        }
        let body = self.get(DOCUMENT, &self.document_key(content)).pop();
        let read = body.and_then(|body| serde_json::from_slice::<Noticed>(&body).ok());
        read.map(|read| read.warnings).unwrap_or_default()
    }

    /// The files that were read and have no text.
    pub(crate) fn files_without_text(&self) -> Vec<PathBuf> {
        let found = self.read(|connection| {
            // All bodies are looked at, and none is read.
            let sql = "SELECT path FROM entries WHERE kind = 'print' AND path IS NOT NULL
                       AND instr(body, CAST('\"has_text\":false' AS BLOB)) > 0 ORDER BY path";
            let mut all = connection.prepare(sql)?;
            all.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
        });
        found.unwrap_or_default().iter().map(|path| path_text::decode(path)).collect()
    }

    /// Bytes of a cached document; 0 for one that is not cached.
    pub(crate) fn document_bytes(&self, content: &str) -> u64 {
        let key = self.document_key(content);
        let bytes = self.read(|connection| {
            let mut find = connection
                .prepare_cached("SELECT length(body) FROM entries WHERE kind = 'document' AND key = ?1")?;
            find.query_row([key], |row| number(row, 0)).optional()
        });
        bytes.flatten().unwrap_or(0)
    }

    /// Stores the document of a file; `path` is where the file lies if nothing else is in it, and its fingerprint is stored too.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn put_document(
        &self,
        path: Option<&Path>,
        content: &str,
        document: &Document,
    ) -> io::Result<()> {
        let key = self.document_key(content);
        let (body, print) = (serde_json::to_vec(document)?, serde_json::to_vec(&Fingerprint::of(document))?);
        self.write(|step| {
            forget(step, FAILURE, content.as_bytes(), path)?;
            add(step, DOCUMENT, &key, None, &body)?;
            if path.is_some() { add(step, PRINT, &key, path, &print) } else { Ok(()) }
        })
    }

    /// The vectors that runs have saved of the texts of a document with this content.
    pub(crate) fn vectors(&self, embedder: &str, content: &str, dimension: usize) -> Vectors {
        Vectors::decode(&self.get(VECTORS, &keys::vectors(embedder, content)), dimension)
    }

    /// Saves vectors of such texts, beside those that are there.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn add_vectors(
        &self,
        embedder: &str,
        content: &str,
        vectors: &[(TextKey, Vec<f32>)],
    ) -> io::Result<()> {
        let (key, body) = (keys::vectors(embedder, content), vectors::encode(vectors));
        self.write(|step| add(step, VECTORS, &key, None, &body))
    }

    /// The fingerprint of a file with this content: its DOI, its title, whether it has text, by which it is matched with other
    /// files and with bibliographies.
    pub(crate) fn print(&self, content: &str) -> Option<Fingerprint> {
        serde_json::from_slice(&self.get(PRINT, &self.document_key(content)).pop()?).ok()
    }

    /// Notes where files lie now: path and content. Why another content there could not be read is forgotten.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn note(&self, files: &[(&Path, &str)]) -> io::Result<()> {
        self.write(|step| {
            let mut moved = step.prepare_cached(
                "SELECT body FROM entries WHERE kind = 'print' AND key = ?1 AND path <> ?2",
            )?;
            let mut changed = step
                .prepare_cached("DELETE FROM entries WHERE path = ?1 AND kind = 'failure' AND key <> ?2")?;
            for &(path, content) in files {
                let (key, shown) = (self.document_key(content), path_text::encode(path));
                changed.execute(params![shown, content.as_bytes()])?;
                let body: Option<Vec<u8>> =
                    moved.query_row(params![key, shown], |row| row.get(0)).optional()?;
                if let Some(body) = body {
                    add(step, PRINT, &key, Some(path), &body)?;
                }
            }
            Ok(())
        })
    }

    /// Removes what no source of the index needs, and what is known of files that are gone; with `all` what is damaged too. What
    /// was written after `unfinished` stays, because an unfinished run wrote it. Returns the number of bytes freed, and of bytes
    /// kept for the next run.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn prune(
        &self,
        current: Option<&Holdings>,
        unfinished: Option<SystemTime>,
        all: bool,
    ) -> io::Result<(u64, u64)> {
        let sources = current.into_iter().flat_map(|held| &held.sources);
        let embedder = current.map_or("", |held| &held.made_by.embedder_id);
        let of_source = |content: &str| [self.document_key(content), keys::vectors(embedder, content)];
        let needed: BTreeSet<Key> = sources.flat_map(|source| of_source(content_hash(&source.key))).collect();
        let since = unfinished.map_or(i64::MAX, millis);
        let pruned = self.write(|step| {
            let (mut freed, mut kept, mut doomed) = (0, 0, Vec::new());
            let mut entries = step.prepare("SELECT id, key, path, at, length(body) FROM entries")?;
            let mut rows = entries.query([])?;
            while let Some(row) = rows.next()? {
                let (path, key): (Option<String>, Vec<u8>) = (row.get(2)?, row.get(1)?);
                let bytes = number(row, 4)?;
                let (goes, waits) = if let Some(path) = path {
                    let path = path_text::decode(&path);
                    (holder(&path).is_none() && !path.try_exists().unwrap_or(true), false)
                } else {
                    let is_needed = <Key>::try_from(key.as_slice()).is_ok_and(|key| needed.contains(&key));
                    let is_new = row.get::<_, i64>(3)? > since;
                    (!is_needed && !is_new, !is_needed && is_new)
                };
                freed += if goes { bytes } else { 0 };
                kept += if waits { bytes } else { 0 };
                doomed.extend(goes.then_some(row.get::<_, i64>(0)?));
            }
            if all {
                for (id, bytes) in damaged(step)? {
                    doomed.push(id);
                    freed += bytes;
                }
            }
            for id in doomed {
                step.prepare_cached("DELETE FROM entries WHERE id = ?1")?.execute([id])?;
            }
            Ok((freed, kept))
        })?;
        let pages = |name| {
            self.read(|connection| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)))
        };
        let (free, pages) = (pages("freelist_count").unwrap_or(0), pages("page_count").unwrap_or(0));
        let bearable = if all { 0 } else { pages / 2 };
        if free > bearable {
            locked(&self.connection).execute_batch("VACUUM").map_err(io::Error::other)?;
        }
        Ok(pruned)
    }

    /// The papers in the archive with this hash, if an earlier run has listed them.
    pub(crate) fn members(&self, hash: &str) -> Option<Vec<Member>> {
        let body = self.get(MEMBERS, &self.members_key(hash)).pop()?;
        serde_json::from_slice(&body).ok()
    }

    /// Stores the papers in the archive at `path`. What is known of others that were in it is forgotten.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn put_members(&self, hash: &str, path: &Path, members: &[Member]) -> io::Result<()> {
        let (key, body, below) =
            (self.members_key(hash), serde_json::to_vec(members)?, path_text::encode(path) + "/");
        self.write(|step| {
            let sql =
                "DELETE FROM entries WHERE kind IN ('print', 'failure') AND substr(path, 1, length(?1)) = ?1";
            step.prepare_cached(sql)?.execute([&below])?;
            add(step, MEMBERS, &key, Some(path), &body)
        })
    }

    /// Which of its members can be read depends on the limits.
    fn members_key(&self, hash: &str) -> Vec<u8> {
        [hash, &self.reader.settings].concat().into_bytes()
    }

    /// How much is kept.
    pub(crate) fn usage(&self) -> CacheUsage {
        let of = |kind: &str| {
            let sql = "SELECT COUNT(*), COALESCE(SUM(length(body)), 0) FROM entries WHERE kind = ?1";
            let read = |connection: &Connection| {
                connection.query_row(sql, [kind], |row| Ok((number(row, 0)?, number(row, 1)?)))
            };
            self.read(read).unwrap_or_default()
        };
        let ((documents, document_bytes), (_, vector_bytes)) = (of(DOCUMENT), of(VECTORS));
        CacheUsage { documents: documents as usize, document_bytes, vector_bytes }
    }

    /// Whether something in the file is not what was written.
    pub(crate) fn is_damaged(&self) -> bool {
        let found = self.read(|connection| {
            let whole = connection.pragma_query_value(None, "quick_check", |row| row.get::<_, String>(0))?;
            Ok(whole != "ok" || !damaged(connection)?.is_empty())
        });
        found.unwrap_or_else(|| self.file.exists())
    }

    /// The intact entries under `key`, the latest last.
    pub(crate) fn get(&self, kind: &str, key: &[u8]) -> Vec<Vec<u8>> {
        let found = self.read(|connection| {
            let mut find = connection
                .prepare_cached("SELECT crc, body FROM entries WHERE kind = ?1 AND key = ?2 ORDER BY id")?;
            let rows = find.query_map(params![kind, key], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<(u32, Vec<u8>)>>>()
        });
        let intact = |(crc, body): (u32, Vec<u8>)| (crc == checksum(kind, key, &body)).then_some(body);
        found.unwrap_or_default().into_iter().filter_map(intact).collect()
    }

    /// All intact entries of a kind.
    pub(crate) fn every(&self, kind: &str) -> Vec<Vec<u8>> {
        let keys = self.read(|connection| {
            let mut all = connection.prepare("SELECT DISTINCT key FROM entries WHERE kind = ?1")?;
            all.query_map([kind], |row| row.get(0))?.collect::<rusqlite::Result<Vec<Vec<u8>>>>()
        });
        keys.unwrap_or_default().iter().flat_map(|key| self.get(kind, key)).collect()
    }

    /// Stores an entry about the file at `path` in the place of any other about its content or its place.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn put(&self, kind: &str, key: &[u8], path: &Path, body: &[u8]) -> io::Result<()> {
        self.write(|step| add(step, kind, key, Some(path), body))
    }

    fn document_key(&self, content: &str) -> Key {
        keys::document(content, &self.reader.version)
    }

    /// What cannot be read is absent.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Option<T> {
        work(&locked(&self.connection)).ok()
    }

    fn write<T>(&self, work: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>) -> io::Result<T> {
        let run = |connection: &mut Connection| -> rusqlite::Result<T> {
            let step = connection.transaction()?;
            let done = work(&step)?;
            step.commit()?;
            Ok(done)
        };
        let mut connection = locked(&self.connection);
        let done = run(&mut connection).or_else(|error| {
            if !is_damage(&error) {
                return Err(error);
            }
            *connection = empty()?;
            *connection = replace(&self.file)?;
            run(&mut connection)
        });
        done.map_err(io::Error::other)
    }
}

/// Writes an entry: vectors beside those under the same key, everything else in place of it.
fn add(step: &Connection, kind: &str, key: &[u8], path: Option<&Path>, body: &[u8]) -> rusqlite::Result<()> {
    if kind != VECTORS {
        forget(step, kind, key, path)?;
    }
    let sql = "INSERT INTO entries (kind, key, path, at, crc, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let (crc, path) = (checksum(kind, key, body), path.map(path_text::encode));
    let now = millis(SystemTime::now());
    step.prepare_cached(sql)?.execute(params![kind, key, path, now, crc, body]).map(drop)
}

/// Removes the entries under a key and, where there is a path, those about the file there.
fn forget(step: &Connection, kind: &str, key: &[u8], path: Option<&Path>) -> rusqlite::Result<()> {
    step.prepare_cached("DELETE FROM entries WHERE kind = ?1 AND key = ?2")?.execute(params![kind, key])?;
    if let Some(path) = path {
        let sql = "DELETE FROM entries WHERE path = ?2 AND kind = ?1";
        step.prepare_cached(sql)?.execute([kind, &path_text::encode(path)])?;
    }
    Ok(())
}

/// Entries that are not what was written: number and bytes.
fn damaged(connection: &Connection) -> rusqlite::Result<Vec<(i64, u64)>> {
    let mut all = connection.prepare("SELECT id, kind, key, crc, body FROM entries")?;
    let mut rows = all.query([])?;
    let mut damaged = Vec::new();
    while let Some(row) = rows.next()? {
        let (kind, key, body): (String, Vec<u8>, Vec<u8>) = (row.get(1)?, row.get(2)?, row.get(4)?);
        if row.get::<_, u32>(3)? != checksum(&kind, &key, &body) {
            damaged.push((row.get(0)?, body.len() as u64));
        }
    }
    Ok(damaged)
}

/// A count in a row.
fn number(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(at)?.cast_unsigned())
}

fn checksum(kind: &str, key: &[u8], body: &[u8]) -> u32 {
    crc32(&[kind.as_bytes(), key, body])
}

fn millis(moment: SystemTime) -> i64 {
    moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

#[cfg(test)]
mod tests;
