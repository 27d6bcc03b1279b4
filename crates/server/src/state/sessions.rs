//! Browsers that are logged in, each with the key that opened it. Only the SHA-256 of what their cookies hold is stored.

use crate::{
    name::Name,
    state::{keys::Role, random},
};
use rusqlite::{Connection, OptionalExtension as _, Result, params};
use sha2::{Digest as _, Sha256};

/// Days that a session lasts.
pub(crate) const DAYS: u32 = 30;

fn hash(session: &str) -> [u8; 32] {
    Sha256::digest(session.as_bytes()).into()
}

/// Opens a session with a key, and forgets those that have ended.
pub(crate) fn add(connection: &Connection, key: i64) -> Result<String> {
    let session = random::<32>();
    let old = format!("-{DAYS} days");
    connection.execute("DELETE FROM sessions WHERE opened < datetime('now', ?1)", [old])?;
    let sql = "INSERT INTO sessions (hash, key, opened) VALUES (?1, ?2, datetime('now'))";
    connection.execute(sql, params![hash(&session), key])?;
    Ok(session)
}

/// The number, tenant and role of the key of a session, as long as both are valid.
pub(crate) fn find(connection: &Connection, session: &str) -> Result<Option<(i64, Name, Role)>> {
    let sql = "SELECT keys.id, tenant, role FROM sessions JOIN keys ON keys.id = sessions.key
               WHERE sessions.hash = ?1 AND revoked IS NULL AND opened >= datetime('now', ?2)";
    let row = |row: &rusqlite::Row<'_>| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    };
    let old = format!("-{DAYS} days");
    let found = connection.prepare_cached(sql)?.query_row(params![hash(session), old], row).optional()?;
    Ok(found.and_then(|(key, tenant, role)| Some((key, tenant.parse().ok()?, role.parse().ok()?))))
}

/// Ends a session.
pub(crate) fn end(connection: &Connection, session: &str) -> Result<usize> {
    connection.execute("DELETE FROM sessions WHERE hash = ?1", [hash(session)])
}
