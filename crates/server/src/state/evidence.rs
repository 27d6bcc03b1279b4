//! Quotes that a reader keeps, in named tables.

use crate::{limits::EVIDENCE, name::Name};
use rusqlite::{Connection, Result, Row, params};
use serde::Serialize;

/// A quote that is kept.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Kept {
    pub(crate) id: i64,
    /// The name of its table.
    #[serde(rename = "table")]
    pub(crate) list: String,
    /// What it is evidence for: the question, or the reader's words.
    pub(crate) claim: String,
    pub(crate) quote: String,
    pub(crate) source_id: String,
    /// Title, authors and year as they were known when it was kept.
    pub(crate) paper: String,
    /// Its section and page, as a reader cites them.
    pub(crate) place: String,
    pub(crate) page: Option<u32>,
    /// Whether the quote was found in its paper.
    pub(crate) verified: bool,
    pub(crate) confidence: String,
    /// The answer that it is from, and its number there.
    pub(crate) answer: String,
    pub(crate) cite: u32,
    pub(crate) note: String,
    /// `agree`, `doubt` or nothing.
    pub(crate) verdict: String,
}

const FIELDS: &str = "id, list, claim, quote, source_id, paper, place, page, verified, confidence, answer, cite, note, verdict";

fn kept(row: &Row<'_>) -> Result<Kept> {
    Ok(Kept {
        id: row.get(0)?,
        list: row.get(1)?,
        claim: row.get(2)?,
        quote: row.get(3)?,
        source_id: row.get(4)?,
        paper: row.get(5)?,
        place: row.get(6)?,
        page: row.get(7)?,
        verified: row.get(8)?,
        confidence: row.get(9)?,
        answer: row.get(10)?,
        cite: row.get(11)?,
        note: row.get(12)?,
        verdict: row.get(13)?,
    })
}

/// Keeps a quote; whether there was room for it. One that the table has already stays as it is.
pub(crate) fn add(connection: &Connection, tenant: &Name, new: &Kept) -> Result<bool> {
    let count: i64 =
        connection
            .query_row("SELECT COUNT(*) FROM evidence WHERE tenant = ?1", [tenant], |row| row.get(0))?;
    if count >= EVIDENCE {
        return Ok(false);
    }
    let sql = "INSERT OR IGNORE INTO evidence
        (tenant, list, claim, quote, source_id, paper, place, page, verified, confidence, answer, cite)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let Kept {
        list, claim, quote, source_id, paper, place, page, verified, confidence, answer, cite, ..
    } = new;
    let row = params![
        tenant, list, claim, quote, source_id, paper, place, page, verified, confidence, answer, cite
    ];
    connection.execute(sql, row)?;
    Ok(true)
}

/// What a tenant keeps, the oldest first.
pub(crate) fn all(connection: &Connection, tenant: &Name) -> Result<Vec<Kept>> {
    let sql = format!("SELECT {FIELDS} FROM evidence WHERE tenant = ?1 ORDER BY list, id");
    let mut all = connection.prepare_cached(&sql)?;
    all.query_map([tenant], kept)?.collect()
}

/// The names of the tables of a tenant, the one that was added to last first.
pub(crate) fn lists(connection: &Connection, tenant: &Name) -> Result<Vec<String>> {
    let sql = "SELECT list FROM evidence WHERE tenant = ?1 GROUP BY list ORDER BY MAX(id) DESC LIMIT 50";
    let mut all = connection.prepare_cached(sql)?;
    all.query_map([tenant], |row| row.get(0))?.collect()
}

/// The quotes of a paper that a tenant keeps and that were found in it.
pub(crate) fn of_paper(connection: &Connection, tenant: &Name, source: &str) -> Result<Vec<Kept>> {
    let sql = format!(
        "SELECT {FIELDS} FROM evidence WHERE tenant = ?1 AND source_id = ?2 AND verified ORDER BY id"
    );
    let mut all = connection.prepare_cached(&sql)?;
    all.query_map(params![tenant, source], kept)?.collect()
}

/// Changes what a reader says of a quote; whether it is there.
pub(crate) fn change(
    connection: &Connection,
    tenant: &Name,
    id: i64,
    claim: &str,
    note: &str,
    verdict: &str,
) -> Result<bool> {
    let sql = "UPDATE evidence SET claim = ?3, note = ?4, verdict = ?5 WHERE tenant = ?1 AND id = ?2";
    Ok(connection.execute(sql, params![tenant, id, claim, note, verdict])? > 0)
}

/// Takes a quote out; whether it was there.
pub(crate) fn remove(connection: &Connection, tenant: &Name, id: i64) -> Result<bool> {
    Ok(connection.execute("DELETE FROM evidence WHERE tenant = ?1 AND id = ?2", params![tenant, id])? > 0)
}
