//! The notes of a language model, its caveats and its words on the evidence: users read them as they read the answer, so they are
//! checked as its claims are.

use crate::{action_log::ActionLog, foreign::Foreign, missing::says_missing};
use evidence::support::{LexicalSupport, claims, passage, source_line};
use text::WordList;
use types::{Context, GuardrailKind, RagResponse, SupportScorer};

/// What a note names that speaks of the papers, of what they show or of the answer, not of the world: no passage says such things.
static ABOUT_EVIDENCE: WordList = WordList::new(
    "study; studies; trial; trials; sample; samples; passage; passages; excerpt; excerpts; evidence; source; sources; paper; papers; \
     limited; uncertain; unclear; consistent; conflicting; answer; question; sentence; claim; claims; citation; quote; confidence; \
     context",
);

/// Leaves out the notes that hold anything foreign and, with a `scorer`, caveats that state something that no passage supports.
pub(crate) fn check(
    response: &mut RagResponse,
    context: &Context,
    foreign: &Foreign,
    scorer: Option<&dyn SupportScorer>,
    log: &mut ActionLog,
) {
    let mut is_kept = |note: &String, scorer: Option<&dyn SupportScorer>| {
        let why = match foreign.find(note).first() {
            Some((_, what)) => format!("not found in the context: {what}"),
            None if scorer.is_some_and(|scorer| !is_supported(note, context, scorer)) => {
                "no passage supports it".to_owned()
            }
            None => return true,
        };
        let caveat = format!("A note of the language model was removed; {why}.");
        log.note(GuardrailKind::Entity, "dropped", note.as_str(), why, caveat);
        false
    };
    response.caveats.retain(|note| is_kept(note, scorer));
    if !is_kept(&response.evidence_quality, None) {
        response.evidence_quality.clear();
    }
}

/// Whether each statement of a note that is not about the evidence is supported by a passage, or cannot be compared with any.
fn is_supported(note: &str, context: &Context, scorer: &dyn SupportScorer) -> bool {
    let speaks_of_evidence = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        says_missing(text) || words.any(|word| ABOUT_EVIDENCE.contains(&word.to_lowercase()))
    };
    let supported = |claim: &str| {
        context.chunks.iter().any(|place| {
            let source = &place.source;
            let line = source_line(source.title.as_deref(), &source.authors, source.year);
            let found = scorer.support(claim, &passage(&line, &place.chunk.with_table_head()));
            found.map_or(true, |found| found.score >= LexicalSupport::THRESHOLD)
        })
    };
    // What a note quotes, it does not state.
    let stated: String = note.split('"').step_by(2).collect();
    claims(&stated).iter().all(|claim| speaks_of_evidence(&claim.text) || supported(&claim.text))
}
