//! What each setting means and what it is by default, read from the comments of `configs/default.toml`: the one place
//! where settings are explained.

use crate::{DEFAULT_TOML, Layers, SettingsError};
use std::collections::BTreeMap;

/// One setting, explained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// The comment above the key, on one line. Keys below one comment share it.
    pub text: String,
    /// The default, as TOML.
    pub default: String,
}

/// Every setting by `section.key`.
///
/// # Errors
/// Only if the compiled-in defaults cannot be read.
pub fn explained() -> Result<BTreeMap<String, Explained>, SettingsError> {
    let texts = comments(DEFAULT_TOML);
    let defaults = Layers::defaults()?;
    let each = defaults.entries().map(|(key, value, _)| {
        let text = texts.get(key).cloned().unwrap_or_default();
        let default = value.to_string();
        (key.to_owned(), Explained { text, default })
    });
    Ok(each.collect())
}

/// The comment of each key. A blank line and the head of a section end a comment; a key without a comment of its own,
/// right below another key, has that key's.
fn comments(toml: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut section = "";
    let mut comment: Vec<&str> = Vec::new();
    let mut is_used = false;
    for line in toml.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix('#') {
            if is_used {
                comment.clear();
                is_used = false;
            }
            comment.push(text.trim());
        } else if let Some(head) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = head;
            comment.clear();
        } else if let Some((key, _)) = line.split_once('=') {
            out.insert(format!("{section}.{}", key.trim()), comment.join(" "));
            is_used = true;
        } else if line.is_empty() {
            comment.clear();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_the_keys_below_them() {
        let found = comments(
            "# File.\n\n[a]\n# One,\n# two.\nx = 1\ny = 2\n# Three.\nz = 3\n\nw = 4\n[b]\n# Four.\nx = [\"=\"]\n",
        );
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(key, text)| (key.as_str(), text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("a.w", ""),
                ("a.x", "One, two."),
                ("a.y", "One, two."),
                ("a.z", "Three."),
                ("b.x", "Four.")
            ]
        );
    }

    #[test]
    fn every_setting_is_explained() {
        let all = explained().expect("the defaults are valid");
        assert!(all.len() > 100, "{}", all.len());
        for (key, found) in &all {
            assert!(found.text.len() > 10, "{key}: {:?}", found.text);
            assert!(!found.default.is_empty(), "{key}");
        }
        assert_eq!(all["rerank.keep"].default, "6");
    }
}
