//! What was done, for the log and for the reader.

use crate::Guarded;
use std::collections::BTreeSet;
use types::{GuardrailAction, GuardrailKind, RagResponse};

/// Actions and the caveats that tell of them.
#[derive(Default)]
pub(crate) struct Ledger {
    actions: Vec<GuardrailAction>,
    caveats: Vec<String>,
}

impl Ledger {
    /// Notes one action (`verb`: see [`GuardrailAction::action`]) and the sentence that tells of it.
    pub(crate) fn note(
        &mut self,
        guardrail: GuardrailKind,
        verb: &str,
        subject: impl Into<String>,
        reason: impl Into<String>,
        caveat: impl Into<String>,
    ) {
        let (subject, reason) = (subject.into(), reason.into());
        self.actions.push(GuardrailAction {
            guardrail,
            action: verb.to_owned(),
            subject,
            reason,
        });
        self.caveats.push(caveat.into());
    }

    /// The response with its caveats, each sentence once.
    pub(crate) fn close(self, mut response: RagResponse) -> Guarded {
        let mut said: BTreeSet<String> = response.caveats.iter().cloned().collect();
        response
            .caveats
            .extend(self.caveats.into_iter().filter(|c| said.insert(c.clone())));
        Guarded {
            response,
            actions: self.actions,
        }
    }
}

/// At most 120 characters of a text on one line, for a caveat; the action holds the whole.
pub(crate) fn short(text: &str) -> String {
    const CHARS: usize = 120;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARS) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}
