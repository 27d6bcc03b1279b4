//! Ctrl-C: the work stops at the next safe point, and the program ends soon whether one comes or not.

use crate::progress::Bars;
use anyhow::Result;
use lab::{LabError, eval::Remains};
use std::time::Duration;
use tokio::{
    signal::unix::{SignalKind, signal},
    time::timeout,
};
use types::Stop;

/// After so long the program ends where it is. Every write survives that: a killed run loses nothing that was finished.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Exit code of an error.
const ERROR: i32 = 2;
/// What shells take for a program that was interrupted.
pub(super) const INTERRUPTED: i32 = 130;

/// Ends the program without the destructors of native libraries: a model that still computes would report an error.
pub(crate) fn end(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

/// A request to stop, which Ctrl-C makes; it says what remains. A second Ctrl-C ends the program at once.
pub(super) fn stop(bars: &Bars, remains: Remains) -> Result<Stop> {
    let kept = match remains {
        Remains::Work => "finished work is kept",
        Remains::Replies => "replies of language models are kept",
        Remains::Nothing => "nothing is kept",
    };
    let stop = Stop::default();
    let (request, bars) = (stop.clone(), bars.clone());
    // From here on, and not only once the task runs, the signal does not end the program by itself.
    let mut signal = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        if signal.recv().await.is_none() {
            return;
        }
        request.request();
        bars.stop(&format!("stopping; {kept} (press Ctrl-C again to quit at once)"));
        if timeout(PATIENCE, signal.recv()).await.is_ok() {
            end(INTERRUPTED);
        }
        eprintln!("error: {}", LabError::Stopped(remains));
        end(ERROR);
    });
    Ok(stop)
}
