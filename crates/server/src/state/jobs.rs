//! Work that outlives a request, and the server that took it.
//!
//! A worker takes a job for a while, its lease, and prolongs it. A job whose lease nobody has prolonged for that time, as a server
//! sees it on a clock that nobody sets, is taken again by any server over the same file. Each taking raises the job's token; a
//! worker that lost its job writes with an old token, in vain.

use super::{damaged, random};
use crate::{limits::PART_BYTES, name::Name, progress::Progress};
use rusqlite::{Connection, MAIN_DB, OptionalExtension as _, Result, Row, params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet},
    str::FromStr,
    sync::Mutex,
    time::{Duration, Instant},
};
use strum::{AsRefStr, EnumString, IntoStaticStr};
use types::{digest::Crc32, locked};

/// The time for which a worker has a job unless it prolongs that.
pub(crate) const LEASE: Duration = Duration::from_secs(15);
/// Days for which finished jobs are kept.
const KEPT_DAYS: i64 = 7;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, AsRefStr, EnumString)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Papers are read and indexed.
    Ingest,
    /// A file of answers is scored.
    Evaluate,
    /// A question is answered.
    Query,
    /// The papers of a table are asked.
    Table,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, AsRefStr, IntoStaticStr, EnumString)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// Waits for a worker.
    Queued,
    /// A worker has it.
    Running,
    /// Has a result.
    Done,
    /// Has an error.
    Failed,
}

impl Stage {
    pub(crate) fn has_ended(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) tenant: Name,
    pub(crate) collection: Name,
    pub(crate) kind: Kind,
    pub(crate) request: Value,
    pub(crate) stage: Stage,
    pub(crate) token: i64,
    pub(crate) created: String,
    pub(crate) finished: Option<String>,
    /// Whether it has a result, which may be long: [`result_part`] reads it.
    pub(crate) has_result: bool,
    pub(crate) error: Option<Value>,
}

/// An event of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// From 1, in the order of time.
    pub(crate) seq: i64,
    pub(crate) name: String,
    pub(crate) data: String,
}

const COLUMNS: &str =
    "id, tenant, collection, kind, request, state, token, created, finished,
                        EXISTS (SELECT 1 FROM results WHERE job = jobs.id), error,
                        checksum IS checksum_of(id, tenant, collection, kind, request, created, finished, error)";
/// The checksum of a row, as it should be; of what changes while the job is done, nothing.
pub(super) const CHECKSUM: &str =
    "checksum_of(id, tenant, collection, kind, request, created, finished, error)";

fn read(row: &Row<'_>) -> Result<Job> {
    fn parsed<T: FromStr>(row: &Row<'_>, at: usize) -> Result<T> {
        let wrong =
            |_| rusqlite::Error::InvalidColumnType(at, "jobs".to_owned(), rusqlite::types::Type::Text);
        row.get::<_, String>(at)?.parse().map_err(wrong)
    }
    let json = |at: usize| -> Result<Option<Value>> {
        let text: Option<String> = row.get(at)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    };
    let id: String = row.get(0)?;
    if !row.get::<_, bool>(11)? {
        return Err(damaged(&format!("job {id}:")));
    }
    Ok(Job {
        id,
        tenant: parsed(row, 1)?,
        collection: parsed(row, 2)?,
        kind: parsed(row, 3)?,
        request: json(4)?.unwrap_or_default(),
        stage: parsed(row, 5)?,
        token: row.get(6)?,
        created: row.get(7)?,
        finished: row.get(8)?,
        has_result: row.get(9)?,
        error: json(10)?,
    })
}

/// Adds a job and returns its id, which nobody can guess; `None` if the tenant has `most` unfinished ones: questions, or others.
pub(crate) fn add(
    connection: &Connection,
    tenant: &Name,
    collection: &Name,
    kind: Kind,
    request: &Value,
    most: i64,
) -> Result<Option<String>> {
    let id = random::<16>();
    let sql = "INSERT INTO jobs (id, tenant, collection, kind, request, state, created)
               SELECT ?1, ?2, ?3, ?4, ?5, 'queued', ?6
               WHERE (SELECT COUNT(*) FROM jobs WHERE tenant = ?2 AND state IN ('queued', 'running')
                      AND (kind = 'query') = (?4 = 'query')) < ?7";
    let (request, now) = (request.to_string(), engine::timestamp());
    let row = params![id, tenant, collection, kind.as_ref(), request, now, most];
    let added = connection.prepare_cached(sql)?.execute(row)?;
    sign(connection, &id)?;
    Ok((added > 0).then_some(id))
}

/// Writes the checksum of a row.
fn sign(connection: &Connection, id: &str) -> Result<()> {
    let sql = format!("UPDATE jobs SET checksum = {CHECKSUM} WHERE id = ?1");
    connection.prepare_cached(&sql)?.execute([id])?;
    Ok(())
}

/// A job of this tenant.
pub(crate) fn find(connection: &Connection, tenant: Option<&Name>, id: &str) -> Result<Option<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = ?1 AND (?2 IS NULL OR tenant = ?2)");
    let mut find = connection.prepare_cached(&sql)?;
    find.query_row(params![id, tenant], read).optional()
}

/// Removes a job of this tenant, and returns its tenant and its request. A worker that has it sees that it lost it.
pub(crate) fn delete(
    connection: &Connection,
    tenant: Option<&Name>,
    id: &str,
) -> Result<Option<(String, Value)>> {
    let sql = "DELETE FROM jobs WHERE id = ?1 AND (?2 IS NULL OR tenant = ?2) RETURNING tenant, request";
    let request = |row: &Row<'_>| {
        let request: String = row.get(1)?;
        Ok((row.get(0)?, serde_json::from_str(&request).unwrap_or_default()))
    };
    let mut delete = connection.prepare_cached(sql)?;
    delete.query_row(params![id, tenant], request).optional()
}

/// The unfinished jobs of this kind for a collection, the oldest first.
pub(crate) fn unfinished(
    connection: &Connection,
    tenant: &Name,
    collection: &Name,
    kind: Kind,
) -> Result<Vec<Job>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM jobs WHERE tenant = ?1 AND collection = ?2 AND kind = ?3
         AND state IN ('queued', 'running') ORDER BY created"
    );
    let mut find = connection.prepare_cached(&sql)?;
    find.query_map(params![tenant, collection, kind.as_ref()], read)?.collect()
}

/// The running jobs, each with its token and how often it was prolonged, and since when it is so.
#[derive(Debug, Default)]
pub(crate) struct Leases(HashMap<String, ((i64, i64), Instant)>);

impl Leases {
    /// Looks at the running jobs, and returns the ids of those that nobody has prolonged for the time of a lease, as a list in JSON.
    fn ended(&mut self, connection: &Connection) -> Result<String> {
        let sql = "SELECT id, token, prolonged FROM jobs WHERE state = 'running'";
        let now = Instant::now();
        let mut running = connection.prepare_cached(sql)?;
        let seen = running.query_map([], |row| {
            let (id, mark): (String, _) = (row.get(0)?, (row.get(1)?, row.get(2)?));
            let known = self.0.get(&id).filter(|(own, _)| *own == mark);
            Ok((id, (mark, known.map_or(now, |(_, since)| *since))))
        })?;
        let seen: HashMap<_, _> = seen.collect::<Result<_>>()?;
        self.0 = seen;
        let ended = self.0.iter().filter(|(_, (_, since))| now - *since >= LEASE);
        Ok(json!(ended.map(|(id, _)| id).collect::<Vec<_>>()).to_string())
    }
}

/// Takes a job that waits or whose worker is gone: the oldest one of the tenant whose last job was taken longest ago, so that
/// nobody waits for all jobs of another. Of those that have ended a server, one at a time: it may be the others that did. Also
/// returns the ids of those that are not tried again, and failed. `quick` is a question, which somebody waits for.
pub(crate) fn lease(
    connection: &mut Connection,
    leases: &Mutex<Leases>,
    quick: bool,
) -> Result<(Option<Job>, Vec<String>)> {
    let step = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let ended = locked(leases).ended(&step)?;
    // Papers that were indexed are not indexed again, and a long job may meet several ends that are not its fault.
    let sql = "SELECT id, token FROM jobs WHERE id IN (SELECT value FROM json_each(?1))
               AND lost + 1 >= CASE kind WHEN 'ingest' THEN 10 ELSE 3 END";
    let pair = |row: &Row<'_>| <(String, i64)>::try_from(row);
    let found = step.prepare_cached(sql)?.query_map([&ended], pair)?.collect::<Result<Vec<_>>>()?;
    let mut failed = Vec::new();
    let mut fail = |id: String, token, code, message: &str, hint| -> Result<()> {
        let error = json!({"code": code, "message": message, "value": null, "hint": hint, "request_id": ""});
        end(&step, &id, token, &Err(error), None)?;
        failed.push(id);
        Ok(())
    };
    for (id, token) in found {
        let (why, hint) = (
            "the job ended the server several times",
            "start it again; if it adds papers, without the last files",
        );
        fail(id, token, "job_lost", why, hint)?;
    }
    let sql = "WITH ended AS (SELECT value FROM json_each(?1)),
              suspected AS (SELECT 1 FROM jobs WHERE state = 'running' AND lost > 0 AND (kind = 'query') = ?2
                            AND id NOT IN ended)
         UPDATE jobs SET lost = lost + (state = 'running'), state = 'running', token = token + 1
         WHERE id = (SELECT id FROM jobs WHERE (kind = 'query') = ?2
                     AND ((state = 'queued' AND lost = 0)
                          OR ((state = 'queued' OR (state = 'running' AND id IN ended))
                              AND NOT EXISTS (SELECT 1 FROM suspected)))
                     ORDER BY (SELECT turn FROM turns WHERE turns.tenant = jobs.tenant AND quick = ?2), rowid LIMIT 1)
         RETURNING id, token";
    let taken = step.prepare_cached(sql)?.query_row(params![ended, quick], pair).optional()?;
    let mut job = None;
    if let Some((id, token)) = taken {
        match find(&step, None, &id) {
            Ok(found) => job = found,
            Err(error) => fail(id, token, "damaged", &error.to_string(), "start the work again")?,
        }
    }
    if let Some(job) = &job {
        let sql = "INSERT OR REPLACE INTO turns SELECT ?1, ?2, COALESCE(MAX(turn), 0) + 1 FROM turns";
        step.prepare_cached(sql)?.execute(params![job.tenant, quick])?;
    }
    step.commit()?;
    Ok((job, failed))
}

/// Prolongs the lease; whether the worker still has the job.
pub(crate) fn prolong(connection: &Connection, id: &str, token: i64) -> Result<bool> {
    let sql = "UPDATE jobs SET prolonged = prolonged + 1 WHERE id = ?1 AND token = ?2 AND state = 'running'";
    Ok(connection.prepare_cached(sql)?.execute(params![id, token])? > 0)
}

/// Gives the job back unfinished, behind those that wait. It ended no server: its count of those begins again.
pub(crate) fn park(connection: &Connection, id: &str, token: i64) -> Result<bool> {
    let sql = "UPDATE jobs SET state = 'queued', lost = 0, rowid = (SELECT MAX(rowid) + 1 FROM jobs)
               WHERE id = ?1 AND token = ?2 AND state = 'running'";
    Ok(connection.prepare_cached(sql)?.execute(params![id, token])? > 0)
}

/// Adds an event, whose data is JSON; whether the worker still has the job.
pub(crate) fn event(connection: &Connection, id: &str, token: i64, name: &str, data: &str) -> Result<bool> {
    let sql = "INSERT INTO events (job, seq, name, data)
               SELECT id, (SELECT COALESCE(MAX(seq), 0) + 1 FROM events WHERE job = ?1), ?3, ?4
               FROM jobs WHERE id = ?1 AND token = ?2 AND state = 'running'";
    Ok(connection.prepare_cached(sql)?.execute(params![id, token, name, data])? > 0)
}

/// The event that says how far a job is: there is one, which counts up, so that a long job has no long list of them.
pub(crate) const PROGRESS: &str = "progress";

/// Says how far the job is; whether the worker still has it.
pub(crate) fn progress(connection: &Connection, id: &str, token: i64, data: &str) -> Result<bool> {
    let sql = "UPDATE events SET seq = seq + 1, data = ?3 WHERE job = ?1 AND name = ?4
               AND EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND token = ?2 AND state = 'running')";
    let changed = connection.prepare_cached(sql)?.execute(params![id, token, data, PROGRESS])?;
    Ok(changed > 0 || event(connection, id, token, PROGRESS, data)?)
}

/// How far the job said last that it is.
pub(crate) fn told(connection: &Connection, id: &str) -> Result<Progress> {
    let sql = "SELECT data FROM events WHERE job = ?1 AND name = ?2";
    let mut find = connection.prepare_cached(sql)?;
    let data: Option<String> = find.query_row(params![id, PROGRESS], |row| row.get(0)).optional()?;
    Ok(data.and_then(|data| serde_json::from_str(&data).ok()).unwrap_or_default())
}

/// What a job ends with: a result, which is JSON, or an error.
pub(crate) type End = std::result::Result<String, Value>;

/// Ends the job, and sends its end, or `told` in place of a result, as its last event; whether the worker still had it.
pub(crate) fn finish(
    c: &mut Connection,
    id: &str,
    token: i64,
    end: &End,
    told: Option<&str>,
) -> Result<bool> {
    let step = c.transaction()?;
    let had = self::end(&step, id, token, end, told)?;
    step.commit()?;
    Ok(had)
}

fn end(step: &Connection, id: &str, token: i64, end: &End, told: Option<&str>) -> Result<bool> {
    let error = end.as_ref().err().map(Value::to_string);
    let (state, last, data) = match (end, &error) {
        (Ok(result), _) => (Stage::Done, "answer", told.unwrap_or(result)),
        (_, error) => (Stage::Failed, "error", error.as_deref().unwrap_or_default()),
    };
    if !event(step, id, token, last, data)? {
        return Ok(false);
    }
    let sql = "UPDATE jobs SET state = ?3, finished = ?4, error = ?5 WHERE id = ?1 AND token = ?2";
    step.execute(sql, params![id, token, state.as_ref(), engine::timestamp(), error])?;
    if let Ok(result) = end {
        let sql = "INSERT INTO results VALUES (?1, ?2, checksum_of(?2))";
        step.execute(sql, params![id, result])?;
    }
    sign(step, id)?;
    Ok(true)
}

/// How much of a result was read, and the checksum of that.
#[derive(Clone, Default)]
pub(crate) struct ResultRead {
    bytes: usize,
    sum: Crc32,
}

/// The next bytes of a result, as many as a part of an answer holds; none after its end.
///
/// # Errors
/// At its end if it is not as it was written.
pub(crate) fn result_part(connection: &Connection, id: &str, read: &mut ResultRead) -> Result<Vec<u8>> {
    let sql = "SELECT rowid, checksum FROM results WHERE job = ?1";
    let (row, checksum): (i64, i64) =
        connection.prepare_cached(sql)?.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let result = connection.blob_open(MAIN_DB, c"results", c"result", row, true)?;
    if read.bytes == 0 {
        // As `checksum_of` begins.
        read.sum.update(&0_u32.to_le_bytes());
        read.sum.update(&(result.len() as u64).to_le_bytes());
    }
    let mut part = vec![0; PART_BYTES.min(result.len().saturating_sub(read.bytes))];
    result.read_at_exact(&mut part, read.bytes)?;
    read.bytes += part.len();
    read.sum.update(&part);
    if part.is_empty() && i64::from(read.sum.clone().finalize()) != checksum {
        return Err(damaged(&format!("the result of job {id}:")));
    }
    Ok(part)
}

/// The events of a job after `after`.
pub(crate) fn events(connection: &Connection, id: &str, after: i64) -> Result<Vec<Event>> {
    let sql = "SELECT seq, name, data FROM events WHERE job = ?1 AND seq > ?2 ORDER BY seq";
    let row = |row: &Row<'_>| Ok(Event { seq: row.get(0)?, name: row.get(1)?, data: row.get(2)? });
    connection.prepare_cached(sql)?.query_map(params![id, after], row)?.collect()
}

/// The number of jobs at each stage.
pub(crate) fn counts(connection: &Connection) -> Result<Vec<(String, i64)>> {
    let mut counts =
        connection.prepare_cached("SELECT state, COUNT(*) FROM jobs GROUP BY state ORDER BY state")?;
    counts.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Removes jobs that ended long ago and were in `due` before, and returns the tenant and the request of each. A clock may be wrong for a
/// while: what is due for the first time is only put into `due`.
pub(crate) fn prune(connection: &mut Connection, due: &mut HashSet<String>) -> Result<Vec<(String, Value)>> {
    // All or none: what is deleted and not returned would leave its file.
    let step = connection.transaction()?;
    let sql = format!(
        "SELECT id FROM jobs WHERE finished IS NOT NULL AND julianday(finished) < julianday('now') - {KEPT_DAYS}"
    );
    let found: HashSet<String> =
        step.prepare(&sql)?.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    let again = found.iter().filter(|id| due.contains(*id));
    let gone = again.filter_map(|id| delete(&step, None, id).transpose()).collect::<Result<_>>()?;
    step.commit()?;
    *due = found;
    Ok(gone)
}

#[cfg(test)]
mod tests;
