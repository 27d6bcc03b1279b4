//! Ingests again when papers change.

use crate::progress::Bars;
use anyhow::{Context as _, Result};
use notify::{Event, EventKind, RecursiveMode, Watcher as _, recommended_watcher};
use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};
use types::{Reporter as _, Stop, path_text::shown};

/// Papers are read once nothing has changed for so long: a copy takes a while.
const QUIET: Duration = Duration::from_secs(2);
/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(200);

type Changes = Receiver<notify::Result<Event>>;

/// Calls `ingest` at once, and again after each change below these paths, until the user stops it. What is written into the folders of
/// `own` is no change. An error of the first call is returned; later ones are printed, since the next change may mend them.
///
/// # Errors
/// That of the first call, or when the paths cannot be watched.
pub(super) fn watched(
    (paths, own): (&[PathBuf], &[&Path]),
    stop: &Stop,
    bars: &Bars,
    mut ingest: impl FnMut() -> Result<()>,
) -> Result<()> {
    let (sender, changes) = channel();
    let mut watcher = recommended_watcher(move |event| {
        // Nobody listens once the program ends.
        let _ = sender.send(event);
    })?;
    // Before the first run, so that no change is missed.
    for path in paths {
        let whole = path.canonicalize();
        let whole =
            whole.with_context(|| format!("cannot watch {}; name a folder of papers", shown(path)))?;
        let hint = "if it says that a limit is reached, raise fs.inotify.max_user_watches with sysctl";
        let failed = || format!("cannot watch {}; {hint}", shown(path));
        watcher.watch(&whole, RecursiveMode::Recursive).with_context(failed)?;
    }
    ingest()?;
    loop {
        let names = paths.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ");
        bars.remark(&format!("watching {names}; press Ctrl-C to stop"));
        if !changed(&changes, own, stop, bars) {
            return Ok(());
        }
        if let Err(error) = ingest() {
            if stop.is_requested() {
                return Ok(());
            }
            bars.warn(&crate::shown(&error));
        }
    }
}

/// Waits for a change, and then until there is none for a while; whether there was one before the user stopped it.
fn changed(changes: &Changes, own: &[&Path], stop: &Stop, bars: &Bars) -> bool {
    let mut last: Option<Instant> = None;
    while last.is_none_or(|last| last.elapsed() < QUIET) {
        if stop.is_requested() {
            return false;
        }
        match changes.recv_timeout(LOOK) {
            Ok(Ok(event)) if is_change(&event, own) => last = Some(Instant::now()),
            Ok(Err(error)) => bars.warn(&format!("a change may have been missed: {error}")),
            Err(RecvTimeoutError::Disconnected) => return false,
            Ok(Ok(_)) | Err(RecvTimeoutError::Timeout) => {}
        }
    }
    true
}

/// Whether papers may have changed: files were written, moved or removed outside of the program's own folders.
fn is_change(event: &Event, own: &[&Path]) -> bool {
    let own: Vec<PathBuf> = own.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let is_own = |path: &PathBuf| own.iter().any(|folder| path.starts_with(folder));
    // After an overflow nobody knows which.
    event.need_rescan() || !matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(is_own)
}
