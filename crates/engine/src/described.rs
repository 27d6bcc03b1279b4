//! The papers that a question describes, by their titles and abstracts.

use crate::{Pipeline, error::EngineError};
use question::Description;
use std::collections::BTreeSet;
use text::WordList;
use types::{Question, QuestionTerm, Retrieval, SectionKind, SourceId, SourceMeta};

/// What a word of a description counts that only the abstract holds; one in the title counts 1.
const IN_ABSTRACT: f32 = 0.6;
/// What the noun of a description counts if the title holds it.
const KIND: f32 = 0.1;
/// What a title loses that says that it is a review where the description is of a trial or a study.
const OTHER_KIND: f32 = 0.3;
/// Share of a description that its paper holds at least.
const LEAST: f32 = 0.3;

/// What the title of a paper holds that reports what others found.
const REVIEWS: [&str; 3] = ["review", "overview", "meta-analysis"];
/// Nouns of papers that report what they found themselves.
static OWN: WordList = WordList::new("cohort cohorts studies study trial trials");

impl Pipeline {
    /// The paper that fits each description best, with the description, and the descriptions that no paper fits. No paper is
    /// there twice. Only papers that the question's filter admits.
    ///
    /// # Errors
    /// When the store or the embedding model fails.
    pub(crate) async fn papers_described(
        &self,
        question: &Question,
        described: &[Description],
    ) -> Result<(Vec<(SourceId, String)>, Vec<String>), EngineError> {
        let mut abstracts = question.filter.clone();
        abstracts.sections = Some(vec![SectionKind::Abstract]);
        let (mut out, mut unknown): (Vec<(SourceId, String)>, _) = (Vec::new(), Vec::new());
        for Description { kind, words } in described {
            let text = format!("{words} {kind}");
            let mut paper = None;
            // A paper without an abstract is found by its title.
            for filter in [&abstracts, &question.filter] {
                if paper.is_some() {
                    break;
                }
                let (asked, _) = self.analyse(&text, question.mode, filter).await?;
                let found = self.store.retrieve(&asked, self.plan()).await?.retrieval;
                let new = |id: &SourceId| out.iter().all(|(other, _)| other != id);
                paper = fitting(&asked, kind, &found, new);
            }
            match paper {
                Some(paper) => out.push((paper, text)),
                None => unknown.push(text),
            }
        }
        Ok((out, unknown))
    }
}

/// The paper of the hits that holds most of a description, the first of those that hold the same.
fn fitting(
    asked: &Question,
    kind: &str,
    found: &Retrieval,
    new: impl Fn(&SourceId) -> bool,
) -> Option<SourceId> {
    let own = OWN.contains(kind);
    let kind = text::stem(kind);
    let mut papers: Vec<(&SourceMeta, BTreeSet<String>)> = Vec::new();
    for hit in found.hits.iter().filter(|hit| new(&hit.chunk().source_id)) {
        let is_abstract = hit.chunk().section == SectionKind::Abstract;
        let stems = text::stems(if is_abstract { &hit.chunk().text } else { "" });
        match papers.iter_mut().find(|(meta, _)| meta.source_id == hit.chunk().source_id) {
            Some((_, held)) => held.extend(stems),
            None => papers.push((&hit.passage.source, stems)),
        }
    }
    let terms: Vec<_> = asked.distinct_terms().filter(|term| term.stem != kind).collect();
    let weight = |term: &&QuestionTerm| found.statistics.idf(&term.stem);
    let all: f32 = terms.iter().map(weight).sum();
    let mut best: Option<(f32, &SourceMeta)> = None;
    for (meta, held) in &papers {
        let title = meta.title.as_deref().unwrap_or_default().to_lowercase();
        let is_review = REVIEWS.iter().any(|noun| title.contains(noun));
        let title = text::stems(&title);
        let of_term = |term: &&QuestionTerm| {
            let share = if asked.is_found(term, |stem| title.contains(stem)) {
                1.0
            } else if asked.is_found(term, |stem| held.contains(stem)) {
                IN_ABSTRACT
            } else {
                0.0
            };
            share * weight(term)
        };
        let of_kind = if title.contains(&kind) { KIND } else { 0.0 };
        let share = terms.iter().map(of_term).sum::<f32>() / all.max(f32::EPSILON);
        let score = share + of_kind - if own && is_review { OTHER_KIND } else { 0.0 };
        if share >= LEAST && best.is_none_or(|(other, _)| score > other) {
            best = Some((score, meta));
        }
    }
    best.map(|(_, meta)| meta.source_id.clone())
}
