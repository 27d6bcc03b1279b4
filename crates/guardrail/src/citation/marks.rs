//! Inline marks say what the citations say.

use super::{CitationOutcome, locate};
use crate::{
    GuardrailSettings, Verification,
    action_log::{ActionLog, short},
    inline::{Edit, rewrite},
    sentences::sentences,
};
use evidence::support::{Mark, strip_marks};
use std::collections::{BTreeMap, BTreeSet};
use types::{ChunkId, Context, ContextChunk, GuardrailKind, RagResponse};

/// Rewrites the marks of the answer: a mark follows the citation that it belongs to; one that belongs to no
/// citation stays where the context holds its chunk, and goes where it does not. A sentence that loses all
/// its marks is flagged.
pub(super) fn update(
    response: &mut RagResponse,
    outcomes: &[CitationOutcome],
    context: &Context,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    const NESTED: usize = 8;
    rewrite_once(response, outcomes, context, settings, log);
    // A mark inside brackets can leave another one when it goes: `(a (b, b__x__1), a__x__1)`. Such a mark
    // belongs to no citation: the ids that citations were written with are dealt with.
    for _ in 0..NESTED {
        let before = response.answer.clone();
        rewrite_once(response, &[], context, settings, log);
        if response.answer == before {
            break;
        }
    }
}

fn rewrite_once(
    response: &mut RagResponse,
    outcomes: &[CitationOutcome],
    context: &Context,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    let outcomes = OutcomesById::new(outcomes);
    let answer = std::mem::take(&mut response.answer);
    let spans = sentences(&answer);
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    let mut bare: BTreeSet<usize> = BTreeSet::new();
    response.answer = rewrite(&answer, |mark| {
        let sentence = spans.partition_point(|s| s.end <= mark.span.start);
        let around = spans.get(sentence).map_or("", |s| &answer[s.clone()]);
        let of_no_citation = outcomes.of(mark).is_empty();
        let was = || format!("({}, {})", mark.source, mark.chunk);
        let Some(chunk) = outcomes.target(mark, around, context, settings) else {
            bare.insert(sentence);
            if of_no_citation {
                let reason = "no such passage was found";
                let caveat = format!("The citation mark {} was removed: {reason}.", short(&was()));
                log.note(GuardrailKind::Citation, "dropped", was(), reason, caveat);
            }
            return Edit::Drop;
        };
        kept.insert(sentence);
        let (source, id) = (&chunk.chunk.source_id, &chunk.chunk.chunk_id);
        if mark.source.trim() == source.as_str() && mark.chunk.trim() == id.as_str() {
            return Edit::Keep;
        }
        if of_no_citation {
            let caveat = format!("The citation mark {} was corrected to {id}.", short(&was()));
            log.note(
                GuardrailKind::Citation,
                "repaired",
                was(),
                format!("the context knows it as {id}"),
                caveat,
            );
        }
        Edit::Replace(source.clone(), id.clone())
    });
    for sentence in bare.difference(&kept).filter_map(|i| spans.get(*i)) {
        let text = strip_marks(&answer[sentence.clone()]).trim().to_owned();
        let caveat = format!("No citation is left for this sentence: \"{}\"", short(&text));
        log.note(GuardrailKind::Citation, "flagged", text, "its citations could not be verified", caveat);
    }
}

/// What became of the citations, by the id that they were written with.
struct OutcomesById<'a> {
    by_id: BTreeMap<&'a str, Vec<&'a CitationOutcome>>,
    cited: BTreeSet<&'a str>,
}

impl<'a> OutcomesById<'a> {
    fn new(outcomes: &'a [CitationOutcome]) -> Self {
        let mut by_id: BTreeMap<&str, Vec<&CitationOutcome>> = BTreeMap::new();
        for outcome in outcomes {
            by_id.entry(outcome.written.trim()).or_default().push(outcome);
        }
        Self { by_id, cited: outcomes.iter().filter_map(CitationOutcome::chunk).collect() }
    }

    /// The outcomes of the citations that a mark stands for.
    fn of(&self, mark: &Mark) -> &[&'a CitationOutcome] {
        self.by_id.get(mark.chunk.trim()).map_or(&[], Vec::as_slice)
    }

    /// The chunk that a mark names after verification; `None` when it names nothing that is left.
    fn target<'c>(
        &self,
        mark: &Mark,
        sentence: &str,
        context: &'c Context,
        settings: &GuardrailSettings,
    ) -> Option<&'c ContextChunk> {
        let outcomes = self.of(mark);
        if !outcomes.is_empty() {
            let left: BTreeSet<&str> = outcomes.iter().filter_map(|f| f.chunk()).collect();
            if left.len() < 2 {
                return context.get(left.first()?);
            }
            // The citations of one chunk ended differently: the mark follows the one whose quote is
            // closest to the sentence, the first of equals.
            let kept = outcomes.iter().rev().filter(|f| f.citation.is_some());
            return context.get(kept.max_by_key(|f| shared(&f.quote, sentence))?.chunk()?);
        }
        let id = ChunkId::from(mark.chunk.trim());
        if let Some(known) = locate::exact(&id, context) {
            return Some(known);
        }
        let alike = locate::by_end(&id, context)?;
        let cited = self.cited.contains(alike.chunk.chunk_id.as_str());
        (cited || settings.verification == Verification::IdOnly).then_some(alike)
    }
}

/// Distinct terms that two texts share.
fn shared(a: &str, b: &str) -> usize {
    text::stems(a).intersection(&text::stems(b)).count()
}
