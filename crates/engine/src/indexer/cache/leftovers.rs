//! What killed runs and older versions left in an index folder.

use std::{fs, io, path::Path};
use types::files::TEMPORARY;

/// Removes the half-written files that killed runs left in an index folder, and the caches of versions that had other ones;
/// returns their bytes. The caller holds the lock of the index: nobody else writes there.
///
/// # Errors
/// When a file cannot be removed.
pub(crate) fn clear_leftovers(index: &Path) -> io::Result<u64> {
    let is_pack = |name: &str| name.strip_suffix(".pack").is_some_and(|number| number.parse::<u32>().is_ok());
    let is_list = |name: &str| ["failed.json", "readings.json"].contains(&name);
    let mut freed = clear(index, |name| is_half_written(name) || is_list(name))?;
    for folder in ["cache/documents", "cache/vectors", "cache"].map(|name| index.join(name)) {
        freed += clear(&folder, is_pack)?;
        // It stays while there is a file that is not ours.
        let _ = fs::remove_dir(folder);
    }
    Ok(freed)
}

fn clear(folder: &Path, goes: impl Fn(&str) -> bool) -> io::Result<u64> {
    let mut freed = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let meta = fs::symlink_metadata(entry.path())?;
        if meta.is_file() && goes(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
            freed += meta.len();
        }
    }
    Ok(freed)
}

/// Whether a file of this name is being written, or was when a run was killed.
fn is_half_written(name: &str) -> bool {
    let random = name.strip_prefix(TEMPORARY);
    random.is_some_and(|random| random.len() == 6 && random.bytes().all(|b| b.is_ascii_alphanumeric()))
}
