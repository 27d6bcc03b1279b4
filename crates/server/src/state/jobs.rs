//! Work that outlives a request, and the server that took it.
//!
//! A worker takes a job for a while, its lease, and prolongs it. A job whose lease ended is taken again, by any server over
//! the same file. Each taking raises the job's token; a worker that lost its job writes with an old token, in vain.

use super::{now_ms, random};
use crate::{limits::PART_BYTES, name::Name};
use rusqlite::{Connection, MAIN_DB, OptionalExtension as _, Result, Row, params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Milliseconds for which a worker has a job unless it prolongs that.
pub(crate) const LEASE_MS: i64 = 15_000;
/// Days for which finished jobs are kept.
const KEPT_DAYS: i64 = 7;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Papers are read and indexed.
    Ingest,
    /// A file of answers is scored.
    Evaluate,
    /// A question is answered.
    Query,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Ingest, Self::Evaluate, Self::Query];

    fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Evaluate => "evaluate",
            Self::Query => "query",
        }
    }

    /// A job that ended its server so often is not tried again. Papers that were indexed are not indexed again, and a long job
    /// may meet several ends that are not its fault.
    fn most_lost(self) -> i64 {
        if self == Self::Ingest { 10 } else { 3 }
    }

    /// Whether somebody waits for it.
    pub(crate) fn is_quick(self) -> bool {
        self == Self::Query
    }
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
    const ALL: [Self; 4] = [Self::Queued, Self::Running, Self::Done, Self::Failed];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

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
    "id, tenant, collection, kind, request, state, token, created, finished, result IS NOT NULL, error";

fn read(row: &Row<'_>) -> Result<Job> {
    fn parsed<T>(at: usize, found: Option<T>) -> Result<T> {
        let wrong = || rusqlite::Error::InvalidColumnType(at, "jobs".to_owned(), rusqlite::types::Type::Text);
        found.ok_or_else(wrong)
    }
    let json = |at: usize| -> Result<Option<Value>> {
        let text: Option<String> = row.get(at)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    };
    let (kind, stage): (String, String) = (row.get(3)?, row.get(5)?);
    Ok(Job {
        id: row.get(0)?,
        tenant: parsed(1, row.get::<_, String>(1)?.parse().ok())?,
        collection: parsed(2, row.get::<_, String>(2)?.parse().ok())?,
        kind: parsed(3, Kind::ALL.into_iter().find(|own| own.as_str() == kind))?,
        request: json(4)?.unwrap_or_default(),
        stage: parsed(5, Stage::ALL.into_iter().find(|own| own.as_str() == stage))?,
        token: row.get(6)?,
        created: row.get(7)?,
        finished: row.get(8)?,
        has_result: row.get(9)?,
        error: json(10)?,
    })
}

/// Adds a job and returns its id, which nobody can guess; `None` if the tenant has `most` unfinished ones.
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
               WHERE (SELECT COUNT(*) FROM jobs WHERE tenant = ?2 AND state IN ('queued', 'running')) < ?7";
    let added = connection.prepare_cached(sql)?.execute(params![
        id,
        tenant.as_str(),
        collection.as_str(),
        kind.as_str(),
        request.to_string(),
        engine::timestamp(),
        most
    ])?;
    Ok((added > 0).then_some(id))
}

/// A job of this tenant.
pub(crate) fn find(connection: &Connection, tenant: Option<&Name>, id: &str) -> Result<Option<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = ?1 AND (?2 IS NULL OR tenant = ?2)");
    let mut find = connection.prepare_cached(&sql)?;
    find.query_row(params![id, tenant.map(Name::as_str)], read)
        .optional()
}

/// The unfinished job of this kind for a collection, the oldest of several.
pub(crate) fn unfinished(
    connection: &Connection,
    tenant: &Name,
    collection: &Name,
    kind: Kind,
) -> Result<Option<Job>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM jobs WHERE tenant = ?1 AND collection = ?2 AND kind = ?3
         AND state IN ('queued', 'running') ORDER BY created LIMIT 1"
    );
    let mut find = connection.prepare_cached(&sql)?;
    let names = params![tenant.as_str(), collection.as_str(), kind.as_str()];
    find.query_row(names, read).optional()
}

/// Takes a job that waits or whose worker is gone: the oldest one of the tenant whose last job was taken longest ago, so that
/// nobody waits for all jobs of another. Also returns the ids of those that are not tried again, and failed.
pub(crate) fn lease(connection: &mut Connection, quick: bool) -> Result<(Option<Job>, Vec<String>)> {
    let now = now_ms();
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_quick() == quick);
    let kinds: Vec<String> = kinds.map(|kind| format!("'{}'", kind.as_str())).collect();
    let kinds = kinds.join(", ");
    let step = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let given_up = r#"{"code":"job_lost","message":"the job ended the server several times","value":null,"hint":"leave out the last files that were added","request_id":""}"#;
    let mut failed = Vec::new();
    for kind in Kind::ALL {
        let sql = "SELECT id, token FROM jobs
                   WHERE kind = ?1 AND state = 'running' AND leased_until < ?2 AND lost + 1 >= ?3";
        let found: Vec<(String, i64)> = step
            .prepare_cached(sql)?
            .query_map(params![kind.as_str(), now, kind.most_lost()], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect::<Result<_>>()?;
        for (id, token) in found {
            let error = serde_json::from_str(given_up).unwrap_or_default();
            end(&step, &id, token, &Err(error), "error", given_up)?;
            failed.push(id);
        }
    }
    let sql = format!(
        "UPDATE jobs SET lost = lost + (state = 'running'), state = 'running', token = token + 1, leased_until = ?1
         WHERE id = (SELECT id FROM jobs WHERE kind IN ({kinds})
                     AND (state = 'queued' OR (state = 'running' AND leased_until < ?2))
                     ORDER BY (SELECT turn FROM turns WHERE turns.tenant = jobs.tenant AND quick = ?3), created, id LIMIT 1)
         RETURNING {COLUMNS}"
    );
    let job = step
        .prepare_cached(&sql)?
        .query_row(params![now + LEASE_MS, now, quick], read)
        .optional()?;
    if let Some(job) = &job {
        let sql = "INSERT OR REPLACE INTO turns SELECT ?1, ?2, COALESCE(MAX(turn), 0) + 1 FROM turns";
        step.prepare_cached(sql)?
            .execute(params![job.tenant.as_str(), quick])?;
    }
    step.commit()?;
    Ok((job, failed))
}

/// Prolongs the lease; whether the worker still has the job.
pub(crate) fn prolong(connection: &Connection, id: &str, token: i64) -> Result<bool> {
    let sql = "UPDATE jobs SET leased_until = ?3 WHERE id = ?1 AND token = ?2 AND state = 'running'";
    let mut prolong = connection.prepare_cached(sql)?;
    Ok(prolong.execute(params![id, token, now_ms() + LEASE_MS])? > 0)
}

/// Gives the job back unfinished.
pub(crate) fn park(connection: &Connection, id: &str, token: i64) -> Result<bool> {
    let sql = "UPDATE jobs SET state = 'queued' WHERE id = ?1 AND token = ?2 AND state = 'running'";
    Ok(connection.prepare_cached(sql)?.execute(params![id, token])? > 0)
}

/// Adds an event, whose data is JSON; whether the worker still has the job.
pub(crate) fn event(connection: &Connection, id: &str, token: i64, name: &str, data: &str) -> Result<bool> {
    let sql = "INSERT INTO events (job, seq, name, data)
               SELECT id, (SELECT COALESCE(MAX(seq), 0) + 1 FROM events WHERE job = ?1), ?3, ?4
               FROM jobs WHERE id = ?1 AND token = ?2 AND state = 'running'";
    let mut event = connection.prepare_cached(sql)?;
    Ok(event.execute(params![id, token, name, data])? > 0)
}

/// Ends the job, with a result, which is JSON, or an error, and with its last event; whether the worker still had it.
pub(crate) fn finish(
    connection: &mut Connection,
    id: &str,
    token: i64,
    end: &std::result::Result<String, Value>,
    last: &str,
    data: &str,
) -> Result<bool> {
    let step = connection.transaction()?;
    let had = self::end(&step, id, token, end, last, data)?;
    step.commit()?;
    Ok(had)
}

fn end(
    step: &Connection,
    id: &str,
    token: i64,
    end: &std::result::Result<String, Value>,
    last: &str,
    data: &str,
) -> Result<bool> {
    if !event(step, id, token, last, data)? {
        return Ok(false);
    }
    let sql =
        "UPDATE jobs SET state = ?3, finished = ?4, result = ?5, error = ?6 WHERE id = ?1 AND token = ?2";
    let state = if end.is_ok() { Stage::Done } else { Stage::Failed };
    let (result, error) = (end.as_ref().ok(), end.as_ref().err());
    let error = error.map(Value::to_string);
    step.execute(
        sql,
        params![id, token, state.as_str(), engine::timestamp(), result, error],
    )?;
    Ok(true)
}

/// The bytes of a result from `from` on, as many as a part of an answer holds; none after its end.
pub(crate) fn result_part(connection: &Connection, id: &str, from: usize) -> Result<Vec<u8>> {
    let sql = "SELECT rowid FROM jobs WHERE id = ?1";
    let row: i64 = connection
        .prepare_cached(sql)?
        .query_row([id], |row| row.get(0))?;
    let result = connection.blob_open(MAIN_DB, c"jobs", c"result", row, true)?;
    let mut part = vec![0; PART_BYTES.min(result.len().saturating_sub(from))];
    result.read_at_exact(&mut part, from)?;
    Ok(part)
}

/// The events of a job after `after`.
pub(crate) fn events(connection: &Connection, id: &str, after: i64) -> Result<Vec<Event>> {
    let sql = "SELECT seq, name, data FROM events WHERE job = ?1 AND seq > ?2 ORDER BY seq";
    let row = |row: &Row<'_>| {
        Ok(Event {
            seq: row.get(0)?,
            name: row.get(1)?,
            data: row.get(2)?,
        })
    };
    connection
        .prepare_cached(sql)?
        .query_map(params![id, after], row)?
        .collect()
}

/// The number of jobs at each stage.
pub(crate) fn counts(connection: &Connection) -> Result<Vec<(String, i64)>> {
    let mut counts =
        connection.prepare_cached("SELECT state, COUNT(*) FROM jobs GROUP BY state ORDER BY state")?;
    counts
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Removes jobs that ended long ago, and returns the tenant and the request of each.
pub(crate) fn prune(connection: &Connection) -> Result<Vec<(String, Value)>> {
    let sql = format!(
        "DELETE FROM jobs WHERE finished IS NOT NULL AND julianday(finished) < julianday('now') - {KEPT_DAYS} RETURNING tenant, request"
    );
    let row = |row: &Row<'_>| {
        let request: String = row.get(1)?;
        Ok((row.get(0)?, serde_json::from_str(&request).unwrap_or_default()))
    };
    connection.prepare(&sql)?.query_map([], row)?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::testing::state;
    use serde_json::json;

    fn expire(connection: &Connection) -> Result<usize> {
        connection.execute("UPDATE jobs SET leased_until = 0", [])
    }

    #[test]
    fn a_worker_that_lost_its_job_writes_in_vain() {
        let (_folder, state) = state();
        let own: Name = "ac".parse().expect("a name");
        state
            .now(|c| {
                let id = add(c, &own, &own, Kind::Query, &json!({"query": "q"}), 1)?.expect("added");
                assert_eq!(
                    add(c, &own, &own, Kind::Query, &json!({}), 1)?,
                    None,
                    "one at a time"
                );
                assert_eq!(lease(c, false)?.0, None, "not of this kind");
                let first = lease(c, true)?.0.expect("a job");
                assert_eq!(
                    (&first.id, first.token, &first.request),
                    (&id, 1, &json!({"query": "q"}))
                );
                assert_eq!(lease(c, true)?.0, None, "it is taken");
                assert!(event(c, &id, 1, "stage", "1")? && prolong(c, &id, 1)?);
                expire(c)?;
                let second = lease(c, true)?.0.expect("taken over");
                assert_eq!(second.token, 2);
                assert!(!event(c, &id, 1, "stage", "2")? && !prolong(c, &id, 1)? && !park(c, &id, 1)?);
                assert!(!finish(c, &id, 1, &Ok("old".to_owned()), "answer", "{}")?);
                assert!(finish(c, &id, 2, &Ok("new".to_owned()), "answer", "{}")?);
                assert!(
                    !finish(c, &id, 2, &Err(json!("again")), "error", "{}")?,
                    "it has ended"
                );
                let done = find(c, Some(&own), &id)?.expect("kept");
                assert_eq!((done.stage, done.has_result), (Stage::Done, true));
                assert_eq!(result_part(c, &id, 0)?, b"new");
                assert_eq!(
                    (result_part(c, &id, 1)?, result_part(c, &id, 3)?),
                    (b"ew".to_vec(), Vec::new())
                );
                let names = |after| {
                    Ok::<_, rusqlite::Error>(
                        events(c, &id, after)?
                            .into_iter()
                            .map(|e| (e.seq, e.name))
                            .collect::<Vec<_>>(),
                    )
                };
                assert_eq!(names(0)?, [(1, "stage".to_owned()), (2, "answer".to_owned())]);
                assert_eq!(names(1)?.len(), 1);
                assert_eq!(find(c, Some(&"other".parse().expect("a name")), &id)?, None);
                Ok(())
            })
            .expect("works");
    }

    #[test]
    fn a_job_that_ends_every_server_fails_and_one_that_is_parked_does_not() {
        let (_folder, state) = state();
        let own: Name = "ac".parse().expect("a name");
        state
            .now(|c| {
                let id = add(c, &own, &own, Kind::Ingest, &json!({}), 9)?.expect("added");
                for token in 1..=5 {
                    assert_eq!(lease(c, false)?.0.expect("a job").token, token);
                    assert!(park(c, &id, token)?);
                }
                for _ in 0..10 {
                    assert!(lease(c, false)?.0.is_some());
                    expire(c)?;
                }
                // Any worker finds it, and says so to those who follow it.
                assert_eq!(lease(c, true)?, (None, vec![id.clone()]));
                assert_eq!(lease(c, false)?, (None, Vec::new()));
                let last = events(c, &id, 0)?.pop().expect("an event");
                assert!(last.name == "error" && last.data.contains("job_lost"), "{last:?}");
                let job = find(c, None, &id)?.expect("kept");
                assert_eq!(job.stage, Stage::Failed);
                assert_eq!(job.error.expect("an error")["code"], "job_lost");
                assert!(prune(c)?.is_empty());
                c.execute("UPDATE jobs SET finished = '2020-01-01T00:00:00.000Z'", [])?;
                assert_eq!(prune(c)?, [("ac".to_owned(), json!({}))]);
                assert_eq!(find(c, None, &id)?, None);
                Ok(())
            })
            .expect("works");
    }

    #[test]
    fn a_tenant_with_many_jobs_lets_the_others_go_between() {
        let (_folder, state) = state();
        state
            .now(|c| {
                let jobs = [
                    ("a", 6, Kind::Ingest),
                    ("b", 2, Kind::Evaluate),
                    ("c", 1, Kind::Ingest),
                    ("a", 4, Kind::Query),
                ];
                for (name, count, kind) in jobs {
                    let name: Name = name.parse().expect("a name");
                    for at in 0..count {
                        let id = add(c, &name, &name, kind, &json!(at), 99)?.expect("added");
                        // As if it were older than those that are added next.
                        c.execute(
                            "UPDATE jobs SET created = ?2 WHERE id = ?1",
                            params![id, format!("{name}{at}")],
                        )?;
                    }
                }
                let mut take = |quick| -> Result<String> {
                    let job = lease(c, quick)?.0.expect("a job");
                    assert!(finish(c, &job.id, job.token, &Ok("1".to_owned()), "answer", "1")?);
                    Ok(format!("{}{}", job.tenant, job.request))
                };
                // Questions, which are taken in between, do not cost a tenant its turn.
                let mut order = vec![take(false)?, take(false)?];
                for _ in 0..4 {
                    take(true)?;
                }
                for _ in 0..7 {
                    order.push(take(false)?);
                }
                assert_eq!(order, ["a0", "b0", "c0", "a1", "b1", "a2", "a3", "a4", "a5"]);
                // Whoever comes later is next.
                let (a, d): (Name, Name) = ("a".parse().expect("a name"), "d".parse().expect("a name"));
                for name in [&a, &a, &d] {
                    add(c, name, name, Kind::Ingest, &json!(9), 99)?.expect("added");
                }
                assert!(lease(c, false)?.0.is_some_and(|job| job.tenant == d));
                Ok(())
            })
            .expect("works");
    }
}
