//! Tables over papers: questions that are asked of each paper, and what each says.

use super::{jobs, random};
use crate::{indexes::Place, limits, name::Name, progress::Progress};
use engine::per_paper::{Cell, Column};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use types::SourceId;

/// A table, without its questions and cells.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "TableOverPapers", deny_unknown_fields)]
pub(crate) struct Listed {
    /// Its id.
    pub(crate) id: String,
    /// When it was made, RFC 3339 in UTC.
    pub(crate) created: String,
    /// Its name.
    pub(crate) name: String,
    /// The papers; empty for all that there are.
    pub(crate) papers: Vec<SourceId>,
    /// The job that asks what is not asked yet, or did; empty for none.
    pub(crate) job: String,
}

/// A table, without its cells.
pub(crate) struct Table {
    pub(crate) listed: Listed,
    /// The questions, each with its number.
    pub(crate) columns: Vec<(i64, Column)>,
    /// The job that asks, or asked last, and how far it is.
    pub(crate) job: Option<jobs::Job>,
    pub(crate) told: Progress,
}

const LISTED: &str = "id, created, name, papers, job";

fn listed(row: &Row<'_>) -> Result<Listed> {
    let papers: String = row.get(3)?;
    Ok(Listed {
        id: row.get(0)?,
        created: row.get(1)?,
        name: row.get(2)?,
        papers: papers.lines().map(SourceId::from).collect(),
        job: row.get(4)?,
    })
}

/// The tables of a tenant, the newest first.
pub(crate) fn list(connection: &Connection, tenant: &Name) -> Result<Vec<Listed>> {
    let sql = format!("SELECT {LISTED} FROM tables WHERE tenant = ?1 ORDER BY created DESC, rowid DESC");
    connection.prepare_cached(&sql)?.query_map([tenant], listed)?.collect()
}

/// A table of a tenant.
pub(crate) fn get(connection: &Connection, tenant: &Name, id: &str) -> Result<Option<Table>> {
    let sql = format!("SELECT {LISTED} FROM tables WHERE tenant = ?1 AND id = ?2");
    let Some(listed) = connection.query_row(&sql, params![tenant, id], listed).optional()? else {
        return Ok(None);
    };
    let sql = "SELECT number, name, question FROM table_columns WHERE table_id = ?1 ORDER BY number";
    let column = |row: &Row<'_>| Ok((row.get(0)?, Column { name: row.get(1)?, question: row.get(2)? }));
    let columns = connection.prepare_cached(sql)?.query_map([id], column)?.collect::<Result<_>>()?;
    // A damaged one is as good as none.
    let job = jobs::find(connection, Some(tenant), &listed.job).ok().flatten();
    let told = jobs::told(connection, &listed.job)?;
    Ok(Some(Table { listed, columns, job, told }))
}

/// What the papers of a table say, by question and paper, each with the version of the paper.
pub(crate) fn cells(connection: &Connection, id: &str) -> Result<HashMap<(i64, SourceId), (String, Cell)>> {
    let sql = "SELECT column_number, source_id, cell, version FROM cells
               WHERE column_number IN (SELECT number FROM table_columns WHERE table_id = ?1)";
    let mut cells = HashMap::new();
    let mut rows = connection.prepare_cached(sql)?;
    let mut rows = rows.query([id])?;
    while let Some(row) = rows.next()? {
        let (source, cell): (String, String) = (row.get(1)?, row.get(2)?);
        // What another version wrote is asked again.
        if let Ok(cell) = serde_json::from_str(&cell) {
            cells.insert((row.get(0)?, SourceId::from(source.as_str())), (row.get(3)?, cell));
        }
    }
    Ok(cells)
}

/// Adds a table of these papers, of all if there are none; its id, which nobody can guess, unless the tenant has too many.
pub(crate) fn add(
    connection: &mut Connection,
    tenant: &Name,
    name: &str,
    papers: &[SourceId],
    columns: &[Column],
) -> Result<Option<String>> {
    let step = connection.transaction()?;
    let id = random::<9>();
    let papers = papers.iter().map(SourceId::as_str).collect::<Vec<_>>().join("\n");
    let sql = "INSERT INTO tables (id, tenant, created, name, papers) SELECT ?1, ?2, ?3, ?4, ?5
               WHERE (SELECT COUNT(*) FROM tables WHERE tenant = ?2) < ?6";
    let row = params![id, tenant, engine::timestamp(), name, papers, limits::TABLES];
    if step.execute(sql, row)? == 0 {
        return Ok(None);
    }
    columns.iter().try_for_each(|column| add_column(&step, &id, column).map(drop))?;
    step.commit()?;
    Ok(Some(id))
}

/// Starts the job that asks what is not asked yet or failed, unless there is one; its id. `None` if the tenant has too many.
pub(crate) fn ask(connection: &mut Connection, place: &Place, id: &str) -> Result<Option<String>> {
    // At once: another request must not start a second one, nor a worker see what failed.
    let step = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let sql = "SELECT id FROM jobs WHERE id = (SELECT job FROM tables WHERE id = ?1)
               AND state IN ('queued', 'running')";
    if let unfinished @ Some(_) = step.query_row(sql, [id], |row| row.get(0)).optional()? {
        return Ok(unfinished);
    }
    let (kind, request) = (jobs::Kind::Table, json!({ "table": id }));
    let job = jobs::add(&step, &place.tenant, &place.collection, kind, &request, limits::JOBS)?;
    if job.is_some() {
        let sql = "DELETE FROM cells WHERE json_extract(cell, '$.status') = 'failed'
                   AND column_number IN (SELECT number FROM table_columns WHERE table_id = ?1)";
        step.execute(sql, [id])?;
        step.execute("UPDATE tables SET job = ?2 WHERE id = ?1", params![id, job])?;
        step.commit()?;
    }
    Ok(job)
}

/// Ends the job of a table; what was asked stays.
pub(crate) fn stop(connection: &Connection, tenant: &Name, id: &str) -> Result<usize> {
    let sql = "DELETE FROM jobs WHERE id = (SELECT job FROM tables WHERE tenant = ?1 AND id = ?2)";
    connection.execute(sql, params![tenant, id])
}

/// Deletes a table, and its job.
pub(crate) fn delete(connection: &Connection, tenant: &Name, id: &str) -> Result<usize> {
    stop(connection, tenant, id)?;
    connection.execute("DELETE FROM tables WHERE tenant = ?1 AND id = ?2", params![tenant, id])
}

/// Adds a question.
pub(crate) fn add_column(connection: &Connection, id: &str, column: &Column) -> Result<usize> {
    let sql = "INSERT INTO table_columns (table_id, name, question) VALUES (?1, ?2, ?3)";
    connection.execute(sql, params![id, column.name, column.question])
}

/// Removes a question with what the papers say; how many there were.
pub(crate) fn remove_column(connection: &Connection, id: &str, number: i64) -> Result<usize> {
    connection.execute("DELETE FROM table_columns WHERE table_id = ?1 AND number = ?2", params![id, number])
}

/// Keeps what a version of a paper says, unless the question was removed.
pub(crate) fn put(
    connection: &Connection,
    number: i64,
    paper: &SourceId,
    version: &str,
    cell: &str,
) -> Result<usize> {
    let sql = "INSERT OR REPLACE INTO cells (column_number, source_id, version, cell)
               SELECT number, ?2, ?3, ?4 FROM table_columns WHERE number = ?1";
    connection.prepare_cached(sql)?.execute(params![number, paper.as_str(), version, cell])
}
