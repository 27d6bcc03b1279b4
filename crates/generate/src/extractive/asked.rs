//! What a question asks of the sentences of one context.

use std::collections::BTreeSet;
use text::quote::WindowTerms;
use types::{Context, GenerationInput, Question, SectionKind, SourceId, TermStatistics};

/// A question beside its context.
pub(super) struct Asked {
    /// What it is about: distinct stems in order, each with its weight; weights sum to 1 unless there are none.
    pub(super) terms: Vec<(String, f32)>,
    /// Whether it asks for a number.
    pub(super) asks_number: bool,
    /// Whether it asks for an aim or a gap, not for a finding.
    pub(super) asks_aim: bool,
    /// The section that it names, as in "in the methods of".
    pub(super) section: Option<SectionKind>,
    /// The sources of the context that it names, in order of their ids.
    pub(super) named: Vec<SourceId>,
    /// Whether it wants several sources: it names more than one, or asks across studies.
    pub(super) across: bool,
}

impl Asked {
    /// What the question asks of this context.
    pub(super) fn new(input: GenerationInput<'_>) -> Self {
        let GenerationInput {
            question, context, ..
        } = input;
        let named = named(question, context);
        Self {
            terms: weighed_terms(question, &named, context, input.statistics),
            asks_number: question.kind.number,
            asks_aim: question.kind.aim,
            section: question.section,
            across: named.len() > 1 || question.kind.across,
            named,
        }
    }

    /// What a quote should show.
    pub(super) fn wanted(&self) -> WindowTerms {
        WindowTerms {
            stems: self.terms.clone(),
            numbers: self.asks_number,
        }
    }
}

/// The sources of the context that the question names, in the order of their ids.
fn named(question: &Question, context: &Context) -> Vec<SourceId> {
    let mut named: Vec<SourceId> = Vec::new();
    let mut seen = BTreeSet::new();
    for place in &context.chunks {
        let id = &place.chunk.source_id;
        if seen.insert(id) && question::names(question, &place.source) {
            named.push(id.clone());
        }
    }
    named.sort();
    named
}

fn weighed_terms(
    question: &Question,
    named: &[SourceId],
    context: &Context,
    statistics: &TermStatistics,
) -> Vec<(String, f32)> {
    // The authors are named above the sentences of a paper, not in them; `named` handles them.
    let of_named = context
        .chunks
        .iter()
        .filter(|place| named.contains(&place.chunk.source_id));
    let names: BTreeSet<String> = of_named
        .flat_map(|place| question::name_stems(&place.source))
        .collect();
    let mut terms: Vec<(String, f32)> = Vec::new();
    let mut seen = BTreeSet::new();
    for term in &question.terms {
        let counts = !names.contains(&term.stem) && !term.after_how;
        if counts && seen.insert(term.stem.as_str()) {
            terms.push((term.stem.clone(), statistics.idf(&term.stem)));
        }
    }
    let total: f32 = terms.iter().map(|(_, weight)| weight).sum();
    // Without any weight (every term occurs in every chunk), all terms count alike.
    let even = 1.0 / terms.len().max(1) as f32;
    for (_, weight) in &mut terms {
        *weight = if total > 0.0 { *weight / total } else { even };
    }
    terms
}
