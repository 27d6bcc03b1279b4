//! What was done, for the log and for the reader.

use crate::Guarded;
use std::collections::BTreeSet;
use types::{Confidence, GuardrailAction, GuardrailKind, RagResponse};

/// Actions and the caveats that report them.
#[derive(Default)]
pub(crate) struct ActionLog {
    actions: Vec<GuardrailAction>,
    caveats: Vec<String>,
}

impl ActionLog {
    /// Notes one action (`verb`: see [`GuardrailAction::action`]) and the caveat that tells the reader.
    pub(crate) fn note(
        &mut self,
        guardrail: GuardrailKind,
        verb: &str,
        subject: impl Into<String>,
        reason: impl Into<String>,
        caveat: impl Into<String>,
    ) {
        self.act(guardrail, verb, subject, reason);
        self.caveats.push(caveat.into());
    }

    /// As [`Self::note`], for a sentence of the answer.
    pub(crate) fn note_sentence(
        &mut self,
        guardrail: GuardrailKind,
        verb: &str,
        sentence: impl Into<String>,
        reason: impl Into<String>,
        caveat: impl Into<String>,
    ) {
        self.note(guardrail, verb, sentence, reason, caveat);
        if let Some(action) = self.actions.last_mut() {
            action.sentence = true;
        }
    }

    /// Notes an action that the response itself reports.
    pub(crate) fn act(
        &mut self,
        guardrail: GuardrailKind,
        verb: &str,
        subject: impl Into<String>,
        reason: impl Into<String>,
    ) {
        self.actions.push(GuardrailAction::new(guardrail, verb, subject, reason));
    }

    /// Lowers the confidence of a response to `most`, and notes that it has it `with` something, and why it is too much.
    pub(crate) fn lower(
        &mut self,
        response: &mut RagResponse,
        guardrail: GuardrailKind,
        most: Confidence,
        (with, why): (&str, &str),
    ) {
        if response.confidence > most {
            let (was, now) = (response.confidence.as_str(), most.as_str());
            let reason = format!("{was} confidence with {with}");
            let caveat = format!("Confidence lowered from {was} to {now}: {why}.");
            self.note(guardrail, "hedged", "confidence", reason, caveat);
            response.confidence = most;
        }
    }

    /// Rewrites all caveats so far.
    pub(crate) fn rewrite_caveats(&mut self, rewrite: impl Fn(&str) -> String) {
        for caveat in &mut self.caveats {
            *caveat = rewrite(caveat);
        }
    }

    /// Whether a caveat, here or in the response, already quotes this sentence.
    pub(crate) fn has_caveat_for(&self, sentence: &str, response: &RagResponse) -> bool {
        const CHARS: usize = 80;
        let line = text::one_line(sentence);
        let start: String = line.chars().take(CHARS).collect();
        let mut caveats = self.caveats.iter().chain(&response.caveats);
        caveats.any(|caveat| caveat.contains(&start))
    }

    /// Whether a citation was dropped, or a sentence stripped or flagged for what it names.
    pub(crate) fn removed(&self) -> bool {
        let removes = |action: &GuardrailAction| match action.guardrail {
            GuardrailKind::Citation => action.action == "dropped",
            GuardrailKind::Entity => matches!(action.action.as_str(), "stripped" | "flagged"),
            _ => false,
        };
        self.actions.iter().any(removes)
    }

    /// The response with its caveats, each sentence once.
    pub(crate) fn close(self, mut response: RagResponse) -> Guarded {
        let mut said: BTreeSet<String> = response.caveats.iter().cloned().collect();
        response.caveats.extend(self.caveats.into_iter().filter(|c| said.insert(c.clone())));
        Guarded { response, actions: self.actions, claims: Vec::new(), claims_probability: None }
    }
}

/// At most 120 characters of a text on one line, for a caveat; the action holds the whole.
pub(crate) fn short(text: &str) -> String {
    const CHARS: usize = 120;
    let line = text::one_line(text);
    match line.char_indices().nth(CHARS) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}
