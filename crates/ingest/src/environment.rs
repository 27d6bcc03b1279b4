//! The environment of programs that read foreign files.

use std::process::Command;

/// Leaves of this program's environment only what a worker and `tesseract` need: where programs, libraries and language data
/// are, where temporary files go, and the language. Anything else may be a key or a password, which hostile bytes must
/// not find in the process that reads them. `LD_LIBRARY_PATH` stays, since on some systems no library is found without it;
/// `LD_PRELOAD` goes: nothing is needed that it loads.
pub(crate) fn clear(command: &mut Command) -> &mut Command {
    let kept = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept));
    command.env_clear().envs(kept)
}

fn is_kept(name: &str) -> bool {
    let needed = [
        "PATH",
        "LD_LIBRARY_PATH",
        "TESSDATA_PREFIX",
        "TMPDIR",
        "LANG",
        "LANGUAGE",
    ];
    // Tests break a worker through this variable.
    let fault = cfg!(debug_assertions) && name == "INGEST_WORKER_FAULT";
    needed.contains(&name) || name.starts_with("LC_") || fault
}
