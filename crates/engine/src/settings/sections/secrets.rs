//! Settings that may hold a secret by mistake: it is refused and not repeated.

use std::path::Path;
use types::OutOfRange;

/// What may be a secret is refused without being repeated.
fn refused(field: &str, limit: &str) -> Result<(), OutOfRange> {
    Err(OutOfRange::new(field, "something else", limit))
}

/// Refuses an address that may hold a secret.
pub(super) fn address(field: &str, base_url: &str) -> Result<(), OutOfRange> {
    if base_url.contains(['@', '?', '#']) {
        let limit = "an address without user name, password or query; the key goes into api_key_env";
        return refused(field, limit);
    }
    Ok(())
}

/// Refuses what is no name of an environment variable: it may be a key.
pub(super) fn name_of_variable(field: &str, name: &str) -> Result<(), OutOfRange> {
    let digit_first = name.starts_with(|c: char| c.is_ascii_digit());
    if digit_first || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return refused(field, "the name of an environment variable, not a key");
    }
    Ok(())
}

/// Refuses what looks like a key instead of the name of its file.
pub(super) fn name_of_file(field: &str, path: &Path) -> Result<(), OutOfRange> {
    let name = path.to_string_lossy();
    let bare = !name.contains(['/', '\\', '.']);
    if bare && (name.starts_with("sk-") || name.len() > 30) {
        return refused(field, "the path of a file that contains the key, not a key");
    }
    Ok(())
}
