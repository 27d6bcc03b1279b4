//! The questions that were asked.

use super::{Items, part};
use crate::{limits::HISTORY, name::Name};
use rusqlite::{Connection, Result, params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;

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

/// Adds questions of tenants, and removes the oldest of each beyond those that are kept.
pub(crate) fn add(connection: &mut Connection, all: &[(Name, Asked)]) -> Result<()> {
    let sql = "INSERT INTO history (tenant, collection, asked, route, question, answered, milliseconds)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let step = connection.transaction()?;
    for (tenant, a) in all {
        let row = params![tenant, a.collection, a.at, a.route, a.question, a.answered, a.milliseconds];
        step.prepare_cached(sql)?.execute(row)?;
    }
    for tenant in all.iter().map(|(tenant, _)| tenant).collect::<BTreeSet<_>>() {
        let sql = "DELETE FROM history WHERE tenant = ?1 AND id <=
                   (SELECT id FROM history WHERE tenant = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)";
        step.prepare_cached(sql)?.execute(params![tenant, HISTORY])?;
    }
    step.commit()
}

/// Removes all questions of a tenant; how many there were.
pub(crate) fn clear(connection: &Connection, tenant: &Name) -> Result<usize> {
    connection.execute("DELETE FROM answers WHERE tenant = ?1", [tenant])?;
    connection.execute("DELETE FROM libraries WHERE tenant = ?1", [tenant])?;
    connection.execute("DELETE FROM history WHERE tenant = ?1", [tenant])
}

/// The newest questions of a tenant before one, the newest first: as many as a part of an answer holds.
pub(crate) fn list(connection: &Connection, tenant: &Name, before: i64, limit: usize) -> Result<Items> {
    let sql = "SELECT id, asked, collection, route, question, answered, milliseconds FROM history
               WHERE tenant = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
    let item = |row: &rusqlite::Row<'_>| {
        let asked = Asked {
            at: row.get(1)?,
            collection: row.get(2)?,
            route: row.get(3)?,
            question: row.get(4)?,
            answered: row.get(5)?,
            milliseconds: row.get(6)?,
        };
        Ok(json!(asked).to_string())
    };
    let mut list = connection.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    part(list.query(params![tenant, before, limit])?, item)
}
