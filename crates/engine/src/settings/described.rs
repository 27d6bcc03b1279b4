//! What each setting means, from the comments and attributes of its field; and the file of defaults that is made of it.

use crate::settings::{Layers, SettingsError, schema};
use std::fmt::Write as _;
use toml::Value;

/// One setting, described.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// Its section and name.
    pub key: String,
    /// What it means.
    pub text: &'static str,
    /// What is allowed, if it is a number with limits or a word out of a few.
    pub allowed: Option<String>,
    /// The default.
    pub default: Value,
    /// Whether it is one of the few that matter to most people.
    pub main: bool,
}

/// Every setting, by section.
///
/// # Errors
/// Only if a default is out of its range, which a test rules out.
pub fn described() -> Result<Vec<Described>, SettingsError> {
    let defaults = Layers::defaults()?;
    let each = schema::ALL.iter().filter_map(|setting| {
        let (default, _) = defaults.get(&setting.key)?;
        Some(Described {
            key: setting.key.clone(),
            text: &setting.text,
            allowed: setting.limit().or_else(|| defaults.words(&setting.key)),
            default: default.clone(),
            main: setting.main,
        })
    });
    Ok(each.collect())
}

/// All settings with their defaults and texts, as a file: `configs/default.toml`.
///
/// # Errors
/// As [`described`].
pub fn default_toml() -> Result<String, SettingsError> {
    let mut out = String::from(
        "# The default settings: those that scored best in our evaluation. Generated from the code. Your own file\n\
         # (--config FILE) needs only the keys that you change. Precedence, from lowest to highest: these, your file,\n\
         # environment variables (PIPELINE__SECTION__KEY=value), --set section.key=value and command-line options.\n",
    );
    let mut last = String::new();
    for setting in described()? {
        let (section, name) = setting.key.split_once('.').unwrap_or_default();
        if section != last {
            let _ = writeln!(out, "\n[{section}]");
            section.clone_into(&mut last);
        }
        let allowed = setting.allowed.map(|allowed| format!(" Allowed: {allowed}."));
        let text = format!("{}{}", setting.text, allowed.unwrap_or_default());
        for line in lines(&text) {
            let _ = writeln!(out, "# {line}");
        }
        let _ = writeln!(out, "{name} = {}", setting.default);
    }
    Ok(out)
}

/// The words in lines that fit the file.
fn lines(text: &str) -> Vec<String> {
    const WIDTH: usize = 118;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
