//! The papers that a reader opened last.

use crate::indexes::Place;
use rusqlite::{Connection, Result, params};

/// Papers of a collection that are kept.
const MOST: i64 = 200;

/// Notes that a paper is open now.
pub(crate) fn add(connection: &Connection, place: &Place, source: &str) -> Result<()> {
    let Place { tenant, collection } = place;
    connection.execute(
        "INSERT OR REPLACE INTO opened (tenant, collection, source_id) VALUES (?1, ?2, ?3)",
        params![tenant, collection, source],
    )?;
    connection.execute(
        "DELETE FROM opened WHERE tenant = ?1 AND collection = ?2 AND number <= \
         (SELECT number FROM opened WHERE tenant = ?1 AND collection = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)",
        params![tenant, collection, MOST],
    )?;
    Ok(())
}

/// The ids of the papers, the one that was opened last first.
pub(crate) fn newest(connection: &Connection, Place { tenant, collection }: &Place) -> Result<Vec<String>> {
    let sql = "SELECT source_id FROM opened WHERE tenant = ?1 AND collection = ?2 ORDER BY number DESC";
    let mut all = connection.prepare_cached(sql)?;
    all.query_map(params![tenant, collection], |row| row.get(0))?.collect()
}
