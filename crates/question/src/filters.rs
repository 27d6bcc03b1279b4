//! Which filters the wording of a question asks for.
//!
//! A year, or a word such as "recent", filters only where it modifies publications ("studies from 2020", "recent
//! papers"): in "patients recruited in 2012" or "the 2009 pandemic" it is part of the topic. The same holds for
//! subjects. The rules are about word classes and their order; where a phrase can be read in two ways, nothing is set.

mod publications;
mod subjects;
mod time;
mod tokens;
mod years;

pub use publications::speaks_of_publications;

use tokens::Tokens;
use types::Span;

/// What the wording of a question asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskedFilters {
    /// Years of publication.
    pub years: Option<AskedYears>,
    /// Tags of the collection; empty if none is asked for.
    pub subjects: Vec<AskedSubject>,
}

/// Years of publication, at least one bound of which is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedYears {
    /// Published in this year or later.
    pub from: Option<u16>,
    /// Published in this year or earlier.
    pub to: Option<u16>,
    /// The words that say so, in bytes of the question.
    pub span: Span,
}

/// A subject of the collection that a question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedSubject {
    /// The tags that it names, as the collection writes them: several where they differ only in case.
    pub tags: Vec<String>,
    /// The words, in bytes of the question.
    pub span: Span,
}

/// Finds the filters that a question asks for. `this_year` is what "last year" is relative to; `tags` are those of the
/// collection.
pub fn asked(query: &str, this_year: u16, tags: &[String]) -> AskedFilters {
    let tokens = Tokens::new(query, tags);
    AskedFilters { years: years::find(&tokens, this_year), subjects: subjects::find(&tokens, tags) }
}
