//! Names and symbols of a claim that the passage lacks.

use super::prepared::PreparedPassage;
use text::entities::{EntityKind, entities};

/// Names and symbols that a passage lacks, as printed, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) absent: Vec<String>,
    pub(crate) symbols_absent: Vec<String>,
}

/// Looks the claim's names and symbols up in the whole passage.
pub(crate) fn compare(claim: &str, passage: &PreparedPassage) -> Names {
    let mut out = Names::default();
    let named = entities(claim).into_iter();
    for e in named.filter(|e| e.kind != EntityKind::Number && !passage.ground.holds(e)) {
        let initials = e.text.trim_end_matches('s').to_lowercase();
        let spelled_out =
            initials.len() >= 3 && passage.sentences.iter().any(|s| s.initials.contains(&initials));
        let list = match e.kind {
            EntityKind::Symbol if spelled_out => continue,
            EntityKind::Symbol => &mut out.symbols_absent,
            _ => &mut out.absent,
        };
        if !list.contains(&e.text) {
            list.push(e.text);
        }
    }
    out
}
