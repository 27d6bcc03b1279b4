//! What the server has to remember, in one SQLite file: collections, keys, jobs, records of evaluations, questions.
//!
//! A write that a client is told of returns after it is on the disk, so that nothing that was acknowledged is lost.

pub(crate) mod collections;
pub(crate) mod history;
pub(crate) mod jobs;
pub(crate) mod keys;
pub(crate) mod records;

use anyhow::Context as _;
use rusqlite::{Connection, OpenFlags};
use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::Mutex as Turn, task::JoinSet};

/// The steps from an empty file to the tables of today; `user_version` counts those that were made. A step is never changed.
const MIGRATIONS: [&str; 2] = [include_str!("state/001.sql"), include_str!("state/002.sql")];

/// The file, opened. A clone shares it.
#[derive(Clone)]
pub(crate) struct State {
    connection: Arc<Mutex<Connection>>,
    /// Who waits for the connection waits here and takes no thread.
    turn: Arc<Turn<()>>,
}

impl State {
    /// Opens the file, makes it if it does not exist, and brings its tables up to date.
    ///
    /// # Errors
    /// When it cannot be opened or written, or a newer version wrote it.
    pub(crate) fn open(file: &Path) -> anyhow::Result<Self> {
        let mut connection = Connection::open(file).with_context(|| cannot_open(file))?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        migrate(&mut connection, file).with_context(|| cannot_open(file))?;
        Ok(Self::of(connection))
    }

    /// Opens a file that is there, and leaves its tables as they are.
    ///
    /// # Errors
    /// When there is none, it cannot be opened, or another version wrote it.
    pub(crate) fn open_existing(file: &Path) -> anyhow::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags).with_context(|| cannot_open(file))?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let made = version(&connection).with_context(|| cannot_open(file))?;
        anyhow::ensure!(
            made == MIGRATIONS.len(),
            "{} was written by another version (its user_version is {made}, this version knows {})\nhint: start \
             `pipeline serve` once to bring an older state up to date",
            file.display(),
            MIGRATIONS.len()
        );
        Ok(Self::of(connection))
    }

    fn of(connection: Connection) -> Self {
        Self {
            connection: Arc::new(Mutex::new(connection)),
            turn: Arc::default(),
        }
    }

    /// Runs `work` on a thread that may wait.
    ///
    /// # Errors
    /// What `work` returns.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        let (state, turn) = (self.clone(), Arc::clone(&self.turn));
        // A task of its own: who waits here may not be polled for a while, and must not keep the turn from others meanwhile.
        let mut task = JoinSet::new();
        task.spawn(async move {
            let turn = turn.lock_owned().await;
            // The turn is given back after the work.
            tokio::task::spawn_blocking(move || (state.now(work), turn).0).await
        });
        // A panic leaves no transaction open: it is rolled back when it is dropped.
        match task.join_next().await {
            Some(Ok(Ok(done))) => done,
            _ => Err(rusqlite::Error::UnwindingPanic),
        }
    }

    /// The same for what a loss of power may take, though not the end of the process: it does not wait for the disk.
    ///
    /// # Errors
    /// What `work` returns.
    pub(crate) async fn run_soon<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        self.run(|connection| {
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            let done = work(connection);
            connection.pragma_update(None, "synchronous", "FULL")?;
            done
        })
        .await
    }

    /// Runs `work` here.
    ///
    /// # Errors
    /// What `work` returns.
    pub(crate) fn now<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        work(&mut self.connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes a copy of the file, whole and compact, while the server may run.
    ///
    /// # Errors
    /// When the copy exists already or cannot be written.
    pub(crate) fn back_up(&self, copy: &Path) -> anyhow::Result<()> {
        let name = copy.to_str().context("the name of the copy is not UTF-8")?;
        self.now(|connection| connection.execute("VACUUM INTO ?1", [name]))
            .with_context(|| format!("cannot write {}", copy.display()))?;
        Ok(())
    }
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
    for sql in &MIGRATIONS[made..] {
        step.execute_batch(sql)?;
    }
    step.pragma_update(None, "user_version", i64::try_from(MIGRATIONS.len())?)?;
    step.commit()?;
    Ok(())
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
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

    #[tokio::test]
    async fn who_is_not_polled_keeps_the_turn_from_nobody() {
        let (_folder, state) = testing::state();
        let (go, wait) = std::sync::mpsc::channel();
        let mut first = Box::pin(state.run(move |_| Ok(wait.recv().is_ok())));
        assert!(futures::poll!(&mut first).is_pending());
        let mut second = Box::pin(state.run(|_| Ok(())));
        tokio::task::yield_now().await;
        assert!(futures::poll!(&mut second).is_pending());
        tokio::task::yield_now().await;
        go.send(()).expect("waits");
        assert!(first.await.expect("done"));
        let third = tokio::time::timeout(std::time::Duration::from_secs(20), state.run(|_| Ok(())));
        third.await.expect("its turn comes").expect("done");
        second.await.expect("done");
    }

    #[test]
    fn opened_again_it_is_the_same_and_a_newer_one_is_refused() {
        let (folder, state) = testing::state();
        let file = folder.path().join("state.sqlite");
        let tenant = "ac".parse().expect("a name");
        state
            .now(|c| collections::add(c, &tenant, &tenant))
            .expect("added");
        let copy = folder.path().join("copy.sqlite");
        state.back_up(&copy).expect("copied");
        assert!(state.back_up(&copy).is_err(), "a copy is not overwritten");
        drop(state);
        for file in [&file, &copy] {
            let again = State::open(file).expect("opens");
            assert!(
                again
                    .now(|c| collections::exists(c, &tenant, &tenant))
                    .expect("read")
            );
            again
                .now(|c| c.pragma_update(None, "user_version", 99))
                .expect("set");
            drop(again);
            let error = State::open(file).err().expect("refused");
            assert!(format!("{error:#}").contains("newer version"), "{error:#}");
        }
    }
}
