//! What a question asks of the sentences of one context.

use std::collections::BTreeSet;
use types::{Context, Question, SectionKind, SourceId, Span, TermStatistics};

/// A term of a question, in all spellings that count as it.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedTerm {
    /// Its stems; a sentence that contains one of them contains the term.
    pub stems: Vec<String>,
    /// Other forms of its words, each given by its stems, all of which a sentence needs.
    pub other_forms: Vec<Vec<String>>,
    /// Its share of the question, by rarity; the weights of all terms sum to 1.
    pub weight: f32,
}

impl AskedTerm {
    /// Whether a text with these stems contains the term, or another form of its words.
    pub fn is_in(&self, stems: &BTreeSet<String>) -> bool {
        let whole = |form: &Vec<String>| !form.is_empty() && form.iter().all(|stem| stems.contains(stem));
        self.stems.iter().any(|stem| stems.contains(stem)) || self.other_forms.iter().any(whole)
    }
}

/// A question beside its context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskedTerms {
    /// What it is about, in the order of the question.
    pub terms: Vec<AskedTerm>,
    /// Whether it asks for a number.
    pub number: bool,
    /// Whether it asks for an aim or a gap, not for a finding.
    pub aim: bool,
    /// The section that it names, as in "in the methods of".
    pub section: Option<SectionKind>,
    /// The sources of the context that it names, in the order of their ids.
    pub named: Vec<SourceId>,
    /// Whether it asks for several sources: it names more than one, or asks across studies.
    pub across: bool,
}

impl AskedTerms {
    /// What the question asks of this context. `statistics` say how often its stems occur in the store.
    pub fn new(question: &Question, context: &Context, statistics: &TermStatistics) -> Self {
        let named = named(question, context);
        Self {
            terms: terms(question, &named, context, statistics),
            number: question.kind.number,
            aim: question.kind.aim,
            section: question.section,
            across: named.len() > 1 || question.kind.across,
            named,
        }
    }

    /// The share of the question, by rarity, that these stems cover, 0 to 1.
    pub fn coverage(&self, stems: &BTreeSet<String>) -> f32 {
        self.share(|term| term.is_in(stems))
    }

    /// The share of the question, by rarity, of the terms for which `holds` is true, 0 to 1.
    pub(crate) fn share(&self, holds: impl Fn(&AskedTerm) -> bool) -> f32 {
        let held = self.terms.iter().filter(|term| holds(term));
        // An empty sum of floats is -0.
        held.map(|term| term.weight).fold(0.0, |sum, weight| sum + weight)
    }
}

/// The sources of the context that the question names or describes, in the order of their ids.
fn named(question: &Question, context: &Context) -> Vec<SourceId> {
    let mut named: Vec<SourceId> = Vec::new();
    let mut seen = BTreeSet::new();
    for place in &context.chunks {
        let id = &place.chunk.source_id;
        if seen.insert(id) && (question.compared().contains(id) || question::names(question, &place.source)) {
            named.push(id.clone());
        }
    }
    named.sort();
    named
}

fn terms(
    question: &Question,
    named: &[SourceId],
    context: &Context,
    statistics: &TermStatistics,
) -> Vec<AskedTerm> {
    // The authors are named above the sentences of a paper, not in them; `named` handles them.
    let of_named = context.chunks.iter().filter(|place| named.contains(&place.chunk.source_id));
    let names: BTreeSet<String> = of_named.flat_map(|place| question::name_stems(&place.source)).collect();
    let mut terms: Vec<(Span, AskedTerm)> = Vec::new();
    let mut seen = BTreeSet::new();
    for term in &question.terms {
        if !question.asks_for(term, statistics)
            || names.contains(&term.stem)
            || term.after_how
            || !seen.insert(term.stem.as_str())
        {
            continue;
        }
        let weight = statistics.idf(&term.stem);
        // Terms with the same span are spellings of one word.
        if let Some((_, same)) = terms.iter_mut().find(|(span, _)| *span == term.span) {
            same.stems.push(term.stem.clone());
            same.weight = same.weight.min(weight);
        } else {
            let of = |form: &types::OtherForm| form.terms.iter().map(|term| term.stem.clone()).collect();
            let term_of = AskedTerm {
                stems: vec![term.stem.clone()],
                other_forms: question.other_forms_of(term).map(of).collect(),
                weight,
            };
            terms.push((term.span, term_of));
        }
    }
    let total: f32 = terms.iter().map(|(_, term)| term.weight).sum();
    // Without any weight (every term occurs in every chunk), all terms count alike.
    let even = 1.0 / terms.len().max(1) as f32;
    let shared = |mut term: AskedTerm| {
        term.weight = if total > 0.0 { term.weight / total } else { even };
        term
    };
    terms.into_iter().map(|(_, term)| shared(term)).collect()
}
