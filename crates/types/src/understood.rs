//! What was taken from the words of a question: filters, spellings and abbreviations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What was taken from the words of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Understood {
    /// The filters, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<TakenFilter>,
    /// The words that the store does not hold, with those that were searched instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spellings: Vec<Spelling>,
    /// The abbreviations and long forms, with the other forms that were searched too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abbreviations: Vec<Abbreviated>,
}

impl Understood {
    /// Whether nothing was taken.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a kind of filter was taken.
    pub fn took(&self, kind: FilterKind) -> bool {
        self.filters.iter().any(|filter| filter.kind == kind)
    }
}

/// A kind of filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FilterKind {
    /// [`crate::Filter::year_from`] and [`crate::Filter::year_to`].
    Year,
    /// [`crate::Filter::tags`].
    Subjects,
    /// [`crate::Filter::sources`].
    Sources,
    /// [`crate::Filter::sections`].
    Sections,
}

/// A filter that was taken from the words of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenFilter {
    /// Which conditions it set.
    pub kind: FilterKind,
    /// The words, as in the question; of a paper that it describes, what tells it from others.
    pub words: String,
}

/// A word that the store does not hold, and what was searched instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Spelling {
    /// As in the question.
    pub word: String,
    /// Words of the store that are spelt like it, the most likely first; at least one.
    pub also: Vec<String>,
}

/// `"increase", "increased" (for "increse")`.
impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_also(f, &self.also, &self.word)
    }
}

/// Words of a question that sources abbreviate, or an abbreviation that they define, and the other form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Abbreviated {
    /// As in the question.
    pub words: String,
    /// What was searched too, as sources write it; at least one.
    pub also: Vec<String>,
}

/// `"grey matter volume" (for "GMV")`.
impl fmt::Display for Abbreviated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_also(f, &self.also, &self.words)
    }
}

fn write_also(f: &mut fmt::Formatter<'_>, also: &[String], words: &str) -> fmt::Result {
    let also: Vec<String> = also.iter().map(|word| format!("\"{word}\"")).collect();
    write!(f, "{} (for \"{words}\")", also.join(", "))
}

/// An abbreviation that sources of a store define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abbreviation {
    /// The short form, as most of these sources write it.
    pub short: String,
    /// The long form, as most of them write it.
    pub long: String,
    /// Number of sources that define one as the other, in any spelling with the same keys (`text::definitions::key`); at
    /// least 1.
    pub sources: usize,
}

/// A word of a store that is spelt like another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The word, in lower case, unstemmed.
    pub word: String,
    /// Edits between the two: insertions, deletions, substitutions, and swaps of neighbouring letters; at least 1.
    pub distance: usize,
    /// Number of chunks whose text contains it, at least 1.
    pub chunks: usize,
    /// Whether it is a stop word.
    pub is_stop_word: bool,
}
