//! What our reader made of a PDF, in the form in which it is compared.

use super::fold::{letters, soft, strict};
use types::Document;

/// A document ready to be compared. A PDF that gave none is [`Ours::default`]: all of the truth is missed.
#[derive(Debug, Default)]
pub(super) struct Ours {
    pub(super) title: String,
    pub(super) authors: Vec<String>,
    pub(super) year: Option<u16>,
    pub(super) doi: String,
    /// In reading order.
    pub(super) sections: Vec<Section>,
}

/// A section.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// As printed; empty for text before the first heading.
    pub(super) heading: String,
    /// Its strict form.
    pub(super) strict: String,
    /// Its soft form.
    pub(super) soft: String,
    /// Whether its text is indexed.
    pub(super) indexed: bool,
    /// Its text, captions and tables included, folded to letters.
    pub(super) letters: String,
}

impl From<&Document> for Ours {
    fn from(document: &Document) -> Self {
        let meta = &document.meta;
        let section = |s: &types::Section| Section {
            heading: s.heading.clone(),
            strict: strict(&s.heading),
            soft: soft(&s.heading),
            indexed: s.name.indexed(),
            letters: letters(document.section_text(s)),
        };
        Self {
            title: meta.title.clone().unwrap_or_default(),
            authors: meta.authors.clone(),
            year: meta.year,
            doi: meta.doi.clone().unwrap_or_default().to_lowercase(),
            sections: document.sections.iter().map(section).collect(),
        }
    }
}
