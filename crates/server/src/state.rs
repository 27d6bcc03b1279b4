//! What the server has to remember, in one SQLite file: collections, keys, jobs, records of evaluations, questions.
//!
//! A write that a client is told of returns after it is on the disk, so that nothing that was acknowledged is lost. One connection
//! writes, a few others only read: they wait for no write.

pub(crate) mod answers;
pub(crate) mod collections;
pub(crate) mod evidence;
pub(crate) mod history;
pub(crate) mod jobs;
pub(crate) mod keys;
pub(crate) mod opened;
pub(crate) mod records;
pub(crate) mod sessions;
pub(crate) mod tables;

use crate::limits::PART_BYTES;
use anyhow::Context as _;
use engine::ComputePool;
use rusqlite::{
    Connection, OpenFlags, Row, Rows,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};
use std::{
    fs::{self, File},
    os::unix::fs::OpenOptionsExt as _,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};
use types::{digest::crc32, locked, sealed::DAMAGED};

/// The steps from an empty file to the tables of today; `user_version` counts those that were made. A step is never changed.
const MIGRATIONS: [&str; 6] = [
    include_str!("state/001.sql"),
    include_str!("state/002.sql"),
    include_str!("state/003.sql"),
    include_str!("state/004.sql"),
    include_str!("state/005.sql"),
    include_str!("state/006.sql"),
];

/// How long a lock of another program is waited for.
pub(crate) const LOCK_TIME: Duration = Duration::from_secs(10);
/// Connections that read at a time.
const READERS: usize = 4;
/// How a file is opened that must be there.
const EXISTING: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// The file, opened. A clone shares it.
#[derive(Clone)]
pub(crate) struct State {
    /// Free connections that only read. Before `writer`, so that they close first: the last connection to close writes the log back
    /// into the file, which one that only reads cannot.
    readers: Arc<Mutex<Vec<Connection>>>,
    writer: Arc<Mutex<Connection>>,
    file: Arc<Path>,
    /// Who waits for a connection waits here and takes no thread.
    reads: ComputePool,
    writes: ComputePool,
}

impl State {
    /// Opens the file, makes it if it does not exist, and brings its tables up to date.
    ///
    /// # Errors
    /// When it cannot be opened or written, or a newer version wrote it.
    pub(crate) fn open(file: &Path) -> anyhow::Result<Self> {
        let mut connection = connect(file, OpenFlags::default()).with_context(|| cannot_open(file))?;
        migrate(&mut connection, file).with_context(|| cannot_open(file))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        Ok(Self::of(connection, file))
    }

    /// Opens a file that is there, and leaves its tables as they are.
    ///
    /// # Errors
    /// When there is none, it cannot be opened, or another version wrote it.
    pub(crate) fn open_existing(file: &Path) -> anyhow::Result<Self> {
        let connection = connect(file, EXISTING).with_context(|| cannot_open(file))?;
        let made = version(&connection).with_context(|| cannot_open(file))?;
        anyhow::ensure!(
            made == MIGRATIONS.len(),
            "{} was written by another version of pipeline (schema {made}, this version reads {})\nhint: {}",
            file.display(),
            MIGRATIONS.len(),
            ["start `pipeline serve` once to bring it up to date", "use that version"]
                [usize::from(made > MIGRATIONS.len())]
        );
        Ok(Self::of(connection, file))
    }

    fn of(connection: Connection, file: &Path) -> Self {
        Self {
            readers: Arc::default(),
            writer: Arc::new(Mutex::new(connection)),
            file: file.into(),
            reads: ComputePool::of(READERS),
            writes: ComputePool::of(1),
        }
    }

    /// Runs `work`, which only reads, on a thread that may wait. It sees all that was acknowledged before.
    ///
    /// # Errors
    /// What `work` returns.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        let (readers, file) = (Arc::clone(&self.readers), Arc::clone(&self.file));
        let work = move || {
            let free = locked(&readers).pop();
            let mut connection = free.map_or_else(|| reader(&file), Ok)?;
            let found = work(&mut connection);
            locked(&readers).push(connection);
            found
        };
        self.reads.run(|| caught(work)).await
    }

    /// Runs `work` on a thread that may wait, after what came before.
    ///
    /// # Errors
    /// What `work` returns.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        self.write("FULL", work).await
    }

    /// The same for what a loss of power may take, though not the end of the process: it does not wait for the disk.
    ///
    /// # Errors
    /// What `work` returns.
    pub(crate) async fn run_soon<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        self.write("NORMAL", work).await
    }

    async fn write<T: Send + 'static>(
        &self,
        synchronous: &'static str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        let writer = Arc::clone(&self.writer);
        let work = move || synchronised(&writer, synchronous, work);
        self.writes.run(|| caught(work)).await
    }

    /// Runs `work` here.
    ///
    /// # Errors
    /// What `work` returns.
    pub(crate) fn now<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        synchronised(&self.writer, "FULL", work)
    }

    /// Writes a copy of the file, whole and compact, while the server may run.
    ///
    /// # Errors
    /// When the copy exists already or cannot be written.
    pub(crate) fn back_up(&self, copy: &Path) -> anyhow::Result<()> {
        let name = copy.to_str().context("the name of the copy is not UTF-8")?;
        let cannot = || format!("cannot write {}", copy.display());
        // An empty file is filled. It has questions and papers, which nobody else may read.
        let mut new = File::options();
        new.write(true).create_new(true).mode(0o600);
        new.open(copy).with_context(cannot)?;
        let copied = self.now(|connection| connection.execute("VACUUM INTO ?1", [name]));
        if copied.is_err() {
            // What is left of it is no copy.
            let _ = fs::remove_file(copy);
        }
        copied.with_context(cannot).map(drop)
    }
}

/// Runs `work` with so much care for a loss of power, whatever the work before left.
fn synchronised<T>(
    writer: &Mutex<Connection>,
    synchronous: &str,
    work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let mut connection = locked(writer);
    connection.pragma_update(None, "synchronous", synchronous)?;
    work(&mut connection)
}

/// A panic leaves no transaction open: it is rolled back when it is dropped.
fn caught<T>(work: impl FnOnce() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(rusqlite::Error::UnwindingPanic))
}

fn connect(file: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(LOCK_TIME)?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("checksum_of", -1, flags, |values| Ok(checksum_of(values)))?;
    Ok(connection)
}

/// The CRC-32 of values, each with its length.
fn checksum_of(values: &Context<'_>) -> u32 {
    (0..values.len()).fold(0, |sum: u32, at| {
        let bytes = match values.get_raw(at) {
            ValueRef::Null => &[],
            ValueRef::Integer(number) => &number.to_le_bytes()[..],
            ValueRef::Real(number) => &number.to_le_bytes()[..],
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        };
        crc32(&[&sum.to_le_bytes(), &(bytes.len() as u64).to_le_bytes(), bytes])
    })
}

/// What is read of a row that is not as it was written.
fn damaged(what: &str) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(format!("{what} {DAMAGED}").into())
}

/// Whether the file and each of its rows are as they were written; else what is damaged.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn check(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let (job, record) = (jobs::CHECKSUM, records::CHECKSUM);
    let sql = format!(
        "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'
         UNION ALL SELECT 'job ' || id FROM jobs WHERE checksum IS NOT {job}
         UNION ALL SELECT 'result of job ' || job FROM results WHERE checksum IS NOT checksum_of(result)
         UNION ALL SELECT 'record ' || number || ' of ' || tenant || '/' || collection FROM records
                   WHERE checksum IS NOT {record}"
    );
    let mut all = connection.prepare(&sql)?;
    all.query_map([], |row| row.get(0))?.collect()
}

fn reader(file: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(file, EXISTING)?;
    connection.pragma_update(None, "query_only", "ON")?;
    Ok(connection)
}

/// Items of a list, the newest first, each with its number and as JSON.
pub(crate) type Items = Vec<(i64, String)>;

/// Reads items until they fill a part of an answer, at least one. Their numbers are in the first column.
fn part(mut rows: Rows<'_>, item: impl Fn(&Row<'_>) -> rusqlite::Result<String>) -> rusqlite::Result<Items> {
    let (mut items, mut bytes) = (Vec::new(), 0);
    while bytes < PART_BYTES
        && let Some(row) = rows.next()?
    {
        let item = item(row)?;
        bytes += item.len();
        items.push((row.get(0)?, item));
    }
    Ok(items)
}

fn cannot_open(file: &Path) -> String {
    format!("cannot open the state of the server, {}", file.display())
}

/// How many of the steps were made.
fn version(connection: &Connection) -> rusqlite::Result<usize> {
    let made: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(made).unwrap_or_default())
}

fn migrate(connection: &mut Connection, file: &Path) -> anyhow::Result<()> {
    // Two servers may start at once.
    let step = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let made = version(&step)?;
    anyhow::ensure!(
        made <= MIGRATIONS.len(),
        "{} was written by a newer version (its user_version is {made}, this version knows {}); use that version, or another --data",
        file.display(),
        MIGRATIONS.len()
    );
    let sql =
        "SELECT COUNT(*), COUNT(*) FILTER (WHERE name IN ('keys', 'jobs', 'records')) FROM sqlite_schema
               WHERE type = 'table'";
    let (tables, own): (i64, i64) = step.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    anyhow::ensure!(
        if made == 0 { tables == 0 } else { own == 3 },
        "it is a database of another program; use another --data"
    );
    for sql in &MIGRATIONS[made..] {
        step.execute_batch(sql)?;
    }
    step.pragma_update(None, "user_version", i64::try_from(MIGRATIONS.len())?)?;
    step.commit()?;
    Ok(())
}

/// So many random bytes as letters, digits, `-` and `_`.
pub(crate) fn random<const N: usize>() -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(rand::random::<[u8; N]>())
}

#[cfg(test)]
pub(crate) mod testing {
    use super::State;

    /// A state of its own, and the folder that it is in.
    pub(crate) fn state() -> (tempfile::TempDir, State) {
        let folder = tempfile::tempdir().expect("a folder");
        let state = State::open(&folder.path().join("state.sqlite")).expect("opens");
        (folder, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;
    use serde_json::json;

    #[tokio::test]
    async fn a_panic_leaves_the_next_write_as_durable_as_any() {
        let (_folder, state) = testing::state();
        let synchronous =
            |c: &mut Connection| c.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0));
        assert_eq!(state.run_soon(synchronous).await, Ok(1));
        assert_eq!(state.run(synchronous).await, Ok(2));
        let broken = |_: &mut Connection| -> rusqlite::Result<()> { panic!("broken") };
        assert!(state.run_soon(broken).await.is_err());
        assert_eq!(state.now(synchronous), Ok(2));
        assert!(state.run_soon(broken).await.is_err());
        assert_eq!(state.run(synchronous).await, Ok(2));
        assert!(state.read(broken).await.is_err());
        assert!(state.read(synchronous).await.is_ok());
    }

    #[tokio::test]
    async fn reads_wait_for_no_write_and_write_nothing() {
        let (_folder, state) = testing::state();
        let name: Name = "ac".parse().expect("a name");
        let exists = async || {
            let name = name.clone();
            let found = state.read(move |c| collections::exists(c, &name, &name));
            let found = tokio::time::timeout(Duration::from_secs(20), found).await;
            found.expect("it waits for no write").expect("read")
        };
        let own = name.clone();
        let added = state.run(move |c| collections::add(c, &own, &own)).await;
        added.expect("added");
        let (go, wait) = std::sync::mpsc::channel();
        let (begin, begun) = tokio::sync::oneshot::channel();
        let written = state.run(move |c| {
            let step = c.transaction()?;
            step.execute("DELETE FROM collections", [])?;
            assert!(begin.send(()).is_ok() && wait.recv().is_ok());
            step.commit()
        });
        let read = async {
            begun.await.expect("begun");
            for _ in 0..3 * READERS {
                assert!(exists().await, "what is not committed is not seen");
            }
            go.send(()).expect("waits");
        };
        tokio::join!(written, read).0.expect("written");
        assert!(!exists().await);
        let own = name.clone();
        let refused = state.read(move |c| collections::add(c, &own, &own)).await;
        assert!(refused.is_err());
        assert!((1..=READERS).contains(&locked(&state.readers).len()));
    }

    #[test]
    fn what_was_changed_by_no_server_is_told_and_not_read() {
        let (folder, state) = testing::state();
        let name: Name = "ac".parse().expect("a name");
        state
            .now(|c| {
                let add = |kind| jobs::add(c, &name, &name, kind, &json!({"query": "q"}), 9);
                let (one, two) = (add(jobs::Kind::Query)?, add(jobs::Kind::Ingest)?);
                let (one, two) = (one.expect("added"), two.expect("added"));
                records::add(c, &name, &name, &records::Scores::default(), |id| json!({"id": id}))?;
                assert_eq!(check(c)?, Vec::<String>::new());
                c.execute(
                    "UPDATE jobs SET request = replace(request, 'q\"}', 'p\"}') WHERE id = ?1",
                    [&one],
                )?;
                c.execute("UPDATE records SET faithfulness = 1.0", [])?;
                let found = check(c)?;
                assert_eq!(found, [format!("job {one}"), "record 1 of ac/ac".to_owned()]);
                for error in [
                    jobs::find(c, None, &one).expect_err("damaged"),
                    records::list(c, &name, &name, i64::MAX, 9).expect_err("damaged"),
                ] {
                    assert!(error.to_string().ends_with(DAMAGED), "{error}");
                }
                // It is not done, and others are.
                let leases = Mutex::default();
                assert_eq!(jobs::lease(c, &leases, true)?, (None, vec![one.clone()]));
                assert_eq!(
                    jobs::find(c, None, &one)?.expect("kept").error.expect("an error")["code"],
                    "damaged"
                );
                assert_eq!(jobs::lease(c, &leases, false)?.0.expect("a job").id, two);
                Ok(())
            })
            .expect("works");
        let foreign = folder.path().join("foreign.sqlite");
        let other = Connection::open(&foreign).expect("made");
        other.execute_batch("CREATE TABLE jobs (id TEXT)").expect("made");
        let error = format!("{:#}", State::open(&foreign).err().expect("refused"));
        assert!(error.ends_with("another program; use another --data") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn an_older_state_is_brought_up_to_date_and_what_was_damaged_stays_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("state.sqlite");
        let old = connect(&file, OpenFlags::default()).expect("made");
        old.execute_batch(&MIGRATIONS[..3].concat()).expect("made");
        let fill = "INSERT INTO jobs (id, tenant, collection, kind, request, state, created, result)
                VALUES ('a', 't', 'c', 'query', '{}', 'done', '', 'one'), ('b', 't', 'c', 'query', '{}', 'done', '', 'two');
            UPDATE jobs SET checksum =
                checksum_of(id, tenant, collection, kind, request, created, finished, result, error);
            UPDATE jobs SET result = 'too' WHERE id = 'b'; PRAGMA user_version = 3;
            INSERT INTO collections VALUES ('c', 'c', '');
            INSERT INTO records (tenant, collection, number, document) VALUES ('c', 'c', 7, '{}');";
        old.execute_batch(fill).expect("filled");
        drop(old);
        let error = State::open_existing(&file).err().expect("refused").to_string();
        assert!(error.contains("\nhint: start `pipeline serve` once"), "{error}");
        let name: Name = "c".parse().expect("a name");
        let look = |c: &mut Connection| {
            assert!(jobs::find(c, None, "a")?.is_some_and(|job| job.has_result));
            assert_eq!(check(c)?[..2], ["job b", "result of job b"]);
            records::add(c, &name, &name, &records::Scores::default(), |id| json!(id))
        };
        let added = State::open(&file).expect("opens").now(look).expect("works");
        assert_eq!(added, Some(json!("q_008")));
    }

    #[test]
    fn opened_again_it_is_the_same_and_a_newer_one_is_refused() {
        let (folder, state) = testing::state();
        let file = folder.path().join("state.sqlite");
        let tenant = "ac".parse().expect("a name");
        state.now(|c| collections::add(c, &tenant, &tenant)).expect("added");
        let copy = folder.path().join("copy.sqlite");
        state.back_up(&copy).expect("copied");
        assert!(state.back_up(&copy).is_err(), "a copy is not overwritten");
        let mode = fs::metadata(&copy).expect("copied").permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
        drop(state);
        for file in [&file, &copy] {
            let again = State::open(file).expect("opens");
            assert!(again.now(|c| collections::exists(c, &tenant, &tenant)).expect("read"));
            again.now(|c| c.pragma_update(None, "user_version", 99)).expect("set");
            drop(again);
            let error = State::open(file).err().expect("refused");
            assert!(format!("{error:#}").contains("newer version"), "{error:#}");
        }
    }
}
