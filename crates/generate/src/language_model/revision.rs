//! An answer and the corrections of some of its sentences as one answer.

use super::marks::{names, unmarked};
use types::RagResponse;

/// `answer` with the sentences of `revised` that it lacks in place of those that `problems` begin with; the first correction
/// stands in place of the first. A sentence without a correction is left out. A model may repeat the sentences that nobody
/// objected to. If no sentence is left, what the model returned.
pub(super) fn merged(answer: &RagResponse, revised: RagResponse, problems: &[String]) -> RagResponse {
    /// Letters that tell a sentence: a problem may name only the beginning of a long one.
    const TELLING: usize = 60;
    if revised.refusal.is_some() {
        return revised;
    }
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let start = |bare: &str| bare.chars().take(TELLING).collect::<String>();
    let sentences = |of: &RagResponse| -> Vec<(String, String)> {
        let all = text::sentences(&of.answer).into_iter();
        all.map(|range| of.answer[range].trim().to_owned())
            .map(|sentence| (letters(&unmarked(&sentence, &of.citations)), sentence))
            .filter(|(bare, _)| !bare.is_empty())
            .collect()
    };
    let problems: Vec<String> = problems.iter().map(|problem| letters(problem)).collect();
    let before = sentences(answer);
    let is_new = |(bare, _): &(String, String)| before.iter().all(|(known, _)| known != bare);
    let mut corrections = sentences(&revised).into_iter().filter(is_new).map(|(_, sentence)| sentence);
    if revised.no_evidence {
        corrections.by_ref().for_each(drop);
    }
    let mut kept = Vec::new();
    for (bare, sentence) in &before {
        if problems.iter().any(|problem| problem.starts_with(&start(bare))) {
            kept.extend(corrections.next());
        } else {
            kept.push(sentence.clone());
        }
    }
    if kept.is_empty() {
        return revised;
    }
    let text = kept.join(" ");
    let mut merged = RagResponse {
        answer: text,
        citations: answer.citations.clone(),
        confidence: revised.confidence.min(answer.confidence),
        ..answer.clone()
    };
    for citation in revised.citations {
        if !merged.citations.contains(&citation) {
            merged.citations.push(citation);
        }
    }
    merged.citations.retain(|citation| names(&merged.answer, &citation.chunk_id));
    for caveat in revised.caveats {
        if !merged.caveats.contains(&caveat) {
            merged.caveats.push(caveat);
        }
    }
    merged
}
