//! A question, analysed once for all stages by the crate `question`.

use crate::{Filter, Mode, SectionKind, SourceMeta, Span, Understood};
use std::collections::BTreeSet;
use text::entities::Entity;

/// A question with everything that the stages need to know about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// As asked.
    pub text: String,
    /// Its unit vector; empty if none was computed.
    pub vector: Vec<f32>,
    /// Its content terms in order, repetitions included.
    pub terms: Vec<QuestionTerm>,
    /// Its entities: symbols and names, but not numbers.
    pub entities: Vec<QuestionEntity>,
    /// ISO 639 code of its language: `en` unless it is clearly in another one, `None` if that one is unknown.
    pub language: Option<&'static str>,
    /// Its words, to match names of authors.
    pub words: Vec<QuestionWord>,
    /// The text folded (`text::fold`), to match titles and source ids.
    pub folded: String,
    /// The sources that it names by author and perhaps year, each once, in order.
    pub named_sources: Vec<NamedSource>,
    /// What it asks for.
    pub kind: QuestionKind,
    /// The section that it names, as in "in the methods of".
    pub section: Option<SectionKind>,
    /// Which passages may answer it: the conditions that were given, and those of its words.
    pub filter: Filter,
    /// What was taken from its words.
    pub understood: Understood,
    /// Which lists retrieval uses.
    pub mode: Mode,
}

impl Question {
    /// The distinct terms, in order of first occurrence.
    pub fn distinct_terms(&self) -> impl Iterator<Item = &QuestionTerm> {
        let mut seen = BTreeSet::new();
        self.terms
            .iter()
            .filter(move |term| seen.insert(term.stem.as_str()))
    }

    /// The stems of its terms and entities, sorted: a stage may need the frequency of each.
    pub fn stems(&self) -> BTreeSet<&str> {
        let entities = self.entities.iter().flat_map(|entity| &entity.stems);
        let terms = self.terms.iter().map(|term| &term.stem);
        terms.chain(entities).map(String::as_str).collect()
    }

    /// Whether the question is clearly not in English, the language of stop words and stems.
    pub fn other_language(&self) -> bool {
        self.language != Some("en")
    }
}

/// A content term of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionTerm {
    /// Its stem, as `text::terms` computes it.
    pub stem: String,
    /// The word as written.
    pub word: String,
    /// Its byte range in the question. Terms with the same range are spellings of one word.
    pub span: Span,
    /// Whether it follows "how": "how long" asks for a number, and an answer need not contain "long".
    pub after_how: bool,
}

/// A symbol or a name in a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionEntity {
    /// The entity.
    pub entity: Entity,
    /// The stems of the entity's text alone.
    pub stems: Vec<String>,
}

/// A word of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionWord {
    /// Folded, without a possessive ending.
    pub folded: String,
    /// Whether it begins with a capital letter.
    pub capital: bool,
    /// Whether it had a possessive ending.
    pub possessive: bool,
}

/// What a question asks for, judged by its wording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuestionKind {
    /// A number.
    pub number: bool,
    /// The aim of a study or a gap in knowledge, not a finding.
    pub aim: bool,
    /// Several sources: it asks across studies, or compares.
    pub across: bool,
}

/// A source as a question names it: "Zhang et al. 2021".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSource {
    /// As written in the question.
    pub text: String,
    /// The surnames, one or two.
    pub surnames: Vec<String>,
    /// The year, if one is given.
    pub year: Option<u16>,
}

/// Title, venue, authors and year of a source as one text: what is known about it besides its chunks.
pub fn metadata_text(meta: &SourceMeta) -> String {
    let mut parts: Vec<String> = meta.title.iter().chain(&meta.venue).cloned().collect();
    parts.extend(meta.authors.iter().cloned());
    parts.extend(meta.year.map(|y| y.to_string()));
    parts.join(". ")
}
