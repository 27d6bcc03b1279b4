//! The pipeline over HTTP: three APIs over one engine.
//!
//! [`serve`] opens the state and the indexes of a data folder and answers until it is asked to stop. `/v1` is the API of this
//! program, whose documents are those of the commands; `/api` is that of LitPath, `/collections` and `/rag` that of the Ragas
//! evaluation service. Each route stands once in `routes`, with what it allows and as an operation of the OpenAPI document.
//!
//! A request passes `guard` (its id, who calls, how long it may take, the log), then its route, which asks `engine` or `lab`.
//! What takes longer than a request is a job (`state/jobs.rs`, `worker`). A computation is bounded twice: `engine`'s pool runs
//! as many as there are cores, and `indexes` lets so many wait; the next is told to come back. What is bounded is shared by the
//! tenants (`shares`).
//!
//! This crate has no stage, no metric and no document of its own where a command prints one. It makes no request to where a
//! client says. It does not parse arguments and does not print: it is given a function that takes lines of the log.

mod app;
mod asked;
mod document;
mod extract;
mod failed;
mod guard;
mod indexes;
mod library;
mod limits;
mod listen;
mod mcp;
mod name;
mod operation;
mod origin;
mod portal;
mod progress;
mod routes;
mod shares;
mod state;
mod streamed;
mod telemetry;
mod uploads;
mod versions;
mod worker;

pub use app::LogSink;
pub use mcp::{StdioOptions, stdio};
pub use name::{Name, NoName};
pub use origin::Origin;
pub use state::keys::{Key, Role};

use anyhow::{Context as _, bail};
use app::Shared;
use axum::{Router, http::StatusCode, middleware::from_fn_with_state};
use engine::settings::Settings;
use failed::Failed;
use indexes::Indexes;
use operation::Routes;
use serde_json::json;
use state::{State, jobs, keys, records};
use std::{
    collections::HashSet,
    fs::{self, DirBuilder},
    io,
    mem::take,
    net::SocketAddr,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;
use types::{BoxFuture, Stop};

/// The file of the state in the data folder.
const STATE: &str = "state.sqlite";
/// The file beside it that says that there were keys.
const HAS_KEYS: &str = "has-keys";

/// What to serve.
#[derive(Clone)]
pub struct Options {
    /// Where to listen; port 0 picks a free port.
    pub listen: SocketAddr,
    /// The folder of state, uploads and indexes.
    pub data: PathBuf,
    /// Where web pages come from that may use the server: its address behind a proxy, whose host is accepted, and other sites.
    pub origins: Vec<Origin>,
    /// Requests being computed or waiting, at a time; more are answered with 503.
    pub waiting: usize,
    /// Whether assistants also have the tools of ADR-013.
    pub nc: bool,
    /// Takes a line of the log: an object with `level`, and with `request_id`, `route` and `status` for a request. No line has the
    /// text of a question.
    pub log: LogSink,
    /// Set by the caller to stop: running requests finish, jobs are given back.
    pub stop: Stop,
}

/// Serves until it is asked to stop. `listening` is told the address once requests are answered.
///
/// # Errors
/// When the data folder or the address cannot be used, or the address is not this machine's own and there is no key.
pub fn serve<'a>(
    settings: &'a Settings,
    mut options: Options,
    listening: Box<dyn FnOnce(SocketAddr) -> anyhow::Result<()> + Send + 'a>,
) -> BoxFuture<'a, anyhow::Result<()>> {
    Box::pin(async move {
        let (listen, stop) = (options.listen, options.stop.clone());
        let state = open(&options.data)?;
        let any_key = check_keys(&options.data, &state)?;
        // As the index names files, so that answers can leave out where they are.
        let data = fs::canonicalize(&options.data);
        let data = data.with_context(|| format!("cannot read {}", options.data.display()))?;
        options.data.clone_from(&data);
        let loopback = listen.ip().is_loopback();
        if !loopback && !any_key {
            bail!(
                "{listen} can be reached from other machines, and there is no key\nhint: make one with `pipeline serve keys add --tenant \
             NAME`, or listen on 127.0.0.1"
            );
        }
        outlive_full_files()?;
        let listener =
            TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
        let indexes = Indexes::new(settings.clone(), data.clone());
        let openapi = operation::openapi(&routes()).to_string();
        let app = Arc::new(Shared::new(settings.clone(), state, indexes, options, openapi));
        let mut due = HashSet::new();
        prune(&app, &data, &mut due).await?;
        tokio::spawn(prune_hourly(Arc::clone(&app), data, due));
        let router = router(&app);
        let workers = tokio::spawn(worker::run(Arc::clone(&app)));
        // The first question need not wait for the models; without papers, or with broken ones, /readyz says so.
        let warm = Arc::clone(&app);
        tokio::spawn(
            async move { warm.pipeline(&indexes::Place::default_of(Name::of_default())).await.is_ok() },
        );
        listening(listener.local_addr()?)?;
        listen::serve(listener, router, stop).await;
        workers.await?;
        app.end_history(Duration::from_secs(2)).await;
        Ok(())
    })
}

fn routes() -> Routes {
    let all = [
        routes::own::routes(),
        routes::verify::routes(),
        routes::papers::routes(),
        routes::work::routes(),
        routes::runs::routes(),
        routes::tables::routes(),
        routes::litpath::routes(),
        routes::ragas::routes(),
        routes::operations::routes(),
    ];
    all.into_iter().flatten().collect()
}

fn router(app: &app::App) -> Router {
    let nowhere = || async { Failed::new(StatusCode::NOT_FOUND, "no_route", "there is no such route") };
    let other = || async {
        Failed::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this route does not accept this method")
    };
    operation::router(app, routes())
        .merge(operation::router(app, portal::routes()))
        .merge(operation::router(app, mcp::routes()))
        .fallback(nowhere)
        .method_not_allowed_fallback(other)
        .layer(CatchPanicLayer::custom(|_| {
            use axum::response::IntoResponse as _;
            Failed::inside("a panic").into_response()
        }))
        .layer(guard::cors(&app.origins))
        .layer(from_fn_with_state(Arc::clone(app), guard::around))
        .with_state(Arc::clone(app))
}

async fn prune_hourly(app: app::App, data: PathBuf, mut due: HashSet<String>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(Duration::from_hours(1)) => {}
            () = app.stop.requested() => return,
        }
        if let Err(error) = prune(&app, &data, &mut due).await {
            app.error("prune", &error);
        }
    }
}

/// Removes jobs that ended long ago, with the answers that they scored, and files whose upload never ended.
async fn prune(app: &app::App, data: &Path, due: &mut HashSet<String>) -> anyhow::Result<()> {
    let mut own = take(due);
    let gone;
    (gone, *due) = app.state.run(move |c| jobs::prune(c, &mut own).map(|gone| (gone, own))).await?;
    let companies = data.join("companies");
    let remove = move || {
        for (tenant, request) in gone {
            if let Some(name) = request["answers"].as_str() {
                // It may have been removed by hand.
                let _ = fs::remove_file(companies.join(tenant).join("answers").join(name));
            }
        }
        for tenant in fs::read_dir(companies).into_iter().flatten().flatten() {
            uploads::remove_begun(&tenant.path(), SystemTime::now() - 2 * limits::UPLOAD_TIME);
        }
    };
    Ok(tokio::task::spawn_blocking(remove).await?)
}

/// The state of a data folder, which is made. Nobody else may read it: it has questions and papers.
fn open(data: &Path) -> anyhow::Result<State> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(data);
    made.with_context(|| format!("cannot make the folder {}", data.display()))?;
    State::open(&data.join(STATE))
}

/// Whether there was ever a key.
///
/// # Errors
/// When there was one and the state that had it is gone: without it, everybody would be served.
fn check_keys(data: &Path, state: &State) -> anyhow::Result<bool> {
    let note = data.join(HAS_KEYS);
    if state.now(|c| keys::any(c))? {
        fs::write(&note, "This folder has keys. Without them in state.sqlite the server does not start.\n")
            .with_context(|| format!("cannot write {}", note.display()))?;
        return Ok(true);
    }
    if note.exists() {
        bail!(
            "{} had keys, and {STATE} has none: it was removed or emptied\nhint: put a backup back; to begin anew without keys, \
             delete {} first",
            data.display(),
            note.display()
        );
    }
    Ok(false)
}

/// A file that grows beyond a limit (`ulimit -f`) fails the write, not the process.
fn outlive_full_files() -> anyhow::Result<()> {
    /// `SIGXFSZ` on Linux and macOS.
    const FILE_SIZE: i32 = 25;
    // Whoever listens to a signal is not ended by it.
    let mut signals = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(FILE_SIZE))?;
    tokio::spawn(async move { while signals.recv().await.is_some() {} });
    Ok(())
}

/// The state of a data folder that a server or a key was made in.
fn existing(data: &Path) -> anyhow::Result<State> {
    let file = data.join(STATE);
    if !file.is_file() {
        bail!(
            "{} has no state of a server\nhint: name with --data the folder that `pipeline serve` uses",
            data.display()
        );
    }
    State::open_existing(&file)
}

/// Makes a key for a tenant and returns it; it cannot be had again.
///
/// # Errors
/// When the data folder cannot be used.
pub fn add_key(data: &Path, tenant: &Name, role: Role, name: &str) -> anyhow::Result<String> {
    let state = open(data)?;
    // A new key must not hide that those before it are lost.
    check_keys(data, &state)?;
    let key = state.now(|c| keys::add(c, tenant, role, name))?;
    check_keys(data, &state)?;
    Ok(key)
}

/// Every key, without its secret, in the order in which they were made.
///
/// # Errors
/// When no server or key was made in the data folder.
pub fn list_keys(data: &Path) -> anyhow::Result<Vec<Key>> {
    Ok(existing(data)?.now(|c| keys::list(c))?)
}

/// Revokes a key; a running server stops accepting it at once.
///
/// # Errors
/// When there is no such key, or no server or key was made in the data folder.
pub fn revoke_key(data: &Path, id: i64) -> anyhow::Result<()> {
    if existing(data)?.now(|c| keys::revoke(c, id))? {
        return Ok(());
    }
    bail!("no valid key has the number {id}\nhint: `pipeline serve keys list` prints the keys");
}

/// Writes a copy of the state, while a server may run.
///
/// # Errors
/// When the copy exists already or cannot be written, or no server or key was made in the data folder.
pub fn back_up(data: &Path, copy: &Path) -> anyhow::Result<()> {
    existing(data)?.back_up(copy)
}

/// Checks the state of a data folder: what is damaged in it; `None` for a folder without one.
///
/// # Errors
/// When it cannot be opened.
pub fn check(data: &Path) -> anyhow::Result<Option<Vec<String>>> {
    let file = data.join(STATE);
    let state = file.is_file().then(|| State::open_existing(&file)).transpose()?;
    Ok(state.map(|state| state.now(|c| state::check(c))).transpose()?)
}

/// Writes each record of an evaluation, of one tenant or of all, to
/// `storage/companies/COMPANY/COLLECTION/rag/evaluations/QUESTION.json` below a folder, and returns how many.
///
/// # Errors
/// When a file cannot be written, or no server or key was made in the data folder.
pub fn export(data: &Path, tenant: Option<&Name>, folder: &Path) -> anyhow::Result<usize> {
    let companies = folder.join("storage").join("companies");
    let write = |tenant: &str, collection: &str, id: &str, document: &str| -> io::Result<()> {
        let folder = companies.join(tenant).join(collection).join("rag").join("evaluations");
        fs::create_dir_all(&folder)?;
        let document: serde_json::Value = serde_json::from_str(document).unwrap_or_else(|_| json!(document));
        fs::write(folder.join(format!("{id}.json")), format!("{document:#}\n"))
    };
    let written = existing(data)?.now(|c| records::each(c, tenant, write))?;
    written.with_context(|| format!("cannot write to {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_has_a_name_of_its_own() {
        let document = operation::openapi(&routes());
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        for name in schemas.keys() {
            // A second type of a name gets a number.
            assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "{name}");
        }
        let mut ids: Vec<&str> = Vec::new();
        for methods in document["paths"].as_object().expect("paths").values() {
            let operations = methods.as_object().expect("methods").values();
            ids.extend(operations.filter_map(|operation| operation["operationId"].as_str()));
        }
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!((ids.len(), all), (routes().len(), routes().len()));
    }

    #[test]
    fn a_folder_without_a_state_is_refused_and_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("wrong");
        let tenant = Name::of_default();
        let check = |result: anyhow::Result<()>| {
            let error = result.expect_err("refused").to_string();
            assert!(error.contains("wrong has no state") && error.contains("--data"), "{error}");
        };
        check(list_keys(&data).map(drop));
        check(revoke_key(&data, 1));
        check(back_up(&data, &folder.path().join("copy")));
        check(export(&data, None, folder.path()).map(drop));
        assert!(!data.exists());
        add_key(&data, &tenant, Role::Read, "").expect("made");
        assert_eq!(list_keys(&data).expect("listed").len(), 1);
        // A server that had keys does not start without them.
        assert!(check_keys(&data, &open(&data).expect("opens")).expect("keys"));
        for file in fs::read_dir(&data).expect("listed").flatten() {
            if file.file_name() != HAS_KEYS {
                fs::remove_file(file.path()).expect("removed");
            }
        }
        let error = check_keys(&data, &open(&data).expect("opens")).expect_err("refused");
        assert!(error.to_string().contains("had keys"), "{error}");
        add_key(&data, &tenant, Role::Read, "").expect_err("refused, too");
        let mode = fs::metadata(&data).expect("made").permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o700);
    }
}
