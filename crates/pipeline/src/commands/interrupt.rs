//! Ctrl-C: the work stops at the next safe point, and the program ends soon whether one comes or not.

use crate::progress::Bars;
use anyhow::Result;
use lab::LabError;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// After so long the program ends where it is. Every write survives that: a killed run loses nothing that was finished.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Exit code of an error.
const ERROR: i32 = 2;
/// What shells take for a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Ends the program without the destructors of native libraries: a model that still computes would report an error.
pub(crate) fn end(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once. Finished work is kept, and the same command goes on.
pub(super) fn stop_flag(bars: &Bars) -> Result<Arc<AtomicBool>> {
    stop_flag_saying(
        bars,
        "stopping; finished work is kept (press Ctrl-C again to quit at once)",
    )
}

/// The same for a command that keeps nothing.
pub(super) fn discarding_stop_flag(bars: &Bars) -> Result<Arc<AtomicBool>> {
    stop_flag_saying(
        bars,
        "stopping; nothing is kept (press Ctrl-C again to quit at once)",
    )
}

fn stop_flag_saying(bars: &Bars, message: &'static str) -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (flag, bars) = (Arc::clone(&stop), bars.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // From here on, and not only once the thread runs, the signal does not end the program by itself.
    let mut signal = {
        let _guard = runtime.enter();
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            if signal.recv().await.is_none() {
                return;
            }
            flag.store(true, Ordering::Relaxed);
            bars.stop(message);
            if tokio::time::timeout(PATIENCE, signal.recv()).await.is_ok() {
                end(INTERRUPTED);
            }
            eprintln!("error: {}", LabError::Stopped);
            end(ERROR);
        });
    });
    Ok(stop)
}
