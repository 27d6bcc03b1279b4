//! `pipeline serve`.

mod log;

use super::{App, interrupt};
use crate::{
    args::{Keys, Serve, ServeCommand},
    page::{Line, Page},
    printer::Outcome,
    words::count,
};
use anyhow::Result;
use engine::stages::warn_without_reader;
pub(in crate::commands) use log::Log;
use serde_json::json;
use server::{Key, Options};
use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
    process::{Command, Stdio},
};
use tokio::signal::unix::{SignalKind, signal};
use types::{Reporter as _, Stop, path_text::shown};

/// Serves, or runs the subcommand.
pub(super) async fn run(app: &App, args: &Serve) -> Result<Outcome> {
    match &args.command {
        None => serve(app, args).await?,
        Some(ServeCommand::Keys(keys)) => self::keys(app, &args.data, keys)?,
        Some(ServeCommand::Backup { file }) => {
            server::back_up(&args.data, file)?;
            app.reporter.note(&format!("written: {}", shown(file)));
        }
        Some(ServeCommand::Export { tenant, dir }) => {
            let written = server::export(&args.data, tenant.as_ref(), dir)?;
            let found = json!({ "written": written });
            app.printer.listing(&found, || Line::from(count(written, "record") + " written").into())?;
        }
    }
    Ok(Outcome::Done)
}

async fn serve(app: &App, args: &Serve) -> Result<()> {
    let index = &app.settings.index.dir;
    if !index.is_dir() {
        app.reporter.warn(&format!(
            "there is no index at {}; questions are refused until `pipeline ingest` makes it, or papers are uploaded",
            shown(index)
        ));
    }
    warn_without_reader(&app.settings, &app.reporter);
    let log = Log::new(std::io::stderr());
    let options = Options {
        listen: args.listen,
        data: args.data.clone(),
        origins: args.origin.clone(),
        waiting: args.max_waiting,
        nc: args.nc,
        log: log.sink(),
        stop: stop()?,
    };
    log.take_panics();
    let printer = app.printer;
    let (opens, reporter) = (args.open, &app.reporter);
    let listening = move |address: SocketAddr| {
        printer.raw(&format!("listening on http://{address}\n"))?;
        // A browser connects to this machine, whatever the server listens on.
        let mut own = address;
        if own.ip().is_unspecified() {
            own.set_ip(if own.is_ipv6() { Ipv6Addr::LOCALHOST.into() } else { Ipv4Addr::LOCALHOST.into() });
        }
        if opens && let Err(error) = open(&format!("http://{own}")) {
            reporter.warn(&format!("cannot open the browser: {error}"));
        }
        Ok(())
    };
    let served = server::serve(&app.settings, options, Box::new(listening)).await;
    log.flush();
    served
}

/// Opens an address in the browser of the desktop.
fn open(address: &str) -> std::io::Result<()> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// A request to stop, which the first of the signals makes; a second one ends the program at once.
pub(super) fn stop() -> Result<Stop> {
    let stop = Stop::default();
    let (mut interrupted, mut ended) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let request = stop.clone();
    tokio::spawn(async move {
        for asked in 0.. {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = ended.recv() => {}
            }
            if asked > 0 {
                interrupt::end(interrupt::INTERRUPTED);
            }
            request.request();
        }
    });
    Ok(stop)
}

fn keys(app: &App, data: &Path, keys: &Keys) -> Result<()> {
    match keys {
        Keys::Add { tenant, role, name } => {
            let key = server::add_key(data, tenant, *role, name)?;
            app.printer.listing(&json!({ "key": key }), || Line::from(key.as_str()).into())?;
            app.reporter.note("the key is not kept: it cannot be printed again");
        }
        Keys::List => {
            let keys = server::list_keys(data)?;
            app.printer.listing(&json!({ "keys": keys }), || list(&keys))?;
        }
        Keys::Revoke { id } => server::revoke_key(data, *id)?,
    }
    Ok(())
}

fn list(keys: &[Key]) -> Page {
    let mut page = Page::new();
    page.rows(keys)
        .column("key", |key| key.id.to_string())
        .column("tenant", |key| key.tenant.clone())
        .column("role", |key| key.role.to_string())
        .column("name", |key| key.name.clone())
        .column("made", |key| key.created.clone())
        .column("revoked", |key| key.revoked.clone().unwrap_or_default());
    page.line(count(keys.len(), "key"));
    page
}
