//! Answers of the portal, which can be opened again.

use crate::{limits::ANSWERS, name::Name, state::random};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params};

/// A saved answer.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    pub(crate) id: String,
    /// When it was asked, RFC 3339 in UTC.
    pub(crate) asked: String,
    pub(crate) question: String,
    /// As [`crate::portal::answer::Document`] reads it.
    pub(crate) document: String,
    /// 1 to 4, given by a reader.
    pub(crate) grade: Option<u8>,
    /// What a reader wrote beside it.
    pub(crate) note: String,
}

const FIELDS: &str = "id, asked, question, document, grade, note";

fn saved(row: &Row<'_>) -> Result<Saved> {
    Ok(Saved {
        id: row.get(0)?,
        asked: row.get(1)?,
        question: row.get(2)?,
        document: row.get(3)?,
        grade: row.get(4)?,
        note: row.get(5)?,
    })
}

/// Saves an answer; its id, which nobody can guess. The oldest of the tenant beyond those that are kept goes.
pub(crate) fn add(
    connection: &mut Connection,
    tenant: &Name,
    asked: &str,
    question: &str,
    document: &str,
) -> Result<String> {
    let step = connection.transaction()?;
    let sql = "SELECT COALESCE(MAX(number), 0) + 1 FROM answers WHERE tenant = ?1";
    let number: i64 = step.query_row(sql, [tenant.as_str()], |row| row.get(0))?;
    let id = random::<9>();
    let sql =
        "INSERT INTO answers (id, tenant, number, asked, question, document) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    step.execute(sql, params![id, tenant.as_str(), number, asked, question, document])?;
    step.execute(
        "DELETE FROM answers WHERE tenant = ?1 AND number <= ?2",
        params![tenant.as_str(), number - ANSWERS],
    )?;
    step.commit()?;
    Ok(id)
}

/// An answer of a tenant.
pub(crate) fn get(connection: &Connection, tenant: &Name, id: &str) -> Result<Option<Saved>> {
    let sql = format!("SELECT {FIELDS} FROM answers WHERE tenant = ?1 AND id = ?2");
    connection.query_row(&sql, params![tenant.as_str(), id], saved).optional()
}

/// The newest answers of a tenant whose question holds these words, the newest first.
pub(crate) fn list(connection: &Connection, tenant: &Name, words: &str, limit: usize) -> Result<Vec<Saved>> {
    let sql = format!(
        "SELECT {FIELDS} FROM answers WHERE tenant = ?1 AND instr(lower(question), lower(?2)) > 0
         ORDER BY number DESC LIMIT ?3"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut list = connection.prepare_cached(&sql)?;
    list.query_map(params![tenant.as_str(), words, limit], saved)?.collect()
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
    Ok(connection.execute(sql, params![tenant.as_str(), id, grade, note])? > 0)
}
