//! Real questions, papers and answers, where they are at hand: nothing panics, and a true quote stays.

use crate::common;
use crate::common::{answer, check_topic, chunk, cite, source};
use guardrail::{GuardrailSettings, TopicSettings, verify};
use support::LexicalSupport;
use testkit::{RealQuestion, each_real_question};
use types::Context;

/// Sentences of a passage.
const PASSAGE: usize = 12;

#[test]
fn true_quotes_of_real_papers_stay() {
    let settings = GuardrailSettings::default();
    let corpus = common::Corpus::new(&[], 0.5);
    let mut flagged = 0;
    let asked = each_real_question(|RealQuestion { question, paper, answer: at }| {
        let spans = text::sentences(paper);
        let gold = spans.partition_point(|s| s.end <= at);
        let first = gold.saturating_sub(PASSAGE / 2);
        let part: Vec<&str> =
            spans[first..spans.len().min(first + PASSAGE)].iter().map(|s| &paper[s.clone()]).collect();
        let meta = source("paper_2020", "A paper", &["Ada Orvella"], Some(2020));
        let context = Context { chunks: vec![chunk(&meta, 0, &part)] };
        check_topic(question, &[1.0], &context, &corpus, &TopicSettings::default());
        // The sentence of the answer as an extractive answer would give it. One that reads as a mark cannot be
        // cited, and one without letters holds nothing to look for.
        let sentence = &paper[spans[gold].clone()];
        if !support::marks(sentence).is_empty() || text::terms(sentence).is_empty() {
            return;
        }
        let id = context.chunks[0].chunk.chunk_id.clone();
        let said = format!("{sentence} (paper_2020, {id})");
        let guarded = verify(
            question,
            answer(&said, vec![cite("paper_2020", id.as_str(), sentence)]),
            &context,
            &settings,
            &LexicalSupport::new(),
        );
        assert!(!guarded.response.no_evidence, "{said:?}: {:?}", guarded.actions);
        assert_eq!(guarded.response.citations.len(), 1, "{said:?}: {:?}", guarded.actions);
        flagged += usize::from(guarded.actions.iter().any(|a| a.action == "flagged"));
    });
    let Some(asked) = asked else { return };
    println!("{asked} questions, {flagged} verbatim answers flagged");
    assert!(50 * flagged <= asked, "{flagged} of {asked} verbatim answers were flagged");
}
