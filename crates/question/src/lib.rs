//! Analyses a question, once: its terms, names and language, the sources and section that it names, what it asks for.
//!
//! Place in the flow: before retrieval. [`analyse`] returns a [`types::Question`], which every stage reads;
//! [`mentions`] returns the sources of a store that it may mean, and [`names`] whether it names a given source;
//! [`asked`] and [`meant_sources`] return the filters that its words ask for, [`may_be_misspelt`] the words that may be misspelt, and
//! [`phrases`] those that may be an abbreviation or be abbreviated.
//!
//! This crate does not search, does not embed (the vector comes from the caller), and decides nothing: each stage
//! decides how to use what is found. The methods are rules: word lists for the wording, patterns for authors and years.

mod abbreviations;
mod analyse;
mod described;
mod filters;
mod parts;
mod sources;
mod spelling;
mod study;

pub use abbreviations::{Phrase, phrases, short_keys, with_abbreviations};
pub use analyse::analyse;
pub use described::{Described, Description, described};
pub use filters::{AskedFilters, AskedSubject, AskedYears, asked, speaks_of_publications};
pub use parts::parts;
pub use sources::{
    meant_sources, mentions, name_stems, named_sources, names, part_asked_for, perhaps_named, without_title,
};
pub use spelling::{may_be_misspelt, respelt, with_spellings, without_terms};
pub use study::study_item;
