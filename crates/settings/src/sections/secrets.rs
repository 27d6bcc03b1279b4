//! Settings that may hold a secret by mistake: it is refused and not repeated.

use std::path::Path;

/// What may be a secret is refused without being repeated.
type Secret = Result<(), (&'static str, &'static str)>;

/// Refuses an address that may hold a secret.
pub(super) fn address(base_url: &str) -> Secret {
    if base_url.contains(['@', '?', '#']) {
        let limit = "an address without user name, password or query; the key goes into api_key_env";
        return Err(("something else", limit));
    }
    Ok(())
}

/// Refuses what is no name of an environment variable: it may be a key.
pub(super) fn name_of_variable(name: &str) -> Secret {
    let digit_first = name.starts_with(|c: char| c.is_ascii_digit());
    if digit_first || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(("something else", "the name of an environment variable, not a key"));
    }
    Ok(())
}

/// Refuses what looks like a key instead of the name of its file.
pub(super) fn name_of_file(path: &Path) -> Secret {
    let name = path.to_string_lossy();
    let bare = !name.contains(['/', '\\', '.']);
    if bare && (name.starts_with("sk-") || name.len() > 30) {
        return Err(("something else", "the path of a file that contains the key, not a key"));
    }
    Ok(())
}
