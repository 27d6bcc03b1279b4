//! The questions that were asked.

use crate::name::Name;
use rusqlite::{Connection, Result, params};
use schemars::JsonSchema;
use serde::Serialize;

/// A question that was asked.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Asked {
    /// When, RFC 3339 in UTC.
    #[serde(rename = "asked")]
    pub(crate) at: String,
    /// The collection.
    pub(crate) collection: String,
    /// The route.
    pub(crate) route: String,
    /// The question.
    pub(crate) question: String,
    /// Whether the papers answered it.
    pub(crate) answered: bool,
    /// How long that took.
    pub(crate) milliseconds: f64,
}

pub(crate) fn add(connection: &Connection, tenant: &Name, asked: &Asked) -> Result<()> {
    let sql = "INSERT INTO history (tenant, collection, asked, route, question, answered, milliseconds)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    connection.prepare_cached(sql)?.execute(params![
        tenant.as_str(),
        asked.collection,
        asked.at,
        asked.route,
        asked.question,
        asked.answered,
        asked.milliseconds
    ])?;
    Ok(())
}

/// The newest questions of a tenant, the newest first.
pub(crate) fn list(connection: &Connection, tenant: &Name, limit: usize) -> Result<Vec<Asked>> {
    let sql = "SELECT asked, collection, route, question, answered, milliseconds FROM history
               WHERE tenant = ?1 ORDER BY id DESC LIMIT ?2";
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Asked {
            at: row.get(0)?,
            collection: row.get(1)?,
            route: row.get(2)?,
            question: row.get(3)?,
            answered: row.get(4)?,
            milliseconds: row.get(5)?,
        })
    };
    let mut list = connection.prepare_cached(sql)?;
    list.query_map(
        params![tenant.as_str(), i64::try_from(limit).unwrap_or(i64::MAX)],
        row,
    )?
    .collect()
}
