//! Names of sources and chunks.

use crate::SectionKind;
use deunicode::deunicode_char;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a name that is already in its final form.
            pub fn new(name: impl Into<String>) -> Self {
                Self(name.into())
            }
            /// The name itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.to_owned())
            }
        }
        impl From<String> for $name {
            fn from(name: String) -> Self {
                Self(name)
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

text_id! {
    /// One paper: the slug of its file's stem, runs of `_` collapsed, so that `__` only ever separates the
    /// parts of a [`ChunkId`].
    SourceId
}
text_id! {
    /// One chunk: `source__section__NNN`, NNN counting per source and normalised section.
    ChunkId
}

impl SourceId {
    /// The id of a file stem: lower case, letters and digits of other scripts in Latin ones, every run of other characters
    /// than letters, digits, `-` and `.` becomes one `_`, none at either end; `paper` when nothing is left. It does not
    /// depend on how the accents of the stem are encoded.
    pub fn from_stem(stem: &str) -> Self {
        let mut out = String::with_capacity(stem.len());
        let mut push = |c: char| {
            if c.is_ascii_alphanumeric() || c == '-' || c == '.' {
                out.push(c.to_ascii_lowercase());
            } else if !out.ends_with('_') {
                out.push('_');
            }
        };
        for c in stem.nfc().filter(|c| !is_combining_mark(*c) || c.is_alphabetic()) {
            if c.is_ascii() || !c.is_alphanumeric() {
                push(c);
                continue;
            }
            let latin = deunicode_char(c).unwrap_or(" ").chars();
            latin.filter(|c| c.is_ascii_alphanumeric() || *c == ' ').for_each(&mut push);
        }
        let trimmed = out.trim_matches('_');
        Self(if trimmed.is_empty() { "paper".to_owned() } else { trimmed.to_owned() })
    }
}

impl SourceId {
    /// Which of these ids is meant: the same one, else the only one that differs in case alone.
    pub fn meant<'a>(&self, ids: impl Iterator<Item = &'a Self>) -> Option<&'a Self> {
        let lower = self.0.to_lowercase();
        let alike: Vec<&Self> = ids.filter(|id| id.0.to_lowercase() == lower).collect();
        let same = alike.iter().find(|id| **id == self);
        same.or(alike.first().filter(|_| alike.len() == 1)).copied()
    }
}

impl ChunkId {
    /// `source__section__NNN` with `number` padded to three digits.
    pub fn from_parts(source: &SourceId, section: SectionKind, number: usize) -> Self {
        Self(format!("{source}__{section}__{number:03}"))
    }
    /// The source's part of a well-formed id.
    pub fn source(&self) -> Option<SourceId> {
        let (rest, _number) = self.0.rsplit_once("__")?;
        let (source, _section) = rest.rsplit_once("__")?;
        Some(SourceId::from(source))
    }
    /// The `section__NNN` part of a well-formed id.
    pub fn suffix(&self) -> Option<&str> {
        let at = self.0.rfind("__")?;
        let start = self.0[..at].rfind("__")? + 2;
        Some(&self.0[start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_become_slugs() {
        let check = |stem: &str, want: &str| assert_eq!(SourceId::from_stem(stem).as_str(), want, "{stem}");
        check("Barry 2014", "barry_2014");
        check("__Barry___2014__", "barry_2014");
        check("name with spaces ünï☃ (1)", "name_with_spaces_uni_1");
        check("O'Neil_2020-2.v1", "o_neil_2020-2.v1");
        for stem in ["Núñez_2015_sueño", "Nu\u{301}n\u{303}ez_2015_suen\u{303}o"] {
            check(stem, "nunez_2015_sueno");
        }
        check("论文一", "lun_wen_yi");
        check("Статья №2", "statia_2");
        check("Μελέτη ύπνου", "melete_upnou");
        check("研究のレビュー", "yan_jiu_norebiyu");
        check("Größe – m²", "grosse_m2");
        check("مقالة", "mql");
        check("2310.06825v1", "2310.06825v1");
        check("☃", "paper");
    }

    #[test]
    fn ids_are_meant_in_any_case() {
        let ids: Vec<SourceId> = ["smith_2020", "MED-1", "med-1", "é"].map(SourceId::from).into();
        let check = |given: &str, want: Option<&str>| {
            assert_eq!(SourceId::from(given).meant(ids.iter()).map(SourceId::as_str), want, "{given}");
        };
        check("SMITH_2020", Some("smith_2020"));
        check("MED-1", Some("MED-1"));
        check("med-1", Some("med-1"));
        check("Med-1", None);
        check("É", Some("é"));
        check("smith", None);
    }

    #[test]
    fn chunk_ids_split_into_their_parts() {
        let id = ChunkId::from_parts(&SourceId::from("barry_2014"), SectionKind::Methods, 7);
        assert_eq!(id.as_str(), "barry_2014__methods__007");
        assert_eq!(id.source(), Some(SourceId::from("barry_2014")));
        assert_eq!(id.suffix(), Some("methods__007"));
        assert_eq!(ChunkId::from("nonsense").source(), None);
    }
}
