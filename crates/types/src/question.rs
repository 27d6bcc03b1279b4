//! A question, analysed once for all stages by the crate `question`.

use crate::{Filter, FilterKind, Mode, SectionKind, SourceId, SourceMeta, Span, TermStatistics, Understood};
use serde::Deserialize;
use std::collections::BTreeSet;
use text::entities::Entity;

/// Most characters of a question.
pub const MAX_QUESTION_CHARS: usize = 10_000;
/// Most characters of an answer, of a reply of a language model, and of a reference.
pub const MAX_ANSWER_CHARS: usize = 60_000;

/// Most characters of one passage in a file of answers.
pub const MAX_PASSAGE_CHARS: usize = 1_000_000;

/// # Errors
/// When a text has more than `limit` characters, as the end of a sentence about it.
pub fn check_chars(text: &str, limit: usize) -> Result<(), String> {
    // A character has at least one byte, so a short text needs no counting.
    let chars = if text.len() <= limit { 0 } else { text.chars().count() };
    if chars > limit {
        return Err(format!("has {chars} characters, more than the limit of {limit}"));
    }
    Ok(())
}

/// A question with everything that the stages need to know about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// As asked.
    pub text: String,
    /// Its unit vector; empty if none was computed.
    pub vector: Vec<f32>,
    /// The id of the embedding model whose vector it is; empty if none was computed.
    pub embedder: String,
    /// Its content terms in order, repetitions included.
    pub terms: Vec<QuestionTerm>,
    /// Other forms of some of its words, which are searched too.
    pub other_forms: Vec<OtherForm>,
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
    /// For a question about one source that is asked of every study: what it asks for.
    pub study_item: Option<StudyItem>,
    /// Which passages may answer it: the conditions that were given, and those of its words.
    pub filter: Filter,
    /// What was taken from its words.
    pub understood: Understood,
    /// Which lists retrieval uses.
    pub mode: Mode,
    /// The papers that it compares, once each of them was asked; empty for other questions.
    pub papers: Vec<ComparedPaper>,
}

/// A paper that a question compares with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedPaper {
    /// The paper.
    pub source_id: SourceId,
    /// Whether it may answer its part of the question.
    pub answers: bool,
}

impl Question {
    /// The distinct terms, in order of first occurrence.
    pub fn distinct_terms(&self) -> impl Iterator<Item = &QuestionTerm> {
        let mut seen = BTreeSet::new();
        self.terms.iter().filter(move |term| seen.insert(term.stem.as_str()))
    }

    /// Whether it asks for a section of the sources that it names, and for no topic: all its terms are names.
    pub fn asks_for_whole_sections(&self) -> bool {
        self.filter.sources.is_some() && self.filter.sections.is_some() && self.is_about_names_alone()
    }

    /// Whether it names sources and no topic.
    pub fn is_about_names_alone(&self) -> bool {
        let is_name = |term: &QuestionTerm| {
            let mut named = self.named_sources.iter();
            named.any(|source| source.text.contains(&term.word))
        };
        !self.named_sources.is_empty() && self.terms.iter().all(is_name)
    }

    /// The sources that its words compare; empty if it asks for one, or does not say which.
    pub fn compared(&self) -> &[SourceId] {
        let taken = self.kind.across && self.understood.took(FilterKind::Sources);
        let sources = self.filter.sources.as_deref().filter(|_| taken);
        sources.unwrap_or_default()
    }

    /// The other forms of the words that a term is one of.
    pub fn other_forms_of(&self, term: &QuestionTerm) -> impl Iterator<Item = &OtherForm> {
        let span = term.span;
        self.other_forms.iter().filter(move |form| form.span.contains(span))
    }

    /// Whether a text that has the stems for which `has` returns true contains a term, or another form of the words that
    /// the term is one of.
    pub fn is_found(&self, term: &QuestionTerm, has: impl Fn(&str) -> bool) -> bool {
        has(&term.stem) || self.other_forms_of(term).any(|form| form.is_found(&has))
    }

    /// Whether the question asks for a term: not for an everyday verb or adjective that no paper of the store contains,
    /// since papers say it in other words. `statistics` say how often its stems occur.
    pub fn asks_for(&self, term: &QuestionTerm, statistics: &TermStatistics) -> bool {
        !text::is_everyday(&term.word) || self.is_found(term, |stem| statistics.frequency(stem) > 0)
    }

    /// The stems of its terms, of their other forms and of its entities, sorted: a stage may need the frequency of each.
    pub fn stems(&self) -> BTreeSet<&str> {
        let entities = self.entities.iter().flat_map(|entity| &entity.stems);
        let others = self.other_forms.iter().flat_map(|form| &form.terms);
        let terms = self.terms.iter().chain(others).map(|term| &term.stem);
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

/// Another form of some words of a question: the long form of an abbreviation, or the abbreviation of these words. The
/// words need not stand in a text that contains their other form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherForm {
    /// The form, as sources write it.
    pub text: String,
    /// Byte range of the words in the question.
    pub span: Span,
    /// The distinct content terms of the form, at least one, each with `span` as its range.
    pub terms: Vec<QuestionTerm>,
    /// Whether it is the long form.
    pub is_long: bool,
}

impl OtherForm {
    /// Whether a text that has the stems for which `has` returns true contains all terms of the form.
    pub fn is_found(&self, has: impl Fn(&str) -> bool) -> bool {
        !self.terms.is_empty() && self.terms.iter().all(|term| has(&term.stem))
    }
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

/// What a reader extracts from every study, as in the tables of systematic reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StudyItem {
    /// "A randomised crossover trial".
    Design,
    /// Who or what was studied.
    Population,
    /// How many of them.
    SampleSize,
    /// What was done to them.
    Intervention,
    /// For how long.
    Duration,
    /// The primary or main outcome.
    PrimaryOutcome,
    /// What was found.
    MainResult,
    /// What its authors say it cannot show.
    Limitations,
    /// What it set out to do.
    Aim,
    /// Side effects.
    AdverseEvents,
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
