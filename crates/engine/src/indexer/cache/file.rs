//! The SQLite file of the cache.

use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::{fs, path::Path, time::Duration};

/// How long another process is waited for that is just writing.
const WAIT: Duration = Duration::from_secs(10);
/// Long entries stand last, so that the others are read without them.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS entries (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key BLOB NOT NULL, path TEXT, at INTEGER NOT NULL, crc INTEGER NOT NULL,
        body BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS entries_by_key ON entries (kind, key);
    CREATE INDEX IF NOT EXISTS entries_by_path ON entries (path) WHERE path IS NOT NULL;
";

/// Opens a file; a link is refused.
pub(super) fn connect(file: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(WAIT)?;
    Ok(connection)
}

/// Opens a file to write to, or makes it.
pub(super) fn create(file: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    connection.pragma_update(None, "page_size", 16_384)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // The end of the process loses nothing, a loss of power the last entries.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

/// Makes a file anew.
pub(super) fn replace(file: &Path) -> rusqlite::Result<Connection> {
    for end in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        // What cannot be removed cannot be opened either.
        let _ = fs::remove_file(name);
    }
    create(file)
}

pub(super) fn empty() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

/// Whether the file is no database, or a damaged one.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}
