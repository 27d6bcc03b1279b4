//! Answers of the portal, which can be opened again.

use crate::{limits::ANSWERS, name::Name, state::random};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params};

/// What a list needs of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listed {
    pub(crate) id: String,
    /// When it was asked, RFC 3339 in UTC.
    pub(crate) asked: String,
    pub(crate) question: String,
    /// Why there is no answer; `None` for an answer.
    pub(crate) refusal: Option<String>,
    /// The papers that it cites, one on each line.
    pub(crate) cited: String,
    /// 1 to 4, given by a reader.
    pub(crate) grade: Option<u8>,
    /// What a reader wrote beside it.
    pub(crate) note: String,
    /// The hash of the papers that there were; empty where it is not known.
    pub(crate) library: String,
}

const LISTED: &str = "id, asked, question, refusal, cited, grade, note, library";

fn listed(row: &Row<'_>) -> Result<Listed> {
    Ok(Listed {
        id: row.get(0)?,
        asked: row.get(1)?,
        question: row.get(2)?,
        refusal: row.get(3)?,
        cited: row.get(4)?,
        grade: row.get(5)?,
        note: row.get(6)?,
        library: row.get(7)?,
    })
}

/// Saves an answer with its document and the papers that there were; its id, which nobody can guess. The oldest of the tenant beyond those that are kept go, unless
/// they are graded or evidence.
pub(crate) fn add(
    connection: &mut Connection,
    tenant: &Name,
    new: &Listed,
    document: &str,
    papers: &str,
) -> Result<String> {
    let step = connection.transaction()?;
    let sql = "SELECT COALESCE(MAX(number), 0) + 1 FROM answers WHERE tenant = ?1";
    let number: i64 = step.query_row(sql, [tenant], |row| row.get(0))?;
    let id = random::<9>();
    let sql = "INSERT INTO answers (id, tenant, number, asked, question, refusal, cited, document, library)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let Listed { asked, question, refusal, cited, library, .. } = new;
    step.execute(sql, params![id, tenant, number, asked, question, refusal, cited, document, library])?;
    step.execute(
        "INSERT OR IGNORE INTO libraries SELECT ?1, ?2, ?3 WHERE ?2 <> ''",
        params![tenant, library, papers],
    )?;
    let sql = "DELETE FROM answers WHERE tenant = ?1 AND number <= ?2 AND grade IS NULL
               AND NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.answer = answers.id)";
    if step.execute(sql, params![tenant, number - ANSWERS])? > 0 {
        forget_libraries(&step, tenant)?;
    }
    step.commit()?;
    Ok(id)
}

/// An answer of a tenant, and its document.
pub(crate) fn get(connection: &Connection, tenant: &Name, id: &str) -> Result<Option<(Listed, String)>> {
    let sql = format!("SELECT {LISTED}, document FROM answers WHERE tenant = ?1 AND id = ?2");
    let row = |row: &Row<'_>| Ok((listed(row)?, row.get(8)?));
    connection.query_row(&sql, params![tenant, id], row).optional()
}

/// The papers of a library that an answer was made from.
pub(crate) fn library(connection: &Connection, tenant: &Name, hash: &str) -> Result<Option<String>> {
    let sql = "SELECT papers FROM libraries WHERE tenant = ?1 AND hash = ?2";
    connection.query_row(sql, params![tenant, hash], |row| row.get(0)).optional()
}

/// The newest answers of a tenant whose question has these words, the newest first.
pub(crate) fn list(connection: &Connection, tenant: &Name, words: &str, limit: usize) -> Result<Vec<Listed>> {
    let sql = format!(
        "SELECT {LISTED} FROM answers WHERE tenant = ?1 AND instr(lower(question), lower(?2)) > 0
         ORDER BY number DESC LIMIT ?3"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    connection.prepare_cached(&sql)?.query_map(params![tenant, words, limit], listed)?.collect()
}

/// The newest graded answers of a tenant, with their documents.
pub(crate) fn graded(connection: &Connection, tenant: &Name, limit: i64) -> Result<Vec<(Listed, String)>> {
    let sql = format!(
        "SELECT {LISTED}, document FROM answers WHERE tenant = ?1 AND grade IS NOT NULL ORDER BY number DESC LIMIT ?2"
    );
    let row = |row: &Row<'_>| Ok((listed(row)?, row.get(8)?));
    connection.prepare_cached(&sql)?.query_map(params![tenant, limit], row)?.collect()
}

/// Grades an answer; whether there is one.
pub(crate) fn grade(
    connection: &Connection,
    tenant: &Name,
    id: &str,
    grade: Option<u8>,
    note: &str,
) -> Result<bool> {
    let sql = "UPDATE answers SET grade = ?3, note = ?4 WHERE tenant = ?1 AND id = ?2";
    Ok(connection.execute(sql, params![tenant, id, grade, note])? > 0)
}

/// Deletes an answer; whether there was one.
pub(crate) fn delete(connection: &Connection, tenant: &Name, id: &str) -> Result<bool> {
    let deleted =
        connection.execute("DELETE FROM answers WHERE tenant = ?1 AND id = ?2", params![tenant, id])?;
    forget_libraries(connection, tenant)?;
    Ok(deleted > 0)
}

/// Deletes the libraries that no answer was made from.
fn forget_libraries(connection: &Connection, tenant: &Name) -> Result<usize> {
    let sql = "DELETE FROM libraries WHERE tenant = ?1
               AND hash NOT IN (SELECT library FROM answers WHERE tenant = ?1)";
    connection.execute(sql, [tenant])
}
