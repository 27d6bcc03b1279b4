//! Real questions over real papers, where they are at hand: every answer keeps its promises.

use crate::{
    corpus::{Corpus, vector},
    promise::ask_fitted,
};
use testkit::{RealQuestion, each_real_question};
use types::{SectionKind, Span};

/// Sentences of a passage.
const PASSAGE: usize = 12;

#[test]
fn questions_over_unseen_papers_are_answered_or_refused() {
    let mut answered = 0;
    let asked = each_real_question(|RealQuestion { question, paper, answer }| {
        let spans = text::sentences(paper);
        let gold = spans.partition_point(|s| s.end <= answer);
        let mut corpus = Corpus::default();
        for first in [gold.saturating_sub(PASSAGE / 2), 0] {
            let part = &spans[first..spans.len().min(first + PASSAGE)];
            let (start, end) = (part[0].start, part[part.len() - 1].end);
            let inner: Vec<Span> = part.iter().map(|s| Span::new(s.start - start, s.end - start)).collect();
            corpus.add_text(
                "paper_2020",
                SectionKind::Body,
                first as u32,
                paper[start..end].to_owned(),
                &inner,
            );
        }
        answered += usize::from(!ask_fitted(&corpus, question, &vector(question)).no_evidence);
    });
    let Some(asked) = asked else { return };
    println!("{answered} of {asked} questions answered");
    assert!(2 * answered > asked, "the passage of the answer was in every context");
}
